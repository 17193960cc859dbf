/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/import/common.h"

#include "ert/base/alloc.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *const rfl_fp_types[RFL_FP_TYPES] = {"fp64", "fp32", "fp16"};

static const struct event {
    const char *name;
    int type;
    double width;
} rows[] = {
    {"scalar_double",       0, 1 },
    {"128b_packed_double",  0, 2 },
    {"256b_packed_double",  0, 4 },
    {"512b_packed_double",  0, 8 },
    {"scalar_single",       1, 1 },
    {"128b_packed_single",  1, 4 },
    {"256b_packed_single",  1, 8 },
    {"512b_packed_single",  1, 16},
    {"scalar_half",         2, 1 },
    {"complex_scalar_half", 2, 2 },
    {"128b_packed_half",    2, 8 },
    {"256b_packed_half",    2, 16},
    {"512b_packed_half",    2, 32}
};

/* Finds the row of "fp_arith[_inst_retired[2]]", one more character, and the row's name, in any case. */
static const struct event *find(const char *event)
{
    static const char *const prefixes[] = {"fp_arith_inst_retired2",
                                           "fp_arith_inst_retired", "fp_arith"};
    for (size_t p = 0; p < ERT_LENGTH(prefixes); p++) {
        size_t length = strlen(prefixes[p]);
        for (size_t i = 0; i < ERT_LENGTH(rows); i++)
            if (strncasecmp(event, prefixes[p], length) == 0 && event[length] &&
                strcasecmp(event + length + 1, rows[i].name) == 0)
                return &rows[i];
    }
    return NULL;
}

int rfl_fp_arith_type(const char *event)
{
    const struct event *row = find(event);
    return row ? row->type : -1;
}

bool rfl_fp_arith_add(struct rfl_fp_arith *sums, const char *event, double count)
{
    const struct event *row = find(event);
    if (!row)
        return false;
    char *terms = sums->terms[row->type];
    if (!strstr(terms, row->name)) {
        char term[40], *end = terms + strlen(terms);
        if (row->width > 1)
            snprintf(term, sizeof term, "%g x %s", row->width, row->name);
        else
            snprintf(term, sizeof term, "%s", row->name);
        snprintf(end, sizeof sums->terms[0] - (size_t)(end - terms), "%s%s",
                 *terms ? " + " : "", term);
    }
    sums->flops[row->type] += row->width * count;
    sums->seen[row->type] = true;
    sums->scalar[row->type] |= strcmp(row->name, "scalar_double") == 0 ||
                               strcmp(row->name, "scalar_single") == 0 ||
                               strcmp(row->name, "scalar_half") == 0;
    return true;
}

void rfl_fp_arith_put(const struct rfl_fp_arith *sums, const char *tool,
                      struct rfl_point *point)
{
    for (size_t i = 0; i < RFL_FP_TYPES; i++) {
        char recipe[256];
        if (!sums->seen[i])
            continue;
        snprintf(
            recipe, sizeof recipe,
            "%s of FP_ARITH_INST_RETIRED (%s); an FMA counts as two, its share is unknown",
            sums->terms[i], tool);
        rfl_points_work(point, rfl_fp_types[i], "core", sums->flops[i], NAN, recipe);
        if (!sums->scalar[i])
            rfl_points_warn(
                point,
                "%s: the scalar operations were not counted (%s), so there can be more",
                rfl_fp_types[i], sums->terms[i]);
    }
    return;
}

size_t rfl_kernel_number(struct ert_strings *kernels, const char *name, const char *process,
                         const char *device)
{
    return ert_strings_index(
        kernels, ert_strings_format(kernels, "%s\x1f%s\x1f%s", name, process, device));
}

const char *rfl_launch_configuration(struct ert_strings *strings, const char *grid,
                                     const char *block)
{
    return ert_strings_format(strings, "grid %s, block %s", grid, block);
}

