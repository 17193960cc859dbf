/* SPDX-License-Identifier: BSD-3-Clause */
/* advisor: columns, versions of loops, and what is refused. */
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
}

static void a_bad_cell_costs_its_count(void **state)
{
    (void)state;
    static const char *const rows[][3] = {
        {"many,2s,3",  "operations", "row 2: self gflop: 'many'"},
        {"1,2ms,3",    "time",       "'2m'"                     },
        {"1,2s,n.a.",  "L1 bytes",   "'n.a.'"                   },
        {"1e400,2s,3", "operations", "'1e400'"                  },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "Self GFLOP,Self Elapsed Time,Self Memory GB\n%s\n",
                 rows[i][0]);
        assert_int_equal(import_text(&rfl_import_advisor, text, NULL), ERT_OK);
        assert_int_equal(points.n, 1);
        assert_contains(missing(&points.points[0], rows[i][1]), rows[i][2]);
    }
}

/* Versions of a loop are in its own row. */
static void versions_count_once(void **state)
{
    (void)state;
    static const char head[] = "ID,Function Call Sites and Loops,Self Elapsed "
                               "Time,Type,Data Types,Self GFLOP,Self Memory GB\n";
    static const char *const rows[] = {
        "9,[loop in f at f.c:1],3s,Vectorized Versions,Float64,10,20\n"
        "7,-[loop in f at f.c:1],2s,Vectorized (Body),Float64,9,18\n"
        "8,-[loop in f at f.c:1],1s,Scalar (Remainder),Float64,1,2\n",
        "9,[loop in f at f.c:1],3s,Vectorized (Body; Remainder),Float64,10,20\n"
        "7,[child]-[loop in f at f.c:1],2s,Vectorized (Body),Float64,9,18\n"
        "8, [child] [loop in f at f.c:1],1s,Scalar (Remainder),Float64,1,2\n",
        "9,[loop in f at f.c:1],3s,Vectorized (Body; Remainder),Float64,10,20\n"
        "7,[loop in f at f.c:1],2s,Vectorized (Body),Float64,9,18\n"
        "8,[loop in f at f.c:1],1s,Remainder,Float64,1,2\n",
        /* the loop's own row has no counts */
        "9,[loop in f at f.c:1],,Vectorized Versions,Float64,,\n"
        "7,-[loop in f at f.c:1],2s,Vectorized (Body),Float64,9,18\n"
        "8,-[loop in f at f.c:1],1s,Scalar (Remainder),Float64,1,2\n",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text, "%s%s10,-[loop in g at g.c:1],1s,Scalar,Float64,5,5\n",
                 head, rows[i]);
        assert_int_equal(import_text(&rfl_import_advisor, text, NULL), ERT_OK);
        const struct rfl_point *loop = point("[loop in f at f.c:1]");
        assert_close(flops(loop, "fp64"), 10e9, 1e-12);
        assert_close(loop->time_s, 3, 1e-12);
        assert_close(bytes(loop, "L1"), 20e9, 1e-12);
        assert_close(flops(point("[loop in g at g.c:1]"), "fp64"), 5e9, 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_are_points),
        cmocka_unit_test(levels_come_from_the_python_table),
        cmocka_unit_test(bad_survey_is_refused),
        cmocka_unit_test(a_bad_cell_costs_its_count),
        cmocka_unit_test(versions_count_once),
    };
    return cmocka_run_group_tests(tests, NULL, free_points);
}
