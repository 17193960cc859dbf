/* SPDX-License-Identifier: BSD-3-Clause */
/* compare: profiles against profiles. */
#include "tests/unit/compare_fixture.h"

static void add_point(struct rfl_points *points, const char *name, const char *run,
                      double time_s, double flops, double hbm_bytes)
{
    struct rfl_point *point = rfl_points_add(points, name);
    point->run = rfl_points_text(points, run);
    point->time_s = time_s;
    assert_int_equal(rfl_points_work(point, "fp64", "core", flops, NAN, NULL), ERT_OK);
    if (hbm_bytes > 0)
        assert_int_equal(rfl_points_traffic(point, "HBM", hbm_bytes, NULL), ERT_OK);
}

static void points_match_by_name_and_run(void **state)
{
    (void)state;
    struct rfl_comparison comparison = {0};
    struct rfl_points a = {0}, b = {0};
    add_point(&a, "v0", "nw=1", 2, 8e12, 1e12);
    add_point(&a, "v0", "nw=2", 4, 8e12, 1e12);
    add_point(&a, "v8", "monday", 1, 4e12, 1e12);
    add_point(&a, "gone", "", 1, 4e12, 1e12);
    add_point(&b, "v0", "nw=2", 2, 8e12, 5e11);
    add_point(&b, "v0", "nw=1", 2.01, 8e12, 0);
    add_point(&b, "v8", "tuesday", 1.25, 4e12, 1e12);
    add_point(&b, "new", "", 1, 4e12, 1e12);
    add_point(&a, "w", "r1", 1, 1e9, 0);
    add_point(&a, "w", "r2", 2, 1e9, 0);
    add_point(&b, "w", "r2", 2, 1e9, 0);
    add_point(&b, "w", "r2b", 3, 1e9, 0);
    add_point(&b, "w", "r3", 4, 1e9, 0);
    a.points[2].launches = 3;
    b.points[2].launches = 3;
    rfl_compare_points(&a, &b, &plain, &comparison);
    const struct rfl_change *row = find(&comparison, "v0 [nw=2]", "time");
    assert_close(row->speed, 2, 1e-12);
    assert_int_equal(row->verdict, RFL_FASTER);
    assert_true(row->is_headline);
    row = find(&comparison, "v0 [nw=2]", "rate");
    assert_false(row->is_headline);
    assert_close(row->b.value, 4e12, 1e-12);
    assert_close(find(&comparison, "v0 [nw=2]", "HBM AI")->ratio, 2, 1e-12);
    assert_int_equal(find(&comparison, "v0 [nw=2]", "HBM bytes")->verdict, RFL_LESS);
    assert_int_equal(find(&comparison, "v0 [nw=2]", "operations")->verdict, RFL_SAME);
    assert_int_equal(find(&comparison, "v0 [nw=1]", "time")->verdict, RFL_SAME);
    assert_int_equal(find(&comparison, "v0 [nw=1]", "HBM bytes")->verdict, RFL_ONLY_A);
    row = find(&comparison, "v8 [monday]", "time");
    assert_int_equal(row->verdict, RFL_SLOWER);
    assert_true(rfl_change_below(row, 0.98));
    assert_close(find(&comparison, "v8 [monday]", "launches")->ratio, 1, 1e-12);
    assert_int_equal(find(&comparison, "gone", "time")->verdict, RFL_ONLY_A);
    assert_int_equal(find(&comparison, "new", "time")->verdict, RFL_ONLY_B);
    assert_int_equal(find(&comparison, "w [r2]", "time")->verdict, RFL_SAME);
    assert_int_equal(find(&comparison, "w [r1]", "time")->verdict, RFL_ONLY_A);
    /* speeds 2 (v0 nw=2), 2 / 2.01 (nw=1), 0.8 (v8), 1 (w) */
    assert_close(rfl_comparison_median(&comparison), (2 / 2.01 + 1) / 2, 1e-9);
    rfl_comparison_free(&comparison);
    rfl_points_free(&b);
    rfl_points_free(&a);
}

/* Launches of one kernel, each a point: the first with the first. Intervals of time count. */
static void launches_match_in_order(void **state)
{
    (void)state;
    struct rfl_comparison comparison = {0};
    struct rfl_points a = {0}, b = {0}, none = {0};
    for (int i = 0; i < 3; i++) {
        add_point(&a, "k", "", 1 + i, 1e9, 1e9);
        add_point(&b, "k", "", 1.1 * (1 + i), 1e9, 1e9);
    }
    a.points[1].time_low_s = 1.9;
    a.points[1].time_high_s = 2.3;
    rfl_compare_points(&a, &b, &plain, &comparison);
    assert_int_equal(comparison.counts[RFL_ONLY_A] + comparison.counts[RFL_ONLY_B], 0);
    assert_int_equal(comparison.counts[RFL_SLOWER], 4); /* time and rate of two launches */
    for (size_t i = 0; i < comparison.n; i++)
        if (strcmp(comparison.changes[i].name, "time") == 0)
            assert_close(comparison.changes[i].ratio, 1.1, 1e-9);
    rfl_comparison_free(&comparison);
    rfl_compare_points(&none, &b, &plain, &comparison);
    assert_int_equal(comparison.counts[RFL_ONLY_B], comparison.n);
    rfl_comparison_free(&comparison);
    rfl_points_free(&b);
    rfl_points_free(&a);
}

