/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * scaling: how a kernel behaves from few threads (nodes, warps) to many: speed-up, parallel efficiency, and
 * changes of its intensities. Pure.
 *
 * Ibrahim, Williams and Oliker, "Performance Analysis of GPU Programming Models Using the Roofline Scaling
 * Trajectories", 2019: the points of a scaling study form a path under the roofs. The ideal is straight up;
 * if it bends to the left, the code moves more bytes per operation at that level.
 */
#ifndef RFL_SCALING_H
#define RFL_SCALING_H

#include "analysis/core/points/points.h"
#include "analysis/core/points/strings.h"

/* A kernel at one scale. Unknown numbers are 0. */
struct rfl_scaled {
    const struct rfl_point *point; /* borrowed */
    const char *name; /* with the run in brackets, if a name has a scale several times */
    double scale;     /* threads, nodes ...; above 0 */
    double time_s, perf_flop_per_s;
    double speedup;    /* over the least scale; weak scaling: of work per time */
    double efficiency; /* speedup / (scale / least scale); above 1 is kept */
    double intensity_flop_per_byte[RFL_MAX_TRAFFIC]; /* at rfl_scaling.levels */
    /* Bytes per operation relative to the least scale; without operations (strong scaling) bytes. */
    double growth[RFL_MAX_TRAFFIC];
};

struct rfl_trajectory {
    const struct rfl_point *earliest; /* of its points, in the order of the files */
    const char *name;
    size_t first, n;  /* in rfl_scaling.scaled, the least scale first */
    const char *text; /* one plain sentence */
};

struct rfl_scaling {
    size_t n_levels, n_trajectories, n_scaled, n_skipped;
    char levels[RFL_MAX_TRAFFIC][16];    /* of all points, in the order found */
    struct rfl_trajectory *trajectories; /* malloc, owned; in the order of the points */
    struct rfl_scaled *scaled;           /* malloc, owned */
    struct ert_strings strings;
};

/*
 * Fills *result, which the points must outlive. A point's scale is its `scale`, else its threads; points
 * without either are skipped and counted. weak: the work grows with the scale, so that a constant time is
 * ideal. ERT_USAGE when no point has a scale, or a kernel and run have one twice; ERT_FAILED.
 */
enum ert_status rfl_scaling_make(const struct rfl_points *points, bool weak,
                                 struct rfl_scaling *result, struct ert_error *error);

/* Frees all; accepts an all-zero struct. */
void rfl_scaling_free(struct rfl_scaling *scaling);

#endif
