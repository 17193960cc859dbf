/*
 * nvprof: per kernel and metric an average over so many invocations; times come from runs of their own,
 * in other files or other tables of the same.
 *
 * - CSV: --csv --metrics, and of a run without them the summary or --print-gpu-trace. A table begins
 *   with a row of names; those of times have a row of units below it.
 * - Text, without --csv: a table of metrics (Device and Kernel on lines of their own, then invocations,
 *   name, description, min, max, avg), and a summary of times (type, percent, time, calls, avg, min,
 *   max, name). Columns are told by blanks: only the last and the first are read.
 *
 * Metrics: https://docs.nvidia.com/cuda/archive/11.0/profiler-users-guide/ ("Metrics Reference").
 */
#include "analysis/import/common.h"
#include "analysis/import/import.h"

#include "ert/base/alloc.h"
#include "ert/base/units.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TERMS = 6 };

enum place { TO_WORK, TO_TRAFFIC, TO_INSTRUCTIONS, TO_WARPS };

/*
 * Sums of metrics. Operations: flop_count_* counts an FMA as 2, and of half-precision pairs both
 * numbers; *_fma counts it as 1. Transactions of L1, L2, memory and the host are of 32 bytes.
 * shared_*_transactions are left out: their size goes with the GPU, and nvprof does not print it.
 * achieved_occupancy is of 64 warps on all GPUs that nvprof counts on (cc 3.0 to 7.2).
 * A quantity of several recipes takes the first that the file has all metrics of.
 */
static const struct recipe {
    const char *what;
    enum place place;
    const char *name, *text;
    const char *fma; /* the metric of the FMAs, for their share */
    double weights[MAX_TERMS];
    const char *metrics[MAX_TERMS];
} recipes[] = {
#define ROW(...)                                                                           \
    {                                                                                      \
        __VA_ARGS__                                                                        \
    }
#define LIST(...)                                                                          \
    {                                                                                      \
        __VA_ARGS__                                                                        \
    }
#define FLOPS(type, p)                                                                     \
    ROW(type " flops", TO_WORK, type, "flop_count_" p, "flop_count_" p "_fma", LIST(1),    \
        LIST("flop_count_" p)),                                                            \
        ROW(type " flops", TO_WORK, type, "flop_count_" p "_{add + mul + 2 fma}",          \
            "flop_count_" p "_fma", LIST(1, 1, 2),                                         \
            LIST("flop_count_" p "_add", "flop_count_" p "_mul", "flop_count_" p "_fma"))
    FLOPS("fp64", "dp"),
    FLOPS("fp32", "sp"),
    FLOPS("fp16", "hp"),
    ROW("L1 bytes", TO_TRAFFIC, "L1", "(gld + gst + local + atomic)_transactions x 32 B",
        NULL, LIST(32, 32, 32, 32, 32),
        LIST("gld_transactions", "gst_transactions", "local_load_transactions",
             "local_store_transactions", "atomic_transactions")),
    ROW("L1 bytes", TO_TRAFFIC, "L1", "(gld + gst)_transactions x 32 B", NULL, LIST(32, 32),
        LIST("gld_transactions", "gst_transactions")),
    ROW("L2 bytes", TO_TRAFFIC, "L2", "l2_{read,write}_transactions x 32 B", NULL,
        LIST(32, 32), LIST("l2_read_transactions", "l2_write_transactions")),
    ROW("HBM bytes", TO_TRAFFIC, "HBM", "dram_{read,write}_transactions x 32 B", NULL,
        LIST(32, 32), LIST("dram_read_transactions", "dram_write_transactions")),
    ROW("HBM bytes", TO_TRAFFIC, "HBM", "dram_read_bytes + dram_write_bytes", NULL,
        LIST(1, 1), LIST("dram_read_bytes", "dram_write_bytes")),
    ROW("host bytes", TO_TRAFFIC, "host", "sysmem_{read,write}_transactions x 32 B", NULL,
        LIST(32, 32), LIST("sysmem_read_transactions", "sysmem_write_transactions")),
    ROW("instructions", TO_INSTRUCTIONS, "", "inst_executed", NULL, LIST(1),
        LIST("inst_executed")),
    ROW("warps per SM", TO_WARPS, "", "achieved_occupancy x 64", NULL, LIST(64),
        LIST("achieved_occupancy")),
#undef ROW
};

