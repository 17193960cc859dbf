/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/net/net.h"

#include "ert/core/base/clock.h"
#include "ert/core/base/random.h"
#include "ert/core/stats/stats.h"

#include <string.h>

enum {
    WINDOW = 64, /* messages in flight, as in the OSU benchmarks */
    SMALL = 8,   /* bytes of messages for latency */
    /* Bytes, used in turn: data of a window are distinct up to this size. */
    BUFFER = 1 << 20
};

struct link {
    MPI_Comm comm;
    int peer, tag;      /* tag and tag + 1 are used only in this round */
    double deadline_s;  /* in terms of ert_clock_now_s() */
    double time_s;      /* for each result */
    uint64_t seed;      /* of the data; equal on both sides */
    uint64_t *out, *in; /* ERT_NET_MAX_SIZE bytes each */
    uint32_t n_steps;
    bool is_dead; /* after a timeout or an MPI error nothing more can be measured */
    struct ert_net_report *report; /* results are added here */
};

/* What both sides do next. */
enum step_kind { STEP_PING, STEP_STREAM, STEP_DUPLEX, STEP_END };

struct step {
    uint32_t kind, count, windows, size_bytes;
    uint64_t seed;
};

enum { LEAST_SAMPLES = 5, MOST_SAMPLES = 40 };

/* Cancels receives at the deadline: late messages must not arrive in a buffer that the next pair uses. */
static enum ert_net_state link_withdraw(enum ert_net_state state, uint32_t n,
                                        MPI_Request *receives)
{
    for (uint32_t i = 0; i < n && state != ERT_NET_OK; i++)
        if (receives[i] != MPI_REQUEST_NULL) {
            MPI_Cancel(&receives[i]);
            MPI_Request_free(&receives[i]);
        }
    return state;
}

static enum ert_net_state link_post(struct link *link, bool sends, int tag, void *at,
                                    size_t bytes, MPI_Request *request)
{
    return ert_net_check(
        sends ? MPI_Isend(at, (int)bytes, MPI_BYTE, link->peer, tag, link->comm, request)
              : MPI_Irecv(at, (int)bytes, MPI_BYTE, link->peer, tag, link->comm, request),
        link->report->reason);
}

static enum ert_net_state link_move(struct link *link, bool sends, int tag, void *at,
                                    size_t bytes)
{
    MPI_Request request;
    enum ert_net_state state = link_post(link, sends, tag, at, bytes, &request);
    if (state != ERT_NET_OK)
        return state;
    state = ert_net_wait(1, &request, link->deadline_s, link->report->reason);
    return link_withdraw(state, !sends, &request);
}

/* Sends or receives a control message, which can outlive a deadline: so its memory is static. */
static enum ert_net_state link_control(struct link *link, bool sends, void *what,
                                       size_t bytes)
{
    static char kept[64][sizeof(struct step)];
    static unsigned at;
    char *copy = kept[at++ % 64];
    memcpy(copy, what, bytes);
    enum ert_net_state state = link_move(link, sends, link->tag, copy, bytes);
    if (!sends)
        memcpy(what, copy, bytes);
    return state;
}

/* The number of parts of the buffer, which the messages of a window use in turn. */
static size_t step_slots(const struct step *step)
{
    size_t slots = BUFFER / step->size_bytes;
    return slots == 0 ? 1 : slots < step->count ? slots : step->count;
}

/* Posts a window of messages to or from the peer. */
static enum ert_net_state link_post_window(struct link *link, const struct step *step,
                                           bool sends, MPI_Request *requests)
{
    char *at = (char *)(sends ? link->out : link->in);
    enum ert_net_state state = ERT_NET_OK;
    for (uint32_t i = 0; i < step->count && state == ERT_NET_OK; i++)
        state = link_post(link, sends, link->tag + 1,
                          at + i % step_slots(step) * step->size_bytes, step->size_bytes,
                          &requests[i]);
    return state;
}

/* Round trips; each message has its own word, which is checked at once. */
static enum ert_net_state link_ping(struct link *link, const struct step *step, bool leads,
                                    bool *is_right)
{
    enum ert_net_state state = ERT_NET_OK;
    for (uint32_t i = 0; i < step->count && state == ERT_NET_OK; i++) {
        const uint64_t word = ert_random_u64(step->seed, i);
        *link->out = leads ? word : ~word;
        for (int turn = 0; turn < 2 && state == ERT_NET_OK; turn++) {
            const bool sends = leads == (turn == 0);
            state =
                link_move(link, sends, link->tag + 1, sends ? link->out : link->in, SMALL);
        }
        if (state == ERT_NET_OK && *link->in != (leads ? ~word : word))
            *is_right = false;
    }
    return state;
}

