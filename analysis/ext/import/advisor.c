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
 * Single and double precision are not distinguished (Intel, "Frequently Asked Questions about the Intel
 * Advisor Roofline Analysis Feature"); the type is that of the column Data Types if it names one. A loop of
 * several versions (body, peeled, remainder) has a row with their sums and, behind it, one per version with
 * "[child]" or "-" before the same name. Not supported: Total columns, integer operations, GPU and offload
 * reports, the HTML of --report=roofline.
 */
#define RFL_ROWS "analysis/ext/import/advisor_rows.def"
#include "analysis/ext/import/rows.inc"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* Columns that are no metrics. */
enum column { NAME, TYPES, KIND, GFLOP, MEMORY, ELAPSED, TIME, N_COLUMNS };
static const char *const titles[N_COLUMNS] = {"function call sites and loops",
                                              "data types",
                                              "type",
                                              "self gflop",
                                              "self memory gb",
                                              "self elapsed time",
                                              "self time"};

struct table {
    const struct rfl_import *in;
    struct rfl_kernels kernels;
    char separator;
    bool has_header;
    size_t at[N_COLUMNS], n_columns; /* SIZE_MAX when absent */
    const char *parent;              /* the last loop, stored; NULL none */
    bool is_counted, has_versions;   /* that loop */
    const char *run;                 /* of this report; "" the first in the file */
};

static char *advisor_cell(const struct table *table, enum column column)
{
    static char none[] = "";
    const struct ert_lines *lines = table->in->lines;
    return table->at[column] < lines->n_cells ? lines->cells[table->at[column]] : none;
}

/* Takes the current line as the header if it has the operations' column. */
static void advisor_take_header(struct table *table)
{
    const struct ert_lines *lines = table->in->lines;
    for (size_t i = 0; i < lines->n_cells; i++)
        for (char *at = lines->cells[i]; *at; at++)
            *at = *at == '_' ? ' ' : (char)tolower((unsigned char)*at);
    for (size_t c = 0; c < N_COLUMNS; c++)
        table->at[c] = ert_lines_column(lines, titles[c]);
    if (table->at[NAME] == SIZE_MAX) /* of some releases */
        table->at[NAME] = ert_lines_column(lines, "function/loop");
    table->n_columns = lines->n_cells;
    table->has_header = table->at[GFLOP] != SIZE_MAX;
    if (table->at[ELAPSED] != SIZE_MAX)
        *advisor_cell(table, TIME) = '\0'; /* that of all threads is not needed */
    rfl_columns_take(&table->kernels);
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
static bool advisor_is_version(struct table *table, bool is_counted)
{
    const char *cell = advisor_cell(table, NAME), *kind = advisor_cell(table, KIND);
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

/* Whether a cell has a count, or something that is no number. */
static bool advisor_is_count(const char *cell)
{
    return *cell != '<' && cell[strspn(cell, "0.")] != '\0';
}

static enum ert_status advisor_row(struct table *table, struct ert_error *error)
{
    char too_short[] = "too short";
    struct rfl_metric_value *values = table->kernels.launch.values;
    const char *name = advisor_plain_name(advisor_cell(table, NAME)),
               *types = advisor_cell(table, TYPES);
    bool is_double = strstr(types, "Float64") != NULL,
         is_single = strstr(types, "Float32") != NULL,
         is_counted = advisor_is_count(advisor_cell(table, GFLOP)) ||
                      advisor_is_count(advisor_cell(table, MEMORY));
    /* Rows without counts are functions that the collection did not examine. */
    if (advisor_is_version(table, is_counted) || !is_counted)
        return ERT_OK;
    for (enum column c = ELAPSED; c <= TIME; c++) { /* "0.415s", "<0.001s" */
        char *cell = advisor_cell(table, c);
        size_t length = strlen(cell);
        if (length && cell[length - 1] == 's')
            cell[length - 1] = '\0';
        if (*cell == '<')
            table->in->lines->cells[table->at[c]] = too_short;
    }
    ERT_TRY(rfl_columns_read(&table->kernels, error));
    values[M_FP64] = values[M_FP32] = (struct rfl_metric_value){.as = values[M_GFLOP].as};
    if (is_double == is_single)
        values[M_FP64].as = NULL;
    values[is_double == is_single ? M_EITHER
           : is_single            ? M_FP32
                                  : M_FP64] = values[M_GFLOP];
    return rfl_launch_add(&table->kernels, *name ? name : "loop", table->run,
                          table->in->options->list, error);
}

static enum ert_status advisor_read_lines(struct table *table, struct ert_error *error)
{
    struct ert_lines *lines = table->in->lines;
    for (size_t n_reports = 0; ert_lines_next(lines);) {
        if (!table->has_header)
            table->separator = strchr(lines->line, '\t') ? '\t' : ',';
        ert_lines_split(lines, table->separator);
        const char *title = advisor_cell(table, GFLOP);
        bool is_header =
            strcasecmp(title, "Self GFLOP") == 0 || strcasecmp(title, "self_gflop") == 0;
        if (!table->has_header || is_header) {
            advisor_take_header(table);
            table->parent = NULL;
            if (table->has_header && n_reports++) /* another report */
                table->run =
                    ert_strings_format(&table->in->points->strings, "run %zu", n_reports);
        } else if (lines->n_cells == table->n_columns)
            ERT_TRY(advisor_row(table, error));
        else if (lines->n_cells > 1)
            return ert_lines_fail(lines, error, "%zu cells, must be %zu as in the header",
                                  lines->n_cells, table->n_columns);
    }
    if (!table->has_header)
        return ert_fail(error, ERT_USAGE,
                        "%.200s: no column 'Self GFLOP': make the report with "
                        "--show-all-columns, after a collection with FLOP",
                        lines->file);
    return ERT_OK;
}

static enum ert_status advisor_read(const struct rfl_import *in, struct ert_error *error)
{
    struct table table = {.in = in, .run = ""};
    rfl_kernels_begin(&table.kernels, in, &tables);
    enum ert_status status = advisor_read_lines(&table, error);
    rfl_kernels_put(&table.kernels);
    rfl_kernels_free(&table.kernels);
    in->points->origin = "Intel Advisor, survey";
    return status;
}

static bool advisor_recognizes(const char *head)
{
    return strstr(head, "Self GFLOP") || strstr(head, "self_gflop") ||
           strstr(head, "Function Call Sites and Loops");
}

const struct rfl_importer rfl_import_advisor = {
    .name = "advisor",
    .summary = "Intel Advisor: the survey report as CSV, after a roofline collection",
    .how = "advisor --report=survey --format=csv --show-all-columns --project-dir=DIR "
           "--report-output=FILE",
    .device = RFL_PROFILED_CPU,
    .recognizes = advisor_recognizes,
    .read = advisor_read,
};
