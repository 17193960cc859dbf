/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * VTune: `vtune -report hw-events -group-by=package -format csv` of 2018 and later, for bytes at the memory,
 * as NERSC's parse-vtune2018.sh reads it (bitbucket.org/dwdoerf/stream-ai-example): a header "Package,[Uncore
 * Event Count:]EVENT,..." and a row package_N per socket; all sockets are summed. UNC_M_CAS_COUNT.RD[UNITi]
 * is of one channel, UNC_M_CAS_COUNT.RD of all of them. Events: events.def.
 * -group-by=function: "Function,Hardware Event Count:EVENT,...,Module,Function (Full),..." and a row per
 * function, which is a point: its name in full, if it is there, tells overloads apart.
 */
#include "analysis/ext/import/tally.h"

#include "ert/core/base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* What separates cells, by -csv-delimiter; what stands before an event in its title. */
static const char separators[] = ",\t;", count_of[] = "Event Count:";

/* The separator of a line of titles, '\0': it is none; of further lines that follow it, the first counts. */
static char vtune_find_titles(const char *line, bool *is_function)
{
    *is_function = strncmp(line, "Function", 8) == 0 && strstr(line, count_of);
    const char *end = *is_function                       ? line + 8
                      : strncmp(line, "Package", 7) == 0 ? line + 7
                                                         : "";
    return *end && strchr(separators, *end) ? *end : '\0';
}

/* The event in "Uncore Event Count:UNC_M_CAS_COUNT.RD[UNIT0]". */
static const char *event_of(const char *title)
{
    const char *colon = strstr(title, count_of);
    return colon ? colon + sizeof count_of - 1 : title;
}

/* The event of each column; NULL: none. */
struct header {
    const char **events; /* malloc; texts owned by the points */
    size_t n;
    size_t module, full;          /* columns of a function's, or SIZE_MAX */
    bool is_function, has_counts; /* has_counts: of a known event, so far */
};

static enum ert_status vtune_take_header(const struct rfl_import *in, struct header *header,
                                         struct ert_error *error)
{
    const struct ert_lines *lines = in->lines;
    size_t n_known = 0;
    header->n = lines->n_cells;
    header->events = ert_xrealloc(header->events, header->n, sizeof *header->events);
    for (size_t i = 0; i < header->n; i++) {
        const char *event = event_of(lines->cells[i]);
        bool is_event = i > 0 && (!header->is_function || event != lines->cells[i]);
        header->events[i] = is_event ? rfl_points_text(in->points, event) : NULL;
        n_known += is_event && rfl_tally_knows(event);
    }
    header->module = ert_lines_column(lines, "Module");
    header->full = ert_lines_column(lines, "Function (Full)");
    if (!n_known)
        return ert_lines_fail(
            lines, error,
            "no known column among %zu; known columns: UNC_M_CAS_COUNT.RD, .WR, .ALL, "
            "UNC_M_CAS_COUNT_SCH0.RD ..., UNC_E_RPQ_INSERTS, UNC_E_WPQ_INSERTS, "
            "FP_ARITH_INST_RETIRED.*",
            header->n);
    return ERT_OK;
}

static enum ert_status vtune_csv_row(struct rfl_tally *tally, const struct header *header,
                                     struct ert_error *error)
{
    const struct ert_lines *lines = tally->in->lines;
    if (lines->n_cells != header->n)
        return ert_lines_fail(lines, error,
                              "%zu cells, must be %zu as in the header; names with commas "
                              "need -csv-delimiter tab",
                              lines->n_cells, header->n);
    for (size_t i = 1; i < header->n; i++) {
        struct rfl_count one = {
            .event = header->events[i], .unit = "", .where = lines->cells[0], .share = 1};
        if (!one.event)
            continue;
        ERT_TRY(rfl_cell_read(tally->in, one.event, lines->cells[i], &one.cell, error));
        rfl_tally_add(tally, &one);
    }
    return ERT_OK;
}

