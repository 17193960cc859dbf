/* SPDX-License-Identifier: BSD-3-Clause */
/* ncu: Nsight Compute's CSV against counts that are known, and its traps. */
#include "ert/ext/ncu/units.h"
#include "tests/unit/import_fixture.h"

#include <unistd.h>

#define HEAD                                                                               \
    "\"ID\",\"Process ID\",\"Kernel Name\",\"Device\",\"CC\",\"Metric Name\","             \
    "\"Metric Unit\",\"Metric Value\"\n"
#define ROW(id, process, kernel, cc, name, unit, value)                                    \
    "\"" id "\",\"" process "\",\"" kernel "\",\"0\",\"" cc "\",\"" name "\",\"" unit      \
    "\",\"" value "\"\n"

/* 65536 threads: 64 FMAs and 16 additions each, twice; 64 FMAs of pairs; 256 * 16 products. */
static void a_long_file_of_known_work(void **state)
{
    (void)state;
    struct rfl_points points = points_of_files(&plain_options, "ncu/h200-long.csv", NULL);
    assert_int_equal(points.n, 3);
    assert_string_equal(points.origin, "Nsight Compute, cc 9.0");
    const struct rfl_point *point = find_point(&points, "fma_k<double, 64>");
    const struct rfl_work *work = find_work(point, "fp64", "core");
    assert_close(point->launches, 2, 0);
    assert_close(point->time_s, 2 * 3264e-9, 1e-12);
    assert_close(work->flops, 2.0 * 65536 * (2 * 64 + 16), 0);
    assert_close(work->fma_share, 0.8, 1e-12);
    assert_close(bytes_of(point, "L1"), 2 * 1048576, 0);
    assert_close(bytes_of(point, "L2"), 2 * 32768 * 32, 0);
    assert_close(bytes_of(point, "HBM"), 2 * 528896, 0);
    assert_close(point->instructions, 2 * 233472, 0);
    assert_contains(reason_of(point, "int32 operations"), "left out");
    assert_string_equal(point->run, "");
    work = find_work(find_point(&points, "half2_k"), "fp16", "core");
    assert_close(work->flops, 65536.0 * 64 * 4, 0);
    work = find_work(find_point(&points, "wmma_k"), "fp16", "tensor");
    assert_close(work->flops, 256.0 * 16 * 2 * 16 * 16 * 16, 0);
    assert_true(isnan(work->fma_share));
    rfl_points_free(&points);
}

static void the_raw_page_of_a_full_set(void **state)
{
    (void)state;
    struct rfl_points points =
        points_of_files(&plain_options, "ncu/h200-full-raw.csv", NULL);
    const struct rfl_point *point = find_point(&points, "fma_k<double, 64>");
    assert_string_equal(points.origin, "Nsight Compute, NVIDIA H200, cc 9.0");
    /* per cycle with two decimals, times cycles with two decimals */
    assert_close(find_work(point, "fp64", "core")->flops, 2.0 * 65536 * 144, 2e-5);
    assert_close(bytes_of(point, "L1"), 2 * 1048576, 0);
    assert_close(bytes_of(point, "L2"), 2 * 32768 * 32, 0);
    assert_close(bytes_of(point, "HBM"), 2 * 528896, 0);
    assert_close(bytes_of(point, "shared"), 0, 0);
    assert_close(point->registers, 16, 0);
    /* means weighted by the launches' times */
    assert_close(point->clock_hz,
                 (1418424023.89 * 3328 + 1531629774.31 * 3072) / (3328 + 3072), 1e-9);
    assert_close(point->warps_per_sm, (14.18 * 3328 + 14.52 * 3072) / (3328 + 3072), 1e-9);
    rfl_points_free(&points);
}

static void the_details_page_by_its_labels(void **state)
{
    (void)state;
    struct rfl_points points =
        points_of_files(&plain_options, "ncu/h200-details.csv", NULL);
    const struct rfl_point *point = find_point(&points, "fma_k<double, 64>");
    assert_close(point->time_s, 6.336e-6, 1e-9);
    assert_close(point->registers, 16, 0);
    assert_in_range((uint64_t)point->clock_hz, 1000000000, 2000000000);
    assert_in_range((uint64_t)point->memory_clock_hz, 3000000000, 3300000000);
    /* "Memory Throughput" in per cent is not the one in bytes per second */
    assert_null(rfl_point_traffic(point, "HBM"));
    assert_string_equal(reason_of(point, "HBM bytes"), "no metric dram__bytes.sum");
    assert_contains(reason_of(point, "operations"), "sm__sass_thread_inst_executed_op");
    rfl_points_free(&points);
}

