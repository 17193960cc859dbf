/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nvprof's CSV: an average over the invocations per kernel and metric (--csv --metrics), or with
 * --print-gpu-trace a row per launch with a column per metric; times come from runs without metrics (the
 * summary, or --print-gpu-trace), in other files or in other tables of the same file. A table begins with a
 * row of names, of old versions without quotes; one of times, or of launches, has a row of units below it. Of
 * the tables for the screen the summary is read.
 */
#define RFL_ROWS "analysis/ext/import/nvprof_recipes.def"
#include "analysis/ext/import/rows.inc"

#include "ert/core/base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct kernel {
    const char *name, *run; /* stored */
    double time_s, calls;   /* from the tables of times */
    struct rfl_launch all;  /* the sums over its launches */
};

enum table { NO_TABLE, METRICS, LAUNCHES, TIMES, SCREEN, OTHER };

/* What a row tells of a kernel, as columns of the CSV's tables. */
enum column { KERNEL, DEVICE, METRIC, CALLS, AVG, NAME, TYPE, TIME, TIMED_CALLS, DURATION };
static const char *const column_names[] = {
    "Kernel", "Device", "Metric Name", "Invocations", "Avg",
    "Name",   "Type",   "Time",        "Calls",       "Duration"};
enum { N_COLUMNS = ERT_LENGTH(column_names) };

struct reader {
    const struct rfl_import *in;
    struct rfl_kernels points;
    struct ert_strings numbers; /* of the kernels */
    struct kernel *kernels;     /* malloc */
    size_t n_kernels, capacity;
    bool is_forbidden, is_empty; /* nvprof said so */
    bool has_table, is_host;     /* is_host: the rows of the screen's table are its calls */
    enum table table;
    size_t n_traces, n_launches; /* tables of launches so far; launches, of any kernel */
    /* Positions of the table's columns; the unit of its times, NULL until it is read. */
    size_t columns[N_COLUMNS], n_cells;
    const char *unit;
};

/* n_runs: before this one, of the same name on the same device. */
static struct kernel *nvprof_find_kernel(struct reader *reader, const char *name,
                                         const char *device, size_t n_runs)
{
    struct rfl_points *points = reader->in->points;
    const char *run = n_runs ? ert_strings_format(&points->strings, "%s%srun %zu", device,
                                                  *device ? ", " : "", n_runs + 1)
                             : rfl_points_text(points, device);
    size_t number = rfl_kernel_number(&reader->numbers, name, run);
    if (number == reader->n_kernels) {
        reader->kernels =
            ert_xgrow(reader->kernels, number, &reader->capacity, sizeof *reader->kernels);
        reader->kernels[reader->n_kernels++] =
            (struct kernel){.name = rfl_points_text(points, name), .run = run};
    }
    return &reader->kernels[number];
}

static bool nvprof_is_wanted(const struct reader *reader, const char *kernel)
{
    return *kernel && *kernel != '[' && /* "[CUDA memcpy HtoD]" */
           (!reader->in->options->region || strstr(kernel, reader->in->options->region));
}

/* Adds an average over some launches; row: by column. Metrics that are not needed are skipped. */
static enum ert_status nvprof_add_metric(struct reader *reader, const char *const *row,
                                         struct ert_error *error)
{
    const struct rfl_metric *metric = rfl_metric_find(&reader->points, row[METRIC]);
    size_t sign = rfl_sign_of(&tables, row[METRIC]), n_runs = 0;
    struct rfl_cell calls;
    if (!nvprof_is_wanted(reader, row[KERNEL]))
        return ERT_OK;
    struct kernel *kernel = nvprof_find_kernel(reader, row[KERNEL], row[DEVICE], n_runs);
    rfl_launch_sign(&kernel->all, sign, tables.signs[sign == SIZE_MAX ? 0 : sign].glob,
                    row[AVG]);
    if (!metric)
        return ERT_OK;
    while (kernel->all.values[metric->id].as) /* the table of another process */
        kernel = nvprof_find_kernel(reader, row[KERNEL], row[DEVICE], ++n_runs);
    ERT_TRY(rfl_cell_read(reader->in, "Invocations", row[CALLS], &calls, error));
    ERT_TRY(rfl_launch_set(reader->in, &kernel->all, metric, "", row[AVG], error));
    struct rfl_metric_value *value = &kernel->all.values[metric->id],
                            *most = &kernel->all.values[M_INVOCATIONS];
    value->value *= calls.value;
    value->why = calls.why ? calls.why : value->why;
    value->kind = value->why ? ERT_NUMBER_NONE : ERT_NUMBER;
    *most = (struct rfl_metric_value){
        .as = metric, .value = fmax(most->value, calls.value), .row = value->row};
    return ERT_OK;
}

