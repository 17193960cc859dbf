/* SPDX-License-Identifier: BSD-3-Clause */
/* nvprof: counts times invocations, and times from other files. */
#include "tests/unit/import_fixture.h"

#include "analysis/ext/import/common.h"

#define HEAD                                                                               \
    "\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric Description\","        \
    "\"Min\",\"Max\",\"Avg\"\n"

#define TRACE(metric)                                                                      \
    "\"Device\",\"Context\",\"Stream\",\"Kernel\",\"Correlation_ID\",\"" metric "\"\n"

static void metrics_times_invocations(void **state)
{
    struct rfl_points points = points_of_files(&plain_options, "nvprof/metrics.csv", NULL);
    assert_int_equal(points.n, 2);
    const struct rfl_point *point = find_point(&points, "k<int=4>");
    const struct rfl_work *work = find_work(point, "fp64", "core");
    assert_close(work->flops, 3000, 0);
    assert_close(work->fma_share, 1200.0 / 1800, 1e-12);
    assert_close(bytes_of(point, "L1"), 3 * 150 * 32, 0);
    assert_close(bytes_of(point, "L2"), 3 * 80 * 32, 0);
    assert_close(bytes_of(point, "HBM"), 3 * 20 * 32, 0);
    assert_close(point->warps_per_sm, 16, 1e-12);
    assert_contains(reason_of(point, "time"), "without --metrics");
    point = find_point(&points, "other");
    assert_close(find_work(point, "fp32", "core")->flops, 10 + 20 + 2 * 35, 0);
    assert_close(find_work(point, "fp32", "core")->fma_share, 35.0 / 65, 1e-12);
    assert_string_equal(reason_of(point, "HBM bytes"), "no metric dram_write_transactions");
    rfl_points_free(&points);
}

/* Either order gives the same. */
static void times_join_counts(void **state)
{
    static const char *const orders[][2] = {
        {"nvprof/metrics.csv",       "nvprof/times-summary.csv"},
        {"nvprof/times-summary.csv", "nvprof/metrics.csv"      }
    };
    for (size_t i = 0; i < 2; i++) {
        struct rfl_points points =
            points_of_files(&plain_options, orders[i][0], orders[i][1], NULL);
        assert_int_equal(points.n, 2);
        const struct rfl_point *point = find_point(&points, "k<int=4>");
        assert_close(point->time_s, 6e-3, 1e-12);
        assert_close(rfl_point_flops(point), 3000, 0);
        assert_int_equal(point->n_missing, 0);
        assert_int_equal(point->n_warnings, 0);
        assert_contains(point->source, "metrics.csv");
        assert_contains(point->source, "times-summary.csv");
        assert_close(find_point(&points, "other")->time_s, 1.5e-3, 1e-12);
        rfl_points_free(&points);
    }
}

/* Two launches of 1 and 3 ms in the trace, three that were counted. */
static void a_trace_of_fewer_launches_is_scaled(void **state)
{
    struct rfl_points points = points_of_files(&plain_options, "nvprof/times-trace.csv",
                                               "nvprof/metrics.csv", NULL);
    const struct rfl_point *point = find_point(&points, "k<int=4>");
    assert_close(point->time_s, 6e-3, 1e-12);
    assert_close(point->launches, 3, 0);
    assert_contains(point->warnings[0], "timed in 2 launches and counted in 3");
    rfl_points_free(&points);
}

static void bad_input_is_named(void **state)
{
    refuses(&rfl_import_nvprof, HEAD "\"d\",\"k\",2,\"flop_count_dp\"\n",
            "row 2: 4 columns, must be 8");
    refuses(&rfl_import_nvprof,
            "\"Time(%)\",\"Time\",\"Calls\",\"Name\"\n%,weeks,,\n50,1,1,\"k\"\n",
            "'weeks'");
    refuses(&rfl_import_nvprof,
            "==1== Warning: ERR_NVGPUCTRPERM - The user does not have permission\n",
            "not allowed");
    refuses(&rfl_import_nvprof,
            "==1== NVPROF is profiling process 1, command: a\n==1== No kernels were "
            "profiled.\n",
            "no kernel was profiled");
    refuses(&rfl_import_nvprof,
            "==1== NVPROF is profiling process 1, command: a\nresult 1, 2\n",
            "no table of times or of metrics");
    refuses(&rfl_import_nvprof,
            "==1== Profiling result:\nInvocations  Metric Name  Metric Description  Min\n",
            "nvprof --csv --log-file");
    refuses(&rfl_import_nvprof,
            "==1== Profiling result:\n   Start  Duration            Grid Size\n",
            "nvprof --csv --log-file");
    refuses(&rfl_import_nvprof,
            "==1== Profiling result:\n Device  Context  Stream  Kernel\n",
            "nvprof --csv --log-file");
    refuses(&rfl_import_nvprof, TRACE("ipc") "\"d\",\"1\",\"7\",\"k\",1,0.5\n",
            "no table of times or of metrics that are read");
    refuses(&rfl_import_nvprof,
            TRACE("dram_read_bytes") ",,,,,KB\n\"d\",\"1\",\"7\",\"k\",1,5\n",
            "dram_read_bytes in 'KB', must have no unit");
    refuses(&rfl_import_nvprof, TRACE("flop_count_dp") "\"d\",\"1\",\"7\",\"k\",1\n",
            "row 2: 5 columns, must be 6");
}

