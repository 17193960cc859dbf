/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counters: compares what hardware counters counted in a region with what the tool counted. Pure; the
 * reader of the counters (ncu.h) fills the struct.
 */
#ifndef ERT_VALIDATE_COUNTERS_H
#define ERT_VALIDATE_COUNTERS_H

#include "ert/core/ceilings/ceilings.h"
#include "ert/ext/validate/replay.h"

/* Sums of one region; NaN: not counted. */
struct ert_counters {
    double level_bytes;  /* requested from the ceiling's level */
    double deeper_bytes; /* requested from the next deeper level */
    double hit_rate;     /* of the ceiling's level, 0 to 1 */
    double flops;        /* operations of the kernel's type */
};

/*
 * Fills the counters' part of a proof. "agrees" needs bytes and operations within 1 %, and less than 2 % of
 * the bytes at the deeper level. "unavailable" when nothing could be compared, and for latencies.
 */
void ert_counters_judge(const struct ert_counters *counters,
                        const struct ert_region_totals *totals, enum ert_kernel_id kernel,
                        const char *profiler, struct ert_proof *proof);

/* Notes in a proof why there are no counters. */
void ert_counters_missing(struct ert_proof *proof, const char *reason);

#endif
