/*
 * views: a placement as rows of numbers, one view a row of a table here: hierarchical, cache-aware,
 * time, instructions, energy. It formats nothing: place_table.h does.
 */
#ifndef RFL_VIEWS_H
#define RFL_VIEWS_H

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
    size_t (*rows)(const struct rfl_placement *placement, const struct rfl_roofs *roofs,
                   struct rfl_view_row *rows);
};

enum { RFL_N_VIEWS = 5 };
extern const struct rfl_view rfl_views[RFL_N_VIEWS];

/* A row of a unit, whose numbers are not known. */
struct rfl_view_row rfl_view_blank(const char *unit);

/* ERT_USAGE names those that there are. */
enum ert_status rfl_view_find(const char *name, const struct rfl_view **view,
                              struct ert_error *error);

#endif
