/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/net/nccl_world.h"

#include "ert/base/alloc.h"
#include "ert/fleet/rounds.h"
#include "ert/net/order.h"
#include "ert/net/wait.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* Reports of a process: first what it found, then how its start went. */
struct start {
    enum ert_status status;
    bool is_late; /* did not report: all parts of a group wait for one */
    char text[256];
    struct ert_nccl_host host;
    struct ert_nccl_id id;
};

/* What the rank sends between the two. */
struct order {
    struct ert_nccl_plan plan;
    struct ert_nccl_part part;
};

/* ---- the process ---- */

static void put(int to, const void *what, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = send(to, (const char *)what + done, size - done, MSG_NOSIGNAL);
        if (n <= 0)
            return; /* a peer that does not listen sends nothing either */
        done += (size_t)n;
    }
}

static void get(int from, void *what, size_t size)
{
    if (recv(from, what, size, MSG_WAITALL) != (ssize_t)size)
        _exit(ERT_FAILED);
}

void ert_nccl_world_serve(bool is_first)
{
    const int parent = STDIN_FILENO;
    struct ert_error error = {0};
    struct start start = {0};
    struct order order;
    struct ert_nccl_result result;
    struct ert_nccl_group *group;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    start.status = ert_nccl_group_find(&start.host, &error);
    if (start.status == ERT_OK && is_first)
        start.status = ert_nccl_group_id(&start.id, &error);
    snprintf(start.text, sizeof start.text, "%.255s", error.text);
    put(parent, &start, sizeof start);
    get(parent, &order, sizeof order);
    start.status = ert_nccl_group_open(&order.plan, &order.part, &group, &error);
    snprintf(start.text, sizeof start.text, "%.255s", error.text);
    put(parent, &start, sizeof start);
    for (;;) { /* until our rank ends us: others may need our end of NCCL's network */
        result = (struct ert_nccl_result){.state = ERT_NCCL_OK};
        get(parent, &result.round, sizeof result.round);
        ert_nccl_group_measure(group, &result);
        put(parent, &result, sizeof result);
    }
}

/* ---- the ranks ---- */

struct run {
    const struct ert_net_world *world;
    const struct ert_nccl_plan *plan;
    ert_nccl_world_take *take; /* only on rank 0; else NULL */
    void *about;
    struct ert_pair_rounds pairs;
    /* For rounds between hosts `from` is twice the round of pairs, plus 1 if the second host sends. */
    struct ert_nccl_rounds rounds;
    struct ert_nccl_process process; /* id 0: none */
    struct ert_nccl_part *parts;     /* of each rank */
    struct start *starts;
    struct ert_nccl_result *results;
};

/* Ranks arrive up to a deadline apart, and ending a process takes up to 10 s. */
static void gather(const struct run *run, const void *own, void *all, size_t size)
{
    ert_net_guard(2 * run->plan->deadline_s + 6 * ERT_NET_GRACE, -1, NULL);
    MPI_Allgather(own, (int)size, MPI_BYTE, all, (int)size, MPI_BYTE, run->world->control);
    ert_net_guard(0, -1, NULL);
}

static void stop(struct run *run, char text[64])
{
    if (run->process.id)
        ert_nccl_stop(&run->process, text);
    run->process.id = 0;
}

