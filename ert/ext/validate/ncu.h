/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ncu: counts every ceiling of a GPU in one run of `ert bench` under NVIDIA's Nsight Compute, reads its
 * table, and compares what was counted in a region with what the tool counted. ncu/ncu.h finds and calls ncu;
 * ncu/ncu_metrics.def lists its metrics.
 */
#ifndef ERT_VALIDATE_NCU_H
#define ERT_VALIDATE_NCU_H

#include "ert/ext/ncu/ncu.h"
#include "ert/ext/validate/replay.h"

/*
 * Runs all replays of a device of the ceilings file `file` once under ncu and fills the counters' part of
 * their proofs: "unavailable" with the reason for those that cannot be counted.
 */
void ert_ncu_prove(const struct ert_device *device, const char *file,
                   struct ert_replay *replays, size_t n);

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
                        struct ert_proof *proof);

/* Notes in a proof why there are no counters. */
void ert_counters_missing(struct ert_proof *proof, const char *reason);

/* ncu's table with one column per metric (`--csv --page raw`). */
struct ert_ncu_launches {
    size_t n, n_metrics;
    char (*names)[96]; /* of the kernels, without template arguments; malloc, owned */
    double *values;    /* [launch * n_metrics + metric]; NaN: not counted; malloc, owned */
};

/*
 * Reads the launches in order. The program's own output and ncu's remarks may appear between the lines;
 * numbers may have thousands separators, byte counts a prefix (Kbyte: 1000). A metric without a column is
 * NaN. ERT_UNAVAILABLE when there is no table.
 */
enum ert_status ert_ncu_csv_read(const char *text, const char *const *metrics,
                                 size_t n_metrics, struct ert_ncu_launches *launches,
                                 struct ert_error *error);

/* Accepts NULL and an all-zero struct. */
void ert_ncu_csv_free(struct ert_ncu_launches *launches);

/* The names of all metrics that ert_ncu_sum() needs; returns how many. */
size_t ert_ncu_metrics(const char *const **metrics);

/*
 * Sums a region's counters over ncu's launches (with these metrics): the n_launches launches of the kernel
 * `function` that follow the region-th launch of the CUDA backend's lead-in kernel. level: of the ceiling,
 * NULL for compute kernels. ERT_UNAVAILABLE when some of them are missing.
 */
enum ert_status ert_ncu_sum(const struct ert_ncu_launches *launches, size_t region,
                            const char *function, uint64_t n_launches,
                            enum ert_kernel_id kernel, const struct ert_level *level,
                            struct ert_counters *counters, struct ert_error *error);

/* Whether GPUs execute the kernel's operation as a sequence of others, so that no counter counts it. */
bool ert_ncu_is_sequence(enum ert_kernel_id kernel);

#endif
