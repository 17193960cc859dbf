/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Nsight Compute's reports (.ncu-rep), which ncu itself converts, and its CSV in both layouts: one row per
 * launch and metric (--csv with --metrics or the details page), or one row per launch after a row of units
 * (--csv --page raw). Columns are found by name; output of the program and of ncu between the rows is
 * skipped.
 *
 * Each launch becomes a point, or the launches of a kernel (in one process, on one device) are summed into
 * one (metrics.h). A launch that failed is left out completely. Launches of few metrics in several processes
 * are one where their metrics differ: those of a program that ran once for each few metrics.
 *
 * Counts were compared with kernels of known work on an H200 with ncu 2025.3; the recipes have the findings.
 */
#define RFL_ROWS "analysis/ext/import/ncu_recipes.def"
#include "analysis/ext/import/rows.inc"

#include "ert/core/base/alloc.h"
#include "ert/ext/base/tool.h"
#include "ert/ext/ncu/ncu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ncu reads a report of a hundred launches in a second or two. */
static const double report_s = 600;

/* The columns that identify the launch of a row; then further ones of the long layout. */
enum cell { ID, PROCESS, KERNEL, DEVICE, CC, GRID, BLOCK, N_CELLS };
enum { NAME = N_CELLS, UNIT, VALUE, SECTION, N_LONG_CELLS };

static const char *const cell_names[N_LONG_CELLS] = {
    "ID",         "Process ID",  "Kernel Name", "Device",       "CC",          "Grid Size",
    "Block Size", "Metric Name", "Metric Unit", "Metric Value", "Section Name"};

/*
 * A launch with this many metrics and signs or fewer is kept to the end of the file, as another run of the
 * program may have others of it. Usual launches have more: they are added as they come, and need no memory.
 */
enum { FEW = 8 };

/* A metric of such a launch or, as NULL, a sign: its number, and as `why` the name of its metric. */
struct part {
    struct rfl_metric_value value;
    size_t sign;
};

/* The launch, with the process that had it first. */
struct kept {
    const char *id[GRID];
    size_t row, n_runs, n;
    struct part *parts; /* n, in the memory of reader->keys */
};

struct reader {
    const struct rfl_import *in;
    struct rfl_kernels kernels;
    struct ert_strings keys;
    struct kept *kept; /* malloc, by the number of the key */
    size_t n_kept, kept_capacity;
    const char *id[N_CELLS]; /* of the launch, stored: equal texts are the same pointer */
    bool is_details;         /* there were rows of the details page */
    bool is_open;            /* the long layout: rows of this launch may follow */
    bool has_units;          /* the wide layout: the row of units was read */
    enum { NO_TABLE, LONG, WIDE } layout;
    size_t cells[N_LONG_CELLS], gpu_name;
    char complaint[256];           /* the first ==ERROR== line */
    bool is_forbidden, is_resaved; /* is_resaved: by a spreadsheet, without quotes */
    bool is_ncu, has_profiled;     /* ncu printed something; that it profiled a kernel */
};

/* The section of rows that --metrics requested; those of the details page have other names. */
static const char metrics_section[] = "Command line profiler metrics";

/* The kernel of a launch; for its first launch a new one with its point. */
static struct rfl_kernel *ncu_find_kernel(struct reader *reader)
{
    const struct rfl_import_options *options = reader->in->options;
    struct ert_strings *texts = &reader->in->points->strings;
    const char *const *id = reader->id, *name = id[KERNEL];
    /* rfl_kernels_end() removes the run if all are the same */
    const char *run =
        options->by_configuration
            ? rfl_launch_configuration(texts, id[GRID], id[BLOCK])
            : ert_strings_format(texts, "process %s, device %s", id[PROCESS], id[DEVICE]);
    if (options->list)
        name = ert_strings_format(texts, "%s #%s", name, id[ID]);
    return rfl_kernels_find(&reader->kernels, name, run, options->list);
}

