/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/ext/import/import.h"

#include "ert/core/base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double same_count = 0.01, same_time = 0.1; /* a larger difference is said */

static struct rfl_work *work_of(struct rfl_point *point, const char *type, const char *unit)
{
    for (size_t i = 0; i < point->n_work; i++)
        if (strcmp(point->work[i].type, type) == 0 &&
            (!unit || strcmp(point->work[i].unit, unit) == 0))
            return &point->work[i];
    return NULL;
}

/* Whether a point has what "time", "operations", "fp64 flops", "bytes" or "L2 bytes" calls for. */
static bool combine_has(struct rfl_point *point, const char *what)
{
    char name[16] = "";
    const char *blank = strchr(what, ' ');
    if (blank)
        snprintf(name, sizeof name, "%.*s", (int)(blank - what), what);
    if (strcmp(what, "time") == 0)
        return point->time_s > 0;
    if (strcmp(what, "operations") == 0)
        return point->n_work > 0;
    if (strcmp(what, "bytes") == 0)
        return point->n_traffic > 0;
    return work_of(point, name, NULL) || rfl_point_traffic(point, name);
}

/* Takes away what a sum would have of some of its parts only. */
static void combine_drop(struct rfl_point *point, const struct rfl_missing *missing)
{
    const char *what = missing->what;
    const size_t length = strcspn(what, " ");
    if (strcmp(what, "time") == 0)
        point->time_s = 0;
    if (strcmp(what, "operations") == 0)
        point->n_work = 0;
    if (strcmp(what, "bytes") == 0)
        point->n_traffic = 0;
    for (size_t i = point->n_work; i-- > 0;)
        if (strncmp(point->work[i].type, what, length) == 0)
            point->work[i] = point->work[--point->n_work];
    for (size_t i = point->n_traffic; i-- > 0;)
        if (strncmp(point->traffic[i].level, what, length) == 0)
            point->traffic[i] = point->traffic[--point->n_traffic];
    if (!rfl_point_lacks(point, what))
        rfl_points_missing(point, what, "%s", missing->reason);
}

static void combine_warnings(struct rfl_point *to, const struct rfl_point *from)
{
    for (size_t i = 0; i < from->n_warnings; i++)
        rfl_points_warn(to, "%s", from->warnings[i]); /* each once */
}

static void add_rank(struct rfl_point *sum, const struct rfl_point *rank)
{
    const struct rfl_point before = *sum;
    for (size_t i = 0; i < rank->n_work; i++)
        rfl_points_work(sum, rank->work[i].type, rank->work[i].unit, rank->work[i].flops,
                        rank->work[i].fma_share, rank->work[i].recipe);
    for (size_t i = 0; i < rank->n_traffic; i++)
        rfl_points_add_traffic(sum, &rank->traffic[i], 1);
    for (size_t i = 0; i < before.n_missing; i++)
        combine_drop(sum, &before.missing[i]);
    for (size_t i = 0; i < rank->n_missing; i++)
        combine_drop(sum, &rank->missing[i]);
    sum->time_s = rfl_point_lacks(sum, "time") ? 0 : fmax(sum->time_s, rank->time_s);
    sum->time_low_s = sum->time_high_s = 0;
    sum->launches += rank->launches;
    sum->instructions = sum->instructions > 0 && rank->instructions > 0
                            ? sum->instructions + rank->instructions
                            : 0;
    sum->energy_j =
        sum->energy_j > 0 && rank->energy_j > 0 ? sum->energy_j + rank->energy_j : 0;
    sum->threads += rank->threads;
    combine_warnings(sum, rank);
}

void rfl_halves_join(struct rfl_point *point)
{
    const double low = rfl_point_value(point, "dram_bytes_channels_0_3"),
                 high = rfl_point_value(point, "dram_bytes_channels_4_7");
    if (isnan(low) || isnan(high) || rfl_point_traffic(point, "DRAM"))
        return;
    rfl_point_remove_missing(point, "DRAM bytes");
    rfl_points_accesses(point, "DRAM", low + high, NAN, true,
                        "likwid MEM1 and MEM2: Memory data volume of channels 0 to 7");
}

