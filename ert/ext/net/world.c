/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/net/net.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/file.h"
#include "ert/core/base/strings.h"
#include "ert/ext/fleet/hosts.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void own_name(bool by_rank, int rank, char name[ERT_NET_HOST])
{
    char host[ERT_HOST_TEXT];
    memset(name, 0, ERT_NET_HOST);
    ert_host_own(host);
    if (by_rank)
        snprintf(name, ERT_NET_HOST, "n%d", rank + 1);
    else
        snprintf(name, ERT_NET_HOST, "%.63s", host);
}

/* Lists the hosts in the order of their first ranks. */
static void group_by_host(struct ert_net_world *world, char (*names)[ERT_NET_HOST])
{
    struct ert_strings known = {0};
    world->hosts = ert_xcalloc((size_t)world->n_ranks, sizeof *world->hosts);
    world->ranks = ert_xcalloc((size_t)world->n_ranks, sizeof *world->ranks);
    for (int r = 0; r < world->n_ranks; r++)
        if (ert_strings_index(&known, names[r]) == world->n_hosts) {
            memcpy(world->hosts[world->n_hosts], names[r], ERT_NET_HOST);
            world->ranks[world->n_hosts++] = r;
        }
    ert_strings_free(&known);
}

/* Compares boot IDs, since containers on one machine have different names but the same kernel. */
static bool shares_cpus(const struct ert_net_world *world)
{
    char own[40] = "", *all = ert_xcalloc((size_t)world->n_ranks, sizeof own);
    int is_shared, n = 0;
    ert_file_first_line(own, sizeof own, "/proc/sys/kernel/random/boot_id");
    MPI_Allgather(own, sizeof own, MPI_CHAR, all, sizeof own, MPI_CHAR, world->control);
    for (int i = 0; i < world->n_ranks; i++)
        n += strcmp(all + (size_t)i * sizeof own, own) == 0;
    free(all);
    is_shared = *own && n > sysconf(_SC_NPROCESSORS_ONLN);
    MPI_Allreduce(MPI_IN_PLACE, &is_shared, 1, MPI_INT, MPI_MAX, world->control);
    return is_shared;
}

enum ert_status ert_net_world_make(bool by_rank, struct ert_net_world *world,
                                   struct ert_error *error)
{
    enum { PAGE = 4096 };
    char own[ERT_NET_HOST];
    *world = (struct ert_net_world){0};
    MPI_Comm_dup(MPI_COMM_WORLD, &world->control);
    MPI_Comm_dup(MPI_COMM_WORLD, &world->data);
    MPI_Comm_set_errhandler(world->data, MPI_ERRORS_RETURN);
    MPI_Comm_rank(world->control, &world->rank);
    MPI_Comm_size(world->control, &world->n_ranks);
    char(*names)[ERT_NET_HOST] = ert_xcalloc((size_t)world->n_ranks, sizeof *names);
    own_name(by_rank, world->rank, own);
    MPI_Allgather(own, ERT_NET_HOST, MPI_CHAR, names, ERT_NET_HOST, MPI_CHAR,
                  world->control);
    world->is_shared = shares_cpus(world);
    if (world->is_shared)
        ert_net_wait_shared();
    group_by_host(world, names);
    free(names);
    if (world->n_hosts < 2)
        return ert_fail(error, ERT_USAGE,
                        "1 host with %d ranks, must be at least 2 hosts (start one rank on "
                        "each)",
                        world->n_ranks);
    world->out = ert_xcheck(aligned_alloc(PAGE, ERT_NET_MAX_SIZE), ERT_NET_MAX_SIZE);
    world->in = ert_xcheck(aligned_alloc(PAGE, ERT_NET_MAX_SIZE), ERT_NET_MAX_SIZE);
    memset(world->out, 0, ERT_NET_MAX_SIZE);
    memset(world->in, 0, ERT_NET_MAX_SIZE);
    return ERT_OK;
}