/* Whether all counts are nan; *metric: one of them. */
static bool ncu_has_failed(const struct rfl_launch *launch, unsigned *metric)
{
    bool has_nan = false;
    for (unsigned m = N_METRICS; m-- > 0;) {
        if (!launch->values[m].as || m == M_REGISTERS || m == M_WARPS_LIMIT)
            continue;
        if (launch->values[m].kind == ERT_NUMBER)
            return false;
        if (launch->values[m].kind == ERT_NUMBER_NAN) {
            *metric = m;
            has_nan = true;
        }
    }
    return has_nan;
}

/*
 * nvcc moves constants into registers by HFMA2 (0 x 0 + c), which counts as FMAs of FP16: 3.5 % of the
 * arithmetic instructions of a kernel of FP32 alone (tests/data/ncu/h200-constants.csv). In a kernel of other
 * types, few FMAs of FP16 and no sums and products are taken for such.
 */
static void drop_constants(struct rfl_point *point)
{
    static const double few = 0.05, pair_flops = 4;
    double others = 0;
    size_t n = 0;
    for (size_t i = 0; i < point->n_work; i++)
        if (strcmp(point->work[i].type, "fp16") != 0)
            others += point->work[i].flops / (1 + fmax(0, point->work[i].fma_share));
    for (size_t i = 0; i < point->n_work; i++) {
        const struct rfl_work *work = &point->work[i];
        const double instructions = work->flops / pair_flops;
        if (strcmp(work->type, "fp16") == 0 && strcmp(work->unit, "core") == 0 &&
            work->fma_share == 1 && instructions < few * (others + instructions))
            rfl_points_warn(point,
                            "%.4g HFMA2 of threads, without sums and products of FP16, are "
                            "taken for constants, which nvcc loads so: not counted",
                            instructions);
        else
            point->work[n++] = *work;
    }
    point->n_work = n;
}

/* Completes the sums of a kernel, and notes which of its launches failed. */
static void ncu_end_kernel(struct reader *reader, struct rfl_kernel *kernel)
{
    static const char *const all[] = {"time", "operations", "bytes"};
    struct rfl_point *point = &reader->in->points->points[kernel->point];
    rfl_kernel_put(&reader->kernels, kernel);
    drop_constants(point);
    if (kernel->n_failed == 0)
        return;
    const char *metric = rfl_metric_name(&tables, kernel->failed_metric);
    if (point->launches > 0)
        rfl_points_warn(
            point,
            "%zu of %.0f launches failed and are left out, the first: row %zu: %s: nan",
            kernel->n_failed, (double)kernel->n_failed + point->launches,
            kernel->failed_row, metric);
    for (size_t i = 0; i < 3 && point->launches == 0; i++)
        rfl_points_missing(point, all[i],
                           "row %zu: %s and all other metrics: nan: the launch failed",
                           kernel->failed_row, metric);
}

/* n_runs: how many runs of few metrics it was joined from. */
static enum ert_status ncu_add_launch(struct reader *reader, size_t n_runs,
                                      struct ert_error *error)
{
    const struct rfl_import *in = reader->in;
    const struct rfl_launch *launch = &reader->kernels.launch;
    unsigned metric = M_NONE;
    if (in->options->region && !strstr(reader->id[KERNEL], in->options->region))
        return ERT_OK;
    struct rfl_kernel *kernel = ncu_find_kernel(reader);
    struct rfl_point *point = &in->points->points[kernel->point];
    if (!ncu_has_failed(launch, &metric)) {
        if (in->options->without_first && kernel->n_read++ == 1) {
            rfl_kernel_clear(kernel);
            point->launches = 0;
        }
        point->launches++;
        ERT_TRY(rfl_kernel_add(&reader->kernels, kernel, launch, error));
    } else if (kernel->n_failed++ == 0) {
        kernel->failed_row = launch->values[metric].row;
        kernel->failed_metric = metric;
    }
    if (n_runs > 1)
        rfl_points_warn(point, "joined from %zu runs of the program, of few metrics each",
                        n_runs);
    if (in->options->list)
        ncu_end_kernel(reader, kernel);
    return ERT_OK;
}