enum { N_RECIPES = ERT_LENGTH(recipes), N_METRICS = N_RECIPES * MAX_TERMS };

struct kernel {
    const char *name, *device; /* kept */
    double time_s, calls;      /* from the tables of times */
    double invocations;        /* of the metrics; the most of any */
    /* Averages; NaN: not there, or not a number. */
    double values[N_METRICS];
    size_t rows[N_METRICS]; /* 0: not in the file */
};

enum table { NO_TABLE, METRICS, SUMMARY, TRACE, OTHER };

/* Columns of the CSV's tables. */
enum column {
    KERNEL,
    DEVICE,
    METRIC,
    INVOCATIONS,
    AVERAGE,
    NAME,
    TYPE,
    TIME,
    CALLS,
    DURATION
};
static const char *const column_names[] = {
    "Kernel", "Device", "Metric Name", "Invocations", "Avg",
    "Name",   "Type",   "Time",        "Calls",       "Duration"};
enum { N_COLUMNS = ERT_LENGTH(column_names) };

struct reader {
    const struct rfl_import *in;
    struct rfl_strings numbers; /* of the kernels */
    struct kernel *kernels;     /* malloc */
    size_t n_kernels, capacity;
    bool is_forbidden;
    enum table table;
    /* CSV: where the table's columns are, and the unit of its times. */
    bool has_units;
    size_t columns[N_COLUMNS], n_cells;
    char unit[16];
    /* Text: of the metrics that follow; kept; "" none yet. */
    const char *device, *kernel;
};

/* The number of a metric: where a recipe names it first; N_METRICS: none of ours. */
static size_t metric_of(const char *name)
{
    for (size_t m = 0; m < N_METRICS; m++) {
        const char *known = recipes[m / MAX_TERMS].metrics[m % MAX_TERMS];
        if (known && strcmp(known, name) == 0)
            return m;
    }
    return N_METRICS;
}

static struct kernel *find_kernel(struct reader *reader, const char *name,
                                  const char *device)
{
    struct rfl_points *points = reader->in->points;
    size_t number = rfl_kernel_number(&reader->numbers, name, "", device);
    if (number == reader->n_kernels) {
        reader->kernels =
            ert_xgrow(reader->kernels, number, &reader->capacity, sizeof *reader->kernels);
        reader->kernels[reader->n_kernels++] =
            (struct kernel){.name = rfl_points_text(points, name),
                            .device = rfl_points_text(points, device)};
    }
    return &reader->kernels[number];
}

static bool is_wanted(const struct reader *reader, const char *kernel)
{
    return *kernel && *kernel != '[' && /* "[CUDA memcpy HtoD]" */
           (!reader->in->options->region || strstr(kernel, reader->in->options->region));
}

/* Adds an average over `invocations` launches; metrics that are not needed are skipped. */
static enum ert_status add_metric(struct reader *reader, const char *kernel,
                                  const char *device, const char *metric,
                                  const char *invocations, const char *average,
                                  struct ert_error *error)
{
    size_t m = metric_of(metric);
    struct kernel *found;
    enum ert_number kind;
    double n, value;
    if (!is_wanted(reader, kernel))
        return ERT_OK;
    found = find_kernel(reader, kernel, device);
    if (m == N_METRICS)
        return ERT_OK;
    ERT_TRY(
        ert_lines_number(reader->in->lines, "Invocations", invocations, &n, &kind, error));
    ERT_TRY(ert_lines_number(reader->in->lines, metric, average, &value, &kind, error));
    if (found->rows[m])
        return ert_lines_fail(reader->in->lines, error,
                              "%s of %.80s stands twice, first in row %zu", metric, kernel,
                              found->rows[m]);
    found->values[m] = kind == ERT_NUMBER ? value * n : NAN;
    found->rows[m] = reader->in->lines->number;
    found->invocations = fmax(found->invocations, n);
    return ERT_OK;
}

