/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/net/worker.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/clock.h"
#include "ert/core/base/random.h"
#include "ert/ext/net/wait.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- many hosts at once ---- */

/* A test in progress. */
struct run {
    struct ert_net_world *world;
    const struct ert_net_order *order;
    struct ert_net_report *report;
    MPI_Comm group;
    int n, rank;       /* of the group */
    size_t size_bytes; /* of a message */
    double deadline_s;
};

static enum ert_net_state alltoall(struct run *run, uint32_t windows)
{
    int code = MPI_SUCCESS;
    for (uint32_t w = 0; w < windows && code == MPI_SUCCESS; w++)
        code = MPI_Alltoall(run->world->out, (int)run->size_bytes, MPI_BYTE, run->world->in,
                            (int)run->size_bytes, MPI_BYTE, run->group);
    return ert_net_check(code, run->report->reason);
}

/* The i-th word that rank a sends to rank b. */
static uint64_t word_of(uint64_t seed, int a, int b, size_t i)
{
    return ert_random_u64(seed + ((uint64_t)a << 32) + (uint64_t)b, i);
}

static void fill_alltoall(struct run *run, uint64_t seed)
{
    size_t words = run->size_bytes / 8;
    for (int j = 0; j < run->n; j++)
        for (size_t i = 0; i < words; i++)
            run->world->out[(size_t)j * words + i] = word_of(seed, run->rank, j, i);
}

static bool check_alltoall(struct run *run, uint64_t seed)
{
    size_t words = run->size_bytes / 8;
    for (int j = 0; j < run->n; j++)
        for (size_t i = 0; i < words; i++)
            if (run->world->in[(size_t)j * words + i] != word_of(seed, j, run->rank, i))
                return false;
    return true;
}

static enum ert_net_state allreduce(struct run *run, uint32_t windows)
{
    int code = MPI_SUCCESS;
    for (uint32_t w = 0; w < windows && code == MPI_SUCCESS; w++)
        code = MPI_Allreduce(run->world->out, run->world->in,
                             (int)(run->size_bytes / sizeof(double)), MPI_DOUBLE, MPI_SUM,
                             run->group);
    return ert_net_check(code, run->report->reason);
}

/* Integers, whose sums a double represents exactly: (rank + 1) times a number that depends on i. */
static double group_number_of(uint64_t seed, size_t i)
{
    return (double)(1 + (ert_random_u64(seed, i) & 0xffff));
}

static void fill_allreduce(struct run *run, uint64_t seed)
{
    for (size_t i = 0; i < run->size_bytes / 8; i++) {
        double value = (run->rank + 1) * group_number_of(seed, i);
        memcpy(&run->world->out[i], &value, sizeof value);
    }
}

static bool check_allreduce(struct run *run, uint64_t seed)
{
    for (size_t i = 0; i < run->size_bytes / 8; i++) {
        double value, sum = 0.5 * run->n * (run->n + 1.0) * group_number_of(seed, i);
        memcpy(&value, &run->world->in[i], sizeof value);
        if (value != sum)
            return false;
    }
    return true;
}

static double sent_to_all(const struct run *run)
{
    return (double)run->size_bytes * (run->n - 1);
}

static double time_itself(const struct run *run)
{
    (void)run;
    return 0;
}

/* nccl-tests, doc/PERFORMANCE.md: the rate of a link, of which an algorithm must use each direction. */
static double bus(const struct run *run)
{
    return 2.0 * (run->n - 1) / run->n * (double)run->size_bytes;
}

static const struct kind {
    void (*fill)(struct run *run, uint64_t seed);
    bool (*check)(struct run *run, uint64_t seed);
    enum ert_net_state (*go)(struct run *run, uint32_t windows);
    double (*work)(const struct run *run); /* bytes per window; 0: the value is the time */
} kinds[ERT_NET_N_TESTS] = {
    [ERT_NET_ALLTOALL] = {fill_alltoall,  check_alltoall,  alltoall,  sent_to_all},
    [ERT_NET_ALLREDUCE_TIME] = {fill_allreduce, check_allreduce, allreduce, time_itself},
    [ERT_NET_ALLREDUCE] = {fill_allreduce, check_allreduce, allreduce, bus        },
};

