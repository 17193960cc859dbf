/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/fleet/past.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/clock.h"
#include "ert/core/base/file.h"
#include "ert/core/base/strings.h"
#include "ert/core/base/text.h"
#include "ert/core/base/units.h"
#include "ert/core/stats/differ.h"
#include "ert/ext/fleet/record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Finds indexes of hosts by name and of columns by key, and of a node's cells among those of all. */
struct index {
    struct ert_strings hosts, columns;
    size_t *firsts; /* malloc; [n_nodes + 1] */
};

/* "cpu fp64-fma flop/s": a column in a history. */
static void key_of(const struct ert_fleet_column *column, char *text, size_t size)
{
    snprintf(text, size, "%s %s %s", column->device, column->name, column->unit);
}

enum { KEY_TEXT = 96 };

static void make_index(const struct ert_fleet *fleet, struct index *index)
{
    index->firsts = ert_xcalloc(fleet->n_nodes + 1, sizeof *index->firsts);
    for (size_t i = 0; i < fleet->n_nodes; i++) {
        ert_strings_index(&index->hosts, fleet->nodes[i].host);
        index->firsts[i + 1] = index->firsts[i] + fleet->nodes[i].n_cells;
    }
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
    free(index->firsts);
}

/* The index of a node's cell of a column among all cells; SIZE_MAX: it has none. */
static size_t past_cell(const struct ert_fleet *fleet, const struct index *index,
                        size_t node, size_t column)
{
    const struct ert_fleet_cell *cell = ert_fleet_cell(&fleet->nodes[node], column);
    return cell->n > 0 ? index->firsts[node] + (size_t)(cell - fleet->nodes[node].cells)
                       : SIZE_MAX;
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
    float *values, *errors; /* malloc; of all cells of the fleet */
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

/* Reads a list of n numbers of a node; to[]: of its n cells, where each goes, SIZE_MAX nowhere. */
static enum ert_status past_read_numbers(struct ert_json node, const char *key,
                                         const size_t *to, size_t n, float *numbers,
                                         struct ert_error *error)
{
    struct ert_json list;
    size_t k = 0;
    ERT_TRY(ert_json_array(node, key, &list, error));
    if (ert_json_length(list) != n)
        return ert_fail(error, ERT_USAGE,
                        "%s: %s: %zu elements, must be %zu, one per column", list.file,
                        list.path, ert_json_length(list), n);
    for (const cJSON *at = list.node->child; at; at = at->next, k++) {
        struct ert_json element = list;
        double number = 0;
        element.node = at;
        ERT_TRY(ert_json_as_double(element, 0, 1e24, &number, error));
        if (to[k] != SIZE_MAX)
            numbers[to[k]] = (float)number;
    }
    return ERT_OK;
}

static enum ert_status read_node(struct ert_json node, size_t i,
                                 const struct ert_fleet *fleet, const struct index *index,
                                 const struct baseline *then, struct ert_error *error)
{
    struct ert_json list;
    size_t k = 0;
    ERT_TRY(ert_json_array(node, "columns", &list, error));
    const size_t n = ert_json_length(list);
    size_t *to = ert_xcalloc(n, sizeof *to);
    enum ert_status status = ERT_OK;
    for (const cJSON *at = list.node->child; at && status == ERT_OK; at = at->next) {
        struct ert_json element = list;
        double column = 0;
        element.node = at;
        status =
            ert_json_as_double(element, 0, (double)then->n_columns - 1, &column, error);
        const size_t c = status == ERT_OK ? then->columns[(size_t)column] : SIZE_MAX;
        to[k++] = c == SIZE_MAX ? c : past_cell(fleet, index, i, c);
    }
    if (status == ERT_OK)
        status = past_read_numbers(node, "values", to, n, then->values, error);
    if (status == ERT_OK)
        status = past_read_numbers(node, "errors", to, n, then->errors, error);
    free(to);
    return status;
}

static enum ert_status read_nodes(struct ert_json_list *list, const struct ert_fleet *fleet,
                                  const struct index *index, const struct baseline *then,
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
        if (i != SIZE_MAX)
            ERT_TRY(read_node(node, i, fleet, index, then, error));
    }
}

/* The change of the speed from one value of a column to another. */
static double past_change_of(const struct ert_fleet *fleet, size_t c, double before,
                             double now)
{
    return fleet->columns[c].is_time ? before / now - 1 : now / before - 1;
}

/*
 * The common slowdown of the nodes of a column, 0 or below, is one finding and not counted for nodes. The
 * median of few nodes would hide the slowdown of one of them. places[n]: all of a column.
 */