/* One kernel each, renamed from version to version. */
static void single_points_match(void **state)
{
    (void)state;
    struct rfl_comparison comparison = {0};
    struct rfl_points a = {0}, b = {0};
    add_point(&a, "gpp_29", "", 2, 1e9, 1e9);
    add_point(&b, "gpp_34", "", 1, 1e9, 1e9);
    rfl_compare_points(&a, &b, &plain, &comparison);
    assert_close(find(&comparison, "gpp_29 : gpp_34", "time")->speed, 2, 1e-12);
    assert_contains(comparison.notes[0], "no intervals of times");
    rfl_comparison_free(&comparison);
    add_point(&b, "gpp_35", "", 1, 1e9, 1e9); /* now it would be a guess */
    b.points[0].time_low_s = 0.9;
    b.points[0].time_high_s = 1.1;
    rfl_compare_points(&a, &b, &plain, &comparison);
    assert_int_equal(find(&comparison, "gpp_29", "time")->verdict, RFL_ONLY_A);
    assert_int_equal(comparison.n_notes, 0);
    rfl_comparison_free(&comparison);
    rfl_points_free(&b);
    rfl_points_free(&a);
}

/*
 * Versions of one code: 4 times as fast is 2 from operations, 1.2 from the share of FMA (0.25 to 0.5), the
 * rest from the share of the roof. Another run between them has steps of its own.
 */
static void steps_follow_the_order_of_a_run(void **state)
{
    (void)state;
    struct rfl_comparison comparison = {0};
    struct rfl_points points = {0};
    add_point(&points, "v0", "nw=2", 4, 100e9, 1e9);
    add_point(&points, "v0", "nw=3", 9, 100e9, 1e9);
    add_point(&points, "v1", "nw=2", 1, 50e9, 1e9);
    add_point(&points, "v2", "nw=2", 1, 50e9, 1e9);
    add_point(&points, "alone", "", 1, 1e9, 1e9);
    points.points[0].work[0].fma_share = 0.25;
    points.points[2].work[0].fma_share = 0.5;
    points.points[0].registers = 64;
    points.points[2].registers = 80;
    rfl_points_value(&points.points[0], "l1_hit_fraction", 0.2);
    rfl_points_value(&points.points[2], "l1_hit_fraction", 0.6);
    rfl_points_value(&points.points[3], "late", 7);
    rfl_compare_steps(&points, &plain, &comparison);
    const struct rfl_change *row = find(&comparison, "v0 : v1 [nw=2]", "time");
    assert_close(row->speed, 4, 1e-12);
    assert_int_equal(row->verdict, RFL_FASTER);
    assert_string_equal(row->note, "4.00 times as fast: 2.00 (operations) x 1.20 (FMA "
                                   "share) x 1.67 (share of the roof for it)");
    assert_string_equal(find(&comparison, "v0 : v1 [nw=2]", "rate")->note, "");
    assert_close(find(&comparison, "v0 : v1 [nw=2]", "registers")->ratio, 1.25, 1e-12);
    assert_close(find(&comparison, "v0 : v1 [nw=2]", "l1_hit_fraction")->ratio, 3, 1e-12);
    row = find(&comparison, "v1 : v2 [nw=2]", "time");
    assert_int_equal(row->verdict, RFL_SAME);
    assert_string_equal(row->note, ""); /* v2's share of FMA is not known */
    assert_int_equal(find(&comparison, "v1 : v2 [nw=2]", "l1_hit_fraction")->verdict,
                     RFL_ONLY_A);
    assert_int_equal(find(&comparison, "v1 : v2 [nw=2]", "late")->verdict, RFL_ONLY_B);
    for (size_t i = 0; i < comparison.n; i++)
        assert_true(strncmp(comparison.changes[i].group, "v0 : v1 [nw=2]", 14) == 0 ||
                    strncmp(comparison.changes[i].group, "v1 : v2 [nw=2]", 14) == 0);
    rfl_comparison_free(&comparison);
    rfl_points_free(&points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_match_by_name_and_run),
        cmocka_unit_test(launches_match_in_order),
        cmocka_unit_test(single_points_match),
        cmocka_unit_test(steps_follow_the_order_of_a_run),
    };
    return cmocka_run_group_tests_name("compare_points", tests, NULL, NULL);
}
