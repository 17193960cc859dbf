/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * clock: ceilings that follow their device's clock, in two runs that are compared. Such a rate is judged per
 * cycle, and the clock itself once for all of them: a device that holds another clock has not as many
 * other rates as it has ceilings, and a clock that wanders from run to run hides no slower unit. Pure.
 */
#ifndef ERT_CEILINGS_CLOCK_H
#define ERT_CEILINGS_CLOCK_H

#include "ert/ceilings/ceilings.h"
#include "ert/stats/differ.h"

/* A run of a ceiling: its rounds in the order of time and their clocks, both the caller's. */
struct ert_clock_side {
    const double *rounds, *clocks_hz; /* clocks NULL, or the first 0: unknown */
    size_t n;
    uint32_t n_runs; /* as those of struct ert_differ_side */
    double
        between; /* the same; where some follow, by drift, it becomes that without the clock's */
};

/* A ceiling of one device then and now. */
struct ert_clock_pair {
    struct ert_clock_side sides[2];
    enum ert_better better;
    char group[16];  /* what drifts together: a level's name, or "" for compute */
    bool may_follow; /* by ert_clock_may_follow */
    bool follows;    /* what ert_clock_judge found */
};

/* The clock of the ceilings that follow it. Sides for ert_differ, Hz; all 0 where none does. */
struct ert_clock_change {
    size_t n;
    struct ert_differ_side sides[2];
};

/*
 * Whether the device's clock drives what a ceiling is of: all compute ("" as level), a GPU's L1 and shared
 * memory, a CPU's caches before the last. L2 of GPUs, last caches and memories have clocks of their own.
 */
bool ert_clock_may_follow(const struct ert_device *device, const char *level);

/* What a device's clock is called in a row of its own: "SM clock", "core clock". */
const char *ert_clock_name(const struct ert_device *device);

/*
 * Rates by their clocks, or times multiplied by them: the same at any clock, if they follow. per_cycle[n] may
 * be rounds.
 */
void ert_clock_per_cycle(const double *rounds, const double *clocks_hz, size_t n,
                         enum ert_better better, double *per_cycle);

/* Finds out which of n pairs, all of one device, follow the clock; returns how that changed. */
struct ert_clock_change ert_clock_judge(struct ert_clock_pair *pairs, size_t n,
                                        double margin);

/* How the clock of the pairs that follow it changed, of those with rounds and clocks on both sides. */
struct ert_clock_change ert_clock_change_of(const struct ert_clock_pair *pairs, size_t n);

#endif
