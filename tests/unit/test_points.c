/* SPDX-License-Identifier: BSD-3-Clause */
/* points: sums, what is missing, and levels in the wrong order. */
#include "tests/unit/test.h"

#include "analysis/core/points/points.h"

static struct rfl_points points;
static struct rfl_point *point;

static int set_up(void **state)
{
    points = (struct rfl_points){0};
    point = rfl_points_add(&points, "k");
    return 0;
}

static int tear_down(void **state)
{
    rfl_points_free(&points);
    return 0;
}

/* 100 operations of 50 FMAs and 300 of additions alone: 50 of 350 instructions. */
static void operations_of_a_type_are_summed(void **state)
{
    assert_int_equal(rfl_points_work(point, "fp64", "core", 100, 1, "a"), ERT_OK);
    assert_int_equal(rfl_points_work(point, "fp64", "core", 300, 0, "b"), ERT_OK);
    assert_int_equal(rfl_points_work(point, "fp64", "tensor", 7, NAN, ""), ERT_OK);
    assert_int_equal(rfl_points_work(point, "fp32", "core", 0, 0, ""), ERT_OK);
    assert_int_equal(point->n_work, 2);
    assert_close(point->work[0].flops, 400, 0);
    assert_close(point->work[0].fma_share, 50.0 / 350, 1e-15);
    assert_string_equal(point->work[0].recipe, "a");
    assert_true(isnan(point->work[1].fma_share));
    assert_close(rfl_point_flops(point), 407, 0);
}

static void an_unknown_share_makes_the_sum_unknown(void **state)
{
    rfl_points_work(point, "fp64", "core", 100, 1, "");
    rfl_points_work(point, "fp64", "core", 100, NAN, "");
    assert_true(isnan(point->work[0].fma_share));
}

static void bytes_of_a_level_are_summed(void **state)
{
    for (int i = 0; i < 3; i++)
        assert_int_equal(rfl_points_traffic(point, "L2", 5, "lts"), ERT_OK);
    assert_close(rfl_point_traffic(point, "L2")->bytes, 15, 0);
    assert_null(rfl_point_traffic(point, "L1"));
    assert_int_equal(point->n_missing, 0);
}

/* 150 of FMA and others alike: 100 are 50 FMAs, the other 50 additions. */
static void instructions_count_an_fma_once(void **state)
{
    rfl_points_work(point, "fp64", "core", 150, 0.5, "");
    assert_close(rfl_point_instructions(point), 100, 1e-15);
    rfl_points_work(point, "fp32", "core", 7, NAN, "");
    assert_true(isnan(rfl_point_instructions(point)));
}

static void values_are_set_by_name(void **state)
{
    char name[16];
    assert_int_equal(rfl_points_value(point, "a", 1), ERT_OK);
    assert_int_equal(rfl_points_value(point, "b", NAN), ERT_OK);
    assert_int_equal(rfl_points_value(point, "a", -2), ERT_OK);
    assert_int_equal(point->n_values, 1);
    assert_close(rfl_point_value(point, "a"), -2, 0);
    assert_true(isnan(rfl_point_value(point, "b")));
    for (int i = 1; i < RFL_MAX_VALUES; i++) {
        snprintf(name, sizeof name, "v%d", i);
        assert_int_equal(rfl_points_value(point, name, i), ERT_OK);
    }
    assert_int_equal(rfl_points_value(point, "one too many", 1), ERT_USAGE);
    assert_contains(points.error.text, "k: more than 32 values");
    assert_int_equal(rfl_points_value(point, "a", 3), ERT_OK);
}

/* Of many launches that counted nothing one note; none when a later one counts. */
static void zero_bytes_are_missing_once(void **state)
{
    for (int i = 0; i < 20; i++)
        assert_int_equal(rfl_points_traffic(point, "L2", 0, "lts"), ERT_OK);
    assert_int_equal(point->n_traffic, 0);
    assert_int_equal(point->n_missing, 1);
    assert_string_equal(point->missing[0].what, "L2 bytes");
    assert_string_equal(point->missing[0].reason, "0 bytes were counted: lts");
    rfl_points_traffic(point, "L2", 64, "lts");
    assert_int_equal(point->n_missing, 0);
    rfl_points_traffic(point, "L2", 0, "lts");
    assert_int_equal(point->n_missing, 0);
}

static void bad_counts_are_refused(void **state)
{
    const double bad[] = {-1, NAN, INFINITY};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(rfl_points_work(point, "fp64", "core", bad[i], 0, ""), ERT_USAGE);
        assert_contains(points.error.text, "k: fp64: ");
        points.error = (struct ert_error){ERT_OK, ""};
        assert_int_equal(rfl_points_traffic(point, "L2", bad[i], ""), ERT_USAGE);
        assert_contains(points.error.text, "k: L2 bytes: ");
        points.error = (struct ert_error){ERT_OK, ""};
    }
    assert_int_equal(rfl_points_work(point, "fp64", "", 1, 1.01, ""), ERT_USAGE);
    assert_contains(points.error.text, "share 1.01");
}

static void the_first_error_stays(void **state)
{
    struct ert_error error = {ERT_OK, "before"};
    assert_int_equal(rfl_points_status(&points, &error), ERT_OK);
    assert_string_equal(error.text, "before");
    rfl_points_work(point, "fp64", "core", -1, 0, "");
    rfl_points_traffic(point, "L2", -2, "");
    rfl_points_traffic(point, "L2", 7, "");
    assert_int_equal(rfl_points_status(&points, NULL), ERT_USAGE);
    assert_int_equal(rfl_points_status(&points, &error), ERT_USAGE);
    assert_contains(error.text, "k: fp64: -1, must be");
    assert_int_equal(point->n_traffic, 1);
}

