/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/ext/compare/scaling.h"

#include "ert/core/base/alloc.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Smaller growth is within the accuracy of counters and clocks. */
static const double least_growth = 1.05;
/* A kernel with this efficiency scales. */
static const double good_efficiency = 0.9;

static int compare_scaled(const void *a, const void *b)
{
    const struct rfl_scaled *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    if (order == 0)
        order = (x->scale > y->scale) - (x->scale < y->scale);
    return order ? order : (x->point > y->point) - (x->point < y->point);
}

static bool scaling_is_same(const struct rfl_scaled *a, const struct rfl_scaled *b)
{
    return strcmp(a->name, b->name) == 0 && a->scale == b->scale;
}

/* Adds the run to a name that has a scale twice. */
static void name_by_run(struct rfl_scaling *result)
{
    struct rfl_scaled *scaled = result->scaled;
    for (size_t i = 0; i < result->n_scaled;) {
        size_t end = i;
        bool is_double = false;
        const char *name = scaled[i].name;
        for (; end < result->n_scaled && strcmp(scaled[end].name, name) == 0; end++)
            is_double =
                is_double || (end > i && scaling_is_same(&scaled[end - 1], &scaled[end]));
        for (; i < end; i++)
            if (is_double && *scaled[i].point->run)
                scaled[i].name = ert_strings_format(&result->strings, "%s [%s]", name,
                                                    scaled[i].point->run);
    }
    qsort(scaled, result->n_scaled, sizeof *scaled, compare_scaled);
}

/* Collects the points with a scale, sorted by name and scale. */
static enum ert_status scaling_collect(const struct rfl_points *points,
                                       struct rfl_scaling *result, struct ert_error *error)
{
    struct rfl_scaled *scaled = result->scaled;
    for (size_t i = 0; i < points->n; i++) {
        const struct rfl_point *point = &points->points[i];
        double scale = point->scale > 0 ? point->scale : point->threads;
        if (scale > 0)
            scaled[result->n_scaled++] =
                (struct rfl_scaled){.point = point,
                                    .name = ert_strings_keep(&result->strings, point->name),
                                    .scale = scale,
                                    .time_s = point->time_s};
    }
    const size_t n = result->n_scaled;
    result->n_skipped = points->n - n;
    if (n == 0)
        return ert_fail(error, ERT_USAGE, "none of %zu points has a scale (threads, nodes)",
                        points->n);
    qsort(scaled, n, sizeof *scaled, compare_scaled);
    name_by_run(result);
    for (size_t i = 1; i < n; i++)
        if (scaling_is_same(&scaled[i - 1], &scaled[i]))
            return ert_fail(error, ERT_USAGE, "'%.200s' appears twice at the scale %g",
                            scaled[i].name, scaled[i].scale);
    return ERT_OK;
}

static enum ert_status scaling_fill(struct rfl_scaled *scaled, struct rfl_scaling *result,
                                    struct ert_error *error)
{
    const struct rfl_point *point = scaled->point;
    double flops = rfl_point_flops(point);
    if (point->time_s > 0)
        scaled->perf_flop_per_s = flops / point->time_s;
    for (size_t i = 0; i < point->n_traffic; i++) {
        const char *level = point->traffic[i].level;
        size_t l = 0;
        while (l < result->n_levels && strcmp(result->levels[l], level) != 0)
            l++;
        if (l == RFL_MAX_TRAFFIC)
            return ert_fail(error, ERT_USAGE,
                            "more than %d levels in all: %s is one too many",
                            RFL_MAX_TRAFFIC, level);
        if (l == result->n_levels)
            snprintf(result->levels[result->n_levels++], sizeof result->levels[0], "%s",
                     level);
        scaled->intensity_flop_per_byte[l] = flops / point->traffic[i].bytes;
    }
    return ERT_OK;
}

static double scaling_bytes_of(const struct rfl_point *point, const char *level)
{
    const struct rfl_traffic *traffic = rfl_point_traffic(point, level);
    return traffic ? traffic->bytes : 0;
}

static void relate(struct rfl_scaled *scaled, const struct rfl_scaled *first, bool weak,
                   const struct rfl_scaling *result)
{
    double more = scaled->scale / first->scale;
    if (scaled->time_s > 0 && first->time_s > 0) {
        scaled->speedup = first->time_s / scaled->time_s * (weak ? more : 1);
        scaled->efficiency = scaled->speedup / more;
    }
    double flops = rfl_point_flops(scaled->point),
           flops_first = rfl_point_flops(first->point);
    for (size_t i = 0; i < result->n_levels; i++) {
        double bytes = scaling_bytes_of(scaled->point, result->levels[i]);
        double before = scaling_bytes_of(first->point, result->levels[i]);
        if (!(bytes > 0) || !(before > 0))
            continue;
        if (flops > 0 && flops_first > 0)
            scaled->growth[i] = bytes / flops / (before / flops_first);
        else if (!weak)
            scaled->growth[i] = bytes / before;
    }
}

