/* SPDX-License-Identifier: BSD-3-Clause */
/* merge: points of several processes as one; what is summed, what is a mean, what is missing of all. */
#include "tests/unit/test.h"

#include "analysis/ext/record/record.h"

static struct rfl_points all, one;
static struct ert_error error;

static struct rfl_point *process(const char *format)
{
    one = (struct rfl_points){0};
    struct rfl_point *point = rfl_points_add(&one, "a");
    point->format = rfl_points_text(&one, format);
    return point;
}

static const struct rfl_point *merged(void)
{
    assert_int_equal(rfl_merge(&all, &one, &error), ERT_OK);
    rfl_points_free(&one);
    assert_int_equal(all.n, 1);
    return &all.points[0];
}

static int teardown(void **state)
{
    rfl_points_free(&all);
    return 0;
}

static void stores_stream_if_those_of_all_do(void **state)
{
    const bool streams[] = {true, true, false, true};
    for (size_t i = 0; i < 4; i++) {
        struct rfl_point *point = process("valgrind");
        rfl_points_accesses(point, "DRAM", 10, 4, true, "");
        rfl_points_streaming(point, "DRAM", streams[i]);
        assert_int_equal(rfl_point_traffic(merged(), "DRAM")->is_streaming, i < 2);
    }
}

static void what_one_counted_is_not_missing(void **state)
{
    for (int i = 0; i < 3; i++) {
        struct rfl_point *point = process("valgrind");
        if (i == 1)
            rfl_points_work(point, "fp64", "core", 5, 0, "");
        else
            rfl_points_missing(point, "operations", "no operations were counted");
        rfl_points_missing(point, "L3 bytes", "no counter");
        merged();
    }
    assert_int_equal(all.points[0].n_missing, 1);
    assert_string_equal(all.points[0].missing[0].what, "L3 bytes");
}

static void warnings_that_differ_in_numbers_are_one(void **state)
{
    for (int i = 0; i < 4; i++) {
        struct rfl_point *point = process("valgrind");
        point->instructions = i == 1 ? 1000 : 10;
        rfl_points_warn(point, "%d bytes were left", i);
        merged();
    }
    assert_int_equal(all.points[0].n_warnings, 1);
    assert_string_equal(all.points[0].warnings[0],
                        "1 bytes were left"); /* of the largest */
}

static void values_of_one_process_are_kept(void **state)
{
    rfl_points_value(process("valgrind"), "fp64_256_flops", 8);
    assert_true(rfl_point_value(merged(), "fp64_256_flops") == 8);
    rfl_points_value(process("valgrind"), "fp64_256_flops", 8);
    assert_int_equal(merged()->n_values, 0);
}

static void code_of_several_processes_is_all_of_it(void **state)
{
    static const char *const names[] = {"code_object", "code_begin", "code_end"};
    static const double first[] = {7, 100, 200}, second[] = {7, 80, 150};
    struct rfl_point *of = process("valgrind");
    for (size_t i = 0; i < 3; i++)
        rfl_points_value(of, names[i], first[i]);
    merged();
    of = process("valgrind");
    for (size_t i = 0; i < 3; i++)
        rfl_points_value(of, names[i], second[i]);
    const struct rfl_point *point = merged();
    assert_true(rfl_point_value(point, "code_object") == 7);
    assert_true(rfl_point_value(point, "code_begin") == 80);
    assert_true(rfl_point_value(point, "code_end") == 200);
}

/* 2 threads at 1 GHz, 1 and 1 at 2 GHz, side by side. */
static void clocks_are_means(void **state)
{
    for (int i = 0; i < 3; i++) {
        struct rfl_point *point = process("perf");
        point->time_s = 2, point->threads = i ? 1 : 2, point->clock_hz = i ? 2e9 : 1e9;
        merged();
    }
    assert_true(all.points[0].time_s == 2);
    assert_true(all.points[0].clock_hz == 1.5e9);
}

static void unlike_origins_are_all_named(void **state)
{
    const char *const origins[] = {"A NVL", "A NVL", NULL, "B", "A", "NVL", "B", "A"};
    for (size_t i = 0; i < ERT_LENGTH(origins); i++) {
        process("ncu");
        one.origin = origins[i];
        merged();
    }
    assert_string_equal(all.origin, "A NVL; B; A; NVL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(stores_stream_if_those_of_all_do, teardown),
        cmocka_unit_test_teardown(what_one_counted_is_not_missing, teardown),
        cmocka_unit_test_teardown(warnings_that_differ_in_numbers_are_one, teardown),
        cmocka_unit_test_teardown(values_of_one_process_are_kept, teardown),
        cmocka_unit_test_teardown(code_of_several_processes_is_all_of_it, teardown),
        cmocka_unit_test_teardown(clocks_are_means, teardown),
        cmocka_unit_test_teardown(unlike_origins_are_all_named, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
