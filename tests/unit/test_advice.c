/* SPDX-License-Identifier: BSD-3-Clause */
/* advice: each rule by a point for which an expert would say that, and one for which not. */
#include "tests/unit/ceilings_fixture.h"
#include "tests/unit/placed_fixture.h"

static struct rfl_placement p;

/* What is said of the point; not, when the words start with '!'. */
static void says(const struct rfl_point *point, const char *words)
{
    p = placed(point);
    if (words[0] != '!')
        assert_contains(p.advice, words);
    else if (strstr(p.advice, words + 1))
        fail_msg("'%s' should not hold '%s'", p.advice, words + 1);
}

static void nothing_to_say(void **state)
{
    (void)state;
    struct rfl_point *point = start(PLANTED_H200, 1);
    says(point, "nothing to place");
    bytes(point, "L7", 1e9);
    work(point, "fp8", "tensor", 1e9, NAN);
    says(point, "gpu0 has no ceiling for what was counted: L7, FP8 tensor");
}

static void without_time(void **state)
{
    (void)state;
    struct rfl_point *point = start(PLANTED_H200, 0);
    loads(point, "HBM", 1e12);
    says(point, "HBM would bound it; its fraction of that roof requires a time");
    work(point, "fp64", "core", 1e12, 1);
    says(point, "HBM would bound it, at 4.620 TFLOP/s; its fraction");
}

static void beyond_the_roof(void **state)
{
    (void)state;
    struct rfl_point *point = start(PLANTED_H200, 1);
    loads(point, "HBM", 6e12);
    says(point, "130 % of the HBM roof, which is impossible");
    says(point, "the counters included other programs");
    says(point, "clock was above the sweep's");
    point->clock_hz = 1.98e9;
    says(point, "!clock was above");
}

static void short_launches(void **state)
{
    (void)state;
    struct rfl_point *point = start(PLANTED_H200, 1e-3);
    loads(point, "HBM", 1e9);
    point->launches = 250;
    says(point, "bound by short launches of 4 us");
    says(point, "(HBM: 22 %)");
    point->launches = 50;
    says(point, "latency-bound");
    point->launches = 250;
    point->traffic[0].bytes = point->traffic[0].read_bytes = 4.4e9;
    says(point, "HBM-bound at 95 %");
}

/* 154 registers take 160 of 65,536 for each of 32 lanes: 12 warps. */
static void latency_of_a_gpu(void **state)
{
    (void)state;
    struct rfl_point *point = start(PLANTED_H200, 1);
    loads(point, "HBM", 1e12);
    says(point, "latency-bound: below half of every roof; 22 % of the nearest, HBM");
    says(point, "its number of warps per SM is not known");
    says(point, "!divisions");
    point->warps_per_sm = 11.5;
    says(point, "it had 11.5 warps per SM: use more");
    point->registers = 154;
    says(point, "11.5 warps per SM of the 12 that 154 registers per thread allow");
    says(point, "!use more,");
    point->registers = 32;
    says(point, "it had 11.5 warps per SM: use more");
    work(point, "fp64", "core", 10e12, 1);
    says(point, "divisions and square roots take much longer than their count, divergent");
}

static void latency_of_a_cpu(void **state)
{
    (void)state;
    struct rfl_point *point = start(PLANTED_XEON, 1);
    work(point, "fp64", "", 8e9, 0.5);
    bytes(point, "DRAM", 1e9);
    says(point, "its number of threads is not known");
    says(point, "!vectorised");
    point->threads = 2;
    says(point, "it had 2 threads");
    snprintf(roofs.peaks[roofs.n_peaks].type, 8, "fp64");
    snprintf(roofs.peaks[roofs.n_peaks].op, 16, "fma");
    snprintf(roofs.peaks[roofs.n_peaks].unit, 16, "scalar");
    roofs.peaks[roofs.n_peaks++].rate.value = 10e9;
    says(point, "no faster than scalar code could be (80 % of that): is it vectorised?");
    point->work[0].flops = 30e9;
    says(point, "!vectorised");
}

