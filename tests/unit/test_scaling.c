/* SPDX-License-Identifier: BSD-3-Clause */
/* scaling: speed-up and efficiency by hand, intensities that move, and studies that are none. */
#include "tests/unit/test.h"

#include "analysis/ext/compare/scaling.h"

static struct rfl_point *add(struct rfl_points *points, const char *name, double scale,
                             double time_s, double flops, double l3_bytes,
                             double dram_bytes)
{
    struct rfl_point *point = rfl_points_add(points, name);
    point->scale = scale;
    point->time_s = time_s;
    assert_int_equal(rfl_points_work(point, "fp64", "", flops, NAN, NULL), ERT_OK);
    if (l3_bytes > 0)
        assert_int_equal(rfl_points_traffic(point, "L3", l3_bytes, NULL), ERT_OK);
    if (dram_bytes > 0)
        assert_int_equal(rfl_points_traffic(point, "DRAM", dram_bytes, NULL), ERT_OK);
    return point;
}

/* 1, 2 and 8 threads, given in another order: 16 s, 8 s, 4 s; DRAM traffic doubles at 8. */
static void strong_scaling_by_hand(void **state)
{
    (void)state;
    struct ert_error error = {0};
    struct rfl_scaling scaling = {0};
    struct rfl_points points = {0};
    add(&points, "spmv", 8, 4, 32e9, 9e9, 16e9);
    add(&points, "spmv", 1, 16, 32e9, 9e9, 8e9);
    add(&points, "spmv", 2, 8, 32e9, 9e9, 8e9);
    assert_int_equal(rfl_scaling_make(&points, false, &scaling, &error), ERT_OK);
    assert_int_equal(scaling.n_trajectories, 1);
    assert_int_equal(scaling.n_levels, 2);
    assert_string_equal(scaling.levels[1], "DRAM");
    const struct rfl_scaled *scaled = scaling.scaled;
    assert_close(scaled[0].scale, 1, 0);
    assert_close(scaled[0].efficiency, 1, 0);
    assert_close(scaled[1].speedup, 2, 1e-15);
    assert_close(scaled[1].efficiency, 1, 1e-15);
    assert_close(scaled[2].speedup, 4, 1e-15);
    assert_close(scaled[2].efficiency, 0.5, 1e-15);
    assert_close(scaled[2].perf_flop_per_s, 8e9, 1e-15);
    assert_close(scaled[0].intensity_flop_per_byte[1], 4, 1e-15);
    assert_close(scaled[2].intensity_flop_per_byte[1], 2, 1e-15);
    assert_close(scaled[2].growth[0], 1, 1e-15);
    assert_close(scaled[2].growth[1], 2, 1e-15);
    const struct rfl_trajectory *trajectory = scaling.trajectories;
    assert_int_equal(trajectory->grows, 1);
    assert_contains(trajectory->text, "50.0 % efficient at 8 against 1; DRAM traffic per "
                                      "operation grows most, 2.00 times");
    assert_null(strstr(trajectory->text, "operations grow"));
    rfl_scaling_free(&scaling);
    rfl_points_free(&points);
}

/* Four times the work on four nodes in 10 % more time, the bytes growing with the work. */
static void weak_scaling_by_hand(void **state)
{
    (void)state;
    struct ert_error error = {0};
    struct rfl_scaling scaling = {0};
    struct rfl_points points = {0};
    add(&points, "stencil", 1, 1, 1e9, 0, 1e9);
    add(&points, "stencil", 4, 1.25, 4e9, 0, 4e9);
    assert_int_equal(rfl_scaling_make(&points, true, &scaling, &error), ERT_OK);
    assert_close(scaling.scaled[1].efficiency, 0.8, 1e-15);
    assert_close(scaling.scaled[1].speedup, 3.2, 1e-15);
    assert_close(scaling.scaled[1].growth[0], 1, 1e-15);
    assert_int_equal(scaling.trajectories[0].grows, SIZE_MAX);
    assert_contains(scaling.trajectories[0].text,
                    "80.0 % efficient at 4 against 1; no traffic grows");
    rfl_scaling_free(&scaling);
    /* taken for strong scaling, the work gives it away */
    assert_int_equal(rfl_scaling_make(&points, false, &scaling, &error), ERT_OK);
    assert_close(scaling.scaled[1].efficiency, 0.2, 1e-15);
    assert_contains(scaling.trajectories[0].text, "operations grow 4.00 times");
    rfl_scaling_free(&scaling);
    rfl_points_free(&points);
}

