/* The half of counters that reads what ncu printed. */
#include "gpp/study/counters.h"

#include "analysis/import/import.h"
#include "ert/base/file.h"
#include "ert/validate/ncu_csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "gpp_v8<2>", or as some versions of ncu write it, "void gpp_v8<(int)2>(...)". */
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

/* What the importer makes of the operations and the bytes: those of all launches. */
static enum ert_status read_points(const char *file, const struct gpp_version *version,
                                   size_t nw, struct rfl_strings *strings,
                                   struct gpp_counted *counted, struct ert_error *error)
{
    static const struct rfl_import_options options = {.list = false};
    static const char *const levels[GPP_N_LEVELS] = {"L1", "shared", "L2", "HBM"};
    struct rfl_points points = {0};
    double flops = 0, instructions = 0, fma = 0;
    enum ert_status status =
        rfl_import_file(file, &rfl_import_ncu, &options, &points, error);
    for (size_t i = 0; i < points.n && status == ERT_OK; i++) {
        const struct rfl_point *point = &points.points[i];
        if (!is_kernel(point->name, version, nw))
            continue;
        for (size_t k = 0; k < point->n_work; k++) {
            const struct rfl_work *work = &point->work[k];
            if (strcmp(work->type, "fp64") != 0)
                continue;
            flops += work->flops;
            instructions += work->flops / (1 + work->fma_share);
            fma += work->flops / (1 + work->fma_share) * work->fma_share;
            counted->flops_recipe = rfl_strings_keep(strings, work->recipe);
        }
        for (size_t l = 0; l < GPP_N_LEVELS; l++) {
            const struct rfl_traffic *traffic = rfl_point_traffic(point, levels[l]);
            if (!traffic)
                continue;
            counted->bytes[l] =
                (isnan(counted->bytes[l]) ? 0 : counted->bytes[l]) + traffic->bytes;
            counted->bytes_recipes[l] = rfl_strings_keep(strings, traffic->recipe);
        }
    }
    rfl_points_free(&points);
    if (flops > 0) {
        counted->flops = flops;
        counted->fma_share = fma / instructions;
    }
    return status;
}

/* One metric over the launches of a version; NaN where one of them lacks it. */
static double fold(const struct ert_ncu_launches *launches,
                   const struct gpp_version *version, size_t nw, enum gpp_metric metric)
{
    const enum gpp_fold how = gpp_metrics[metric].fold;
    double sum = 0, weights = 0, greatest = 0;
    for (size_t i = 0; i < launches->n; i++) {
        const double *values = launches->values + i * launches->n_metrics;
        if (!is_kernel(launches->instances[i], version, nw))
            continue;
        double weight = values[GPP_M_DURATION] > 0 ? values[GPP_M_DURATION] : 1;
        sum += how == GPP_MEAN ? weight * values[metric] : values[metric];
        weights += weight;
        greatest = isnan(values[metric]) ? NAN : fmax(greatest, values[metric]);
    }
    return gpp_metrics[metric].factor * (how == GPP_MEAN  ? sum / weights
                                         : how == GPP_MAX ? greatest
                                                          : sum);
}

static size_t count_launches(const struct ert_ncu_launches *launches,
                             const struct gpp_version *version, size_t nw)
{
    size_t n = 0;
    for (size_t i = 0; i < launches->n; i++)
        n += is_kernel(launches->instances[i], version, nw);
    return n;
}

/* The wide table's metrics; the long one has operations and bytes alone, from the importer. */
static enum ert_status read_metrics(const char *file, const struct gpp_version *version,
                                    size_t nw, struct gpp_counted *counted,
                                    size_t *n_launches, struct ert_error *error)
{
    const char *names[GPP_N_METRICS];
    struct ert_ncu_launches launches = {0};
    char *text = NULL;
    size_t size;
    for (size_t i = 0; i < GPP_N_METRICS; i++)
        names[i] = gpp_metrics[i].name;
    ERT_TRY(ert_file_read(file, (size_t)256 << 20, &text, &size, error));
    enum ert_status status = ert_ncu_csv_read(text, names, GPP_N_METRICS, &launches, error);
    *n_launches = status == ERT_OK ? count_launches(&launches, version, nw) : 0;
    for (size_t i = 0; i<GPP_N_METRICS && * n_launches> 0; i++)
        counted->values[i] = fold(&launches, version, nw, i);
    ert_ncu_csv_free(&launches);
    free(text);
    if (status == ERT_OK && *n_launches == 0)
        return ert_fail(error, ERT_UNAVAILABLE, "%.200s: no launch of gpp_%s<%zu>", file,
                        version->name, nw);
    return status;
}

/* All that is summed becomes that of one run on the study's sizes. */
static void scale(struct gpp_counted *counted, double factor)
{
    counted->flops *= factor;
    for (size_t i = 0; i < GPP_N_LEVELS; i++)
        counted->bytes[i] *= factor;
    for (size_t i = 0; i < GPP_N_METRICS; i++)
        if (gpp_metrics[i].fold == GPP_SUM)
            counted->values[i] *= factor;
}

enum ert_status gpp_counted_read(const char *file, const struct gpp_version *version,
                                 size_t nw, double launches, double profiled_iterations,
                                 double iterations, struct rfl_strings *strings,
                                 struct gpp_counted *counted, struct ert_error *error)
{
    size_t n_launches = 0;
    struct gpp_counted read = *counted;
    ERT_TRY(read_points(file, version, nw, strings, &read, error));
    ERT_TRY(read_metrics(file, version, nw, &read, &n_launches, error));
    read.runs = (double)n_launches / launches;
    if (read.runs != floor(read.runs))
        snprintf(read.reason, sizeof read.reason,
                 "%zu launches are no whole number of runs of %g launches", n_launches,
                 launches);
    scale(&read, iterations / profiled_iterations / read.runs);
    read.is_there = true;
    *counted = read;
    return ERT_OK;
}
