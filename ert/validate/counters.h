/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counters: what hardware counters say of a region, held against what the tool counted. Pure; who
 * reads the counters (ncu.h, perf.h) fills the struct.
 */
#ifndef ERT_VALIDATE_COUNTERS_H
#define ERT_VALIDATE_COUNTERS_H

#include "ert/ceilings/ceilings.h"
#include "ert/validate/replay.h"

/* Sums of one region; NaN: not counted. */
struct ert_counters {
    double level_bytes;  /* that the ceiling's level was asked for */
    double deeper_bytes; /* that the next deeper level was asked for */
    double hit_rate;     /* of the level, 0 to 1 */
    double flops;        /* operations of the kernel's type */
};

/*
 * Fills the counters' part of a proof. Agrees: bytes and operations within 1 %, less than 2 % of
 * the bytes seen by the deeper level; of latencies and accesses, which ask for parts of a sector,
 * only hits are looked at, 97 % of them. "unavailable" when nothing could be compared.
 */
void ert_counters_judge(const struct ert_counters *counters,
                        const struct ert_region_totals *totals, enum ert_kernel_id kernel,
                        const char *profiler, struct ert_proof *proof);

/* Says in a proof why there are no counters. */
void ert_counters_missing(struct ert_proof *proof, const char *reason);

#endif
