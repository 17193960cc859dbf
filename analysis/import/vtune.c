/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * VTune: `vtune -report hw-events`, for bytes at the memory. It has two layouts, as read by NERSC's scripts
 * (parse-vtune.sh of 2017, parse-vtune2018.sh; bitbucket.org/dwdoerf/stream-ai-example):
 *
 * - 2018 and later, -group-by=package -format csv: a header "Package,[Uncore Event Count:]EVENT,..."
 *   and a row package_N per socket; all sockets are summed;
 * - 2017, text: a row "EVENT  count" per event.
 *
 * UNC_M_CAS_COUNT.RD[UNITi] and .WR[UNITi]: 64 bytes of DDR each. KNL: UNC_E_RPQ_INSERTS and
 * UNC_E_WPQ_INSERTS: 64 bytes of MCDRAM each (in cache mode also those that fill it). Operations:
 * FP_ARITH_INST_RETIRED, if it was counted. Other events are ignored.
 */
#include "analysis/import/common.h"
#include "analysis/import/import.h"

#include "ert/base/alloc.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum kind { READ, WRITE, ALL, MC_READ, MC_WRITE, INSTRUCTIONS, N_KINDS };

static const struct {
    const char *event;
    enum kind kind;
} events[] = {
    {"UNC_M_CAS_COUNT.RD",  READ        },
    {"UNC_M_CAS_COUNT.WR",  WRITE       },
    {"UNC_M_CAS_COUNT.ALL", ALL         },
    {"UNC_E_RPQ_INSERTS",   MC_READ     },
    {"UNC_E_WPQ_INSERTS",   MC_WRITE    },
    {"INST_RETIRED.ANY",    INSTRUCTIONS}
};

struct counts {
    double sum[N_KINDS];
    size_t n[N_KINDS], n_known;
    struct rfl_fp_arith fp_arith;
};

/* The event in "Uncore Event Count:UNC_M_CAS_COUNT.RD[UNIT0]". */
static const char *event_of(const char *title)
{
    const char *colon = strstr(title, "Event Count:");
    return colon ? colon + 12 : title;
}

/* The kind of an event or of one of its units; N_KINDS for others. */
static enum kind kind_of(const char *event)
{
    size_t length = strcspn(event, "[");
    for (size_t i = 0; i < ERT_LENGTH(events); i++)
        if (strlen(events[i].event) == length &&
            strncmp(event, events[i].event, length) == 0)
            return events[i].kind;
    return N_KINDS;
}

static bool is_known(const char *event)
{
    return kind_of(event) != N_KINDS || rfl_fp_arith_type(event) >= 0;
}

static enum ert_status count(struct counts *counts, const struct ert_lines *lines,
                             const char *event, const char *text, struct ert_error *error)
{
    double value;
    enum ert_number what;
    enum kind kind = kind_of(event);
    if (!is_known(event))
        return ERT_OK;
    ERT_TRY(ert_lines_number(lines, event, text, &value, &what, error));
    if (what != ERT_NUMBER)
        return ERT_OK;
    counts->n_known++;
    if (!rfl_fp_arith_add(&counts->fp_arith, event, value)) {
        counts->sum[kind] += value;
        counts->n[kind]++;
    }
    return ERT_OK;
}

/* The event of each column. */
struct header {
    const char **events; /* malloc; texts owned by the points */
    size_t n;
};

static enum ert_status take_header(const struct rfl_import *in, struct header *header,
                                   struct ert_error *error)
{
    const struct ert_lines *lines = in->lines;
    size_t n_known = 0;
    header->n = lines->n_cells;
    header->events = ert_xrealloc(header->events, header->n, sizeof *header->events);
    for (size_t i = 0; i < header->n; i++) {
        header->events[i] = rfl_points_text(in->points, event_of(lines->cells[i]));
        n_known += i > 0 && is_known(header->events[i]);
    }
    if (!n_known)
        return ert_lines_fail(
            lines, error,
            "no known column among %zu; known columns: UNC_M_CAS_COUNT.RD, .WR, .ALL, "
            "UNC_E_RPQ_INSERTS, UNC_E_WPQ_INSERTS, FP_ARITH_INST_RETIRED.*",
            header->n);
    return ERT_OK;
}

static enum ert_status csv_row(const struct ert_lines *lines, const struct header *header,
                               struct counts *counts, struct ert_error *error)
{
    if (lines->n_cells != header->n)
        return ert_lines_fail(lines, error, "%zu cells, must be %zu as in the header",
                              lines->n_cells, header->n);
    for (size_t i = 1; i < header->n; i++)
        ERT_TRY(count(counts, lines, header->events[i], lines->cells[i], error));
    return ERT_OK;
}

