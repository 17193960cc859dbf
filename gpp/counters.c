/* SPDX-License-Identifier: BSD-3-Clause */
#include "gpp/counters.h"

#include "analysis/ext/import/import.h"
#include "ert/core/base/alloc.h"
#include "ert/core/base/file.h"
#include "ert/core/base/tool.h"
#include "ert/ext/validate/ncu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A version on si214 with all of ncu's passes takes half a minute, one on si510 fourteen times that. */
static const double timeout_s = 3600;

/*
 * Names: https://docs.nvidia.com/nsight-compute/ProfilingGuide/ and `ncu --query-metrics`. Every GPU from cc
 * 7.0 on has the first N_CERTAIN metrics; the others are requested if ncu knows them.
 */
static const char *const metrics[] = {
    "gpu__time_duration.sum",
    "sm__sass_thread_inst_executed_op_dadd_pred_on.sum",
    "sm__sass_thread_inst_executed_op_dmul_pred_on.sum",
    "sm__sass_thread_inst_executed_op_dfma_pred_on.sum",
    "sm__inst_executed.sum",
    "l1tex__t_bytes.sum",
    "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "lts__t_sectors_srcunit_tex.sum",
    "dram__bytes.sum",
    "sm__warps_active.avg.per_cycle_active",
/* the hit rates are first */
#define ERT_NCU_VALUE(id, key, factor, name) name,
#include "ert/ext/ncu/ncu_metrics.def"
};
enum { N_METRICS = ERT_LENGTH(metrics), N_CERTAIN = 12 };

enum ert_status gpp_counters_open(struct gpp_counting *counting, struct ert_error *error)
{
    ERT_TRY(ert_ncu_find(counting->ncu, sizeof counting->ncu, error));
    ert_ncu_known(counting->ncu, metrics, N_METRICS, N_CERTAIN, counting->metrics,
                  sizeof counting->metrics);
    return ERT_OK;
}

/* Writes the text to the file, after its previous contents if `append`. */
static enum ert_status gpp_counters_keep(const char *text, const char *file, bool append,
                                         struct ert_error *error)
{
    char *before = NULL;
    size_t size = 0;
    if (append)
        ERT_TRY(ert_file_read(file, SIZE_MAX / 4, &before, &size, error));
    char *whole = ert_xprintf("%s%s", before ? before : "", text);
    enum ert_status status = ert_file_write(file, whole, strlen(whole), error);
    free(whole);
    free(before);
    return status;
}

/*
 * Runs n versions under ncu, one run of each, and writes its table to the file, or appends it. Clocks are not
 * fixed, and caches are as the previous pass left them, as in the timed runs, which follow one another.
 * ERT_UNAVAILABLE with ncu's message if it counted nothing.
 */
static enum ert_status gpp_counters_run(const struct gpp_counting *counting,
                                        const struct gpp_version *const *versions, size_t n,
                                        bool append, struct ert_error *error)
{
    char list[8 * GPP_N_VERSIONS] = "", *text;
    for (size_t i = 0, used = 0; i < n; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? "," : "",
                                 versions[i]->name);
    const char *argv[ERT_TOOL_WORDS] = {"run",    "--version",   list,
                                        "--once", "--reference", "none"};
    ert_tool_append(argv, counting->words);
    const struct ert_ncu_command command = {.ncu = counting->ncu,
                                            .metrics = counting->metrics,
                                            .kernels = "regex:^gpp_v[0-9]+$",
                                            .caches = "none",
                                            .name = "ert-gpp",
                                            .timeout_s = timeout_s};
    ERT_TRY(ert_ncu_run(&command, argv, &text, error));
    enum ert_status status = gpp_counters_keep(text, counting->table, append, error);
    free(text);
    return status;
}

/* Matches "gpp_v8<2>", or "void gpp_v8<(int)2>(...)", as some versions of ncu print it. */
static bool is_kernel(const char *name, const struct gpp_version *version, size_t nw)
{
    char begin[32];
    snprintf(begin, sizeof begin, "gpp_%s<", version->name);
    const char *at = strstr(name, begin);
    if (!at)
        return false;
    at += strlen(begin);
    at += strncmp(at, "(int)", 5) == 0 ? 5 : 0;
    return strtoull(at, NULL, 10) == nw;
}

static bool is_sum(const struct rfl_value *value)
{
    static const char *const sums[] = {"dadd", "dmul", "dfma"};
    for (size_t i = 0; i < ERT_LENGTH(sums); i++)
        if (strcmp(value->name, sums[i]) == 0)
            return true;
    return false;
}

