/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of any length come whole: cut, two functions of one long name would be one point. */
#include "tests/unit/import_cpu_fixture.h"

enum { LONG = 1500 };

/* Two names that differ in their last byte. */
static char name_a[LONG + 1], name_b[LONG + 1];

static int make_names(void **state)
{
    memset(name_a, 'x', LONG);
    memset(name_b, 'x', LONG);
    name_a[LONG - 1] = 'a';
    name_b[LONG - 1] = 'b';
    return 0;
}

static char text[8 * LONG];

static enum ert_status import_listed(const struct rfl_importer *importer)
{
    struct ert_lines lines;
    const struct rfl_import_options options = {.list = true};
    rfl_points_free(&points);
    assert_int_equal(ert_lines_open_text("a.txt", text, &lines, &error), ERT_OK);
    enum ert_status status = rfl_import_lines(importer, &lines, &options, &points, &error);
    ert_lines_close(&lines);
    return status;
}

static void assert_two_points(void)
{
    assert_int_equal(points.n, 2);
    assert_string_equal(points.points[0].name, name_a);
    assert_string_equal(points.points[1].name, name_b);
}

static void functions_of_sde(void **state)
{
    static const char function[] =
        "# $dynamic-counts-for-function: %s  IMG: /a.out at [0x1, "
        "0x2)   1%%\n*elements_fp_double_4 10\nVADDPD 10\n*total 10\n";
    int n = snprintf(text, sizeof text, function, name_a);
    snprintf(text + n, sizeof text - (size_t)n, function, name_b);
    assert_int_equal(import_listed(&rfl_import_sde), ERT_OK);
    assert_two_points();
}

static void launches_of_ncu(void **state)
{
    char name[LONG + 4];
    snprintf(
        text, sizeof text,
        "\"ID\",\"Process ID\",\"Kernel Name\",\"Metric Name\",\"Metric Unit\",\"Metric "
        "Value\"\n\"0\",\"7\",\"%s\",\"gpu__time_duration.sum\",\"ns\",\"5\"\n",
        name_a);
    assert_int_equal(import_listed(&rfl_import_ncu), ERT_OK);
    snprintf(name, sizeof name, "%s #0", name_a);
    assert_string_equal(point(name)->name, name);
}

/* What the points say of themselves is whole, too. */
static void reasons_and_warnings(void **state)
{
    struct rfl_point *made;
    rfl_points_free(&points);
    made = rfl_points_add(&points, "k");
    rfl_points_missing(made, "time", "%s", name_a);
    rfl_points_warn(made, "%s", name_a);
    rfl_points_warn(made, "%s", name_b);
    assert_string_equal(made->missing[0].reason, name_a);
    assert_int_equal(made->n_warnings, 2);
    assert_string_equal(made->warnings[1], name_b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_sde),
        cmocka_unit_test(launches_of_ncu),
        cmocka_unit_test(reasons_and_warnings),
    };
    return cmocka_run_group_tests(tests, make_names, free_points);
}