/* Whether a kept launch has one of the metrics of this one: it is of another rank, or a repetition. */
static bool ncu_shares(const struct kept *kept, const struct rfl_launch *launch)
{
    for (const struct part *part = kept->parts; part < kept->parts + kept->n; part++)
        if (part->value.as ? launch->values[part->value.as->id].as != NULL
                           : launch->signs[part->sign] == part->value.why)
            return true;
    return false;
}

/* The kept launch of this kernel, number and device; twin: the row of one that is kept apart, 0 none. */
static struct kept *ncu_find_kept(struct reader *reader, size_t twin)
{
    const char *const *id = reader->id;
    char key[96]; /* equal texts are the same pointer */
    snprintf(key, sizeof key, "%p %p %p %zu", (const void *)id[KERNEL],
             (const void *)id[ID], (const void *)id[DEVICE], twin);
    size_t at = ert_strings_index(&reader->keys, key);
    if (at == reader->n_kept) {
        reader->kept = ert_xgrow(reader->kept, reader->n_kept++, &reader->kept_capacity,
                                 sizeof *reader->kept);
        reader->kept[at] = (struct kept){.row = reader->kernels.launch.row};
        memcpy(reader->kept[at].id, id, sizeof reader->kept[at].id);
    }
    return &reader->kept[at];
}

/* False: the launch has many metrics. */
static bool ncu_keep(struct reader *reader)
{
    const struct rfl_launch *launch = &reader->kernels.launch;
    struct part parts[FEW + 1];
    size_t n = 0;
    for (size_t m = 0; m < N_METRICS && n <= FEW; m++)
        if (launch->values[m].as)
            parts[n++] = (struct part){.value = launch->values[m]};
    for (size_t i = 0; i < RFL_MAX_SIGNS && n <= FEW; i++)
        if (launch->signs[i])
            parts[n++] = (struct part){.value.why = launch->signs[i], .sign = i};
    if (n > FEW || reader->in->options->by_configuration)
        return false;
    struct kept *kept = ncu_find_kept(reader, n ? 0 : launch->row);
    if (ncu_shares(kept, launch))
        kept = ncu_find_kept(reader, launch->row);
    kept->n_runs++;
    kept->parts = ert_strings_grow(&reader->keys, kept->parts, kept->n * sizeof *parts,
                                   (kept->n + n) * sizeof *parts);
    memcpy(kept->parts + kept->n, parts, n * sizeof *parts);
    kept->n += n;
    return true;
}

static enum ert_status ncu_add_kept(struct reader *reader, struct ert_error *error)
{
    struct rfl_launch *launch = &reader->kernels.launch;
    for (size_t i = 0; i < reader->n_kept; i++) {
        const struct kept *kept = &reader->kept[i];
        memcpy(reader->id, kept->id, sizeof kept->id);
        *launch = (struct rfl_launch){.cc = kept->id[CC], .row = kept->row};
        for (const struct part *part = kept->parts; part < kept->parts + kept->n; part++)
            if (part->value.as)
                launch->values[part->value.as->id] = part->value;
            else
                launch->signs[part->sign] = part->value.why;
        ERT_TRY(ncu_add_launch(reader, kept->n_runs, error));
    }
    return ERT_OK;
}

static enum ert_status ncu_flush(struct reader *reader, struct ert_error *error)
{
    if (!reader->is_open)
        return ERT_OK;
    reader->is_open = false;
    return ncu_keep(reader) ? ERT_OK : ncu_add_launch(reader, 1, error);
}

/* "Nsight Compute, NVIDIA H200, cc 9.0"; with "; NVIDIA A100, cc 8.0" if the profile has different GPUs. */
static void ncu_note_origin(struct reader *reader)
{
    struct rfl_points *points = reader->in->points;
    const char *cc = reader->id[CC], *before = points->origin;
    const char *gpu = ert_lines_cell(reader->in->lines, reader->gpu_name);
    if (before && (!*gpu || strstr(before, gpu)))
        return;
    points->origin = ert_strings_format(
        &points->strings, "%s%s%s%.100s%s%.16s", before ? before : "Nsight Compute",
        before ? "; " : "", !before && *gpu ? ", " : "", gpu, *cc ? ", cc " : "", cc);
}

