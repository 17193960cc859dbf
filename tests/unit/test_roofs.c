/* SPDX-License-Identifier: BSD-3-Clause */
/* roofs: the ceilings of a device, at another clock, and at fewer warps or threads. */
#include "tests/unit/ceilings_fixture.h"
#include "tests/unit/planted.h"
#include "tests/unit/test.h"

#include "analysis/core/place/place.h"

static struct rfl_roofs roofs; /* 70 KiB */

static void make(const struct ert_ceilings *ceilings, size_t device,
                 struct rfl_roofs_options options)
{
    struct ert_error error = {ERT_OK, ""};
    memset(&roofs, 0xa5, sizeof roofs);
    if (rfl_roofs_make(ceilings, device, &options, &roofs, &error) != ERT_OK)
        fail_msg("%s", error.text);
}

static double rate(const char *level, const char *pattern)
{
    const struct rfl_bandwidth *roof = rfl_roofs_level(&roofs, level, pattern);
    return roof ? roof->rate.value : 0;
}

static double peak(const char *type, const char *unit, double share)
{
    return rfl_roofs_peak(&roofs, type, unit, share, NULL);
}

/* The first note that holds the words, or "". */
static const char *note(const char *words)
{
    for (size_t i = 0; i < roofs.n_notes; i++)
        if (strstr(roofs.notes[i], words))
            return roofs.notes[i];
    return "";
}

static void add_extra(struct ert_ceilings *ceilings, const char *of, const char *axis,
                      uint32_t count, uint32_t ilp, double value)
{
    struct ert_device_ceilings *device = &ceilings->devices[0];
    struct ert_ceiling *extra = add_ceiling(device, ERT_CEILING_CONCURRENCY, "");
    snprintf(extra->key.of, sizeof extra->key.of, "%s", of);
    snprintf(extra->key.axis, sizeof extra->key.axis, "%s", axis);
    extra->key.count = count;
    extra->key.ilp = ilp;
    extra->value = value;
}

static void add_peak(struct ert_ceilings *ceilings, const char *type, const char *op,
                     const char *unit, double value, double clock_hz)
{
    struct ert_device_ceilings *device = &ceilings->devices[0];
    struct ert_ceiling *to = copy_ceiling(device, compute_at(device, 0));
    snprintf(to->key.type, sizeof to->key.type, "%s", type);
    snprintf(to->key.op, sizeof to->key.op, "%s", op);
    snprintf(to->key.unit, sizeof to->key.unit, "%s", unit);
    snprintf(to->name, sizeof to->name, "%s-%s", type, op);
    to->value = value;
    to->evidence->clock_hz = clock_hz;
}

static void as_measured(void **state)
{
    struct ert_ceilings h200 = planted_make(PLANTED_H200);
    make(&h200, 0, (struct rfl_roofs_options){0});
    assert_string_equal(roofs.device, "gpu0");
    assert_string_equal(roofs.name, "NVIDIA H200");
    assert_int_equal(roofs.kind, ERT_DEVICE_GPU);
    assert_true(roofs.n_bandwidths == 5 && roofs.n_peaks == 5 && roofs.n_notes == 0);
    assert_true(roofs.clock_hz == 1.98e9 && roofs.held_hz == 1.98e9);
    assert_true(rate("L2", NULL) == 8.9e12);
    assert_true(rate("HBM", NULL) == 4.62e12); /* the roof, not the copy */
    assert_true(rate("HBM", "copy") == 4.28e12);
    assert_true(rate("L3", NULL) == 0 && rate("HBM", "triad") == 0);
    assert_close(roofs.bandwidths[0].rate.low, 33.3e12 * 0.99, 1e-15);
    ert_ceilings_free(&h200);
}

