/* SPDX-License-Identifier: BSD-3-Clause */
/* world: the ranks of the job and their hosts. */
#ifndef ERT_NET_WORLD_H
#define ERT_NET_WORLD_H

#include "ert/core/base/error.h"
#include "ert/ext/fleet/net_record.h"

#include <mpi.h>
#include <stdbool.h>

enum { ERT_NET_MAX_SIZE = 4 << 20 }; /* bytes of a message, and of a buffer */

struct ert_net_world {
    MPI_Comm control, data;
    int rank, n_ranks;
    uint32_t n_hosts;
    char (*hosts)[ERT_NET_HOST]; /* in the order of their first ranks */
    int *ranks;                  /* of each host the first; other ranks measure nothing */
    bool is_shared;              /* a machine has more ranks than CPUs */
    uint64_t *out, *in;          /* ERT_NET_MAX_SIZE bytes each, until the process ends */
};

/*
 * Gathers the hosts, named by SLURMD_NODENAME, else by gethostname() up to its first dot, and makes the
 * buffers. by_rank: each rank represents a host, "n1", "n2" ..., for tests on one machine. If ranks share
 * CPUs, waits (wait.h) yield them. All ranks call it. ERT_USAGE, on all: fewer than two hosts.
 */
enum ert_status ert_net_world_make(bool by_rank, struct ert_net_world *world,
                                   struct ert_error *error);

#endif