/* The name of the next launch: with options->list it is a kernel of its own. */
static const char *nvprof_name_launch(struct reader *reader, const char *name)
{
    ++reader->n_launches;
    return reader->in->options->list
               ? ert_strings_format(&reader->in->points->strings, "%s #%zu", name,
                                    reader->n_launches)
               : name;
}

/* Adds the metrics of a launch, in the columns of its row. The row of units, first, has no kernel. */
static enum ert_status nvprof_add_launch(struct reader *reader, const char *const *row,
                                         struct ert_error *error)
{
    const struct ert_lines *lines = reader->in->lines;
    struct rfl_kernels *table = &reader->points;
    const char *name = *row[KERNEL] ? nvprof_name_launch(reader, row[KERNEL]) : "";
    for (size_t i = 0; i < table->n_columns && !*name; i++)
        table->columns[i].unit = rfl_points_text(
            reader->in->points, ert_lines_cell(lines, table->columns[i].at));
    if (!nvprof_is_wanted(reader, row[KERNEL]))
        return ERT_OK;
    ERT_TRY(rfl_columns_read(table, error));
    struct rfl_launch *all =
        &nvprof_find_kernel(reader, name, row[DEVICE], reader->n_traces - 1)->all;
    for (size_t i = 0; i < table->n_columns; i++) {
        const struct rfl_column *column = &table->columns[i];
        rfl_launch_sign(all, column->sign, column->title, lines->cells[column->at]);
        if (!column->as)
            continue;
        if (*column->unit) /* 1 KB may be 1024 bytes */
            return ert_lines_fail(lines, error, "%s in '%.40s', must have no unit",
                                  column->title, column->unit);
        struct rfl_metric_value part = table->launch.values[column->as->id],
                                *sum = &all->values[column->as->id];
        part.value += sum->value;
        if (!sum->why) /* a launch without the number leaves no sum */
            *sum = part;
        all->values[M_INVOCATIONS].as = column->as;
    }
    all->values[M_INVOCATIONS].value++;
    return ERT_OK;
}

/* Adds the total time of the calls of a kernel. */
static enum ert_status nvprof_add_time(struct reader *reader, const char *const *row,
                                       struct ert_error *error)
{
    const struct ert_lines *lines = reader->in->lines;
    const char *unit = reader->unit;
    enum ert_number kind;
    enum ert_measure measure;
    double value, factor, calls;
    if (!nvprof_is_wanted(reader, row[NAME]))
        return ERT_OK;
    if (!ert_units_read(unit, &measure, &factor) || measure != ERT_IN_SECONDS)
        return ert_lines_fail(lines, error, "time in '%.40s', must be s, ms, us or ns",
                              unit);
    ERT_TRY(ert_lines_number(lines, "time", row[TIME], &value, &kind, error));
    ERT_TRY(ert_lines_number(lines, "Calls", row[TIMED_CALLS], &calls, &kind, error));
    struct kernel *kernel = nvprof_find_kernel(reader, row[NAME], row[DEVICE], 0);
    kernel->time_s += value * factor;
    kernel->calls += calls;
    return ERT_OK;
}

/* Sets the time that the counted launches would have taken. */
static void nvprof_take_time(struct rfl_point *to, double time_s, double timed,
                             double counted)
{
    to->time_s = time_s;
    to->launches = counted;
    rfl_point_remove_missing(to, "time");
    if (timed == counted || !(timed > 0) || !(counted > 0))
        return;
    to->time_s *= counted / timed;
    rfl_points_warn(to, "timed in %.0f launches and counted in %.0f: the time is scaled",
                    timed, counted);
}

static enum ert_status nvprof_make_point(struct reader *reader, const struct kernel *kernel,
                                         struct ert_error *error)
{
    double counted = kernel->all.values[M_INVOCATIONS].value;
    bool is_timed = kernel->time_s > 0;
    struct rfl_kernel *sums =
        rfl_kernels_find(&reader->points, kernel->name, kernel->run, true);
    struct rfl_point *point = &reader->in->points->points[sums->point];
    nvprof_take_time(point, kernel->time_s, is_timed ? kernel->calls : 0,
                     counted > 0 ? counted : kernel->calls);
    point->time_recipe = is_timed ? "nvprof, GPU activities" : "";
    if (!is_timed)
        rfl_points_missing(point, "time",
                           "metrics come without times: also give a file of a run without "
                           "--metrics");
    if (!(counted > 0))
        return ERT_OK;
    ERT_TRY(rfl_kernel_add(&reader->points, sums, &kernel->all, error));
    rfl_kernel_put(&reader->points, sums);
    return ERT_OK;
}