/* Runs windows sent by one side or both. The follower answers each with 8 bytes; or both wait for both. */
static enum ert_net_state link_stream(struct link *link, const struct step *step,
                                      bool leads)
{
    static MPI_Request requests[2 * WINDOW];
    static uint64_t answer;
    const bool both = step->kind == STEP_DUPLEX, receives = both || !leads;
    const int n = (int)step->count * (both ? 2 : 1);
    enum ert_net_state state = ERT_NET_OK;
    for (uint32_t w = 0; w < step->windows && state == ERT_NET_OK; w++) {
        if (receives)
            state = link_post_window(link, step, false, requests);
        if ((both || leads) && state == ERT_NET_OK)
            state =
                link_post_window(link, step, true, requests + (receives ? step->count : 0));
        if (state == ERT_NET_OK)
            state = link_withdraw(
                ert_net_wait(n, requests, link->deadline_s, link->report->reason),
                receives ? step->count : 0, requests);
        if (!both && state == ERT_NET_OK)
            state = link_move(link, !leads, link->tag + 1, &answer, sizeof answer);
    }
    return state;
}

/* Does a step, whose time it takes; *is_right: what arrived are the words of its direction. */
static enum ert_net_state link_perform(struct link *link, const struct step *step,
                                       bool leads, bool *is_right, double *time_s)
{
    const size_t n = step_slots(step) * step->size_bytes / sizeof *link->in;
    const bool is_ping = step->kind == STEP_PING,
               receives = !is_ping && (!leads || step->kind == STEP_DUPLEX);
    const double start_s = ert_clock_now_s();
    *is_right = true;
    enum ert_net_state state =
        is_ping ? link_ping(link, step, leads, is_right) : link_stream(link, step, leads);
    *time_s = ert_clock_now_s() - start_s;
    for (size_t i = 0; i < n && receives && state == ERT_NET_OK && *is_right; i++)
        *is_right = link->in[i] == ert_random_u64(step->seed + (leads ? 2 : 1), i);
    return state;
}

/* Both sides fill in their words before a step is timed. */
static void link_fill(struct link *link, const struct step *step, bool leads)
{
    const size_t n = step_slots(step) * step->size_bytes / sizeof *link->out;
    for (size_t i = 0; i < n && step->kind != STEP_PING; i++)
        link->out[i] = ert_random_u64(step->seed + (leads ? 1 : 2), i);
}

/* The leader's part of a step: announces it, waits for the follower, does it, and gets the verdict. */
static enum ert_net_state link_lead(struct link *link, struct step *step, double *time_s)
{
    uint64_t answer = 0;
    bool is_right;
    enum ert_net_state state;
    *time_s = 0;
    step->seed = ert_random_u64(link->seed, link->n_steps++);
    link_fill(link, step, true);
    if ((state = link_control(link, true, step, sizeof *step)) != ERT_NET_OK ||
        (state = link_control(link, false, &answer, sizeof answer)) != ERT_NET_OK)
        return state;
    if ((state = link_perform(link, step, true, &is_right, time_s)) != ERT_NET_OK ||
        (state = link_control(link, false, &answer, sizeof answer)) != ERT_NET_OK)
        return state;
    if (is_right && answer == step->seed)
        return ERT_NET_OK;
    snprintf(link->report->reason, ERT_NET_REASON, "data that were not sent arrived%s",
             is_right ? "" : ", in the answers");
    return ERT_NET_WRONG;
}

/* The follower's part of all steps; adds no result. */
static void link_follow(struct link *link)
{
    enum ert_net_state state = ERT_NET_OK;
    while (state == ERT_NET_OK) {
        struct step step = {0};
        bool is_right;
        double time_s;
        if ((state = link_control(link, false, &step, sizeof step)) != ERT_NET_OK ||
            step.kind == STEP_END)
            break;
        link_fill(link, &step, false);
        if ((state = link_control(link, true, &step.seed, sizeof step.seed)) !=
                ERT_NET_OK ||
            (state = link_perform(link, &step, false, &is_right, &time_s)) != ERT_NET_OK)
            break;
        uint64_t verdict = is_right ? step.seed : ~step.seed;
        state = link_control(link, true, &verdict, sizeof verdict);
    }
    link->is_dead = state != ERT_NET_OK;
}

static struct ert_net_result *report_add(struct ert_net_report *report,
                                         enum ert_net_test test, double size_bytes)
{
    struct ert_net_result *result = &report->results[report->n];
    if (report->n + 1 < ERT_NET_MAX_RESULTS)
        report->n++;
    *result = (struct ert_net_result){.test = test, .size_bytes = size_bytes};
    return result;
}

/* Adds a result from samples in the unit of the test; none after a failure, which is one. */
static void report_add_samples(struct ert_net_report *report, enum ert_net_test test,
                               double size_bytes, const double *samples, size_t n)
{
    if (n == 0)
        return;
    enum ert_better better =
        strcmp(ert_net_test_unit(test), "s") == 0 ? ERT_BETTER_LOW : ERT_BETTER_HIGH;
    struct ert_estimate estimate = ert_estimate_make(samples, n, better);
    struct ert_net_result *result = report_add(report, test, size_bytes);
    result->n = (uint32_t)n;
    result->value = estimate.value;
    result->low = estimate.low;
    result->high = estimate.high;
}

