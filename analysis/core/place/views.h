/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * views: a placement as rows of numbers, a roof each. The core has the hierarchical view; an extension that
 * has more defines rfl_views.
 */
#ifndef RFL_VIEWS_H
#define RFL_VIEWS_H

#include "analysis/core/place/place.h"

#include <math.h>

/* A unit can have a second row, for its operand limit. */
enum { RFL_MAX_VIEW_ROWS = RFL_MAX_TRAFFIC + 2 * RFL_MAX_WORK + 2 };

/* One roof of a view. NaN: unknown, or not applicable in this row. */
struct rfl_view_row {
    char roof[64];    /* "L2 triad", "FP64 FMA 58 %", "issue" */
    const char *unit; /* of reached, value and measured: "byte/s", "flop/s", "s" ... */
    double intensity, reached, value;
    double measured; /* the roof as measured, at the sweep's clock and with all warps */
    double fraction; /* reached / value */
    /* If the roof is a band: its least value, and the fraction of that; else NaN. */
    double value_low, fraction_high;
    double read_share;                 /* of the level's bytes; NaN unknown */
    const struct rfl_traffic *traffic; /* a level's; NULL: of no level, or of all */
    bool is_of_all; /* the intensity is of all bytes that cores asked for */
    bool bounds;
};

struct rfl_view {
    const char *name, *summary;
    /* Headers of intensity, reached, value, measured, fraction; NULL: unused. */
    const char *headers[5];
    /* Writes at most RFL_MAX_VIEW_ROWS; returns how many. */
    size_t (*rows)(const struct rfl_placement *placement, struct rfl_view_row *rows);
    /* Of its chart, whose points are at the intensity and at what is reached of the rows; all NULL: none. */
    struct {
        const char *title, *x, *y;              /* "Roofline", the axes' quantities */
        const char *x_unit, *y_unit, *per_unit; /* the last one of diagonals: "B/s" */
        const char *at; /* where all points are; NULL: at the levels of their rows */
        void (*change)(struct rfl_roofs *roofs); /* to its units; NULL: as they are */
        /* Of the points; NULL: the view's. */
        size_t (*rows)(const struct rfl_placement *placement, struct rfl_view_row *rows);
    } chart;
};

/* The hierarchical one is the first. */
extern const struct rfl_view rfl_views[];
extern const size_t rfl_n_views;

/* Levels, units and issue; for a unit near it also the limit of the register file. */
size_t rfl_view_hierarchical(const struct rfl_placement *placement,
                             struct rfl_view_row *rows);
#define RFL_HIERARCHICAL                                                                   \
    {                                                                                      \
        .name = "hierarchical", .summary = "each level with its own bytes",                \
        .headers = {"flop/byte", "reached", "roof", "as measured", "of roof"},             \
        .rows = rfl_view_hierarchical, .chart = {                                          \
            RFL_ROOFLINE                                                                   \
        }                                                                                  \
    }
#define RFL_ROOFLINE                                                                       \
    "Roofline", "Arithmetic intensity", "Performance", "FLOP/byte", "FLOP/s", "B/s", NULL, \
        NULL, NULL

/* ERT_USAGE lists the views. */
enum ert_status rfl_view_find(const char *name, const struct rfl_view **view,
                              struct ert_error *error);

/* For views: 0 and below are unknown. */
static inline double rfl_view_known(double value)
{
    return value > 0 ? value : NAN;
}

/* Above this ratio the two ends of a band print alike. */
#define RFL_ONE_VALUE 0.9995

/* A row of numbers, each as rfl_view_known. */
struct rfl_view_row rfl_view_row_of(const char *name, const char *unit, double intensity,
                                    double reached, double value, double measured,
                                    double fraction);

/* Names the level as its roof is ("HBM load" for a counter's DRAM), with what is known of its accesses. */
void rfl_view_name_level(const struct rfl_placed *placed, struct rfl_view_row *row);

/* A row for a roof; factor: of the row's units per unit of the roof. */
struct rfl_view_row rfl_view_placed_row(const struct rfl_placed *placed, const char *unit,
                                        double intensity, double reached, double factor);

/* The rows of some of a placement's roofs; returns how many. */
size_t rfl_view_placed_rows(const struct rfl_placement *placement, size_t first, size_t end,
                            struct rfl_view_row *rows);

#endif
