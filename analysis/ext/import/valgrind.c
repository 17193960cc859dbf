/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The file of our Valgrind tool (analysis/ext/record/valgrind): comments, a line of column names, and a row
 * per region and thread (or "others"). Rows of a region are summed; its calls are those of the thread with
 * the most.
 */
#include "analysis/ext/import/common.h"

#include "ert/core/base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_TYPES = 2, N_WIDTHS = 3, N_EDGES = 3, MAX_COLUMNS = 64 };
static const char *const types[N_TYPES] = {"fp64", "fp32"},
                         *const widths[N_WIDTHS] = {"scalar", "128", "256"},
                         *const behind[N_EDGES] = {"L2", "L3", "DRAM"},
                         *const caches[N_EDGES] = {"L1", "L2", "L3"};
static const char first_line[] = "# roofline-valgrind 1\n";

/* What the importer reads from a row; columns may be in any order, and some may be missing. */
struct counts {
    double calls, threads, instructions, load_bytes, store_bytes, streamed_bytes, x87_flops;
    double flops[N_TYPES][N_WIDTHS], fma_flops[N_TYPES][N_WIDTHS];
    double read[N_EDGES], written[N_EDGES], left[N_EDGES];
};
enum { N_COUNTS = sizeof(struct counts) / sizeof(double) };

struct region {
    const char *name; /* owned by the points */
    struct counts sums;
};

struct reader {
    const struct rfl_import *in;
    size_t columns[N_COUNTS]; /* of the file; SIZE_MAX: has none */
    struct region *regions;   /* malloc */
    size_t n, capacity;
    bool is_whole;       /* is_whole: the file has its last line */
    const char *stopped; /* the kind of instruction; owned by the points, NULL: not */
    const char *caches;  /* owned by the points: "L1: 49152 bytes, ..." */
};

static void name_columns(char names[N_COUNTS][32])
{
    static const char *const plain[] = {"calls",      "threads",     "instructions",
                                        "load_bytes", "store_bytes", "streamed_bytes",
                                        "x87_flops"};
    static const char *const kinds[] = {"flops", "fma_flops"}, *const ends[] = {"read",
                                                                                "written"};
    size_t n = 0;
    for (size_t i = 0; i < ERT_LENGTH(plain); i++)
        snprintf(names[n++], 32, "%s", plain[i]);
    for (size_t k = 0; k < 2; k++)
        for (size_t t = 0; t < N_TYPES; t++)
            for (size_t w = 0; w < N_WIDTHS; w++)
                snprintf(names[n++], 32, "%s_%s_%s", types[t], kinds[k], widths[w]);
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < N_EDGES; i++)
            snprintf(names[n++], 32, "%s_%s", behind[i], ends[k]);
    for (size_t i = 0; i < N_EDGES; i++)
        snprintf(names[n++], 32, "%s_left", caches[i]);
}

static enum ert_status import_valgrind_read_header(struct reader *reader,
                                                   struct ert_error *error)
{
    char names[N_COUNTS][32];
    name_columns(names);
    ert_lines_split(reader->in->lines, '\t');
    for (size_t i = 0; i < N_COUNTS; i++)
        reader->columns[i] = ert_lines_column(reader->in->lines, names[i]);
    if (ert_lines_column(reader->in->lines, "thread") != 1)
        return ert_lines_fail(
            reader->in->lines, error,
            "no line of column names, which starts with region and thread");
    return ERT_OK;
}

static struct region *region_of(struct reader *reader, const char *name)
{
    for (size_t i = 0; i < reader->n; i++)
        if (strcmp(reader->regions[i].name, name) == 0)
            return &reader->regions[i];
    if (reader->n == reader->capacity) {
        reader->capacity = 2 * reader->capacity + 16;
        reader->regions =
            ert_xrealloc(reader->regions, reader->capacity, sizeof *reader->regions);
    }
    struct region *region = &reader->regions[reader->n++];
    *region = (struct region){.name = rfl_points_text(reader->in->points, name)};
    return region;
}