static enum ert_status nvprof_finish(struct reader *reader, struct ert_error *error)
{
    const struct rfl_import *in = reader->in;
    for (size_t i = 0; i < reader->n_kernels; i++)
        ERT_TRY(nvprof_make_point(reader, &reader->kernels[i], error));
    if (in->points->n == in->first && reader->is_forbidden && !in->options->region)
        return rfl_kernels_forbidden(in->lines->file, error);
    if (in->points->n == in->first && reader->is_empty)
        return ert_fail(error, ERT_USAGE,
                        "%.200s: no kernel was profiled: the program launched none",
                        in->lines->file);
    if (!reader->has_table)
        return ert_fail(error, ERT_USAGE,
                        "%.200s: no table of times or of metrics that are read: give the "
                        "file of nvprof --csv --log-file, with the metrics of the help",
                        in->lines->file);
    if (!in->points->origin && in->points->n > in->first)
        in->points->origin = "nvprof";
    rfl_kernels_end(in);
    return ERT_OK;
}

static bool nvprof_has_counts(const struct rfl_point *point)
{
    return point->n_work > 0 || point->n_traffic > 0;
}

/* Joins a point that has time with one that has only counts, in either order. */
static bool nvprof_join(struct rfl_point *earlier, const struct rfl_point *later)
{
    bool has_time = earlier->time_s > 0, brings_time = later->time_s > 0;
    if (strcmp(earlier->format, "nvprof") != 0 || strcmp(earlier->name, later->name) != 0 ||
        (strcmp(earlier->run, later->run) != 0 && *earlier->run && *later->run) ||
        has_time == brings_time || nvprof_has_counts(earlier) == nvprof_has_counts(later) ||
        has_time == nvprof_has_counts(earlier))
        return false;
    struct rfl_point joined = has_time ? *later : *earlier;
    const struct rfl_point *timed = has_time ? earlier : later;
    nvprof_take_time(&joined, timed->time_s, timed->launches, joined.launches);
    joined.time_recipe = timed->time_recipe;
    joined.run = earlier->run;
    joined.format = earlier->format;
    joined.source = ert_strings_format(&earlier->set->strings, "%s, %s", earlier->source,
                                       later->source);
    *earlier = joined;
    return true;
}

/* Whether the row has the names that begin a table. */
static bool nvprof_read_header(struct reader *reader)
{
    size_t at[N_COLUMNS];
    bool has[N_COLUMNS];
    for (size_t c = 0; c < N_COLUMNS; c++) {
        at[c] = ert_lines_column(reader->in->lines, column_names[c]);
        has[c] = at[c] != SIZE_MAX;
    }
    bool is_times = has[NAME] && ((has[TIME] && has[TIMED_CALLS]) || has[DURATION]);
    if (!has[KERNEL] && !is_times)
        return false;
    bool is_metrics = has[KERNEL] && has[METRIC] && has[CALLS] && has[AVG];
    rfl_columns_take(&reader->points);
    bool is_trace = has[KERNEL] && has[DEVICE] && reader->points.n_columns > 0;
    reader->table = is_metrics                ? METRICS
                    : is_times                ? TIMES
                    : is_trace && !has[CALLS] ? LAUNCHES
                                              : OTHER;
    reader->n_traces += reader->table == LAUNCHES;
    reader->has_table |= reader->table != OTHER;
    reader->n_cells = reader->in->lines->n_cells;
    reader->unit = NULL;
    memcpy(reader->columns, at, sizeof at);
    return true;
}

/* Reads a row of the summary, or a launch of --print-gpu-trace. */
static enum ert_status nvprof_read_times(struct reader *reader, const char **row,
                                         struct ert_error *error)
{
    bool is_trace = reader->columns[TIME] == SIZE_MAX;
    if (is_trace) {
        row[TIME] = row[DURATION];
        row[TIMED_CALLS] = "1";
    }
    if (!reader->unit) {
        reader->unit = rfl_points_text(reader->in->points, row[TIME]);
        return ERT_OK;
    }
    /* Times of API calls are the host's. Before CUDA 9 there was no column Type. */
    if (reader->columns[TYPE] != SIZE_MAX && strcmp(row[TYPE], "GPU activities") != 0)
        return ERT_OK;
    /* "kernel(int) [212]": older versions append the correlation ID. */
    const char *id = strrchr(row[NAME], '[');
    if (id && id > row[NAME] && id[-1] == ' ' &&
        strspn(id + 1, "0123456789]") == strlen(id + 1))
        row[NAME] = ert_strings_format(&reader->in->points->strings, "%.*s",
                                       (int)(id - row[NAME] - 1), row[NAME]);
    if (is_trace && *row[NAME] != '[')
        row[NAME] = nvprof_name_launch(reader, row[NAME]);
    return nvprof_add_time(reader, row, error);
}