/* a[i] = b[i] + 3 c[i] of 2^27 doubles: what its hierarchical chart has. */
static void the_raw_page_of_the_roofline_set(void **state)
{
    (void)state;
    const double arrays = 2 * 8 * 0x1p27;
    struct rfl_points points =
        points_of_files(&plain_options, "ncu/h200-roofline-raw.csv", NULL);
    const struct rfl_point *point = find_point(&points, "triad");
    assert_close(find_work(point, "fp64", "core")->flops, 0x1p28, 1e-4);
    assert_close(bytes_of(point, "L1"), arrays, 1e-3);
    assert_close(bytes_of(point, "L2"), arrays, 1e-3);
    assert_close(bytes_of(point, "HBM"), 1.5 * arrays, 5e-3);
    assert_in_range(point->n_warnings, 1, RFL_MAX_WARNINGS);
    assert_contains(point->warnings[0], "without stores");
    assert_string_equal(reason_of(point, "metrics"), "");
    point = find_point(&points, "wmma_k");
    assert_close(find_work(point, "fp16", "tensor")->flops, 256.0 * 16 * 2 * 16 * 16 * 16,
                 0);
    rfl_points_free(&points);
}

/* One kernel of FP32 alone has no constants of HFMA2, the other two in each of 2^20 threads. */
static void constants_are_no_work(void **state)
{
    (void)state;
    struct rfl_points points =
        points_of_files(&plain_options, "ncu/h200-constants.csv", NULL);
    const struct rfl_point *point = find_point(&points, "polynomial");
    assert_close(find_work(point, "fp32", "core")->flops, 36 * 0x1p20, 0);
    assert_int_equal(point->n_work, 1);
    assert_int_equal(point->n_warnings, 0);
    point = find_point(&points, "exponential");
    assert_close(find_work(point, "fp32", "core")->flops, 86 * 0x1p20, 0);
    assert_int_equal(point->n_work, 1);
    assert_contains(point->warnings[0], "2.097e+06 HFMA2");
    rfl_points_free(&points);
}

static void the_details_page_of_the_full_set(void **state)
{
    (void)state;
    struct rfl_points points =
        points_of_files(&plain_options, "ncu/h200-full-details.csv", NULL);
    const struct rfl_point *point = find_point(&points, "triad");
    assert_close(point->instructions, 71524928, 0);
    assert_close(bytes_of(point, "HBM"), 3767233630113.83 * 851808e-9, 1e-12);
    assert_close(point->warps_per_sm, 59.68, 1e-12);
    rfl_points_free(&points);
}

/* How many points have it missing; *reason: of the last. */
static size_t count_missing(const struct rfl_points *points, const char *what,
                            const char **reason)
{
    size_t n = 0;
    for (size_t i = 0; i < points->n; i++)
        if (*reason_of(&points->points[i], what)) {
            *reason = reason_of(&points->points[i], what);
            n++;
        }
    return n;
}

static void what_would_bring_the_metrics_is_said_once(void **state)
{
    (void)state;
    const char *reason = "";
    struct rfl_points points =
        points_of_files(&plain_options, "ncu/h200-details.csv", NULL);
    assert_in_range(points.n, 2, 9);
    assert_int_equal(count_missing(&points, "metrics", &reason), 1);
    assert_contains(reason, "`ncu --import FILE.ncu-rep --csv --page raw`");
    rfl_points_free(&points);
    points = points_of(&rfl_import_ncu,
                       HEAD ROW("0", "1", "a", "9.0", "gpu__time_duration.sum", "ns", "9")
                           ROW("1", "1", "b", "9.0", "gpu__time_duration.sum", "ns", "9"),
                       &plain_options);
    assert_int_equal(count_missing(&points, "metrics", &reason), 1);
    assert_contains(reason, "`roofline record -- PROGRAM`");
    rfl_points_free(&points);
}

static void launches_by_grid_and_block(void **state)
{
    (void)state;
    const struct rfl_import_options how = {.by_configuration = true};
    struct rfl_points points = points_of_files(&how, "ncu/planted.csv", NULL);
    assert_int_equal(points.n, 3);
    assert_string_equal(points.points[1].name, "_Z4bulkIdLi64EEvPT_i");
    assert_string_equal(points.points[1].run, "grid (512, 1, 1), block (256, 1, 1)");
    assert_close(points.points[1].instructions, 1000, 0);
    rfl_points_free(&points);
}

