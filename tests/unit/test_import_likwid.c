/* SPDX-License-Identifier: BSD-3-Clause */
/* likwid: text and CSV, with markers and without, old releases, groups that join or do not. */
#include "tests/unit/import_cpu_fixture.h"

static const char head[] = "Group 1: MEM\n| Metric | HWThread 0 | HWThread 1 |\n"
                           "| Runtime (RDTSC) [s] | 2.0 | 1.0 |\n";

static void with_row(const char *row, const char *words)
{
    char text[512];
    snprintf(text, sizeof text, "%s%s\n", head, row);
    if (words)
        refused(&rfl_import_likwid, text, words);
    else
        assert_int_equal(import_text(&rfl_import_likwid, text, NULL), ERT_OK);
}

static void check_marker(void)
{
    const struct rfl_point *triad = point("triad"), *dot = point("dot-2");
    assert_int_equal(points.n, 2);
    /* 1000 + 2000 scalar, 4 x (5e8 + 4e8) */
    assert_close(flops(triad, "fp64"), 3600003000.0, 1e-15);
    assert_true(isnan(triad->work[0].fma_share));
    assert_contains(triad->work[0].recipe, "4 x 256b_packed_double");
    assert_close(triad->time_s, 2.0, 1e-15); /* the slower of 2.0 and 1.6 s */
    assert_contains(triad->time_recipe, "slowest of 2 threads");
    assert_close(bytes(triad, "DRAM"), 16e9, 1e-12);
    assert_close(triad->launches, 10, 0);
    assert_close(triad->threads, 2, 0);
    assert_close(triad->instructions, 2000000007.0, 0);
    assert_close(triad->clock_hz, 2.1e9, 1e-12);
    assert_close(triad->energy_j, 12.5, 1e-12);
    assert_close(flops(dot, "fp64"), 8e8, 1e-15);
    assert_close(bytes(dot, "DRAM"), 64.0 * 50000100, 1e-4);
    assert_contains(points.origin, "Gold 6230");
}

static void text_and_csv_give_the_same(void **state)
{
    import("likwid/marker-2t.txt");
    assert_string_equal(points.points[0].format, "likwid");
    check_marker();
    import("likwid-csv/marker-2t.csv");
    assert_string_equal(points.points[0].format, "likwid-csv");
    check_marker();
}

static void one_region_is_picked(void **state)
{
    assert_int_equal(import_with("likwid/marker-2t.txt", false, "dot"), ERT_OK);
    assert_int_equal(points.n, 1);
    assert_string_equal(points.points[0].name, "dot-2");
    assert_int_equal(import_with("likwid-csv/marker-2t.csv", false, "absent"), ERT_USAGE);
    assert_contains(error.text, "absent");
}

static void memory_without_access_is_missing(void **state)
{
    import("likwid/issue-713.txt");
    const struct rfl_point *region = point("DIV_268435456_1");
    assert_close(region->time_s, 0.187078, 1e-12);
    assert_close(region->launches, 1, 0);
    assert_close(region->instructions, 402658100.0, 0);
    assert_int_equal(region->n_traffic, 0);
    assert_contains(missing(region, "DRAM bytes"), "0 bytes");
    missing(region, "operations");
}

static void sums_alone_are_enough(void **state)
{
    import("likwid/issue-702.txt");
    const struct rfl_point *run = point("whole run");
    assert_close(run->time_s, 2996.81, 1e-12);
    assert_close(flops(run, "fp64"), 831112.3411e6 * 2996.81, 1e-12);
    assert_contains(run->work[0].recipe, "MFLOP/s x runtime");
}

static void old_releases_print_core(void **state)
{
    import("likwid/issue-346.txt");
    const struct rfl_point *run = point("whole run");
    assert_close(bytes(run, "DRAM"), 10.9684e9, 1e-12);
    assert_close(run->time_s, 104.5141, 1e-12);
    assert_close(run->clock_hz, 3097.6171e6, 1e-12);
}