static void kernels_are_kept_apart(void **state)
{
    (void)state;
    struct ert_error error = {0};
    struct rfl_scaling scaling = {0};
    struct rfl_points points = {0};
    /* runs differ: still one trajectory, the first of the file though its least scale is the last */
    add(&points, "z", 2, 2, 1e9, 0, 1e9)->run = "t2";
    add(&points, "a", 1, 4, 1e9, 0, 0)->run =
        "gcc"; /* the same scales twice: two of them */
    add(&points, "a", 2, 2, 1e9, 0, 0)->run = "gcc";
    add(&points, "a", 1, 8, 1e9, 0, 0)->run = "clang";
    add(&points, "a", 2, 0, 1e9, 0, 0)->run = "clang";
    add(&points, "z", 1, 4, 1e9, 0, 1e9)->run = "t1";
    add(&points, "no scale", 0, 2, 1e9, 0, 0);
    add(&points, "alone", 0, 2, 1e9, 0, 0)->threads = 4;
    assert_int_equal(rfl_scaling_make(&points, false, &scaling, &error), ERT_OK);
    assert_int_equal(scaling.n_trajectories, 4);
    assert_int_equal(scaling.n_scaled, 7);
    assert_int_equal(scaling.n_skipped, 1);
    static const char *const names[] = {"z", "a [gcc]", "a [clang]", "alone"};
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(scaling.trajectories[i].name, names[i]);
    assert_contains(scaling.trajectories[0].text, "100.0 % efficient at 2 against 1");
    assert_contains(scaling.trajectories[2].text, "no time at 2 or 1");
    assert_contains(scaling.trajectories[3].text, "only one scale (4)");
    rfl_scaling_free(&scaling);
    rfl_points_free(&points);
}

/* Without operations the bytes themselves tell, in strong scaling only. */
static void bytes_alone(void **state)
{
    (void)state;
    struct ert_error error = {0};
    struct rfl_scaling scaling = {0};
    struct rfl_points points = {0};
    add(&points, "copy", 1, 1, 0, 0, 1e9);
    add(&points, "copy", 2, 1, 0, 0, 3e9);
    assert_int_equal(rfl_scaling_make(&points, false, &scaling, &error), ERT_OK);
    assert_close(scaling.scaled[1].growth[0], 3, 1e-15);
    assert_true(scaling.scaled[1].intensity_flop_per_byte[0] == 0);
    rfl_scaling_free(&scaling);
    assert_int_equal(rfl_scaling_make(&points, true, &scaling, &error), ERT_OK);
    assert_true(scaling.scaled[1].growth[0] == 0);
    rfl_scaling_free(&scaling);
    rfl_points_free(&points);
}

static void studies_that_are_none(void **state)
{
    (void)state;
    struct ert_error error = {0};
    struct rfl_scaling scaling = {0};
    struct rfl_points points = {0};
    assert_int_equal(rfl_scaling_make(&points, false, &scaling, &error), ERT_USAGE);
    add(&points, "v0", 0, 1, 1e9, 0, 0);
    assert_int_equal(rfl_scaling_make(&points, false, &scaling, &error), ERT_USAGE);
    assert_contains(error.text, "none of 1 points");
    add(&points, "v1", 3, 1, 1e9, 0, 0);
    add(&points, "v1", 3, 1, 1e9, 0, 0);
    assert_int_equal(rfl_scaling_make(&points, false, &scaling, &error), ERT_USAGE);
    assert_contains(error.text, "'v1' appears twice at the scale 3");
    rfl_points_free(&points);
    for (int i = 0; i <= RFL_MAX_TRAFFIC; i++) {
        char level[8];
        snprintf(level, sizeof level, "x%d", i);
        struct rfl_point *point = add(&points, "v0", 1 + i, 1, 1e9, 0, 0);
        assert_int_equal(rfl_points_traffic(point, level, 1, NULL), ERT_OK);
    }
    assert_int_equal(rfl_scaling_make(&points, false, &scaling, &error), ERT_USAGE);
    assert_contains(error.text, "levels in all: x12");
    rfl_points_free(&points);
    /* Runs tell a name's points apart, however long the name is. */
    char name[1001];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    add(&points, name, 1, 1, 1e9, 0, 0)->run = "gcc";
    add(&points, name, 1, 1, 1e9, 0, 0)->run = "clang";
    name[999] = 'm';
    add(&points, name, 1, 1, 1e9, 0, 0)->run = "gcc";
    add(&points, name, 1, 1, 1e9, 0, 0)->run = "clang";
    assert_int_equal(rfl_scaling_make(&points, false, &scaling, &error), ERT_OK);
    assert_int_equal(scaling.n_trajectories, 4);
    rfl_scaling_free(&scaling);
    rfl_points_free(&points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strong_scaling_by_hand), cmocka_unit_test(weak_scaling_by_hand),
        cmocka_unit_test(kernels_are_kept_apart), cmocka_unit_test(bytes_alone),
        cmocka_unit_test(studies_that_are_none),
    };
    return cmocka_run_group_tests_name("scaling", tests, NULL, NULL);
}
