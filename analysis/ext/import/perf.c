/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * `perf stat -x SEP`: one event per row. The fields, from linux/tools/perf/Documentation/
 * perf-stat.txt, "CSV FORMAT": [time stamp with -I], [socket, die, node, core or CPU, and how many were added
 * up], value, unit, event, [cgroup], [variance with -r], nanoseconds that the counter ran, per cent of the
 * time that it ran, [metric, its unit]. If a counter ran only part of the time, its value is already scaled
 * up. The file has no elapsed time of its own: duration_time is an event like others. With `-r` the values
 * are means over the runs; `--append` and `2>>` write runs one after the other.
 *
 * The events: events.def. The kernel scales uncore_imc's cas_count_read and cas_count_write to MiB
 * (cas_count_read.scale below /sys/bus/event_source/devices/uncore_imc_0/events has 64 / 2^20), as the unit
 * column shows; under their long names (unc_m_cas_count.rd) the same events are plain counts.
 */

#include "analysis/ext/import/tally.h"

#include "ert/core/base/alloc.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- the forms for readers and -j, as rows of -x '\t' ---- */

/*
 * For readers (linux/tools/perf/util/stat-display.c): "S0  2   1,234.56 msec task-clock  # 1.0 CPUs utilized
 * (83.33%)"; the time stands below, "5.57 seconds time elapsed". JSON: an object a line, "counter-value".
 */

enum { MAX_WORDS = 16 };

static void form_put(struct ert_lines *lines, const char *row)
{
    const size_t size = strlen(row) + 1;
    if (size > lines->capacity) {
        lines->line = ert_xrealloc(lines->line, size, 1);
        lines->capacity = size;
    }
    memcpy(lines->line, row, size);
}

/* Takes the commas between groups of three digits: "1,234.56". Other commas stay: another locale's. */
static void form_ungroup(char *number)
{
    const size_t lead = strspn(number, "0123456789");
    bool is_grouped = lead > 0 && lead <= 3;
    for (const char *at = number + lead; is_grouped && *at && *at != '.'; at += 4)
        is_grouped = *at == ',' && strspn(at + 1, "0123456789") == 3;
    char *to = number;
    for (const char *from = number; is_grouped && (*to = *from); from++)
        to += *from != ',';
}

/* "<not counted>" and "<not supported>" are one word. */
static size_t form_words(char *text, char *words[MAX_WORDS])
{
    size_t n = 0;
    for (char *at = text; n < MAX_WORDS;) {
        at += strspn(at, " ");
        if (!*at || *at == '#' || *at == '(')
            break;
        words[n++] = at;
        at += *at == '<' ? strcspn(at, ">") + 1 : strcspn(at, " ");
        if (*at)
            *at++ = '\0';
    }
    return n;
}

static bool form_is_value(const char *word)
{
    return isdigit((unsigned char)*word) || *word == '<';
}

static bool form_is_unit(const char *word)
{
    static const char *const units[] = {"msec", "ns", "sec", "Joules", "MiB", "C"};
    for (size_t i = 0; i < ERT_LENGTH(units); i++)
        if (strcmp(word, units[i]) == 0)
            return true;
    return false;
}

