/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nsight Compute's reports (.ncu-rep), which ncu itself converts, and its CSV in both layouts: one row per
 * launch and metric (--csv with --metrics or the details page), or one row per launch after a row of units
 * (--csv --page raw). Columns are found by name; output of the program and of ncu between the rows is
 * skipped.
 *
 * Each launch becomes a point, or the launches of a kernel (in one process, on one device) are summed into
 * one (metrics.h). A launch that failed is left out completely.
 *
 * Counts were compared with kernels of known work on an H200 with ncu 2025.3; the recipes have the findings.
 */
#include "analysis/ext/import/common.h"
#include "analysis/ext/import/metrics.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/tool.h"
#include "ert/ext/ncu/ncu.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ncu reads a report of a hundred launches in a second or two. */
static const double report_s = 600;

enum metric {
    NCU_NONE,
#define ERT_NCU(id, ...)          NCU_##id,
#define ERT_NCU_COUNTED(id, ...)  NCU_##id,
#define ERT_NCU_OPTIONAL(id, ...) NCU_##id,
#define ERT_NCU_VALUE(id, ...)    NCU_##id,
#include "ert/ext/ncu/ncu_metrics.def"
    NCU_N_METRICS
};

static const struct rfl_metric names[] = {
#define NAME(id, measure, name)          {name, NCU_##id, ERT_IN_##measure, RFL_UNIT_EXACT},
#define ERT_NCU                          NAME
#define ERT_NCU_COUNTED                  NAME
#define ERT_NCU_OPTIONAL                 NAME
#define ERT_NCU_ALSO                     NAME
#define ERT_NCU_LABEL(id, measure, name) {name, NCU_##id, ERT_IN_##measure, RFL_UNIT_LABEL},
#define ERT_NCU_VALUE(id, key, factor, name)                                               \
    {name, NCU_##id, ERT_IN_COUNTS, RFL_UNIT_AS_PRINTED},
#include "ert/ext/ncu/ncu_metrics.def"
};

static const struct rfl_quantity quantities[] = {
#define QUANTITY RFL_QUANTITY
#define NUMBER   RFL_NUMBER
#define RECIPE   RFL_RECIPE
/* The forms of a recipe. */
#define PLAIN           .per = NCU_NONE
#define FMA             .n_fma = 1
#define PACKED_FMA      .n_fma = 2
#define BY(a, b)        .n_fma = 1, .times = {NCU_##a, NCU_##b}
#define PACKED_BY(a, b) .n_fma = 2, .times = {NCU_##a, NCU_##b}
#define TIMES(a)        .times = {NCU_##a}
#define RATE            TIMES(TIME)
#define WHICH(which)    .l2 = which
#define RATE_OF(l2)     RATE, WHICH(l2)
#define OVER(metric)    .per = NCU_##metric
#define CC(only)        .cc = only
#define REASON(why)     .unusable = why
#define T(id, value)                                                                       \
    {                                                                                      \
        NCU_##id, value                                                                    \
    }
#include "analysis/ext/import/ncu_recipes.def"
#define ERT_NCU_VALUE(id, key, factor, name)                                               \
    RFL_QUANTITY(key, VALUE_MEAN, key, "", OPTIONAL, RECIPE(name, PLAIN, T(id, factor)))
#include "ert/ext/ncu/ncu_metrics.def"
};

static const struct rfl_sign signs[] = {
#define SIGN(glob, what, type, unit, level, counted_by, hint)                              \
    {glob, what, type, unit, level, counted_by, hint},
#include "analysis/ext/import/ncu_recipes.def"
};

_Static_assert(NCU_N_METRICS <= (int)RFL_MAX_METRICS &&
                   ERT_LENGTH(signs) <= RFL_MAX_SIGNS &&
                   ERT_LENGTH(quantities) <= RFL_MAX_QUANTITIES,
               "room of metrics.h");

static const struct rfl_read_split splits[] = {
    {"L1",     NCU_L1_GLOBAL_LD, NCU_L1_GLOBAL_ST,  NCU_L1_LOCAL_LD, NCU_L1_LOCAL_ST},
    {"shared", NCU_SHARED_LD,    NCU_SHARED_ST,     NCU_NONE,        NCU_NONE       },
    {"L2",     NCU_L2_TEX_READ,  NCU_L2_TEX_WRITE,  NCU_NONE,        NCU_NONE       },
    {"L2",     NCU_L2_XBAR_READ, NCU_L2_XBAR_WRITE, NCU_NONE,        NCU_NONE       },
    {"HBM",    NCU_DRAM_READ,    NCU_DRAM_WRITE,    NCU_NONE,        NCU_NONE       },
};

/* Warns of a recipe that counts more than the quantity, or not all of it. */
static void warn(struct rfl_point *point, const struct rfl_launch *launch,
                 const struct rfl_recipe *recipe)
{
    /*
     * A100, H100 and H200 have an L2 with two halves. Reading 4.295 GB of memory on an H200 counts 6.45 GB of
     * lts__t_bytes, but 4.295 GB of lts__t_sectors_srcunit_tex x 32.
     */
    bool has_halves = strcmp(launch->cc, "8.0") == 0 || strcmp(launch->cc, "9.0") == 0;
    if (has_halves && recipe->l2 && strcmp(recipe->l2, "lts") == 0)
        rfl_points_warn(point,
                        "L2 bytes are lts__t_bytes: on cc %s they include traffic between "
                        "the two halves of L2, up to half as much again; "
                        "lts__t_sectors_srcunit_tex.sum counts only that of the SMs",
                        launch->cc);
    if (recipe->terms[0].metric == NCU_L2_READS)
        rfl_points_warn(point,
                        "L1 and L2 bytes are those of ncu's hierarchical chart: reads "
                        "only, without stores");
}

static const struct rfl_metrics ncu = {
    .names = names,
    .n_names = ERT_LENGTH(names),
    .quantities = quantities,
    .n_quantities = ERT_LENGTH(quantities),
    .splits = splits,
    .n_splits = ERT_LENGTH(splits),
    .signs = signs,
    .n_signs = ERT_LENGTH(signs),
    .remark = warn,
    .no_operations =
        "no metrics sm__sass_thread_inst_executed_op_{dadd,dmul,dfma,fadd,fmul,ffma "
        "...}_pred_on.sum",
};

/* What a metric's unit must be, if `unit` is none; else NULL, with the factor of its values. */
static const char *read_unit(const struct rfl_metric *name, const char *unit,
                             double *factor)
{
    static const char *const wanted[] = {
        "a time (ns, usecond ...)",
        "bytes (byte, Mbyte, GB ...)",
        "a rate of bytes (Gbyte/s ...)",
        "a frequency (hz, Ghz, cycle/nsecond ...)",
        "a percentage (%)",
        "a count (inst, cycle, sector, warp ...)",
    };
    enum ert_measure measure;
    *factor = 1;
    return name->unit == RFL_UNIT_AS_PRINTED ||
                   (ert_units_read(unit, &measure, factor) && measure == name->measure)
               ? NULL
               : wanted[name->measure];
}

/* A kernel, or with options->list a launch. */
struct kernel {
    size_t point, failed_row;
    enum metric failed_metric;
    double n_failed;
    size_t n_read; /* launches that did not fail */
    struct rfl_sums sums;
};

/* The columns that identify the launch of a row. */
enum cell { ID, PROCESS, KERNEL, DEVICE, CC, GRID, BLOCK, N_CELLS };

/* Further columns of the long layout. */
enum { NAME = N_CELLS, UNIT, VALUE, SECTION, N_LONG_CELLS };

static const char *const cell_names[N_LONG_CELLS] = {
    "ID",         "Process ID",  "Kernel Name", "Device",       "CC",          "Grid Size",
    "Block Size", "Metric Name", "Metric Unit", "Metric Value", "Section Name"};

/* A metric's column in the wide layout; name NULL: only a sign. */
struct column {
    const struct rfl_metric *name;
    size_t column, sign;
    const char *text, *unit; /* stored */
};

struct reader {
    const struct rfl_import *in;
    struct ert_strings known;   /* the names of metrics, and others that the file has */
    struct ert_strings numbers; /* of the kernels */
    struct kernel *kernels;     /* with options->list only the current launch */
    size_t n_kernels, capacity;
    struct rfl_launch launch;
    const char *signs[RFL_MAX_SIGNS]; /* of the launch, as in struct rfl_sums */
    /* Of the launch, stored: equal texts are the same pointer. */
    const char *id, *process, *device, *name, *grid, *block;
    bool is_details; /* there were rows of the details page */
    bool is_open;    /* the long layout: rows of this launch may follow */
    bool has_units;  /* the wide layout: the row of units was read */
    enum { NO_TABLE, LONG, WIDE } layout;
    size_t cells[N_LONG_CELLS], gpu_name;
    struct column *columns;
    size_t n_columns, room_columns;
    char complaint[256]; /* the first ==ERROR== line */
    bool is_forbidden;
    bool is_ncu, has_profiled; /* ncu printed something; that it profiled a kernel */
};

/* The section of rows that --metrics requested; those of the details page have other names. */
static const char metrics_section[] = "Command line profiler metrics";

/* NULL for an unknown metric. */
static const struct rfl_metric *import_ncu_find_name(struct reader *reader,
                                                     const char *name)
{
    size_t i = ert_strings_index(&reader->known, name);
    return i < ERT_LENGTH(names) ? &names[i] : NULL;
}

/* The kernel of a launch; for its first launch a new one with its point. */
static struct kernel *import_ncu_find_kernel(struct reader *reader)
{
    struct rfl_points *points = reader->in->points;
    const char *name = reader->name, *run = "";
    size_t number = 0;
    if (reader->in->options->by_configuration) {
        run = rfl_launch_configuration(&points->strings, reader->grid, reader->block);
        number = rfl_kernel_number(&reader->numbers, name, run, "");
    } else if (reader->in->options->list) {
        name = ert_strings_format(&points->strings, "%s #%s", name, reader->id);
        reader->n_kernels = 0; /* one at a time: nothing is summed */
    } else {
        number = rfl_kernel_number(&reader->numbers, name, reader->process, reader->device);
    }
    if (number == reader->n_kernels) {
        reader->kernels =
            ert_xgrow(reader->kernels, number, &reader->capacity, sizeof *reader->kernels);
        /* rfl_kernels_end() removes the run if all are the same */
        if (!*run)
            run = ert_strings_format(&points->strings, "process %s, device %s",
                                     reader->process, reader->device);
        rfl_points_add(points, name)->run = run;
        reader->kernels[reader->n_kernels++] = (struct kernel){.point = points->n - 1};
    }
    return &reader->kernels[number];
}

/* Whether all counts are nan; *metric: one of them. */
static bool has_failed(const struct rfl_launch *launch, enum metric *metric)
{
    bool has_nan = false;
    for (size_t m = NCU_N_METRICS; m-- > 0;) {
        if (!launch->values[m].as || m == NCU_REGISTERS || m == NCU_WARPS_LIMIT)
            continue;
        if (launch->values[m].kind == ERT_NUMBER)
            return false;
        if (launch->values[m].kind == ERT_NUMBER_NAN) {
            *metric = (enum metric)m;
            has_nan = true;
        }
    }
    return has_nan;
}

/* Completes the sums of a kernel, and notes which of its launches failed. */
static void end_kernel(struct reader *reader, const struct kernel *kernel)
{
    static const char *const all[] = {"time", "operations", "bytes"};
    struct rfl_point *point = &reader->in->points->points[kernel->point];
    rfl_sums_put(&ncu, &kernel->sums, point);
    if (kernel->n_failed == 0)
        return;
    const char *metric = rfl_metric_name(&ncu, kernel->failed_metric);
    if (point->launches > 0)
        rfl_points_warn(
            point,
            "%.0f of %.0f launches failed and are left out, the first: row %zu: %s: nan",
            kernel->n_failed, kernel->n_failed + point->launches, kernel->failed_row,
            metric);
    for (size_t i = 0; i < 3 && point->launches == 0; i++)
        rfl_points_missing(point, all[i],
                           "row %zu: %s and all other metrics: nan: the launch failed",
                           kernel->failed_row, metric);
}

static enum ert_status import_ncu_add_launch(struct reader *reader, struct ert_error *error)
{
    const struct rfl_import *in = reader->in;
    const struct rfl_launch *launch = &reader->launch;
    enum metric metric = NCU_NONE;
    if (in->options->region && !strstr(reader->name, in->options->region))
        return ERT_OK;
    struct kernel *kernel = import_ncu_find_kernel(reader);
    struct rfl_point *point = &in->points->points[kernel->point];
    if (!has_failed(launch, &metric)) {
        if (in->options->without_first && kernel->n_read++ == 1) {
            kernel->sums = (struct rfl_sums){0};
            point->launches = 0;
        }
        point->launches++;
        ERT_TRY(rfl_sums_add(&ncu, in, launch, &kernel->sums, point, error));
        for (size_t i = 0; i < ncu.n_signs; i++)
            if (reader->signs[i])
                kernel->sums.signs[i] = reader->signs[i];
    } else if (kernel->n_failed++ == 0) {
        kernel->failed_row = launch->values[metric].row;
        kernel->failed_metric = metric;
    }
    if (in->options->list)
        end_kernel(reader, kernel);
    return ERT_OK;
}

static enum ert_status flush(struct reader *reader, struct ert_error *error)
{
    if (!reader->is_open)
        return ERT_OK;
    reader->is_open = false;
    return import_ncu_add_launch(reader, error);
}

static const char *keep_text(struct reader *reader, size_t column)
{
    return rfl_points_text(reader->in->points, ert_lines_cell(reader->in->lines, column));
}

static const char *import_ncu_keep(struct reader *reader, enum cell cell)
{
    return keep_text(reader, reader->cells[cell]);
}

/* "Nsight Compute, NVIDIA H200, cc 9.0"; with "; NVIDIA A100, cc 8.0" if the profile has different GPUs. */
static void note_origin(struct reader *reader)
{
    struct rfl_points *points = reader->in->points;
    const char *cc = reader->launch.cc, *before = points->origin;
    const char *gpu = ert_lines_cell(reader->in->lines, reader->gpu_name);
    if (before && (!*gpu || strstr(before, gpu)))
        return;
    points->origin = ert_strings_format(
        &points->strings, "%s%s%s%.100s%s%.16s", before ? before : "Nsight Compute",
        before ? "; " : "", !before && *gpu ? ", " : "", gpu, *cc ? ", cc " : "", cc);
}

static void begin_launch(struct reader *reader)
{
    reader->launch = (struct rfl_launch){.cc = import_ncu_keep(reader, CC),
                                         .row = reader->in->lines->number};
    memset(reader->signs, 0, sizeof reader->signs);
    reader->id = import_ncu_keep(reader, ID);
    reader->process = import_ncu_keep(reader, PROCESS);
    reader->device = import_ncu_keep(reader, DEVICE);
    reader->name = import_ncu_keep(reader, KERNEL);
    reader->grid = import_ncu_keep(reader, GRID);
    reader->block = import_ncu_keep(reader, BLOCK);
    note_origin(reader);
}

/*
 * Keeps a metric's value, unless the launch already has it under a preferred name. A label with a unit of
 * another measure is another metric.
 */
static enum ert_status set_value(struct reader *reader, const struct rfl_metric *name,
                                 const char *unit, const char *text,
                                 struct ert_error *error)
{
    struct rfl_metric_value *value = &reader->launch.values[name->id];
    double factor;
    struct rfl_cell cell;
    const char *wanted = read_unit(name, unit, &factor);
    if ((value->as && value->as <= name) || (wanted && name->unit == RFL_UNIT_LABEL))
        return ERT_OK;
    ERT_TRY(rfl_cell_read(reader->in, name->name, text, &cell, error));
    *value = (struct rfl_metric_value){.as = name,
                                       .value = cell.value * factor,
                                       .kind = cell.is_nan ? ERT_NUMBER_NAN
                                               : cell.why  ? ERT_NUMBER_NONE
                                                           : ERT_NUMBER,
                                       .why = cell.why,
                                       .row = reader->in->lines->number};
    if (value->kind == ERT_NUMBER && wanted) {
        value->kind = ERT_NUMBER_NONE;
        value->why = ert_strings_format(&reader->in->points->strings,
                                        "unit '%.40s', must be %s", unit, wanted);
    }
    return ERT_OK;
}

/* The sign that a metric is, SIZE_MAX none; "NAME.sum.peak_sustained" is a constant of the GPU. */
static size_t sign_of(const char *metric)
{
    return strstr(metric, ".peak_sustained") ? SIZE_MAX : rfl_sign_of(&ncu, metric);
}

/* Notes a sign whose metric, of any unit, is above 0 in this launch. */
static void set_sign(struct reader *reader, size_t sign, const char *name, const char *text)
{
    if (sign != SIZE_MAX && !reader->signs[sign] && strpbrk(text, "123456789"))
        reader->signs[sign] = rfl_points_text(reader->in->points, name);
}

/* Reads a header, which determines the layout; ERT_USAGE when columns are missing. */
static enum ert_status import_ncu_read_header(struct reader *reader,
                                              struct ert_error *error)
{
    struct ert_lines *lines = reader->in->lines;
    ERT_TRY(flush(reader, error));
    for (size_t c = 0; c < N_LONG_CELLS; c++)
        reader->cells[c] = ert_lines_column(lines, cell_names[c]);
    reader->gpu_name = ert_lines_column(lines, "device__attribute_display_name");
    if (ert_lines_column(lines, "Average") != SIZE_MAX)
        return ert_lines_fail(lines, error,
                              "a summary (--print-summary), must list the launches");
    reader->layout = reader->cells[NAME] == SIZE_MAX ? WIDE : LONG;
    for (size_t c = KERNEL; c < N_LONG_CELLS; c++)
        if (reader->cells[c] == SIZE_MAX &&
            (c == KERNEL || (c > NAME && c < SECTION && reader->layout == LONG)))
            return ert_lines_fail(lines, error, "no column '%s'", cell_names[c]);
    reader->n_columns = 0;
    reader->has_units = false;
    for (size_t i = 0; i < lines->n_cells && reader->layout == WIDE; i++) {
        const struct rfl_metric *name = import_ncu_find_name(reader, lines->cells[i]);
        size_t sign = sign_of(lines->cells[i]);
        name = name && name->unit == RFL_UNIT_LABEL ? NULL : name;
        if (!name && sign == SIZE_MAX)
            continue;
        reader->columns = ert_xgrow(reader->columns, reader->n_columns,
                                    &reader->room_columns, sizeof *reader->columns);
        reader->columns[reader->n_columns++] =
            (struct column){name, i, sign, keep_text(reader, i), ""};
    }
    return ERT_OK;
}

static void read_units(struct reader *reader)
{
    for (size_t i = 0; i < reader->n_columns; i++)
        reader->columns[i].unit = keep_text(reader, reader->columns[i].column);
    reader->has_units = true;
}

static enum ert_status read_wide(struct reader *reader, struct ert_error *error)
{
    const struct ert_lines *lines = reader->in->lines;
    if (!*ert_lines_cell(lines, reader->cells[KERNEL])) {
        if (!reader->has_units)
            read_units(reader);
        return ERT_OK;
    }
    if (!reader->has_units && reader->n_columns)
        return ert_lines_fail(lines, error, "no row of units before it");
    begin_launch(reader);
    for (size_t i = 0; i < reader->n_columns; i++) {
        const struct column *column = &reader->columns[i];
        if (column->column >= lines->n_cells)
            return ert_lines_fail(lines, error, "%zu columns, no %s: cut off",
                                  lines->n_cells, column->text);
        const char *text = lines->cells[column->column];
        set_sign(reader, column->sign, column->text, text);
        if (column->name)
            ERT_TRY(set_value(reader, column->name, column->unit, text, error));
    }
    return import_ncu_add_launch(reader, error);
}

static bool is_same_launch(const struct reader *reader)
{
    const struct ert_lines *lines = reader->in->lines;
    return reader->is_open &&
           strcmp(ert_lines_cell(lines, reader->cells[ID]), reader->id) == 0 &&
           strcmp(ert_lines_cell(lines, reader->cells[PROCESS]), reader->process) == 0 &&
           strcmp(ert_lines_cell(lines, reader->cells[KERNEL]), reader->name) == 0;
}

static enum ert_status read_long(struct reader *reader, struct ert_error *error)
{
    const struct ert_lines *lines = reader->in->lines;
    if (!is_same_launch(reader)) {
        ERT_TRY(flush(reader, error));
        begin_launch(reader);
        reader->is_open = true;
        const char *section = ert_lines_cell(lines, reader->cells[SECTION]);
        reader->is_details |= *section && strcmp(section, metrics_section) != 0;
    }
    const char *metric = ert_lines_cell(lines, reader->cells[NAME]);
    const struct rfl_metric *name = import_ncu_find_name(reader, metric);
    size_t sign = sign_of(metric);
    if (!name && sign == SIZE_MAX)
        return ERT_OK;
    if (reader->cells[VALUE] >= lines->n_cells)
        return ert_lines_fail(lines, error, "%zu columns, no value: cut off",
                              lines->n_cells);
    const char *text = ert_lines_cell(lines, reader->cells[VALUE]);
    set_sign(reader, sign, metric, text);
    return name ? set_value(reader, name, ert_lines_cell(lines, reader->cells[UNIT]), text,
                            error)
                : ERT_OK;
}

static const char nothing[] = "==WARNING== No kernels were profiled";

/* Reads lines that are not rows: the program's output, and messages of ncu. */
static void read_remark(struct reader *reader, const char *line)
{
    reader->is_forbidden = reader->is_forbidden || strstr(line, "ERR_NVGPUCTRPERM");
    reader->is_ncu |= strncmp(line, "==PROF==", 8) == 0 || strstr(line, nothing);
    reader->has_profiled |= strncmp(line, "==PROF== Profiling", 18) == 0;
    if (strncmp(line, "==ERROR==", 9) == 0 && !*reader->complaint)
        snprintf(reader->complaint, sizeof reader->complaint, "%s", line + 9);
}

static enum ert_status import_ncu_read_line(struct reader *reader, const char *line,
                                            struct ert_error *error)
{
    if (*line != '"') {
        read_remark(reader, line);
        return ERT_OK;
    }
    ert_lines_split(reader->in->lines, ',');
    if (ert_lines_column(reader->in->lines, "Kernel Name") != SIZE_MAX)
        return import_ncu_read_header(reader, error);
    return reader->layout == WIDE   ? read_wide(reader, error)
           : reader->layout == LONG ? read_long(reader, error)
                                    : ERT_OK;
}

/* Notes once, for all kernels, how to get the metrics that some lack. */
static void import_ncu_advise(const struct reader *reader)
{
    static const char *const whats[] = {"operations", "L1 bytes", "L2 bytes", "HBM bytes"};
    struct rfl_points *points = reader->in->points;
    for (size_t i = reader->in->first; i < points->n; i++) {
        struct rfl_point *point = &points->points[i];
        for (size_t m = 0; m < point->n_missing; m++)
            for (size_t w = 0; w < ERT_LENGTH(whats); w++) {
                if (strcmp(point->missing[m].what, whats[w]) != 0 ||
                    strncmp(point->missing[m].reason, "no metric", 9) != 0)
                    continue;
                rfl_points_missing(
                    point, "metrics", "%s",
                    reader->is_details
                        ? "the details page has few counts: use the raw page, `ncu "
                          "--import FILE.ncu-rep --csv --page raw`, or use `roofline "
                          "record`"
                        : "`roofline record -- PROGRAM` collects all metrics that are "
                          "used; `ncu --set full --csv --page raw` has most of them");
                return;
            }
    }
}

static enum ert_status check_any(const struct reader *reader, struct ert_error *error)
{
    const char *file = reader->in->lines->file;
    if (reader->in->points->n > reader->in->first)
        return ERT_OK;
    if (reader->is_forbidden)
        return rfl_kernels_forbidden(file, error);
    if (*reader->complaint)
        return ert_fail(error, ERT_USAGE, "%.200s: contains no launch; ncu says:%.200s",
                        file, reader->complaint);
    if (reader->is_ncu && !reader->has_profiled)
        return ert_fail(error, ERT_USAGE,
                        "%.200s: no kernel was profiled: the program launched none, or the "
                        "options of ncu (--kernel-name, --launch-skip ...) left all out",
                        file);
    if (reader->layout == NO_TABLE)
        return ert_fail(error, ERT_USAGE,
                        "%.200s: contains no table: was ncu called with --csv?", file);
    return ERT_OK;
}

static enum ert_status read(const struct rfl_import *in, struct ert_error *error)
{
    struct reader *reader = ert_xcalloc(1, sizeof *reader);
    enum ert_status status = ERT_OK;
    reader->in = in;
    for (size_t i = 0; i < ERT_LENGTH(names); i++) {
        size_t index = ert_strings_index(&reader->known, names[i].name);
        assert(index == i); /* names are unique */
        (void)index;
    }
    for (const char *line; status == ERT_OK && (line = ert_lines_next(in->lines));)
        status = import_ncu_read_line(reader, line, error);
    if (status == ERT_OK)
        status = flush(reader, error);
    if (status == ERT_OK) {
        for (size_t i = 0; i < reader->n_kernels && !in->options->list; i++)
            end_kernel(reader, &reader->kernels[i]);
        if (!in->options->by_configuration) {
            rfl_kernels_end(in);
            import_ncu_advise(reader);
        }
        status = ert_lines_end(in->lines, error);
    }
    if (status == ERT_OK && !in->options->region)
        status = check_any(reader, error);
    free(reader->kernels);
    free(reader->columns);
    ert_strings_free(&reader->known);
    ert_strings_free(&reader->numbers);
    free(reader);
    return status;
}

/* A report (.ncu-rep) begins with these four bytes. */
static const char report[] = "NVR";

static enum ert_status convert(const char *file, char **text, struct ert_error *error)
{
    struct ert_lines lines;
    struct ert_tool_output output;
    char head[sizeof report] = "", tool[4096], reason[512];
    ERT_TRY(ert_lines_open(file, &lines, error));
    size_t n = fread(head, 1, sizeof head, lines.stream);
    ert_lines_close(&lines);
    if (n < sizeof head || memcmp(head, report, sizeof head) != 0)
        return ERT_OK;
    if (ert_ncu_find(tool, sizeof tool, error) != ERT_OK)
        return ert_fail(
            error, ERT_USAGE,
            "%.200s: a report of Nsight Compute, which requires ncu to read; where it is "
            "installed, run `ncu --import %.200s --csv --page raw > FILE.csv`",
            file, file);
    const char *const argv[] = {tool,  "--import",      file,   "--csv", "--page",
                                "raw", "--print-units", "base", NULL};
    ERT_TRY(ert_tool_run(argv, report_s, &output, error));
    if (output.exit_code == 0) {
        *text = output.out;
        output.out = NULL;
    } else {
        ert_ncu_explain(*output.err ? output.err : output.out, "ncu", reason,
                        sizeof reason);
        ert_fail(error, ERT_USAGE, "%.200s: %s", file, reason);
    }
    ert_tool_free(&output);
    return *text ? ERT_OK : ERT_USAGE;
}

static bool import_ncu_recognizes(const char *head)
{
    return strcmp(head, report) == 0 || strstr(head, "==PROF==") || strstr(head, nothing) ||
           strstr(head, "\"Kernel Name\",") ||
           (strstr(head, "==ERROR==") && strstr(head, "ERR_NVGPUCTRPERM"));
}

const struct rfl_importer rfl_import_ncu = {
    .name = "ncu",
    .is_table = true,
    .summary = "Nsight Compute: a report, or its CSV: raw page, details page, --metrics",
    .how = "ncu --csv --page raw --metrics gpu__time_duration.sum,"
           "sm__sass_thread_inst_executed_op_{dadd,dmul,dfma}_pred_on.sum,"
           "l1tex__t_bytes.sum,lts__t_sectors_srcunit_tex.sum,"
           "lts__t_sectors_srcunit_tex_op_{read,write}.sum,dram__bytes.sum,"
           "dram__bytes_{read,write}.sum,"
           "sm__cycles_elapsed.avg.per_second PROGRAM > FILE",
    .device = RFL_PROFILED_GPU,
    .recognizes = import_ncu_recognizes,
    .convert = convert,
    .read = read,
};
