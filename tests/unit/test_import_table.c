/* SPDX-License-Identifier: BSD-3-Clause */
/* The format that CONTRIBUTING.md adds: a table that is read by its rows alone. */
#include "tests/unit/import_fixture.h"

#define RFL_ROWS "tests/unit/import_table_rows.def"
#include "analysis/ext/import/rows.inc"

static const struct rfl_importer site = {
    .name = "site", .rows = &tables, .separator = ',', .read = rfl_table_read};

#define HEAD "kernel,seconds,flops,dram_bytes\n"

static void rows_of_a_kernel_are_summed(void **state)
{
    (void)state;
    struct rfl_points points = points_of(
        &site, HEAD "triad,2,4e9,48e9\nsolve,3,9e12,1\ntriad,1,2e9,24e9\n", &plain_options);
    assert_int_equal(points.n, 2);
    const struct rfl_point *triad = find_point(&points, "triad");
    assert_close(triad->time_s, 3, 0);
    assert_close(find_work(triad, "fp64", "core")->flops, 6e9, 0);
    assert_close(bytes_of(triad, "DRAM"), 72e9, 0);
    rfl_points_free(&points);
}

static void each_row_or_one_kernel(void **state)
{
    (void)state;
    static const char text[] = HEAD "triad,2,4e9,48e9\nsolve,3,9e12,1\ntriad,1,2e9,24e9\n";
    const struct rfl_import_options list = {.list = true}, one = {.region = "sol"};
    struct rfl_points points = points_of(&site, text, &list);
    assert_int_equal(points.n, 3);
    assert_close(points.points[2].time_s, 1, 0);
    rfl_points_free(&points);
    points = points_of(&site, text, &one);
    assert_int_equal(points.n, 1);
    assert_string_equal(points.points[0].name, "solve");
    rfl_points_free(&points);
}

/* A count that not all rows of a kernel have is no count of it. */
static void what_a_row_lacks_is_missing(void **state)
{
    (void)state;
    struct rfl_points points =
        points_of(&site, HEAD "a,2,,48\nb,n/a,4,many\nc,1,1,1\nc,1,1,\n", &plain_options);
    assert_string_equal(reason_of(find_point(&points, "a"), "operations"),
                        "no metric flops");
    assert_close(bytes_of(find_point(&points, "a"), "DRAM"), 48, 0);
    assert_contains(reason_of(find_point(&points, "b"), "time"), "row 3: seconds: 'n/a'");
    assert_contains(reason_of(find_point(&points, "b"), "DRAM bytes"), "'many'");
    const struct rfl_point *c = find_point(&points, "c");
    assert_close(c->time_s, 2, 0);
    assert_close(bytes_of(c, "DRAM"), 0, 0);
    assert_contains(reason_of(c, "DRAM bytes"), "unlike in rows before");
    rfl_points_free(&points);
    refuses(&site, HEAD "a,2\n", "row 2: 2 columns, no flops: cut off");
}

/* Columns may be in any order, some missing, others unknown. */
static void columns_are_found_by_their_titles(void **state)
{
    (void)state;
    struct rfl_points points =
        points_of(&site, "kernel,dram_bytes,colour,seconds\na,48,red,2\n", &plain_options);
    assert_close(points.points[0].time_s, 2, 0);
    assert_close(bytes_of(&points.points[0], "DRAM"), 48, 0);
    assert_string_equal(reason_of(&points.points[0], "operations"), "no metric flops");
    rfl_points_free(&points);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_a_kernel_are_summed),
        cmocka_unit_test(each_row_or_one_kernel),
        cmocka_unit_test(what_a_row_lacks_is_missing),
        cmocka_unit_test(columns_are_found_by_their_titles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
