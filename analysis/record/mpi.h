/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi: counts the messages of a recorded MPI program in its first run, by a library that is preloaded into
 * the ranks (analysis/mpi/README.md).
 */
#ifndef RFL_RECORD_MPI_H
#define RFL_RECORD_MPI_H

#include "analysis/record/record.h"

/* Whether a program is an MPI launcher: "mpirun", "mpiexec", "srun" ... */
bool rfl_mpi_is_launcher(const char *program);

/*
 * Call before run 1: preloads the library, which writes into record->folder; if it is missing, tells the
 * user, and nothing is counted. ranks_per_host above 0: this many ranks represent a host.
 */
void rfl_mpi_prepare(struct rfl_record *record, uint64_t ranks_per_host);

/*
 * Call after the run: adds the messages of all ranks to the points (rfl_messages_sum) and writes
 * FOLDER/messages.tsv. The ranks wrote into FOLDER (n_folders 0) or FOLDER/rank-N. *has: whether any wrote.
 * Calls say() with notes.
 */
enum ert_status rfl_mpi_add(const char *folder, size_t n_folders, struct rfl_points *points,
                            void (*say)(const char *format, ...), bool *has,
                            struct ert_error *error);

#endif
