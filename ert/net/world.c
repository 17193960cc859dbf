/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/net/world.h"

#include "ert/base/alloc.h"
#include "ert/base/file.h"
#include "ert/net/link.h"
#include "ert/net/wait.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void own_name(uint32_t per_host, int rank, char name[ERT_NET_HOST])
{
    const char *slurm = getenv("SLURMD_NODENAME");
    char host[256] = "";
    gethostname(host, sizeof host - 1);
    memset(name, 0, ERT_NET_HOST);
    if (per_host)
        snprintf(name, ERT_NET_HOST, "n%u", (unsigned)rank / per_host + 1);
    else if (slurm && *slurm)
        snprintf(name, ERT_NET_HOST, "%.63s", slurm);
    else
        snprintf(name, ERT_NET_HOST, "%.*s", (int)strcspn(host, "."), host);
}

struct place {
    const char *name;
    int rank, host; /* host: the first rank with this name */
};

static int by_name(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : x->rank - y->rank;
}

static int by_host(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->host != y->host ? x->host - y->host : x->rank - y->rank;
}

/* Sorts ranks by host, hosts by their first rank. */
static void sort(struct place *places, int n)
{
    qsort(places, (size_t)n, sizeof *places, by_name);
    for (int i = 0; i < n; i++)
        places[i].host = i > 0 && strcmp(places[i].name, places[i - 1].name) == 0
                             ? places[i - 1].host
                             : places[i].rank;
    qsort(places, (size_t)n, sizeof *places, by_host);
}

static void group_by_host(struct ert_net_world *world, const struct place *places)
{
    const int n = world->n_ranks;
    world->hosts = ert_xcalloc((size_t)n, sizeof *world->hosts);
    world->ranks_per_host = UINT32_MAX;
    for (int i = 0, next; i < n; i = next) {
        for (next = i; next < n && places[next].host == places[i].host;)
            next++;
        memcpy(world->hosts[world->n_hosts++], places[i].name, ERT_NET_HOST);
        if ((uint32_t)(next - i) < world->ranks_per_host)
            world->ranks_per_host = (uint32_t)(next - i);
    }
    world->ranks =
        ert_xcalloc((size_t)world->n_hosts * world->ranks_per_host, sizeof *world->ranks);
    uint32_t host = 0, index = 0;
    for (int i = 0; i < n; i++) {
        if (i > 0 && places[i].host != places[i - 1].host) {
            host++;
            index = 0;
        }
        if (index < world->ranks_per_host)
            world->ranks[(size_t)host * world->ranks_per_host + index++] = places[i].rank;
    }
}

int ert_net_rank(const struct ert_net_world *world, uint32_t host, uint32_t index)
{
    return world->ranks[(size_t)host * world->ranks_per_host + index];
}

uint32_t ert_net_host(const struct ert_net_world *world, int rank)
{
    const size_t k = world->ranks_per_host;
    size_t i = 0;
    while (i < k * world->n_hosts && world->ranks[i] != rank)
        i++;
    return (uint32_t)(i / k);
}

/* Looks it up by name: whether and where it is declared differs between MPIs. */
static bool takes_gpu_memory(void)
{
    void *symbol = dlsym(RTLD_DEFAULT, "MPIX_Query_cuda_support");
    int (*query)(void);
    memcpy(&query, &symbol, sizeof query);
    return symbol && query() == 1;
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

enum ert_status ert_net_world_make(uint32_t per_host, enum ert_net_memory memory,
                                   struct ert_net_world *world, struct ert_error *error)
{
    char own[ERT_NET_HOST];
    int local = 0;
    *world = (struct ert_net_world){.group = MPI_COMM_NULL};
    MPI_Comm_dup(MPI_COMM_WORLD, &world->control);
    MPI_Comm_dup(MPI_COMM_WORLD, &world->data);
    MPI_Comm_set_errhandler(world->data, MPI_ERRORS_RETURN);
    MPI_Comm_rank(world->control, &world->rank);
    MPI_Comm_size(world->control, &world->n_ranks);
    char(*names)[ERT_NET_HOST] = ert_xcalloc((size_t)world->n_ranks, sizeof *names);
    struct place *places = ert_xcalloc((size_t)world->n_ranks, sizeof *places);
    own_name(per_host, world->rank, own);
    MPI_Allgather(own, ERT_NET_HOST, MPI_CHAR, names, ERT_NET_HOST, MPI_CHAR,
                  world->control);
    for (int i = 0; i < world->n_ranks; i++) {
        places[i] = (struct place){names[i], i, 0};
        local += i < world->rank && strcmp(names[i], own) == 0;
    }
    world->is_shared = shares_cpus(world);
    if (world->is_shared)
        ert_net_wait_shared();
    sort(places, world->n_ranks);
    group_by_host(world, places);
    free(places);
    free(names);
    if (world->n_hosts < 2)
        return ert_fail(error, ERT_USAGE,
                        "1 host with %d ranks, must be at least 2 hosts (start one rank on "
                        "each)",
                        world->n_ranks);
    if (memory == ERT_NET_GPU_MEMORY && !takes_gpu_memory())
        return ert_fail(error, ERT_UNAVAILABLE,
                        "--memory gpu: this MPI does not send from GPU memory "
                        "(MPIX_Query_cuda_support)");
    ERT_TRY(ert_net_memory_open(memory, local, error));
    ERT_TRY(ert_net_buffer_make(memory, ERT_NET_MAX_SIZE, &world->out, error));
    return ert_net_buffer_make(memory, ERT_NET_MAX_SIZE, &world->in, error);
}
