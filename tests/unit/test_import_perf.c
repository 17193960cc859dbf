/* perf and PAPI: operations, memory, time, and what is missing. */
#include "tests/unit/import_cpu_fixture.h"

static void skylake_counts_operations(void **state)
{
    (void)state;
    import("perf/skylake.csv");
    const struct rfl_point *run = point("whole run");
    assert_close(flops(run, "fp64"), 1e6 + 2 * 2e6 + 4 * 3e9 + 8 * 4e9, 0);
    assert_close(flops(run, "fp32"), 500, 0);
    assert_true(isnan(run->work[0].fma_share));
    assert_close(run->time_s, 2, 1e-12);
    assert_close(run->clock_hz, 3e9, 1e-12);
    assert_close(run->instructions, 31e9, 0);
    assert_true(warns(run, "256b_packed_double:u ran 50.01 %"));
    assert_true(warns(run, "512b_packed_single:u is not supported"));
    assert_contains(missing(run, "DRAM bytes"), "cas_count_read");
}

static void scaled_memory_is_in_MiB(void **state)
{
    (void)state;
    import("perf/sockets.csv");
    const struct rfl_point *run = point("whole run");
    assert_close(bytes(run, "DRAM"), (199.87 + 89.92 + 293.57 + 226.15) * 1048576, 1e-12);
    assert_contains(missing(run, "time"), "duration_time");
    assert_true(warns(run, "whole machine"));
}

static void software_events_give_time_alone(void **state)
{
    (void)state;
    import("perf/software.csv");
    const struct rfl_point *run = point("whole run");
    assert_close(run->time_s, 0.10270139, 1e-9);
    missing(run, "operations");
}

static void row(const char *text)
{
    if (import_text(&rfl_import_perf, text, NULL) != ERT_OK)
        fail_msg("%s: %s", text, error.text);
    assert_int_equal(points.n, 1);
}

static void layouts_and_separators(void **state)
{
    (void)state;
    row("1000,,unc_m_cas_count.rd,1,100.00\n24,,unc_m_cas_count.wr,1,100.00\n");
    assert_close(bytes(&points.points[0], "DRAM"), 64.0 * 1024, 0);
    row("S0\t4\t7\t\tcpu_core/instructions/u\t5\t100.00\t\t\n");
    assert_close(points.points[0].instructions, 7, 0);
    row("CPU0|7||instructions:u|5|100.00||\nCPU1|8||instructions:u|5|100.00||\n");
    assert_close(points.points[0].instructions, 15, 0);
    row("7;;instructions;0.50%;5;100.00;;\n"); /* -r: variance */
    assert_close(points.points[0].instructions, 7, 0);
    row("7;;instructions;group_a;5;99.00;;\n"); /* cgroup */
    assert_close(points.points[0].instructions, 7, 0);
    row("64,Bytes,unc_m_cas_count.all,1,100.00\n");
    assert_close(bytes(&points.points[0], "DRAM"), 64, 0);
    row("5,,fp_ret_sse_avx_ops.all,1,100.00\n"); /* AMD */
    assert_close(flops(&points.points[0], "fp64"), 5, 0);
    assert_true(warns(&points.points[0], "fp64 and fp32 operations alike"));
}

static void what_was_not_counted_is_missing(void **state)
{
    (void)state;
    row("5,,fp_arith_inst_retired.scalar_double,1,100.00\n"
        "<not counted>,,fp_arith_inst_retired.256b_packed_double,0,100.00\n"
        "7,MiB,uncore_imc/cas_count_read/,1,100.00\n"
        "<not counted>,MiB,uncore_imc/cas_count_write/,0,100.00\n"
        "7,,fp_arith_inst_retired.4_flops,1,100.00\n");
    assert_int_equal(points.points[0].n_work, 0);
    assert_int_equal(points.points[0].n_traffic, 0);
    assert_contains(missing(&points.points[0], "fp64 flops"), "256b_packed_double");
    assert_contains(missing(&points.points[0], "DRAM bytes"), "cas_count_write");
    assert_true(warns(&points.points[0], ".4_flops"));
    row("7,MiB,uncore_imc/cas_count_read/,1,100.00\n");
    assert_contains(missing(&points.points[0], "DRAM bytes"), "only reads");
}

