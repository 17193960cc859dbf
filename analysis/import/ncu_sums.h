/*
 * ncu_sums: launches as points: each its own, or those of one kernel (of one process, on one device)
 * summed. Operations, bytes, time and instructions are summed; clocks and warps are means weighted
 * by time; rates and averages are never summed. A quantity that one of the launches lacks is left out
 * of the sum, with the reason; a launch that failed is left out as a whole.
 */
#ifndef RFL_IMPORT_NCU_SUMS_H
#define RFL_IMPORT_NCU_SUMS_H

#include "analysis/import/import.h"
#include "analysis/import/ncu_recipes.h"

struct rfl_ncu_kernel;

struct rfl_ncu_sums {
    const struct rfl_lines *lines; /* for errors; both outlive this */
    const struct rfl_import_options *options;
    struct rfl_points *points;
    size_t first; /* of its points */
    struct rfl_ncu_kernel *kernels;
    size_t n, room;
    uint32_t *slots; /* malloc; hash table of kernels, index + 1 */
    size_t n_slots;
};

/* Adds a launch. */
enum ert_status rfl_ncu_sums_add(struct rfl_ncu_sums *sums,
                                 const struct rfl_ncu_launch *launch,
                                 struct ert_error *error);

/* Means, what is missing, names; after the last launch. */
enum ert_status rfl_ncu_sums_finish(struct rfl_ncu_sums *sums, struct ert_error *error);

/* Frees all but the points. */
void rfl_ncu_sums_free(struct rfl_ncu_sums *sums);

#endif