/* Launches of 900 and 1100 operations, with --list each for itself. */
static void a_row_per_launch(void **state)
{
    struct rfl_points points =
        points_of_files(&plain_options, "nvprof/metrics-trace.csv", NULL);
    assert_int_equal(points.n, 2);
    const struct rfl_point *point = find_point(&points, "k<int=4>");
    assert_close(point->launches, 2, 0);
    assert_close(find_work(point, "fp64", "core")->flops, 2000, 0);
    assert_close(find_work(point, "fp64", "core")->fma_share, 800.0 / 1200, 1e-12);
    assert_close(bytes_of(point, "HBM"), (10 + 4 + 30 + 6) * 32, 0);
    assert_close(rfl_point_traffic(point, "HBM")->read_bytes, 40 * 32, 0);
    assert_close(point->warps_per_sm, 16, 1e-12);
    assert_contains(reason_of(point, "time"), "without --metrics");
    rfl_points_free(&points);
    const struct rfl_import_options listed = {.list = true};
    points = points_of_files(&listed, "nvprof/metrics-trace.csv", "nvprof/times-trace.csv",
                             NULL);
    assert_int_equal(points.n, 4); /* the second launch of the times is another kernel */
    point = find_point(&points, "k<int=4> #1");
    assert_close(find_work(point, "fp64", "core")->flops, 900, 0);
    assert_close(point->time_s, 1e-3, 1e-12);
    point = find_point(&points, "k<int=4> #3");
    assert_close(find_work(point, "fp64", "core")->flops, 1100, 0);
    assert_close(find_point(&points, "k<int=4> #2")->time_s, 3e-3, 1e-12);
    rfl_points_free(&points);
}

/* Launches of two processes are two runs; a cell that is no number leaves no sum. */
static void launches_of_processes(void **state)
{
    struct rfl_points points = points_of(
        &rfl_import_nvprof,
        "==1== Profiling result:\n" TRACE(
            "flop_count_dp") "\"d\",\"1\",\"7\",\"k\",1,5\n\"d\",\"1\",\"7\",\"k\",2,6\n"
                             "==2== Profiling result:\n" TRACE(
                                 "flop_count_dp") "\"d\",\"1\",\"7\",\"k\",1,x\n\"d\","
                                                  "\"1\",\"7\",\"k\",2,7\n",
        &plain_options);
    assert_int_equal(points.n, 2);
    assert_close(find_work(&points.points[0], "fp64", "core")->flops, 11, 0);
    assert_string_equal(points.points[1].run, "d, run 2");
    assert_contains(reason_of(&points.points[1], "fp64 flops"), "'x'");
    rfl_points_free(&points);
}

/* Without quotes, and without commas. */
static void times_of_other_forms(void **state)
{
    static const char *const files[] = {"nvprof/times-old.csv", "nvprof/times-screen.txt"};
    for (size_t i = 0; i < 2; i++) {
        struct rfl_points points = points_of_files(&plain_options, files[i], NULL);
        assert_int_equal(points.n, 2);
        const struct rfl_point *point = find_point(&points, "k<int=4>");
        assert_close(point->time_s, 6e-3, 1e-12);
        assert_close(point->launches, 3, 0);
        assert_close(find_point(&points, "other")->time_s, 1.5e-3, 1e-12);
        rfl_points_free(&points);
    }
    struct rfl_points points =
        points_of(&rfl_import_nvprof,
                  "======== Profiling result:\nStart,Duration,Grid Size,Device,Name\n"
                  "ms,us,,,\n1.0,5.0,(1 1 1),0,\"k(int, int) [9]\"\n"
                  "2.0,7.0,(1 1 1),0,\"k(int, int) [10]\"\n",
                  &plain_options);
    assert_close(find_point(&points, "k")->time_s, 12e-6, 1e-12);
    rfl_points_free(&points);
    points = points_of(&rfl_import_nvprof,
                       "Device,Kernel,Invocations,Metric Name,Min,Max,Avg\n"
                       "d,k,2,flop_count_dp,1,1,5\n",
                       &plain_options);
    assert_close(find_work(&points.points[0], "fp64", "core")->flops, 10, 0);
    rfl_points_free(&points);
    points = points_of(&rfl_import_nvprof,
                       "======== Profiling result:\nTime(%) Time Calls Avg Min Max Name\n"
                       " 49.52 9.00ms 101 92.68us 92.31us 94.31us dct(float*, int)\n",
                       &plain_options);
    assert_close(find_point(&points, "dct")->time_s, 9e-3, 1e-12);
    assert_close(find_point(&points, "dct")->launches, 101, 0);
    assert_true(rfl_import_nvprof.recognizes("Time(%),Time,Calls,Avg,Min,Max,Name\n"));
    assert_true(rfl_import_nvprof.recognizes(TRACE("flop_count_dp")));
    rfl_points_free(&points);
}