/* Adds the time of `calls` launches together. */
static enum ert_status add_time(struct reader *reader, const char *kernel,
                                const char *device, const char *time, const char *unit,
                                double calls, struct ert_error *error)
{
    struct kernel *found;
    enum ert_number kind;
    enum ert_measure measure;
    double value, factor;
    if (!is_wanted(reader, kernel))
        return ERT_OK;
    if (!ert_units_read(unit, &measure, &factor) || measure != ERT_IN_SECONDS)
        return ert_lines_fail(reader->in->lines, error,
                              "time in '%.40s', must be s, ms, us or ns", unit);
    ERT_TRY(ert_lines_number(reader->in->lines, "time", time, &value, &kind, error));
    found = find_kernel(reader, kernel, device);
    found->time_s += value * factor;
    found->calls += calls;
    return ERT_OK;
}

/* Notes what a line that is no row says: whether counters were forbidden. */
static void remark(struct reader *reader, const char *line)
{
    reader->is_forbidden = reader->is_forbidden || strstr(line, "ERR_NVGPUCTRPERM");
}

static const struct recipe *choose(const struct kernel *kernel, size_t from,
                                   size_t *n_there)
{
    *n_there = 0;
    for (size_t r = from; r < N_RECIPES && strcmp(recipes[r].what, recipes[from].what) == 0;
         r++) {
        bool has_all = true;
        for (size_t t = 0; t < MAX_TERMS && recipes[r].metrics[t]; t++) {
            size_t m = metric_of(recipes[r].metrics[t]);
            has_all = has_all && kernel->rows[m] && !isnan(kernel->values[m]);
            *n_there += kernel->rows[m] > 0;
        }
        if (has_all)
            return &recipes[r];
    }
    return NULL;
}

/* Says which metric of a recipe there is none of; of the last one, which needs the fewest. */
static void note_absent(struct rfl_point *point, const struct kernel *kernel,
                        const struct recipe *recipe)
{
    for (size_t t = 0; t < MAX_TERMS && recipe->metrics[t]; t++) {
        size_t m = metric_of(recipe->metrics[t]);
        if (!kernel->rows[m])
            rfl_points_missing(point, recipe->what, "no metric %s", recipe->metrics[t]);
        else if (isnan(kernel->values[m]))
            rfl_points_missing(point, recipe->what, "row %zu: %s: no number",
                               kernel->rows[m], recipe->metrics[t]);
        else
            continue;
        return;
    }
}

/* Whether a metric's name has one of the words. */
static bool has_word(const char *metric, const char *const words[3])
{
    for (size_t i = 0; i < 3; i++)
        if (strstr(metric, words[i]))
            return true;
    return false;
}

/* Of a recipe's bytes those that were read; atomics are both, so the others tell. */
static double read_bytes(const struct kernel *kernel, const struct recipe *recipe,
                         double sum)
{
    static const char *const reads[] = {"read", "gld", "load"}, *const writes[] = {"write",
                                                                                   "gst",
                                                                                   "store"};
    double read = 0, written = 0;
    for (size_t t = 0; t < MAX_TERMS && recipe->metrics[t]; t++) {
        double bytes = recipe->weights[t] * kernel->values[metric_of(recipe->metrics[t])];
        read += has_word(recipe->metrics[t], reads) ? bytes : 0;
        written += has_word(recipe->metrics[t], writes) ? bytes : 0;
    }
    return read + written > 0 ? sum * (read / (read + written)) : NAN;
}

static enum ert_status put(struct reader *reader, struct rfl_point *point,
                           const struct kernel *kernel, const struct recipe *recipe,
                           struct ert_error *error)
{
    double sum = 0, share = NAN;
    size_t fma = recipe->fma ? metric_of(recipe->fma) : N_METRICS;
    for (size_t t = 0; t < MAX_TERMS && recipe->metrics[t]; t++)
        sum += recipe->weights[t] * kernel->values[metric_of(recipe->metrics[t])];
    if (fma < N_METRICS && kernel->rows[fma] && sum > 0)
        share = kernel->values[fma] / (sum - kernel->values[fma]);
    if (share > 1 || share < 0)
        return ert_fail(error, ERT_USAGE,
                        "%.200s: row %zu: %s: %g, more than there are operations (%g)",
                        reader->in->lines->file, kernel->rows[fma], recipe->fma,
                        kernel->values[fma], sum);
    if (recipe->place == TO_WORK)
        rfl_points_work(point, recipe->name, "core", sum, share, recipe->text);
    else if (recipe->place == TO_INSTRUCTIONS)
        point->instructions = sum;
    else if (recipe->place == TO_WARPS)
        point->warps_per_sm = kernel->invocations > 0 ? sum / kernel->invocations : 0;
    else if (sum > 0 ||
             strcmp(recipe->name, "host") != 0) /* no bytes of the host are no news */
        rfl_points_accesses(point, recipe->name, sum, read_bytes(kernel, recipe, sum), true,
                            recipe->text);
    return ERT_OK;
}