/* Adds the counts of a profiled kernel. factor: from its sums to those of one run. */
static void gpp_counters_add_counts(const struct rfl_point *kernel, double factor,
                                    struct rfl_point *point)
{
    for (size_t i = 0; i < kernel->n_work; i++) {
        const struct rfl_work *work = &kernel->work[i];
        rfl_points_work(point, work->type, work->unit, factor * work->flops,
                        work->fma_share, work->recipe);
    }
    for (size_t i = 0; i < kernel->n_traffic; i++) {
        const struct rfl_traffic *traffic = &kernel->traffic[i];
        rfl_points_accesses(point, traffic->level, factor * traffic->bytes,
                            factor * traffic->read_bytes, traffic->is_actual,
                            traffic->recipe);
    }
    for (size_t i = 0; i < kernel->n_values; i++) {
        const struct rfl_value *value = &kernel->values[i];
        double before = rfl_point_value(point, value->name);
        double sum = (isnan(before) ? 0 : before) + factor * value->value;
        rfl_points_value(point, value->name, is_sum(value) ? sum : value->value);
    }
    for (size_t i = 0; i < kernel->n_missing; i++)
        rfl_points_missing(point, kernel->missing[i].what, "%s", kernel->missing[i].reason);
    point->instructions += factor * kernel->instructions;
    if (kernel->warps_per_sm > 0)
        point->warps_per_sm = kernel->warps_per_sm;
}

static enum ert_status put_counts(const struct rfl_points *profile,
                                  const struct gpp_version *version, size_t nw,
                                  double launches, struct rfl_point *point,
                                  struct ert_error *error)
{
    double n_launches = 0, profiled_s = 0;
    for (size_t i = 0; i < profile->n; i++)
        if (is_kernel(profile->points[i].name, version, nw)) {
            n_launches += profile->points[i].launches;
            profiled_s += profile->points[i].time_s;
        }
    if (!(n_launches > 0))
        return ert_fail(error, ERT_UNAVAILABLE, "no launch of gpp_%s<%zu> was counted",
                        version->name, nw);
    for (size_t i = 0; i < profile->n; i++) {
        const struct rfl_point *counted = &profile->points[i];
        for (size_t m = 0; m < counted->n_missing && counted->n_work == 0; m++)
            if (is_kernel(counted->name, version, nw) &&
                strstr(counted->missing[m].what, "flops"))
                return ert_fail(error, ERT_USAGE, "%s: %s", version->name,
                                counted->missing[m].reason);
    }
    const double runs = n_launches / launches;
    rfl_points_value(point, "formula_flops", rfl_point_flops(point));
    rfl_points_value(point, "formula_bytes", point->traffic[0].bytes);
    rfl_points_value(point, "profiled_time_s", profiled_s / runs);
    if (runs != floor(runs))
        rfl_points_warn(point, "%g launches are not a whole number of runs of %g launches",
                        n_launches, launches);
    point->n_work = point->n_traffic = 0;
    for (size_t i = 0; i < profile->n; i++)
        if (is_kernel(profile->points[i].name, version, nw))
            gpp_counters_add_counts(&profile->points[i], 1 / runs, point);
    return ERT_OK;
}

enum ert_status gpp_counters_read(const struct gpp_counting *counting,
                                  const struct gpp_version *version,
                                  const struct gpp_sizes *sizes, double launches,
                                  struct rfl_points *points, struct rfl_point *point,
                                  struct ert_error *error)
{
    static const struct rfl_import_options options = {.list = false};
    struct rfl_points profile = {0};
    struct rfl_point counted = *point;
    enum ert_status status =
        rfl_import_file(counting->table, &rfl_import_ncu, &options, &profile, error);
    if (status == ERT_OK)
        status = put_counts(&profile, version, sizes->nw, launches, &counted, error);
    if (status == ERT_OK)
        status = rfl_points_status(points, error);
    points->error = (struct ert_error){0}; /* of this version; others may be counted */
    if (status == ERT_OK) {
        *point = counted;
        if (!points->origin && profile.origin)
            points->origin = rfl_points_text(points, profile.origin);
    }
    rfl_points_free(&profile);
    return status;
}

void gpp_counters_take(const struct gpp_counting *counting,
                       const struct gpp_version *const *versions,
                       const struct gpp_counts *counts, size_t n,
                       const struct gpp_sizes *sizes, struct rfl_points *points)
{
    struct ert_error reason = {ERT_OK, ""};
    bool has_table = gpp_counters_run(counting, versions, n, false, &reason) == ERT_OK;
    for (size_t i = 0; i < n; i++) {
        struct rfl_point *point = &points->points[i];
        enum ert_status status = ERT_UNAVAILABLE;
        if (has_table)
            status = gpp_counters_read(counting, versions[i], sizes, counts[i].launches,
                                       points, point, &reason);
        if (status != ERT_OK && n > 1) {
            status = gpp_counters_run(counting, &versions[i], 1, has_table, &reason);
            has_table = has_table || status == ERT_OK;
            if (status == ERT_OK)
                status = gpp_counters_read(counting, versions[i], sizes, counts[i].launches,
                                           points, point, &reason);
        }
        if (status != ERT_OK)
            rfl_points_warn(point, "not counted: %s", reason.text);
    }
}
