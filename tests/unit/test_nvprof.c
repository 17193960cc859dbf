/* SPDX-License-Identifier: BSD-3-Clause */
/* nvprof: counts times invocations, and times from other files. */
#include "tests/unit/import_fixture.h"

#include "analysis/ext/import/common.h"

#define HEAD                                                                               \
    "\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\",\"Metric Description\","        \
    "\"Min\",\"Max\",\"Avg\"\n"

static void metrics_times_invocations(void **state)
{
    (void)state;
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
    (void)state;
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
    (void)state;
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
    (void)state;
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
            "==1== Profiling result:\n Time(%) Time Calls\n 50% 1s 1 1s 1s 1s k\n",
            "called with --csv?");
}

/* The tables of two processes that launched the same kernel are two runs; those of two passes are one. */
static void tables_of_processes(void **state)
{
    (void)state;
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
    (void)state;
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
    (void)state;
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
    };
    return cmocka_run_group_tests_name("nvprof", tests, NULL, NULL);
}