/* The time that the counted launches would have taken. */
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
    point->run = kernel->device;
    take_time(point, kernel->time_s, kernel->time_s > 0 ? kernel->calls : 0,
              kernel->invocations > 0 ? kernel->invocations : kernel->calls);
    point->time_recipe = kernel->time_s > 0 ? "nvprof, GPU activities" : "";
    if (!(kernel->time_s > 0))
        rfl_points_missing(point, "time",
                           "metrics come without times: give a file of a run without "
                           "--metrics as well");
    if (!(kernel->invocations > 0))
        return ERT_OK;
    for (size_t r = 0; r < N_RECIPES; r++) {
        size_t n_there;
        if (r > 0 && strcmp(recipes[r].what, recipes[r - 1].what) == 0)
            continue;
        const struct recipe *recipe = choose(kernel, r, &n_there);
        bool is_expected =
            recipes[r].place == TO_TRAFFIC && strcmp(recipes[r].name, "host") != 0;
        if (recipe)
            ERT_TRY(put(reader, point, kernel, recipe, error));
        else if (n_there || is_expected)
            note_absent(point, kernel, &recipes[r]);
    }
    return ERT_OK;
}

static enum ert_status finish(struct reader *reader, struct ert_error *error)
{
    const struct rfl_import *in = reader->in;
    for (size_t i = 0; i < reader->n_kernels; i++)
        ERT_TRY(make_point(reader, &reader->kernels[i], error));
    if (in->points->n == in->first && reader->is_forbidden && !in->options->region)
        return rfl_kernels_forbidden(in->lines->file, error);
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

/* Adds the time of one point to another that has only counts, or the other way round. */
static bool join(struct rfl_point *earlier, const struct rfl_point *later)
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
    earlier->source =
        rfl_points_format(earlier->set, "%s, %s", earlier->source, later->source);
    return true;
}

static const char *cell(const struct reader *reader, enum column column)
{
    return ert_lines_cell(reader->in->lines, reader->columns[column]);
}

/* Which table a row of names begins, NO_TABLE when it is none. */
static enum table table_of(const struct reader *reader)
{
    const size_t *columns = reader->columns;
    bool has_kernel = columns[KERNEL] != SIZE_MAX, has_name = columns[NAME] != SIZE_MAX;
    if (has_kernel && columns[METRIC] != SIZE_MAX && columns[INVOCATIONS] != SIZE_MAX &&
        columns[AVERAGE] != SIZE_MAX)
        return METRICS;
    if (has_name && columns[TIME] != SIZE_MAX && columns[CALLS] != SIZE_MAX)
        return SUMMARY;
    if (has_name && columns[DURATION] != SIZE_MAX)
        return TRACE;
    return has_kernel ? OTHER : NO_TABLE;
}

/* Whether the row is one of names; the columns are then where it says. */
static bool read_header(struct reader *reader)
{
    struct reader found = *reader;
    for (size_t c = 0; c < N_COLUMNS; c++)
        found.columns[c] = ert_lines_column(reader->in->lines, column_names[c]);
    found.table = table_of(&found);
    if (found.table == NO_TABLE)
        return false;
    found.n_cells = reader->in->lines->n_cells;
    found.has_units = false;
    *reader = found;
    return true;
}

static enum ert_status read_units(struct reader *reader, struct ert_error *error)
{
    const char *unit = cell(reader, reader->table == SUMMARY ? TIME : DURATION);
    if (strlen(unit) >= sizeof reader->unit)
        return ert_lines_fail(reader->in->lines, error, "'%.40s' is no unit of time", unit);
    strcpy(reader->unit, unit);
    reader->has_units = true;
    return ERT_OK;
}

