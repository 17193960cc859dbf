/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * clock: in a comparison of two runs, finds the ceilings whose rates follow the device's clock. Such rates
 * are compared per cycle, and the clock itself once for all of them: so another clock counts as one change,
 * not as one per ceiling, and a clock that varies from run to run does not hide a slower unit. Pure.
 */
#ifndef ERT_CEILINGS_CLOCK_H
#define ERT_CEILINGS_CLOCK_H

#include "ert/core/ceilings/ceilings.h"
#include "ert/core/stats/differ.h"

/* One run of a ceiling: its rounds in the order of measurement and their clocks; the caller owns both. */
struct ert_clock_side {
    const double *rounds, *clocks_hz; /* clocks NULL, or the first 0: unknown */
    size_t n;
    uint32_t n_runs; /* as in struct ert_differ_side */
    double between;  /* the same; if any pairs follow, judging removes the clock's part */
};

/* A ceiling of one device, then and now. */
struct ert_clock_pair {
    struct ert_clock_side sides[2];
    enum ert_better better;
    char group[16];  /* ceilings that drift together: a level's name, or "" for compute */
    bool may_follow; /* set by the caller (ert_clock_may_follow) */
    bool follows;    /* set by ert_clock_judge */
};

/* The clock in Hz of the n ceilings that follow it, as sides for ert_differ; all 0 if none does. */
struct ert_clock_change {
    size_t n;
    struct ert_differ_side sides[2];
};

/*
 * Whether the device's clock drives a ceiling: compute (level ""), a GPU's L1 and shared memory, and a CPU's
 * caches before the last one do follow it. A GPU's L2, last-level caches and memories have other clocks.
 */
bool ert_clock_may_follow(const struct ert_device *device, const char *level);

/* The name of a device's clock: "SM clock", "core clock". */
const char *ert_clock_name(const struct ert_device *device);

/*
 * Divides rates by their clocks, or multiplies times by them: if they follow the clock, the results are the
 * same at any clock. per_cycle[n] may be the same array as rounds.
 */
void ert_clock_per_cycle(const double *rounds, const double *clocks_hz, size_t n,
                         enum ert_better better, double *per_cycle);

/* Finds which of n pairs of one device follow the clock, and sets their `between`; returns its change. */
struct ert_clock_change ert_clock_judge(struct ert_clock_pair *pairs, size_t n,
                                        double margin);

/* How the clock changed, from the pairs that follow it and have rounds and clocks on both sides. */
struct ert_clock_change ert_clock_change_of(const struct ert_clock_pair *pairs, size_t n);

#endif