/* The length of a name without " #12". */
static size_t without_launch(const char *name)
{
    size_t length = strlen(name), end = length;
    while (end > 0 && isdigit((unsigned char)name[end - 1]))
        end--;
    return end < length && end >= 2 && name[end - 1] == '#' && name[end - 2] == ' '
               ? end - 2
               : length;
}

/* The plain name with its launch, stored in the points' strings. */
static const char *shorten(struct rfl_points *points, const char *full)
{
    const char *launch = full + without_launch(full);
    char *name = ert_xprintf("%.*s", (int)(launch - full), full),
         *plain = rfl_name_plain(name);
    const char *kept = ert_strings_format(&points->strings, "%s%s", plain, launch);
    free(plain);
    free(name);
    return kept;
}

static void shorten_all(const struct rfl_import *in)
{
    struct rfl_points *points = in->points;
    struct ert_strings names = {0};
    /* The full name of each short one, or "" for several; equal texts are the same pointer. */
    const char **owners = ert_xcalloc(points->n - in->first, sizeof *owners);
    for (size_t i = in->first; i < points->n; i++) {
        const char *full = points->points[i].name;
        const char **owner = &owners[ert_strings_index(&names, shorten(points, full))];
        *owner = !*owner || *owner == full ? full : "";
    }
    for (size_t i = in->first; i < points->n; i++) {
        const char **full = &points->points[i].name, *name = shorten(points, *full);
        if (owners[ert_strings_index(&names, name)] == *full)
            *full = name;
    }
    free(owners);
    ert_strings_free(&names);
}

void rfl_kernels_end(const struct rfl_import *in)
{
    struct rfl_point *points = in->points->points;
    bool is_one = true;
    for (size_t i = in->first; i < in->points->n; i++)
        is_one = is_one && points[i].run == points[in->first].run;
    for (size_t i = in->first; i < in->points->n && is_one; i++)
        points[i].run = "";
    shorten_all(in);
}

enum ert_status rfl_kernels_forbidden(const char *file, struct ert_error *error)
{
    return ert_fail(error, ERT_USAGE,
                    "%.200s: the user was not allowed to read the GPU's counters "
                    "(ERR_NVGPUCTRPERM): profile as root, or have the administrator load "
                    "the driver with NVreg_RestrictProfilingToAdminUsers=0; without "
                    "counters, use --flops, --bytes and --seconds",
                    file);
}

bool rfl_region_join(struct rfl_point *counts, const struct rfl_point *times)
{
    const struct rfl_traffic *bytes = rfl_point_traffic(times, "DRAM");
    double flops = rfl_point_flops(times);
    if (strcmp(times->format, "regions") != 0 || strcmp(counts->format, "regions") == 0 ||
        (strcmp(counts->format, "points") == 0 && counts->time_s > 0) ||
        strcmp(counts->name, times->name) != 0)
        return false;
    counts->time_s = times->time_s;
    counts->time_low_s = counts->time_high_s = 0;
    counts->time_recipe = times->time_recipe;
    rfl_point_remove_missing(counts, "time");
    counts->launches = times->launches;
    counts->threads = fmax(counts->threads, times->threads);
    counts->source =
        ert_strings_format(&counts->set->strings, "%s, %s", counts->source, times->source);
    if (counts->n_work == 0 && flops > 0) {
        rfl_point_remove_missing(counts, "operations");
        rfl_points_work(counts, times->work[0].type, "", flops, NAN, times->work[0].recipe);
    } else if (flops > 0) {
        rfl_points_value(counts, "author_flops", flops);
    }
    if (counts->n_traffic == 0 && bytes) {
        rfl_point_remove_missing(counts, "bytes");
        rfl_points_traffic(counts, "DRAM", bytes->bytes, bytes->recipe);
    } else if (bytes) {
        rfl_points_value(counts, "author_bytes", bytes->bytes);
    }
    return true;
}