/* "UNC_M_CAS_COUNT.RD[UNIT2]   127252047" */
static enum ert_status text_row(struct ert_lines *lines, char *line, struct counts *counts,
                                struct ert_error *error)
{
    const char *event = ert_lines_word(&line), *value = ert_lines_word(&line);
    return *value ? count(counts, lines, event_of(event), value, error) : ERT_OK;
}

static enum ert_status read_rows(const struct rfl_import *in, struct header *header,
                                 struct counts *counts, struct ert_error *error)
{
    struct ert_lines *lines = in->lines;
    char separator = '\0'; /* '\0': rows of words */
    for (char *line; (line = ert_lines_next(lines));) {
        bool is_header = strncmp(line + (*line == '"'), "Package", 7) == 0 &&
                         !isalnum((unsigned char)line[7 + (*line == '"')]);
        if (is_header) {
            const char *found = ",\t;";
            while (*found && !strchr(line, *found))
                found++;
            separator = *found;
        }
        if (!separator) {
            ERT_TRY(text_row(lines, line, counts, error));
            continue;
        }
        ert_lines_split(lines, separator);
        if (is_header)
            ERT_TRY(take_header(in, header, error));
        else if (strncmp(lines->cells[0], "package", 7) == 0)
            ERT_TRY(csv_row(lines, header, counts, error));
    }
    return ERT_OK;
}

static void put_level(const struct counts *counts, const char *level, enum kind read,
                      enum kind write, const char *recipe, struct rfl_point *point)
{
    char what[24];
    snprintf(what, sizeof what, "%s bytes", level);
    if (counts->n[read] && counts->n[write])
        rfl_points_accesses(point, level, 64 * (counts->sum[read] + counts->sum[write]),
                            64 * counts->sum[read], true, recipe);
    else if (counts->n[read] || counts->n[write])
        rfl_points_missing(point, what, "only %s were counted",
                           counts->n[read] ? "reads" : "writes");
}

static void put(const struct counts *counts, struct rfl_points *points)
{
    struct rfl_point *point = rfl_points_add(points, "whole program");
    rfl_fp_arith_put(&counts->fp_arith, "VTune", point);
    if (point->n_work == 0)
        rfl_points_missing(point, "operations",
                           "these VTune events count none: use Intel SDE");
    if (counts->n[ALL] && !counts->n[READ])
        rfl_points_accesses(point, "DRAM", 64 * counts->sum[ALL], NAN, true,
                            "UNC_M_CAS_COUNT.ALL x 64 B, all sockets (VTune)");
    put_level(counts, "DRAM", READ, WRITE,
              "(UNC_M_CAS_COUNT.RD + .WR) x 64 B, all sockets (VTune)", point);
    put_level(counts, "MCDRAM", MC_READ, MC_WRITE,
              "(UNC_E_RPQ_INSERTS + UNC_E_WPQ_INSERTS) x 64 B (VTune)", point);
    point->instructions = counts->sum[INSTRUCTIONS];
    rfl_points_missing(point, "time",
                       "the report of hardware events has no time: time the run itself");
}

static enum ert_status vtune_read(const struct rfl_import *in, struct ert_error *error)
{
    struct header header = {.n = 0};
    struct counts counts = {.n_known = 0};
    enum ert_status status = read_rows(in, &header, &counts, error);
    free(header.events);
    ERT_TRY(status);
    in->points->origin = "VTune, hardware events by package";
    if (in->options->region && !strstr("whole program", in->options->region))
        return ERT_OK;
    if (!counts.n_known)
        return ert_fail(error, ERT_USAGE,
                        "%.200s: no count of a known event (UNC_M_CAS_COUNT.*, "
                        "UNC_E_*PQ_INSERTS, FP_ARITH_INST_RETIRED.*)",
                        in->lines->file);
    put(&counts, in->points);
    return ERT_OK;
}

static bool recognizes(const char *head)
{
    const char *package =
        strncmp(head, "Package", 7) == 0 ? head : strstr(head, "\nPackage");
    if ((package && strchr(",;\t", package[7 + (*package == '\n')])) ||
        strstr(head, "\"Package\",\""))
        return true;
    const char *event = strstr(head, "UNC_M_CAS_COUNT.RD[UNIT");
    event = event ? event : strstr(head, "UNC_E_RPQ_INSERTS[UNIT");
    return event && (event == head || isspace((unsigned char)event[-1]));
}

const struct rfl_importer rfl_import_vtune = {
    .name = "vtune",
    .is_table = true,
    .summary = "VTune: hardware events by package (bytes at DDR and MCDRAM)",
    .how = "vtune -report hw-events -group-by=package -format csv -csv-delimiter comma -r "
           "DIR > FILE",
    .device = RFL_IMPORT_CPU,
    .recognizes = recognizes,
    .read = vtune_read,
};