static void release_4_0_names_groups_first(void **state)
{
    import("likwid/pylikwid-4.0.txt");
    const struct rfl_point *region = point("listappend");
    assert_close(region->time_s, 0.09102752, 1e-12); /* Region Info has 0.091028 */
    assert_close(bytes(region, "L3"), 0.136799104e9, 1e-12);
    assert_close(region->instructions, 9.262083e8, 1e-12);
    assert_contains(region->traffic[0].recipe, "likwid L3: L3 data volume");
}

/* 100 products of 128 x 64 and 64 x 128: 2.097e8 operations, and what Julia does around them */
static void a_real_product_is_counted(void **state)
{
    import("likwid/julia-matmul.txt");
    const struct rfl_point *region = point("matmul");
    assert_close(flops(region, "fp64"), 8 * 26624000.0 + 1572, 0);
    assert_close(flops(region, "fp64"), 100 * 2.0 * 128 * 64 * 128, 0.02);
}

static void differences_of_counters_can_be_negative(void **state)
{
    import("likwid/knl-hbm-cache.txt");
    const struct rfl_point *first = &points.points[0], *second = &points.points[1];
    assert_int_equal(points.n, 2);
    /* its write-back is below 0; "0.0025 GBytes" has two digits, the bandwidth seven */
    assert_close(bytes(first, "MCDRAM"), 274.9353e6 * 0.009194, 1e-12);
    assert_close(bytes(first, "DRAM"), 81.0062e6 * 0.009194, 1e-12);
    assert_contains(first->traffic[0].recipe, "bandwidth x runtime");
    assert_string_equal(first->run, "");
    assert_false(warns(first, "multiplexed"));
    assert_string_equal(second->run, "run 2"); /* the same group again is another run */
    assert_true(warns(second, "multiplexed"));
    assert_close(second->threads, 4, 0);
    with_row("| MCDRAM Memory data volume [GBytes] | -0.5 | 0.1 |", NULL);
    assert_contains(missing(point("whole run"), "MCDRAM bytes"), "-4e+08 bytes");
}

static void groups_of_one_run_join(void **state)
{
    import("likwid/knl.txt");
    const struct rfl_point *run = point("whole run");
    assert_int_equal(points.n, 1);
    assert_close(bytes(run, "MCDRAM"), 400e9, 1e-12);
    assert_close(bytes(run, "DRAM"), 10e9, 1e-12);
    assert_close(bytes(run, "L2"), 0, 0); /* MB printed as GB: 820 TB in 4 s */
    assert_contains(missing(run, "L2 bytes"), "1e+03 times");
    assert_contains(missing(run, "L1 bytes"), "not their width");
    assert_contains(missing(run, "operations"), "of any width");
    assert_contains(missing(run, "CLOCK"), "not the same work");
    assert_true(warns(run, "another run of the same code"));
    assert_close(run->energy_j, 0, 0); /* of the group that did not join */
}

/* SVE at its full width; Grace's event counts all types. */
static void rates_of_arm_are_read(void **state)
{
    import("likwid-csv/a64fx.csv");
    const struct rfl_point *run = point("whole run");
    assert_close(flops(run, "fp64"), 9e9, 1e-12);
    assert_close(bytes(run, "DRAM"), 2.56e9, 1e-12);
    assert_int_equal(run->n_warnings, 0);
    import("likwid-csv/grace.csv");
    run = point("whole run");
    assert_close(flops(run, "fp64"), 3e9, 1e-12);
    assert_true(warns(run, "operations of all types together (FP rate)"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_and_csv_give_the_same),
        cmocka_unit_test(one_region_is_picked),
        cmocka_unit_test(memory_without_access_is_missing),
        cmocka_unit_test(sums_alone_are_enough),
        cmocka_unit_test(old_releases_print_core),
        cmocka_unit_test(release_4_0_names_groups_first),
        cmocka_unit_test(a_real_product_is_counted),
        cmocka_unit_test(differences_of_counters_can_be_negative),
        cmocka_unit_test(groups_of_one_run_join),
        cmocka_unit_test(rates_of_arm_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, free_points);
}
