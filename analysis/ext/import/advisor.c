/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Intel Advisor, `advisor --report=survey --format=csv --show-all-columns` after a roofline collection. No
 * document lists the columns; this reads those that public scripts read:
 *
 * - "Self GFLOP", "Self Elapsed Time", "Self Memory GB", with "Self GFLOPS" = "Self GFLOP" / "Self
 *   Elapsed Time" and "Self AI" = "Self GFLOPS" / "Self GB/s": the roofline example of Advisor's own
 *   Python API, as ReFrame quotes it (github.com/reframe-hpc/reframe, cscs-checks), and the column
 *   list of github.com/waggyz/femera-mini-app, perf/femera-advisor-survey-csv.sh;
 * - "Function Call Sites and Loops", "Data Types": Advisor User Guide, Survey report;
 * - self_l2_loaded_gb, self_dram_stored_gb ...: names of the Python API for the memory-level roofline
 *   (a table of it written as CSV is accepted, too: '_' equals a blank, case does not matter).
 *
 * GB and GFLOP are 1e9. Memory GB is what the code's instructions request: bytes at L1 (Advisor User Guide,
 * "Analyze CPU Roofline"). An FMA counts as two, and single and double precision are not distinguished
 * (Intel, "Frequently Asked Questions about the Intel Advisor Roofline Analysis Feature"); the type is that
 * of the column Data Types if it names one. A loop of several versions (body, peeled, remainder) has a row
 * with their sums and, behind it, one per version with "[child]" or "-" before the same name. Not supported:
 * Total columns, integer operations, GPU and offload reports, the HTML of --report=roofline.
 */
#include "analysis/ext/import/common.h"

#include "ert/core/base/alloc.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* In small letters with blanks; some releases have "function/loop" for the first. */
#define COLUMNS(C)                                                                         \
    C(NAME, "function call sites and loops")                                               \
    C(TYPES, "data types")                                                                 \
    C(KIND, "type")                                                                        \
    C(ELAPSED, "self elapsed time")                                                        \
    C(TIME, "self time")                                                                   \
    C(GFLOP, "self gflop")                                                                 \
    C(MEMORY, "self memory gb")                                                            \
    C(L2_LOADED, "self l2 loaded gb")                                                      \
    C(L2_STORED, "self l2 stored gb")                                                      \
    C(L3_LOADED, "self l3 loaded gb")                                                      \
    C(L3_STORED, "self l3 stored gb")                                                      \
    C(DRAM_LOADED, "self dram loaded gb")                                                  \
    C(DRAM_STORED, "self dram stored gb")                                                  \
    C(L1_AI, "self l1 ai")                                                                 \
    C(L2_AI, "self l2 ai")                                                                 \
    C(L3_AI, "self l3 ai")                                                                 \
    C(DRAM_AI, "self dram ai")
#define ID(id, title)    id,
#define TITLE(id, title) title,
enum column { COLUMNS(ID) N_COLUMNS };
static const char *const titles[N_COLUMNS] = {COLUMNS(TITLE)};

static const struct {
    const char *level;
    enum column loaded, stored, intensity; /* loaded N_COLUMNS: no such columns */
} levels[] = {
    {"L1",   MEMORY,      N_COLUMNS,   L1_AI  },
    {"L2",   L2_LOADED,   L2_STORED,   L2_AI  },
    {"L3",   L3_LOADED,   L3_STORED,   L3_AI  },
    {"DRAM", DRAM_LOADED, DRAM_STORED, DRAM_AI}
};

struct table {
    const struct rfl_import *in;
    char separator;
    bool has_header;
    size_t at[N_COLUMNS]; /* SIZE_MAX when absent */
    size_t n_columns;
    const char *why[N_COLUMNS];    /* of the row: a cell is no number; or NULL */
    const char *parent;            /* the last loop, stored; NULL none */
    bool is_counted, has_versions; /* that loop */
    size_t first, n_runs;          /* point of this report; reports before it in the file */
};

static void plain(const char *title, char text[48])
{
    size_t n = 0;
    for (; title[n] && n < 47; n++)
        text[n] = title[n] == '_' ? ' ' : (char)tolower((unsigned char)title[n]);
    text[n] = '\0';
}

