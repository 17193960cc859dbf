/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/core/points/reader.h"

#include <stdio.h>
#include <string.h>

/* Keeps the points from `first` on that have this in their name. */
static void reader_keep_named(struct rfl_points *points, size_t first, const char *name)
{
    size_t kept = first;
    for (size_t i = first; i < points->n; i++)
        if (strstr(points->points[i].name, name))
            points->points[kept++] = points->points[i];
    points->n = kept;
}

/* Whether a file begins as points.json; false also where it cannot be read, which its reader says. */
static bool reader_is_points(const char *file)
{
    char head[4096] = "";
    FILE *in = fopen(file, "re");
    if (in) {
        size_t n = fread(head, 1, sizeof head - 1, in);
        head[n] = '\0';
        fclose(in);
    }
    return rfl_points_recognizes(head);
}

enum ert_status rfl_profile_read(const char *file, const struct rfl_reading *how,
                                 struct rfl_points *points, struct ert_error *error)
{
    size_t first = points->n;
    if (rfl_reader.profile) {
        ERT_TRY(rfl_reader.profile(file, how, points, error));
    } else if (how->format || !reader_is_points(file)) {
        return ert_fail(error, ERT_USAGE,
                        "%.200s: not a points.json; this build reads no other profile",
                        file);
    } else {
        ERT_TRY(rfl_points_read(file, points, error));
    }
    if (how->region) /* points.json is read whole */
        reader_keep_named(points, first, how->region);
    return ERT_OK;
}

enum ert_status rfl_file_read(const char *file, struct ert_ceilings *ceilings,
                              struct rfl_points *points, bool *is_ceilings,
                              struct ert_error *error)
{
    if (rfl_reader.any)
        return rfl_reader.any(file, ceilings, points, is_ceilings, error);
    *is_ceilings = !reader_is_points(file);
    return *is_ceilings ? ert_ceilings_read(file, ceilings, error)
                        : rfl_points_read(file, points, error);
}

enum rfl_profiled rfl_format_profiled(const char *format)
{
    return rfl_reader.profiled ? rfl_reader.profiled(format) : RFL_PROFILED_ANY;
}

void rfl_profile_advise(struct rfl_points *points, const struct ert_cpu *cpu)
{
    if (rfl_reader.advise)
        rfl_reader.advise(points, cpu);
}

void rfl_names_short(struct ert_strings *strings, const char *const *names, size_t n,
                     size_t width, const char **texts)
{
    char text[1024];
    if (rfl_reader.shorten) {
        rfl_reader.shorten(strings, names, n, width, texts);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        rfl_name_cut(names[i], text, width + 1);
        texts[i] = ert_strings_keep(strings, text);
    }
}
