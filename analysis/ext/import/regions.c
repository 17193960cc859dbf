/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file of rfl_region.h (RFL_REGIONS=FILE), or those of several processes one after the other: a row for
 * each region of a thread, with the work that the author stated (rfl_region_work), which counts as fp64 and
 * as bytes that the code requests from memory. Regions counted by another tool get their times by join.
 *
 * The time of a region is that of its longest thread, its calls those of the thread with the most. Of several
 * processes calls and work are added; times are added for processes that ran one after the other; of
 * concurrent processes the longest time is taken. Regions come in the order in which they first began.
 */
#include "analysis/ext/import/common.h"

#include "ert/core/base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char first_cell[] = "rfl_region\t";
enum { NAME = 1, PROCESS, THREAD, OPEN, CALLS, TIME, FLOPS, BYTES, BEGUN, ENDED, N_CELLS };

/* A region of a thread, of a process, or of all; times in microseconds, on a clock that all share. */
struct row {
    size_t name, process;            /* indices */
    double values[N_CELLS];          /* from THREAD on, which is how many */
    double earlier_us, most_threads; /* before the concurrent ones of TIME and THREAD */
};

struct rows {
    struct ert_strings keys;
    struct row *rows; /* malloc, in the order of the keys */
    size_t capacity;
};

struct reader {
    const struct rfl_import *in;
    struct ert_strings names, processes;
    struct row *rows; /* malloc; of threads */
    size_t n, capacity;
};

static enum ert_status regions_read_row(struct reader *reader, struct ert_error *error)
{
    static const char *const names[N_CELLS] = {
        [OPEN] = "open",   [CALLS] = "calls", [TIME] = "time",   [FLOPS] = "flops",
        [BYTES] = "bytes", [BEGUN] = "begun", [ENDED] = "ended",
    };
    struct ert_lines *lines = reader->in->lines;
    struct row row = {.values = {[THREAD] = 1}};
    enum ert_number kind;
    ert_lines_split(lines, '\t');
    const char *name = ert_lines_cell(lines, NAME), *wanted = reader->in->options->region;
    if (lines->n_cells != N_CELLS || !*name)
        return ert_lines_fail(lines, error, "%zu cells, must be %d, the second a name",
                              lines->n_cells, N_CELLS);
    for (size_t i = OPEN; i < N_CELLS; i++)
        ERT_TRY(ert_lines_number(lines, names[i], ert_lines_cell(lines, i), &row.values[i],
                                 &kind, error));
    /* An end without a begin is no region. */
    if ((row.values[CALLS] == 0 && row.values[FLOPS] == 0) ||
        (wanted && !strstr(name, wanted)))
        return ERT_OK;
    row.name = ert_strings_index(&reader->names, name);
    row.process = ert_strings_index(&reader->processes, ert_lines_cell(lines, PROCESS));
    reader->rows = ert_xgrow(reader->rows, reader->n, &reader->capacity, sizeof row);
    reader->rows[reader->n++] = row;
    return ERT_OK;
}

static int regions_by_begin(const void *a, const void *b)
{
    const double *x = ((const struct row *)a)->values, *y = ((const struct row *)b)->values;
    /* Of regions that begin in one microsecond the outer one ends last. */
    return x[BEGUN] != y[BEGUN] ? (x[BEGUN] > y[BEGUN] ? 1 : -1)
                                : (x[ENDED] < y[ENDED]) - (x[ENDED] > y[ENDED]);
}

/* The row of a key to add `part` to; a new one is the part without sums. */
static struct row *regions_find(struct rows *rows, const char *key, const struct row *part)
{
    const size_t n = rows->keys.n_texts, i = ert_strings_index(&rows->keys, key);
    if (i == n) {
        rows->rows = ert_xgrow(rows->rows, n, &rows->capacity, sizeof *part);
        rows->rows[n] = (struct row){.name = part->name,
                                     .process = part->process,
                                     .values = {[BEGUN] = part->values[BEGUN]}};
    }
    return &rows->rows[i];
}

