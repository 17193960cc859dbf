/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ranks: the processes of a parallel job (MPI, Slurm), each of which is recorded by itself, as one recording:
 * counts added up, times those of the longest.
 */
#ifndef RFL_RECORD_RANKS_H
#define RFL_RECORD_RANKS_H

#include "analysis/points.h"

struct rfl_rank {
    size_t rank, n;        /* n: of the job, 2 or more */
    bool is_first_on_node; /* who counts what the whole node does */
};

/* Whether this process is one of several, by the environment that their launcher sets. */
bool rfl_rank_find(struct rfl_rank *rank);

/*
 * Appends what the ranks wrote, FOLDER/rank-N/points.json, added up by name and run. *n_there of them have
 * written; the one that finds all there is the last. Errors as rfl_points_read.
 */
enum ert_status rfl_ranks_merge(const char *folder, size_t n, struct rfl_points *points,
                                size_t *n_there, struct ert_error *error);

#endif
