/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/fleet/past.h"

#include "ert/base/alloc.h"
#include "ert/base/clock.h"
#include "ert/base/file.h"
#include "ert/base/strings.h"
#include "ert/base/text.h"
#include "ert/base/units.h"
#include "ert/fleet/record.h"
#include "ert/stats/differ.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

/* Finds indexes of hosts by name and of columns by key. */
struct index {
    struct ert_strings hosts, columns;
};

/* "cpu fp64-fma flop/s": a column in a history. */
static void key_of(const struct ert_fleet_column *column, char *text, size_t size)
{
    snprintf(text, size, "%s %s %s", column->device, column->name, column->unit);
}

enum { KEY_TEXT = 96 };

static void make_index(const struct ert_fleet *fleet, struct index *index)
{
    for (size_t i = 0; i < fleet->n_nodes; i++)
        ert_strings_index(&index->hosts, fleet->nodes[i].host);
    for (size_t c = 0; c < fleet->n_columns; c++) {
        char key[KEY_TEXT];
        key_of(&fleet->columns[c], key, sizeof key);
        ert_strings_index(&index->columns, key);
    }
}

static void free_index(struct index *index)
{
    ert_strings_free(&index->hosts);
    ert_strings_free(&index->columns);
}

/* The number of a node's ceilings that became slower, and the worst of them. */
struct worst {
    uint32_t n, column;
    double change;
};

/* change 0: the ceiling did not become slower. */
static void add_fall(struct worst *worst, size_t column, double change)
{
    worst->n += change < 0;
    if (change < worst->change) {
        worst->column = (uint32_t)column;
        worst->change = change;
    }
}

static void say_changed(struct ert_fleet *fleet, size_t node, const struct worst *worst,
                        enum ert_fleet_kind kind, const char *since)
{
    const struct ert_fleet_cell *cell = ert_fleet_cell(&fleet->nodes[node], worst->column);
    const char *unit = fleet->columns[worst->column].unit;
    ert_fleet_find_in(fleet, kind, &fleet->nodes[node], worst->column, worst->n,
                      worst->change, "became %.1f %% slower %s (now %s)%s",
                      -100 * worst->change, since, ert_units_rate(cell->value, unit).text,
                      kind == ERT_FLEET_SUSPECT ? ", measured once: measure it again" : "");
}

/* ---- baseline ---- */

/* The values of the earlier fleet; 0: none. */
struct baseline {
    float *values, *errors; /* malloc; [node * n_columns + column] of the fleet */
    size_t *columns; /* malloc; the fleet's index of each column in the file, or SIZE_MAX */
    size_t n_columns;
};

static enum ert_status read_columns(const cJSON *root, const char *file,
                                    const struct index *index, struct baseline *then,
                                    struct ert_error *error)
{
    struct ert_json list, at = ert_json_root(root, file);
    const char *schema, *device, *name, *unit;
    ERT_TRY(ert_json_string(at, "schema", &schema, error));
    if (strcmp(schema, "ert-fleet/1") != 0)
        return ert_fail(error, ERT_USAGE, "%s: schema '%.40s', must be ert-fleet/1", file,
                        schema);
    ERT_TRY(ert_json_array(at, "columns", &list, error));
    then->n_columns = ert_json_length(list);
    then->columns = ert_xcalloc(then->n_columns, sizeof *then->columns);
    for (size_t c = 0; c < then->n_columns; c++) {
        char key[KEY_TEXT];
        struct ert_json element = ert_json_element(&list, c);
        ERT_TRY(ert_json_string(element, "device", &device, error));
        ERT_TRY(ert_json_string(element, "name", &name, error));
        ERT_TRY(ert_json_string(element, "unit", &unit, error));
        snprintf(key, sizeof key, "%s %s %s", device, name, unit);
        then->columns[c] = ert_strings_find(&index->columns, key);
    }
    return ERT_OK;
}