/* Adds what ran side by side, except for calls. */
static void regions_add(struct row *sum, const struct row *part)
{
    static const int added[] = {THREAD, OPEN, FLOPS, BYTES};
    for (size_t i = 0; i < ERT_LENGTH(added); i++)
        sum->values[added[i]] += part->values[added[i]];
    sum->values[TIME] = fmax(sum->values[TIME], part->values[TIME]);
    sum->values[ENDED] = fmax(sum->values[ENDED], part->values[ENDED]);
}

/* Sums rows that are sorted by begin: of threads to those of processes, or of these to those of all. */
static void regions_sum(const struct row *rows, size_t n, bool is_of_threads,
                        struct rows *sums)
{
    for (size_t i = 0; i < n; i++) {
        const double *values = rows[i].values;
        char key[64];
        snprintf(key, sizeof key, "%zu %zu", rows[i].name,
                 is_of_threads ? rows[i].process : 0);
        struct row *sum = regions_find(sums, key, &rows[i]);
        if (!is_of_threads && values[BEGUN] >= sum->values[ENDED]) {
            sum->earlier_us += sum->values[TIME];
            sum->most_threads = fmax(sum->most_threads, sum->values[THREAD]);
            sum->values[TIME] = sum->values[THREAD] = 0;
        }
        regions_add(sum, &rows[i]);
        sum->values[CALLS] = is_of_threads ? fmax(sum->values[CALLS], values[CALLS])
                                           : sum->values[CALLS] + values[CALLS];
    }
}

static void regions_put(const struct rfl_import *in, const char *name,
                        const struct row *sum)
{
    static const char recipe[] = "the author's count (rfl_region_work)";
    struct rfl_point *point = rfl_points_add(in->points, name);
    point->launches = sum->values[CALLS];
    point->threads = fmax(sum->most_threads, sum->values[THREAD]);
    point->time_s = (sum->earlier_us + sum->values[TIME]) / 1e6;
    point->time_recipe = "longest thread (rfl_region.h)";
    rfl_points_work(point, "fp64", "", sum->values[FLOPS], NAN, recipe);
    if (sum->values[BYTES] > 0)
        rfl_points_traffic(point, "DRAM", sum->values[BYTES], recipe);
    if (sum->values[OPEN] > 0)
        rfl_points_warn(point, "a begin without an end, whose time it lacks");
}

static enum ert_status regions_read(const struct rfl_import *in, struct ert_error *error)
{
    struct reader reader = {.in = in};
    struct rows of_processes = {.capacity = 0}, of_all = {.capacity = 0};
    enum ert_status status = ERT_OK;
    while (status == ERT_OK && ert_lines_next(in->lines))
        status = regions_read_row(&reader, error);
    if (reader.n > 0)
        qsort(reader.rows, reader.n, sizeof *reader.rows, regions_by_begin);
    regions_sum(reader.rows, reader.n, true, &of_processes);
    regions_sum(of_processes.rows, of_processes.keys.n_texts, false, &of_all);
    for (size_t i = 0; i < of_all.keys.n_texts && status == ERT_OK; i++)
        regions_put(in, reader.names.texts[of_all.rows[i].name], &of_all.rows[i]);
    ert_strings_free(&reader.names);
    ert_strings_free(&reader.processes);
    ert_strings_free(&of_processes.keys);
    ert_strings_free(&of_all.keys);
    free(reader.rows);
    free(of_processes.rows);
    free(of_all.rows);
    return status;
}

static bool regions_recognizes(const char *head)
{
    return strncmp(head, first_cell, sizeof first_cell - 1) == 0;
}

const struct rfl_importer rfl_import_regions = {
    .name = "regions",
    .summary = "rfl_region.h: times of a program's regions, work by its author",
    .how = "RFL_REGIONS=FILE ./a.out",
    .device = RFL_PROFILED_ANY,
    .recognizes = regions_recognizes,
    .read = regions_read,
    .join = rfl_region_join,
};
