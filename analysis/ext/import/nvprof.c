/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nvprof: an average over the invocations per kernel and metric; times come from separate runs, in other
 * files or in other tables of the same file.
 *
 * - CSV: --csv --metrics, and from a run without metrics the summary or --print-gpu-trace. A table begins
 *   with a row of names; tables of times have a row of units below it.
 * - Text, without --csv: a table of metrics (Device and Kernel on lines of their own, then invocations,
 *   name, description, min, max, avg), and a summary of times (type, percent, time, calls, avg, min,
 *   max, name). Columns are separated by blanks: only the first and the last ones are read.
 */
#include "analysis/ext/import/common.h"
#include "analysis/ext/import/metrics.h"

#include "ert/core/base/alloc.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum metric {
    M_NONE = RFL_NO_METRIC,
#define METRIC(id, name) M_##id,
#include "analysis/ext/import/nvprof_recipes.def"
};

static const struct rfl_metric names[] = {
#define METRIC(id, name) {name, M_##id, ERT_IN_COUNTS, RFL_UNIT_AS_PRINTED},
#include "analysis/ext/import/nvprof_recipes.def"
};

static const struct rfl_quantity quantities[] = {
#define PLAIN        .per = M_NONE
#define FMA          .n_fma = 1
#define FMAS(metric) .fma = M_##metric
#define OVER(metric) .per = M_##metric
#define T(id, value)                                                                       \
    {                                                                                      \
        M_##id, value                                                                      \
    }
#define QUANTITY RFL_QUANTITY
#define NUMBER   RFL_NUMBER
#define RECIPE   RFL_RECIPE
#include "analysis/ext/import/nvprof_recipes.def"
};

static const struct rfl_read_split splits[] = {
    {"L1",   M_GLD,             M_GST,              M_LOCAL_LD, M_LOCAL_ST},
    {"L2",   M_L2_READ,         M_L2_WRITE,         M_NONE,     M_NONE    },
    {"HBM",  M_DRAM_READ,       M_DRAM_WRITE,       M_NONE,     M_NONE    },
    {"HBM",  M_DRAM_READ_BYTES, M_DRAM_WRITE_BYTES, M_NONE,     M_NONE    },
    {"host", M_SYSMEM_READ,     M_SYSMEM_WRITE,     M_NONE,     M_NONE    },
};

static const struct rfl_sign signs[] = {
#define SIGN(glob, what, type, unit, level, counted_by, hint)                              \
    {glob, what, type, unit, level, counted_by, hint},
#include "analysis/ext/import/nvprof_recipes.def"
};
_Static_assert(ERT_LENGTH(signs) <= RFL_MAX_SIGNS, "room of metrics.h");

static const struct rfl_metrics nvprof = {
    .names = names,
    .n_names = ERT_LENGTH(names),
    .quantities = quantities,
    .n_quantities = ERT_LENGTH(quantities),
    .splits = splits,
    .n_splits = ERT_LENGTH(splits),
    .signs = signs,
    .n_signs = ERT_LENGTH(signs),
};

struct kernel {
    const char *name, *device; /* stored */
    size_t n_runs;             /* before this one, of the same name: a metric came again */
    const char *signs[RFL_MAX_SIGNS];
    double time_s, calls;  /* from the tables of times */
    struct rfl_launch all; /* the sums over its launches */
};

enum table { NO_TABLE, METRICS, TIMES, OTHER };

/* Columns of the CSV's tables. */
enum column { KERNEL, DEVICE, METRIC, INVOCATIONS, AVG, NAME, TYPE, TIME, CALLS, DURATION };
static const char *const column_names[] = {
    "Kernel", "Device", "Metric Name", "Invocations", "Avg",
    "Name",   "Type",   "Time",        "Calls",       "Duration"};
enum { N_COLUMNS = ERT_LENGTH(column_names) };

struct reader {
    const struct rfl_import *in;
    struct ert_strings numbers; /* of the kernels */
    struct kernel *kernels;     /* malloc */
    size_t n_kernels, capacity;
    bool is_forbidden, is_empty; /* nvprof said so */
    enum table table;
    /* CSV: positions of the table's columns; the unit of its times, NULL until it is read. */
    size_t columns[N_COLUMNS], n_cells;
    const char *unit;
    /* Text: of the metrics that follow; stored; "" none yet. */
    const char *device, *kernel;
};