static enum ert_status read_summary(struct reader *reader, struct ert_error *error)
{
    enum ert_number kind;
    double calls;
    /* Times of API calls are the host's. Before CUDA 9 there was no such column. */
    if (reader->columns[TYPE] != SIZE_MAX &&
        strcmp(cell(reader, TYPE), "GPU activities") != 0)
        return ERT_OK;
    ERT_TRY(ert_lines_number(reader->in->lines, "Calls", cell(reader, CALLS), &calls, &kind,
                             error));
    return add_time(reader, cell(reader, NAME), "", cell(reader, TIME), reader->unit, calls,
                    error);
}

static enum ert_status read_trace(struct reader *reader, struct ert_error *error)
{
    char *name = reader->in->lines->cells[reader->columns[NAME]];
    /* "kernel(int) [212]": older ones put the correlation ID there. */
    char *id = strrchr(name, '[');
    if (id && id > name && id[-1] == ' ' && strspn(id + 1, "0123456789]") == strlen(id + 1))
        id[-1] = '\0';
    return add_time(reader, name, cell(reader, DEVICE), cell(reader, DURATION),
                    reader->unit, 1, error);
}

static enum ert_status read_row(struct reader *reader, struct ert_error *error)
{
    const struct ert_lines *lines = reader->in->lines;
    if (lines->n_cells != reader->n_cells) {
        if (lines->n_cells < 2 || reader->table == OTHER)
            return ERT_OK; /* the program's own output */
        return ert_lines_fail(lines, error, "%zu columns, must be %zu", lines->n_cells,
                              reader->n_cells);
    }
    if (reader->table == METRICS)
        return add_metric(reader, cell(reader, KERNEL), cell(reader, DEVICE),
                          cell(reader, METRIC), cell(reader, INVOCATIONS),
                          cell(reader, AVERAGE), error);
    if (reader->table == OTHER)
        return ERT_OK;
    if (!reader->has_units)
        return read_units(reader, error);
    return reader->table == SUMMARY ? read_summary(reader, error)
                                    : read_trace(reader, error);
}

static enum ert_status csv_line(struct reader *reader, const char *line,
                                struct ert_error *error)
{
    if (strncmp(line, "==", 2) == 0) {
        remark(reader, line);
        reader->table = NO_TABLE;
        return ERT_OK;
    }
    if (reader->table == NO_TABLE && *line != '"')
        return ERT_OK;
    ERT_TRY(ert_lines_split(reader->in->lines, ',', error));
    return read_header(reader) || reader->table == NO_TABLE ? ERT_OK
                                                            : read_row(reader, error);
}

static char *skip_blanks(char *text)
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

static bool is_number(const char *word)
{
    return *word && strspn(word, "0123456789") == strlen(word);
}

/* "          3   flop_count_dp   Floating Point Operations(Double Precision)   1   1   1" */
static enum ert_status read_metric(struct reader *reader, char *line,
                                   struct ert_error *error)
{
    char *rest = line;
    const char *invocations = ert_lines_word(&rest), *metric = ert_lines_word(&rest);
    if (!is_number(invocations) || !*metric || !*reader->kernel)
        return ERT_OK;
    return add_metric(reader, reader->kernel, reader->device, metric, invocations,
                      last_word(rest), error);
}

/* "8.6348ms" into number and unit. */
static const char *split_unit(char *time, char unit[16])
{
    size_t digits = strspn(time, "0123456789.e+-");
    strncpy(unit, time + digits, 15);
    unit[15] = '\0';
    time[digits] = '\0';
    return time;
}

/* " GPU activities:   67.08%  8.6348ms  14  616.77us  512ns  3.1952ms  kernel(int)" */
static enum ert_status read_time(struct reader *reader, char *line, struct ert_error *error)
{
    static const char gpu[] = "GPU activities:";
    char *rest = skip_blanks(line), unit[16];
    enum ert_number kind;
    double calls;
    if (strncmp(rest, "API calls:", 10) == 0) {
        reader->table = NO_TABLE; /* the host's from here on */
        return ERT_OK;
    }
    if (strncmp(rest, gpu, sizeof gpu - 1) == 0)
        rest += sizeof gpu - 1;
    const char *share = ert_lines_word(&rest);
    if (!strchr(share, '%'))
        return ERT_OK;
    const char *time = split_unit(ert_lines_word(&rest), unit);
    ERT_TRY(ert_lines_number(reader->in->lines, "Calls", ert_lines_word(&rest), &calls,
                             &kind, error));
    for (size_t i = 0; i < 3; i++)
        ert_lines_word(&rest); /* avg, min, max */
    return add_time(reader, skip_blanks(rest), "", time, unit, calls, error);
}