/* The brief's own example: reuse from L1 to L2 of 3.1, none from L2 to HBM. */
static void reuse(void **state)
{
    (void)state;
    struct rfl_point *point = start(PLANTED_H200, 1);
    bytes(point, "L1", 3.1 * 7.387e12);
    bytes(point, "L2", 7.387e12);
    work(point, "fp64", "core", 1e12, 1);
    says(point,
         "L2-bound at 83 %: intensity rises 3.1x from L1 to L2; keep more in registers, "
         "shared memory or L1");
    says(point, "FP64 FMA needs 3.74 flop/byte, it has 0.135");
    says(point, "!no reuse");
    loads(point, "HBM", 7.387e12 / 1.9);
    says(point, "both must be raised");
    point->traffic[2].bytes = point->traffic[2].read_bytes = 3.1e12;
    says(point, "!both must");
    point->traffic[2].bytes = point->traffic[2].read_bytes = 7.2e12;
    point->time_s = 1.6;
    says(point,
         "HBM-bound at 97 %: intensity rises 3.1x from L1 to L2, 1.0x from L2 to HBM: "
         "no reuse in L2; only fewer bytes help");
    point->time_s = 2.4;
    says(point, "HBM-bound at 65 %");
    says(point, "too few bytes in flight");
    says(point, "coalesced");
    says(point, "!only fewer bytes");
}

/* What goes to other hosts is no level behind memory. */
static void the_network_reuses_nothing(void **state)
{
    (void)state;
    struct rfl_point *point = start(PLANTED_XEON, 1);
    struct ert_ceilings ceilings = planted_make(PLANTED_XEON);
    struct ert_device_ceilings *device = &ceilings.devices[0];
    struct ert_ceiling *extra = add_ceiling(device, ERT_CEILING_NETWORK, "net-one-way");
    struct ert_error error;
    snprintf(extra->key.of, sizeof extra->key.of, "one-way");
    extra->value = extra->low = extra->high = 4.9e9;
    const struct rfl_roofs_options options = {.clock_hz = 0};
    assert_int_equal(rfl_roofs_make(&ceilings, 0, &options, &roofs, &error), ERT_OK);
    loads(point, "DRAM", 40e9);
    bytes(point, "NET", 1e9);
    work(point, "fp64", "core", 1e9, 1);
    says(point, "DRAM-bound");
    assert_int_equal(p.n_levels, 2);
    says(point, "!from DRAM to NET");
    ert_ceilings_free(&ceilings);
}

/* 4.28 to 4.62 TB/s where reads and writes are not known apart: 2.2 TB/s is half of one of them. */
static void bands(void **state)
{
    (void)state;
    struct rfl_point *point = start(PLANTED_H200, 1);
    bytes(point, "HBM", 4e12);
    says(point, "HBM-bound at 87 to 93 % (its share of reads is not known); only");
    point->traffic[0].bytes = 2.2e12;
    says(point, "HBM-bound at 48 to 51 % (");
    point->traffic[0].bytes = 2.1e12;
    says(point, "latency-bound");
    point->traffic[0].read_bytes = point->traffic[0].bytes = 4.2e12;
    says(point, "HBM-bound at 91 %; only");
}

/* Shared memory is beside the way from L1 to memory. */
static void innermost(void **state)
{
    (void)state;
    struct rfl_point *point = start(PLANTED_H200, 1);
    bytes(point, "shared", 30e12);
    loads(point, "HBM", 1e12);
    says(point, "shared-bound at 91 %; keep more in registers, and use accesses that are");
    says(point, "!rises");
    bytes(point, "L1", 1e12);
    says(point, "bytes shrink 1.0x from L1 to HBM: no reuse in L1");
    rfl_points_free(&points);
    point = start(PLANTED_XEON, 1);
    loads(point, "L1", 900e9 * 700 / 950);
    says(point, "L1-bound at 95 %; keep more in registers (unroll and jam)");
    bytes(point, "L2", 249e9);
    says(point, "L2-bound at 100 %");
    says(point, "block loops for the inner caches");
}