/* Scaled units, failed launches, sums and means by hand. */
static void units_and_failed_launches(void **state)
{
    (void)state;
    struct rfl_points points = points_of_files(&plain_options, "ncu/failed.csv", NULL);
    assert_int_equal(points.n, 3);
    const struct rfl_point *point = find_point(&points, "a::k<int, 2>");
    assert_close(point->launches, 2, 0);
    assert_close(point->time_s, 2e-3, 1e-12);
    assert_close(bytes_of(point, "HBM"), 300e6, 1e-12);
    assert_close(bytes_of(point, "L1"), 2e9, 1e-12);
    assert_close(bytes_of(point, "L2"), 500e6, 1e-12);
    assert_close(point->clock_hz, (1.25e9 * 1.5 + 1.75e9 * 0.5) / 2, 1e-12);
    assert_close(find_work(point, "fp64", "core")->fma_share, 4.0 / 7, 1e-12);
    assert_int_equal(point->n_warnings, 1);
    assert_contains(point->warnings[0], "1 of 3 launches failed");
    assert_contains(point->warnings[0], "row 8: gpu__time_duration.sum");
    assert_contains(reason_of(point, "fp16 tensor flops"), "cc 7.0 only");
    point = find_point(&points, "broken");
    assert_close(point->launches, 0, 0);
    assert_contains(reason_of(point, "time"), "row 9: gpu__time_duration.sum");
    point = find_point(&points, "partly");
    assert_string_equal(reason_of(point, "HBM bytes"), "row 10: dram__bytes.sum: 'nan'");
    assert_contains(reason_of(point, "L2 bytes"), "0 bytes");
    rfl_points_free(&points);
}

static void each_launch_or_one_kernel(void **state)
{
    (void)state;
    const struct rfl_import_options list = {.list = true}, only = {.region = "broken("};
    struct rfl_points points = points_of_files(&list, "ncu/failed.csv", NULL);
    assert_int_equal(points.n, 5);
    assert_string_equal(points.points[1].name, "a::k<int, 2> #1");
    assert_close(points.points[1].time_s, 5e-4, 1e-12);
    rfl_points_free(&points);
    points = points_of_files(&only, "ncu/failed.csv", NULL);
    assert_int_equal(points.n, 1);
    rfl_points_free(&points);
}

/* A run of the program that collects one metric of the launches 0 and 1 of a kernel. */
#define OF_ONE(process, name, unit, value)                                                 \
    ROW("0", process, "k", "9.0", name, unit, value)                                       \
    ROW("1", process, "k", "9.0", name, unit, "3")
#define TIME(process) OF_ONE(process, "gpu__time_duration.sum", "s", "1")
#define OP(process, op)                                                                    \
    OF_ONE(process, "sm__sass_thread_inst_executed_op_" op "_pred_on.sum", "inst", "5")
#define BYTES(process) OF_ONE(process, "dram__bytes.sum", "byte", "100")

static void runs_of_few_metrics_are_joined(void **state)
{
    (void)state;
    const struct rfl_import_options list = {.list = true};
    static const char text[] =
        HEAD TIME("1") HEAD OP("2", "dadd") OP("3", "dmul") HEAD OP("4", "dfma") BYTES("5");
    struct rfl_points points = points_of(&rfl_import_ncu, text, &plain_options);
    assert_int_equal(points.n, 1);
    assert_close(points.points[0].launches, 2, 0);
    assert_close(points.points[0].time_s, 4, 1e-12);
    assert_close(find_work(&points.points[0], "fp64", "core")->flops, 4 * (5 + 3), 0);
    assert_close(bytes_of(&points.points[0], "HBM"), 103, 0);
    assert_int_equal(points.points[0].n_warnings, 1);
    assert_contains(points.points[0].warnings[0], "joined from 5 runs");
    rfl_points_free(&points);
    points = points_of(&rfl_import_ncu, text, &list);
    assert_int_equal(points.n, 2);
    assert_string_equal(points.points[1].name, "k #1");
    assert_close(find_work(&points.points[1], "fp64", "core")->flops, 4 * 3, 0);
    rfl_points_free(&points);
}

