/* SPDX-License-Identifier: BSD-3-Clause */
/* place: intensities, times alone, the bound and what comes after it, by hand. */
#include "tests/unit/placed_fixture.h"

#include "analysis/core/place/place.h"

/* H200: L1 33.3, L2 8.9, HBM 4.62 TB/s; FP64 33.3 TFLOP/s. In 1 s: HBM 3/4.62, L2 6/8.9. */
static void bound_by_the_longest(void **state)
{
    struct rfl_point *point = start(PLANTED_H200, 1);
    bytes(point, "HBM", 3e12);
    bytes(point, "L1", 12e12);
    bytes(point, "L2", 6e12);
    work(point, "fp64", "core", 6e12, 0.5);
    struct rfl_placement p = placed(point);
    assert_true(p.n_levels == 3 && p.n_units == 1);
    assert_string_equal(p.placed[0].traffic->level, "L1");
    assert_string_equal(p.placed[1].traffic->level, "L2");
    assert_string_equal(p.placed[2].traffic->level, "HBM");
    assert_true(p.placed[0].intensity_flop_per_byte == 0.5 &&
                p.placed[1].intensity_flop_per_byte == 1 &&
                p.placed[2].intensity_flop_per_byte == 2);
    assert_close(p.placed[1].alone_s, 6 / 8.9, 1e-15);
    assert_close(p.placed[2].fraction, 3 / 4.62, 1e-15);
    assert_true(p.placed[2].reached == 3e12);
    assert_close(p.placed[2].attainable_flop_per_s, 2 * 4.62e12, 1e-15);
    assert_close(p.placed[p.n_levels].value, 33.3e12 * 0.75, 1e-15);
    assert_close(p.placed[p.n_levels].fraction, 6 / (33.3 * 0.75), 1e-15);
    assert_true(p.bound == RFL_BOUND_LEVEL && p.bound_index == 1);
    assert_string_equal(p.bound_name, "L2");
    assert_string_equal(p.next_name, "HBM");
    assert_close(p.fraction, 6 / 8.9, 1e-15);
    assert_close(p.attainable_flop_per_s, 8.9e12, 1e-15);
    assert_close(p.headroom, (3 / 4.62) / (6 / 8.9), 1e-15);
    assert_true(p.perf_flop_per_s == 6e12 && p.flops == 6e12);
    /* The same when the longest comes after the second. */
    point->traffic[0].bytes = 4e12;
    p = placed(point);
    assert_string_equal(p.bound_name, "HBM");
    assert_string_equal(p.next_name, "L2");
    assert_close(p.headroom, (6 / 8.9) / (4 / 4.62), 1e-15);
}

/* FP64 takes 20/16.7 of a second, FP32 40/65.2: FP64 first, though it has fewer operations. */
static void units_longest_first(void **state)
{
    struct rfl_point *point = start(PLANTED_H200, 2);
    work(point, "fp32", "core", 40e12, 1);
    work(point, "fp64", "core", 20e12, 0);
    struct rfl_placement p = placed(point);
    assert_string_equal(p.placed[p.n_levels].work->type, "fp64");
    assert_true(p.bound == RFL_BOUND_UNIT && p.bound_index == p.n_levels);
    assert_string_equal(p.bound_name, "FP64 no FMA");
    assert_string_equal(p.next_name, "FP32 FMA");
    assert_close(p.fraction, 20 / 16.65 / 2, 1e-15);
    assert_close(p.attainable_flop_per_s, 60e12 / (20 / 16.65), 1e-15);
}

static void issue_bounds(void **state)
{
    struct rfl_point *point = start(PLANTED_H200, 1);
    roofs.instructions_per_s = 1e12;
    point->instructions = 0.9e12;
    bytes(point, "HBM", 1e12);
    struct rfl_placement p = placed(point);
    assert_true(p.bound == RFL_BOUND_ISSUE);
    assert_string_equal(p.bound_name, "issue");
    assert_close(p.fraction, 0.9, 1e-15);
    assert_true(p.attainable_flop_per_s == 0 && p.placed[0].intensity_flop_per_byte == 0);
    point = start(PLANTED_XEON, 1);
    roofs.instructions_per_s = 6 * roofs.clock_hz;
    point->instructions = 1.5 * roofs.clock_hz;
    loads(point, "DRAM", 1e9);
    p = placed(point);
    assert_string_equal(p.bound_name, "issue");
    assert_contains(p.advice, "1.5 instructions per cycle, fewer than the core can issue");
    point->instructions *= 3.8;
    p = placed(point);
    assert_contains(p.advice, "only fewer instructions help");
    point->format = "valgrind";
    point->threads = 2; /* which may have spun */
    p = placed(point);
    assert_string_equal(p.bound_name, "DRAM");
}

