/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counters: tables of ncu with sums known by hand, and a stand-in for ncu, which says how it was run and
 * prints the launches of a recorded table.
 */
#include "tests/unit/test.h"

#include "gpp/counters.h"

#include "ert/core/base/file.h"

#include <sys/stat.h>
#include <unistd.h>

/* si214, and sizes of 1000 iterations. */
static const struct gpp_sizes si214 = {800, 1385, 11075, 2}, little = {5, 10, 10, 2};

static struct gpp_counting counting;
static struct rfl_points points;
static struct ert_error error;

static void begin(const char *table)
{
    counting = (struct gpp_counting){
        .words = {"--device", "gpu0", "--system", "S"}
    };
    snprintf(counting.table, sizeof counting.table, "%s", table);
    rfl_points_free(&points);
}

/* A point with counts from formulas, as a measured version has it. */
static struct rfl_point *add(enum gpp_version_id id)
{
    struct rfl_point *point = rfl_points_add(&points, gpp_versions[id].name);
    point->time_s = 0.1;
    assert_int_equal(rfl_points_work(point, "fp64", "core", 7000, 0.5, "formula"), ERT_OK);
    assert_int_equal(rfl_points_traffic(point, "HBM", 500, "least"), ERT_OK);
    return point;
}

#define CSV_HEAD                                                                           \
    "==PROF== Connected\n\"ID\",\"Process ID\",\"Kernel Name\","                           \
    "\"sm__sass_thread_inst_executed_op_dadd_pred_on.sum\","                               \
    "\"sm__sass_thread_inst_executed_op_dmul_pred_on.sum\","                               \
    "\"sm__sass_thread_inst_executed_op_dfma_pred_on.sum\","                               \
    "\"lts__t_sectors_srcunit_tex.sum\",\"l1tex__t_sector_hit_rate.pct\","                 \
    "\"launch__registers_per_thread\",\"gpu__time_duration.sum\"\n"                        \
    "\"\",\"\",\"\",\"inst\",\"inst\",\"inst\",\"sector\",\"%\",\"register/thread\","      \
    "\"ns\"\n"
#define CSV_V5                                                                             \
    "\"0\",\"1\",\"void gpp_v5<(int)2>(gpp_cuda_arguments)\",\"1,000\",\"2000\","          \
    "\"3000\",\"10\",\"40\",\"80\",\"300\"\n"                                              \
    "\"1\",\"1\",\"void gpp_v5<(int)2>(gpp_cuda_arguments)\",\"1,000\",\"2000\","          \
    "\"5000\",\"30\",\"80\",\"82\",\"100\"\n"                                              \
    "\"2\",\"1\",\"void gpp_v5<3>(gpp_cuda_arguments)\",\"7\",\"7\",\"7\",\"7\",\"7\","    \
    "\"7\",\"7\"\n"

static enum ert_status read_text(const char *text, enum gpp_version_id id, double launches,
                                 struct rfl_point *point)
{
    static const char file[] = "test_counters.csv";
    assert_int_equal(ert_file_write(file, text, strlen(text), &error), ERT_OK);
    snprintf(counting.table, sizeof counting.table, "%s", file);
    enum ert_status status = gpp_counters_read(&counting, &gpp_versions[id], &little,
                                               launches, &points, point, &error);
    unlink(file);
    return status;
}

/* Two launches are one run of v5: counts are summed, rates weighted by time. */
static void launches_are_folded(void **state)
{
    (void)state;
    begin("");
    struct rfl_point *point = add(GPP_v5);
    assert_int_equal(read_text(CSV_HEAD CSV_V5, GPP_v5, 2, point), ERT_OK);
    assert_close(rfl_point_flops(point), 2000 + 4000 + 2 * 8000, 1e-15);
    assert_close(point->work[0].fma_share, 8000. / 14000, 1e-12);
    assert_contains(point->work[0].recipe, "dfma");
    assert_close(rfl_point_traffic(point, "L2")->bytes, 40 * 32, 1e-15);
    assert_null(rfl_point_traffic(point, "HBM"));
    assert_close(rfl_point_value(point, "dfma"), 8000, 1e-15);
    assert_close(rfl_point_value(point, "l1_hit_fraction"),
                 0.01 * (40 * 300 + 80 * 100) / 400, 1e-12);
    assert_true(isnan(rfl_point_value(point, "l2_hit_fraction")));
    assert_close(rfl_point_value(point, "formula_flops"), 7000, 1e-15);
    assert_close(rfl_point_value(point, "formula_bytes"), 500, 1e-15);
    assert_close(rfl_point_value(point, "profiled_time_s"), 400e-9, 1e-12);
    assert_true(point->time_s == 0.1 && point->n_warnings == 0);
    assert_contains(points.origin, "Nsight Compute");
}

