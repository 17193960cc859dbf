/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Intel SDE, `sde -mix`: the histogram of executed instructions, in blocks that end with "*total": of the
 * whole process (EMIT_GLOBAL_DYNAMIC_STATS), of each thread, and of functions (on each thread). The layout is
 * known from NERSC's parse-sde.sh and Pin's opcodemix, from which SDE's mix derives.
 *
 * Intel, "Calculating FLOP using Intel SDE", and NERSC's parse-sde.sh (bitbucket.org/dwdoerf/
 * stream-ai-example) give the arithmetic:
 *
 * - "*elements_fp_double_4 N": N instructions of 4 elements each, so 4 N operations;
 * - it counts an FMA once: so one more operation per element of each FMA, whose width is in its iform
 *   (VFMADD213PD_YMMqq_...), so that the mix must be made with -iform 1;
 * - "*mem-read-16 N", "*mem-write-16 N": N accesses of 16 bytes that the core requests from L1;
 * - masked AVX-512: the mask's share is only in -dyn_mask_profile's XML, which is not read. The iforms of an
 *   FMA are the same with and without a mask, so all are counted with all elements: an upper bound.
 */
#define RFL_ROWS "analysis/ext/import/sde_rows.def"
#define MIX(glob, id, weight)
enum { NUMBER = 0, UNKNOWN = -1 };
#include "analysis/ext/import/rows.inc"

#include "ert/core/base/alloc.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a row of the mix adds to: count x weight; M_NONE: it counts operations of another type. */
static const struct part {
    const char *glob;
    unsigned metric;
    int weight; /* NUMBER: the number in its name */
} parts[] = {
#undef MIX
#define MIX(glob, id, weight) {glob, M_##id, weight},
#include RFL_ROWS
};

enum section { NONE, GLOBAL, THREAD, FUNCTION, N_SECTIONS };

/* The counts of a block, or of several. */
struct mix {
    struct rfl_launch counts;
    double masked[RFL_N_FP_TYPES]; /* instructions, which count with all elements */
    bool lists_instructions;
    const char *unread; /* what counts operations of another type; NULL nothing */
};

struct reader {
    const struct rfl_import *in;
    struct rfl_kernels kernels;
    enum section section;
    const char *function, *run; /* owned by the points; run "": the first in the file */
    struct mix block; /* includes previous ones of its section, except for functions */
    struct mix sums[N_SECTIONS]; /* of complete blocks */
    size_t n_blocks[N_SECTIONS], n_runs;
};

/* The part that a row is; NULL: none. *weight: NAN unknown. */
static const struct part *sde_part_of(const char *name, double *weight)
{
    const struct part *part = parts;
    while (part < parts + ERT_LENGTH(parts) && fnmatch(part->glob, name, 0) != 0)
        part++;
    if (part == parts + ERT_LENGTH(parts))
        return NULL;
    *weight = part->weight == UNKNOWN ? NAN : part->weight;
    if (part->weight == NUMBER) {
        char *end;
        *weight = (double)strtoul(strpbrk(name, "123456789"), &end, 10);
        if ((*end && strcmp(end, "_masked") != 0) || *weight > 4096)
            return NULL; /* other kinds of mem-read-... */
    }
    return part;
}

static void sde_mix_begin(struct mix *mix, size_t row)
{
    *mix = (struct mix){.counts.row = row};
    for (size_t i = 0; i < tables.n_names; i++)
        mix->counts.values[tables.names[i].id] =
            (struct rfl_metric_value){.as = &tables.names[i], .row = row};
}

static void sde_mix_row(struct mix *mix, struct rfl_points *points, const char *name,
                        const struct rfl_cell *count, size_t row)
{
    double weight = 0;
    const struct part *part = sde_part_of(name, &weight);
    mix->lists_instructions |= *name != '*';
    if (part && part->metric == M_NONE && count->value > 0 && !mix->unread)
        mix->unread = rfl_points_text(points, name);
    if (!part || part->metric == M_NONE)
        return;
    struct rfl_metric_value *value = &mix->counts.values[part->metric];
    const char *why = count->why ? count->why
                      : isnan(weight) && count->value > 0
                          ? "listed without their width: run sde with -iform 1"
                          : NULL;
    if (why)
        *value = (struct rfl_metric_value){value->as, 0, ERT_NUMBER_NONE, why, row};
    else
        value->value += weight * count->value;
    if (strstr(name, "_masked"))
        mix->masked[part->metric - M_FP64] += count->value;
}