static enum ert_status read_numbers(struct ert_json node, const char *key,
                                    const struct baseline *then, float *row,
                                    struct ert_error *error)
{
    struct ert_json list;
    ERT_TRY(ert_json_array(node, key, &list, error));
    if (ert_json_length(list) != then->n_columns)
        return ert_fail(error, ERT_USAGE,
                        "%s: %s: %zu elements, must be %zu, one per column", list.file,
                        list.path, ert_json_length(list), then->n_columns);
    size_t c = 0;
    for (const cJSON *at = list.node->child; at; at = at->next, c++) {
        struct ert_json element = list;
        double number = 0;
        element.node = at;
        if (!cJSON_IsNull(at))
            ERT_TRY(ert_json_as_double(element, 0, 1e24, &number, error));
        if (then->columns[c] != SIZE_MAX)
            row[then->columns[c]] = (float)number;
    }
    return ERT_OK;
}

static enum ert_status read_nodes(struct ert_json_list *list, struct ert_fleet *fleet,
                                  struct index *index, const struct baseline *then,
                                  struct ert_error *error)
{
    struct ert_json node;
    const char *host;
    for (;;) {
        ERT_TRY(ert_json_list_next(list, &node, error));
        if (!node.node)
            return ERT_OK;
        ERT_TRY(ert_json_string(node, "host", &host, error));
        size_t i = ert_strings_find(&index->hosts, host);
        if (i == SIZE_MAX)
            continue;
        ERT_TRY(
            read_numbers(node, "values", then, then->values + i * fleet->n_columns, error));
        ERT_TRY(
            read_numbers(node, "errors", then, then->errors + i * fleet->n_columns, error));
    }
}

static double before_of(const struct ert_fleet *fleet, const struct baseline *then,
                        size_t i, size_t c)
{
    return then->values[i * fleet->n_columns + c];
}

/* The change of the speed from one value of a column to another. */
static double change_of(const struct ert_fleet *fleet, size_t c, double before, double now)
{
    return fleet->columns[c].is_time ? before / now - 1 : now / before - 1;
}

/*
 * The common slowdown of all nodes in a column, 0 or below, is one finding and not counted for nodes. The
 * median of few nodes would hide the slowdown of one of them.
 */
static void take_common(struct ert_fleet *fleet, const struct baseline *then, size_t c,
                        double *changes, double *common)
{
    size_t n = 0;
    for (size_t i = 0; i < fleet->n_nodes; i++) {
        const struct ert_fleet_cell *cell = ert_fleet_cell(&fleet->nodes[i], c);
        const double before = before_of(fleet, then, i, c);
        if (cell->n > 0 && before > 0)
            changes[n++] = change_of(fleet, c, before, cell->value);
    }
    *common = n >= ERT_OUTLIERS_LEAST_PART ? fmin(ert_stats_median(changes, n), 0) : 0;
    if (*common < -ERT_OUTLIERS_FLOOR)
        ert_fleet_find(fleet, ERT_FLEET_DRIFT, "",
                       "the median of %zu nodes became %.1f %% slower in %s %s since the "
                       "baseline",
                       n, -100 * *common, fleet->columns[c].device, fleet->columns[c].name)
            ->column = (int)c;
}

/*
 * The change of the node's speed in a column, relative to the common one; 0 unless it is surely slower: in
 * each measurement, since momentary disturbances do not repeat.
 */
static double fall_since(const struct ert_fleet *fleet, const struct baseline *then,
                         size_t i, size_t c, double z, double common)
{
    const struct ert_fleet_cell *cell = ert_fleet_cell(&fleet->nodes[i], c);
    const double before = before_of(fleet, then, i, c);
    if (cell->n == 0 || !(before > 0))
        return 0;
    const double error =
        hypot(cell->error / sqrt(cell->n), then->errors[i * fleet->n_columns + c]);
    const double limit = fmax(fmax(ERT_OUTLIERS_FLOOR, cell->detectable), z * error);
    const double change = change_of(fleet, c, before, cell->value) - common;
    const double best = change_of(fleet, c, before, cell->best) - common;
    return fmax(change, best) < -limit ? change : 0;
}