static struct kernel *nvprof_find_kernel(struct reader *reader, const char *name,
                                         const char *device, size_t n_runs)
{
    struct rfl_points *points = reader->in->points;
    char run[32] = "";
    if (n_runs)
        snprintf(run, sizeof run, "run %zu", n_runs + 1);
    size_t number = rfl_kernel_number(&reader->numbers, name, run, device);
    if (number == reader->n_kernels) {
        reader->kernels =
            ert_xgrow(reader->kernels, number, &reader->capacity, sizeof *reader->kernels);
        reader->kernels[reader->n_kernels++] =
            (struct kernel){.name = rfl_points_text(points, name),
                            .device = rfl_points_text(points, device),
                            .n_runs = n_runs,
                            .all.cc = ""};
    }
    return &reader->kernels[number];
}

static bool nvprof_is_wanted(const struct reader *reader, const char *kernel)
{
    return *kernel && *kernel != '[' && /* "[CUDA memcpy HtoD]" */
           (!reader->in->options->region || strstr(kernel, reader->in->options->region));
}

/* Adds an average over `invocations` launches; skips metrics that are not needed. */
static enum ert_status add_metric(struct reader *reader, const char *kernel,
                                  const char *device, const char *metric,
                                  const char *invocations, const char *average,
                                  struct ert_error *error)
{
    const struct ert_lines *lines = reader->in->lines;
    const struct rfl_metric *name = names;
    size_t sign = rfl_sign_of(&nvprof, metric), n_runs = 0;
    struct rfl_cell n, nvprof_cell;
    if (!nvprof_is_wanted(reader, kernel))
        return ERT_OK;
    struct kernel *found = nvprof_find_kernel(reader, kernel, device, n_runs);
    if (sign != SIZE_MAX && strpbrk(average, "123456789"))
        found->signs[sign] = signs[sign].glob;
    while (name < names + ERT_LENGTH(names) && strcmp(name->name, metric) != 0)
        name++;
    if (name == names + ERT_LENGTH(names))
        return ERT_OK;
    while (found->all.values[name->id].as) /* the table of another process */
        found = nvprof_find_kernel(reader, kernel, device, ++n_runs);
    ERT_TRY(rfl_cell_read(reader->in, "Invocations", invocations, &n, error));
    ERT_TRY(rfl_cell_read(reader->in, metric, average, &nvprof_cell, error));
    struct rfl_metric_value *of = found->all.values;
    const char *why = n.why ? n.why : nvprof_cell.why;
    of[name->id] = (struct rfl_metric_value){.as = name,
                                             .value = nvprof_cell.value * n.value,
                                             .kind = why ? ERT_NUMBER_NONE : ERT_NUMBER,
                                             .why = why,
                                             .row = lines->number};
    of[M_INVOCATIONS] = (struct rfl_metric_value){
        .as = name, .value = fmax(of[M_INVOCATIONS].value, n.value), .row = lines->number};
    return ERT_OK;
}

/* Adds the total time of `calls` launches. unit NULL: `time` includes it, as in "8.6348ms". */
static enum ert_status add_time(struct reader *reader, const char *kernel,
                                const char *device, const char *time, const char *unit,
                                double calls, struct ert_error *error)
{
    size_t length = unit ? strlen(time) : strspn(time, "0123456789.e+-");
    char number[64];
    enum ert_number kind;
    enum ert_measure measure;
    double value, factor;
    if (!nvprof_is_wanted(reader, kernel))
        return ERT_OK;
    unit = unit ? unit : time + length;
    snprintf(number, sizeof number, "%.*s", (int)length, time);
    if (!ert_units_read(unit, &measure, &factor) || measure != ERT_IN_SECONDS)
        return ert_lines_fail(reader->in->lines, error,
                              "time in '%.40s', must be s, ms, us or ns", unit);
    ERT_TRY(ert_lines_number(reader->in->lines, "time", number, &value, &kind, error));
    struct kernel *found = nvprof_find_kernel(reader, kernel, device, 0);
    found->time_s += value * factor;
    found->calls += calls;
    return ERT_OK;
}

/* Sets the time that the counted launches would have taken. */
static void take_time(struct rfl_point *to, double time_s, double timed, double counted)
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

static enum ert_status make_point(struct reader *reader, const struct kernel *kernel,
                                  struct ert_error *error)
{
    struct rfl_point *point = rfl_points_add(reader->in->points, kernel->name);
    double invocations = kernel->all.values[M_INVOCATIONS].value;
    bool is_timed = kernel->time_s > 0;
    struct rfl_sums sums = {0};
    point->run = kernel->n_runs
                     ? ert_strings_format(&reader->in->points->strings, "%s%srun %zu",
                                          kernel->device, *kernel->device ? ", " : "",
                                          kernel->n_runs + 1)
                     : kernel->device;
    memcpy(sums.signs, kernel->signs, sizeof sums.signs);
    take_time(point, kernel->time_s, is_timed ? kernel->calls : 0,
              invocations > 0 ? invocations : kernel->calls);
    point->time_recipe = is_timed ? "nvprof, GPU activities" : "";
    if (!is_timed)
        rfl_points_missing(point, "time",
                           "metrics come without times: also give a file of a run without "
                           "--metrics");
    if (!(invocations > 0))
        return ERT_OK;
    ERT_TRY(rfl_sums_add(&nvprof, reader->in, &kernel->all, &sums, point, error));
    rfl_sums_put(&nvprof, &sums, point);
    return ERT_OK;
}

