/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/net/net.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/clock.h"
#include "ert/core/base/config.h"
#include "ert/core/base/random.h"
#include "ert/ext/fleet/hosts.h"
#include "ert/ext/fleet/links.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct master {
    struct ert_net_world *world;
    const struct ert_net_plan *plan;
    FILE *out;
    struct ert_net_outcome *outcome;
    bool *is_lost;                /* did not report */
    struct ert_net_order *orders; /* of each rank in this round */
    struct ert_net_report *reports;
    bool *has_reported;
    MPI_Request *requests; /* one for the order and one for the report of each rank */
    uint32_t number, round;
    double start_s;
    char interrupted[256]; /* the last line, in case the guard must write it */
};

static enum ert_status master_write_record(struct master *master,
                                           const struct ert_net_record *record,
                                           struct ert_error *error)
{
    ERT_TRY(ert_net_record_write(master->out, record, error));
    if (fflush(master->out) == 0 && !ferror(master->out))
        return ERT_OK;
    return ert_fail(error, ERT_FAILED, "the results cannot be written: %s",
                    strerror(errno));
}

/* Keeps the result, and for the first bad one its description. */
static void master_keep(struct master *master, const struct ert_net_record *record,
                        bool is_own)
{
    struct ert_net_outcome *outcome = master->outcome;
    if (record->state == ERT_NET_OK) {
        outcome->values = ert_xgrow(outcome->values, outcome->n, &outcome->capacity,
                                    sizeof *outcome->values);
        outcome->values[outcome->n++] =
            (struct ert_net_value){record->test, record->size_bytes, record->value, is_own};
        return;
    }
    outcome->n_undone += record->state != ERT_NET_WRONG;
    if (outcome->n_bad++ == 0)
        snprintf(outcome->first_bad, sizeof outcome->first_bad, "%s - %s: %s: %s",
                 record->a, record->b, ert_net_test_words[record->test], record->reason);
}

static enum ert_status write_result(struct master *master, uint32_t a, uint32_t b,
                                    const struct ert_net_result *result, const char *reason,
                                    struct ert_error *error)
{
    struct ert_net_record record = {.line = ERT_NET_PAIR,
                                    .round = master->round,
                                    .test = (enum ert_net_test)result->test,
                                    .size_bytes = result->size_bytes,
                                    .value = result->value,
                                    .low = result->low,
                                    .high = result->high,
                                    .n = result->n,
                                    .state = (enum ert_net_state)result->state};
    if (record.state != ERT_NET_OK)
        snprintf(record.reason, sizeof record.reason, "%.159s", reason);
    memcpy(record.a, master->world->hosts[a], sizeof record.a);
    memcpy(record.b, master->world->hosts[b], sizeof record.b);
    master_keep(master, &record, a == 0);
    return master_write_record(master, &record, error);
}

/* Sets the guard to time_s from now; the last line has the elapsed time at that moment. */
static void guard(struct master *master, double time_s)
{
    const struct ert_net_record end = {.line = ERT_NET_END,
                                       .status = ERT_NET_INTERRUPTED,
                                       .elapsed_s =
                                           ert_clock_now_s() - master->start_s + time_s};
    FILE *text = fmemopen(master->interrupted, sizeof master->interrupted, "w");
    if (text) {
        ert_net_record_write(text, &end, NULL);
        fclose(text);
    }
    ert_net_guard(time_s, fileno(master->out), master->interrupted);
}

/* Sends the orders, obeys this rank's own, and collects reports until the deadline and the grace after it. */
static void run_round(struct master *master, double deadline_s)
{
    struct ert_net_world *world = master->world;
    const int n = world->n_ranks;
    char reason[ERT_NET_REASON];
    const double end_s = ert_clock_now_s() + deadline_s + ERT_NET_GRACE;
    guard(master, deadline_s + 2 * ERT_NET_GRACE);
    for (int r = 0; r < n; r++) {
        MPI_Request *own = &master->requests[2 * r];
        own[0] = own[1] = MPI_REQUEST_NULL;
        master->has_reported[r] = false;
        if (r == 0 || master->orders[r].kind == ERT_NET_ORDER_NONE)
            continue;
        if (master->orders[r].kind != ERT_NET_ORDER_END)
            MPI_Irecv(&master->reports[r], sizeof master->reports[r], MPI_BYTE, r,
                      ERT_NET_TAG_REPORT, world->control, &own[1]);
        MPI_Isend(&master->orders[r], sizeof master->orders[r], MPI_BYTE, r,
                  ERT_NET_TAG_ORDER, world->control, &own[0]);
    }
    if (master->orders[0].kind == ERT_NET_ORDER_PAIR)
        ert_net_obey(world, &master->orders[0], &master->reports[0]);
    ert_net_wait(2 * n, master->requests, end_s, reason);
    for (int r = 0; r < n; r++) { /* MPI_Testall() does not tell which */
        int is_done = 0;
        MPI_Test(&master->requests[2 * r + 1], &is_done, MPI_STATUS_IGNORE);
        master->has_reported[r] = is_done;
    }
    ert_net_guard(0, -1, NULL);
}

