/*
 * ncu_metrics: which of Nsight Compute's metrics say what a kernel did, per level and type. Pure.
 */
#ifndef ERT_VALIDATE_NCU_METRICS_H
#define ERT_VALIDATE_NCU_METRICS_H

#include "ert/validate/counters.h"
#include "ert/validate/ncu_csv.h"

/* The kernel that the CUDA backend launches in front of each timed region. */
#define ERT_NCU_LEAD_IN "lead"

/*
 * The names of all metrics; returns how many. The first *n_certain are on every GPU from cc 7.0 on,
 * the others on some.
 */
size_t ert_ncu_metrics(const char *const **metrics, size_t *n_certain);

/*
 * The sums of a region from ncu's launches (of these metrics): those that follow the region-th
 * lead-in, as many as there were, all of the kernel `function`. ERT_UNAVAILABLE when they are not
 * all there. level: of the ceiling, NULL for compute kernels.
 */
enum ert_status ert_ncu_sum(const struct ert_ncu_launches *launches, size_t region,
                            const char *function, uint64_t n_launches,
                            enum ert_kernel_id kernel, const struct ert_level *level,
                            struct ert_counters *counters, struct ert_error *error);

/* Whether the kernel's operation is a sequence of others on a GPU: no counter sees its results. */
bool ert_ncu_is_sequence(enum ert_kernel_id kernel);

#endif
