/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * merge: joins points of several processes of one program. Points with the same name and run become one:
 * counts are added, the time is that of the longest process, for launches on GPUs the sum; clocks and warps
 * are means. Other values are kept only if a single process has the point, since their meaning is unknown;
 * where its code is stays.
 */
#include "analysis/ext/record/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct rfl_point *merge_find(struct rfl_points *points, const char *name,
                                    const char *run)
{
    for (size_t i = 0; i < points->n; i++)
        if (strcmp(points->points[i].name, name) == 0 &&
            strcmp(points->points[i].run, run) == 0)
            return &points->points[i];
    return NULL;
}

/* Adds a point without counts; its values are kept as long as only one process has it. */
static struct rfl_point *add_empty(struct rfl_points *points, const struct rfl_point *like)
{
    struct rfl_point *point = rfl_points_add(points, like->name);
    point->run = rfl_points_text(points, like->run);
    point->source = rfl_points_text(points, like->source);
    point->format = rfl_points_text(points, like->format);
    point->time_recipe = rfl_points_text(points, like->time_recipe);
    point->scale = like->scale;
    for (size_t i = 0; i < like->n_values; i++)
        rfl_points_value(point, like->values[i].name, like->values[i].value);
    return point;
}

/* Whether another process, or another file of the same run, counted it. */
static bool merge_is_known(const struct rfl_point *point, const char *what)
{
    char level[16];
    snprintf(level, sizeof level, "%.*s", (int)strcspn(what, " "), what);
    return (strcmp(what, "operations") == 0 && point->n_work > 0) ||
           (strcmp(what, "bytes") == 0 && point->n_traffic > 0) ||
           rfl_point_traffic(point, level) != NULL;
}

static void merge_missing(struct rfl_point *point, const char *what, const char *reason)
{
    if (!merge_is_known(point, what) && !rfl_point_lacks(point, what))
        rfl_points_missing(point, what, "%s", reason);
}

/* Of warnings that differ only in numbers, keeps that of the process with more instructions. */
static void merge_warning(struct rfl_point *point, const char *text, bool is_larger)
{
    char *kind = rfl_text_kind(text);
    size_t i = 0;
    for (bool is_same = false; i < point->n_warnings; i++) {
        char *other = rfl_text_kind(point->warnings[i]);
        is_same = strcmp(kind, other) == 0;
        free(other);
        if (is_same)
            break;
    }
    free(kind);
    if (i == point->n_warnings)
        rfl_points_warn(point, "%s", text);
    else if (is_larger)
        point->warnings[i] = rfl_points_text(point->set, text);
}

/* Merges warnings, and what is missing in both points. */
static void merge_notes(struct rfl_point *point, const struct rfl_point *of)
{
    for (size_t i = 0; i < point->n_missing;)
        if (merge_is_known(point, point->missing[i].what))
            rfl_point_remove_missing(point, point->missing[i].what);
        else
            i++;
    for (size_t i = 0; i < of->n_missing; i++)
        merge_missing(point, of->missing[i].what, of->missing[i].reason);
    for (size_t i = 0; i < of->n_warnings; i++)
        merge_warning(point, of->warnings[i], of->instructions > point->instructions);
}

void rfl_merge_counts(struct rfl_point *point, const struct rfl_point *of, double times)
{
    for (size_t i = 0; i < of->n_work; i++)
        rfl_points_work(point, of->work[i].type, of->work[i].unit,
                        times * of->work[i].flops, of->work[i].fma_share,
                        of->work[i].recipe);
    for (size_t i = 0; i < of->n_traffic; i++)
        rfl_points_add_traffic(point, &of->traffic[i], times);
    merge_notes(point, of);
    point->instructions += times * of->instructions;
}

/* The weighted mean of those values that are known. */
static void merge_mean(double *value, double weight, double other, double other_weight)
{
    if (other > 0)
        *value = *value > 0 && weight + other_weight > 0
                     ? (*value * weight + other * other_weight) / (weight + other_weight)
                     : other;
}

/* Of values, whose meaning is unknown, keeps only where code is (code.c). */
static void keep_places(struct rfl_point *point, const struct rfl_point *of)
{
    const size_t n = point->n_values;
    point->n_values = 0;
    for (size_t i = 0; i < n; i++) {
        struct rfl_value value = point->values[i];
        const double other = rfl_point_value(of, value.name);
        if (strcmp(value.name, "code_begin") == 0)
            value.value = fmin(value.value, other);
        else if (strcmp(value.name, "code_end") == 0)
            value.value = fmax(value.value, other);
        else if (strcmp(value.name, "code_object") != 0 || value.value != other)
            continue;
        point->values[point->n_values++] = value;
    }
}

static void merge_add(struct rfl_points *points, const struct rfl_point *of)
{
    struct rfl_point *point = merge_find(points, of->name, of->run);
    if (point)
        keep_places(point, of);
    else
        point = add_empty(points, of);
    rfl_merge_counts(point, of, 1);
    merge_mean(&point->clock_hz, point->threads, of->clock_hz, of->threads);
    point->time_s = fmax(point->time_s, of->time_s); /* processes run concurrently */
    point->launches += of->launches;
    point->threads += of->threads;
    point->energy_j += of->energy_j;
}

/* Whether a list "A; B; C" has the origin. */
static bool has_origin(const char *list, const char *origin)
{
    const size_t n = strlen(origin);
    for (const char *at = list; (at = strstr(at, origin)); at++)
        if ((at == list || (at[-1] == ' ' && at - list > 1 && at[-2] == ';')) &&
            (!at[n] || at[n] == ';'))
            return true;
    return false;
}

/* Names all origins: the processes may be on different machines or GPUs. */
static void merge_origin(struct rfl_points *points, const char *origin)
{
    const char *before = points->origin ? points->origin : "";
    if (origin && *origin && !has_origin(before, origin))
        points->origin = ert_strings_format(&points->strings, "%s%s%s", before,
                                            *before ? "; " : "", origin);
}

enum ert_status rfl_merge(struct rfl_points *points, const struct rfl_points *from,
                          struct ert_error *error)
{
    for (size_t i = 0; i < from->n; i++)
        merge_add(points, &from->points[i]);
    merge_origin(points, from->origin);
    return rfl_points_status(points, error);
}
