/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * levels: from the points of one kernel and path to the points that may set a level's ceiling.
 * A plateau gets a level's name by where it ends and what the topology says, never by counting.
 */
#ifndef ERT_CEILINGS_LEVELS_H
#define ERT_CEILINGS_LEVELS_H

#include "ert/ceilings/ceilings.h"
#include "ert/sweep/samples.h"
#include "ert/sweep/sets.h"

/* The points that may set a ceiling, and what is known of the plateau they stand on. */
struct ert_candidates {
    size_t n;
    const struct ert_point *points[ERT_MAX_SWEEP];
    bool has_plateau;
    double plateau_bytes[2];
    double capacity_measured_bytes; /* between its end and the next set; 0: not seen */
    char warning[160];              /* why the level is not proven fully, or "" */
};

bool ert_levels_is_measured(const struct ert_point *point);

/* What one sample says: ert_point_bandwidth (byte/s), _performance (flop/s), _latency (s per load). */
typedef double (*ert_rate)(const struct ert_point *point, const struct ert_sample *sample);

/* The estimate (stats/stats.h) of a measured point. */
double ert_levels_estimate(const struct ert_point *point, ert_rate rate);

/*
 * The candidates of (kernel, level). A cache level's plateau ends at most a quarter beyond its
 * total and lies at least half inside its range (ert_sets_level_range); among several the longest
 * is the level's, in the first level the fastest. A memory level's plateau reaches the largest
 * set, which must be above the caches, and only sets of 4 times the caches (or the largest) are
 * candidates. Without a plateau the points inside the level's range are taken, and `warning` says
 * so. A memory that first touch does not take has the points that are bound to its nodes. Returns
 * false with the reason in warning when there is no candidate.
 */
bool ert_levels_candidates(const struct ert_device *device,
                           const struct ert_device_samples *samples,
                           enum ert_kernel_id kernel, const struct ert_level *level,
                           struct ert_candidates *candidates);

/* The plateaus of (kernel, path) that no level took; returns how many were written. */
size_t ert_levels_unattributed(const struct ert_device *device,
                               const struct ert_device_samples *samples,
                               enum ert_kernel_id kernel, enum ert_path path,
                               struct ert_unattributed_plateau *unattributed, size_t max);

#endif