static void compare_baseline(struct ert_fleet *fleet, const struct baseline *then)
{
    double *common = ert_xcalloc(fleet->n_columns, sizeof *common);
    double *scratch = ert_xcalloc(fleet->n_nodes, sizeof *scratch);
    const double tests = (double)fleet->n_nodes * (double)fleet->n_columns;
    const double z =
        ert_outliers_quantile(fmin(fleet->false_alarms / tests, 0.01), SIZE_MAX);
    for (size_t c = 0; c < fleet->n_columns; c++)
        take_common(fleet, then, c, scratch, &common[c]);
    for (size_t i = 0; i < fleet->n_nodes; i++)
        for (int is_repeated = 0; is_repeated < 2; is_repeated++) {
            struct worst worst = {0};
            for (size_t c = 0; c < fleet->n_columns; c++)
                if ((ert_fleet_cell(&fleet->nodes[i], c)->n > 1) == is_repeated)
                    add_fall(&worst, c, fall_since(fleet, then, i, c, z, common[c]));
            if (worst.n > 0)
                say_changed(fleet, i, &worst,
                            is_repeated ? ERT_FLEET_CHANGED : ERT_FLEET_SUSPECT,
                            "since the baseline");
        }
    free(common);
    free(scratch);
}

enum ert_status ert_fleet_compare_baseline(struct ert_fleet *fleet, const char *file,
                                           struct ert_error *error)
{
    struct index index = {0};
    struct ert_json_list list = {0};
    struct baseline then = {
        .values = ert_xcalloc(fleet->n_nodes * fleet->n_columns, sizeof *then.values),
        .errors = ert_xcalloc(fleet->n_nodes * fleet->n_columns, sizeof *then.errors),
    };
    make_index(fleet, &index);
    enum ert_status status = ert_json_list_open(file, "nodes", &list, error);
    if (status == ERT_OK)
        status = read_columns(list.root, file, &index, &then, error);
    if (status == ERT_OK)
        status = read_nodes(&list, fleet, &index, &then, error);
    if (status == ERT_OK)
        compare_baseline(fleet, &then);
    ert_json_list_close(&list);
    free_index(&index);
    free(then.values);
    free(then.errors);
    free(then.columns);
    return status;
}

/* ---- history ---- */

/* Sums for a straight line through a cell's relative speeds over the days since the node's first line. */
struct line {
    float first, first_day, last_day; /* first value; first and last day of all */
    uint32_t n;
    double t, tt, y, yy, ty;
};

static void add_point(struct line *line, double day, double value, bool is_time)
{
    if (line->n == 0) {
        line->first = (float)value;
        line->first_day = line->last_day = (float)day;
    }
    double y = is_time ? line->first / value - 1 : value / line->first - 1;
    line->n++;
    line->first_day = fminf(line->first_day, (float)day);
    line->last_day = fmaxf(line->last_day, (float)day);
    line->t += day;
    line->tt += day * day;
    line->y += y;
    line->yy += y * y;
    line->ty += day * y;
}

/* The change over the whole time and its standard error; false for fewer than three dates. */
static bool fall_of(const struct line *line, double *change, double *error)
{
    const double n = line->n, tt = line->tt - line->t * line->t / n;
    if (line->n < 3 || !(tt > 0))
        return false;
    const double slope = (line->ty - line->t * line->y / n) / tt;
    const double rest = line->yy - line->y * line->y / n - slope * slope * tt;
    const double days = (double)line->last_day - line->first_day;
    *change = slope * days;
    *error = sqrt(fmax(rest, 0) / (n - 2) / tt) * days;
    return true;
}