/* A row of the summary for the screen; the first of a type has the type before it. */
static enum ert_status nvprof_read_screen(struct reader *reader, char *line,
                                          struct ert_error *error)
{
    enum { TOTAL = 1, N_CALLS = 2, N_WORDS = 6 };
    static const char gpu[] = "GPU activities:", digits[] = "0123456789";
    char *at = line + strspn(line, " "), *words[N_WORDS], *type = at, *unit;
    at = strspn(at, digits) ? at : strstr(at, ": ");
    if (!at || !strspn(at + strspn(at, ": "), digits))
        return ERT_OK; /* the program's own output */
    if (at != type)
        reader->is_host = strncmp(type, gpu, sizeof gpu - 1) != 0;
    at += strspn(at, ": ");
    for (size_t i = 0; i < N_WORDS; i++)
        words[i] = ert_lines_word(&at);
    at += strspn(at, " ");
    if (reader->is_host || !*at)
        return ERT_OK;
    strtod(words[TOTAL], &unit);
    reader->unit = rfl_points_text(reader->in->points, unit);
    *unit = '\0';
    const char *row[N_COLUMNS] = {
        [NAME] = at, [DEVICE] = "", [TIME] = words[TOTAL], [TIMED_CALLS] = words[N_CALLS]};
    return nvprof_add_time(reader, row, error);
}

static enum ert_status nvprof_read_csv(struct reader *reader, struct ert_error *error)
{
    const struct ert_lines *lines = reader->in->lines;
    const char *row[N_COLUMNS];
    ert_lines_split(reader->in->lines, ',');
    if (nvprof_read_header(reader) || reader->table == NO_TABLE || reader->table == OTHER)
        return ERT_OK;
    if (lines->n_cells < 2 && lines->n_cells != reader->n_cells)
        return ERT_OK; /* the program's own output */
    if (lines->n_cells != reader->n_cells)
        return ert_lines_fail(lines, error, "%zu columns, must be %zu", lines->n_cells,
                              reader->n_cells);
    for (size_t c = 0; c < N_COLUMNS; c++)
        row[c] = ert_lines_cell(lines, reader->columns[c]);
    return reader->table == METRICS    ? nvprof_add_metric(reader, row, error)
           : reader->table == LAUNCHES ? nvprof_add_launch(reader, row, error)
                                       : nvprof_read_times(reader, row, error);
}

static enum ert_status nvprof_read_line(struct reader *reader, char *line,
                                        struct ert_error *error)
{
    if (strstr(line, "Time(%)") && strstr(line, " Calls ")) {
        reader->table = SCREEN;
        reader->has_table = true;
        reader->is_host = false;
        return ERT_OK;
    }
    if (strncmp(line, "==", 2) != 0)
        return reader->table == SCREEN ? nvprof_read_screen(reader, line, error)
                                       : nvprof_read_csv(reader, error);
    reader->is_forbidden |= strstr(line, "ERR_NVGPUCTRPERM") != NULL;
    reader->is_empty |= strstr(line, "No kernels were profiled") != NULL;
    reader->table = NO_TABLE;
    return ERT_OK;
}

static enum ert_status nvprof_read(const struct rfl_import *in, struct ert_error *error)
{
    struct reader reader = {.in = in};
    enum ert_status status = ERT_OK;
    rfl_kernels_begin(&reader.points, in, &tables);
    for (char *line; status == ERT_OK && (line = ert_lines_next(in->lines));)
        status = nvprof_read_line(&reader, line, error);
    if (status == ERT_OK)
        status = nvprof_finish(&reader, error);
    rfl_kernels_free(&reader.points);
    ert_strings_free(&reader.numbers);
    free(reader.kernels);
    return status;
}

static bool nvprof_recognizes(const char *head)
{
    return strstr(head, "NVPROF is profiling") || strstr(head, "Profiling result:") ||
           strstr(head, "Metric result:") || strstr(head, "Time(%),Time,Calls") ||
           strstr(head, "\"Kernel\",\"Invocations\",\"Metric Name\"") ||
           strstr(head, "\"Context\",\"Stream\",\"Kernel\"") ||
           strstr(head, "\"Time(%)\",\"Time\",\"Calls\"") ||
           strstr(head, "\"Start\",\"Duration\",\"Grid X\"");
}

const struct rfl_importer rfl_import_nvprof = {
    .name = "nvprof",
    .summary = "nvprof: CSV of metrics, and times of a run without them (two files)",
    .how = "nvprof --csv --log-file METRICS --metrics "
           "flop_count_dp,flop_count_dp_fma,gld_transactions,gst_transactions,"
           "l2_read_transactions,l2_write_transactions,dram_read_transactions,"
           "dram_write_transactions PROGRAM; nvprof --csv --log-file TIMES PROGRAM",
    .device = RFL_PROFILED_GPU,
    .recognizes = nvprof_recognizes,
    .read = nvprof_read,
    .join = nvprof_join,
};