static enum ert_status nvprof_finish(struct reader *reader, struct ert_error *error)
{
    const struct rfl_import *in = reader->in;
    for (size_t i = 0; i < reader->n_kernels; i++)
        ERT_TRY(make_point(reader, &reader->kernels[i], error));
    if (in->points->n == in->first && reader->is_forbidden && !in->options->region)
        return rfl_kernels_forbidden(in->lines->file, error);
    if (in->points->n == in->first && reader->is_empty)
        return ert_fail(error, ERT_USAGE,
                        "%.200s: no kernel was profiled: the program launched none",
                        in->lines->file);
    if (!in->points->origin && in->points->n > in->first)
        in->points->origin = "nvprof";
    rfl_kernels_end(in);
    return ERT_OK;
}

static bool has_counts(const struct rfl_point *point)
{
    return point->n_work > 0 || point->n_traffic > 0;
}

static void take_counts(struct rfl_point *to, const struct rfl_point *from)
{
    memcpy(to->work, from->work, sizeof to->work);
    memcpy(to->traffic, from->traffic, sizeof to->traffic);
    to->n_work = from->n_work;
    to->n_traffic = from->n_traffic;
    to->instructions = from->instructions;
    to->warps_per_sm = from->warps_per_sm;
    rfl_point_remove_missing(to, "operations");
    rfl_point_remove_missing(to, "bytes");
    for (size_t i = 0; i < from->n_missing; i++)
        if (strcmp(from->missing[i].what, "time") != 0)
            rfl_points_missing(to, from->missing[i].what, "%s", from->missing[i].reason);
    for (size_t i = 0; i < from->n_warnings; i++)
        rfl_points_warn(to, "%s", from->warnings[i]);
}

/* Joins a point that has time with one that has only counts, in either order. */
static bool nvprof_join(struct rfl_point *earlier, const struct rfl_point *later)
{
    bool has_time = earlier->time_s > 0, brings_time = later->time_s > 0;
    if (strncmp(earlier->format, "nvprof", 6) != 0 ||
        strcmp(earlier->name, later->name) != 0 ||
        (strcmp(earlier->run, later->run) != 0 && *earlier->run && *later->run) ||
        has_time == brings_time || has_counts(earlier) == has_counts(later) ||
        has_time == has_counts(earlier))
        return false;
    if (brings_time) {
        take_time(earlier, later->time_s, later->launches, earlier->launches);
        earlier->time_recipe = later->time_recipe;
    } else {
        take_counts(earlier, later);
        take_time(earlier, earlier->time_s, earlier->launches, later->launches);
    }
    earlier->source = ert_strings_format(&earlier->set->strings, "%s, %s", earlier->source,
                                         later->source);
    return true;
}

static const char *nvprof_cell(const struct reader *reader, enum column column)
{
    return ert_lines_cell(reader->in->lines, reader->columns[column]);
}

static bool nvprof_has(const size_t columns[N_COLUMNS], enum column column)
{
    return columns[column] != SIZE_MAX;
}

/* Whether the row has the names that begin a table. */
static bool nvprof_read_header(struct reader *reader)
{
    size_t at[N_COLUMNS];
    for (size_t c = 0; c < N_COLUMNS; c++)
        at[c] = ert_lines_column(reader->in->lines, column_names[c]);
    bool is_times =
        nvprof_has(at, NAME) &&
        ((nvprof_has(at, TIME) && nvprof_has(at, CALLS)) || nvprof_has(at, DURATION));
    if (!nvprof_has(at, KERNEL) && !is_times)
        return false;
    reader->table = nvprof_has(at, KERNEL) && nvprof_has(at, METRIC) &&
                            nvprof_has(at, INVOCATIONS) && nvprof_has(at, AVG)
                        ? METRICS
                    : is_times ? TIMES
                               : OTHER;
    reader->n_cells = reader->in->lines->n_cells;
    reader->unit = NULL;
    memcpy(reader->columns, at, sizeof at);
    return true;
}

