/*
 * partitions: which lines of a set lie in the half of L2 that is near to an SM, and which in the far
 * one, by the time that each takes to load. C++ only.
 */
#ifndef ERT_BACKEND_CUDA_PARTITIONS_H
#define ERT_BACKEND_CUDA_PARTITIONS_H

#include "ert/backend/cuda/session.h"

enum ert_cuda_partition { ERT_CUDA_NEAR, ERT_CUDA_FAR };

/*
 * Times loads of the n_lines lines of 128 bytes at `lines`, which L2 must hold, from one SM, and
 * writes the indices of those of the partition to `chosen` (on the device, room for n_lines), how
 * many to *n_chosen, and the SM to *sm. ERT_UNAVAILABLE where the times are of one group.
 */
enum ert_status ert_cuda_partition_lines(struct ert_session *session, const void *lines,
                                         uint32_t n_lines,
                                         enum ert_cuda_partition partition,
                                         uint32_t *chosen, uint64_t *n_chosen, uint32_t *sm,
                                         struct ert_error *error);

#endif
