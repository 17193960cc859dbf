/*
 * ncu_sums: launches as points: each its own, or those of one kernel (of one process, on one device)
 * summed. Operations, bytes, time and instructions are summed; clocks and warps are means weighted
 * by time; rates and averages are never summed. A quantity that one of the launches lacks is left out
 * of the sum, with the reason; a launch that failed is left out as a whole.
 */
#ifndef RFL_IMPORT_NCU_SUMS_H
#define RFL_IMPORT_NCU_SUMS_H

#include "analysis/import/import.h"
#include "analysis/import/kernels.h"
#include "analysis/import/ncu_recipes.h"

/* How a quantity of a kernel was counted so far: a recipe, as index + NCU_N_STATES, or one of these. */
enum { NCU_UNSEEN, NCU_ABSENT, NCU_DROPPED, NCU_N_STATES };

struct rfl_ncu_kernel {
    size_t point, failed_row;
    enum rfl_ncu_metric failed_metric;
    double n_failed;
    uint8_t states[NCU_N_QUANTITIES];
    double weights[NCU_N_QUANTITIES]; /* of the means */
};

struct rfl_ncu_sums {
    const struct ert_lines *lines; /* for errors; both outlive this */
    const struct rfl_import_options *options;
    struct rfl_points *points;
    size_t first; /* of its points */
    struct rfl_ncu_kernel *kernels;
    size_t n, room;
    struct rfl_kernel_index index; /* of the kernels; not in a list */
};

/* Adds a launch. */
enum ert_status rfl_ncu_sums_add(struct rfl_ncu_sums *sums,
                                 const struct rfl_ncu_launch *launch,
                                 struct ert_error *error);

/* Ends the sums of one kernel: means, what not all launches have, what is missing. */
enum ert_status rfl_ncu_settle(struct rfl_ncu_sums *sums, struct rfl_ncu_kernel *kernel,
                               struct ert_error *error);

/* Ends those of all kernels, and shortens names; after the last launch. */
enum ert_status rfl_ncu_sums_finish(struct rfl_ncu_sums *sums, struct ert_error *error);

/* Frees all but the points. */
void rfl_ncu_sums_free(struct rfl_ncu_sums *sums);

#endif