/* The tables of two processes that launched the same kernel are two runs; those of two passes are one. */
static void tables_of_processes(void **state)
{
    struct rfl_points points = points_of(
        &rfl_import_nvprof,
        "==1== Metric result:\n" HEAD "\"d\",\"k\",2,\"flop_count_dp\",\"\",1,1,5\n"
        "==2== Metric result:\n" HEAD "\"d\",\"k\",2,\"flop_count_dp\",\"\",1,1,7\n"
        "==3== Metric result:\n" HEAD "\"d\",\"k\",2,\"dram_read_bytes\",\"\",1,1,3\n"
        "\"d\",\"k\",2,\"dram_write_bytes\",\"\",1,1,1\n",
        &plain_options);
    assert_int_equal(points.n, 2);
    assert_close(find_work(&points.points[0], "fp64", "core")->flops, 10, 0);
    assert_close(bytes_of(&points.points[0], "HBM"), 8, 0);
    assert_close(find_work(&points.points[1], "fp64", "core")->flops, 14, 0);
    assert_string_equal(points.points[1].run, "d, run 2");
    rfl_points_free(&points);
}

static void bad_cells_and_signs(void **state)
{
    struct rfl_points more =
        points_of(&rfl_import_nvprof,
                  HEAD "\"d\",\"k\",1,\"flop_count_dp\",\"\",1,1,5\n"
                       "\"d\",\"k\",1,\"flop_count_dp_fma\",\"\",1,1,5\n",
                  &plain_options);
    assert_close(find_work(&more.points[0], "fp64", "core")->flops, 5, 0);
    assert_true(isnan(find_work(&more.points[0], "fp64", "core")->fma_share));
    assert_contains(more.points[0].warnings[0], "more than there are operations");
    rfl_points_free(&more);
    struct rfl_points points = points_of(
        &rfl_import_nvprof,
        HEAD "\"d\",\"k\",2,\"flop_count_dp\",\"\",1,1,5%\n"
             "\"d\",\"k\",2,\"flop_count_sp\",\"\",1,1,5\n"
             "\"d\",\"k\",2,\"tensor_precision_fu_utilization\",\"\",Low,Low,Mid (5)\n"
             "\"d\",\"k\",2,\"tensor_int_fu_utilization\",\"\",Idle,Idle,Idle (0)\n"
             "\"d\",\"k\",2,\"dram_read_throughput\",\"\",1,1,7.5GB/s\n",
        &plain_options);
    const struct rfl_point *point = &points.points[0];
    assert_contains(reason_of(point, "fp64 flops"), "row 2: flop_count_dp: '5%'");
    assert_close(find_work(point, "fp32", "core")->flops, 10, 0);
    assert_contains(reason_of(point, "tensor operations"), "tensor_*_utilization");
    assert_contains(reason_of(point, "HBM bytes"), "dram_read_transactions");
    rfl_points_free(&points);
}

static void names_of_kernels(void **state)
{
    static const struct {
        const char *full, *shorter;
    } rows[] = {
        {"void k<4>(float *, int)",                "k<4>"               },
        {"k(int) const",                           "k"                  },
        {"void (anonymous namespace)::k(int)",     "k"                  },
        {"void f<g<int(*)(float)>>(h, int (*)())", "f<g<int(*)(float)>>"},
        {"S::operator()",                          "S::operator()"      },
        {"S::operator()(int)",                     "S::operator()"      },
        {"gpp_29",                                 "gpp_29"             },
        {"(x)",                                    "(x)"                },
        {"))",                                     "))"                 },
        {"void ",                                  "void "              },
        {"",                                       ""                   },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *text = rfl_name_plain(rows[i].full);
        assert_string_equal(text, rows[i].shorter);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_times_invocations),
        cmocka_unit_test(times_join_counts),
        cmocka_unit_test(a_trace_of_fewer_launches_is_scaled),
        cmocka_unit_test(bad_input_is_named),
        cmocka_unit_test(tables_of_processes),
        cmocka_unit_test(bad_cells_and_signs),
        cmocka_unit_test(names_of_kernels),
        cmocka_unit_test(a_row_per_launch),
        cmocka_unit_test(launches_of_processes),
        cmocka_unit_test(times_of_other_forms),
    };
    return cmocka_run_group_tests_name("nvprof", tests, NULL, NULL);
}