/* Reads a row of the summary, or a launch of --print-gpu-trace. */
static enum ert_status read_times(struct reader *reader, struct ert_error *error)
{
    enum column time = nvprof_has(reader->columns, TIME) ? TIME : DURATION;
    char *name = reader->in->lines->cells[reader->columns[NAME]];
    enum ert_number kind;
    double calls = 1;
    if (!reader->unit) {
        reader->unit = rfl_points_text(reader->in->points, nvprof_cell(reader, time));
        return ERT_OK;
    }
    /* Times of API calls are the host's. Before CUDA 9 there was no column Type. */
    if (nvprof_has(reader->columns, TYPE) &&
        strcmp(nvprof_cell(reader, TYPE), "GPU activities") != 0)
        return ERT_OK;
    /* "kernel(int) [212]": older versions append the correlation ID. */
    char *id = strrchr(name, '[');
    if (id && id > name && id[-1] == ' ' && strspn(id + 1, "0123456789]") == strlen(id + 1))
        id[-1] = '\0';
    if (time == TIME)
        ERT_TRY(ert_lines_number(reader->in->lines, "Calls", nvprof_cell(reader, CALLS),
                                 &calls, &kind, error));
    return add_time(reader, name, nvprof_cell(reader, DEVICE), nvprof_cell(reader, time),
                    reader->unit, calls, error);
}

static enum ert_status nvprof_read_row(struct reader *reader, struct ert_error *error)
{
    const struct ert_lines *lines = reader->in->lines;
    if (lines->n_cells != reader->n_cells) {
        if (lines->n_cells < 2 || reader->table == OTHER)
            return ERT_OK; /* the program's own output */
        return ert_lines_fail(lines, error, "%zu columns, must be %zu", lines->n_cells,
                              reader->n_cells);
    }
    if (reader->table == METRICS)
        return add_metric(reader, nvprof_cell(reader, KERNEL), nvprof_cell(reader, DEVICE),
                          nvprof_cell(reader, METRIC), nvprof_cell(reader, INVOCATIONS),
                          nvprof_cell(reader, AVG), error);
    return reader->table == TIMES ? read_times(reader, error) : ERT_OK;
}

static enum ert_status nvprof_csv_line(struct reader *reader, const char *line,
                                       struct ert_error *error)
{
    if (strncmp(line, "==", 2) == 0) {
        reader->is_forbidden |= strstr(line, "ERR_NVGPUCTRPERM") != NULL;
        reader->is_empty |= strstr(line, "No kernels were profiled") != NULL;
        reader->table = NO_TABLE;
        return ERT_OK;
    }
    if (reader->table == NO_TABLE && *line != '"')
        return ERT_OK;
    ert_lines_split(reader->in->lines, ',');
    return nvprof_read_header(reader) || reader->table == NO_TABLE
               ? ERT_OK
               : nvprof_read_row(reader, error);
}

static char *nvprof_skip_blanks(char *text)
{
    return text + strspn(text, " \t");
}

static const char *last_word(char *text)
{
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        text[--length] = '\0';
    while (length > 0 && !isspace((unsigned char)text[length - 1]))
        length--;
    return text + length;
}

static bool nvprof_is_number(const char *word)
{
    return *word && strspn(word, "0123456789") == strlen(word);
}

/* "          3   flop_count_dp   Floating Point Operations(Double Precision)   1   1   1" */
static enum ert_status read_metric(struct reader *reader, char *line,
                                   struct ert_error *error)
{
    char *rest = line;
    const char *invocations = ert_lines_word(&rest), *metric = ert_lines_word(&rest);
    if (!nvprof_is_number(invocations) || !*metric || !*reader->kernel)
        return ERT_OK;
    return add_metric(reader, reader->kernel, reader->device, metric, invocations,
                      last_word(rest), error);
}

/* " GPU activities:   67.08%  8.6348ms  14  616.77us  512ns  3.1952ms  kernel(int)" */
static enum ert_status read_time(struct reader *reader, char *line, struct ert_error *error)
{
    static const char gpu[] = "GPU activities:";
    char *rest = nvprof_skip_blanks(line);
    enum ert_number kind;
    double calls;
    if (strncmp(rest, "API calls:", 10) == 0) {
        reader->table = NO_TABLE; /* what follows is the host's */
        return ERT_OK;
    }
    if (strncmp(rest, gpu, sizeof gpu - 1) == 0)
        rest += sizeof gpu - 1;
    const char *share = ert_lines_word(&rest);
    if (!strchr(share, '%'))
        return ERT_OK;
    const char *time = ert_lines_word(&rest);
    ERT_TRY(ert_lines_number(reader->in->lines, "Calls", ert_lines_word(&rest), &calls,
                             &kind, error));
    for (size_t i = 0; i < 3; i++)
        ert_lines_word(&rest); /* avg, min, max */
    return add_time(reader, nvprof_skip_blanks(rest), "", time, NULL, calls, error);
}

