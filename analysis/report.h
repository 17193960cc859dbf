/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * report: points placed on a device: as a table of kernels by their share of the time, or each as rows of
 * numbers, one view a row of a table here (hierarchical, cache-aware, time, instructions, energy); written
 * as text, JSON, Markdown or CSV. It reads no files.
 */
#ifndef RFL_REPORT_H
#define RFL_REPORT_H

#include "analysis/place.h"

/* A unit can have a second row, for its operands. */
enum { RFL_MAX_VIEW_ROWS = RFL_MAX_TRAFFIC + 2 * RFL_MAX_WORK + 2 };

/* One roof of a view. NaN: not known, or without meaning in this row. */
struct rfl_view_row {
    char roof[64];    /* "L2 triad", "FP64 FMA 58 %", "issue" */
    const char *unit; /* of reached, value and measured: "byte/s", "flop/s", "s" ... */
    double intensity, reached, value;
    double measured; /* the roof as the sweep measured it, at its clock and all warps */
    double fraction; /* of the roof */
    /* A roof that is a band: its least value, and the share of that; else NaN. */
    double value_low, fraction_high;
    double read_share; /* of the level's bytes; NaN unknown */
    bool is_actual;    /* of the bytes that moved, not the useful ones (points.h) */
    bool bounds;
};

struct rfl_view {
    const char *name, *summary;
    /* What the numbers are called: intensity, reached, value, measured, fraction; NULL: unused. */
    const char *headers[5];
    /* Writes at most RFL_MAX_VIEW_ROWS; returns how many. */
    size_t (*rows)(const struct rfl_placement *placement, struct rfl_view_row *rows);
};

enum { RFL_N_VIEWS = 5 };
extern const struct rfl_view rfl_views[RFL_N_VIEWS];

/* ERT_USAGE names those that there are. */
enum ert_status rfl_view_find(const char *name, const struct rfl_view **view,
                              struct ert_error *error);

struct rfl_report {
    struct rfl_placer *placer; /* open; its warnings stand in the report */
    const struct rfl_points *points;
    /* NULL: a table of the kernels by their share of the time; as JSON the first view. */
    const struct rfl_view *view;
    const char *format; /* "text", "json", "markdown" or "csv" */
    size_t top;      /* kernels in the table, the rest is one row; 0: as many as matter */
    size_t columns;  /* of the terminal; 0: RFL_REPORT_COLUMNS */
    bool full_names; /* in the table; else short ones */
};

enum { RFL_REPORT_COLUMNS = 132, RFL_REPORT_LEAST_COLUMNS = 50 };

/*
 * Writes a struct rfl_report (ert_file_make). A point at a time, so that a profile of 100,000 launches
 * needs no more memory than its points; only Markdown holds its whole table. What is missing, warned of
 * or rescaled stands with its point in each format. ERT_USAGE names the formats that there are.
 */
enum ert_status rfl_report_write(const void *report, FILE *out, struct ert_error *error);

/*
 * As above, one table with a row for each point, for versions of a code: time, speed-up against the first
 * point of its run and against the one before it, rate, share of FMA, intensities, and what bounds it.
 * placer NULL: without roofs. Not as JSON (ERT_USAGE), which has all of it in the other views.
 */
enum ert_status rfl_report_summary(const void *report, FILE *out, struct ert_error *error);

#endif