double ert_net_group_size(enum ert_net_test test, uint32_t n, double size_bytes)
{
    double share = floor(ERT_NET_MAX_SIZE / 8.0 / n) * 8;
    if (test == ERT_NET_ALLREDUCE_TIME)
        return ERT_NET_SMALL;
    if (test == ERT_NET_ALLTOALL)
        return share < size_bytes ? share : size_bytes;
    return size_bytes;
}

/* Makes run->group from these ranks; all of them call it. */
static enum ert_net_state group_make(struct run *run, const int *members, int n_members)
{
    const int tag = (int)(run->order->number % 8000);
    MPI_Group all, own;
    MPI_Comm_group(run->world->data, &all);
    MPI_Group_incl(all, n_members, members, &own);
    int code = MPI_Comm_create_group(run->world->data, own, tag, &run->group);
    MPI_Group_free(&own);
    MPI_Group_free(&all);
    if (code != MPI_SUCCESS)
        return ert_net_check(code, run->report->reason);
    MPI_Comm_set_errhandler(run->group, MPI_ERRORS_RETURN);
    MPI_Comm_size(run->group, &run->n);
    MPI_Comm_rank(run->group, &run->rank);
    return ERT_NET_OK;
}

/* The maxima over all ranks of two numbers; gives up at the deadline. */
static enum ert_net_state group_agree(struct run *run, double values[2])
{
    static double own[2], all[2];
    MPI_Request request;
    memcpy(own, values, sizeof own);
    int code = MPI_Iallreduce(own, all, 2, MPI_DOUBLE, MPI_MAX, run->group, &request);
    enum ert_net_state state = ert_net_check(code, run->report->reason);
    if (state == ERT_NET_OK)
        state = ert_net_wait(1, &request, run->deadline_s, run->report->reason);
    memcpy(values, all, sizeof all);
    return state;
}

/* Takes one sample: all ranks begin together, and the time of the slowest counts. */
static enum ert_net_state sample(struct run *run, const struct kind *kind, uint32_t index,
                                 uint32_t windows, double *time_s)
{
    const uint64_t seed = ert_random_u64(run->order->seed, index);
    double values[2] = {0, 0}; /* time, and 1 for wrong data */
    enum ert_net_state state;
    kind->fill(run, seed);
    if ((state = group_agree(run, values)) != ERT_NET_OK) /* a barrier */
        return state;
    double start_s = ert_clock_now_s();
    if ((state = kind->go(run, windows)) != ERT_NET_OK)
        return state;
    values[0] = ert_clock_now_s() - start_s;
    values[1] = !kind->check(run, seed);
    if ((state = group_agree(run, values)) != ERT_NET_OK)
        return state;
    *time_s = values[0];
    if (values[1] == 0)
        return ERT_NET_OK;
    snprintf(run->report->reason, ERT_NET_REASON, "data that were not sent arrived");
    return ERT_NET_WRONG;
}

static enum ert_net_state group_measure(struct run *run, const struct kind *kind,
                                        double *samples, size_t *n)
{
    enum { LEAST = 5, MOST = 40 };
    const double part_s = run->order->time_s / (2 * LEAST);
    double time_s = 0;
    enum ert_net_state state = ERT_NET_OK;
    for (uint32_t i = 0; i < 2 && state == ERT_NET_OK; i++)
        state = sample(run, kind, i, 1, &time_s);
    uint32_t windows = (uint32_t)fmin(fmax(part_s / fmax(time_s, 1e-9), 1), 100000);
    size_t count = (size_t)fmin(
        fmax(run->order->time_s / (windows * fmax(time_s, 1e-9)), LEAST), MOST);
    for (*n = 0; *n < count && state == ERT_NET_OK; (*n)++) {
        state = sample(run, kind, (uint32_t)*n + 2, windows, &time_s);
        double work = kind->work(run);
        samples[*n] = work > 0 ? work * windows / time_s : time_s / windows;
    }
    return state;
}