static void form_of_text(struct ert_lines *lines)
{
    char row[512] = "", *words[MAX_WORDS];
    const char *percent = strrchr(lines->line, '(');
    double ran = 100;
    if (percent && sscanf(percent, "(%lf%%)", &ran) != 1)
        ran = 100; /* a variance of -r */
    char *text = ert_xprintf("%s", lines->line);
    const size_t n = form_words(text, words);
    size_t at = 0;
    while (at + 1 < n &&
           !(form_is_value(words[at]) && isalpha((unsigned char)*words[at + 1])))
        at++;
    const bool has_unit = at + 2 < n && form_is_unit(words[at + 1]);
    char *end =
        NULL; /* "5,57" of another locale is left out: the other numbers are refused */
    const double time_s = n ? strtod(words[0], &end) : 0;
    if (n >= 4 && strcmp(words[n - 1], "elapsed") == 0 && !*end) {
        ert_append(row, sizeof row, "%.0f\tns\ttime_elapsed\t1\t100", 1e9 * time_s);
    } else if (at + 1 < n && (has_unit || strcmp(words[at + 1], "seconds") != 0)) {
        for (size_t i = 0; i < at; i++)
            ert_append(row, sizeof row, "%s\t", words[i]);
        form_ungroup(words[at]);
        ert_append(row, sizeof row, "%s\t%s\t%s\t1\t%g", words[at],
                   has_unit ? words[at + 1] : "", words[at + 1 + has_unit], ran);
    }
    if (*row)
        form_put(lines, row);
    free(text);
}

static void form_of_json(struct ert_lines *lines)
{
    /* In the order of the cells; where: all that tell one of several counters of an event. */
    static const char *const keys[] = {"interval",      "socket",      "die",   "cluster",
                                       "core",          "node",        "cpu",   "thread",
                                       "counter-value", "unit",        "event", "cgroup",
                                       "event-runtime", "pcnt-running"};
    char row[512] = "";
    cJSON *root = cJSON_Parse(lines->line);
    for (size_t i = 0; i < ERT_LENGTH(keys); i++) {
        const cJSON *cell = cJSON_GetObjectItemCaseSensitive(root, keys[i]);
        const char *end = i + 1 < ERT_LENGTH(keys) ? "\t" : "";
        if (cJSON_IsString(cell))
            ert_append(row, sizeof row, "%s%s%s", strcmp(keys[i], "cpu") ? "" : "CPU",
                       cell->valuestring, end); /* as -x names it */
        else if (cJSON_IsNumber(cell))
            ert_append(row, sizeof row, "%.15g%s", cell->valuedouble, end);
    }
    cJSON_Delete(root);
    form_put(lines, row);
}

/*
 * Writes the current line as a row of -x, if it is one of another form: [where], value, unit, event,
 * nanoseconds that the counter ran (1: not said), per cent of the time that it ran. *is_text: whether a head
 * of the form for readers was seen, without which a line of words is none of its rows; false at first.
 */
static void form_take(struct ert_lines *lines, bool *is_text)
{
    const char *line = lines->line;
    if (strstr(line, "Performance counter stats for") || strstr(line, "counts unit events"))
        *is_text = true;
    else if (*line == '{' && strstr(line, "\"counter-value\""))
        form_of_json(lines);
    else if (*is_text)
        form_of_text(lines);
}

/* ---- rows ---- */

struct row {
    bool is_event, is_interval; /* is_interval: begins with a time stamp */
    size_t at;                  /* the cell of the value, before unit and event */
    size_t ran;                 /* the cell of the time that the counter ran */
    double percent;             /* of the whole time */
};

/*
 * The separator of a row, which has at least five fields. Characters that occur in no event's name are tried
 * before the comma, which occurs in values of some locales and in "cpu/event=1,umask=2/". '\0': none.
 */
static char separator_of(const char *line)
{
    for (const char *separator = "\t;|!~@^&,:"; *separator; separator++) {
        size_t n = 0;
        for (const char *at = line; *at; at++)
            n += *at == *separator;
        if (n >= 4)
            return *separator;
    }
    return '\0';
}

static bool import_perf_is_number(const char *cell)
{
    size_t digits = strspn(cell, "0123456789.,");
    return digits && !cell[digits] && isdigit((unsigned char)cell[0]);
}

static bool is_value(const char *cell)
{
    return import_perf_is_number(cell) || strcmp(cell, "<not counted>") == 0 ||
           strcmp(cell, "<not supported>") == 0;
}

