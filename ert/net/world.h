/* SPDX-License-Identifier: BSD-3-Clause */
/* world: the ranks of the job and their hosts. */
#ifndef ERT_NET_WORLD_H
#define ERT_NET_WORLD_H

#include "ert/base/error.h"
#include "ert/fleet/net_record.h"
#include "ert/net/memory.h"

#include <mpi.h>

struct ert_net_world {
    MPI_Comm control, data, group; /* group: one rank of each good host, if made */
    int rank, n_ranks;
    uint32_t n_hosts;
    char (*hosts)[ERT_NET_HOST]; /* in the order of their first ranks */
    bool is_shared;              /* a machine has more ranks than CPUs */
    uint32_t ranks_per_host;     /* the least of all hosts; other ranks measure nothing */
    int *ranks;                  /* [n_hosts][ranks_per_host] */
    struct ert_net_buffer out, in;
};

/*
 * Gathers the hosts, named by SLURMD_NODENAME, else by gethostname() up to its first dot, and makes the
 * buffers. per_host above 0: this many ranks represent a host, "n1", "n2" ..., for tests on one machine. If
 * ranks share CPUs, waits (wait.h) yield them. All ranks call it; errors are the same on all, except those of
 * buffers.
 */
enum ert_status ert_net_world_make(uint32_t per_host, enum ert_net_memory memory,
                                   struct ert_net_world *world, struct ert_error *error);

/* The rank of the index-th process of a host. */
int ert_net_rank(const struct ert_net_world *world, uint32_t host, uint32_t index);

/* The host of a rank; n_hosts for a rank that measures nothing. */
uint32_t ert_net_host(const struct ert_net_world *world, int rank);

#endif
