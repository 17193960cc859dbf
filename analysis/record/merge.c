/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/record/merge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct rfl_point *find(struct rfl_points *points, const char *name, const char *run)
{
    for (size_t i = 0; i < points->n; i++)
        if (strcmp(points->points[i].name, name) == 0 &&
            strcmp(points->points[i].run, run) == 0)
            return &points->points[i];
    return NULL;
}

/* A point without counts, its texts the set's. */
static struct rfl_point *add_empty(struct rfl_points *points, const struct rfl_point *like)
{
    struct rfl_point *point = rfl_points_add(points, like->name);
    point->run = rfl_points_text(points, like->run);
    point->source = rfl_points_text(points, like->source);
    point->format = rfl_points_text(points, like->format);
    point->time_recipe =
        like->time_recipe ? rfl_points_text(points, like->time_recipe) : NULL;
    point->clock_hz = like->clock_hz;
    point->memory_clock_hz = like->memory_clock_hz;
    point->warps_per_sm = like->warps_per_sm;
    point->registers = like->registers;
    point->scale = like->scale;
    return point;
}

/* What one of the processes counted is not missing: bytes of the whole node, by its first rank. */
static bool is_there(const struct rfl_point *point, const char *what)
{
    char level[16];
    snprintf(level, sizeof level, "%.*s", (int)strcspn(what, " "), what);
    for (size_t i = 0; i < point->n_missing; i++)
        if (strcmp(point->missing[i].what, what) == 0)
            return true;
    return rfl_point_traffic(point, level) != NULL;
}

void rfl_merge_notes(struct rfl_point *point, const struct rfl_point *of)
{
    for (size_t i = 0; i < of->n_missing; i++)
        if (!is_there(point, of->missing[i].what))
            rfl_points_missing(point, rfl_points_text(point->set, of->missing[i].what),
                               "%s", of->missing[i].reason);
    for (size_t i = 0; i < of->n_warnings; i++) {
        size_t j = 0;
        while (j < point->n_warnings && strcmp(point->warnings[j], of->warnings[i]) != 0)
            j++;
        if (j == point->n_warnings)
            rfl_points_warn(point, "%s", of->warnings[i]);
    }
}

static void add(struct rfl_points *points, const struct rfl_point *of)
{
    struct rfl_point *point = find(points, of->name, of->run);
    if (!point)
        point = add_empty(points, of);
    for (size_t i = 0; i < of->n_work; i++)
        rfl_points_work(point, of->work[i].type, of->work[i].unit, of->work[i].flops,
                        of->work[i].fma_share, of->work[i].recipe);
    for (size_t i = 0; i < of->n_traffic; i++)
        rfl_points_accesses(point, of->traffic[i].level, of->traffic[i].bytes,
                            of->traffic[i].read_bytes, of->traffic[i].is_actual,
                            of->traffic[i].recipe);
    /* Launches add up, each on its own GPU; processes on CPUs work side by side. */
    point->time_s = strcmp(of->format, "ncu") == 0 ? point->time_s + of->time_s
                                                   : fmax(point->time_s, of->time_s);
    point->launches += of->launches;
    point->instructions += of->instructions;
    point->threads += of->threads;
    point->energy_j += of->energy_j;
    rfl_merge_notes(point, of);
}

enum ert_status rfl_merge(struct rfl_points *points, const struct rfl_points *from,
                          struct ert_error *error)
{
    for (size_t i = 0; i < from->n; i++)
        add(points, &from->points[i]);
    if (from->origin)
        points->origin = rfl_points_text(points, from->origin);
    return rfl_points_status(points, error);
}
