/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/ext/import/common.h"

#include "analysis/core/points/levels.h"
#include "ert/core/base/alloc.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const rfl_fp_types[RFL_N_FP_TYPES] = {"fp64", "fp32", "fp16"};

/* Above what a counter of 64 bits can count from 0: differences below 0 end up there. */
static const double counter_limit = 9223372036854775808.0;

static unsigned digits_of(const char *text)
{
    unsigned n = 0;
    for (; *text && !strchr("eE", *text); text++)
        n += isdigit((unsigned char)*text) && (n > 0 || *text != '0');
    return n;
}

/* Of a number that no counter can have, its reason instead. `where`: "row 3". */
static void common_check(struct rfl_points *points, const char *where, const char *text,
                         struct rfl_cell *cell)
{
    cell->digits = digits_of(text);
    if (!(cell->value >= counter_limit))
        return;
    *cell = (struct rfl_cell){
        .why = ert_strings_format(&points->strings,
                                  "%s: %.40s: the counter overflowed, or went below 0",
                                  where, text)};
}

enum ert_status rfl_cell_read(const struct rfl_import *in, const char *what,
                              const char *text, struct rfl_cell *cell,
                              struct ert_error *error)
{
    enum ert_number kind = ERT_NUMBER;
    char row[32];
    snprintf(row, sizeof row, "row %zu", in->lines->number);
    *cell = (struct rfl_cell){.value = 0};
    enum ert_status status =
        ert_lines_number(in->lines, what, text, &cell->value, &kind, error);
    if (status != ERT_OK && ert_lines_is_local(text))
        return status;
    common_check(in->points, row, text, cell);
    cell->is_nan = status == ERT_OK && kind == ERT_NUMBER_NAN;
    if (status == ERT_OK && kind == ERT_NUMBER)
        return ERT_OK;
    cell->value = 0;
    cell->why =
        ert_strings_format(&in->points->strings, "%s: %s%.40s%s", row, *text ? "'" : "",
                           *text ? text : "no value", *text ? "'" : "");
    return ERT_OK;
}

size_t rfl_kernel_number(struct ert_strings *kernels, const char *name, const char *run)
{
    char *key = ert_xprintf("%s\x1f%s", name, run);
    const size_t number = ert_strings_index(kernels, key);
    free(key);
    return number;
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

/* The number, among all, of the plain name with its launch. */
static size_t common_shorten(struct ert_strings *names, const char *full)
{
    const char *launch = full + without_launch(full);
    char *name = ert_xprintf("%.*s", (int)(launch - full), full),
         *plain = rfl_name_plain(name), *whole = ert_xprintf("%s%s", plain, launch);
    const size_t number = ert_strings_index(names, whole);
    free(plain);
    free(name);
    free(whole);
    return number;
}

static void shorten_all(const struct rfl_import *in)
{
    struct rfl_points *points = in->points;
    struct ert_strings names = {0};
    /* The full name of each short one, or "" for several; equal texts are the same pointer. */
    const char **owners = ert_xcalloc(points->n - in->first, sizeof *owners);
    size_t *numbers = ert_xcalloc(points->n - in->first, sizeof *numbers);
    for (size_t i = in->first; i < points->n; i++) {
        const char *full = points->points[i].name;
        const char **owner = &owners[numbers[i - in->first] = common_shorten(&names, full)];
        *owner = !*owner || *owner == full ? full : "";
    }
    for (size_t i = in->first; i < points->n; i++) {
        const size_t number = numbers[i - in->first];
        if (owners[number] == points->points[i].name)
            points->points[i].name = rfl_points_text(points, names.texts[number]);
    }
    free(owners);
    free(numbers);
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

/* ---- why counters can see more bytes further out ---- */

/* Importers of GPU profiles write the compute capability into the origin: "cc 9.0", the first with TMA. */
static bool common_has_tma(const struct rfl_points *points)
{
    const char *at = points->origin ? strstr(points->origin, "cc ") : NULL;
    return at && atoi(at + strlen("cc ")) >= 9;
}

static void common_judge(struct rfl_point *point)
{
    /*
     * Partial sectors alone make the counters of two levels differ by this much; lines that stores fetch are
     * as many bytes as these store.
     */
    static const double slack = 1.02;
    for (size_t i = 0; i < point->n_traffic; i++) {
        const struct rfl_traffic *inner = &point->traffic[i];
        int depth = rfl_level_depth(inner->level);
        const struct rfl_traffic *outer = depth ? rfl_point_outer(point, depth) : NULL;
        bool is_tma = strcmp(inner->level, "L1") == 0 && common_has_tma(point->set) &&
                      rfl_traffic_is_passed_by(point, inner);
        bool is_part = strstr(inner->recipe, " alone") != NULL; /* "reads alone" */
        const double stores = inner->bytes - inner->read_bytes,
                     fetched = !inner->is_actual && stores > 0 ? stores : 0;
        if (outer && outer->bytes > slack * (inner->bytes + fetched))
            rfl_points_warn(
                point, "%s moved %.3g times the bytes of %s%s (%s; %s)", outer->level,
                outer->bytes / inner->bytes, inner->level,
                is_part  ? ", of which only a part was counted"
                : is_tma ? ": most likely the kernel loads by TMA, from L2 to shared "
                           "memory, which the counter of L1 does not see"
                         : ", so its intensity is lower: write-allocates, whole lines read "
                           "for parts of them, write-backs, prefetches or counters that "
                           "include other programs",
                *outer->recipe ? outer->recipe : "unknown counter",
                *inner->recipe ? inner->recipe : "unknown counter");
    }
}

void (*const rfl_points_judge_order)(struct rfl_point *point) = common_judge;
