/*
 * kernels: which kernel of a profile a row is of, and names of GPU kernels as people say them:
 * "void k<4>(float *, int)" is k<4>, as long as no other kernel of the file would have the same name.
 */
#ifndef RFL_IMPORT_KERNELS_H
#define RFL_IMPORT_KERNELS_H

#include "analysis/points.h"

#include <stdbool.h>
#include <stdint.h>

/* What tells kernels apart; kept texts (rfl_points_text), compared as pointers. */
struct rfl_kernel_key {
    const char *name, *process, *device;
};

/* Keys in the order in which they came. */
struct rfl_kernel_index {
    struct rfl_kernel_key *keys; /* malloc */
    size_t n, room;
    uint32_t *slots; /* malloc; hash table, index + 1 */
    size_t n_slots;
};

/* The number of a key, from 0; a new one gets the next. ERT_FAILED when memory runs out. */
enum ert_status rfl_kernel_find(struct rfl_kernel_index *index, struct rfl_kernel_key key,
                                size_t *number, struct ert_error *error);

/* ERT_USAGE: the driver kept the GPU's counters from the user (ERR_NVGPUCTRPERM), and what helps. */
enum ert_status rfl_kernels_forbidden(const char *file, struct ert_error *error);

void rfl_kernel_index_free(struct rfl_kernel_index *index);

/*
 * Where the short name stands in a full one: *begin and *length. What follows the arguments (" #12" of
 * a launch, " const") does not belong to it. The whole where there are no arguments, or nothing before
 * them.
 */
void rfl_kernel_short(const char *full, size_t *begin, size_t *length);

/*
 * Shortens the names of the points from `first` on, except where two different ones would become the
 * same; " #12" at the end of a name stays. ERT_FAILED when memory runs out.
 */
enum ert_status rfl_kernels_shorten(struct rfl_points *points, size_t first,
                                    struct ert_error *error);

#endif
