/* SPDX-License-Identifier: BSD-3-Clause */
/* papi: threads and executions of a region, both forms of the file, lost counts, bad input. */
#include "tests/unit/import_cpu_fixture.h"

#define REGION(members)                                                                    \
    "{\"papi_version\":\"7.0.1.0\",\"threads\":{\"0\":{\"regions\":{\"0\":{\"name\":"      \
    "\"r\","                                                                               \
    "\"parent_region_id\":\"-1\",\"cycles\":\"1\",\"real_time_nsec\":\"1000\"," members    \
    "}}}}}"

static void executions_are_added_and_the_longest_thread_counts(void **state)
{
    import("papi/rank_0.json");
    assert_int_equal(points.n, 3);
    const struct rfl_point *solve = point("solve");
    /* thread 0: 1 and 2 ms, thread 1: 2.5 ms */
    assert_close(solve->time_s, 3e-3, 1e-15);
    assert_close(solve->launches, 2, 0);
    assert_close(solve->threads, 2, 0);
    assert_close(flops(solve, "fp64"), 300 + 500 + 400, 0);
    assert_close(flops(solve, "fp32"), 30 + 50 + 40, 0);
    assert_close(solve->instructions, 1500 + 2500 + 2000, 0);
    assert_close(solve->clock_hz, (1800 + 3000 + 2400) / 3.6e-3, 1e-3);
    assert_true(warns(solve, "not used: PAPI_BR_MSP"));
    assert_true(warns(solve, "skx_unc_imc0::UNC_M_CAS_COUNT:RD:cpu=0"));
    assert_null(rfl_point_traffic(solve, "DRAM"));
    assert_close(flops(point("main"), "fp64"), 1000, 0);
    assert_close(point("main")->threads, 1, 0);
}

static void a_region_within_itself_counts_once(void **state)
{
    import("papi/rank_0.json");
    assert_close(flops(point("sort"), "fp64"), 80, 0);
    assert_close(point("sort")->time_s, 1e-4, 1e-15);
    assert_close(point("sort")->launches, 1, 0);
    assert_int_equal(import_with("papi/rank_0.json", false, "so"), ERT_OK);
    assert_int_equal(points.n, 2);
}

static void files_of_6_0_have_no_times(void **state)
{
    import("papi/rank_6.0.json");
    assert_int_equal(points.n, 2);
    const struct rfl_point *triad = point("triad");
    assert_close(flops(triad, "fp64"), 600 + 200, 0);
    assert_close(triad->instructions, 900 + 500, 0);
    assert_close(triad->launches, 3, 0);
    assert_close(triad->threads, 2, 0);
    assert_true(warns(triad, "fp64 and fp32 operations together"));
    assert_contains(missing(triad, "time"), "PAPI 6 writes none");
    assert_contains(missing(point("copy"), "operations"), "0 by PAPI_FP_OPS");
}

static void native_events_are_those_of_the_table(void **state)
{
    assert_int_equal(
        import_text(&rfl_import_papi,
                    REGION("\"skx::FP_ARITH:256B_PACKED_DOUBLE\":\"10\",\"FP_ARITH:SCALAR_"
                           "DOUBLE\":\"3\",\"perf::INSTRUCTIONS\":\"90\""),
                    NULL),
        ERT_OK);
    assert_close(flops(point("r"), "fp64"), 4 * 10 + 3, 0);
    assert_close(point("r")->instructions, 90, 0);
    assert_int_equal(
        import_text(&rfl_import_papi,
                    REGION("\"amd64_fam17h_zen2::RETIRED_SSE_AVX_FLOPS:ANY\":\"12\""),
                    NULL),
        ERT_OK);
    assert_close(flops(point("r"), "fp64"), 12, 0);
}

/* A preset and its parts are one count; without a number there is none. */
static void counts_are_not_added_twice_or_guessed(void **state)
{
    static const char *const bad[] = {"-5", "", "9223372036854775808", "1x"};
    assert_int_equal(import_text(&rfl_import_papi,
                                 REGION("\"skx::FP_ARITH:SCALAR_DOUBLE\":\"3\","
                                        "\"PAPI_DP_OPS\":\"7\",\"PAPI_FP_OPS\":\"8\""),
                                 NULL),
                     ERT_OK);
    assert_close(flops(point("r"), "fp64"), 7, 0);
    assert_int_equal(point("r")->n_work, 1);
    assert_true(warns(point("r"), "not added, since it counts the same"));
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char text[512];
        snprintf(text, sizeof text, REGION("\"PAPI_DP_OPS\":\"%s\""), bad[i]);
        assert_int_equal(import_text(&rfl_import_papi, text, NULL), ERT_OK);
        assert_int_equal(point("r")->n_work, 0);
        assert_contains(missing(point("r"), "fp64 flops"),
                        "PAPI did not count PAPI_DP_OPS");
        assert_contains(missing(point("r"), "fp64 flops"), bad[i]);
    }
}

static void bad_input_is_refused(void **state)
{
    char text[8192] = "", many[4096] = "\"e\":\"1\"";
    refused(&rfl_import_papi, "{\"papi_version\":\"7.0\",\"threads\":{\"0\":", "not JSON");
    for (size_t i = 0; i < 64; i++)
        snprintf(many + strlen(many), sizeof many - strlen(many), ",\"e%zu\":\"1\"", i);
    snprintf(text, sizeof text, REGION("%s"), many);
    refused(&rfl_import_papi, text, "more than 59 events");
    /* regions whose parents are not before them are no hierarchy */
    assert_int_equal(import_text(&rfl_import_papi,
                                 "{\"threads\":{\"0\":{\"regions\":{\"0\":{\"name\":\"a\","
                                 "\"parent_region_id\":\"1\"},\"1\":{\"name\":\"a\","
                                 "\"parent_region_id\":\"1\"}}}}}",
                                 NULL),
                     ERT_OK);
    assert_close(point("a")->launches, 2, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(executions_are_added_and_the_longest_thread_counts),
        cmocka_unit_test(a_region_within_itself_counts_once),
        cmocka_unit_test(files_of_6_0_have_no_times),
        cmocka_unit_test(native_events_are_those_of_the_table),
        cmocka_unit_test(counts_are_not_added_twice_or_guessed),
        cmocka_unit_test(bad_input_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, free_points);
}
