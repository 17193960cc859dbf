/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * levels: selects, among the points of one kernel and path, those that may set a level's ceiling. A plateau
 * is attributed to a level by where it ends and by the topology, never by counting plateaus.
 */
#ifndef ERT_CEILINGS_LEVELS_H
#define ERT_CEILINGS_LEVELS_H

#include "ert/core/ceilings/ceilings.h"
#include "ert/core/sweep/samples.h"
#include "ert/core/sweep/sets.h"

/* The points that may set a ceiling, and what is known about their plateau. */
struct ert_candidates {
    size_t n;
    const struct ert_point *points[ERT_MAX_SWEEP];
    bool has_plateau;
    double capacity_measured_bytes; /* between its end and the next set; 0: not seen */
    char warning[160];              /* why the points may not show the level alone, or "" */
};

bool ert_levels_is_measured(const struct ert_point *point);

/* One sample's rate: ert_point_bandwidth (byte/s), _performance (flop/s) or _latency (s per load). */
typedef double (*ert_rate)(const struct ert_point *point, const struct ert_sample *sample);

/* The estimate (stats/stats.h) of a measured point's rate. */
double ert_levels_estimate(const struct ert_point *point, ert_rate rate);

/*
 * Finds the candidates of (kernel, level). A cache level's plateau ends at most a quarter beyond its total
 * and lies at least half inside its range (ert_sets_level_range); of several the longest is the level's, for
 * the first level the fastest. A memory level's plateau reaches the largest set, which must be above the
 * caches, and only sets of nearly 4 times the caches (or the largest set) are candidates. Without a plateau
 * the points inside the level's range are candidates, and `warning` says so. For a memory that first touch
 * does not allocate from, the points bound to its nodes are. Returns false with the reason in `warning` when
 * there is no candidate.
 */
bool ert_levels_candidates(const struct ert_device *device,
                           const struct ert_device_samples *samples,
                           enum ert_kernel_id kernel, const struct ert_level *level,
                           struct ert_candidates *candidates);

/* Of one curve. */
enum { ERT_MAX_PLATEAUS = 32 };

/* Writes the plateaus of (kernel, path) that belong to no level; returns how many it wrote. */
size_t ert_levels_unattributed(const struct ert_device *device,
                               const struct ert_device_samples *samples,
                               enum ert_kernel_id kernel, enum ert_path path,
                               struct ert_unattributed_plateau found[ERT_MAX_PLATEAUS]);

#endif
