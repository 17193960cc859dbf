/*
 * likwid-perfctr's output, as text (ASCII tables) and as CSV (-O, or -o FILE.csv), of releases 4 and
 * 5; the layout is printed by src/applications/likwid.lua (github.com/RRZE-HPC/likwid). A group begins
 * with "Group 1: NAME" or "Region R, Group 1: NAME" ("Group 1 NAME: Region R" in 4.0), in CSV
 * "TABLE,[Region R,]Group 1 Raw,NAME,rows"; its tables begin with a row "Event", "Metric" or "Region
 * Info". Several files joined by cat are read as one. Not supported: timeline mode (-t),
 * likwid-mpirun, GPUs, JSON and XML filters.
 */
#include "analysis/import/likwid.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct rfl_likwid_group group;
    enum rfl_likwid_table table;
    size_t n_values, skip; /* cells between the name and the first value */
    bool is_multiplexed;   /* until the next file that is joined to this one */
    struct rfl_likwid_joined joined;
    const struct rfl_import_options *options;
    struct rfl_points *points;
};

static const struct rfl_likwid_group no_group = {.region = "", .name = ""};

static enum ert_status end_group(struct reader *reader, struct ert_error *error)
{
    enum ert_status status = ERT_OK;
    const char *region = reader->options->region;
    if (!region || strstr(reader->group.region, region))
        status = rfl_likwid_put(&reader->group, &reader->joined, reader->points, error);
    free(reader->group.runtimes_s);
    reader->group = no_group;
    reader->table = RFL_LIKWID_NO_TABLE;
    return status;
}

/* Ends the group before it; the same region and group goes on with its next table (CSV). */
static enum ert_status begin_group(struct reader *reader, const char *region,
                                   size_t region_length, const char *name,
                                   bool is_same_table, struct ert_error *error)
{
    if (!is_same_table)
        ERT_TRY(end_group(reader, error));
    reader->table = RFL_LIKWID_NO_TABLE;
    reader->group.region = rfl_points_part(reader->points, region, region_length);
    reader->group.name = rfl_points_part(reader->points, name, strcspn(name, " \t,:"));
    reader->group.is_multiplexed = reader->is_multiplexed;
    return ERT_OK;
}

static const struct title {
    const char *text;
    enum rfl_likwid_table table, stat;
    size_t skip;
} titles[] = {
    {"Event",       RFL_LIKWID_EVENT,  RFL_LIKWID_EVENT_STAT,  1},
    {"Metric",      RFL_LIKWID_METRIC, RFL_LIKWID_METRIC_STAT, 0},
    {"Region Info", RFL_LIKWID_INFO,   RFL_LIKWID_NO_TABLE,    0}
};

/* Of the row that begins a table, NULL for others. */
static const struct title *title_of(const char *cell)
{
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
        if (strcmp(cell, titles[i].text) == 0)
            return &titles[i];
    return NULL;
}

/* The kind of a table and how many values its rows have. */
static enum ert_status header(struct reader *reader, const struct ert_lines *lines,
                              const struct title *title, char *const *cells, size_t n,
                              struct ert_error *error)
{
    size_t from = 1 + title->skip;
    bool is_stat = n > from && strcmp(cells[from], "Sum") == 0;
    for (size_t i = from; i < n && !is_stat; i++)
        if (strncmp(cells[i], "HWThread ", 9) != 0 && strncmp(cells[i], "Core ", 5) != 0)
            return ert_fail(error, ERT_USAGE,
                            "%.200s: row %zu: column '%.40s', must be 'HWThread N' or "
                            "'Core N' (likwid-mpirun and GPUs are not supported)",
                            lines->file, lines->number, cells[i]);
    reader->table = is_stat ? title->stat : title->table;
    reader->skip = title->skip;
    reader->n_values = n > from ? n - from : 0;
    return ERT_OK;
}

static enum ert_status row(struct reader *reader, const struct ert_lines *lines,
                           char *const *cells, size_t n, struct ert_error *error)
{
    if (n == 0)
        return ERT_OK;
    const struct title *title = title_of(cells[0]);
    if (title)
        return header(reader, lines, title, cells, n, error);
    if (reader->table == RFL_LIKWID_NO_TABLE)
        return ERT_OK;
    if (n != 1 + reader->skip + reader->n_values)
        return ert_fail(
            error, ERT_USAGE,
            "%.200s: row %zu: %.80s: %zu cells, must be %zu as in the table's head",
            lines->file, lines->number, cells[0], n, 1 + reader->skip + reader->n_values);
    return rfl_likwid_row(&reader->group, reader->table, lines, cells[0],
                          cells + 1 + reader->skip, reader->n_values, error);
}

/* Lines outside of tables: "CPU type:\tIntel ..." or "CPU type:,Intel ...,,", warnings, -t. */
static enum ert_status notice(struct reader *reader, const struct ert_lines *lines,
                              const char *line, struct ert_error *error)
{
    static const char separators[] = " \t,";
    bool is_name = strncmp(line, "CPU name:", 9) == 0;
    const char *known = reader->points->origin;
    if (strncmp(line, "# GID", 5) == 0 || strncmp(line, "# HWThreads", 11) == 0)
        return ert_fail(
            error, ERT_USAGE,
            "%.200s: row %zu: output of likwid's timeline mode (-t), which is not "
            "supported: run without it, or with markers (-m)",
            lines->file, lines->number);
    if (is_name || strstr(line, "Perf_event uses multiplexing"))
        reader->is_multiplexed = !is_name;
    /* the name says more than the type */
    if (is_name || (strncmp(line, "CPU type:", 9) == 0 &&
                    !(known && strstr(known, "likwid-perfctr")))) {
        const char *name = line + 9 + strspn(line + 9, separators);
        size_t length = strlen(name);
        while (length && strchr(separators, name[length - 1]))
            length--;
        reader->points->origin =
            rfl_points_format(reader->points, "likwid-perfctr, %.*s", (int)length, name);
    }
    return ERT_OK;
}

