/* SPDX-License-Identifier: BSD-3-Clause */
/* sde and vtune: NERSC's published numbers of STREAM; functions, FMA, layouts, bad input. */
#include "tests/unit/import_cpu_fixture.h"

/* docs.nersc.gov, "Measuring arithmetic intensity" */
static const double stream_flops = 4000000400.0, l1_bytes = 49869806228.0,
                    dram_bytes = 48511113024.0;

static void sde_gives_nersc_s_numbers(void **state)
{
    import("sde/stream.txt");
    const struct rfl_point *stream = point("whole program");
    assert_int_equal(points.n, 1);
    assert_close(flops(stream, "fp64"), stream_flops, 0);
    assert_close(bytes(stream, "L1"), l1_bytes, 0);
    assert_close(flops(stream, "fp64") / bytes(stream, "L1"), 0.0802, 1e-3);
    assert_close(stream->work[0].fma_share, 0, 0);
    assert_close(stream->instructions, 5200000000.0, 0);
    assert_contains(missing(stream, "time"), "emulates");
    assert_contains(missing(stream, "DRAM bytes"), "caches");
}

static void vtune_gives_nersc_s_numbers(void **state)
{
    import("vtune/stream-2018.csv");
    const struct rfl_point *stream = point("whole program");
    assert_close(bytes(stream, "DRAM"), dram_bytes, 0);
    assert_close(stream_flops / bytes(stream, "DRAM"), 0.0825, 1e-3);
    assert_contains(missing(stream, "operations"), "SDE");
    missing(stream, "time");
}

static void knl_has_two_memories(void **state)
{
    import("vtune/knl.csv");
    assert_close(bytes(point("whole program"), "DRAM"), 64.0 * 1500, 0);
    assert_close(bytes(point("whole program"), "MCDRAM"), 64.0 * 65000, 0);
}

static void functions_are_points_of_their_own(void **state)
{
    assert_int_equal(import_with("sde/functions.txt", true, NULL), ERT_OK);
    assert_int_equal(points.n, 2);
    const struct rfl_point *triad = point("void triad<double>(double*, double)");
    /* thread 0: 100 + 4 x 1000, FMA 4 x (600 + 150) + 50; thread 1: 4 x 1000 */
    assert_close(flops(triad, "fp64"), 100 + 4000 + 3050 + 4000, 0);
    assert_close(flops(triad, "fp32"), 80 + 80, 0);
    assert_close(triad->work[1].fma_share, 1, 0);
    assert_close(bytes(triad, "L1"), 32.0 * 2000 + 32 * 1000 + 32 * 2000, 0);
    assert_close(triad->instructions, 9000, 0);
    const struct rfl_point *main_function = point("main");
    /* 4 with a mask; of the FMAs it is not known how many have one */
    assert_close(flops(main_function, "fp64"), 80 + 8 * 4 + 40, 0);
    assert_close(main_function->work[0].fma_share, 5.0 / 14, 1e-15);
    assert_true(warns(main_function, "an upper bound: 4 masked"));
    assert_int_equal(import_with("sde/functions.txt", false, "tri"), ERT_OK);
    assert_int_equal(points.n, 1);
    import("sde/functions.txt");
    assert_close(flops(point("whole program"), "fp64"), 8100, 0);
}

static struct rfl_point *overload(const char *name, const char *module)
{
    for (size_t i = 0; i < points.n; i++)
        if (strncmp(points.points[i].name, name, strlen(name)) == 0 &&
            strcmp(points.points[i].run, module) == 0)
            return &points.points[i];
    fail_msg("no point '%s' of '%s'", name, module);
    return NULL;
}

static void vtune_counts_functions(void **state)
{
    import("vtune/functions.csv");
    assert_int_equal(points.n, 4);
    const struct rfl_point *fp64 = overload("triad(double*", "a.out");
    assert_close(flops(fp64, "fp64"), 5e6 + 4 * 1e9, 0);
    assert_close(fp64->instructions, 639e7, 0);
    assert_contains(missing(fp64, "time"), "no time");
    assert_close(flops(overload("triad(float*", "a.out"), "fp64"), 4 * 2e7, 0);
    assert_contains(missing(overload("memcpy", "libc.so.6"), "operations"), "0 by");
    assert_contains(points.origin, "by function");
    assert_int_equal(import_with("vtune/functions.csv", false, "memcpy"), ERT_OK);
    assert_int_equal(points.n, 1);
    assert_string_equal(points.points[0].run, "");
    assert_int_equal(import_with("vtune/functions.csv", false, "none"), ERT_USAGE);
    assert_contains(error.text, "no kernel or region with 'none'");
    assert_false(rfl_import_vtune.recognizes("a\nFunction,Module,CPU Time\nf,a.out,7\n"));
    refused(&rfl_import_vtune,
            "Function,Hardware Event Count:INST_RETIRED.ANY,Module\nf(int, int),1,a.out\n",
            "row 2: 4 cells, must be 3 as in the header; names with commas need "
            "-csv-delimiter tab");
    refused(&rfl_import_vtune, "Function,Hardware Event Count:X,INST_RETIRED.ANY\nf,1,1\n",
            "no known column");
}

static void bad_input_is_refused(void **state)
{
    refused(&rfl_import_sde, "", "no block");
    refused(&rfl_import_sde, "# EMIT_GLOBAL_DYNAMIC_STATS\n*elements_fp_double_4 10\n",
            "is it truncated");
    assert_int_equal(import_with("sde/stream.txt", true, NULL), ERT_USAGE);
    assert_contains(error.text, "no counts per function");
    refused(&rfl_import_vtune, "Package,A,B\npackage_0,1,2\n", "no known column");
    refused(&rfl_import_vtune, "Package,UNC_M_CAS_COUNT.RD[UNIT0]\npackage_0,1,2\n",
            "3 cells, must be 2");
    refused(&rfl_import_vtune, "nothing\n", "no count of a known event");
    assert_int_equal(import_text(&rfl_import_vtune,
                                 "Package;UNC_M_CAS_COUNT.RD[UNIT0]\npackage_0;5\n", NULL),
                     ERT_OK);
    assert_contains(missing(&points.points[0], "DRAM bytes"), "only reads");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sde_gives_nersc_s_numbers),
        cmocka_unit_test(vtune_gives_nersc_s_numbers),
        cmocka_unit_test(knl_has_two_memories),
        cmocka_unit_test(functions_are_points_of_their_own),
        cmocka_unit_test(vtune_counts_functions),
        cmocka_unit_test(bad_input_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, free_points);
}