static void ncu_begin_launch(struct reader *reader)
{
    for (size_t i = 0; i < N_CELLS; i++)
        reader->id[i] = rfl_points_text(
            reader->in->points, ert_lines_cell(reader->in->lines, reader->cells[i]));
    const double cc = reader->in->options->cc;
    if (!*reader->id[CC] && cc > 0)
        reader->id[CC] = ert_strings_format(&reader->in->points->strings, "%.1f", cc);
    reader->kernels.launch =
        (struct rfl_launch){.cc = reader->id[CC], .row = reader->in->lines->number};
    ncu_note_origin(reader);
}

/* Reads a header, which determines the layout; ERT_USAGE when columns are missing. */
static enum ert_status ncu_read_header(struct reader *reader, struct ert_error *error)
{
    struct ert_lines *lines = reader->in->lines;
    ERT_TRY(ncu_flush(reader, error));
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
    reader->has_units = false;
    rfl_columns_take(&reader->kernels);
    return ERT_OK;
}

static enum ert_status ncu_read_wide(struct reader *reader, struct ert_error *error)
{
    const struct ert_lines *lines = reader->in->lines;
    struct rfl_kernels *kernels = &reader->kernels;
    if (!*ert_lines_cell(lines, reader->cells[KERNEL])) {
        for (size_t i = 0; i < kernels->n_columns && !reader->has_units; i++)
            kernels->columns[i].unit = rfl_points_text(
                reader->in->points, ert_lines_cell(lines, kernels->columns[i].at));
        reader->has_units = true;
        return ERT_OK;
    }
    if (!reader->has_units && kernels->n_columns)
        return ert_lines_fail(lines, error, "no row of units before it");
    ncu_begin_launch(reader);
    ERT_TRY(rfl_columns_read(kernels, error));
    return ncu_keep(reader) ? ERT_OK : ncu_add_launch(reader, 1, error);
}

static bool ncu_is_same_launch(const struct reader *reader)
{
    for (size_t i = ID; i <= KERNEL; i++)
        if (strcmp(ert_lines_cell(reader->in->lines, reader->cells[i]), reader->id[i]) != 0)
            return false;
    return true;
}

static enum ert_status ncu_read_long(struct reader *reader, struct ert_error *error)
{
    const struct ert_lines *lines = reader->in->lines;
    struct rfl_launch *launch = &reader->kernels.launch;
    if (!reader->is_open || !ncu_is_same_launch(reader)) {
        ERT_TRY(ncu_flush(reader, error));
        ncu_begin_launch(reader);
        reader->is_open = true;
        const char *section = ert_lines_cell(lines, reader->cells[SECTION]);
        reader->is_details |= *section && strcmp(section, metrics_section) != 0;
    }
    const char *name = ert_lines_cell(lines, reader->cells[NAME]);
    const struct rfl_metric *metric = rfl_metric_find(&reader->kernels, name);
    size_t sign = rfl_sign_of(&tables, name);
    if (!metric && sign == SIZE_MAX)
        return ERT_OK;
    if (reader->cells[VALUE] >= lines->n_cells)
        return ert_lines_fail(lines, error, "%zu columns, no value: cut off",
                              lines->n_cells);
    const char *text = ert_lines_cell(lines, reader->cells[VALUE]);
    if (sign != SIZE_MAX)
        rfl_launch_sign(launch, sign, rfl_points_text(reader->in->points, name), text);
    return metric ? rfl_launch_set(reader->in, launch, metric,
                                   ert_lines_cell(lines, reader->cells[UNIT]), text, error)
                  : ERT_OK;
}

/* The titles of a table that a spreadsheet saved. */
static const char resaved[] = "ID,Process ID,";

static const char nothing[] = "==WARNING== No kernels were profiled";