/* Writes the sentence: how well the kernel scales, and whether its traffic explains it. */
static void scaling_judge(struct rfl_trajectory *trajectory, bool weak,
                          struct rfl_scaling *result)
{
    const struct rfl_scaled *first = &result->scaled[trajectory->first];
    const struct rfl_scaled *last = &first[trajectory->n - 1];
    char text[512];
    size_t grows = SIZE_MAX; /* the level whose traffic grew most */
    for (size_t i = 0; i < result->n_levels; i++)
        if (last->growth[i] > least_growth &&
            (grows == SIZE_MAX || last->growth[i] > last->growth[grows]))
            grows = i;
    double more_work = rfl_point_flops(first->point) > 0
                           ? rfl_point_flops(last->point) / rfl_point_flops(first->point)
                           : 1;
    if (trajectory->n == 1)
        snprintf(text, sizeof text, "only one scale (%g): nothing to compare",
                 first->scale);
    else if (last->efficiency > 0)
        snprintf(text, sizeof text, "%.1f %% efficient at %g against %g",
                 100 * last->efficiency, last->scale, first->scale);
    else
        snprintf(text, sizeof text, "no time at %g or %g, so no speed-up", last->scale,
                 first->scale);
    if (grows != SIZE_MAX)
        ert_append(text, sizeof text,
                   "; %s traffic%s grows most, %.2f times: shared or divided caches hold "
                   "less of the data",
                   result->levels[grows], more_work > 0 ? " per operation" : "",
                   last->growth[grows]);
    else if (last->efficiency > 0 && last->efficiency < good_efficiency)
        ert_append(text, sizeof text,
                   "; no traffic grows: a shared roof, serial parts, imbalance or waiting");
    if (!weak && more_work > least_growth)
        ert_append(text, sizeof text,
                   "; operations grow %.2f times: redundant work, or weak scaling (--weak)",
                   more_work);
    trajectory->text = ert_strings_keep(&result->strings, text);
}

static int compare_trajectories(const void *a, const void *b)
{
    const struct rfl_trajectory *x = a, *y = b;
    return (x->earliest > y->earliest) - (x->earliest < y->earliest);
}

static enum ert_status scaling_make(const struct rfl_points *points, bool weak,
                                    struct rfl_scaling *result, struct ert_error *error)
{
    struct rfl_trajectory *last = NULL;
    ERT_TRY(scaling_collect(points, result, error));
    for (size_t i = 0; i < result->n_scaled; i++) {
        struct rfl_scaled *scaled = &result->scaled[i];
        if (!last || strcmp(scaled->name, last->name) != 0) {
            last = &result->trajectories[result->n_trajectories++];
            *last = (struct rfl_trajectory){scaled->point, scaled->name, i, 0, NULL};
        }
        last->n++;
        if (scaled->point < last->earliest)
            last->earliest = scaled->point;
        ERT_TRY(scaling_fill(scaled, result, error));
    }
    qsort(result->trajectories, result->n_trajectories, sizeof *last, compare_trajectories);
    for (size_t t = 0; t < result->n_trajectories; t++) {
        struct rfl_trajectory *trajectory = &result->trajectories[t];
        struct rfl_scaled *first = &result->scaled[trajectory->first];
        for (size_t i = 0; i < trajectory->n; i++)
            relate(&first[i], first, weak, result);
        scaling_judge(trajectory, weak, result);
    }
    return ERT_OK;
}

enum ert_status rfl_scaling_make(const struct rfl_points *points, bool weak,
                                 struct rfl_scaling *result, struct ert_error *error)
{
    *result = (struct rfl_scaling){
        .scaled = ert_xcalloc(points->n, sizeof *result->scaled),
        .trajectories = ert_xcalloc(points->n, sizeof *result->trajectories)};
    enum ert_status status = scaling_make(points, weak, result, error);
    if (status != ERT_OK)
        rfl_scaling_free(result);
    return status;
}

void rfl_scaling_free(struct rfl_scaling *scaling)
{
    free(scaling->trajectories);
    free(scaling->scaled);
    ert_strings_free(&scaling->strings);
    *scaling = (struct rfl_scaling){0};
}