/* Adds the counts to the point of this name and of this run of the file. */
static enum ert_status sde_mix_put(struct reader *reader, struct mix *mix, const char *name,
                                   struct ert_error *error)
{
    struct rfl_points *points = reader->in->points;
    struct rfl_kernel *kernel =
        rfl_kernels_find(&reader->kernels, name, reader->run, false);
    struct rfl_point *point = &points->points[kernel->point];
    for (size_t i = 0; i < RFL_N_FP_TYPES; i++) {
        if (mix->counts.values[M_FP64 + i].value > 0 && !mix->lists_instructions) {
            mix->counts.values[M_FMA64 + i].kind = ERT_NUMBER_NONE;
            mix->counts.values[M_FMA64 + i].why =
                "the block lists no instructions, so the FMA share is not known";
        }
        if (mix->masked[i] > 0)
            rfl_points_warn(point,
                            "%s: an upper bound: %.0f masked AVX-512 instructions are "
                            "counted with all their elements; the active ones are only in "
                            "the XML of -dyn_mask_profile, which is not read",
                            rfl_fp_types[i], mix->masked[i]);
    }
    if (mix->unread)
        rfl_points_warn(point,
                        "not used, though they can count operations or bytes: %s, and "
                        "perhaps others",
                        mix->unread);
    return rfl_kernel_add(&reader->kernels, kernel, &mix->counts, error);
}

static void sde_begin_block(struct reader *reader, enum section section)
{
    reader->section = section;
    reader->block = reader->sums[section];
    if (reader->n_blocks[section] == 0 || section == FUNCTION)
        sde_mix_begin(&reader->block, reader->in->lines->number);
}

/*
 * "*total" ends a block; one without it does not count. Each thread of a function has its own block; all are
 * summed into one point.
 */
static enum ert_status sde_end_block(struct reader *reader, struct ert_error *error)
{
    const struct rfl_import_options *options = reader->in->options;
    enum section section = reader->section;
    reader->section = NONE;
    reader->n_blocks[section]++;
    reader->sums[section] = reader->block;
    if (section != FUNCTION || (!options->list && !options->region) ||
        (options->region && !strstr(reader->function, options->region)))
        return ERT_OK;
    return sde_mix_put(reader, &reader->block, reader->function, error);
}

/* "# $dynamic-counts-for-function: void f<1>(int)  IMG: /a.out at [0x1, 0x2)   1.3%" */
static void sde_begin_function(struct reader *reader, const char *name)
{
    const char *end = strstr(name, "  IMG:");
    end = end ? end : strstr(name, " at [");
    int length = (int)(end ? (size_t)(end - name) : strlen(name));
    reader->function =
        ert_strings_format(&reader->in->points->strings, "%.*s", length, name);
    sde_begin_block(reader, FUNCTION);
}

static void sde_read_comment(struct reader *reader, const char *line)
{
    static const char function[] = "# $dynamic-counts-for-function: ";
    if (strncmp(line, "# EMIT_GLOBAL_DYNAMIC_STATS", 27) == 0)
        sde_begin_block(reader, GLOBAL);
    else if (strncmp(line, "# EMIT_DYNAMIC_STATS FOR TID", 28) == 0)
        sde_begin_block(reader, THREAD);
    else if (strncmp(line, function, sizeof function - 1) == 0)
        sde_begin_function(reader, line + sizeof function - 1);
    else if (strncmp(line, "# END_", 6) == 0 || strncmp(line, "# EMIT_", 7) == 0)
        reader->section = NONE;
}

