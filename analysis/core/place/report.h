/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report: writes points placed on a device as text, JSON, Markdown or CSV: as a table of kernels by their
 * share of the time, or each point as rows of numbers in one of the views (hierarchical, cache-aware, time,
 * instructions, energy). It reads no files.
 */
#ifndef RFL_REPORT_H
#define RFL_REPORT_H

#include "analysis/core/place/place.h"

/* A unit can have a second row, for its operand limit. */
enum { RFL_MAX_VIEW_ROWS = RFL_MAX_TRAFFIC + 2 * RFL_MAX_WORK + 2 };

/* One roof of a view. NaN: unknown, or not applicable in this row. */
struct rfl_view_row {
    char roof[64];    /* "L2 triad", "FP64 FMA 58 %", "issue" */
    const char *unit; /* of reached, value and measured: "byte/s", "flop/s", "s" ... */
    double intensity, reached, value;
    double
        measured; /* the roof as the sweep measured it, at its clock and with all warps */
    double fraction; /* reached / value */
    /* If the roof is a band: its least value, and the fraction of that; else NaN. */
    double value_low, fraction_high;
    double read_share; /* of the level's bytes; NaN unknown */
    bool is_actual;    /* bytes that moved, not the useful ones (points.h) */
    bool bounds;
};

struct rfl_view {
    const char *name, *summary;
    /* Headers of intensity, reached, value, measured, fraction; NULL: unused. */
    const char *headers[5];
    /* Writes at most RFL_MAX_VIEW_ROWS; returns how many. */
    size_t (*rows)(const struct rfl_placement *placement, struct rfl_view_row *rows);
};

enum { RFL_N_VIEWS = 5 };
extern const struct rfl_view rfl_views[RFL_N_VIEWS];

/* ERT_USAGE lists the views. */
enum ert_status rfl_view_find(const char *name, const struct rfl_view **view,
                              struct ert_error *error);

struct rfl_report {
    struct rfl_placer *placer; /* open; the report includes its warnings */
    const struct rfl_points *points;
    /* NULL: a table of the kernels by their share of the time; in JSON the first view. */
    const struct rfl_view *view;
    const char *format; /* "text", "json", "markdown" or "csv" */
    size_t top;      /* kernels in the table, all others in one row; 0: as many as matter */
    size_t columns;  /* of the terminal; 0: RFL_REPORT_COLUMNS */
    bool full_names; /* in the table; else short ones */
};

enum { RFL_REPORT_COLUMNS = 132, RFL_REPORT_LEAST_COLUMNS = 50 };

/*
 * Writes a struct rfl_report (as ert_file_make calls it), point by point, so that a profile of 100,000
 * launches needs no more memory than its points; only Markdown keeps its whole table. In every format missing
 * counts, warnings and rescaled roofs are noted with their point. ERT_USAGE lists the formats.
 */
enum ert_status rfl_report_write(const void *report, FILE *out, struct ert_error *error);

/*
 * As above, but one table with a row per point, for versions of a code: time, speed-up over the first and
 * over the previous point of its run, rate, share of FMA, intensities, and what bounds it. placer NULL:
 * without roofs. ERT_USAGE for JSON, which has all of this in the other views.
 */
enum ert_status rfl_report_summary(const void *report, FILE *out, struct ert_error *error);

#endif