/* Process 2 has what 1 has: another rank, of which nothing is known to be of its launches. */
static void ranks_of_few_metrics_are_not_joined(void **state)
{
    (void)state;
    struct rfl_points points =
        points_of(&rfl_import_ncu, HEAD TIME("1") TIME("2") BYTES("3"), &plain_options);
    assert_int_equal(points.n, 2);
    assert_close(bytes_of(&points.points[0], "HBM"), 103, 0);
    assert_string_equal(points.points[1].run, "process 2, device 0");
    assert_close(points.points[1].time_s, 4, 1e-12);
    assert_close(bytes_of(&points.points[1], "HBM"), 0, 0);
    assert_int_equal(points.points[1].n_warnings, 0);
    rfl_points_free(&points);
}

/* The second run has no launch 1, or one that the first has not: it has no counterpart. */
static void launches_of_one_run_alone_are_incomplete(void **state)
{
    (void)state;
    struct rfl_points points = points_of(
        &rfl_import_ncu,
        HEAD TIME("1") ROW("0", "2", "k", "9.0", "dram__bytes.sum", "byte", "100"),
        &plain_options);
    assert_int_equal(points.n, 1);
    assert_close(points.points[0].time_s, 4, 1e-12);
    assert_contains(reason_of(&points.points[0], "HBM bytes"), "no metric dram__bytes.sum");
    rfl_points_free(&points);
    points = points_of(&rfl_import_ncu,
                       HEAD TIME("1") BYTES("2")
                           ROW("2", "2", "k", "9.0", "dram__bytes.sum", "byte", "7"),
                       &plain_options);
    assert_int_equal(points.n, 2);
    assert_close(bytes_of(&points.points[0], "HBM"), 103, 0);
    assert_close(bytes_of(&points.points[1], "HBM"), 7, 0);
    assert_contains(reason_of(&points.points[1], "time"), "no metric");
    rfl_points_free(&points);
}

/* Tensor instructions have a size on cc 7.0 alone; what the file says counts more than what is stated. */
static void a_stated_compute_capability(void **state)
{
    (void)state;
    const struct rfl_import_options volta = {.cc = 7.0};
    const char *const texts[] = {
        HEAD ROW("0", "1", "k", "", "sm__inst_executed_pipe_tensor.sum", "inst", "2"),
        HEAD ROW("0", "1", "k", "9.0", "sm__inst_executed_pipe_tensor.sum", "inst", "2")};
    for (size_t i = 0; i < 2; i++) {
        struct rfl_points points = points_of(&rfl_import_ncu, texts[i], &volta);
        assert_close(rfl_point_flops(&points.points[0]), i == 0 ? 2 * 512 : 0, 0);
        assert_string_equal(points.origin,
                            i == 0 ? "Nsight Compute, cc 7.0" : "Nsight Compute, cc 9.0");
        rfl_points_free(&points);
    }
}

static const struct rfl_point *find_part(const struct rfl_points *points, const char *part)
{
    for (size_t i = 0; i < points->n; i++)
        if (strstr(points->points[i].name, part))
            return &points->points[i];
    fail_msg("no point with %s", part);
    return NULL;
}

/*
 * BabelStream 5.0 on arrays of n = 2^25 doubles: init stores three, copy and mul load one and store one, add
 * and triad load two and store one, dot loads two. Operations per element: none, none, 1, 1, 2, 2; dot also
 * sums up 528 groups of 1024 threads: 528 x 1023 additions, which has no warp's alone.
 */
static const struct {
    const char *name;
    double loads, stores, operations, fma_share;
} babelstream[] = {
    {"::init_arrays(", 0, 3, 0, 0},
    {"::copy()",       1, 1, 0, 0},
    {"::mul()",        1, 1, 1, 0},
    {"::add()",        2, 1, 1, 0},
    {"::triad()",      2, 1, 2, 1},
    {"dot_kernel",     2, 0, 2, 1},
};

