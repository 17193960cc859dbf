/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * VTune: `vtune -report hw-events -group-by=package -format csv` of 2018 and later, for bytes at the memory,
 * as NERSC's parse-vtune2018.sh reads it (bitbucket.org/dwdoerf/stream-ai-example): a header "Package,[Uncore
 * Event Count:]EVENT,..." and a row package_N per socket; all sockets are summed. UNC_M_CAS_COUNT.RD[UNITi]
 * is of one channel, UNC_M_CAS_COUNT.RD of all of them. Events: events.def.
 */
#include "analysis/ext/import/tally.h"

#include "ert/core/base/alloc.h"

#include <stdlib.h>
#include <string.h>

/* The first title of a table, and what separates its cells, by -csv-delimiter. */
static const char first_title[] = "Package", separators[] = ",\t;";

/* The event in "Uncore Event Count:UNC_M_CAS_COUNT.RD[UNIT0]". */
static const char *event_of(const char *title)
{
    const char *colon = strstr(title, "Event Count:");
    return colon ? colon + 12 : title;
}

/* The event of each column. */
struct header {
    const char **events; /* malloc; texts owned by the points */
    size_t n;
};

static enum ert_status vtune_take_header(const struct rfl_import *in, struct header *header,
                                         struct ert_error *error)
{
    const struct ert_lines *lines = in->lines;
    size_t n_known = 0;
    header->n = lines->n_cells;
    header->events = ert_xrealloc(header->events, header->n, sizeof *header->events);
    for (size_t i = 0; i < header->n; i++) {
        header->events[i] = rfl_points_text(in->points, event_of(lines->cells[i]));
        n_known += i > 0 && rfl_tally_knows(header->events[i]);
    }
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
        return ert_lines_fail(lines, error, "%zu cells, must be %zu as in the header",
                              lines->n_cells, header->n);
    for (size_t i = 1; i < header->n; i++) {
        struct rfl_count one = {
            .event = header->events[i], .unit = "", .where = lines->cells[0], .share = 1};
        ERT_TRY(rfl_cell_read(tally->in, one.event, lines->cells[i], &one.cell, error));
        rfl_tally_add(tally, &one);
    }
    return ERT_OK;
}

/* Makes a point of the counts of a report; of a further one in the same file it is another run. */
static void vtune_put(struct rfl_tally *tally)
{
    const struct rfl_import *in = tally->in;
    size_t n_before = in->points->n - in->first;
    if (!tally->n_known ||
        (in->options->region && !strstr("whole program", in->options->region)))
        return;
    struct rfl_point *point = rfl_points_add(in->points, "whole program");
    if (n_before)
        point->run = ert_strings_format(&in->points->strings, "run %zu", n_before + 1);
    rfl_tally_settle(tally);
    rfl_tally_put(tally, point);
    rfl_points_missing(point, "time",
                       "the report of hardware events has no time: time the run itself");
    rfl_tally_clear(tally);
}

static enum ert_status vtune_read_rows(struct rfl_tally *tally, struct header *header,
                                       struct ert_error *error)
{
    struct ert_lines *lines = tally->in->lines;
    char separator = '\0';
    for (char *line; (line = ert_lines_next(lines));) {
        bool is_header = strncmp(line, first_title, sizeof first_title - 1) == 0 &&
                         strchr(separators, line[sizeof first_title - 1]);
        if (is_header) {
            vtune_put(tally);
            separator = line[sizeof first_title - 1];
        }
        if (!separator)
            continue;
        ert_lines_split(lines, separator);
        if (is_header)
            ERT_TRY(vtune_take_header(tally->in, header, error));
        else if (strncmp(lines->cells[0], "package", 7) == 0)
            ERT_TRY(vtune_csv_row(tally, header, error));
    }
    return ERT_OK;
}

static enum ert_status vtune_read(const struct rfl_import *in, struct ert_error *error)
{
    struct header header = {.n = 0};
    struct rfl_tally tally = {
        .in = in, .tool = "VTune", .lost = "", .help = "use Intel SDE"};
    enum ert_status status = vtune_read_rows(&tally, &header, error);
    free(header.events);
    in->points->origin = "VTune, hardware events by package";
    if (status == ERT_OK && !tally.n_known && in->points->n == in->first)
        status = ert_fail(error, ERT_USAGE,
                          "%.200s: no count of a known event (UNC_M_CAS_COUNT.*, "
                          "UNC_E_*PQ_INSERTS, FP_ARITH_INST_RETIRED.*)",
                          in->lines->file);
    else if (status == ERT_OK)
        vtune_put(&tally);
    rfl_tally_clear(&tally);
    return status;
}

static bool vtune_recognizes(const char *head)
{
    for (const char *at = head; (at = strstr(at, first_title)); at++)
        if ((at == head || at[-1] == '\n') && at[sizeof first_title - 1] &&
            strchr(separators, at[sizeof first_title - 1]))
            return true;
    return false;
}

const struct rfl_importer rfl_import_vtune = {
    .name = "vtune",
    .summary = "VTune: hardware events by package (bytes at DDR and MCDRAM)",
    .how = "vtune -report hw-events -group-by=package -format csv -csv-delimiter comma -r "
           "DIR > FILE",
    .device = RFL_PROFILED_CPU,
    .recognizes = vtune_recognizes,
    .read = vtune_read,
};