struct history {
    struct index index;
    struct line *lines; /* malloc; [node * n_columns + column] */
    struct dates {
        double *s;
        size_t n, capacity;
    } * dates; /* malloc, as is each; per node, in the order of the lines */
};

/* False if the node already has this date, as if its records were merged twice: it counts once. */
static bool add_date(struct dates *dates, double created_s)
{
    for (size_t i = dates->n; i > 0; i--)
        if (dates->s[i - 1] == created_s)
            return false;
    dates->s = ert_xgrow(dates->s, dates->n, &dates->capacity, sizeof *dates->s);
    dates->s[dates->n++] = created_s;
    return true;
}

static void add_values(struct ert_fleet *fleet, struct history *history, size_t node,
                       double created_s, const cJSON *values)
{
    struct dates *dates = &history->dates[node];
    if (!add_date(dates, created_s))
        return;
    for (const cJSON *at = values->child; at; at = at->next) {
        size_t c = ert_strings_find(&history->index.columns, at->string);
        if (c != SIZE_MAX && cJSON_IsNumber(at) && at->valuedouble > 0)
            add_point(&history->lines[node * fleet->n_columns + c],
                      (created_s - dates->s[0]) / 86400, at->valuedouble,
                      fleet->columns[c].is_time);
    }
}

static enum ert_status add_line(struct ert_fleet *fleet, struct history *history,
                                struct ert_json at, const char *schema,
                                struct ert_error *error)
{
    const char *host, *created;
    struct ert_json values;
    if (strcmp(schema, "ert-fleet-history/1") != 0)
        return ert_fail(error, ERT_USAGE, "%s: schema '%.40s', must be ert-fleet-history/1",
                        at.file, schema);
    ERT_TRY(ert_json_string(at, "host", &host, error));
    ERT_TRY(ert_json_string(at, "created", &created, error));
    ERT_TRY(ert_json_object(at, "values", &values, error));
    const double created_s = ert_clock_read_date(created);
    if (created_s < 0)
        return ert_fail(error, ERT_USAGE, "%s: created: '%.40s', must be a time", at.file,
                        created);
    size_t node = ert_strings_find(&history->index.hosts, host);
    if (node != SIZE_MAX)
        add_values(fleet, history, node, created_s, values.node);
    return ERT_OK;
}

static void add_present(struct ert_fleet *fleet, struct history *history)
{
    for (size_t i = 0; i < fleet->n_nodes; i++) {
        const struct ert_fleet_node *node = &fleet->nodes[i];
        struct dates *dates = &history->dates[i];
        if (!add_date(dates, node->last_s))
            continue;
        for (size_t c = 0; c < node->n_cells; c++)
            if (node->cells[c].n > 0)
                add_point(&history->lines[i * fleet->n_columns + c],
                          (node->last_s - dates->s[0]) / 86400, node->cells[c].value,
                          fleet->columns[c].is_time);
    }
}

static void find_drift(struct ert_fleet *fleet, const struct history *history)
{
    const double tests = (double)fleet->n_nodes * (double)fleet->n_columns;
    const double chance = fmin(fleet->false_alarms / tests, 0.01);
    for (size_t i = 0; i < fleet->n_nodes; i++) {
        const struct line *lines = &history->lines[i * fleet->n_columns];
        struct worst worst = {0};
        char since[96];
        for (size_t c = 0; c < fleet->n_columns; c++) {
            double change, error;
            if (fall_of(&lines[c], &change, &error) && -change > ERT_OUTLIERS_FLOOR &&
                -change > ert_differ_student(chance, (double)lines[c].n - 2) * error)
                add_fall(&worst, c, change);
        }
        if (worst.n == 0)
            continue;
        const struct line *line = &lines[worst.column];
        snprintf(since, sizeof since, "over %.3g days, by %" PRIu32 " dates of its history",
                 (double)line->last_day - line->first_day, line->n);
        say_changed(fleet, i, &worst, ERT_FLEET_CHANGED, since);
    }
}

