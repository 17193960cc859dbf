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
    says(point, "below half of every roof; 22 % of the nearest, HBM; its launches of 4 us");
    point->launches = 50;
    says(point, "!its launches");
    point->launches = 250;
    point->traffic[0].bytes = point->traffic[0].read_bytes = 4.4e9;
    says(point, "HBM-bound at 95 %");
    says(point, "!its launches");
}

/* 154 registers take 160 of 65,536 for each of 32 lanes: 12 warps. */
static void warps_of_a_gpu(void **state)
{
    (void)state;
    struct rfl_point *point = start(PLANTED_H200, 1);
    loads(point, "HBM", 1e12);
    says(point, "below half of every roof; 22 % of the nearest, HBM");
    says(point, "may remain: operations that wait for each other, divergent branches, too");
    point->warps_per_sm = 11.5;
    says(point, "it had 11.5 warps per SM: use more");
    point->registers = 154;
    says(point, "11.5 warps per SM of the 12 that its registers allow");
    says(point, "!use more,");
    point->registers = 32;
    says(point, "it had 11.5 warps per SM: use more");
    point->traffic[0].bytes = point->traffic[0].read_bytes = 4.4e12;
    says(point, "!warps per SM: use more");
}

/* A point of a CPU as our Valgrind tool counts it: widths, divisions, bytes at each level. */
struct counted {
    double time_s, threads, cpus_used, instructions;
    double scalar, w128, w256, divisions, l1, l2, l3, dram, first;
};

static struct rfl_point *counted(const struct counted *c)
{
    rfl_points_free(&points);
    struct rfl_point *point = start(PLANTED_XEON, c->time_s);
    static const char *const units[] = {"scalar", "sse2", "avx2"};
    for (size_t i = 0; i < 3; i++)
        for (size_t op = 0; op < 2; op++) { /* 10 Gflop/s per element; divisions 1/10 */
            struct rfl_peak *peak = &roofs.peaks[roofs.n_peaks++];
            *peak = roofs.peaks[0];
            snprintf(peak->op, sizeof peak->op, op ? "div" : "add");
            snprintf(peak->unit, sizeof peak->unit, "%s", units[i]);
            peak->rate.value = (op ? 1e9 : 10e9) * (1 << i);
        }
    static const struct rfl_latency latencies[] = {
        {"L2",   2e-9  },
        {"L3",   30e-9 },
        {"DRAM", 100e-9}
    };
    memcpy(roofs.latencies, latencies, sizeof latencies);
    roofs.n_latencies = 3;
    roofs.clock_hz = roofs.held_hz = 2e9;
    roofs.all_threads = 4;
    point->threads = c->threads;
    point->instructions = c->instructions;
    if (c->scalar + c->w128 + c->w256 > 0)
        work(point, "fp64", "core", c->scalar + c->w128 + c->w256, 0);
    rfl_points_value(point, "cpus_used", c->cpus_used);
    rfl_points_value(point, "fp64_scalar_flops", c->scalar);
    rfl_points_value(point, "fp64_128_flops", c->w128);
    rfl_points_value(point, "fp64_256_flops", c->w256);
    rfl_points_value(point, "fp64_div_scalar_flops", c->divisions);
    rfl_points_value(point, "first_touched_bytes", c->first);
    loads(point, "L1", c->l1);
    loads(point, "L2", c->l2);
    loads(point, "L3", c->l3);
    loads(point, "DRAM", c->dram);
    return point;
}

