/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * views: a placement as rows of numbers, a roof each: hierarchical, cache-aware, time, instructions, energy.
 */
#ifndef RFL_VIEWS_H
#define RFL_VIEWS_H

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
    double read_share;                 /* of the level's bytes; NaN unknown */
    const struct rfl_traffic *traffic; /* a level's; NULL: of no level, or of all */
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

#endif