static void sums_do_not_overflow(void **state)
{
    assert_int_equal(rfl_points_work(point, "fp64", "", 1e308, 0, ""), ERT_OK);
    assert_int_equal(rfl_points_work(point, "fp64", "", 1e308, 0, ""), ERT_USAGE);
    assert_int_equal(rfl_points_traffic(point, "L2", 1e308, ""), ERT_OK);
    assert_int_equal(rfl_points_traffic(point, "L2", 1e308, ""), ERT_USAGE);
}

static void more_than_fits_is_said(void **state)
{
    char name[16];
    assert_in_range(sizeof *point, 1,
                    256); /* a million of them are 2.4 GB if lists are full */
    for (int i = 0; i <= RFL_MAX_TRAFFIC; i++) {
        snprintf(name, sizeof name, "x%d", i);
        enum ert_status wanted = i < RFL_MAX_TRAFFIC ? ERT_OK : ERT_USAGE;
        assert_int_equal(rfl_points_traffic(point, name, 1, ""), wanted);
    }
    for (int i = 0; i <= RFL_MAX_WORK; i++) {
        snprintf(name, sizeof name, "x%d", i);
        assert_int_equal(rfl_points_work(point, name, "", 1, 0, ""),
                         i < RFL_MAX_WORK ? ERT_OK : ERT_USAGE);
    }
    for (int i = 0; i < RFL_MAX_MISSING + 3; i++)
        rfl_points_missing(point, "x", "reason %d", i);
    assert_int_equal(point->n_missing, RFL_MAX_MISSING);
    assert_string_equal(point->missing[RFL_MAX_MISSING - 1].reason, "not all are listed");
    for (int i = 0; i < 2 * RFL_MAX_WARNINGS + 3; i++)
        rfl_points_warn(point, "warning %d", i / 2);
    assert_int_equal(point->n_warnings, RFL_MAX_WARNINGS);
    assert_string_equal(point->warnings[1], "warning 1");
}

static void the_wrong_order_is_explained(void **state)
{
    if (!rfl_points_judge_order)
        return; /* a build without extensions */
    rfl_points_traffic(point, "HBM", 300, "dram");
    rfl_points_traffic(point, "L1", 100, "l1tex");
    rfl_points_traffic(point, "shared", 1, "");
    rfl_points_judge(&points, 0);
    assert_int_equal(point->n_warnings, 1);
    assert_contains(point->warnings[0], "HBM moved 3 times the bytes of L1");
    assert_contains(point->warnings[0], "(dram; l1tex)");
    rfl_points_judge(&points, 0);
    assert_int_equal(point->n_warnings, 1);
    assert_int_equal(point->n_missing, 2); /* time and operations, once */
}

/* Bytes that TMA moves pass by L1 from cc 9.0 on; before, there was none. */
static void tma_is_named(void **state)
{
    if (!rfl_points_judge_order)
        return; /* a build without extensions */
    points.origin = "Nsight Compute, NVIDIA A100, cc 8.0";
    rfl_points_traffic(point, "L1", 100, "l1tex");
    rfl_points_traffic(point, "L2", 1e6, "lts");
    rfl_points_judge(&points, 0);
    assert_contains(point->warnings[0], "lines read for parts of them");
    points.origin = "Nsight Compute, NVIDIA H200, cc 9.0";
    rfl_points_judge(&points, 0);
    assert_contains(point->warnings[1],
                    "L2 moved 1e+04 times the bytes of L1: most likely");
    assert_contains(point->warnings[1], "TMA");
    assert_true(rfl_traffic_is_passed_by(point, &point->traffic[0]));
    assert_false(rfl_traffic_is_passed_by(point, &point->traffic[1]));
    point->traffic[0].bytes = 2e5; /* partial sectors can make as much */
    assert_false(rfl_traffic_is_passed_by(point, &point->traffic[0]));
    rfl_points_judge(&points, 0);
    assert_contains(point->warnings[2], "lines read for parts of them");
}

/* 2 % more is within the counters' accuracy; a level between is compared first. */
static void the_right_order_is_silent(void **state)
{
    rfl_points_traffic(point, "L1", 100, "");
    rfl_points_traffic(point, "L2", 101.9, "");
    rfl_points_traffic(point, "DRAM", 50, "");
    rfl_points_judge(&points, 0);
    assert_int_equal(point->n_warnings, 0);
}

static void nothing_known_is_said(void **state)
{
    rfl_points_judge(&points, 0);
    assert_int_equal(point->n_missing, 3);
    assert_string_equal(point->missing[0].what, "time");
    assert_string_equal(point->missing[1].what, "operations");
    assert_string_equal(point->missing[2].what, "bytes");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(operations_of_a_type_are_summed),
        TEST(an_unknown_share_makes_the_sum_unknown),
        TEST(instructions_count_an_fma_once),
        TEST(values_are_set_by_name),
        TEST(bytes_of_a_level_are_summed),
        TEST(zero_bytes_are_missing_once),
        TEST(bad_counts_are_refused),
        TEST(the_first_error_stays),
        TEST(sums_do_not_overflow),
        TEST(more_than_fits_is_said),
        TEST(the_wrong_order_is_explained),
        TEST(tma_is_named),
        TEST(the_right_order_is_silent),
        TEST(nothing_known_is_said),
    };
    return cmocka_run_group_tests_name("points", tests, NULL, NULL);
}