static void unit_names(void **state)
{
    static const struct {
        struct rfl_work work;
        const char *name;
    } rows[] = {
        {{"fp64", "core", 1, 0.58, ""}, "FP64 FMA 58 %"},
        {{"fp64", "core", 1, 1, ""},    "FP64 FMA"     },
        {{"fp32", "", 1, 0, ""},        "FP32 no FMA"  },
        {{"int32", "", 1, NAN, ""},     "INT32"        },
        {{"fp16", "tensor", 1, 1, ""},  "FP16 tensor"  },
        {{"bf16", "amx", 1, NAN, ""},   "BF16 amx"     },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rfl_point *point = start(PLANTED_H200, 0);
        const struct rfl_work *row = &rows[i].work;
        rfl_points_work(point, row->type, row->unit, row->flops, row->fma_share, "");
        struct rfl_placement p = placed(point);
        assert_string_equal(p.placed[p.n_levels].name, rows[i].name);
        rfl_points_free(&points);
    }
}

static void what_is_not_known_is_zero(void **state)
{
    struct rfl_point *point = start(PLANTED_H200, 0);
    bytes(point, "L5", 1e12);
    work(point, "fp8", "tensor", 1e12, NAN);
    struct rfl_placement p = placed(point);
    assert_true(p.bound == RFL_BOUND_NONE && p.fraction == 0 && p.headroom == 0);
    assert_true(p.attainable_flop_per_s == 0 && p.perf_flop_per_s == 0);
    assert_true(p.n_levels == 1 && !p.placed[0].rate && p.placed[0].alone_s == 0);
    assert_true(p.placed[0].intensity_flop_per_byte == 1);
    assert_true(p.n_units == 1 && !p.placed[p.n_levels].rate &&
                p.placed[p.n_levels].fraction == 0);
    assert_true(!*p.bound_name && !*p.next_name);
    /* One roof known: no next one. */
    bytes(point, "L2", 1e12);
    p = placed(point);
    assert_true(p.bound == RFL_BOUND_LEVEL && p.headroom == 0 && !*p.next_name);
    assert_close(p.attainable_flop_per_s, 8.9e12, 1e-15);
}