static void parts_of_runs_get_a_warning(void **state)
{
    (void)state;
    begin("");
    struct rfl_point *point = add(GPP_v5);
    assert_int_equal(read_text(CSV_HEAD CSV_V5, GPP_v5, 4, point), ERT_OK);
    assert_contains(point->warnings[0], "2 launches are not a whole number of runs of 4");
}

static void bad_tables_are_refused(void **state)
{
    (void)state;
    begin("");
    struct rfl_point *point = add(GPP_v6);
    const struct rfl_point before = *point;
    assert_int_equal(read_text(CSV_HEAD CSV_V5, GPP_v6, 2, point), ERT_UNAVAILABLE);
    assert_contains(error.text, "no launch of gpp_v6<2>");
    assert_int_equal(read_text("no table\n", GPP_v5, 2, point), ERT_USAGE);
    assert_int_equal(read_text(CSV_HEAD
                               "\"0\",\"1\",\"void gpp_v5<2>(a)\",\"x\",\"1\",\"1\","
                               "\"1\",\"1\",\"1\",\"1\"\n",
                               GPP_v5, 2, point),
                     ERT_USAGE);
    assert_contains(error.text, "dadd");
    assert_memory_equal(point, &before, sizeof before);
}

/* A count that is refused is one version's: those after it are counted. */
static void a_refused_count_is_one_versions(void **state)
{
    (void)state;
    begin("");
    struct rfl_point *point = add(GPP_v5);
    assert_int_equal(read_text(CSV_HEAD
                               "\"0\",\"1\",\"void gpp_v5<2>(a)\",\"1\",\"1\",\"1.5e308\","
                               "\"1\",\"1\",\"1\",\"1\"\n",
                               GPP_v5, 1, point),
                     ERT_USAGE);
    assert_contains(error.text, "the counter overflowed");
    assert_int_equal(read_text(CSV_HEAD CSV_V5, GPP_v5, 2, point), ERT_OK);
}

/* Prints the launches of the versions that it is to run, up to v1, which fails. */
static const char stand_in[] =
    "#!/bin/sh\n"
    "[ \"$1\" = --query-metrics ] && { echo 'smsp__issue_active   # of cycles'; exit 0; }\n"
    "[ -n \"$REFUSED\" ] && { echo '==ERROR== ERR_NVGPUCTRPERM - no' >&2; exit 1; }\n"
    "echo \"$*\" >>ncu/log\n"
    "while [ \"$1\" != --version ]; do shift; done\n"
    "table=$top_srcdir/tests/data/gpp/ncu.csv begun=\n"
    "for version in $(echo \"$2\" | tr , ' '); do\n"
    "    [ $version = v1 ] && { echo '==ERROR== The application returned 11.'; exit 1; }\n"
    "    grep -q \"gpp_$version<\" $table || continue\n"
    "    [ -n \"$begun\" ] || grep -v '^\"[0-9]' $table\n"
    "    begun=yes\n"
    "    grep \"gpp_$version<\" $table\n"
    "done\n"
    "[ -n \"$begun\" ] || echo '==WARNING== No kernels were profiled.' >&2\n";

enum { N_TAKEN = 4 };
static const struct gpp_version *const taken[N_TAKEN] = {
    &gpp_versions[GPP_v0], &gpp_versions[GPP_v1], &gpp_versions[GPP_v5],
    &gpp_versions[GPP_v10]};