/* Device "Tesla K20c (0)" */
static void read_device(struct reader *reader, char *text)
{
    char *name = skip_blanks(text);
    name += *name == '"';
    name[strcspn(name, "\"")] = '\0';
    reader->device = rfl_points_text(reader->in->points, name);
    reader->kernel = "";
}

static enum ert_status text_line(struct reader *reader, char *line, struct ert_error *error)
{
    char *text = skip_blanks(line);
    if (strncmp(line, "==", 2) == 0) {
        remark(reader, line);
        reader->table = NO_TABLE;
    } else if (strncmp(text, "Invocations", 11) == 0) {
        reader->table = strstr(text, "Metric Name") ? METRICS : NO_TABLE;
    } else if (strstr(text, "Time(%)") && strstr(text, "Calls")) {
        reader->table = SUMMARY;
    } else if (reader->table == METRICS && strncmp(text, "Device \"", 8) == 0) {
        read_device(reader, text + 7);
    } else if (reader->table == METRICS && strncmp(text, "Kernel: ", 8) == 0) {
        reader->kernel = rfl_points_text(reader->in->points, text + 8);
    } else if (reader->table == METRICS) {
        return read_metric(reader, line, error);
    } else if (reader->table == SUMMARY) {
        return read_time(reader, line, error);
    }
    return ERT_OK;
}

static enum ert_status read_lines(const struct rfl_import *in, bool is_csv,
                                  struct ert_error *error)
{
    struct reader reader = {.in = in, .device = "", .kernel = ""};
    enum ert_status status = ERT_OK;
    for (char *line; status == ERT_OK && (line = ert_lines_next(in->lines));)
        status = is_csv ? csv_line(&reader, line, error) : text_line(&reader, line, error);
    if (status == ERT_OK)
        status = finish(&reader, error);
    rfl_strings_free(&reader.numbers);
    free(reader.kernels);
    return status;
}

static enum ert_status csv_read(const struct rfl_import *in, struct ert_error *error)
{
    return read_lines(in, true, error);
}

static enum ert_status text_read(const struct rfl_import *in, struct ert_error *error)
{
    return read_lines(in, false, error);
}

static bool csv_recognizes(const char *head)
{
    return strstr(head, "\"Kernel\",\"Invocations\",\"Metric Name\"") ||
           strstr(head, "\"Time(%)\",\"Time\",\"Calls\"") ||
           strstr(head, "\"Start\",\"Duration\",\"Grid X\"");
}

const struct rfl_importer rfl_import_nvprof = {
    .name = "nvprof",
    .summary = "nvprof's CSV: metrics, and the times of a run without them (two files)",
    .how = "nvprof --csv --log-file METRICS --metrics "
           "flop_count_dp,flop_count_dp_fma,gld_transactions,gst_transactions,"
           "l2_read_transactions,l2_write_transactions,dram_read_transactions,"
           "dram_write_transactions PROGRAM; nvprof --csv --log-file TIMES PROGRAM",
    .device = RFL_IMPORT_GPU,
    .recognizes = csv_recognizes,
    .read = csv_read,
    .join = join,
};

static bool text_recognizes(const char *head)
{
    bool is_csv = strstr(head, "\"Kernel\",\"Invocations\"") || strstr(head, "\"Calls\"") ||
                  strstr(head, "\"Start\",\"Duration\"");
    bool is_nvprof = strstr(head, "NVPROF is profiling") ||
                     strstr(head, "Profiling result:") || strstr(head, "Metric result:");
    return is_nvprof && !is_csv &&
           ((strstr(head, "Invocations") && strstr(head, "Metric Name")) ||
            strstr(head, "Time(%)") || strstr(head, "ERR_NVGPUCTRPERM"));
}

const struct rfl_importer rfl_import_nvprof_text = {
    .name = "nvprof-text",
    .summary = "what nvprof prints without --csv: metrics, and the summary of times",
    .how = "nvprof --log-file METRICS --metrics ... PROGRAM; nvprof --log-file TIMES "
           "PROGRAM",
    .device = RFL_IMPORT_GPU,
    .recognizes = text_recognizes,
    .read = text_read,
    .join = join,
};