/* Makes a point of the counts of a function or, NULL, of a report; a further one is another run. */
static void vtune_put(struct rfl_tally *tally, struct header *header, const char *function,
                      const char *module)
{
    const struct rfl_import *in = tally->in;
    const size_t n_before = in->points->n - in->first;
    const char *name = function ? function : "whole program", *wanted = in->options->region;
    header->has_counts |= tally->n_known > 0;
    if (tally->n_known && (!wanted || strstr(name, wanted))) {
        struct rfl_point *point = rfl_points_add(in->points, name);
        if (function || n_before)
            point->run = function ? rfl_points_text(in->points, module)
                                  : ert_strings_format(&in->points->strings, "run %zu",
                                                       n_before + 1);
        rfl_tally_settle(tally);
        rfl_tally_put(tally, point);
        rfl_points_missing(
            point, "time",
            "the report of hardware events has no time: time the run itself");
    }
    rfl_tally_clear(tally);
}

static enum ert_status vtune_read_function(struct rfl_tally *tally, struct header *header,
                                           struct ert_error *error)
{
    const struct ert_lines *lines = tally->in->lines;
    const char *full = ert_lines_cell(lines, header->full);
    if (lines->n_cells < 2)
        return ERT_OK; /* vtune's own output */
    ERT_TRY(vtune_csv_row(tally, header, error));
    vtune_put(tally, header, *full && *full != '[' ? full : lines->cells[0],
              ert_lines_cell(lines, header->module));
    return ERT_OK;
}

static enum ert_status vtune_read_rows(struct rfl_tally *tally, struct header *header,
                                       struct ert_error *error)
{
    struct ert_lines *lines = tally->in->lines;
    char separator = '\0';
    for (char *line; (line = ert_lines_next(lines));) {
        bool is_function;
        const char found = vtune_find_titles(line, &is_function);
        if (found) {
            vtune_put(tally, header, NULL, NULL);
            header->is_function = is_function;
            separator = found;
        }
        if (!separator)
            continue;
        ert_lines_split(lines, separator);
        if (found)
            ERT_TRY(vtune_take_header(tally->in, header, error));
        else if (header->is_function)
            ERT_TRY(vtune_read_function(tally, header, error));
        else if (strncmp(lines->cells[0], "package", 7) == 0)
            ERT_TRY(vtune_csv_row(tally, header, error));
    }
    vtune_put(tally, header, NULL, NULL);
    return ERT_OK;
}

static enum ert_status vtune_read(const struct rfl_import *in, struct ert_error *error)
{
    struct header header = {.n = 0};
    struct rfl_tally tally = {
        .in = in, .tool = "VTune", .lost = "", .help = "use Intel SDE"};
    enum ert_status status = vtune_read_rows(&tally, &header, error);
    free(header.events);
    in->points->origin = header.is_function ? "VTune, hardware events by function"
                                            : "VTune, hardware events by package";
    if (header.is_function)
        rfl_kernels_end(in);
    if (status == ERT_OK && !header.has_counts)
        status = ert_fail(error, ERT_USAGE,
                          "%.200s: no count of a known event (UNC_M_CAS_COUNT.*, "
                          "UNC_E_*PQ_INSERTS, FP_ARITH_INST_RETIRED.*)",
                          in->lines->file);
    rfl_tally_clear(&tally);
    return status;
}

static bool vtune_recognizes(const char *head)
{
    bool is_function;
    while (*head && !vtune_find_titles(head, &is_function)) {
        head += strcspn(head, "\n");
        head += *head == '\n';
    }
    return *head;
}

const struct rfl_importer rfl_import_vtune = {
    .name = "vtune",
    .summary = "VTune: hardware events by package (bytes at DDR and MCDRAM), by function",
    .how = "vtune -report hw-events -group-by=package -format csv -csv-delimiter comma -r "
           "DIR > FILE; or -group-by=function ... -csv-delimiter tab",
    .device = RFL_PROFILED_CPU,
    .recognizes = vtune_recognizes,
    .read = vtune_read,
};
