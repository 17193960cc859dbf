/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nccl_world: measures NCCL between the GPUs of several hosts. Each MPI rank starts this program again for
 * its GPUs, communicates with it by a socket, and watches deadlines; the ranks agree by MPI on what comes
 * next. fork() alone does not suffice: a CUDA-aware MPI has initialized CUDA, which does not survive fork().
 */
#ifndef ERT_NET_NCCL_WORLD_H
#define ERT_NET_NCCL_WORLD_H

#include "ert/net/nccl.h"
#include "ert/net/world.h"

/* The first argument of the started program; with "first" after it, it makes the group's ID. */
#define ERT_NCCL_WORLD_WORD "--nccl-process"

/* Serves as that program until its rank ends. */
void ert_nccl_world_serve(bool is_first);

/*
 * Called on rank 0 with a result of all GPUs (a = b), or from the first GPU of host a to that of host b. The
 * times are those of the slowest rank; a reason begins with the host, except for timeouts.
 */
typedef void ert_nccl_world_take(void *about, const struct ert_nccl_result *result,
                                 uint32_t a, uint32_t b);

/*
 * All ranks call it with the same plan (n_gpus is not used) and the same n_rounds of disjoint pairs of hosts
 * (0: ERT_PAIR_MATCHINGS, or all there are). Measures all-reduce, all-gather and reduce-scatter among all
 * GPUs that the ranks see, from 8 B to the largest size in steps of a factor of 8; between hosts the least
 * and the largest size. Errors occur before the first result and are the same on all ranks, with the text on
 * rank 0: ERT_UNAVAILABLE as ert_nccl_find(); ERT_USAGE: hosts with more ranks than others, ranks that see
 * the same GPU, or a largest size below 8 B per GPU; ERT_FAILED.
 */
enum ert_status ert_nccl_world_measure(const struct ert_net_world *world,
                                       const struct ert_nccl_plan *plan, uint32_t n_rounds,
                                       ert_nccl_world_take *take, void *about,
                                       struct ert_error *error);

#endif