static void bad_perf_is_refused(void **state)
{
    (void)state;
    refused(&rfl_import_perf, "     1.001720870,171778714,,instructions:u,3203,100.00,,\n",
            "perf stat -I");
    refused(&rfl_import_perf, "     1.00,S0,1,1491.27,MiB,uncore_imc/x/,510,100.00\n",
            "perf stat -I");
    refused(&rfl_import_perf, "1,23;msec;task-clock;5;100.00\n", "LC_ALL=C");
    refused(&rfl_import_perf, "5,furlongs,uncore_imc/cas_count_read/,5,100.00\n",
            "'furlongs' is not known");
    refused(&rfl_import_perf, "5,MiB,instructions,5,100.00\n", "'MiB' is not known");
}

static void papi_adds_threads_up(void **state)
{
    (void)state;
    import("papi/rank_000000.json");
    const struct rfl_point *loop = point("loop"), *whole = point("main");
    assert_int_equal(points.n, 2);
    assert_close(flops(loop, "fp64"), 11000000001.0, 0);
    assert_close(loop->time_s, 2.5, 1e-12); /* 1 + 1 on one thread, 2.5 on the other */
    assert_close(loop->threads, 2, 0);
    assert_close(loop->launches, 2, 0);
    assert_close(loop->instructions, 14e9, 0);
    assert_true(warns(loop, "inside of region 'main'"));
    assert_close(whole->clock_hz, 2e9, 1e-12);
    assert_contains(missing(whole, "bytes"), "not their width");
}

static void papi_6_0_0_is_read(void **state)
{
    (void)state;
    import("papi/old.json");
    const struct rfl_point *work = point("do_work");
    assert_close(work->time_s, 1.015090454, 1e-12);
    assert_close(work->launches, 2, 0);
    assert_close(work->instructions, 31869696, 0);
    assert_contains(missing(work, "operations"), "does not tell");
    const char *native = "{\"threads\": {\"0\": {\"regions\": {\"a\": {"
                         "\"FP_ARITH:SCALAR_DOUBLE\": \"3\", "
                         "\"FP_ARITH:256B_PACKED_DOUBLE\": \"2\"}}}}}";
    assert_int_equal(import_text(&rfl_import_papi, native, NULL), ERT_OK);
    assert_close(flops(point("a"), "fp64"), 11, 0);
}

static void bad_papi_is_refused(void **state)
{
    (void)state;
    refused(&rfl_import_papi, "", "is no JSON");
    refused(&rfl_import_papi, "{\"threads\": 5}", "no 'threads'");
    refused(&rfl_import_papi, "{\"threads\": [5]}", "without regions");
    refused(&rfl_import_papi, "{\"threads\": [{\"regions\": [5]}]}", "empty region");
    refused(&rfl_import_papi, "{\"threads\": {\"0\": {\"regions\": {\"a\": 5}}}}",
            "no object with a name");
    refused(&rfl_import_papi,
            "{\"threads\": {\"0\": {\"regions\": {\"a\": {\"PAPI_DP_OPS\": \"-5\"}}}}}",
            "region 'a': PAPI_DP_OPS: '-5'");
    refused(&rfl_import_papi,
            "{\"threads\": {\"0\": {\"regions\": {\"a\": {\"real_time_nsec\": \"5x\"}}}}}",
            "real_time_nsec");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skylake_counts_operations),
        cmocka_unit_test(scaled_memory_is_in_MiB),
        cmocka_unit_test(software_events_give_time_alone),
        cmocka_unit_test(layouts_and_separators),
        cmocka_unit_test(what_was_not_counted_is_missing),
        cmocka_unit_test(bad_perf_is_refused),
        cmocka_unit_test(papi_adds_threads_up),
        cmocka_unit_test(papi_6_0_0_is_read),
        cmocka_unit_test(bad_papi_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, free_points);
}