/* Units and events begin with a letter and have no blanks, except before a PMU: "x [uncore_imc_0]". */
static bool import_perf_is_word(const char *cell)
{
    const char *blank = strchr(cell, ' ');
    return isalpha((unsigned char)*cell) && (!blank || blank[1] == '[');
}

/* The column of the value, before unit and event; SIZE_MAX if the line is not a row. */
static size_t value_column(const struct ert_lines *lines)
{
    for (size_t i = 0; i + 2 < lines->n_cells && i < 5; i++)
        if (is_value(lines->cells[i]) &&
            (!*lines->cells[i + 1] || import_perf_is_word(lines->cells[i + 1])) &&
            import_perf_is_word(lines->cells[i + 2]))
            return i;
    return SIZE_MAX;
}

/* Finds the per cent after the running time, before which there may be a cgroup and a variance. */
static bool running_percent(const struct ert_lines *lines, struct row *row)
{
    for (row->ran = row->at + 3; row->ran + 1 < lines->n_cells && row->ran <= row->at + 5;
         row->ran++) {
        enum ert_number kind;
        const char *percent = lines->cells[row->ran + 1];
        if (import_perf_is_number(lines->cells[row->ran]) && import_perf_is_number(percent))
            return ert_lines_number(lines, "per cent running", percent, &row->percent,
                                    &kind, NULL) == ERT_OK &&
                   row->percent <= 100;
    }
    return false;
}

/* Writes the decimal comma of some locales as a point. perf -x groups no digits. */
static void import_perf_write_point(char *cell)
{
    char *comma = strchr(cell, ',');
    if (comma && import_perf_is_number(cell) && !strpbrk(comma + 1, ",.") &&
        !strchr(cell, '.'))
        *comma = '.';
}

/* Splits the current line; row->is_event: it is a row of perf stat. *is_text: as form_take has it. */
static void import_perf_read_row(struct ert_lines *lines, bool *is_text, struct row *row)
{
    *row = (struct row){0};
    form_take(lines, is_text);
    char separator = separator_of(lines->line);
    if (!separator || lines->line[0] == '#' || strchr(lines->line, '"'))
        return; /* perf quotes nothing; other tools' CSV can look alike otherwise */
    ert_lines_split(lines, separator);
    for (size_t i = 0; i < lines->n_cells; i++)
        import_perf_write_point(lines->cells[i]);
    row->at = value_column(lines);
    row->is_event = row->at != SIZE_MAX && running_percent(lines, row);
    row->is_interval =
        row->is_event && row->at > 0 && import_perf_is_number(lines->cells[0]);
}

/* The rows of a file; `run` counts the heads "# started on ..." and other cgroups before each one. */
struct rows {
    size_t n, capacity, run;
    const char *cgroup; /* the last one; or NULL */
    struct counted {
        struct rfl_count count;
        size_t run;
        const char *cgroup;
    } * rows; /* malloc */
};

/* The cgroup of a row, which only its events count (perf stat --for-each-cgroup); or NULL. */
static const char *cgroup_of(const struct rfl_import *in, const struct row *row)
{
    for (size_t i = row->at + 3; i < row->ran; i++)
        if (*in->lines->cells[i] && !strchr(in->lines->cells[i], '%'))
            return rfl_points_text(in->points, in->lines->cells[i]);
    return NULL;
}

/* Socket, core ... and cgroup of a row, as one text. */
static const char *where_of(const struct rfl_import *in, const struct row *row)
{
    struct ert_strings *texts = &in->points->strings;
    char *const *cells = in->lines->cells;
    const char *where = "";
    for (size_t i = 0; i < row->ran; i++)
        if (i < row->at || (i > row->at + 2 && !strchr(cells[i], '%')))
            where = ert_strings_format(texts, "%s%s%s", where, *where ? " " : "", cells[i]);
    return where;
}