/* 58 % FMA of the 6.71 TFLOP/s of arXiv:2008.11326 is 5.3; half of the peak without FMA. */
static void peaks_by_fma_share_and_unit(void **state)
{
    struct ert_ceilings h200 = planted_make(PLANTED_H200);
    const struct rfl_peak *from;
    compute_at(&h200.devices[0], 0)->value = 6.71e12;
    add_peak(&h200, "fp16", "mma", "tensor", 600e12, 1.8e9);
    add_peak(&h200, "fp16", "wgmma", "tensor", 960e12, 1.8e9);
    add_peak(&h200, "int32", "add", "core", 30e12, 1.98e9);
    make(&h200, 0, (struct rfl_roofs_options){0});
    assert_close(peak("fp64", "core", 0.58), 5.3e12, 0.001);
    assert_close(peak("fp64", "", 0), 3.355e12, 1e-15);
    assert_true(peak("fp64", "", NAN) == 6.71e12 && peak("fp64", "", 1) == 6.71e12);
    assert_true(rfl_roofs_peak(&roofs, "fp16", "tensor", 0.3, &from) == 960e12);
    assert_string_equal(from->rate.name, "fp16-wgmma");
    assert_true(peak("fp64", "tensor", NAN) == 0 && peak("fp16", "core", NAN) == 0);
    assert_true(peak("fp8", "", NAN) == 0);
    /* Without a ceiling of FMA the additions are the peak, whatever the share. */
    assert_true(peak("int32", "core", 0.5) == 30e12);
    ert_ceilings_free(&h200);
}

/* Adders of their own: half FMA is the fastest, and no FMA is as fast as all. */
static void peaks_of_separate_adders(void **state)
{
    struct ert_ceilings h200 = planted_make(PLANTED_H200);
    const struct rfl_peak *from;
    compute_at(&h200.devices[0], 0)->value = 4e12;
    add_peak(&h200, "fp64", "addmul", "core", 4e12, 1.98e9);
    add_peak(&h200, "fp64", "fmaadd", "core", 6e12, 1.98e9);
    make(&h200, 0, (struct rfl_roofs_options){0});
    assert_close(peak("fp64", "core", 0.5), 6e12, 1e-15);
    assert_close(peak("fp64", "core", 0), 4e12, 1e-15);
    assert_close(peak("fp64", "core", 1), 4e12, 1e-15);
    assert_true(rfl_roofs_peak(&roofs, "fp64", "core", NAN, &from) == 6e12);
    assert_string_equal(from->rate.name, "fp64-fmaadd");
    ert_ceilings_free(&h200);
}

/* A CPU's vector units: "core" is the best of them, a name is that one. */
static void peaks_of_vector_units(void **state)
{
    struct ert_ceilings xeon = planted_make(PLANTED_XEON);
    add_peak(&xeon, "fp64", "fma", "avx2", 90e9, 3e9);
    add_peak(&xeon, "bf16", "amx", "amx", 6e12, 3e9);
    add_peak(&xeon, "bf16", "dot", "avx512bf16", 0.2e12, 3e9);
    make(&xeon, 0, (struct rfl_roofs_options){0});
    assert_true(peak("fp64", "core", NAN) == 167e9 && peak("fp64", "avx2", NAN) == 90e9);
    assert_true(peak("fp64", "sse2", NAN) == 0);
    assert_true(peak("bf16", "amx", NAN) == 6e12 && peak("bf16", "", NAN) == 0.2e12);
    ert_ceilings_free(&xeon);
}