/* Reads a count; only those in left[] can be below 0. */
static enum ert_status import_valgrind_read_count(const struct reader *reader, size_t i,
                                                  double *count, struct ert_error *error)
{
    enum ert_number kind;
    const char *text = ert_lines_cell(reader->in->lines, reader->columns[i]);
    bool is_negative = *text == '-' && text[1] && i >= N_COUNTS - N_EDGES;
    *count = 0;
    if (reader->columns[i] == SIZE_MAX)
        return ERT_OK;
    ERT_TRY(ert_lines_number(reader->in->lines, "count", text + is_negative, count, &kind,
                             error));
    *count = is_negative ? -*count : *count;
    return ERT_OK;
}

static enum ert_status import_valgrind_read_row(struct reader *reader,
                                                struct ert_error *error)
{
    struct counts counts;
    double *values = (double *)&counts;
    ert_lines_split(reader->in->lines, '\t');
    const char *name = ert_lines_cell(reader->in->lines, 0),
               *thread = ert_lines_cell(reader->in->lines, 1);
    if (!*name || !*thread)
        return ert_lines_fail(reader->in->lines, error, "contains no region and thread");
    for (size_t i = 0; i < N_COUNTS; i++)
        ERT_TRY(import_valgrind_read_count(reader, i, &values[i], error));
    struct region *region = region_of(reader, name);
    double *sums = (double *)&region->sums, calls = sums[0];
    for (size_t i = 0; i < N_COUNTS; i++)
        sums[i] += values[i];
    sums[0] = fmax(calls, values[0]); /* of the thread with the most */
    return ERT_OK;
}

static void import_valgrind_put_work(struct rfl_point *point, const struct counts *counts)
{
    for (size_t t = 0; t < N_TYPES; t++) {
        double flops = 0, fma_flops = 0;
        for (size_t w = 0; w < N_WIDTHS; w++) {
            char name[32];
            snprintf(name, sizeof name, "%s_%s_flops", types[t], widths[w]);
            if (counts->flops[t][w] > 0)
                rfl_points_value(point, name, counts->flops[t][w]);
            flops += counts->flops[t][w];
            fma_flops += counts->fma_flops[t][w];
        }
        rfl_points_work(point, types[t], "core", flops,
                        flops > 0 ? fma_flops / 2 / (flops - fma_flops / 2) : NAN,
                        "elements of each instruction that ran, 2 of an FMA (Valgrind)");
    }
    if (counts->x87_flops > 0)
        rfl_points_warn(point, "%.0f operations of the x87 unit are not in its flops",
                        counts->x87_flops);
}

static void import_valgrind_put_bytes(const struct reader *reader, struct rfl_point *point,
                                      const struct counts *counts)
{
    double left = 0, dram = counts->read[N_EDGES - 1] + counts->written[N_EDGES - 1];
    rfl_points_accesses(point, "L1", counts->load_bytes + counts->store_bytes,
                        counts->load_bytes, false, "bytes of loads + of stores (Valgrind)");
    for (size_t i = 0; i < N_EDGES; i++) {
        left += counts->left[i];
        if (reader->columns[N_COUNTS - 3 * N_EDGES + i] == SIZE_MAX)
            continue;
        rfl_points_accesses(point, behind[i], counts->read[i] + counts->written[i],
                            counts->read[i], true,
                            "lines fetched + written back, simulated (Valgrind)");
    }
    if (counts->streamed_bytes > 0) {
        rfl_points_value(point, "streamed_bytes", counts->streamed_bytes);
        rfl_points_streaming(point, behind[N_EDGES - 1],
                             2 * counts->streamed_bytes > counts->store_bytes);
    }
    if (dram > 0 && left > 0.05 * dram)
        rfl_points_warn(
            point,
            "%.4g written bytes were still in the simulated caches at the end and are not "
            "among its DRAM bytes",
            left);
}