/* A missing file is an empty history. Other than regular files are refused, since they might never end. */
static enum ert_status read_history(struct ert_fleet *fleet, struct history *history,
                                    const char *file, struct ert_error *error)
{
    struct ert_records records;
    struct ert_error why = {0};
    struct ert_json at;
    struct stat about;
    const char *schema = "";
    const bool is_there = stat(file, &about) == 0;
    if (!is_there && errno == ENOENT)
        return ERT_OK;
    if (is_there && !S_ISREG(about.st_mode))
        return ert_fail(error, ERT_USAGE, "%s: must be a regular file", file);
    ERT_TRY(ert_records_open(file, &records, error));
    enum ert_status status = ERT_OK;
    while (status != ERT_FAILED) {
        status = ert_records_next(&records, &at, &schema, &why);
        if (status == ERT_OK && !schema)
            break;
        if (status == ERT_OK)
            status = add_line(fleet, history, at, schema, &why);
        if (status == ERT_USAGE)
            ert_fleet_find(fleet, ERT_FLEET_BAD_LINE, "", "%s", why.text);
    }
    ert_records_close(&records);
    return status == ERT_OK ? ERT_OK : ert_fail(error, status, "%s", why.text);
}

enum ert_status ert_fleet_compare_history(struct ert_fleet *fleet, const char *file,
                                          struct ert_error *error)
{
    struct history history = {
        .lines = ert_xcalloc(fleet->n_nodes * fleet->n_columns, sizeof *history.lines),
        .dates = ert_xcalloc(fleet->n_nodes, sizeof *history.dates),
    };
    make_index(fleet, &history.index);
    enum ert_status status = read_history(fleet, &history, file, error);
    if (status == ERT_OK) {
        add_present(fleet, &history);
        find_drift(fleet, &history);
    }
    free_index(&history.index);
    for (size_t i = 0; i < fleet->n_nodes; i++)
        free(history.dates[i].s);
    free(history.lines);
    free(history.dates);
    return status;
}

static void write_line(FILE *out, const struct ert_fleet *fleet,
                       const struct ert_fleet_node *node)
{
    const char *before = "";
    time_t created = (time_t)node->last_s;
    struct tm utc;
    char date[32];
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&created, &utc));
    ert_text_print(out, ERT_TEXT_QUOTED,
                   "{\"schema\":\"ert-fleet-history/1\",\"host\":\"%s\",\"created\":\"%s\","
                   "\"values\":{",
                   node->host, date);
    for (size_t c = 0; c < node->n_cells; c++) {
        char key[KEY_TEXT];
        if (node->cells[c].n == 0)
            continue;
        key_of(&fleet->columns[c], key, sizeof key);
        ert_text_print(out, ERT_TEXT_QUOTED, "%s\"%s\":", before, key);
        fprintf(out, "%.7g", (double)node->cells[c].value);
        before = ",";
    }
    fputs("}}\n", out);
}

enum ert_status ert_fleet_append_history(const struct ert_fleet *fleet, const char *file,
                                         struct ert_error *error)
{
    FILE *out = fopen(file, "a+");
    if (!out)
        return ert_fail(error, ERT_FAILED, "%s: cannot write: %s", file, strerror(errno));
    flock(fileno(out), LOCK_EX); /* if supported; so lines of two merges do not mix */
    ert_file_end_line(fileno(out));
    for (size_t i = 0; i < fleet->n_nodes && !ferror(out); i++)
        if (fleet->nodes[i].n_ok > 0)
            write_line(out, fleet, &fleet->nodes[i]);
    bool is_good = !ferror(out);
    is_good = fclose(out) == 0 && is_good;
    return is_good ? ERT_OK
                   : ert_fail(error, ERT_FAILED, "%s: cannot append: %s", file,
                              strerror(errno));
}