/* Each roof from the clock that it was measured at; L2 and memory stay, and that is said. */
static void at_the_clock_of_the_code(void **state)
{
    struct ert_ceilings h200 = planted_make(PLANTED_H200);
    add_peak(&h200, "fp16", "wgmma", "tensor", 900e12, 1.8e9); /* held down by its power */
    add_peak(&h200, "inst", "issue", "core", 990e9, 1.98e9);
    make(&h200, 0, (struct rfl_roofs_options){.clock_hz = 0.99e9});
    assert_close(peak("fp64", "", 1), 16.65e12, 1e-15);
    assert_close(peak("fp16", "tensor", NAN), 495e12, 1e-15);
    assert_close(roofs.instructions_per_s, 495e9, 1e-15);
    assert_close(rate("L1", NULL), 16.65e12, 1e-15);
    assert_close(rate("shared", NULL), 16.5e12, 1e-15);
    assert_true(rate("L2", NULL) == 8.9e12 && rate("HBM", NULL) == 4.62e12);
    assert_true(roofs.bandwidths[0].rate.measured == 33.3e12);
    assert_close(roofs.bandwidths[0].rate.high, 16.65e12 * 1.005, 1e-15);
    assert_true(roofs.clock_hz == 0.99e9);
    assert_contains(note("L2 has a clock of its own"), "990");
    ert_ceilings_free(&h200);

    struct ert_ceilings xeon = planted_make(PLANTED_XEON);
    make(&xeon, 0, (struct rfl_roofs_options){.clock_hz = 1.4e9});
    assert_close(rate("L1", "load"), 350e9, 1e-15);
    assert_close(rate("L1", NULL), 475e9, 1e-15); /* the fastest pattern, add */
    assert_close(rate("L2", NULL), 125e9, 1e-15);
    assert_true(rate("L3", NULL) == 48e9 && rate("DRAM", NULL) == 49e9);
    ert_ceilings_free(&xeon);
}

static void at_an_unknown_clock(void **state)
{
    struct ert_ceilings nasty = planted_make(PLANTED_NASTY);
    make(&nasty, 0, (struct rfl_roofs_options){.clock_hz = 1e9});
    assert_true(rate("L1", NULL) == 100e9 && peak("fp64", "", 1) == 100e9);
    assert_contains(note("unknown clock"), "L1-load");
    assert_contains(note("unknown clock"), "fp64-fma");
    ert_ceilings_free(&nasty);
}

/* Of 3.2 GHz half the clock is another count of it (command clocks), not a slower memory. */
static void at_the_memory_clock_of_the_code(void **state)
{
    struct ert_ceilings h200 = planted_make(PLANTED_H200);
    h200.machine->devices[0].gpu.memory_clock_hz = 3.2e9;
    make(&h200, 0, (struct rfl_roofs_options){.memory_clock_hz = 2.4e9});
    assert_close(rate("HBM", NULL), 4.62e12 * 0.75, 1e-15);
    assert_true(rate("L2", NULL) == 8.9e12);
    assert_contains(note("rescaled from"), "2.400 GHz");
    make(&h200, 0, (struct rfl_roofs_options){.memory_clock_hz = 1.6e9});
    assert_true(rate("HBM", NULL) == 4.62e12);
    assert_contains(note("not rescaled"), "1.600 GHz");
    make(&h200, 0, (struct rfl_roofs_options){.memory_clock_hz = 3.201e9});
    assert_true(rate("HBM", NULL) == 4.62e12 && roofs.n_notes == 0);
    ert_ceilings_free(&h200);
}

/* Best ILP of each count: 10 at 4 warps, 20 at 8, 40 at 32. */
static void at_fewer_warps(void **state)
{
    struct ert_ceilings h200 = planted_make(PLANTED_H200);
    static const double hbm[][3] = {
        {8,  1, 12},
        {4,  2, 10},
        {4,  1, 5 },
        {8,  2, 20},
        {16, 1, 18},
        {32, 1, 40},
        {64, 1, 39}
    };
    for (size_t i = 0; i < sizeof hbm / sizeof hbm[0]; i++)
        add_extra(&h200, "HBM-load", "warps-per-sm", (uint32_t)hbm[i][0],
                  (uint32_t)hbm[i][1], hbm[i][2]);
    add_extra(&h200, "fp64-fma", "warps-per-sm", 8, 1, 30);
    add_extra(&h200, "fp64-fma", "warps-per-sm", 16, 1, 60);
    add_extra(&h200, "L2-load", "threads", 8, 1, 30); /* of another axis */
    static const double expected[][2] = {
        {2,  0.125},
        {4,  0.25 },
        {6,  0.375},
        {8,  0.5  },
        {16, 0.5  },
        {24, 0.75 },
        {64, 1    },
        {80, 1    }
    };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        make(&h200, 0, (struct rfl_roofs_options){.warps_per_sm = expected[i][0]});
        assert_close(rate("HBM", NULL), 4.62e12 * expected[i][1], 1e-15);
        /* a pattern that was not measured at fewer is lowered as its level's loads */
        assert_close(rate("HBM", "copy"), 4.28e12 * expected[i][1], 1e-15);
        assert_true(rate("L2", NULL) == 8.9e12);
    }
    make(&h200, 0, (struct rfl_roofs_options){.warps_per_sm = 12, .threads = 1});
    assert_close(peak("fp64", "", 1), 33.3e12 * 0.75, 1e-15);
    assert_close(peak("fp64", "", 0.58), 33.3e12 * 0.75 * 0.79, 1e-14);
    assert_contains(note("lowered to the rate at 12 warps"), "HBM-load, fp64-fma");
    assert_contains(note("since not measured by their number"), "L1-load");
    ert_ceilings_free(&h200);
}