static enum ert_status import_perf_add_row(const struct rfl_import *in,
                                           const struct row *row, struct rows *rows,
                                           struct ert_error *error)
{
    struct ert_lines *lines = in->lines;
    const char *value = lines->cells[row->at], *event = lines->cells[row->at + 2];
    struct rfl_count count = {.event = rfl_points_text(in->points, event),
                              .unit =
                                  rfl_points_text(in->points, lines->cells[row->at + 1]),
                              .where = where_of(in, row),
                              .share = row->percent / 100,
                              .is_unsupported = strcmp(value, "<not supported>") == 0};
    if (row->is_interval)
        return ert_lines_fail(lines, error,
                              "begins with a time stamp: counts per interval (perf stat "
                              "-I), not of a run; run without -I");
    if (strchr(value, ','))
        return ert_lines_fail(lines, error,
                              "%.80s: '%.40s' contains a comma: run perf with LC_ALL=C",
                              event, value);
    ERT_TRY(rfl_cell_read(in, event, value, &count.cell, error));
    rows->rows = ert_xgrow(rows->rows, rows->n, &rows->capacity, sizeof *rows->rows);
    const char *cgroup = cgroup_of(in, row);
    rows->run += cgroup && rows->cgroup && strcmp(cgroup, rows->cgroup) != 0;
    rows->cgroup = cgroup ? cgroup : rows->cgroup;
    rows->rows[rows->n++] = (struct counted){count, rows->run, rows->cgroup};
    return ERT_OK;
}

static bool import_perf_is_same(const struct rfl_count *a, const struct rfl_count *b)
{
    return a->event == b->event && a->where == b->where;
}

/*
 * The number of rows of the first run among n that follow one head or none: if all rows come k times in the
 * same order, with the elapsed time among them, they are of k runs.
 */
static size_t run_length(const struct counted *rows, size_t n)
{
    size_t length = 1;
    while (length < n && !import_perf_is_same(&rows[length].count, &rows[0].count))
        length++;
    bool is_repeated = length > 1 && n % length == 0, has_time = false;
    for (size_t i = 0; i < n && is_repeated; i++) {
        is_repeated = import_perf_is_same(&rows[i].count, &rows[i % length].count);
        has_time |= strstr(rows[i].count.event, "duration_time") != NULL;
    }
    return is_repeated && has_time ? length : n;
}

static void import_perf_put_rest(struct rfl_tally *tally, struct rfl_point *point)
{
    double duration_s = rfl_tally_sum(tally, RFL_DURATION_S, NULL);
    if (duration_s > 0) {
        point->time_s = duration_s;
        point->time_recipe = "duration_time (perf)";
    } else {
        rfl_points_missing(point, "time",
                           "perf stat -x writes no elapsed time: add -e duration_time");
    }
    if (rfl_point_traffic(point, "DRAM"))
        rfl_points_warn(point, "memory controllers count the traffic of the whole machine, "
                               "not only of this program");
    else if (!rfl_point_lacks(point, "DRAM bytes"))
        rfl_points_missing(
            point, "DRAM bytes",
            "no memory controller was counted: `roofline import --help` has the events");
}

/* Makes a point of each run. */
static void put_runs(const struct rfl_import *in, const struct rows *rows)
{
    struct rfl_tally tally = {
        .in = in, .tool = "perf", .lost = "too many events at once, or too short a run"};
    size_t n_runs = 0;
    for (size_t i = 0; i < rows->n;) {
        size_t n = 1;
        while (i + n < rows->n && rows->rows[i + n].run == rows->rows[i].run)
            n++;
        n = run_length(&rows->rows[i], n);
        const char *cgroup = rows->rows[i + n - 1].cgroup;
        for (size_t end = i + n; i < end; i++)
            rfl_tally_add(&tally, &rows->rows[i].count);
        struct rfl_point *point = rfl_points_add(in->points, "whole run");
        if (n_runs++ || cgroup)
            point->run = cgroup
                             ? cgroup
                             : ert_strings_format(&in->points->strings, "run %zu", n_runs);
        rfl_tally_settle(&tally);
        rfl_tally_put(&tally, point);
        import_perf_put_rest(&tally, point);
        rfl_tally_clear(&tally);
    }
}

