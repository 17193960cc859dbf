/* place: intensities, times alone, the bound and what comes after it, by hand. */
#include "tests/unit/placed_fixture.h"

#include "analysis/placer.h"

/* H200: L1 33.3, L2 8.9, HBM 4.62 TB/s; FP64 33.3 TFLOP/s. In 1 s: HBM 3/4.62, L2 6/8.9. */
static void bound_by_the_longest(void **state)
{
    (void)state;
    struct rfl_point *point = start(PLANTED_H200, 1);
    bytes(point, "HBM", 3e12);
    bytes(point, "L1", 12e12);
    bytes(point, "L2", 6e12);
    work(point, "fp64", "core", 6e12, 0.5);
    struct rfl_placement p = placed(point);
    assert_true(p.n_levels == 3 && p.n_units == 1);
    assert_string_equal(p.levels[0].traffic->level, "L1");
    assert_string_equal(p.levels[1].traffic->level, "L2");
    assert_string_equal(p.levels[2].traffic->level, "HBM");
    assert_true(p.levels[0].intensity_flop_per_byte == 0.5 &&
                p.levels[1].intensity_flop_per_byte == 1 &&
                p.levels[2].intensity_flop_per_byte == 2);
    assert_close(p.levels[1].alone_s, 6 / 8.9, 1e-15);
    assert_close(p.levels[2].fraction, 3 / 4.62, 1e-15);
    assert_true(p.levels[2].rate_bytes_per_s == 3e12);
    assert_close(p.levels[2].attainable_flop_per_s, 2 * 4.62e12, 1e-15);
    assert_close(p.units[0].peak_flop_per_s, 33.3e12 * 0.75, 1e-15);
    assert_close(p.units[0].fraction, 6 / (33.3 * 0.75), 1e-15);
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
    (void)state;
    struct rfl_point *point = start(PLANTED_H200, 2);
    work(point, "fp32", "core", 40e12, 1);
    work(point, "fp64", "core", 20e12, 0);
    struct rfl_placement p = placed(point);
    assert_string_equal(p.units[0].work->type, "fp64");
    assert_true(p.bound == RFL_BOUND_UNIT && p.bound_index == 0);
    assert_string_equal(p.bound_name, "FP64 no FMA");
    assert_string_equal(p.next_name, "FP32 FMA");
    assert_close(p.fraction, 20 / 16.65 / 2, 1e-15);
    assert_close(p.attainable_flop_per_s, 60e12 / (20 / 16.65), 1e-15);
}

static void issue_bounds(void **state)
{
    (void)state;
    struct rfl_point *point = start(PLANTED_H200, 1);
    roofs.instructions_per_s = 1e12;
    point->instructions = 0.9e12;
    bytes(point, "HBM", 1e12);
    struct rfl_placement p = placed(point);
    assert_true(p.bound == RFL_BOUND_ISSUE);
    assert_string_equal(p.bound_name, "issue");
    assert_close(p.fraction, 0.9, 1e-15);
    assert_true(p.attainable_flop_per_s == 0 && p.levels[0].intensity_flop_per_byte == 0);
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
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rfl_placed_unit unit = {.work = &rows[i].work};
        char name[48];
        rfl_unit_name(&unit, name, sizeof name);
        assert_string_equal(name, rows[i].name);
    }
}

static void what_is_not_known_is_zero(void **state)
{
    (void)state;
    struct rfl_point *point = start(PLANTED_H200, 0);
    bytes(point, "L5", 1e12);
    work(point, "fp8", "tensor", 1e12, NAN);
    struct rfl_placement p = placed(point);
    assert_true(p.bound == RFL_BOUND_NONE && p.fraction == 0 && p.headroom == 0);
    assert_true(p.attainable_flop_per_s == 0 && p.perf_flop_per_s == 0);
    assert_true(p.n_levels == 1 && !p.levels[0].roof && p.levels[0].alone_s == 0);
    assert_true(p.levels[0].intensity_flop_per_byte == 1);
    assert_true(p.n_units == 1 && !p.units[0].roof && p.units[0].fraction == 0);
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
    static const char *const levels[] = {"DRAM",   "x1", "L3", "x2",
                                         "shared", "x3", "x4", "x5"};
    static const char *const sorted[] = {"shared", "L3", "DRAM", "x1",
                                         "x2",     "x3", "x4",   "x5"};
    (void)state;
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
        assert_string_equal(p.levels[i].traffic->level, sorted[i]);
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
    (void)state;
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
    assert_int_equal(open_for(&both, "ncu", "cpu", &placer, &error), ERT_OK);
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

static void counts_of_another_gpu(void **state)
{
    (void)state;
    struct ert_ceilings h200 = planted_make(PLANTED_H200);
    struct rfl_placer placer;
    struct ert_error error = {ERT_OK, ""};
    static const struct {
        const char *origin, *words;
    } rows[] = {
        {"Nsight Compute, cc 8.9", "cc 8.9, the ceilings of one of cc 9.0"},
        {"Nsight Compute, cc 9.0", ""                                     },
        {"Nsight Compute",         ""                                     },
        {"cc x",                   ""                                     },
        {NULL,                     ""                                     }
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
    (void)state;
    struct ert_ceilings h200 = planted_make(PLANTED_H200);
    struct rfl_placer placer;
    struct rfl_placement p;
    struct ert_error error = {ERT_OK, ""};
    struct rfl_placer_options options = {.device = NULL};
    struct rfl_point *point = start(PLANTED_H200, 1);
    work(point, "fp64", "core", 1e12, 1);
    assert_int_equal(rfl_placer_open(&h200, &points, &options, &placer, &error), ERT_OK);
    point->clock_hz = 0.99e9;
    assert_int_equal(rfl_placer_place(&placer, point, &p, &error), ERT_OK);
    assert_close(p.units[0].peak_flop_per_s, 16.65e12, 1e-15);
    point->clock_hz = 0;
    assert_int_equal(rfl_placer_place(&placer, point, &p, &error), ERT_OK);
    assert_close(p.units[0].peak_flop_per_s, 33.3e12, 1e-15);
    point->clock_hz = 0.99e9;
    placer.options.clock_hz = RFL_OF_SWEEP;
    assert_int_equal(rfl_placer_place(&placer, point, &p, &error), ERT_OK);
    assert_close(p.units[0].peak_flop_per_s, 33.3e12, 1e-15);
    placer.options.clock_hz = 3.96e9;
    assert_int_equal(rfl_placer_place(&placer, point, &p, &error), ERT_OK);
    assert_close(p.units[0].peak_flop_per_s, 66.6e12, 1e-15);
    rfl_placer_close(&placer);
    ert_ceilings_free(&h200);
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
        cmocka_unit_test_teardown(counts_of_another_gpu, unload),
        cmocka_unit_test_teardown(conditions_of_each_point, unload),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