static void each_pattern_by_its_own_curve(void **state)
{
    struct ert_ceilings h200 = planted_make(PLANTED_H200);
    add_extra(&h200, "HBM-load", "warps-per-sm", 1, 1, 25);
    add_extra(&h200, "HBM-load", "warps-per-sm", 32, 1, 100);
    add_extra(&h200, "HBM-copy", "warps-per-sm", 1, 1, 50);
    add_extra(&h200, "HBM-copy", "warps-per-sm", 32, 1, 100);
    make(&h200, 0, (struct rfl_roofs_options){.warps_per_sm = 1});
    assert_close(rate("HBM", NULL), 1.155e12, 1e-15);
    assert_close(rate("HBM", "copy"), 2.14e12, 1e-15);
    make(&h200, 0, (struct rfl_roofs_options){.warps_per_sm = 32});
    assert_true(rate("HBM", NULL) == 4.62e12);
    ert_ceilings_free(&h200);
}

static void at_fewer_threads(void **state)
{
    struct ert_ceilings xeon = planted_make(PLANTED_XEON);
    add_extra(&xeon, "DRAM-update", "threads", 1, 0, 36.75e9);
    add_extra(&xeon, "DRAM-update", "threads", 2, 0, 49e9);
    make(&xeon, 0, (struct rfl_roofs_options){.threads = 1, .warps_per_sm = 64});
    assert_close(rate("DRAM", NULL), 49e9 * 0.75, 1e-15);
    /* of what was measured with all threads only, units and private caches have their part */
    make(&xeon, 0, (struct rfl_roofs_options){0});
    const double l3 = rate("L3", NULL), fma = peak("fp64", "", 1), l1 = rate("L1", NULL);
    struct ert_device_ceilings *device = &xeon.devices[0];
    struct ert_device *cpu = &xeon.machine->devices[0];
    cpu->cpu.n_cores_usable = 4;
    for (size_t i = 0; i < cpu->n_levels; i++)
        cpu->levels[i].count = i < 2 ? 4 : 1;
    for (size_t i = 0; i < device->n; i++)
        device->ceilings[i].evidence->launch.threads = 4;
    make(&xeon, 0, (struct rfl_roofs_options){.threads = 1});
    assert_close(rate("DRAM", NULL), 49e9 * 0.75, 1e-15);
    assert_close(peak("fp64", "", 1), fma / 4, 1e-15);
    assert_close(rate("L1", NULL), l1 / 4, 1e-15);
    assert_true(rate("L3", NULL) == l3);
    const struct rfl_bandwidth *shared = rfl_roofs_level(&roofs, "L3", NULL);
    assert_close(shared->rate.low, 0.99 * l3 / 4, 1e-15);
    assert_close(shared->rate.high, 1.005 * l3, 1e-15);
    assert_contains(note("in proportion to 1 thread,"), "fp64-fma");
    assert_contains(note("not measured at 1 thread:"), "L3-");
    assert_true(roofs.all_threads == 4 && roofs.threads == 1);
    add_peak(&xeon, "inst", "issue", "general", 40e9, 3e9);
    make(&xeon, 0, (struct rfl_roofs_options){.threads = 1});
    assert_close(roofs.instructions_per_s, 10e9, 1e-15);
    /* of one thread alone, as a default run measures: the ceiling is the curve's end */
    add_extra(&xeon, "L3-load", "threads", 1, 0, 0.4 * l3);
    make(&xeon, 0, (struct rfl_roofs_options){.threads = 1});
    assert_close(rate("L3", NULL), 0.4 * l3, 1e-15);
    assert_close(shared->rate.low, 0.99 * 0.4 * l3, 1e-15);
    make(&xeon, 0, (struct rfl_roofs_options){.threads = 2});
    assert_close(rate("L3", NULL), 0.8 * l3, 1e-15); /* twice that at most, */
    assert_close(shared->rate.low, 0.99 * 0.6 * l3,
                 1e-15); /* and no less than a third of the way */
    make(&xeon, 0, (struct rfl_roofs_options){.threads = 3});
    assert_close(rate("L3", NULL), l3, 1e-15);
    assert_close(shared->rate.low, 0.99 * 0.8 * l3, 1e-15);
    make(&xeon, 0, (struct rfl_roofs_options){.threads = 4});
    assert_close(rate("L3", NULL), l3, 1e-15);
    assert_close(shared->rate.low, 0.99 * l3, 1e-15);
    /* FMA's curve is that of every operation */
    add_extra(&xeon, "fp64-fma", "threads", 1, 0, 30);
    add_extra(&xeon, "fp64-fma", "threads", 4, 0, 100);
    make(&xeon, 0, (struct rfl_roofs_options){.threads = 1});
    assert_close(peak("fp64", "", 1), fma * 0.3, 1e-15);
    assert_close(peak("fp64", "", 0), rfl_roofs_peak(&roofs, "fp64", "", 0, NULL), 1e-15);
    ert_ceilings_free(&xeon);
}