/* Device "Tesla K20c (0)" */
static void nvprof_read_device(struct reader *reader, char *text)
{
    char *name = nvprof_skip_blanks(text);
    name += *name == '"';
    name[strcspn(name, "\"")] = '\0';
    reader->device = rfl_points_text(reader->in->points, name);
    reader->kernel = "";
}

static enum ert_status nvprof_text_line(struct reader *reader, char *line,
                                        struct ert_error *error)
{
    char *text = nvprof_skip_blanks(line);
    if (strncmp(line, "==", 2) == 0) {
        reader->is_forbidden |= strstr(line, "ERR_NVGPUCTRPERM") != NULL;
        reader->is_empty |= strstr(line, "No kernels were profiled") != NULL;
        reader->table = NO_TABLE;
    } else if (strncmp(text, "Invocations", 11) == 0) {
        reader->table = strstr(text, "Metric Name") ? METRICS : NO_TABLE;
    } else if (strstr(text, "Time(%)") && strstr(text, "Calls")) {
        reader->table = TIMES;
    } else if (reader->table == METRICS && strncmp(text, "Device \"", 8) == 0) {
        nvprof_read_device(reader, text + 7);
    } else if (reader->table == METRICS && strncmp(text, "Kernel: ", 8) == 0) {
        reader->kernel = rfl_points_text(reader->in->points, text + 8);
    } else if (reader->table == METRICS) {
        return read_metric(reader, line, error);
    } else if (reader->table == TIMES) {
        return read_time(reader, line, error);
    }
    return ERT_OK;
}

static enum ert_status nvprof_read(const struct rfl_import *in, struct ert_error *error)
{
    struct reader reader = {.in = in, .device = "", .kernel = ""};
    bool is_csv = in->importer == &rfl_import_nvprof;
    enum ert_status status = ERT_OK;
    for (char *line; status == ERT_OK && (line = ert_lines_next(in->lines));)
        status = is_csv ? nvprof_csv_line(&reader, line, error)
                        : nvprof_text_line(&reader, line, error);
    if (status == ERT_OK)
        status = nvprof_finish(&reader, error);
    ert_strings_free(&reader.numbers);
    free(reader.kernels);
    return status;
}

static bool csv_recognizes(const char *head)
{
    return strstr(head, "\"Kernel\",\"Invocations\",\"Metric Name\"") ||
           strstr(head, "\"Time(%)\",\"Time\",\"Calls\"") ||
           strstr(head, "\"Start\",\"Duration\",\"Grid X\"");
}

const struct rfl_importer rfl_import_nvprof = {
    .name = "nvprof",
    .is_table = true,
    .summary = "nvprof's CSV: metrics, and the times of a run without them (two files)",
    .how = "nvprof --csv --log-file METRICS --metrics "
           "flop_count_dp,flop_count_dp_fma,gld_transactions,gst_transactions,"
           "l2_read_transactions,l2_write_transactions,dram_read_transactions,"
           "dram_write_transactions PROGRAM; nvprof --csv --log-file TIMES PROGRAM",
    .device = RFL_PROFILED_GPU,
    .recognizes = csv_recognizes,
    .read = nvprof_read,
    .join = nvprof_join,
};

static bool text_recognizes(const char *head)
{
    bool is_csv = strstr(head, "\"Kernel\",\"Invocations\"") || strstr(head, "\"Calls\"") ||
                  strstr(head, "\"Start\",\"Duration\"");
    bool is_nvprof = strstr(head, "NVPROF is profiling") ||
                     strstr(head, "Profiling result:") || strstr(head, "Metric result:");
    return is_nvprof && !is_csv &&
           ((strstr(head, "Invocations") && strstr(head, "Metric Name")) ||
            strstr(head, "Time(%)") || strstr(head, "ERR_NVGPUCTRPERM") ||
            strstr(head, "No kernels were profiled"));
}

const struct rfl_importer rfl_import_nvprof_text = {
    .name = "nvprof-text",
    .summary = "what nvprof prints without --csv: metrics, and the summary of times",
    .how = "nvprof --log-file METRICS --metrics ... PROGRAM; nvprof --log-file TIMES "
           "PROGRAM",
    .device = RFL_PROFILED_GPU,
    .recognizes = text_recognizes,
    .read = nvprof_read,
    .join = nvprof_join,
};