/* Reads lines that are not rows: the program's output, and messages of ncu. */
static void ncu_read_remark(struct reader *reader, const char *line)
{
    reader->is_forbidden = reader->is_forbidden || strstr(line, "ERR_NVGPUCTRPERM");
    reader->is_ncu |= strncmp(line, "==PROF==", 8) == 0 || strstr(line, nothing);
    reader->has_profiled |= strncmp(line, "==PROF== Profiling", 18) == 0;
    if (strncmp(line, "==ERROR==", 9) == 0 && !*reader->complaint)
        snprintf(reader->complaint, sizeof reader->complaint, "%s", line + 9);
}

static enum ert_status ncu_read_line(struct reader *reader, const char *line,
                                     struct ert_error *error)
{
    reader->is_resaved |= strncmp(line, resaved, sizeof resaved - 1) == 0;
    if (*line != '"' && !(reader->is_resaved && strchr(line, ','))) {
        ncu_read_remark(reader, line);
        return ERT_OK;
    }
    ert_lines_split(reader->in->lines, ',');
    if (ert_lines_column(reader->in->lines, "Kernel Name") != SIZE_MAX)
        return ncu_read_header(reader, error);
    return reader->layout == WIDE   ? ncu_read_wide(reader, error)
           : reader->layout == LONG ? ncu_read_long(reader, error)
                                    : ERT_OK;
}

/* Notes once, for all kernels, how to get the metrics that some lack. */
static void ncu_advise(const struct reader *reader)
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

static enum ert_status ncu_check_any(const struct reader *reader, struct ert_error *error)
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

static enum ert_status ncu_read_lines(struct reader *reader, struct ert_error *error)
{
    const struct rfl_import *in = reader->in;
    for (const char *line; (line = ert_lines_next(in->lines));)
        ERT_TRY(ncu_read_line(reader, line, error));
    ERT_TRY(ncu_flush(reader, error));
    ERT_TRY(ncu_add_kept(reader, error));
    for (size_t i = 0; i < reader->kernels.n && !in->options->list; i++)
        ncu_end_kernel(reader, &reader->kernels.kernels[i]);
    if (!in->options->by_configuration) {
        rfl_kernels_end(in);
        ncu_advise(reader);
    }
    ERT_TRY(ert_lines_end(in->lines, error));
    return in->options->region ? ERT_OK : ncu_check_any(reader, error);
}

static enum ert_status ncu_read(const struct rfl_import *in, struct ert_error *error)
{
    struct reader reader = {.in = in};
    rfl_kernels_begin(&reader.kernels, in, &tables);
    enum ert_status status = ncu_read_lines(&reader, error);
    rfl_kernels_free(&reader.kernels);
    ert_strings_free(&reader.keys);
    free(reader.kept);
    return status;
}

/* A report (.ncu-rep) begins with these four bytes. */
static const char report[] = "NVR";

static enum ert_status ncu_convert(const char *file, char **text, struct ert_error *error)
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
            "installed, run `ncu --import %.200s --csv --page raw > FILE.csv`; or `python3 "
            "-m roofline points %.200s`, with NVIDIA's module ncu_report",
            file, file, file);
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

static bool ncu_recognizes(const char *head)
{
    return strcmp(head, report) == 0 || strstr(head, "==PROF==") || strstr(head, nothing) ||
           strstr(head, "\"Kernel Name\",") || strstr(head, resaved) ||
           (strstr(head, "==ERROR==") && strstr(head, "ERR_NVGPUCTRPERM"));
}

const struct rfl_importer rfl_import_ncu = {
    .name = "ncu",
    .summary = "Nsight Compute: a report, or its CSV: raw page, details page, --metrics",
    .how = "ncu --csv --page raw --metrics gpu__time_duration.sum,"
           "sm__sass_thread_inst_executed_op_{dadd,dmul,dfma}_pred_on.sum,"
           "l1tex__t_bytes.sum,lts__t_sectors_srcunit_tex.sum,"
           "lts__t_sectors_srcunit_tex_op_{read,write}.sum,dram__bytes.sum,"
           "dram__bytes_{read,write}.sum,"
           "sm__cycles_elapsed.avg.per_second PROGRAM > FILE",
    .device = RFL_PROFILED_GPU,
    .recognizes = ncu_recognizes,
    .convert = ncu_convert,
    .read = ncu_read,
};
