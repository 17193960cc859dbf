/* SPDX-License-Identifier: BSD-3-Clause */
/* combine: several files as the ranks of one program, or as the tools that ran it. */
#include "tests/unit/import_cpu_fixture.h"

#include "analysis/ext/import/import.h"

/* A point of a file; flops or bytes of 0: it lacks them. */
static void add(const char *file, const char *name, double flops, double bytes,
                double time_s)
{
    struct rfl_point *one = rfl_points_add(&points, name);
    one->source = rfl_points_text(&points, file);
    one->format = "perf";
    one->time_s = time_s;
    if (flops > 0)
        rfl_points_work(one, "fp64", "core", flops, 0.5, "counted");
    else
        rfl_points_missing(one, "operations", "%s has none", file);
    if (bytes > 0)
        rfl_points_accesses(one, "DRAM", bytes, bytes / 2, true, "counted");
    else
        rfl_points_missing(one, "DRAM bytes", "%s has none", file);
    if (!(time_s > 0))
        rfl_points_missing(one, "time", "%s has none", file);
}

static int start(void **state)
{
    rfl_points_free(&points);
    points = (struct rfl_points){0};
    return 0;
}

static void ranks_are_summed(void **state)
{
    add("r0", "triad", 1e9, 10e9, 1.0);
    add("r0", "only here", 1e9, 1e9, 1.0);
    add("r1", "triad", 2e9, 20e9, 1.2);
    add("r2", "triad", 3e9, 30e9, 1.1);
    assert_int_equal(rfl_points_combine(&points, RFL_RANKS, &error), ERT_OK);
    assert_int_equal(points.n, 2);
    const struct rfl_point *triad = point("triad");
    assert_close(flops(triad, "fp64"), 6e9, 1e-12);
    assert_close(bytes(triad, "DRAM"), 60e9, 1e-12);
    assert_close(rfl_point_traffic(triad, "DRAM")->read_bytes, 30e9, 1e-12);
    assert_close(triad->time_s, 1.2, 1e-12);
    assert_close(rfl_point_value(triad, "rank_imbalance"), 1.2 / 1.1 - 1, 1e-12);
    assert_contains(triad->time_recipe, "longest of 3 ranks, 9.09 % above their mean");
    assert_true(warns(point("only here"), "in 1 of 3 files"));
}

static void ranks_stream_if_all_do(void **state)
{
    for (int all = 0; all < 2; all++) {
        start(state);
        add("r0", "triad", 1e9, 10e9, 1.0);
        add("r1", "triad", 1e9, 10e9, 1.0);
        for (int r = 0; r < 2; r++)
            rfl_points_streaming(&points.points[r], "DRAM", all || r == 0);
        assert_int_equal(rfl_points_combine(&points, RFL_RANKS, &error), ERT_OK);
        assert_int_equal(rfl_point_traffic(point("triad"), "DRAM")->is_streaming, all);
    }
}

/* What one rank lacks is unknown of all of them, not the sum of the others. */
static void a_rank_without_a_count_leaves_none(void **state)
{
    add("r0", "triad", 1e9, 10e9, 1.0);
    add("r1", "triad", 0, 20e9, 1.2);
    add("r2", "triad", 3e9, 0, 0);
    assert_int_equal(rfl_points_combine(&points, RFL_RANKS, &error), ERT_OK);
    const struct rfl_point *triad = point("triad");
    assert_int_equal(triad->n_work, 0);
    assert_int_equal(triad->n_traffic, 0);
    assert_true(triad->time_s == 0);
    assert_contains(missing(triad, "operations"), "r1 has none");
    assert_contains(missing(triad, "DRAM bytes"), "r2 has none");
}

/* As sde (operations), vtune (bytes) and a clock give the parts of one run. */
static void tools_make_one_point(void **state)
{
    add("sde", "whole run", 4e9, 0, 0);
    add("vtune", "a.out", 0, 8e9, 0);
    add("clock", "by hand", 0, 0, 2);
    assert_int_equal(rfl_points_combine(&points, RFL_JOIN, &error), ERT_OK);
    assert_int_equal(points.n, 1);
    const struct rfl_point *run = point("whole run");
    assert_close(flops(run, "fp64"), 4e9, 0);
    assert_close(bytes(run, "DRAM"), 8e9, 0);
    assert_close(run->time_s, 2, 0);
    assert_int_equal(run->n_missing, 0);
}

static void tools_that_disagree_are_named(void **state)
{
    add("a", "x", 4e9, 1e9, 1);
    add("a", "y", 1e9, 1e9, 1);
    add("b", "y", 2e9, 1e9, 3);
    points.points[1].launches = 1;
    points.points[2].launches = 1000;
    assert_int_equal(rfl_points_combine(&points, RFL_JOIN, &error), ERT_OK);
    assert_int_equal(points.n, 2);
    const struct rfl_point *y = point("y");
    assert_close(flops(y, "fp64"), 1e9, 0);
    assert_true(warns(y, "fp64: 1e+09 operations by a, 2e+09 by b"));
    assert_true(warns(y, "the time is that of a, 1 s; b has 3 s"));
    assert_true(warns(y, "1 launches in a, 1000 in b"));
}

static void nothing_in_common_is_an_error(void **state)
{
    add("a", "x", 4e9, 1e9, 1);
    add("a", "y", 4e9, 1e9, 1);
    add("b", "z", 4e9, 1e9, 1);
    assert_int_equal(rfl_points_combine(&points, RFL_JOIN, &error), ERT_USAGE);
    assert_contains(error.text, "no kernel is in two of the 2 files");
}

/* likwid's MEM1 and MEM2 of Zen 3 have four channels each. */
static void channels_of_two_runs_are_the_memory(void **state)
{
    char file[1024];
    const struct rfl_import_options options = {.list = false};
    import("likwid-csv/zen3-mem1.csv");
    assert_contains(missing(point("triad"), "DRAM bytes"), "half of the channels");
    data_file("likwid-csv/zen3-mem2.csv", file);
    assert_int_equal(rfl_import_file(file, NULL, &options, &points, &error), ERT_OK);
    assert_int_equal(rfl_points_combine(&points, RFL_JOIN, &error), ERT_OK);
    assert_close(bytes(point("triad"), "DRAM"), 1.28e9, 1e-12);
    assert_false(rfl_point_lacks(point("triad"), "DRAM bytes"));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(ranks_are_summed, start),
        cmocka_unit_test_setup(ranks_stream_if_all_do, start),
        cmocka_unit_test_setup(a_rank_without_a_count_leaves_none, start),
        cmocka_unit_test_setup(tools_make_one_point, start),
        cmocka_unit_test_setup(tools_that_disagree_are_named, start),
        cmocka_unit_test_setup(nothing_in_common_is_an_error, start),
        cmocka_unit_test_setup(channels_of_two_runs_are_the_memory, start),
    };
    return cmocka_run_group_tests(tests, NULL, free_points);
}
