/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nccl_world: what NCCL attains between the GPUs of several hosts. Each rank of MPI starts this program anew
 * for its GPUs, talks to it by a socket, and keeps the deadlines; the ranks agree by MPI on what comes next.
 * A fork alone would not do: an MPI that knows CUDA has it initialized, and that does not outlive a fork.
 */
#ifndef ERT_NET_NCCL_WORLD_H
#define ERT_NET_NCCL_WORLD_H

#include "ert/net/nccl.h"
#include "ert/net/world.h"

/* The only word of the program that is started anew; "first" behind it makes the group's id. */
#define ERT_NCCL_WORLD_WORD "--nccl-process"

/* What that program does until its rank is gone. */
void ert_nccl_world_serve(bool is_first);

/*
 * On rank 0, with a result of all GPUs, a = b, or from the first GPU of host a to that of b. Its
 * times are those of the slowest rank; a reason begins with the host, but for a timeout, which all have.
 */
typedef void ert_nccl_world_take(void *about, const struct ert_nccl_result *result,
                                 uint32_t a, uint32_t b);

/*
 * All ranks call it with the same plan (n_gpus is not used) and n_rounds of disjoint pairs of
 * hosts (0: ERT_PAIR_MATCHINGS, or all there are). All-reduce,
 * all-gather and reduce-scatter among all GPUs that the ranks see, from 8 B in steps of 8 up to the largest
 * size; the least and the largest between hosts. Errors come before the first result, the same on all ranks,
 * the text on rank 0: ERT_UNAVAILABLE as ert_nccl_find(); ERT_USAGE: hosts with more ranks than others, ranks
 * that see the same GPU, or a largest size below 8 B a GPU; ERT_FAILED.
 */
enum ert_status ert_nccl_world_measure(const struct ert_net_world *world,
                                       const struct ert_nccl_plan *plan, uint32_t n_rounds,
                                       ert_nccl_world_take *take, void *about,
                                       struct ert_error *error);

#endif