/* As many as fit: none is lost. */
static void full(void **state)
{
    static const char *const levels[RFL_MAX_TRAFFIC] = {
        "DRAM", "x1", "L3", "x2", "shared", "x3", "x4", "x5", "x6", "x7", "x8", "x9"};
    static const char *const sorted[RFL_MAX_TRAFFIC] = {
        "shared", "L3", "DRAM", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9"};
    struct rfl_point *point = start(PLANTED_H200, 1);
    for (size_t i = 0; i < RFL_MAX_TRAFFIC; i++)
        bytes(point, levels[i], 1 + (double)i);
    for (int i = 0; i < RFL_MAX_WORK; i++) {
        char type[8];
        snprintf(type, sizeof type, "t%d", i);
        work(point, type, "", 1, NAN);
    }
    struct rfl_placement p = placed(point);
    assert_true(p.n_levels == RFL_MAX_TRAFFIC && p.n_units == RFL_MAX_WORK);
    for (size_t i = 0; i < RFL_MAX_TRAFFIC; i++)
        assert_string_equal(p.placed[i].traffic->level, sorted[i]);
}

static enum ert_status open_for(const struct ert_ceilings *ceilings, const char *format,
                                const char *device, struct rfl_placer *placer,
                                struct ert_error *error)
{
    const struct rfl_placer_options options = {.device = device};
    points.points[0].format = format;
    return rfl_placer_open(ceilings, &points, &options, placer, error);
}

static void device_of_the_profile(void **state)
{
    struct ert_ceilings both = planted_make(PLANTED_BOTH);
    struct rfl_placer placer;
    struct ert_error error = {ERT_OK, ""};
    start(PLANTED_H200, 1);
    assert_int_equal(open_for(&both, "ncu", NULL, &placer, &error), ERT_OK);
    assert_string_equal(placer.roofs->device, "gpu0");
    rfl_placer_close(&placer);
    assert_int_equal(open_for(&both, "likwid-csv", NULL, &placer, &error), ERT_OK);
    assert_string_equal(placer.roofs->device, "cpu");
    rfl_placer_close(&placer);
    assert_int_equal(open_for(&both, "hand", NULL, &placer, &error), ERT_USAGE);
    assert_contains(error.text, "--device; there are: gpu0, cpu");
    assert_int_equal(open_for(&both, "hand", "gpu9", &placer, &error), ERT_USAGE);
    assert_contains(error.text, "gpu9");
    rfl_placer_close(&placer);
    rfl_placer_close(NULL);
    ert_ceilings_free(&both);
}

/* A profile of a GPU is not placed under a CPU's roofs, nor the other way, unless forced. */
static void counts_of_another_kind(void **state)
{
    static const struct {
        enum planted machine;
        const char *format, *device;
        enum ert_status status;
    } rows[] = {
        {PLANTED_XEON, "ncu",    NULL,   ERT_USAGE},
        {PLANTED_XEON, "nvprof", NULL,   ERT_USAGE},
        {PLANTED_H200, "likwid", NULL,   ERT_USAGE},
        {PLANTED_H200, "perf",   NULL,   ERT_USAGE},
        {PLANTED_BOTH, "ncu",    "cpu",  ERT_USAGE},
        {PLANTED_BOTH, "perf",   "gpu0", ERT_USAGE},
        {PLANTED_BOTH, "perf",   "cpu",  ERT_OK   },
        {PLANTED_XEON, "points", NULL,   ERT_OK   },
        {PLANTED_H200, "hand",   NULL,   ERT_OK   },
    };
    start(PLANTED_H200, 1);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ert_ceilings ceilings = planted_make(rows[i].machine);
        struct rfl_placer_options forced = {.device = rows[i].device, .force = true};
        struct rfl_placer placer;
        struct ert_error error = {ERT_OK, ""};
        assert_int_equal(
            open_for(&ceilings, rows[i].format, rows[i].device, &placer, &error),
            rows[i].status);
        if (rows[i].status == ERT_USAGE)
            assert_contains(error.text, "--force");
        rfl_placer_close(&placer);
        assert_int_equal(rfl_placer_open(&ceilings, &points, &forced, &placer, &error),
                         ERT_OK);
        assert_true(!*placer.mismatch == (rows[i].status == ERT_OK));
        rfl_placer_close(&placer);
        ert_ceilings_free(&ceilings);
    }
}

/*
 * H200: HBM load 4.62, copy 4.28 TB/s. All read: of the loads; half: of the copy; a quarter written:
 * half way by times; unknown: anything between.
 */