static double take_common(struct ert_fleet *fleet, const struct index *index,
                          const struct baseline *then, const struct ert_fleet_place *places,
                          size_t n_places, double *changes)
{
    const size_t c = places->column;
    size_t n = 0;
    for (size_t i = 0; i < n_places; i++) {
        const struct ert_fleet_node *node = &fleet->nodes[places[i].node];
        const struct ert_fleet_cell *cell = &node->cells[places[i].cell];
        const double before = then->values[index->firsts[places[i].node] + places[i].cell];
        if (cell->n > 0 && before > 0)
            changes[n++] = past_change_of(fleet, c, before, cell->value);
    }
    const double common =
        n >= ERT_OUTLIERS_LEAST_PART ? fmin(ert_stats_median(changes, n), 0) : 0;
    if (common < -ERT_OUTLIERS_FLOOR)
        ert_fleet_find(fleet, ERT_FLEET_DRIFT, "",
                       "the median of %zu nodes became %.1f %% slower in %s %s since the "
                       "baseline",
                       n, -100 * common, fleet->columns[c].device, fleet->columns[c].name)
            ->column = (int)c;
    return common;
}

/*
 * The change of a cell's speed relative to the common one; 0 unless it is surely slower: in each measurement,
 * since momentary disturbances do not repeat. at: its index among all cells.
 */
static double fall_since(const struct ert_fleet *fleet, const struct baseline *then,
                         const struct ert_fleet_cell *cell, size_t at, double z,
                         double common)
{
    const double before = then->values[at];
    if (cell->n == 0 || !(before > 0))
        return 0;
    const double error = hypot(cell->error / sqrt(cell->n), then->errors[at]);
    const double limit = fmax(fmax(ERT_OUTLIERS_FLOOR, cell->detectable), z * error);
    const double change = past_change_of(fleet, cell->column, before, cell->value) - common;
    const double best = past_change_of(fleet, cell->column, before, cell->best) - common;
    return fmax(change, best) < -limit ? change : 0;
}

static void compare_baseline(struct ert_fleet *fleet, const struct index *index,
                             const struct baseline *then)
{
    double *common = ert_xcalloc(fleet->n_columns, sizeof *common);
    double *scratch = ert_xcalloc(fleet->n_nodes, sizeof *scratch);
    size_t n;
    struct ert_fleet_place *places = ert_fleet_places(fleet, NULL, fleet->n_nodes, &n);
    for (size_t i = 0, end; i < n; i = end) {
        end = ert_fleet_places_end(places, n, i);
        common[places[i].column] =
            take_common(fleet, index, then, places + i, end - i, scratch);
    }
    const double z = ert_outliers_quantile(
        fmin(fleet->false_alarms / fmax((double)n, 1), 0.01), SIZE_MAX);
    for (size_t i = 0; i < fleet->n_nodes; i++)
        for (int is_repeated = 0; is_repeated < 2; is_repeated++) {
            struct worst worst = {0};
            for (uint32_t k = 0; k < fleet->nodes[i].n_cells; k++) {
                const struct ert_fleet_cell *cell = &fleet->nodes[i].cells[k];
                if ((cell->n > 1) == is_repeated)
                    add_fall(&worst, cell->column,
                             fall_since(fleet, then, cell, index->firsts[i] + k, z,
                                        common[cell->column]));
            }
            if (worst.n > 0)
                say_changed(fleet, i, &worst,
                            is_repeated ? ERT_FLEET_CHANGED : ERT_FLEET_SUSPECT,
                            "since the baseline");
        }
    free(places);
    free(common);
    free(scratch);
}

enum ert_status ert_fleet_compare_baseline(struct ert_fleet *fleet, const char *file,
                                           struct ert_error *error)
{
    struct index index = {0};
    struct ert_json_list list = {0};
    make_index(fleet, &index);
    const size_t n_cells = index.firsts[fleet->n_nodes];
    struct baseline then = {.values = ert_xcalloc(n_cells, sizeof *then.values),
                            .errors = ert_xcalloc(n_cells, sizeof *then.errors)};
    enum ert_status status = ert_json_list_open(file, "nodes", &list, error);
    if (status == ERT_OK)
        status = read_columns(list.root, file, &index, &then, error);
    if (status == ERT_OK)
        status = read_nodes(&list, fleet, &index, &then, error);
    if (status == ERT_OK)
        compare_baseline(fleet, &index, &then);
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

static void past_add_point(struct line *line, double day, double value, bool is_time)
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
    struct line *lines; /* malloc; of all cells of the fleet */
    struct ert_strings
        dates; /* "NODE DATE": each counts once, as if its records were merged twice */
    double *firsts_s; /* malloc; the first date of each node; -1 none */
};

/* False if the node already has this date. */
static bool add_date(struct history *history, size_t node, double created_s)
{
    char text[64];
    const size_t n = history->dates.n_texts;
    snprintf(text, sizeof text, "%zu %.0f", node, created_s);
    if (ert_strings_index(&history->dates, text) != n)
        return false;
    if (history->firsts_s[node] < 0)
        history->firsts_s[node] = created_s;
    return true;
}