/* Takes the current line as the header if it has the operations' column. */
static void advisor_take_header(const struct ert_lines *lines, struct table *table)
{
    for (size_t i = 0; i < N_COLUMNS; i++)
        table->at[i] = SIZE_MAX;
    for (size_t i = lines->n_cells; i-- > 0;) { /* the first of equal titles counts */
        char text[48];
        plain(lines->cells[i], text);
        for (size_t c = 0; c < N_COLUMNS; c++)
            if (strcmp(titles[c], text) == 0 ||
                (c == NAME && strcmp(text, "function/loop") == 0))
                table->at[c] = i;
    }
    table->n_columns = lines->n_cells;
    table->has_header = table->at[GFLOP] != SIZE_MAX;
}

/*
 * Reads a cell as a number: NaN when it is absent, empty, "<0.001s" (too short to be known), or no number.
 * Seconds end with an "s".
 */
static enum ert_status advisor_number(struct table *table, enum column column,
                                      double *value, struct ert_error *error)
{
    struct rfl_cell read;
    char *cell = ert_xstrdup(ert_lines_cell(table->in->lines, table->at[column]));
    size_t length = strlen(cell);
    bool is_time = column == ELAPSED || column == TIME;
    if (is_time && length && cell[length - 1] == 's')
        cell[length - 1] = '\0';
    enum ert_status status = rfl_cell_read(table->in, titles[column], cell, &read, error);
    *value = status == ERT_OK && !read.why && *cell ? read.value : NAN;
    table->why[column] = status == ERT_OK && *cell && *cell != '<' ? read.why : NULL;
    free(cell);
    return status;
}

static void advisor_put_work(const struct table *table, const double *values,
                             struct rfl_point *point)
{
    const char *named = ert_lines_cell(table->in->lines, table->at[TYPES]);
    bool is_double = strstr(named, "Float64") != NULL;
    bool is_single = strstr(named, "Float32") != NULL;
    if (!(values[GFLOP] > 0))
        return;
    if (is_double == is_single && point->n_work == 0)
        rfl_points_warn(
            point,
            "Advisor does not distinguish single and double precision here (Data Types: "
            "'%.40s'): all operations are counted as fp64",
            named);
    rfl_points_work(point, is_single && !is_double ? "fp32" : "fp64", "core",
                    1e9 * values[GFLOP], NAN, "Self GFLOP (Advisor); an FMA counts twice");
}

static void advisor_put_level(size_t i, const double *values, struct rfl_point *point)
{
    bool is_asked = levels[i].stored == N_COLUMNS; /* L1: bytes that the code requests */
    double loaded = values[levels[i].loaded], intensity = values[levels[i].intensity],
           bytes = loaded + (is_asked ? 0 : values[levels[i].stored]);
    if (bytes > 0)
        rfl_points_accesses(point, levels[i].level, 1e9 * bytes,
                            is_asked ? NAN : 1e9 * loaded, false,
                            is_asked ? "Self Memory GB (Advisor)"
                                     : "Self loaded + stored GB of the level (Advisor)");
    else if (intensity > 0 && values[GFLOP] > 0)
        rfl_points_traffic(point, levels[i].level, 1e9 * values[GFLOP] / intensity,
                           ert_strings_format(&point->set->strings,
                                              "Self GFLOP / Self %s AI (Advisor)",
                                              levels[i].level));
}

static void put_time(const struct table *table, const double *values,
                     struct rfl_point *point)
{
    bool is_elapsed = table->at[ELAPSED] != SIZE_MAX;
    double seconds = values[is_elapsed ? ELAPSED : TIME];
    const char *why = table->why[is_elapsed ? ELAPSED : TIME];
    if (!(seconds > 0)) {
        rfl_points_missing(point, "time", "%s: %s",
                           is_elapsed ? "Self Elapsed Time" : "Self Time",
                           why ? why : "empty or too short");
        return;
    }
    if (!is_elapsed && point->time_s == 0)
        rfl_points_warn(point, "Self Time adds up over threads; give the column Self "
                               "Elapsed Time (--show-all-columns)");
    point->time_s += seconds;
    point->time_recipe = is_elapsed ? "Self Elapsed Time (Advisor)"
                                    : "Self Time (Advisor), of all threads together";
}

/* The loop's name without what marks a version of the loop before it. */
static const char *advisor_plain_name(const char *name)
{
    static const char child[] = "[child]";
    for (const char *at = NULL; at != name;) {
        at = name;
        name += strspn(name, " -");
        name += strncmp(name, child, sizeof child - 1) == 0 ? sizeof child - 1 : 0;
    }
    return name;
}

