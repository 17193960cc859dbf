/*
 * `perf stat -x SEP`: one event per row. The fields, from linux/tools/perf/Documentation/
 * perf-stat.txt, "CSV FORMAT": [time stamp with -I], [socket, die, node, core or CPU, and how many
 * were added up], value, unit, event, [cgroup], [variance with -r], nanoseconds that the counter
 * ran, per cent of the time that it ran, [metric, its unit]. The value is scaled up already where
 * it ran for a part of the time only. The file has no elapsed time of its own: duration_time is an
 * event like others. With `-r` the values are means over the runs. JSON (-j) is not supported.
 */
#include "analysis/import/perf.h"

#include <ctype.h>
#include <string.h>

/*
 * The separator: a row has five fields at least. One that stands in no event's name goes before the
 * comma, which stands in values of some locales and in "cpu/event=1,umask=2/". '\0': none.
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

static bool is_number(const char *cell)
{
    size_t digits = strspn(cell, "0123456789.,");
    return digits && !cell[digits] && isdigit((unsigned char)cell[0]);
}

static bool is_value(const char *cell)
{
    return is_number(cell) || strcmp(cell, "<not counted>") == 0 ||
           strcmp(cell, "<not supported>") == 0;
}

/* Units and events begin with a letter and have no blanks. */
static bool is_word(const char *cell)
{
    return isalpha((unsigned char)*cell) && !strchr(cell, ' ');
}

/* Where value, unit and event stand: SIZE_MAX when the row is none. */
static size_t value_column(const struct ert_lines *lines)
{
    for (size_t i = 0; i + 2 < lines->n_cells && i < 5; i++)
        if (is_value(lines->cells[i]) &&
            (!*lines->cells[i + 1] || is_word(lines->cells[i + 1])) &&
            is_word(lines->cells[i + 2]))
            return i;
    return SIZE_MAX;
}

/* The per cent behind the running time, which may have a cgroup and a variance before it. */
static bool running_percent(const struct ert_lines *lines, size_t event, double *percent,
                            struct ert_error *error)
{
    for (size_t i = event + 1; i + 1 < lines->n_cells && i <= event + 3; i++) {
        enum ert_number kind;
        if (!is_number(lines->cells[i]) || !is_number(lines->cells[i + 1]))
            continue;
        return ert_lines_number(lines, "per cent running", lines->cells[i + 1], percent,
                                &kind, error) == ERT_OK &&
               *percent <= 100;
    }
    return false;
}

/* Splits the current line; row->is_event false when it is no row of perf stat. */
static enum ert_status read_row(struct ert_lines *lines, struct rfl_perf_row *row,
                                struct ert_error *error)
{
    *row = (struct rfl_perf_row){0};
    char separator = separator_of(lines->line);
    if (!separator || lines->line[0] == '#' || strchr(lines->line, '"'))
        return ERT_OK; /* perf quotes nothing; other tools' CSV can look alike otherwise */
    ERT_TRY(ert_lines_split(lines, separator, error));
    size_t at = value_column(lines);
    if (at == SIZE_MAX || !running_percent(lines, at + 2, &row->percent, NULL))
        return ERT_OK;
    row->is_event = true;
    row->is_interval = at > 0 && is_number(lines->cells[0]);
    row->value = lines->cells[at];
    row->unit = lines->cells[at + 1];
    row->event = lines->cells[at + 2];
    return ERT_OK;
}

static enum ert_status check_interval(const struct ert_lines *lines,
                                      const struct rfl_perf_row *row,
                                      struct ert_error *error)
{
    if (row->is_interval)
        return ert_fail(error, ERT_USAGE,
                        "%.200s: row %zu: begins with a time stamp: counts per interval "
                        "(perf stat -I), which are no counts of a run; run without -I",
                        lines->file, lines->number);
    if (strchr(row->value, ','))
        return ert_fail(error, ERT_USAGE,
                        "%.200s: row %zu: %.80s: '%.40s' has a comma in it: run perf with "
                        "LC_ALL=C",
                        lines->file, lines->number, row->event, row->value);
    return ERT_OK;
}

static enum ert_status perf_read(struct ert_lines *lines,
                                 const struct rfl_import_options *options,
                                 struct rfl_points *points, struct ert_error *error)
{
    struct rfl_perf_counts counts = {0};
    struct rfl_perf_row row;
    (void)options;
    while (ert_lines_next(lines)) {
        ERT_TRY(read_row(lines, &row, error));
        if (!row.is_event)
            continue;
        ERT_TRY(check_interval(lines, &row, error));
        ERT_TRY(rfl_perf_count(&counts, lines, &row, error));
    }
    points->origin = rfl_points_text(points, "perf stat");
    if (counts.n_rows == 0 || (options->region && !strstr("whole run", options->region)))
        return ERT_OK;
    return rfl_perf_put(&counts, points, error);
}

static bool recognizes(const char *head)
{
    struct ert_lines lines;
    struct rfl_perf_row row = {0};
    if (ert_lines_open_text("", head, &lines, NULL) != ERT_OK)
        return false;
    while (!row.is_event && lines.number < 40 && ert_lines_next(&lines))
        if (read_row(&lines, &row, NULL) != ERT_OK)
            break;
    ert_lines_close(&lines);
    return row.is_event;
}

const struct rfl_importer rfl_import_perf = {
    .name = "perf",
    .summary = "perf stat -x: events of Linux perf",
    .how = rfl_perf_how,
    .device = RFL_IMPORT_CPU,
    .recognizes = recognizes,
    .read = perf_read,
};