static void past_add_values(struct ert_fleet *fleet, struct history *history, size_t node,
                            double created_s, const cJSON *values)
{
    if (!add_date(history, node, created_s))
        return;
    for (const cJSON *at = values->child; at; at = at->next) {
        const size_t c = ert_strings_find(&history->index.columns, at->string);
        const size_t cell = c == SIZE_MAX ? c : past_cell(fleet, &history->index, node, c);
        if (cell != SIZE_MAX && cJSON_IsNumber(at) && at->valuedouble > 0 &&
            at->valuedouble <= ERT_FIELD_MAX)
            past_add_point(&history->lines[cell],
                           (created_s - history->firsts_s[node]) / 86400, at->valuedouble,
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
        past_add_values(fleet, history, node, created_s, values.node);
    return ERT_OK;
}

/* A node whose clock is off has no present. */
static void add_present(struct ert_fleet *fleet, struct history *history)
{
    for (size_t i = 0; i < fleet->n_nodes; i++) {
        const struct ert_fleet_node *node = &fleet->nodes[i];
        if (node->last_s < 0 || !add_date(history, i, node->last_s))
            continue;
        for (size_t k = 0; k < node->n_cells; k++)
            past_add_point(&history->lines[history->index.firsts[i] + k],
                           (node->last_s - history->firsts_s[i]) / 86400,
                           node->cells[k].value,
                           fleet->columns[node->cells[k].column].is_time);
    }
}

static void past_find_drift(struct ert_fleet *fleet, const struct history *history)
{
    const size_t *firsts = history->index.firsts;
    const double tests = fmax((double)firsts[fleet->n_nodes], 1);
    const double chance = fmin(fleet->false_alarms / tests, 0.01);
    for (size_t i = 0; i < fleet->n_nodes; i++) {
        const struct line *lines = &history->lines[firsts[i]], *line = lines;
        struct worst worst = {0};
        char since[96];
        for (uint32_t k = 0; k < fleet->nodes[i].n_cells; k++) {
            double change, error;
            if (!fall_of(&lines[k], &change, &error) || !(-change > ERT_OUTLIERS_FLOOR) ||
                !(-change > ert_differ_student(chance, (double)lines[k].n - 2) * error))
                continue;
            if (change < worst.change)
                line = &lines[k];
            add_fall(&worst, fleet->nodes[i].cells[k].column, change);
        }
        if (worst.n == 0)
            continue;
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
    struct history history = {.firsts_s =
                                  ert_xcalloc(fleet->n_nodes, sizeof *history.firsts_s)};
    make_index(fleet, &history.index);
    history.lines =
        ert_xcalloc(history.index.firsts[fleet->n_nodes], sizeof *history.lines);
    for (size_t i = 0; i < fleet->n_nodes; i++)
        history.firsts_s[i] = -1;
    enum ert_status status = read_history(fleet, &history, file, error);
    if (status == ERT_OK) {
        add_present(fleet, &history);
        past_find_drift(fleet, &history);
    }
    free_index(&history.index);
    ert_strings_free(&history.dates);
    free(history.lines);
    free(history.firsts_s);
    return status;
}

static void past_write_line(FILE *out, const struct ert_fleet *fleet,
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
        key_of(&fleet->columns[node->cells[c].column], key, sizeof key);
        ert_text_print(out, ERT_TEXT_QUOTED, "%s\"%s\":", before, key);
        fprintf(out, "%.7g", (double)node->cells[c].value);
        before = ",";
    }
    fputs("}}\n", out);
}

static enum ert_status past_make(const void *about, FILE *out, struct ert_error *error)
{
    const struct ert_fleet *fleet = about;
    (void)error;
    for (size_t i = 0; i < fleet->n_nodes; i++)
        if (fleet->nodes[i].n_ok > 0 && fleet->nodes[i].last_s >= 0)
            past_write_line(out, fleet, &fleet->nodes[i]);
    return ERT_OK;
}

/* Appends the text as a whole, or not at all; 0 or the errno. */
static int past_append(int descriptor, const char *text, size_t size)
{
    flock(descriptor, LOCK_EX); /* if supported; so lines of two merges do not mix */
    ert_file_end_line(descriptor);
    const off_t before = lseek(descriptor, 0, SEEK_END);
    int reason = 0;
    for (size_t at = 0; at < size && reason == 0;) {
        const ssize_t n = write(descriptor, text + at, size - at);
        at += n > 0 ? (size_t)n : 0;
        reason = n < 0 && errno != EINTR ? errno : 0;
    }
    if (reason != 0 && ftruncate(descriptor, before) != 0)
        return reason; /* a line is cut, which the next merge tells */
    return reason;
}

enum ert_status ert_fleet_append_history(const struct ert_fleet *fleet, const char *file,
                                         struct ert_error *error)
{
    char *text = NULL;
    size_t size;
    const bool is_new = access(file, F_OK) != 0;
    enum ert_status status = ert_file_collect(past_make, fleet, &text, &size, error);
    const int descriptor =
        status == ERT_OK ? open(file, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    int reason = descriptor < 0 ? errno : past_append(descriptor, text, size);
    if (descriptor >= 0 && close(descriptor) != 0 && reason == 0)
        reason = errno;
    if (descriptor >= 0 && reason != 0 && is_new)
        unlink(file);
    free(text);
    if (status == ERT_OK && reason != 0)
        status =
            ert_fail(error, ERT_FAILED, "%s: cannot append: %s", file, strerror(reason));
    return status;
}