/* Measures order->test among these ranks, of which the first reports the result, others only failures. */
static void group_test(struct ert_net_world *world, const struct ert_net_order *order,
                       const int *members, int n_members, struct ert_net_report *report)
{
    struct run run = {.world = world,
                      .order = order,
                      .report = report,
                      .size_bytes = (size_t)order->size_bytes,
                      .deadline_s = ert_clock_now_s() + order->deadline_s};
    double samples[64];
    size_t n = 0;
    enum ert_net_state state = group_make(&run, members, n_members);
    if (state == ERT_NET_OK)
        state = group_measure(&run, &kinds[order->test], samples, &n);
    if (state != ERT_NET_OK)
        ert_net_add_failure(report, (enum ert_net_test)order->test, order->size_bytes,
                            state);
    else if (run.rank == 0)
        ert_net_add_samples(report, (enum ert_net_test)order->test, order->size_bytes,
                            samples, n);
}

/* ---- orders ---- */

static void obey_pair(struct ert_net_world *world, const struct ert_net_order *order,
                      struct ert_net_report *report)
{
    enum { TAGS = 8000 }; /* twice as many are below the limit of any MPI */
    struct ert_net_link link = {.comm = world->data,
                                .peer = order->peer,
                                .tag = 2 * (int)(order->number % TAGS),
                                .deadline_s = ert_clock_now_s() + order->deadline_s,
                                .time_s = order->time_s,
                                .seed = order->seed,
                                .out = world->out,
                                .in = world->in,
                                .report = report};
    /* The one that leads first has all results, the other one way back. */
    for (int turn = 0; turn < 2 && !link.is_dead; turn++) {
        if ((int)order->leads == turn) {
            ert_net_follow(&link);
            continue;
        }
        if (turn == 0)
            ert_net_lead_latency(&link);
        ert_net_lead_rate(&link, ERT_NET_ONE_WAY, order->size_bytes);
        if (turn == 0)
            ert_net_lead_rate(&link, ERT_NET_BOTH_WAYS, order->size_bytes);
        ert_net_lead_end(&link);
    }
}

void ert_net_obey(struct ert_net_world *world, const struct ert_net_order *order,
                  const int *members, int n_members, struct ert_net_report *report)
{
    *report = (struct ert_net_report){.number = order->number};
    if (order->kind == ERT_NET_ORDER_TEST)
        group_test(world, order, members, n_members, report);
    else
        obey_pair(world, order, report);
}

void ert_net_serve(struct ert_net_world *world)
{
    int *members = ert_xcalloc((size_t)world->n_ranks, sizeof *members);
    for (;;) {
        static struct ert_net_report report; /* static, in case it is never received */
        struct ert_net_order order;
        MPI_Request request;
        MPI_Status status;
        int n_members = 0;
        MPI_Irecv(&order, sizeof order, MPI_BYTE, 0, ERT_NET_TAG_ORDER, world->control,
                  &request);
        ert_net_guard(0, -1, NULL);
        ert_net_wait_idle(&request, DBL_MAX, report.reason);
        if (order.kind == ERT_NET_ORDER_END)
            break;
        /* rank 0's own guard is earlier, so that it can write its last line */
        ert_net_guard(2 * order.deadline_s + 4 * ERT_NET_GRACE, -1, NULL);
        if (order.kind == ERT_NET_ORDER_TEST) {
            MPI_Recv(members, world->n_ranks, MPI_INT, 0, ERT_NET_TAG_MEMBERS,
                     world->control, &status);
            MPI_Get_count(&status, MPI_INT, &n_members);
        }
        ert_net_obey(world, &order, members, n_members, &report);
        MPI_Send(&report, sizeof report, MPI_BYTE, 0, ERT_NET_TAG_REPORT, world->control);
    }
    free(members);
}