/* Counts four versions of si214 by the stand-in; the log of its runs is the caller's. */
static char *take(void)
{
    char *log = NULL;
    size_t size;
    struct gpp_counts counts[N_TAKEN];
    unlink("ncu/log");
    begin("ncu/table.csv");
    assert_int_equal(gpp_counters_open(&counting, &error), ERT_OK);
    for (size_t i = 0; i < N_TAKEN; i++) {
        add(taken[i]->id);
        counts[i] = (struct gpp_counts){.launches = taken[i]->id == GPP_v5 ? 2 : 1};
    }
    gpp_counters_take(&counting, taken, counts, N_TAKEN, &si214, &points);
    if (!getenv("REFUSED"))
        assert_int_equal(ert_file_read("ncu/log", 65536, &log, &size, &error), ERT_OK);
    return log;
}

static double per_iteration(size_t i)
{
    return rfl_point_flops(&points.points[i]) / gpp_sizes_iterations(&si214);
}

static void ncu_is_run_as_the_timed_runs_are(void **state)
{
    (void)state;
    char *log = take();
    assert_contains(log, "--clock-control none --cache-control none");
    assert_contains(log, "run --version v0,v1,v5,v10 --once --reference none --device gpu0 "
                         "--system S");
    assert_contains(log, "run --version v5 --once");
    assert_contains(log, ",smsp__issue_active.avg.per_cycle_active ");
    assert_null(strstr(log, "smsp__average"));
    assert_close(per_iteration(0), 172.3, 1e-3);
    assert_close(per_iteration(2), 84, 1e-3);
    assert_close(rfl_point_value(&points.points[2], "l1_hit_fraction"), 0.62, 1e-12);
    assert_close(rfl_point_value(&points.points[2], "l2_hit_fraction"), 0.82, 1e-12);
    assert_contains(points.points[1].warnings[0], "not counted: ncu: ==ERROR== The app");
    assert_contains(points.points[3].warnings[0], "No kernels were profiled");
    assert_close(rfl_point_flops(&points.points[3]), 7000, 1e-15);
    free(log);
}

static void refused_counters_leave_the_formulas(void **state)
{
    (void)state;
    setenv("REFUSED", "yes", 1);
    take();
    unsetenv("REFUSED");
    for (size_t i = 0; i < N_TAKEN; i++) {
        assert_contains(points.points[i].warnings[0],
                        "NVreg_RestrictProfilingToAdminUsers");
        assert_close(rfl_point_flops(&points.points[i]), 7000, 1e-15);
    }
}

/* A folder of its own with the stand-in, first on the PATH. */
static int set_up(void **state)
{
    static char folder[] = "test_counters.XXXXXX";
    char path[4096], source[4096], *from = realpath(getenv("top_srcdir"), source);
    (void)state;
    if (!from || !mkdtemp(folder) || chdir(folder) != 0 || mkdir("ncu", 0755) != 0)
        return -1;
    setenv("top_srcdir", from, 1);
    if (ert_file_write("ncu/ncu", stand_in, strlen(stand_in), &error) != ERT_OK ||
        chmod("ncu/ncu", 0755) != 0 || !realpath("ncu", source))
        return -1;
    snprintf(path, sizeof path, "%.2000s:%.2000s", source, getenv("PATH"));
    return setenv("PATH", path, 1);
}

static int tear_down(void **state)
{
    char folder[4096];
    (void)state;
    unlink("ncu/log");
    unlink("ncu/table.csv");
    unlink("ncu/ncu");
    rfl_points_free(&points);
    return !getcwd(folder, sizeof folder) || rmdir("ncu") != 0 || chdir("..") != 0 ||
           rmdir(folder) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_are_folded),
        cmocka_unit_test(parts_of_runs_get_a_warning),
        cmocka_unit_test(bad_tables_are_refused),
        cmocka_unit_test(a_refused_count_is_one_versions),
        cmocka_unit_test(ncu_is_run_as_the_timed_runs_are),
        cmocka_unit_test(refused_counters_leave_the_formulas),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
