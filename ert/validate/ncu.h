/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ncu: the counters of every ceiling of a GPU from one run of `ert bench` under NVIDIA's Nsight Compute, and
 * its table. How it is found and asked: base/ncu.h; what its metrics are: base/ncu_metrics.def.
 */
#ifndef ERT_VALIDATE_NCU_H
#define ERT_VALIDATE_NCU_H

#include "ert/base/ncu.h"
#include "ert/validate/counters.h"

/*
 * Runs all replays of a device (of the ceilings file `file`) once under ncu and fills the counters'
 * part of their proofs; what cannot be counted is "unavailable" with the reason.
 */
void ert_ncu_prove(const struct ert_device *device, const char *file,
                   struct ert_replay *replays, size_t n);

/*
 * Runs one kernel under ncu: `words`, NULL-terminated, follow `ert bench --json`. Fills the counters
 * of its region, on the level's path, and what the tool counted. ERT_UNAVAILABLE with the reason.
 */
enum ert_status ert_ncu_count(const struct ert_device *device, enum ert_kernel_id kernel,
                              const struct ert_level *level, const char *const *words,
                              struct ert_counters *counters,
                              struct ert_region_totals *totals, struct ert_error *error);

/* This program, run under ncu. */
struct ert_ncu_command {
    const char *ncu, *metrics; /* of the two functions above */
    const char *kernels; /* regular expression of base names; others are not profiled */
    const char *caches;  /* --cache-control: "none", "all" */
    const char *name;    /* the program's, with which its own errors begin */
    double timeout_s;
};

/*
 * Runs this program with the words (NULL-terminated) under ncu. *text: all that both printed, the caller's
 * (free). ERT_UNAVAILABLE with ncu's or the program's own words when no launch was profiled.
 */
enum ert_status ert_ncu_run(const struct ert_ncu_command *command, const char *const *words,
                            char **text, struct ert_error *error);

/* ncu's wide table (`--csv --page raw`). */
struct ert_ncu_launches {
    size_t n, n_metrics;
    char (*names)[96]; /* of the kernels, without template arguments; malloc, owned */
    double *values;    /* [launch * n_metrics + metric]; NaN: not counted; malloc, owned */
};

/*
 * Reads the launches in their order. The program's own output and ncu's remarks may stand between
 * the lines; numbers may carry thousands separators, byte counts a prefix (Kbyte: 1000). A metric
 * without a column is NaN. ERT_UNAVAILABLE when there is no table.
 */
enum ert_status ert_ncu_csv_read(const char *text, const char *const *metrics,
                                 size_t n_metrics, struct ert_ncu_launches *launches,
                                 struct ert_error *error);

/* NULL and all zero are fine. */
void ert_ncu_csv_free(struct ert_ncu_launches *launches);

/*
 * The names of all metrics that ert_ncu_sum() takes; returns how many. The first *n_certain are on every GPU
 * from cc 7.0 on, the others on some.
 */
size_t ert_ncu_metrics(const char *const **metrics, size_t *n_certain);

/*
 * The sums of a region from ncu's launches (of these metrics): those that follow the region-th launch of
 * the CUDA backend's lead-in, as many as there were, all of the kernel `function`. ERT_UNAVAILABLE when they
 * are not all there. level: of the ceiling, NULL for compute kernels.
 */
enum ert_status ert_ncu_sum(const struct ert_ncu_launches *launches, size_t region,
                            const char *function, uint64_t n_launches,
                            enum ert_kernel_id kernel, const struct ert_level *level,
                            struct ert_counters *counters, struct ert_error *error);

/* Whether the kernel's operation is a sequence of others on a GPU: no counter sees its results. */
bool ert_ncu_is_sequence(enum ert_kernel_id kernel);

#endif