static void clear_orders(struct master *master)
{
    memset(master->orders, 0, (size_t)master->world->n_ranks * sizeof *master->orders);
    master->number++;
}

static void order_pair(struct master *master, const struct ert_pair *pair)
{
    const int ranks[2] = {master->world->ranks[pair->a], master->world->ranks[pair->b]};
    for (int side = 0; side < 2; side++)
        master->orders[ranks[side]] = (struct ert_net_order){
            .number = master->number,
            .kind = ERT_NET_ORDER_PAIR,
            .peer = ranks[!side],
            .leads = side == 0,
            .size_bytes = (double)master->plan->size_bytes,
            .time_s = master->plan->time_s,
            .deadline_s = master->plan->deadline_s,
            .seed =
                ert_random_u64(master->plan->seed + master->number, (uint64_t)ranks[0])};
}

/* Writes one result for a pair that lost a host, which gets no more orders. */
static enum ert_status write_lost(struct master *master, const struct ert_pair *pair,
                                  uint32_t lost, struct ert_error *error)
{
    const struct ert_net_result result = {.test = ERT_NET_LATENCY,
                                          .state = ERT_NET_TIMEOUT};
    char reason[ERT_NET_REASON];
    master->is_lost[lost] = true;
    snprintf(reason, sizeof reason, "%.63s did not report, and is asked no more",
             master->world->hosts[lost]);
    return write_result(master, pair->a, pair->b, &result, reason, error);
}

/* The first host of the pair that did not report, or ERT_PAIR_NONE. */
static uint32_t lost_of(const struct master *master, const struct ert_pair *pair)
{
    return !master->has_reported[master->world->ranks[pair->a]]   ? pair->a
           : !master->has_reported[master->world->ranks[pair->b]] ? pair->b
                                                                  : ERT_PAIR_NONE;
}

static enum ert_status write_pair(struct master *master, const struct ert_pair *pair,
                                  struct ert_error *error)
{
    const struct ert_net_report *sides[2] = {
        &master->reports[master->world->ranks[pair->a]],
        &master->reports[master->world->ranks[pair->b]]};
    bool is_ok = true;
    for (int side = 0; side < 2; side++)
        for (uint32_t i = 0; i < sides[side]->n; i++) {
            const struct ert_net_result *result = &sides[side]->results[i];
            is_ok = is_ok && result->state == ERT_NET_OK;
            ERT_TRY(write_result(master, side ? pair->b : pair->a, side ? pair->a : pair->b,
                                 result, sides[side]->reason, error));
        }
    const struct ert_net_result back = {.test = ERT_NET_ONE_WAY,
                                        .size_bytes = (double)master->plan->size_bytes,
                                        .state = ERT_NET_TIMEOUT};
    if (is_ok && sides[1]->n == 0)
        return write_result(master, pair->b, pair->a, &back, "its turn to send never came",
                            error);
    return ERT_OK;
}

/* Measures disjoint pairs at once, except those with a lost host. */
static enum ert_status master_measure_at_once(struct master *master,
                                              const struct ert_pair *pairs, size_t n,
                                              struct ert_error *error)
{
    enum ert_status status = ERT_OK;
    clear_orders(master);
    for (size_t i = 0; i < n; i++)
        if (!master->is_lost[pairs[i].a] && !master->is_lost[pairs[i].b])
            order_pair(master, &pairs[i]);
    run_round(master, master->plan->deadline_s);
    for (size_t i = 0; i < n && status == ERT_OK; i++) {
        uint32_t lost = lost_of(master, &pairs[i]);
        if (master->orders[master->world->ranks[pairs[i].a]].kind == ERT_NET_ORDER_NONE)
            continue;
        status = lost != ERT_PAIR_NONE ? write_lost(master, &pairs[i], lost, error)
                                       : write_pair(master, &pairs[i], error);
    }
    return status;
}