/* Takes from another file what the point lacks. */
static void add_tool(struct rfl_point *point, const struct rfl_point *other)
{
    if (point->time_s > 0 &&
        fabs(other->time_s - point->time_s) > same_time * point->time_s &&
        other->time_s > 0)
        rfl_points_warn(point, "the time is that of %s, %.4g s; %s has %.4g s",
                        point->source, point->time_s, other->source, other->time_s);
    if (point->launches > 0 && other->launches > 0 && point->launches != other->launches)
        rfl_points_warn(point, "%.0f launches in %s, %.0f in %s: not the same work",
                        point->launches, point->source, other->launches, other->source);
    if (!(point->time_s > 0)) {
        point->time_s = other->time_s;
        point->time_recipe = other->time_recipe;
        point->time_low_s = other->time_low_s;
        point->time_high_s = other->time_high_s;
    }
    for (size_t i = 0; i < other->n_work; i++) {
        const struct rfl_work *work = &other->work[i],
                              *own = work_of(point, work->type, work->unit);
        if (!own)
            rfl_points_work(point, work->type, work->unit, work->flops, work->fma_share,
                            work->recipe);
        else if (fabs(work->flops - own->flops) > same_count * own->flops)
            rfl_points_warn(point, "%s: %.4g operations by %s, %.4g by %s", work->type,
                            own->flops, point->source, work->flops, other->source);
    }
    for (size_t i = 0; i < other->n_traffic; i++)
        if (!rfl_point_traffic(point, other->traffic[i].level))
            rfl_points_add_traffic(point, &other->traffic[i], 1);
    for (size_t i = 0; i < RFL_N_POINT_NUMBERS; i++) {
        double *own = (double *)(void *)((char *)point + rfl_point_numbers[i].offset);
        *own = *own > 0 ? *own : rfl_point_number(other, i);
    }
    for (size_t i = 0; i < other->n_values; i++)
        if (isnan(rfl_point_value(point, other->values[i].name)))
            rfl_points_value(point, other->values[i].name, other->values[i].value);
    rfl_halves_join(point);
    for (size_t i = point->n_missing; i-- > 0;)
        if (combine_has(point, point->missing[i].what))
            rfl_point_remove_missing(point, point->missing[i].what);
    combine_warnings(point, other);
}

/* The times of the ranks of a point so far. */
struct ranks {
    size_t n;
    double time_s; /* sum */
};

static void rank_end(struct rfl_point *sum, const struct ranks *ranks, size_t n_files)
{
    const double mean_s = ranks->time_s / (double)ranks->n;
    if (ranks->n < n_files)
        rfl_points_warn(sum, "in %zu of %zu files", ranks->n, n_files);
    if (rfl_format_profiled(sum->format) == RFL_PROFILED_GPU)
        rfl_points_warn(sum, "summed over ranks, as if they shared one GPU: place the "
                             "files of ranks with a GPU each one by one");
    if (!(sum->time_s > 0) || ranks->n < 2)
        return;
    rfl_points_value(sum, "rank_imbalance", sum->time_s / mean_s - 1);
    sum->time_recipe = ert_strings_format(
        &sum->set->strings, "longest of %zu ranks, %.3g %% above their mean; %s", ranks->n,
        100 * (sum->time_s / mean_s - 1), sum->time_recipe ? sum->time_recipe : "");
}

/* Whether each file has one point; those of a file stand together. */
static bool are_single(const struct rfl_points *points)
{
    for (size_t i = 1; i < points->n; i++)
        if (strcmp(points->points[i].source, points->points[i - 1].source) == 0)
            return false;
    return true;
}

enum ert_status rfl_points_combine(struct rfl_points *points, enum rfl_combining how,
                                   struct ert_error *error)
{
    if (how == RFL_APART)
        return ERT_OK;
    if (how == RFL_BOTH)
        return ert_fail(error, ERT_USAGE, "--ranks and --join exclude each other");
    const bool is_one = how == RFL_JOIN && are_single(points);
    struct ranks *ranks = ert_xcalloc(points->n + 1, sizeof *ranks);
    struct ert_strings names = {.n_texts = 0};
    size_t n = 0, n_files = 0;
    for (size_t i = 0; i < points->n; i++) {
        const struct rfl_point next = points->points[i];
        const size_t at = ert_strings_index(&names, is_one ? "" : next.name);
        n_files += i == 0 || strcmp(points->points[i - 1].source, next.source) != 0;
        ranks[at].n++;
        ranks[at].time_s += next.time_s;
        if (at == n)
            points->points[n++] = next;
        else
            (how == RFL_RANKS ? add_rank : add_tool)(&points->points[at], &next);
    }
    const bool is_none = n == points->n;
    points->n = n;
    for (size_t i = 0; i < n && how == RFL_RANKS; i++)
        rank_end(&points->points[i], &ranks[i], n_files);
    ert_strings_free(&names);
    free(ranks);
    ERT_TRY(rfl_points_status(points, error));
    return is_none && n_files > 1
               ? ert_fail(error, ERT_USAGE, "no kernel is in two of the %zu files", n_files)
               : ERT_OK;
}
