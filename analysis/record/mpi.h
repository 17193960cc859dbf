/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi: the messages of an MPI program that is recorded, counted in its first run by a library that is
 * preloaded into the ranks (analysis/mpi/README.md).
 */
#ifndef RFL_RECORD_MPI_H
#define RFL_RECORD_MPI_H

#include "analysis/record/record.h"

/* Whether the words of a program are a launcher's of MPI: "mpirun", "mpiexec", "srun" ... */
bool rfl_mpi_is_launcher(const char *program);

/*
 * Before run 1: has the library preloaded into the program, to write into record->folder. ranks_per_host
 * above 0: so many ranks stand for a host. Without the library it says so, and nothing is counted.
 */
void rfl_mpi_prepare(struct rfl_record *record, uint64_t ranks_per_host);

/*
 * After the run: what all ranks sent into the points (rfl_messages_sum) and FOLDER/messages.tsv. They wrote
 * into FOLDER, n_folders 0, or each into FOLDER/rank-N. *has: whether any wrote. Notes go to say.
 */
enum ert_status rfl_mpi_add(const char *folder, size_t n_folders, struct rfl_points *points,
                            void (*say)(const char *format, ...), bool *has,
                            struct ert_error *error);

#endif