/* The same, but one pair after the other if ranks share CPUs. */
static enum ert_status measure_pairs(struct master *master, const struct ert_pair *pairs,
                                     size_t n, struct ert_error *error)
{
    const size_t n_at_once = master->world->is_shared ? 1 : n;
    for (size_t i = 0; i < n; i += n_at_once)
        ERT_TRY(master_measure_at_once(master, pairs + i, n_at_once, error));
    return ERT_OK;
}

/* The disjoint pairs of a round, by the circle method. */
static size_t pairs_of(const struct ert_pair_rounds *rounds, uint32_t round,
                       struct ert_pair *pairs)
{
    uint32_t *partner = ert_xcalloc(rounds->n_hosts, sizeof *partner);
    size_t n = 0;
    ert_pair_rounds_partners(rounds, round, partner);
    for (uint32_t a = 0; a < rounds->n_hosts; a++)
        if (partner[a] != ERT_PAIR_NONE && a < partner[a])
            pairs[n++] = (struct ert_pair){a, partner[a]};
    free(partner);
    return n;
}

static enum ert_status write_run(struct master *master, struct ert_error *error)
{
    const struct ert_net_world *world = master->world;
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(mpi, &length);
    struct ert_net_record record = {.line = ERT_NET_RUN,
                                    .tool = PACKAGE_VERSION,
                                    .hosts = world->hosts,
                                    .n_hosts = world->n_hosts,
                                    .shares_cpus = world->is_shared,
                                    .seed = master->plan->seed};
    ert_clock_date(record.created, sizeof record.created);
    snprintf(record.job, sizeof record.job, "%.63s", ert_host_job());
    snprintf(record.mpi, sizeof record.mpi, "%.*s", (int)strcspn(mpi, ",\n"), mpi);
    if (strchr(record.mpi, '\t')) /* "MPICH Version:\t4.0.2" */
        *strchr(record.mpi, '\t') = ' ';
    return master_write_record(master, &record, error);
}

static enum ert_status measure_all(struct master *master, struct ert_error *error)
{
    struct ert_pair_rounds rounds;
    const uint32_t n_hosts = master->world->n_hosts;
    struct ert_pair *pairs = ert_xcalloc(n_hosts, sizeof *pairs);
    enum ert_status status = ERT_OK;
    ert_pair_rounds_make(n_hosts, ert_pair_rounds_default(n_hosts), master->plan->seed,
                         &rounds);
    for (uint32_t r = 0; r < rounds.n_rounds && status == ERT_OK; r++) {
        const size_t n = pairs_of(&rounds, r, pairs);
        master->round = r + 1;
        status = measure_pairs(master, pairs, n, error);
    }
    ert_pair_rounds_free(&rounds);
    free(pairs);
    return status;
}

/* Tells the remaining ranks to end. */
static void dismiss(struct master *master)
{
    clear_orders(master);
    for (int r = 1; r < master->world->n_ranks; r++)
        master->orders[r].kind = ERT_NET_ORDER_END;
    run_round(master, master->plan->deadline_s);
}

enum ert_status ert_net_measure(struct ert_net_world *world,
                                const struct ert_net_plan *plan, FILE *out,
                                struct ert_net_outcome *outcome, struct ert_error *error)
{
    const size_t n = (size_t)world->n_ranks;
    struct master master = {.world = world,
                            .plan = plan,
                            .out = out,
                            .outcome = outcome,
                            .is_lost = ert_xcalloc(world->n_hosts, sizeof(bool)),
                            .orders = ert_xcalloc(n, sizeof *master.orders),
                            .reports = ert_xcalloc(n, sizeof *master.reports),
                            .has_reported = ert_xcalloc(n, sizeof(bool)),
                            .requests = ert_xcalloc(2 * n, sizeof *master.requests),
                            .start_s = ert_clock_now_s()};
    *outcome = (struct ert_net_outcome){0};
    enum ert_status status = write_run(&master, error);
    if (status == ERT_OK)
        status = measure_all(&master, error);
    const struct ert_net_record end = {.line = ERT_NET_END,
                                       .status = status == ERT_OK ? ERT_NET_COMPLETE
                                                                  : ERT_NET_INTERRUPTED,
                                       .elapsed_s = ert_clock_now_s() - master.start_s};
    enum ert_status written =
        master_write_record(&master, &end, status == ERT_OK ? error : NULL);
    if (outcome->n_undone == 0)
        dismiss(&master);
    /* buffers that MPI may still write to are not freed */
    free(master.has_reported);
    return status == ERT_OK ? written : status;
}
