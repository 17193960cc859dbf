/* SPDX-License-Identifier: BSD-3-Clause */
/* valgrind and regions: counts, times, the two joined in either order, bad input. */
#include "tests/unit/import_cpu_fixture.h"

static void regions_have_times_and_the_author_s_work(void **state)
{
    import("regions/times.txt");
    assert_int_equal(points.n, 3);
    const struct rfl_point *triad = point("triad");
    assert_close(triad->time_s, 0.000192, 0);
    assert_close(triad->launches, 3, 0);
    assert_close(flops(triad, "fp64"), 2.0 * 40000 * 3, 0);
    assert_close(bytes(triad, "DRAM"), 24.0 * 40000 * 3, 0);
    assert_close(point("each")->threads, 2, 0);
    missing(point("each"), "operations");
}

static void counts_are_those_of_all_threads(void **state)
{
    import("valgrind/two-threads.txt");
    assert_int_equal(points.n, 3); /* and no whole run */
    const struct rfl_point *triad = point("triad"), *each = point("each");
    assert_close(flops(triad, "fp64"), 240000, 0);
    assert_close(triad->work[0].fma_share, 1, 0);
    assert_close(rfl_point_value(triad, "fp64_256_flops"), 240000, 0);
    assert_close(bytes(triad, "L1"), 984565 + 498234 + 961203 + 480764, 0);
    assert_close(rfl_point_traffic(triad, "L1")->read_bytes, 984565 + 961203, 0);
    assert_close(bytes(triad, "DRAM"), 1464576 + 651456 + 1445888 + 383872, 0);
    assert_true(rfl_point_traffic(triad, "DRAM")->is_actual);
    assert_null(rfl_point_traffic(triad, "L3"));
    assert_close(triad->threads, 2, 0);
    assert_close(triad->launches, 3, 0);
    assert_close(flops(each, "fp64"), 40000, 0);
    assert_close(each->work[0].fma_share, 0, 0);
    assert_close(each->launches, 1, 0);
    assert_contains(missing(triad, "time"), "RFL_REGIONS");
    assert_true(warns(point("init"), "still in the simulated caches"));
    assert_int_equal(import_with("valgrind/two-threads.txt", false, "whole"), ERT_OK);
    assert_close(flops(point("whole run"), "fp64"), 280000, 0);
}

/* One file after the other; the points are freed by the next import. */
static void import_both(const char *first, const char *second)
{
    char file[1024];
    const struct rfl_import_options options = {0};
    import(first);
    data_file(second, file);
    assert_int_equal(rfl_import_file(file, NULL, &options, &points, &error), ERT_OK);
    assert_int_equal(points.n, 3);
    const struct rfl_point *triad = point("triad");
    assert_close(triad->time_s, 0.000192, 0);
    assert_close(flops(triad, "fp64"), 240000, 0);
    assert_close(triad->work[0].fma_share, 1, 0);
    assert_close(rfl_point_value(triad, "author_bytes"), 2880000, 0);
    assert_close(triad->threads, 2, 0);
    assert_string_equal(triad->format, "valgrind");
    assert_contains(triad->source, "times.txt");
    assert_contains(triad->source, "two-threads.txt");
    for (size_t i = 0; i < triad->n_missing; i++)
        assert_string_not_equal(triad->missing[i].what, "time");
}

static void counts_and_times_are_joined(void **state)
{
    import_both("valgrind/two-threads.txt", "regions/times.txt");
    import_both("regions/times.txt", "valgrind/two-threads.txt");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_have_times_and_the_author_s_work),
        cmocka_unit_test(counts_are_those_of_all_threads),
        cmocka_unit_test(counts_and_times_are_joined),
    };
    return cmocka_run_group_tests(tests, NULL, free_points);
}