static void babelstream_on_an_h100(void **state)
{
    (void)state;
    const double n = 0x1p25, dot_sums = 528.0 * 1023;
    static const char *const files[] = {"ncu/h100-babelstream-raw.csv",
                                        "ncu/h100-babelstream-long.csv"};
    for (size_t f = 0; f < sizeof files / sizeof files[0]; f++) {
        struct rfl_points points = points_of_files(&plain_options, files[f], NULL);
        assert_int_equal(points.n, sizeof babelstream / sizeof babelstream[0]);
        for (size_t i = 0; i < points.n; i++) {
            const struct rfl_point *point = find_part(&points, babelstream[i].name);
            double bytes = n * 8 * (babelstream[i].loads + babelstream[i].stores);
            bytes *= point->launches;
            assert_close(bytes_of(point, "L1"), bytes, 1e-4);
            assert_close(bytes_of(point, "L2"), bytes, 1e-3);
            /* Some of the last stores stay in L2. */
            assert_close(bytes_of(point, "HBM"), bytes, 0.05);
            if (babelstream[i].operations > 0) {
                const struct rfl_work *work = find_work(point, "fp64", "core");
                assert_close(work->flops, point->launches * n * babelstream[i].operations,
                             1.01 * dot_sums / (2 * n));
                assert_close(work->fma_share, babelstream[i].fma_share, 0.02);
                assert_false(rfl_point_lacks(point, "operations"));
            } else {
                /* Only fp64 was counted: whether they computed in fp32 is unknown. */
                assert_int_equal(point->n_work, 0);
                assert_string_equal(reason_of(point, "operations"),
                                    "0 by dadd + dmul + 2 dfma (sm__sass_thread_inst); "
                                    "no metrics of fp32, fp16");
            }
        }
        rfl_points_free(&points);
    }
}

/* ncu's set has constants of the GPU beside the counts, ".sum.peak_sustained": they are no work. */
static void constants_of_the_gpu_are_no_work(void **state)
{
    (void)state;
    const double n = 0x1p25;
    struct rfl_points points =
        points_of_files(&plain_options, "ncu/h100-babelstream-roofline-raw.csv", NULL);
    for (size_t i = 0; i < points.n; i++)
        for (size_t m = 0; m < points.points[i].n_missing; m++)
            assert_string_equal(points.points[i].missing[m].what, "operations");
    const struct rfl_point *point = find_part(&points, "::init_arrays(");
    assert_string_equal(reason_of(point, "operations"), "no operations were counted");
    point = find_part(&points, "::add()");
    assert_close(find_work(point, "fp64", "core")->flops, n, 1e-4);
    assert_close(bytes_of(point, "L2"), 2 * 8 * n, 2e-3); /* loads alone */
    assert_close(bytes_of(point, "HBM"), 3 * 8 * n, 0.05);
    for (size_t w = 0; w < point->n_warnings; w++)
        assert_null(strstr(point->warnings[w], "write-allocates"));
    rfl_points_free(&points);
    points = points_of_files(&plain_options, "ncu/h100-babelstream-details.csv", NULL);
    point = find_part(&points, "::add()");
    assert_close(bytes_of(point, "HBM"), 3 * 8 * n, 0.05);
    assert_close(point->time_s, 260256e-9, 1e-12);
    rfl_points_free(&points);
}

/* mixbench: each thread loads 32 elements; of its types only double has metrics in this file. */
static void a_type_without_metrics_is_named(void **state)
{
    (void)state;
    struct rfl_points points =
        points_of_files(&plain_options, "ncu/h100-mixbench-raw.csv", NULL);
    const struct rfl_point *point = find_part(&points, "<double, 256");
    assert_close(bytes_of(point, "HBM"), 4096.0 * 256 * 32 * 8, 0.01);
    /* An FMA for each two elements */
    assert_close(find_work(point, "fp64", "core")->flops, 2 * 4096.0 * 256 * 32 / 2, 0);
    point = find_part(&points, "<float, 256, 8, 4, 0, 0>");
    assert_close(bytes_of(point, "L1"), 4096.0 * 256 * 32 * 4, 0);
    assert_contains(reason_of(point, "operations"), "no metrics of fp32, fp16");
    rfl_points_free(&points);
}