static uint32_t clamp_count(double count, uint32_t most)
{
    return count < 1 ? 1 : count > most ? most : (uint32_t)count;
}

/* The length of a sample, of which twice the least number fill the time of a result. */
static double link_sample_s(const struct link *link)
{
    return link->time_s / (2 * LEAST_SAMPLES);
}

/* Does a step; if it fails, adds a result and returns false. */
static bool link_try(struct link *link, enum ert_net_test test, struct step *step,
                     double *time_s)
{
    enum ert_net_state state = link_lead(link, step, time_s);
    *time_s = *time_s > 1e-9 ? *time_s : 1e-9;
    if (state == ERT_NET_OK)
        return true;
    report_add(link->report, test, step->size_bytes)->state = state;
    link->is_dead = state != ERT_NET_WRONG;
    return false;
}

/* Times a step; does it twice, since the first time includes setting up. */
static bool link_probe(struct link *link, enum ert_net_test test, struct step *step,
                       double *time_s)
{
    return link_try(link, test, step, time_s) && link_try(link, test, step, time_s);
}

/* Takes samples of a step until the time is over; 0 after a failure. */
static size_t link_sample(struct link *link, enum ert_net_test test, struct step *step,
                          double times_s[MOST_SAMPLES])
{
    const double end_s = ert_clock_now_s() + link->time_s;
    size_t n = 0;
    while (n < MOST_SAMPLES && (n < LEAST_SAMPLES || ert_clock_now_s() < end_s))
        if (!link_try(link, test, step, &times_s[n++]))
            return 0;
    return n;
}

/* Adds a result, or one with the reason for a failure; nothing if the link is dead. */
static void link_lead_latency(struct link *link)
{
    enum { PROBE = 4, MOST = 100000 };
    struct step step = {.kind = STEP_PING, .count = PROBE, .size_bytes = SMALL};
    double times_s[MOST_SAMPLES], time_s;
    if (link->is_dead || !link_probe(link, ERT_NET_LATENCY, &step, &time_s))
        return;
    step.count = clamp_count(link_sample_s(link) * PROBE / time_s, MOST);
    const size_t n = link_sample(link, ERT_NET_LATENCY, &step, times_s);
    for (size_t i = 0; i < n; i++)
        times_s[i] /= 2.0 * step.count;
    report_add_samples(link->report, ERT_NET_LATENCY, SMALL, times_s, n);
}

/* The same of windows of WINDOW messages, or of fewer if these take longer than time_s. */
static void link_lead_rate(struct link *link, enum ert_net_test test, double size_bytes)
{
    enum { MOST = 10000 };
    const bool both = test == ERT_NET_BOTH_WAYS;
    struct step step = {.kind = both ? STEP_DUPLEX : STEP_STREAM,
                        .count = 1,
                        .windows = 1,
                        .size_bytes = (uint32_t)size_bytes};
    double rates[MOST_SAMPLES], time_s;
    if (link->is_dead || !link_probe(link, test, &step, &time_s))
        return;
    step.count = clamp_count(link->time_s / time_s, WINDOW);
    if (!link_probe(link, test, &step, &time_s))
        return;
    step.windows = clamp_count(link_sample_s(link) / time_s, MOST);
    const size_t n = link_sample(link, test, &step, rates);
    for (size_t i = 0; i < n; i++)
        rates[i] = size_bytes * step.count * step.windows * (both ? 2 : 1) / rates[i];
    report_add_samples(link->report, test, size_bytes, rates, n);
}

void ert_net_obey(struct ert_net_world *world, const struct ert_net_order *order,
                  struct ert_net_report *report)
{
    enum { TAGS = 8000 }; /* twice as many are below the limit of any MPI */
    *report = (struct ert_net_report){.n = 0};
    struct link link = {.comm = world->data,
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
            link_follow(&link);
            continue;
        }
        if (turn == 0)
            link_lead_latency(&link);
        link_lead_rate(&link, ERT_NET_ONE_WAY, order->size_bytes);
        if (turn == 0)
            link_lead_rate(&link, ERT_NET_BOTH_WAYS, order->size_bytes);
        if (!link.is_dead)
            link_control(&link, true, &(struct step){.kind = STEP_END},
                         sizeof(struct step));
    }
}

void ert_net_serve(struct ert_net_world *world)
{
    for (;;) {
        static struct ert_net_report report; /* static, in case it is never received */
        struct ert_net_order order;
        MPI_Request request;
        MPI_Irecv(&order, sizeof order, MPI_BYTE, 0, ERT_NET_TAG_ORDER, world->control,
                  &request);
        ert_net_guard(0, -1, NULL);
        ert_net_wait_idle(&request, report.reason);
        if (order.kind == ERT_NET_ORDER_END)
            break;
        /* rank 0's own guard is earlier, so that it can write its last line */
        ert_net_guard(2 * order.deadline_s + 4 * ERT_NET_GRACE, -1, NULL);
        ert_net_obey(world, &order, &report);
        MPI_Send(&report, sizeof report, MPI_BYTE, 0, ERT_NET_TAG_REPORT, world->control);
    }
}
