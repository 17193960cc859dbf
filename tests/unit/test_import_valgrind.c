/* SPDX-License-Identifier: BSD-3-Clause */
/* valgrind and regions: counts, times, the two joined in either order, bad input. */
#include "tests/unit/import_cpu_fixture.h"

static void regions_have_times_and_the_author_s_work(void **state)
{
    (void)state;
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

static void regions_come_as_they_began(void **state)
{
    (void)state;
    const char *text = "rfl_region\tlast\t1\t1\t0\t1\t9\t0\t0\t900\t909\n"
                       "rfl_region\tinner\t1\t1\t0\t1\t3\t0\t0\t100\t103\n"
                       "rfl_region\touter\t1\t1\t0\t1\t5\t0\t0\t100\t105\n"
                       "rfl_region\tnone\t1\t1\t0\t0\t0\t0\t0\t0\t0\n"
                       "rfl_region\topen\t1\t1\t1\t1\t0\t0\t0\t50\t0\n";
    assert_int_equal(import_text(&rfl_import_regions, text, NULL), ERT_OK);
    assert_int_equal(points.n, 4); /* an end without a begin is no region */
    assert_string_equal(points.points[0].name, "open");
    assert_true(warns(&points.points[0], "a begin without an end"));
    assert_string_equal(points.points[1].name, "outer");
    assert_string_equal(points.points[2].name, "inner");
    assert_string_equal(points.points[3].name, "last");
}

static void counts_are_those_of_all_threads(void **state)
{
    (void)state;
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
    (void)state;
    import_both("valgrind/two-threads.txt", "regions/times.txt");
    import_both("regions/times.txt", "valgrind/two-threads.txt");
}

static void what_stopped_is_no_count(void **state)
{
    (void)state;
    const char *text =
        "# roofline-valgrind 1\n# stopped: AVX-512\n"
        "region\tthread\tcalls\tthreads\tinstructions\tload_bytes\tx87_flops\n"
        "whole run\t1\t1\t1\t100\t64\t7\n# end\n";
    assert_int_equal(import_text(&rfl_import_valgrind, text, NULL), ERT_UNAVAILABLE);
    assert_contains(error.text, "AVX-512");
    assert_int_equal(points.n, 0);
}

static void streaming_stores_are_told(void **state)
{
    (void)state;
    const char *text =
        "# roofline-valgrind 1\n"
        "region\tthread\tload_bytes\tstore_bytes\tstreamed_bytes\tDRAM_read\tDRAM_written\t"
        "L1_left\na\t1\t0\t640\t640\t0\t640\t-64\nb\t1\t0\t640\t64\t0\t640\t0\n"
        "# end\n";
    assert_int_equal(import_text(&rfl_import_valgrind, text, NULL), ERT_OK);
    assert_true(rfl_point_traffic(point("a"), "DRAM")->is_streaming);
    assert_false(rfl_point_traffic(point("b"), "DRAM")->is_streaming);
}

static void bad_input_is_named(void **state)
{
    (void)state;
    refused(&rfl_import_regions, "rfl_region\ta\t1\t1\t0\t1\t-2\t0\t0\t1\t3\n", "time");
    refused(&rfl_import_regions, "rfl_region\ta\t1\t1\n", "row 1: 4 cells");
    refused(&rfl_import_valgrind, "# roofline-valgrind 1\nregion\tcalls\n", "column names");
    const char *below_0 = "# roofline-valgrind 1\nregion\tthread\tcalls\na\t1\t-3\n# end\n";
    assert_int_equal(import_text(&rfl_import_valgrind, below_0, NULL), ERT_OK);
    assert_string_equal(missing(point("a"), "calls"), "row 3: calls: '-3'");
    refused(&rfl_import_valgrind, "# roofline-valgrind 1\nregion\tthread\tcalls\na\n",
            "row 3");
    refused(&rfl_import_valgrind, "# roofline-valgrind 1\nregion\tthread\tcalls\na\t1\t3\n",
            "the file is truncated");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_have_times_and_the_author_s_work),
        cmocka_unit_test(regions_come_as_they_began),
        cmocka_unit_test(counts_are_those_of_all_threads),
        cmocka_unit_test(counts_and_times_are_joined),
        cmocka_unit_test(what_stopped_is_no_count),
        cmocka_unit_test(streaming_stores_are_told),
        cmocka_unit_test(bad_input_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, free_points);
}