/* Files of users, where they are at hand. */
static void shared_files_import(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t n;
        double hbm_bytes, flops; /* of the first kernel */
    } files[] = {
        {"ada-gpp-a-long.csv",         1,  134957158144.0,
         122305685313.0 + 371957323851.0 + 2 * 734774600586.0 + 2 * 24541362358.0},
        {"ada-gpp-b-long.csv",         1,  516327794816.0,
         158180752242.0 + 803017623077.0 + 2 * 817773953820.0                    },
        {"ada-gpp-c-long.csv",         1,  31931435264.0,  -1                    },
        {"h200-ceilings-raw.csv",      23, -1,             0                     },
        {"h200-gpp-prototype-raw.csv", 11, 49110807552.0,
         66294947282.0 + 88668403300.0 + 2 * 187424652070.0                      },
    };
    const char *source = getenv("top_srcdir");
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        char file[1024];
        struct rfl_points points = {0};
        struct ert_error error = {0};
        snprintf(file, sizeof file, "%s/../shared/data/ncu/%s", source ? source : ".",
                 files[i].name);
        if (rfl_import_file(file, NULL, &plain_options, &points, &error) != ERT_OK)
            fail_msg("%s", error.text);
        assert_int_equal(points.n, files[i].n);
        if (files[i].hbm_bytes >= 0)
            assert_close(bytes_of(&points.points[0], "HBM"), files[i].hbm_bytes, 1e-15);
        if (files[i].flops >= 0)
            assert_close(rfl_point_flops(&points.points[0]), files[i].flops, 1e-15);
        rfl_points_free(&points);
    }
}

/* The files lie beside some checkouts only; the test of them stands last. */
static bool has_shared_files(void)
{
    const char *source = getenv("top_srcdir");
    char folder[1024];
    snprintf(folder, sizeof folder, "%s/../shared/data/ncu", source ? source : ".");
    return access(folder, R_OK) == 0;
}

static void units_of_profilers(void **state)
{
    static const struct {
        const char *unit;
        enum ert_measure measure;
        double factor;
    } rows[] = {
        {"nsecond",       ERT_IN_SECONDS,     1e-9  },
        {"us",            ERT_IN_SECONDS,     1e-6  },
        {"msec",          ERT_IN_SECONDS,     1e-3  },
        {"Kbyte",         ERT_IN_BYTES,       1e3   },
        {"GBytes",        ERT_IN_BYTES,       1e9   },
        {"MiB",           ERT_IN_BYTES,       0x1p20},
        {"MBytes/s",      ERT_IN_BYTES_PER_S, 1e6   },
        {"byte/nsecond",  ERT_IN_BYTES_PER_S, 1e9   },
        {"Ghz",           ERT_IN_HZ,          1e9   },
        {"cycle/nsecond", ERT_IN_HZ,          1e9   },
        {"%",             ERT_IN_PERCENT,     1     },
        {"",              ERT_IN_COUNTS,      1     },
        {"Minst",         ERT_IN_COUNTS,      1e6   },
        {"cycle",         ERT_IN_COUNTS,      1     },
    };
    static const char *const bad[] = {"furlong",   "Mbytes",   "byte/",
                                      "byte/byte", "second/s", "Ms"};
    enum ert_measure measure;
    double factor;
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (!ert_units_read(rows[i].unit, &measure, &factor) || measure != rows[i].measure)
            fail_msg("%s", rows[i].unit);
        assert_close(factor, rows[i].factor, 1e-12);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (ert_units_read(bad[i], &measure, &factor))
            fail_msg("%s", bad[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(units_of_profilers),
        cmocka_unit_test(a_long_file_of_known_work),
        cmocka_unit_test(the_raw_page_of_a_full_set),
        cmocka_unit_test(the_details_page_by_its_labels),
        cmocka_unit_test(the_raw_page_of_the_roofline_set),
        cmocka_unit_test(constants_are_no_work),
        cmocka_unit_test(the_details_page_of_the_full_set),
        cmocka_unit_test(what_would_bring_the_metrics_is_said_once),
        cmocka_unit_test(launches_by_grid_and_block),
        cmocka_unit_test(units_and_failed_launches),
        cmocka_unit_test(each_launch_or_one_kernel),
        cmocka_unit_test(runs_of_few_metrics_are_joined),
        cmocka_unit_test(ranks_of_few_metrics_are_not_joined),
        cmocka_unit_test(launches_of_one_run_alone_are_incomplete),
        cmocka_unit_test(a_stated_compute_capability),
        cmocka_unit_test(babelstream_on_an_h100),
        cmocka_unit_test(constants_of_the_gpu_are_no_work),
        cmocka_unit_test(a_type_without_metrics_is_named),
        cmocka_unit_test(shared_files_import),
    };
    /* cmocka's skip() counts as a failure in TAP. */
    size_t n = sizeof tests / sizeof tests[0] - !has_shared_files();
    return _cmocka_run_group_tests("ncu", tests, n, NULL, NULL);
}
