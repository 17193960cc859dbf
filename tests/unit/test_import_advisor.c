/* SPDX-License-Identifier: BSD-3-Clause */
/* advisor and nersc: columns and keywords, and what is refused. */
#include "tests/unit/import_cpu_fixture.h"

static void loops_are_points(void **state)
{
    (void)state;
    import("advisor/survey.csv");
    const struct rfl_point *loop = point("[loop in multiply at solution.cpp:39]");
    assert_int_equal(points.n, 3); /* "start" was not counted */
    assert_close(flops(loop, "fp64"), 4.3453e9, 1e-12);
    assert_close(loop->time_s, 0.415, 1e-12);
    assert_close(bytes(loop, "L1"), 25.1524e9, 1e-12);
    const struct rfl_point *mixed = point("[loop in main at solution.cpp:12]");
    assert_true(warns(mixed, "does not distinguish single and double"));
    const struct rfl_point *tiny = point("[loop in init at solution.cpp:5]");
    assert_close(flops(tiny, "fp32"), 1e6, 1e-12);
    assert_contains(missing(tiny, "time"), "too short");
    assert_int_equal(import_with("advisor/survey.csv", true, "multiply"), ERT_OK);
    assert_int_equal(points.n, 2);
    assert_close(flops(&points.points[0], "fp64") / points.points[0].time_s, 10.62e9, 1e-9);
    assert_close(flops(&points.points[0], "fp64") / bytes(&points.points[0], "L1"), 0.166,
                 1e-4);
}

static void levels_come_from_the_python_table(void **state)
{
    (void)state;
    import("advisor/python.tsv");
    const struct rfl_point *loop = &points.points[0];
    assert_close(flops(loop, "fp32"), 2e9, 1e-12);
    assert_close(bytes(loop, "L1"), 24e9, 1e-12);
    assert_close(bytes(loop, "L2"), 18e9, 1e-12);
    assert_close(bytes(loop, "L3"), 8e9, 1e-12);
    assert_close(bytes(loop, "DRAM"), 0, 0);
}

static void bad_survey_is_refused(void **state)
{
    (void)state;
    refused(&rfl_import_advisor, "Function Call Sites and Loops,Self Time\nf,1s\n",
            "no column 'Self GFLOP'");
    refused(&rfl_import_advisor, "Self GFLOP,Self Time\n1,2s,3\n", "3 cells, must be 2");
    refused(&rfl_import_advisor, "Self GFLOP,Self Time\nmany,2s\n",
            "row 2: self gflop: 'many'");
    refused(&rfl_import_advisor, "Self GFLOP,Self Time\n1,2ms\n", "'2m' is not a number");
    refused(&rfl_import_advisor,
            "Self GFLOP,Self Time\n"
            "1000000000000000000000000000000000000000000000000000000000000000,2s\n",
            "row 2: self gflop: '1000");
}

static void rates_become_counts_of_a_second(void **state)
{
    (void)state;
    import("nersc/data_hierarchical.txt");
    assert_int_equal(points.n, 6);
    const struct rfl_point *first = point("nw=1"), *last = point("nw=6");
    assert_close(first->time_s, 1, 0);
    assert_contains(first->time_recipe, "rates");
    assert_close(flops(first, "fp64"), 2085.756683e9, 1e-15);
    assert_close(flops(first, "fp64") / bytes(first, "L1"), 0.865326481, 1e-12);
    assert_close(flops(first, "fp64") / bytes(first, "L2"), 2.250285265, 1e-12);
    assert_close(flops(first, "fp64") / bytes(first, "HBM"), 2.584785579, 1e-12);
    assert_close(flops(last, "fp64") / bytes(last, "HBM"), 13.21154434, 1e-12);
    assert_true(warns(first, "fp64 is assumed"));
    import("nersc/data.txt");
    assert_int_equal(points.n, 1);
    assert_close(flops(point("FMA, nw=1"), "fp64") / bytes(&points.points[0], "HBM"),
                 2.584785579, 1e-12);
}

static void bad_plotting_data_is_refused(void **state)
{
    (void)state;
    refused(&rfl_import_nersc, "FLOPS 1 2\nAI_L1 3\n", "AI_L1 has 1 values, must have 2");
    refused(&rfl_import_nersc, "FLOPS 1\nAI 3\n", "names no level");
    refused(&rfl_import_nersc, "mem_roof_names 'L1' 'L2'\nFLOPS 1\nAI 3\n",
            "names no level");
    refused(&rfl_import_nersc, "FLOPS 1\nAI_L9 3\n", "'AI_L9' is not known");
    refused(&rfl_import_nersc, "FLOPS 0\n", "'0', must be above 0");
    refused(&rfl_import_nersc, "FLOPS 1\nFLOPS 1\n", "appears twice");
    refused(&rfl_import_nersc, "labels 'a'\nlabels 'a'\n", "appears twice");
    refused(&rfl_import_nersc, "FLOPS x\n", "'x' is not a number");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_are_points),
        cmocka_unit_test(levels_come_from_the_python_table),
        cmocka_unit_test(bad_survey_is_refused),
        cmocka_unit_test(rates_become_counts_of_a_second),
        cmocka_unit_test(bad_plotting_data_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, free_points);
}