/* Each condition has its note, and none goes for want of a place. */
static void all_notes_at_once(void **state)
{
    struct ert_ceilings h200 = planted_make(PLANTED_H200);
    h200.machine->devices[0].gpu.memory_clock_hz = 3.2e9;
    add_extra(&h200, "HBM-load", "warps-per-sm", 4, 1, 1e12);
    add_extra(&h200, "HBM-load", "warps-per-sm", 64, 1, 4e12);
    h200.devices[0].held_hz = 0;
    compute_at(&h200.devices[0], 0)->evidence->clock_hz = 0;
    make(&h200, 0,
         (struct rfl_roofs_options){
             .clock_hz = 1e9, .memory_clock_hz = 2.4e9, .warps_per_sm = 4});
    static const char *const words[] = {
        "unknown clock", "rescaled to 1.000 GHz", "rescaled from 3.200 GHz",
        "lowered to the rate at 4 warps", "since not measured by their number"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        assert_string_not_equal(note(words[i]), "");
    assert_int_equal(roofs.n_notes, RFL_MAX_ROOFS_NOTES - 2); /* two are of CPUs */
    ert_ceilings_free(&h200);
}

/* One memory answers to every name of a memory; of two the name must be theirs. */
static void names_of_memory(void **state)
{
    struct ert_ceilings xeon = planted_make(PLANTED_XEON),
                        nasty = planted_make(PLANTED_NASTY);
    make(&xeon, 0, (struct rfl_roofs_options){0});
    assert_true(rate("HBM", NULL) == 49e9 && rate("memory", NULL) == 49e9 &&
                rate("MCDRAM", NULL) == 49e9 && rate("L4", NULL) == 0);
    make(&nasty, 0, (struct rfl_roofs_options){0});
    assert_true(rate("DRAM", NULL) == 74e9 && rate("HBM", NULL) == 0);
    ert_ceilings_free(&xeon);
    ert_ceilings_free(&nasty);
}

/* value: byte/s */
static void add_way(struct ert_device_ceilings *device, enum ert_ceiling_kind kind,
                    const char *what, double value)
{
    struct ert_ceiling *way = add_ceiling(device, kind, what);
    char *to = kind == ERT_CEILING_LINK ? way->key.pattern : way->key.of;
    snprintf(to, sizeof way->key.pattern, "%s", what);
    way->value = way->low = way->high = value;
}

static void ways_to_other_memories(void **state)
{
    struct ert_ceilings h200 = planted_make(PLANTED_H200);
    struct ert_device_ceilings *device = &h200.devices[0];
    add_way(device, ERT_CEILING_LINK, "h2d-pageable", 9e9);
    add_way(device, ERT_CEILING_LINK, "h2d-pinned", 55e9);
    add_way(device, ERT_CEILING_LINK, "d2h-pinned", 50e9);
    add_way(device, ERT_CEILING_LINK, "duplex-pinned", 80e9);
    add_way(device, ERT_CEILING_LINK, "duplex", 1e12);
    make(&h200, 0, (struct rfl_roofs_options){.clock_hz = 0.99e9});
    assert_true(roofs.n_bandwidths == 5 + 3); /* at any clock */
    assert_true(rate("host", "to GPU") == 55e9 && rate("host", "from GPU") == 50e9);
    struct rfl_reach both =
        rfl_curve_reach(&roofs, "host", &(struct rfl_accesses){.read_share = 0.5});
    assert_true(both.bytes_per_s == 80e9 && both.roof->is_transfer);
    /* The largest of several sizes of messages. */
    add_way(device, ERT_CEILING_NETWORK, "latency", 1e12);
    ceiling_at(device, ERT_CEILING_NETWORK, 0)->unit = ERT_UNIT_S;
    add_way(device, ERT_CEILING_NETWORK, "one-way", 11e9);
    add_way(device, ERT_CEILING_NETWORK, "one-way", 24e9);
    make(&h200, 0, (struct rfl_roofs_options){0});
    assert_true(rate("NET", NULL) == 24e9 && roofs.n_bandwidths == 5 + 3 + 1);
    ert_ceilings_free(&h200);
}

static void nothing_is_said(void **state)
{
    struct ert_ceilings none = planted_make(PLANTED_NONE),
                        h200 = planted_make(PLANTED_H200);
    struct rfl_roofs_options options = {0};
    struct ert_error error = {ERT_OK, ""};
    assert_int_equal(rfl_roofs_make(&none, 0, &options, &roofs, &error), ERT_UNAVAILABLE);
    assert_contains(error.text, "no ceiling");
    assert_int_equal(rfl_roofs_make(&none, 1, &options, &roofs, &error), ERT_USAGE);
    /* What is not a rate is no roof. */
    memory_at(&h200.devices[0], 2)->value = NAN;
    compute_at(&h200.devices[0], 1)->value = 0;
    make(&h200, 0, (struct rfl_roofs_options){.clock_hz = 0.99e9});
    assert_true(rate("L2", NULL) == 0 && roofs.n_bandwidths == 4 && roofs.n_peaks == 4);
    assert_close(peak("fp32", "", 1), 32.6e12, 1e-15); /* after the gap, the right clock */
    ert_ceilings_free(&none);
    ert_ceilings_free(&h200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_measured),
        cmocka_unit_test(peaks_by_fma_share_and_unit),
        cmocka_unit_test(peaks_of_separate_adders),
        cmocka_unit_test(peaks_of_vector_units),
        cmocka_unit_test(at_the_clock_of_the_code),
        cmocka_unit_test(at_an_unknown_clock),
        cmocka_unit_test(at_the_memory_clock_of_the_code),
        cmocka_unit_test(at_fewer_warps),
        cmocka_unit_test(each_pattern_by_its_own_curve),
        cmocka_unit_test(at_fewer_threads),
        cmocka_unit_test(all_notes_at_once),
        cmocka_unit_test(names_of_memory),
        cmocka_unit_test(ways_to_other_memories),
        cmocka_unit_test(nothing_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