/* Whether the row is of a version whose counts are in the row before; else it is the new loop. */
static bool is_version(struct table *table, bool is_counted)
{
    const char *cell = ert_lines_cell(table->in->lines, table->at[NAME]),
               *kind = ert_lines_cell(table->in->lines, table->at[KIND]);
    const char *name = rfl_points_text(table->in->points, advisor_plain_name(cell));
    bool is_one = strchr(kind, ';') == NULL && !strstr(kind, "Versions");
    bool is_child = advisor_plain_name(cell) != cell || (table->has_versions && is_one);
    if (is_child && name == table->parent)
        return table->is_counted;
    table->parent = name;
    table->is_counted = is_counted;
    table->has_versions = !is_one;
    return false;
}

static enum ert_status advisor_row(struct table *table, struct ert_error *error)
{
    const struct rfl_import_options *options = table->in->options;
    struct rfl_points *points = table->in->points;
    struct rfl_point *point = NULL;
    double values[N_COLUMNS];
    const char *name =
        advisor_plain_name(ert_lines_cell(table->in->lines, table->at[NAME]));
    ERT_TRY(advisor_number(table, GFLOP, &values[GFLOP], error));
    ERT_TRY(advisor_number(table, MEMORY, &values[MEMORY], error));
    bool is_counted =
        values[GFLOP] > 0 || values[MEMORY] > 0 || table->why[GFLOP] || table->why[MEMORY];
    /* Rows without counts are functions that the collection did not examine. */
    if (is_version(table, is_counted) || !is_counted ||
        (options->region && !strstr(name, options->region)))
        return ERT_OK;
    for (enum column c = ELAPSED; c < N_COLUMNS; c++)
        if (c != TIME || table->at[ELAPSED] == SIZE_MAX)
            ERT_TRY(advisor_number(table, c, &values[c], error));
    if (!options->list)
        point = rfl_points_named(points, table->first, name);
    if (!point)
        point = rfl_points_add(points, *name ? name : "loop");
    if (table->n_runs)
        point->run = ert_strings_format(&points->strings, "run %zu", table->n_runs + 1);
    put_time(table, values, point);
    advisor_put_work(table, values, point);
    if (table->why[GFLOP])
        rfl_points_missing(point, "operations", "Self GFLOP: %s", table->why[GFLOP]);
    if (table->why[MEMORY])
        rfl_points_missing(point, "L1 bytes", "Self Memory GB: %s", table->why[MEMORY]);
    for (size_t i = 0; i < ERT_LENGTH(levels); i++)
        advisor_put_level(i, values, point);
    return ERT_OK;
}

static enum ert_status advisor_read(const struct rfl_import *in, struct ert_error *error)
{
    struct ert_lines *lines = in->lines;
    struct table table = {.in = in, .first = in->first};
    while (ert_lines_next(lines)) {
        if (!table.has_header)
            table.separator = strchr(lines->line, '\t') ? '\t' : ',';
        ert_lines_split(lines, table.separator);
        char title[48];
        plain(ert_lines_cell(lines, table.has_header ? table.at[GFLOP] : 0), title);
        if (!table.has_header) {
            advisor_take_header(lines, &table);
        } else if (strcmp(title, titles[GFLOP]) == 0) { /* another report */
            advisor_take_header(lines, &table);
            table.first = in->points->n;
            table.n_runs++;
            table.parent = NULL;
        } else if (lines->n_cells == table.n_columns)
            ERT_TRY(advisor_row(&table, error));
        else if (lines->n_cells > 1)
            return ert_lines_fail(lines, error, "%zu cells, must be %zu as in the header",
                                  lines->n_cells, table.n_columns);
    }
    if (!table.has_header)
        return ert_fail(error, ERT_USAGE,
                        "%.200s: no column 'Self GFLOP': make the report with "
                        "--show-all-columns, after a collection with FLOP",
                        lines->file);
    in->points->origin = "Intel Advisor, survey";
    return ERT_OK;
}

static bool advisor_recognizes(const char *head)
{
    return strstr(head, "Self GFLOP") || strstr(head, "self_gflop") ||
           strstr(head, "Function Call Sites and Loops");
}

const struct rfl_importer rfl_import_advisor = {
    .name = "advisor",
    .is_table = true,
    .summary = "Intel Advisor: the survey report as CSV, after a roofline collection",
    .how = "advisor --report=survey --format=csv --show-all-columns --project-dir=DIR "
           "--report-output=FILE",
    .device = RFL_PROFILED_CPU,
    .recognizes = advisor_recognizes,
    .read = advisor_read,
};