static void import_valgrind_put(const struct reader *reader, const struct region *region)
{
    const struct counts *counts = &region->sums;
    struct rfl_point *point = rfl_points_add(reader->in->points, region->name);
    point->launches = counts->calls;
    point->threads = counts->threads;
    point->instructions = counts->instructions;
    rfl_points_missing(point, "time",
                       "Valgrind runs the code many times slower: time a run without it "
                       "(RFL_REGIONS=FILE where the code has regions)");
    import_valgrind_put_work(point, counts);
    import_valgrind_put_bytes(reader, point, counts);
}

/* If the file has regions, the whole run, which includes them, is imported only on request. */
static bool import_valgrind_is_wanted(const struct reader *reader,
                                      const struct region *region)
{
    const char *wanted = reader->in->options->region;
    return wanted ? strstr(region->name, wanted) != NULL
                  : reader->n == 1 || strcmp(region->name, "whole run") != 0;
}

static void import_valgrind_read_comment(struct reader *reader, const char *line)
{
    static const char stopped[] = "# stopped: ";
    if (strncmp(line, stopped, sizeof stopped - 1) == 0)
        reader->stopped = ert_strings_format(&reader->in->points->strings, "%s",
                                             line + sizeof stopped - 1);
    reader->is_whole |= strcmp(line, "# end") == 0;
    if (line[1] == ' ' && line[2] == 'L')
        reader->caches = ert_strings_format(&reader->in->points->strings, "%s; %s",
                                            reader->caches, line + 2);
}

static enum ert_status import_valgrind_read_lines(struct reader *reader,
                                                  struct ert_error *error)
{
    bool has_header = false;
    for (char *line; (line = ert_lines_next(reader->in->lines));) {
        if (*line == '#') {
            import_valgrind_read_comment(reader, line);
        } else if (has_header) {
            ERT_TRY(import_valgrind_read_row(reader, error));
        } else {
            ERT_TRY(import_valgrind_read_header(reader, error));
            has_header = true;
        }
    }
    return reader->is_whole ? ERT_OK
                            : ert_lines_fail(reader->in->lines, error,
                                             "no line '# end' follows: the file is "
                                             "truncated, as by a full disk");
}

static enum ert_status valgrind_read(const struct rfl_import *in, struct ert_error *error)
{
    struct reader reader = {.in = in, .caches = "Valgrind, simulated caches"};
    enum ert_status status = import_valgrind_read_lines(&reader, error);
    /* No count of a part of a run may become a rate. */
    if (status == ERT_OK && reader.stopped)
        status = ert_fail(
            error, ERT_UNAVAILABLE,
            "%s: counts of a part of the run: the program came to %.20s instructions, "
            "which "
            "Valgrind does not know: build it with -march=x86-64-v3 or -mno-avx512f",
            in->lines->file, reader.stopped);
    for (size_t i = 0; i < reader.n && status == ERT_OK; i++)
        if (import_valgrind_is_wanted(&reader, &reader.regions[i]))
            import_valgrind_put(&reader, &reader.regions[i]);
    in->points->origin = reader.caches;
    free(reader.regions);
    return status;
}

static bool import_valgrind_recognizes(const char *head)
{
    return strncmp(head, first_line, sizeof first_line - 1) == 0;
}

/* For a timer's file that was read first: replaces its point by the counts, with its times. */
static bool import_valgrind_join(struct rfl_point *earlier, const struct rfl_point *later)
{
    struct rfl_point counts = *later;
    if (!rfl_region_join(&counts, earlier))
        return false;
    *earlier = counts;
    return true;
}

const struct rfl_importer rfl_import_valgrind = {
    .name = "valgrind",
    .summary = "our Valgrind tool: operations, and bytes through simulated caches",
    .how = "valgrind --tool=roofline --out-file=FILE ./a.out",
    .device = RFL_PROFILED_CPU,
    .recognizes = import_valgrind_recognizes,
    .read = valgrind_read,
    .join = import_valgrind_join,
};