static enum ert_status spawn(struct run *run, struct ert_error *error)
{
    char word[] = ERT_NCCL_WORLD_WORD, first[] = "first", name[] = "ert-net";
    char *const words[] = {name, word, run->world->rank == 0 ? first : NULL, NULL};
    posix_spawn_file_actions_t actions;
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return ert_fail(error, ERT_FAILED, "NCCL's process: socketpair: %s",
                        strerror(errno));
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    int code =
        posix_spawn(&run->process.id, "/proc/self/exe", &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    run->process.at = ends[0];
    if (code == 0)
        return ERT_OK;
    close(ends[0]);
    run->process.id = 0;
    return ert_fail(error, ERT_FAILED, "NCCL's process: posix_spawn: %s", strerror(code));
}

/* Receives the process's report on its start. */
static void hear(struct run *run, struct start *own)
{
    char end[64];
    enum ert_nccl_state state =
        ert_nccl_receive(&run->process, run->plan->deadline_s, own, sizeof *own);
    if (state == ERT_NCCL_OK)
        return;
    stop(run, end);
    own->status = ERT_FAILED;
    own->is_late = state == ERT_NCCL_TIMEOUT;
    if (state == ERT_NCCL_TIMEOUT)
        snprintf(own->text, sizeof own->text,
                 "the start of NCCL did not answer within %g s", run->plan->deadline_s);
    else
        snprintf(own->text, sizeof own->text, "NCCL's process %s", end);
}

/* All ranks continue, or none. */
static enum ert_status all_start(struct run *run, const struct start *own,
                                 struct ert_error *error)
{
    int worst = 0;
    gather(run, own, run->starts, sizeof *own);
    for (int r = 1; r < run->world->n_ranks; r++)
        if (run->starts[r].status > run->starts[worst].status ||
            (run->starts[r].status == run->starts[worst].status &&
             run->starts[r].is_late < run->starts[worst].is_late))
            worst = r;
    enum ert_status status = run->starts[worst].status;
    if (status == ERT_OK)
        return ERT_OK;
    return ert_fail(error, status, "%s: %s",
                    run->world->hosts[ert_net_host(run->world, worst)],
                    run->starts[worst].text);
}

/* Gives each rank the GPUs that it sees. */
static enum ert_status share_out(struct run *run, struct ert_error *error)
{
    const struct ert_net_world *world = run->world;
    uint32_t total = 0;
    for (int r = 0; r < world->n_ranks; r++) {
        const struct ert_nccl_host *seen = &run->starts[r].host;
        const uint32_t host = ert_net_host(world, r);
        if (host == world->n_hosts)
            return ert_fail(error, ERT_USAGE, "some hosts have more ranks than others");
        const int first = ert_net_rank(world, host, 0);
        if (r != first && strcmp(seen->pci[0], run->starts[first].host.pci[0]) == 0)
            return ert_fail(error, ERT_USAGE,
                            "%s: two ranks see GPU %s: start one rank a host, or give each "
                            "its own GPUs (CUDA_VISIBLE_DEVICES)",
                            world->hosts[host], seen->pci[0]);
        run->parts[r].n = seen->n_gpus;
        run->parts[r].rank = total;
        total += seen->n_gpus;
    }
    for (int r = 0; r < world->n_ranks; r++)
        run->parts[r].total = total;
    if (run->plan->max_bytes < 8 * (uint64_t)total)
        return ert_fail(error, ERT_USAGE,
                        "--size: %" PRIu64 ", must be at least 8 B for each of %u GPUs",
                        run->plan->max_bytes, total);
    return ERT_OK;
}

static void list_rounds(struct run *run)
{
    struct ert_nccl_round round = {.n_gpus = run->parts[0].total};
    for (int operation = 0; operation < ERT_NCCL_SEND_RECV; operation++) {
        round.operation = (enum ert_nccl_operation)operation;
        ert_nccl_add_sizes(&run->rounds, round, 8, run->plan->max_bytes);
    }
    round.operation = ERT_NCCL_SEND_RECV;
    for (uint32_t i = 0; i < 2 * run->pairs.n_rounds; i++) {
        round.from = i;
        ert_nccl_add_sizes(&run->rounds, round, run->plan->max_bytes / 8,
                           run->plan->max_bytes);
    }
}

/* For a round between hosts, element h is the host that host h sends to, or ERT_PAIR_NONE (malloc). */
static uint32_t *receivers_of(const struct run *run, const struct ert_nccl_round *round)
{
    uint32_t *to = ert_xcalloc(run->world->n_hosts, sizeof *to);
    ert_pair_rounds_partners(&run->pairs, round->from / 2, to);
    for (uint32_t h = 0; h < run->world->n_hosts; h++)
        if (to[h] != ERT_PAIR_NONE && h < to[h])
            to[round->from % 2 ? h : to[h]] = ERT_PAIR_NONE;
    return to;
}

/* The round for this rank's process: with NCCL's ranks of the first GPUs of its pair of hosts. */
static struct ert_nccl_round own_round(const struct run *run, struct ert_nccl_round round)
{
    const struct ert_net_world *world = run->world;
    const uint32_t own = ert_net_host(world, world->rank);
    if (round.operation != ERT_NCCL_SEND_RECV)
        return round;
    uint32_t *to = receivers_of(run, &round);
    round.from = round.to = UINT32_MAX; /* nobody */
    for (uint32_t h = 0; h < world->n_hosts; h++)
        if (to[h] != ERT_PAIR_NONE && (h == own || to[h] == own)) {
            round.from = run->parts[ert_net_rank(world, h, 0)].rank;
            round.to = run->parts[ert_net_rank(world, to[h], 0)].rank;
        }
    free(to);
    return round;
}

static enum ert_status begin(struct run *run, struct ert_error *error)
{
    struct ert_error failure = {0};
    struct start own = {0};
    own.status = spawn(run, &failure);
    snprintf(own.text, sizeof own.text, "%.255s", failure.text);
    if (own.status == ERT_OK)
        hear(run, &own);
    ERT_TRY(all_start(run, &own, error));
    if (run->rounds.n == 0) {
        ERT_TRY(share_out(run, error));
        list_rounds(run);
    }
    struct order order = {*run->plan, run->parts[run->world->rank]};
    order.part.id = run->starts[0].id;
    put(run->process.at, &order, sizeof order);
    hear(run, &own);
    return all_start(run, &own, error);
}

/* Adds a rank's result: the slowest time and the worst state count. For a timeout the host is unknown. */
static void add(const struct run *run, int rank, struct ert_nccl_result *all)
{
    const struct ert_nccl_result *one = &run->results[rank];
    if (one->state > all->state) {
        all->state = one->state;
        if (one->state == ERT_NCCL_WRONG || one->state == ERT_NCCL_FAILED)
            snprintf(all->reason, sizeof all->reason, "%.63s: %.120s",
                     run->world->hosts[ert_net_host(run->world, rank)], one->reason);
        else
            memcpy(all->reason, one->reason, sizeof all->reason);
    }
    for (int s = 0; s < ERT_NCCL_SAMPLES; s++)
        if (one->times_s[s] > all->times_s[s])
            all->times_s[s] = one->times_s[s];
}

/* On rank 0, passes on the results of all ranks. */
static void take_round(const struct run *run, const struct ert_nccl_round *round)
{
    const struct ert_net_world *world = run->world;
    const struct ert_nccl_result none = {.round = *round};
    struct ert_nccl_result all = none;
    if (run->take && round->operation != ERT_NCCL_SEND_RECV) {
        for (int r = 0; r < world->n_ranks; r++)
            add(run, r, &all);
        run->take(run->about, &all, 0, 0);
    } else if (run->take) {
        uint32_t *to = receivers_of(run, round);
        for (uint32_t h = 0; h < world->n_hosts; h++)
            if (to[h] != ERT_PAIR_NONE) {
                all = none;
                add(run, ert_net_rank(world, h, 0), &all);
                add(run, ert_net_rank(world, to[h], 0), &all);
                run->take(run->about, &all, h, to[h]);
            }
        free(to);
    }
}

/* Reports rounds next..to as not measured. */
static void give_up(const struct run *run, size_t next, size_t to, const char *reason)
{
    for (int r = 0; r < run->world->n_ranks; r++) {
        run->results[r] = (struct ert_nccl_result){.state = ERT_NCCL_NOT_TRIED};
        snprintf(run->results[r].reason, ERT_NCCL_REASON, "%.180s", reason);
    }
    for (; next < to; next++)
        take_round(run, &run->rounds.list[next]);
}

/*
 * Measures as long as all processes work; returns the first round left for other processes. A round begins
 * when all have ended the one before, so that a process that dies in it cannot affect the earlier one.
 */
static size_t follow(struct run *run, size_t next)
{
    char end[64];
    bool is_dead = false;
    while (next < run->rounds.n && !is_dead) {
        const struct ert_nccl_round round = own_round(run, run->rounds.list[next]);
        struct ert_nccl_result own = {.state = ERT_NCCL_OK};
        put(run->process.at, &round, sizeof round);
        enum ert_nccl_state state =
            ert_nccl_receive(&run->process, run->plan->deadline_s, &own, sizeof own);
        if (state != ERT_NCCL_OK) {
            own.state = state;
            stop(run, end);
            if (state == ERT_NCCL_TIMEOUT)
                snprintf(own.reason, sizeof own.reason, "not done within %g s",
                         run->plan->deadline_s);
            else
                snprintf(own.reason, sizeof own.reason, "NCCL's process %s", end);
        }
        gather(run, &own, run->results, sizeof own);
        for (int r = 0; r < run->world->n_ranks; r++)
            is_dead |= run->results[r].state == ERT_NCCL_TIMEOUT ||
                       run->results[r].state == ERT_NCCL_FAILED;
        take_round(run, &run->rounds.list[next++]);
    }
    stop(run, end);
    if (!is_dead)
        return next;
    size_t rest = ert_nccl_behind(&run->rounds, next - 1);
    give_up(run, next, rest, "not tried: a lesser size failed");
    return rest;
}

enum ert_status ert_nccl_world_measure(const struct ert_net_world *world,
                                       const struct ert_nccl_plan *plan, uint32_t n_rounds,
                                       ert_nccl_world_take *take, void *about,
                                       struct ert_error *error)
{
    const size_t n = (size_t)world->n_ranks;
    struct run run = {.world = world,
                      .plan = plan,
                      .take = take,
                      .about = about,
                      .parts = ert_xcalloc(n, sizeof *run.parts),
                      .starts = ert_xcalloc(n, sizeof *run.starts),
                      .results = ert_xcalloc(n, sizeof *run.results)};
    struct ert_error failure = {0};
    char end[64];
    size_t next = 0;
    ert_pair_rounds_make(world->n_hosts, n_rounds ? n_rounds : (uint32_t)ERT_PAIR_MATCHINGS,
                         plan->seed, &run.pairs);
    enum ert_status status = begin(&run, error);
    while (status == ERT_OK && (next = follow(&run, next)) < run.rounds.n)
        if (begin(&run, &failure) != ERT_OK) {
            give_up(&run, next, run.rounds.n, failure.text);
            break;
        }
    if (status != ERT_OK && world->rank > 0)
        error->text[0] = '\0'; /* rank 0 prints it */
    stop(&run, end);
    ert_pair_rounds_free(&run.pairs);
    free(run.rounds.list);
    free(run.parts);
    free(run.starts);
    free(run.results);
    return status;
}