static const char how[] =
    "perf stat -x ';' -o FILE -e duration_time,task-clock,cycles,EVENTS ./a.out; EVENTS, "
    "and those for the memory of the whole machine, by CPU:"
#define RFL_PERF_RECIPE(cpus, hint, memory, ...)                                           \
    "\n                    " cpus ": " hint "; -a " memory
#include "analysis/ext/import/perf_recipes.def"
    ;

static const struct rfl_perf_recipe recipes[] = {
#define RFL_PERF_RECIPE(cpus, hint, memory, fp64, fp32, vendor, ...)                       \
    {cpus, hint, memory, fp64, fp32, vendor, {__VA_ARGS__}},
#include "analysis/ext/import/perf_recipes.def"
};

const struct rfl_perf_recipe *rfl_perf_recipe(const struct ert_cpu *cpu)
{
    for (size_t i = 0; i < ERT_LENGTH(recipes); i++)
        for (size_t j = 0; j < ERT_LENGTH(recipes[i].models); j++)
            if (strcmp(recipes[i].vendor, cpu->vendor) == 0 &&
                recipes[i].models[j].family == cpu->family &&
                recipes[i].models[j].first <= cpu->model &&
                cpu->model <= recipes[i].models[j].last)
                return &recipes[i];
    return NULL;
}

/* Notes in points of perf that lack operations or DRAM bytes which events count them on this CPU. */
static void perf_advise(struct rfl_points *points, const struct ert_cpu *cpu)
{
    const struct rfl_perf_recipe *recipe = rfl_perf_recipe(cpu);
    for (size_t i = 0; recipe && i < points->n; i++)
        for (size_t j = 0; j < points->points[i].n_missing; j++) {
            struct rfl_missing *missing = &points->points[i].missing[j];
            bool is_work = strcmp(missing->what, "operations") == 0;
            if (strcmp(points->points[i].format, "perf") == 0 &&
                (is_work || strcmp(missing->what, "DRAM bytes") == 0))
                missing->reason =
                    ert_strings_format(&points->strings, "%.400s; on %s: perf stat %s %s",
                                       missing->reason, recipe->cpus, is_work ? "-e" : "-a",
                                       is_work ? recipe->hint : recipe->memory);
        }
}

static enum ert_status perf_read(const struct rfl_import *in, struct ert_error *error)
{
    const char *region = in->options->region;
    struct rows rows = {.n = 0};
    struct row row;
    bool is_text = false;
    enum ert_status status = ERT_OK;
    for (const char *line; status == ERT_OK && (line = ert_lines_next(in->lines));) {
        rows.run += strncmp(line, "# started on", 12) == 0;
        import_perf_read_row(in->lines, &is_text, &row);
        if (row.is_event)
            status = import_perf_add_row(in, &row, &rows, error);
    }
    in->points->origin = "perf stat";
    if (status == ERT_OK && (!region || strstr("whole run", region)))
        put_runs(in, &rows);
    free(rows.rows);
    return status;
}

static bool import_perf_recognizes(const char *head)
{
    struct ert_lines lines;
    struct row row = {0};
    bool is_text = false;
    if (ert_lines_open_text("", head, &lines, NULL) != ERT_OK)
        return false;
    while (!row.is_event && lines.number < 40 && ert_lines_next(&lines))
        import_perf_read_row(&lines, &is_text, &row);
    ert_lines_close(&lines);
    return row.is_event;
}

const struct rfl_importer rfl_import_perf = {
    .name = "perf",
    .summary = "perf stat: events of Linux perf, as -x, -j or readers get them",
    .how = how,
    .device = RFL_PROFILED_CPU,
    .recognizes = import_perf_recognizes,
    .read = perf_read,
    .advise = perf_advise,
};