static void roof_of_reads_and_writes(void **state)
{
    static const struct {
        double read, roof, low;
        const char *name;
    } rows[] = {
        {4e12, 4.62e12,                      4.62e12,                      "load"        },
        {2e12, 4.28e12,                      4.28e12,                      "copy"        },
        {3e12, 2e12 / (1 / 4.62 + 1 / 4.28), 2e12 / (1 / 4.62 + 1 / 4.28), "75 % reads"  },
        {NAN,  4.62e12,                      4.28e12,                      "copy .. load"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rfl_point *point = start(PLANTED_H200, 1);
        accesses(point, "HBM", 4e12, rows[i].read, true);
        struct rfl_placement p = placed(point);
        assert_close(p.placed[0].value, rows[i].roof, 1e-15);
        assert_close(p.placed[0].alone_s, 4e12 / rows[i].roof, 1e-15);
        assert_close(p.fraction, 4e12 / rows[i].roof, 1e-15);
        /* the planted roofs' own intervals: 0.5 % up, 1 % down */
        assert_close(p.least, 4e12 / rows[i].roof / 1.005, 1e-14);
        assert_close(p.most, 4e12 / rows[i].low / 0.99, 1e-14);
        point->time_low_s = 0.8;
        point->time_high_s = 1.25;
        p = placed(point);
        assert_close(p.fraction, 4e12 / rows[i].roof, 1e-15);
        assert_close(p.least, 4e12 / rows[i].roof / 1.005 / 1.25, 1e-14);
        /* ends at the roof, which no code is above */
        assert_close(p.placed[0].most, fmin(1, 4e12 / rows[i].low / 0.99 / 0.8), 1e-14);
        assert_string_equal(p.placed[0].reach.name, rows[i].name);
        rfl_points_free(&points);
    }
}

/* Sums of launches: a level of which one launch's reads are unknown has unknown reads. */
static void reads_add_up(void **state)
{
    struct rfl_point *point = start(PLANTED_H200, 1);
    accesses(point, "HBM", 4e12, 3e12, true);
    accesses(point, "HBM", 4e12, 1e12, true);
    assert_true(rfl_traffic_read_share(&point->traffic[0]) == 0.5);
    bytes(point, "HBM", 1e12);
    assert_true(isnan(rfl_traffic_read_share(&point->traffic[0])));
    assert_int_equal(rfl_points_accesses(point, "L2", 2, 2.1, true, ""), ERT_USAGE);
    assert_contains(points.error.text, "2.1 of 2 were read");
    assert_int_equal(rfl_points_accesses(point, "L2", 2, -1, true, ""), ERT_USAGE);
}

/*
 * Of three different registers 22 of 33.3 TFLOP/s: of half FMA 33.3 x 0.75 / (0.5 x 33.3/22 + 0.5). The
 * row and the sentence come from half of that on.
 */
static void operands(void **state)
{
    const double mixed = 33.3e12 * 0.75 / (0.5 * 33.3 / 22 + 0.5);
    for (int near = 0; near < 2; near++) {
        struct rfl_point *point = start(PLANTED_H200, 1);
        struct rfl_peak *peak = &roofs.peaks[roofs.n_peaks++];
        *peak = roofs.peaks[0];
        snprintf(peak->op, sizeof peak->op, "fma-3reg");
        peak->rate.value = peak->rate.measured = 22e12;
        work(point, "fp64", "core", mixed * (near ? 0.5001 : 0.4999), 0.5);
        work(point, "fp32", "core", 1e9, 0.5);
        struct rfl_placement p = placed(point);
        assert_close(p.placed[p.n_levels].operand_peak_flop_per_s, mixed, 1e-14);
        assert_true(p.placed[p.n_levels + 1].operand_peak_flop_per_s == 0);
        assert_int_equal(p.placed[p.n_levels].is_near_operands, near);
        assert_true(!strstr(p.advice, "three different registers") == !near);
        assert_close(rfl_roofs_operand_peak(&roofs, "fp64", "core", 1), 22e12, 1e-15);
        assert_close(rfl_roofs_operand_peak(&roofs, "fp64", "core", NAN), 22e12, 1e-15);
        assert_true(rfl_roofs_operand_peak(&roofs, "fp64", "core", 0) == 0 &&
                    rfl_roofs_operand_peak(&roofs, "fp64", "tensor", 1) == 0);
        rfl_points_free(&points);
    }
}

static void counts_of_another_gpu(void **state)
{
    struct ert_ceilings h200 = planted_make(PLANTED_H200);
    struct rfl_placer placer;
    struct ert_error error = {ERT_OK, ""};
    static const struct {
        const char *origin, *words;
    } rows[] = {
        {"Nsight Compute, cc 8.9", "cc 8.9, the ceilings from one of cc 9.0"},
        {"Nsight Compute, cc 9.0", ""                                       },
        {"Nsight Compute",         ""                                       },
        {"cc x",                   ""                                       },
        {NULL,                     ""                                       }
    };
    start(PLANTED_H200, 1);
    h200.machine->devices[0].gpu.cc_major = 9;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        points.origin = rows[i].origin;
        assert_int_equal(open_for(&h200, "ncu", NULL, &placer, &error), ERT_OK);
        assert_contains(placer.mismatch, rows[i].words);
        assert_true(!*placer.mismatch == !*rows[i].words);
        rfl_placer_close(&placer);
    }
    ert_ceilings_free(&h200);
}

