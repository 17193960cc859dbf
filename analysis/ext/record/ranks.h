/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ranks: makes one recording of the processes of a parallel job (MPI, Slurm), each recorded by itself: counts
 * are added, times are those of the longest.
 */
#ifndef RFL_RECORD_RANKS_H
#define RFL_RECORD_RANKS_H

#include "analysis/core/points/points.h"

struct rfl_rank {
    size_t rank, n;        /* n: number of ranks in the job, 2 or more */
    bool is_first_on_node; /* counts events of the whole node */
};

/* Whether this process is one of several, according to the environment from their launcher. */
bool rfl_rank_find(struct rfl_rank *rank);

/* Whether a program starts the processes of a job: "mpirun", "mpiexec", "srun" ... */
bool rfl_rank_is_launcher(const char *program);

/*
 * Appends the points of the ranks, FOLDER/rank-N/points.json, added by name and run. *n_there: how many ranks
 * have written; the rank that finds n is the last. Errors as rfl_points_read.
 */
enum ert_status rfl_ranks_merge(const char *folder, size_t n, struct rfl_points *points,
                                size_t *n_there, struct ert_error *error);

#endif