/* Each rule by a program that deserves it and, with one count changed, by one that does not. */
static void rules_of_a_cpu(void **state)
{
    (void)state;
    /* 4 threads, 256-bit, everything from L1, far from its roofs: none of the causes */
    const struct counted plain = {1, 4, 4, 4e9, 0, 0, 8e9, 0, 1e9, 1e7, 1e6, 1e6, 1e6};
    static const struct {
        const char *hint;
        size_t at;
        double deserves, not ;
    } rows[] = {
        {"waiting, serial parts",         offsetof(struct counted, cpus_used),    2.8,   3.2 },
        {"use the other cores",           offsetof(struct counted, threads),      3,     3.5 },
        {"break chains of loads",         offsetof(struct counted, dram),         2e9,   8e8 },
        {"exchange loops: whole lines",   offsetof(struct counted, l2),           4e10,  1e9 },
        {"fewer divisions and roots",     offsetof(struct counted, divisions),    4e8,   2e8 },
        {"vectorise it",                  offsetof(struct counted, scalar),       8.1e9, 4e9 },
        {"wider vectors",                 offsetof(struct counted, w128),         9e9,   7e9 },
        {"fewer instructions",            offsetof(struct counted, instructions), 25e9,  23e9},
        {"integer code: not these roofs", offsetof(struct counted, w256),         1e8,   1e9 },
    };
    says(counted(&plain), "it is not waiting, idle cores, chains of dependent loads, "
                          "partly used lines, divisions, scalar code, narrow vectors, "
                          "the issue of instructions; what no count here shows may remain");
    assert_string_equal(p.hint, "none of the counted causes");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (int is_not = 0; is_not < 2; is_not++) {
            struct counted c = plain;
            *(double *)((char *)&c + rows[i].at) = is_not ? rows[i].not : rows[i].deserves;
            if (rows[i].at == offsetof(struct counted, threads))
                c.cpus_used = c.threads;
            if (rows[i].at == offsetof(struct counted, dram)) /* of as many lines */
                c.l2 = c.l3 = c.l1 = c.dram;
            p = placed(counted(&c));
            if ((strcmp(p.hint, rows[i].hint) == 0) == is_not)
                fail_msg("%s, %d: %s (%s)", rows[i].hint, is_not, p.hint, p.advice);
        }
    struct counted alone = plain;
    alone.threads = alone.cpus_used = 1;
    alone.scalar = 1e10;
    says(counted(&alone), "it used 1 of 4 CPUs: divide its work");
    assert_string_equal(p.hint, "use the other cores; vectorise it");
    struct rfl_point *slow = counted(&alone);
    slow->time_high_s = 100; /* of which scalar code would need 1 % */
    says(slow, "!vectorise");
    struct counted spun = plain;
    spun.instructions = 80e9; /* 10 per cycle */
    says(counted(&spun), "it runs 10 instructions per cycle");
    struct rfl_point *simulated = counted(&spun);
    simulated->format = "valgrind";
    says(simulated, "!instructions per cycle");
    struct counted integers = plain, narrow = plain;
    integers.w256 = 1e8;
    integers.instructions = 12e9;
    says(counted(&integers), "it runs 1.5 instructions per cycle, of 4 or more");
    narrow.scalar = 1e10;
    struct rfl_point *chosen = counted(&narrow);
    says(chosen, "vectorise");
    rfl_points_value(chosen, "chosen_by_cpuid", 1);
    says(chosen, "!vectorise");
    alone.scalar = 0;
    says(counted(&alone), "divide its work");
    assert_contains(p.advice, "it is not waiting, chains");
}

/* A program of a millisecond is its start, a region of a millisecond is not. */
static void short_programs(void **state)
{
    (void)state;
    const struct counted brief = {0.001, 4, 4, 4e6, 0, 0, 8e6, 0, 1e6, 1e4, 1e3, 1e3, 1e3};
    struct rfl_point *point = counted(&brief);
    says(point, "!starts and ends");
    points.elapsed_s = 0.001;
    says(point, "a program of 1 ms mostly starts and ends");
    points.elapsed_s = 1;
    says(point, "!starts and ends");
    points.elapsed_s = 0;
}

/* At a roof: bytes that come once, and bytes that come again and again. */
static void rereads(void **state)
{
    (void)state;
    struct counted c = {1, 4, 4, 4e9, 0, 0, 1e9, 0, 48e9, 48e9, 36e9, 48e9, 10e9};
    says(counted(&c), "each byte that it touches comes 4.8 times: block loops");
    c.first = 16e9;
    says(counted(&c), "only fewer bytes help");
    says(counted(&c), "!block loops,");
}

/* The roof's and the time's intervals: what is said holds at both ends. */
static void over_the_whole_range(void **state)
{
    (void)state;
    struct rfl_point *point = start(PLANTED_H200, 1);
    loads(point, "HBM", 4.2e12);
    says(point, "HBM-bound at 91 %; only fewer bytes help");
    point->time_high_s = 1.3;
    point->time_low_s = 0.95;
    says(point, "HBM-bound at 70 to 97 %");
    says(point, "!only fewer bytes");
    says(point, "!access pattern");
    ((struct rfl_bandwidth *)rfl_roofs_level(&roofs, "HBM", NULL))->rate.low = 2e12;
    says(point, "HBM-bound at 70 to 221 %");
    point->traffic[0].bytes = point->traffic[0].read_bytes = 6e12;
    says(point, "!impossible");
    point->time_high_s = 0;
    says(point, "130 % of the HBM roof, which is impossible");
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
    says(point, "HBM-bound at 86 to 94 % (its share of reads is not known); only");
    point->traffic[0].bytes = 2.2e12;
    says(point, "HBM-bound at 47 to 52 % (");
    point->traffic[0].bytes = 2.1e12;
    says(point, "below half");
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
    point->work[0].flops = 30e12;
    point->work[0].fma_share = 1;
    says(point, "FP64 FMA-bound at 90 %; only fewer operations or a smaller type help");
    says(point, "!with FMAs only");
    snprintf(roofs.peaks[roofs.n_peaks].type, 8, "fp64");
    snprintf(roofs.peaks[roofs.n_peaks].op, 16, "mma");
    snprintf(roofs.peaks[roofs.n_peaks].unit, 16, "tensor");
    roofs.peaks[roofs.n_peaks++].rate.value = 66.6e12;
    says(point, "FP64 FMA-bound at 90 %");
    says(point, "matrix products could use the tensor unit, 2x this roof");
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
    says(point, "issue-bound at 90 %; bound by instructions");
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
        cmocka_unit_test_teardown(warps_of_a_gpu, unload),
        cmocka_unit_test_teardown(rules_of_a_cpu, unload),
        cmocka_unit_test_teardown(short_programs, unload),
        cmocka_unit_test_teardown(rereads, unload),
        cmocka_unit_test_teardown(over_the_whole_range, unload),
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