/* The roofs follow each point's own conditions, unless the options say otherwise. */
static void conditions_of_each_point(void **state)
{
    struct ert_ceilings h200 = planted_make(PLANTED_H200);
    struct rfl_placer placer;
    struct rfl_placement p;
    struct ert_error error = {ERT_OK, ""};
    struct rfl_placer_options options = {.device = NULL};
    struct rfl_point *point = start(PLANTED_H200, 1);
    work(point, "fp64", "core", 1e12, 1);
    assert_int_equal(rfl_placer_open(&h200, &points, &options, &placer, &error), ERT_OK);
    point->clock_hz = 0.99e9;
    rfl_placer_place(&placer, point, &p);
    assert_close(p.placed[p.n_levels].value, 16.65e12, 1e-15);
    point->clock_hz = 0;
    rfl_placer_place(&placer, point, &p);
    assert_close(p.placed[p.n_levels].value, 33.3e12, 1e-15);
    point->clock_hz = 0.99e9;
    placer.options.clock_hz = RFL_OF_SWEEP;
    rfl_placer_place(&placer, point, &p);
    assert_close(p.placed[p.n_levels].value, 33.3e12, 1e-15);
    placer.options.clock_hz = 3.96e9;
    rfl_placer_place(&placer, point, &p);
    assert_close(p.placed[p.n_levels].value, 66.6e12, 1e-15);
    rfl_placer_close(&placer);
    ert_ceilings_free(&h200);
}

/* 130 % of HBM's roof, counted from empty caches: the bytes may have come from L2. */
static void counted_from_empty_caches(void **state)
{
    struct rfl_point *point = start(PLANTED_H200, 1);
    loads(point, "HBM", 6e12);
    struct rfl_placement p = placed(point);
    assert_contains(p.advice, "impossible");
    rfl_points_value(point, "emptied_caches", 0.7);
    p = placed(point);
    assert_true(p.least == 0 && p.most > 1.3);
    assert_contains(p.advice, "HBM-bound at 0 to 131 %");
}

/* Bytes that an operator needs, of which the L2 may hold what the one before it wrote. */
static void held_by_the_last_cache(void **state)
{
    struct rfl_point *point = start(PLANTED_H200, 1);
    const double cache = (double)roofs.last_cache.size_bytes * roofs.last_cache.count;
    bytes(point, "HBM", 3e12);
    const struct rfl_placement without = placed(point);
    rfl_points_value(point, "bytes_at_once", 4 * cache);
    struct rfl_placement p = placed(point);
    assert_close(p.least, without.least * 0.75, 1e-15);
    assert_close(p.most, without.most, 0);
    point->values[0].value = cache / 2; /* all of it; no faster than the L2 */
    p = placed(point);
    assert_close(p.least, 3 / 8.9, 1e-15);
    /* Its most is above the HBM's roof, its least is not: the HBM may still bound it. */
    point->traffic[0].bytes = 4.7e12;
    point->time_high_s = 1.1;
    assert_string_equal(placed(point).bound_name, "HBM");
    /* More than the HBM gives in any case: the L2 held some, and bounds it. */
    point->traffic[0].bytes = 6e12;
    bytes(point, "L2", 6e12);
    p = placed(point);
    assert_string_equal(p.bound_name, "L2");
    assert_close(p.fraction, 6 / 8.9, 1e-15);
    assert_true(strstr(p.advice, "impossible") == NULL);
    assert_true(strstr(p.advice, "reuse") == NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(bound_by_the_longest, unload),
        cmocka_unit_test_teardown(units_longest_first, unload),
        cmocka_unit_test_teardown(issue_bounds, unload),
        cmocka_unit_test(unit_names),
        cmocka_unit_test_teardown(what_is_not_known_is_zero, unload),
        cmocka_unit_test_teardown(full, unload),
        cmocka_unit_test_teardown(device_of_the_profile, unload),
        cmocka_unit_test_teardown(counts_of_another_kind, unload),
        cmocka_unit_test_teardown(roof_of_reads_and_writes, unload),
        cmocka_unit_test_teardown(reads_add_up, unload),
        cmocka_unit_test_teardown(operands, unload),
        cmocka_unit_test_teardown(counts_of_another_gpu, unload),
        cmocka_unit_test_teardown(conditions_of_each_point, unload),
        cmocka_unit_test_teardown(counted_from_empty_caches, unload),
        cmocka_unit_test_teardown(held_by_the_last_cache, unload),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