static void computing(void **state)
{
    (void)state;
    struct rfl_point *point = start(PLANTED_H200, 1);
    loads(point, "HBM", 1e12);
    work(point, "fp64", "core", 0.7 * 0.79 * 33.3e12, 0.58);
    says(point,
         "FP64 FMA 58 %-bound at 70 % of the roof for its mix, 55 % of the FMA peak");
    says(point, "with FMAs only it could be up to 1.27x faster");
    says(point, "the rest is lost to dependent operations");
    point->work[0].flops = 30e12;
    point->work[0].fma_share = 1;
    says(point, "FP64 FMA-bound at 90 %; only fewer operations or a smaller type help");
    says(point, "!with FMAs only");
    snprintf(roofs.peaks[roofs.n_peaks].type, 8, "fp64");
    snprintf(roofs.peaks[roofs.n_peaks].op, 16, "mma");
    snprintf(roofs.peaks[roofs.n_peaks].unit, 16, "tensor");
    roofs.peaks[roofs.n_peaks++].rate.value = 66.6e12;
    says(point, "FP64 FMA-bound at 90 %");
    says(point, "matrix products could use the tensor unit, 2.0x this roof");
    point->work[0].flops = 20e12;
    says(point, "!tensor");
}

static void issuing(void **state)
{
    (void)state;
    struct rfl_point *point = start(PLANTED_H200, 1);
    roofs.instructions_per_s = 1e12;
    point->instructions = 0.9e12;
    loads(point, "HBM", 1e12);
    says(point, "issue-bound at 90 %: bound by instructions");
}

static void what_weakens_it(void **state)
{
    (void)state;
    struct rfl_point *point = start(PLANTED_H200, 1);
    bytes(point, "L2", 5e12);
    says(point, "bytes at HBM are not known: it may be the bound instead");
    point->traffic[0].bytes = 8e12;
    says(point, "!not known");
    snprintf((char *)rfl_roofs_level(&roofs, "L2", NULL)->rate.warning, 160, "few samples");
    says(point, "the roof itself has a warning (few samples)");
    ((struct rfl_bandwidth *)rfl_roofs_level(&roofs, "L2", NULL))->rate.share = 0.5;
    says(point, "with all warps per SM that roof would be 2.0x as high");
}

/* However long the names: the sentence is cut, not overrun. */
static void it_fits(void **state)
{
    (void)state;
    struct rfl_point *point = start(PLANTED_H200, 1);
    bytes(point, "L2", 5e12);
    memset((char *)rfl_roofs_level(&roofs, "L2", NULL)->rate.warning, 'x', 159);
    ((struct rfl_bandwidth *)rfl_roofs_level(&roofs, "L2", NULL))->rate.share = 0.5;
    bytes(point, "L1", 4e12);
    bytes(point, "L3", 3e12);
    work(point, "fp64", "core", 1e12, 0.2);
    p = placed(point);
    assert_true(strlen(p.advice) < RFL_ADVICE_TEXT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(nothing_to_say, unload),
        cmocka_unit_test_teardown(without_time, unload),
        cmocka_unit_test_teardown(beyond_the_roof, unload),
        cmocka_unit_test_teardown(short_launches, unload),
        cmocka_unit_test_teardown(latency_of_a_gpu, unload),
        cmocka_unit_test_teardown(latency_of_a_cpu, unload),
        cmocka_unit_test_teardown(reuse, unload),
        cmocka_unit_test_teardown(the_network_reuses_nothing, unload),
        cmocka_unit_test_teardown(bands, unload),
        cmocka_unit_test_teardown(innermost, unload),
        cmocka_unit_test_teardown(computing, unload),
        cmocka_unit_test_teardown(issuing, unload),
        cmocka_unit_test_teardown(what_weakens_it, unload),
        cmocka_unit_test_teardown(it_fits, unload),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