/* Reads a row "NAME   COUNT" of a block; other lines are skipped. */
static enum ert_status sde_read_row(struct reader *reader, char *line,
                                    struct ert_error *error)
{
    struct rfl_cell count;
    char *rest = line;
    const char *name = ert_lines_word(&rest), *text = ert_lines_word(&rest);
    if (name != line || !*text)
        return ERT_OK;
    ERT_TRY(rfl_cell_read(reader->in, name, text, &count, error));
    sde_mix_row(&reader->block, reader->in->points, name, &count,
                reader->in->lines->number);
    return strcmp(name, "*total") == 0 ? sde_end_block(reader, error) : ERT_OK;
}

/* Ends the file of a run. */
static enum ert_status sde_end_run(struct reader *reader, struct ert_error *error)
{
    const struct rfl_import_options *options = reader->in->options;
    const char *file = reader->in->lines->file;
    bool by_function = options->list || options->region;
    if (by_function && !reader->n_blocks[FUNCTION])
        return ert_fail(error, ERT_USAGE,
                        "%.200s: contains no counts per function; without --list and "
                        "--kernel it is one point",
                        file);
    if (!by_function && !reader->n_blocks[GLOBAL] && !reader->n_blocks[THREAD])
        return ert_fail(
            error, ERT_USAGE,
            "%.200s: no block of dynamic counts that ends with *total: is it truncated?",
            file);
    return by_function
               ? ERT_OK
               : sde_mix_put(reader,
                             &reader->sums[reader->n_blocks[GLOBAL] ? GLOBAL : THREAD],
                             "whole program", error);
}

static enum ert_status sde_read_lines(struct reader *reader, struct ert_error *error)
{
    static const char begin[] = "# Mix output version";
    for (char *line; (line = ert_lines_next(reader->in->lines));) {
        bool has_blocks = reader->n_blocks[GLOBAL] || reader->n_blocks[THREAD] ||
                          reader->n_blocks[FUNCTION];
        if (strncmp(line, begin, sizeof begin - 1) == 0 && has_blocks) {
            ERT_TRY(sde_end_run(reader, error)); /* the file of another run */
            memset(reader->n_blocks, 0, sizeof reader->n_blocks);
            reader->section = NONE;
            reader->run = ert_strings_format(&reader->in->points->strings, "run %zu",
                                             ++reader->n_runs + 1);
        } else if (*line == '#')
            sde_read_comment(reader, line);
        else if (reader->section != NONE)
            ERT_TRY(sde_read_row(reader, line, error));
    }
    return sde_end_run(reader, error);
}

static enum ert_status sde_read(const struct rfl_import *in, struct ert_error *error)
{
    struct reader *reader = ert_xcalloc(1, sizeof *reader);
    *reader = (struct reader){.in = in, .function = "", .run = ""};
    rfl_kernels_begin(&reader->kernels, in, &tables);
    enum ert_status status = sde_read_lines(reader, error);
    rfl_kernels_put(&reader->kernels);
    for (size_t i = in->first; i < in->points->n; i++) {
        struct rfl_point *point = &in->points->points[i];
        rfl_points_missing(point, "time",
                           "SDE emulates the instructions, its time is not that of the "
                           "program: time a run without SDE");
        rfl_points_missing(point, "DRAM bytes",
                           "SDE sees the requests of the core, not the traffic between "
                           "caches: count with likwid-perfctr, perf or VTune");
    }
    rfl_kernels_free(&reader->kernels);
    free(reader);
    in->points->origin = "Intel SDE, instruction mix";
    return status;
}

static bool sde_recognizes(const char *head)
{
    return strstr(head, "# EMIT_GLOBAL_DYNAMIC_STATS") ||
           strstr(head, "# EMIT_DYNAMIC_STATS FOR TID") ||
           strstr(head, "# $dynamic-counts") || strstr(head, "# Mix output version");
}

const struct rfl_importer rfl_import_sde = {
    .name = "sde",
    .summary = "Intel SDE: the instruction mix (operations, bytes at L1)",
    .how = "sde64 -mix -iform 1 -omix FILE -- ./a.out",
    .device = RFL_PROFILED_CPU,
    .recognizes = sde_recognizes,
    .read = sde_read,
};