static enum ert_status text_line(struct reader *reader, struct ert_lines *lines, char *line,
                                 struct ert_error *error)
{
    const char *region, *name;
    size_t length;
    rfl_likwid_group_line(line, &region, &length, &name);
    if (name)
        return begin_group(reader, region, length, name, false, error);
    if (line[0] != '|')
        return ERT_OK;
    /* "L3|MEM evict data volume" is a name: bars that part cells have blanks around them */
    for (char *bar = line + 1; *bar; bar++)
        if (*bar == '|' && bar[1] && (bar[-1] != ' ' || bar[1] != ' '))
            *bar = '/';
    ERT_TRY(ert_lines_split(lines, '|', error));
    size_t n = lines->n_cells;
    return n < 3 ? ERT_OK : row(reader, lines, lines->cells + 1, n - 2, error);
}

/* "TABLE,[Region R,]Group 1 Raw,MEM,12": tables of a group other than "Raw" go on with it. */
static enum ert_status csv_table(struct reader *reader, const struct ert_lines *lines,
                                 struct ert_error *error)
{
    const char *region = ert_lines_cell(lines, 1), *table = region, *name;
    size_t at = 1;
    if (strncmp(region, "Region ", 7) == 0) {
        region += 7;
        table = ert_lines_cell(lines, ++at);
    } else {
        region = "";
    }
    name = ert_lines_cell(lines, at + 1);
    if (strncmp(table, "Group ", 6) != 0)
        return ert_fail(
            error, ERT_USAGE,
            "%.200s: row %zu: table '%.40s', must be 'Group N Raw', 'Metric' or "
            "their STAT",
            lines->file, lines->number, table);
    const char *kind = table + 6 + strspn(table + 6, "0123456789");
    bool begins = strcmp(kind, " Raw") == 0;
    return begin_group(reader, region, strlen(region), name, !begins, error);
}

static enum ert_status csv_line(struct reader *reader, struct ert_lines *lines,
                                struct ert_error *error)
{
    ERT_TRY(ert_lines_split(lines, ',', error));
    size_t n = lines->n_cells;
    if (strcmp(ert_lines_cell(lines, 0), "TABLE") == 0)
        return csv_table(reader, lines, error);
    if (strcmp(ert_lines_cell(lines, 0), "STRUCT") == 0 || !*reader->group.name) {
        reader->table = RFL_LIKWID_NO_TABLE;
        return ERT_OK;
    }
    /* rows are padded with commas to the widest table */
    size_t used = 1 + reader->skip + reader->n_values;
    if (title_of(lines->cells[0]))
        while (n && !*lines->cells[n - 1])
            n--;
    else if (reader->table != RFL_LIKWID_NO_TABLE && n > used)
        n = used;
    return row(reader, lines, lines->cells, n, error);
}

static enum ert_status read_lines(struct ert_lines *lines,
                                  const struct rfl_import_options *options,
                                  struct rfl_points *points, bool is_csv,
                                  struct ert_error *error)
{
    struct reader reader = {
        .group = no_group, .options = options, .points = points, .joined.first = points->n};
    enum ert_status status = ERT_OK;
    char *line;
    while (status == ERT_OK && (line = ert_lines_next(lines)) != NULL) {
        status = notice(&reader, lines, line, error);
        if (status == ERT_OK)
            status = is_csv ? csv_line(&reader, lines, error)
                            : text_line(&reader, lines, line, error);
    }
    if (status == ERT_OK)
        status = end_group(&reader, error);
    free(reader.group.runtimes_s);
    free(reader.joined.members);
    return status;
}

static enum ert_status read_text(struct ert_lines *lines,
                                 const struct rfl_import_options *options,
                                 struct rfl_points *points, struct ert_error *error)
{
    return read_lines(lines, options, points, false, error);
}

static enum ert_status read_csv(struct ert_lines *lines,
                                const struct rfl_import_options *options,
                                struct rfl_points *points, struct ert_error *error)
{
    return read_lines(lines, options, points, true, error);
}

static bool recognizes_csv(const char *head)
{
    return strstr(head, "STRUCT,Info,") || strstr(head, "TABLE,Group ") ||
           strstr(head, "TABLE,Region ");
}

static bool recognizes_text(const char *head)
{
    return !recognizes_csv(head) &&
           (strstr(head, "CPU type:\t") || strstr(head, "| Counter |") ||
            strstr(head, ", Group 1: ") || strstr(head, "|    Region Info    |") ||
            strstr(head, "# GID,") ||
            (strstr(head, "Metric ") && strstr(head, "Runtime (RDTSC) [s]")));
}

const struct rfl_importer rfl_import_likwid = {
    .name = "likwid",
    .summary = "likwid-perfctr: its tables as text, with or without markers",
    .how = "likwid-perfctr -C 0-3 -g MEM_DP -m ./a.out > FILE",
    .recognizes = recognizes_text,
    .read = read_text,
};

const struct rfl_importer rfl_import_likwid_csv = {
    .name = "likwid-csv",
    .summary = "likwid-perfctr: its tables as CSV (-O, or -o FILE.csv)",
    .how = "likwid-perfctr -C 0-3 -g MEM_DP -m -O -o FILE.csv ./a.out",
    .recognizes = recognizes_csv,
    .read = read_csv,
};
