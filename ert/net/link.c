/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/net/link.h"

#include "ert/base/clock.h"
#include "ert/base/random.h"
#include "ert/net/wait.h"
#include "ert/stats/stats.h"

#include <math.h>
#include <string.h>

/* What both sides do next. */
enum step_kind { STEP_PING, STEP_STREAM, STEP_DUPLEX, STEP_END };

struct step {
    uint32_t kind, count, windows, size_bytes;
    uint64_t seed;
};

/* The leader's measurements of a step. */
struct seen {
    double time_s;
    double *each; /* ping: each round trip; NULL: do not time each */
};

enum { LEAST_SAMPLES = 5, MOST_SAMPLES = 40 };

/* Cancels receives at the deadline: late messages must not arrive in a buffer that the next pair uses. */
static enum ert_net_state withdraw(enum ert_net_state state, uint32_t n,
                                   MPI_Request *receives)
{
    for (uint32_t i = 0; i < n && state != ERT_NET_OK; i++)
        if (receives[i] != MPI_REQUEST_NULL) {
            MPI_Cancel(&receives[i]);
            MPI_Request_free(&receives[i]);
        }
    return state;
}

static enum ert_net_state one(struct ert_net_link *link, bool sends, int tag, void *at,
                              size_t bytes)
{
    MPI_Request request;
    int code =
        sends ? MPI_Isend(at, (int)bytes, MPI_BYTE, link->peer, tag, link->comm, &request)
              : MPI_Irecv(at, (int)bytes, MPI_BYTE, link->peer, tag, link->comm, &request);
    enum ert_net_state state = ert_net_check(code, link->report->reason);
    if (state == ERT_NET_OK)
        state = withdraw(ert_net_wait(1, &request, link->deadline_s, link->report->reason),
                         !sends, &request);
    return state;
}

/* Control messages can outlive a deadline, so their memory is static. */
static enum ert_net_state tell(struct ert_net_link *link, const void *what, size_t bytes)
{
    static char kept[64][sizeof(struct step)];
    static unsigned at;
    char *copy = kept[at++ % 64];
    memcpy(copy, what, bytes);
    return one(link, true, link->tag, copy, bytes);
}

static enum ert_net_state hear(struct ert_net_link *link, void *what, size_t bytes)
{
    static char kept[64][sizeof(struct step)];
    static unsigned at;
    char *copy = kept[at++ % 64];
    enum ert_net_state state = one(link, false, link->tag, copy, bytes);
    memcpy(what, copy, bytes);
    return state;
}

/* The number of parts of the buffer, which the messages of a window use in turn. */
static size_t slots_of(const struct step *step)
{
    size_t slots = ERT_NET_BUFFER / step->size_bytes;
    return slots == 0 ? 1 : slots < step->count ? slots : step->count;
}

static void *slot(const struct ert_net_buffer *buffer, const struct step *step, size_t i)
{
    return (char *)buffer->at + i % slots_of(step) * step->size_bytes;
}

/* Posts a window of messages to or from the peer. */
static enum ert_net_state post(struct ert_net_link *link, const struct step *step,
                               bool sends, MPI_Request *requests)
{
    for (uint32_t i = 0; i < step->count; i++) {
        int code =
            sends ? MPI_Isend(slot(link->out, step, i), (int)step->size_bytes, MPI_BYTE,
                              link->peer, link->tag + 1, link->comm, &requests[i])
                  : MPI_Irecv(slot(link->in, step, i), (int)step->size_bytes, MPI_BYTE,
                              link->peer, link->tag + 1, link->comm, &requests[i]);
        if (code != MPI_SUCCESS)
            return ert_net_check(code, link->report->reason);
    }
    return ERT_NET_OK;
}

/*
 * Does one round trip. In host memory each message has its own word, which is checked at once; in GPU memory
 * messages have the step's words, which are checked at the end of the step.
 */
static enum ert_net_state ping(struct ert_net_link *link, const struct step *step,
                               bool leads, uint32_t i, bool *is_right)
{
    MPI_Request requests[2];
    char *reason = link->report->reason;
    const bool is_host = link->in->memory == ERT_NET_HOST_MEMORY;
    const uint64_t word = ert_random_u64(step->seed, i);
    enum ert_net_state state;
    int code = MPI_Irecv(link->in->at, ERT_NET_SMALL, MPI_BYTE, link->peer, link->tag + 1,
                         link->comm, &requests[0]);
    requests[1] = MPI_REQUEST_NULL;
    if (!leads && code == MPI_SUCCESS &&
        (state = ert_net_wait(1, requests, link->deadline_s, reason)) != ERT_NET_OK)
        return withdraw(state, 1, requests);
    if (is_host)
        *link->out->host = leads ? word : ~word;
    if (code == MPI_SUCCESS)
        code = MPI_Isend(link->out->at, ERT_NET_SMALL, MPI_BYTE, link->peer, link->tag + 1,
                         link->comm, &requests[1]);
    if (code != MPI_SUCCESS)
        return ert_net_check(code, reason);
    state = ert_net_wait(2, requests, link->deadline_s, reason);
    if (is_host && *link->in->host != (leads ? ~word : word))
        *is_right = false;
    return withdraw(state, 1, requests);
}

static enum ert_net_state run_ping(struct ert_net_link *link, const struct step *step,
                                   bool leads, struct seen *seen, bool *is_right)
{
    enum ert_net_state state = ERT_NET_OK;
    const double start_s = ert_clock_now_s();
    double last_s = start_s;
    for (uint32_t i = 0; i < step->count && state == ERT_NET_OK; i++) {
        state = ping(link, step, leads, i, is_right);
        if (seen && seen->each) {
            double now_s = ert_clock_now_s();
            seen->each[i] = now_s - last_s;
            last_s = now_s;
        }
    }
    if (seen)
        seen->time_s = ert_clock_now_s() - start_s;
    return state;
}

/* Runs windows sent by one side or both. The follower answers each with 8 bytes; or both wait for both. */
static enum ert_net_state run_windows(struct ert_net_link *link, const struct step *step,
                                      bool leads, struct seen *seen)
{
    static MPI_Request requests[2 * ERT_NET_WINDOW + 1];
    static uint64_t answer;
    const bool both = step->kind == STEP_DUPLEX, sends = both || leads;
    const int n = (int)step->count * (both ? 2 : 1);
    enum ert_net_state state = ERT_NET_OK;
    const double start_s = ert_clock_now_s();
    for (uint32_t w = 0; w < step->windows && state == ERT_NET_OK; w++) {
        MPI_Request *next = requests;
        if (both || !leads) {
            state = post(link, step, false, next);
            next += step->count;
        }
        if (sends && state == ERT_NET_OK)
            state = post(link, step, true, next);
        if (state == ERT_NET_OK)
            state =
                withdraw(ert_net_wait(n, requests, link->deadline_s, link->report->reason),
                         both || !leads ? step->count : 0, requests);
        if (!both && state == ERT_NET_OK)
            state = one(link, !leads, link->tag + 1, &answer, sizeof answer);
    }
    if (seen)
        seen->time_s = ert_clock_now_s() - start_s;
    return state;
}

static size_t bytes_of(const struct step *step)
{
    return step->kind == STEP_PING ? ERT_NET_SMALL : slots_of(step) * step->size_bytes;
}

/* Fills in the words of a direction; pings in host memory write and check their own. */
static bool fill(struct ert_net_link *link, const struct step *step, bool leads)
{
    return ert_net_buffer_fill(link->out, bytes_of(step), step->seed + (leads ? 1 : 2));
}

static bool check(struct ert_net_link *link, const struct step *step, bool leads)
{
    bool receives = !leads || step->kind != STEP_STREAM;
    if (!receives || (step->kind == STEP_PING && link->in->memory == ERT_NET_HOST_MEMORY))
        return true;
    return ert_net_buffer_check(link->in, bytes_of(step), step->seed + (leads ? 2 : 1));
}

static enum ert_net_state perform(struct ert_net_link *link, const struct step *step,
                                  bool leads, struct seen *seen, bool *is_right)
{
    *is_right = true;
    enum ert_net_state state = step->kind == STEP_PING
                                   ? run_ping(link, step, leads, seen, is_right)
                                   : run_windows(link, step, leads, seen);
    if (state == ERT_NET_OK && !check(link, step, leads))
        *is_right = false;
    return state;
}

/* The leader's part of a step: announces it, waits for the follower, does it, and gets the verdict. */
static enum ert_net_state lead(struct ert_net_link *link, struct step *step,
                               struct seen *seen)
{
    uint64_t answer = 0;
    bool is_right;
    enum ert_net_state state;
    step->seed = ert_random_u64(link->seed, link->n_steps++);
    if (!fill(link, step, true)) {
        snprintf(link->report->reason, ERT_NET_REASON,
                 "the GPU's memory cannot be written");
        return ERT_NET_FAILED;
    }
    if ((state = tell(link, step, sizeof *step)) != ERT_NET_OK ||
        (state = hear(link, &answer, sizeof answer)) != ERT_NET_OK ||
        (state = perform(link, step, true, seen, &is_right)) != ERT_NET_OK ||
        (state = hear(link, &answer, sizeof answer)) != ERT_NET_OK)
        return state;
    if (is_right && answer == step->seed)
        return ERT_NET_OK;
    snprintf(link->report->reason, ERT_NET_REASON, "data that were not sent arrived%s",
             is_right ? "" : ", in the answers");
    return ERT_NET_WRONG;
}

void ert_net_follow(struct ert_net_link *link)
{
    enum ert_net_state state = ERT_NET_OK;
    while (state == ERT_NET_OK) {
        struct step step = {0};
        bool is_right;
        if ((state = hear(link, &step, sizeof step)) != ERT_NET_OK || step.kind == STEP_END)
            break;
        fill(link, &step, false);
        if ((state = tell(link, &step.seed, sizeof step.seed)) != ERT_NET_OK ||
            (state = perform(link, &step, false, NULL, &is_right)) != ERT_NET_OK)
            break;
        uint64_t verdict = is_right ? step.seed : ~step.seed;
        state = tell(link, &verdict, sizeof verdict);
    }
    link->is_dead = state != ERT_NET_OK;
}

static struct ert_net_result *add(struct ert_net_report *report, enum ert_net_test test,
                                  double size_bytes)
{
    struct ert_net_result *result = &report->results[report->n];
    if (report->n + 1 < ERT_NET_MAX_RESULTS)
        report->n++;
    *result = (struct ert_net_result){.test = test, .size_bytes = size_bytes};
    return result;
}

void ert_net_add_samples(struct ert_net_report *report, enum ert_net_test test,
                         double size_bytes, const double *samples, size_t n)
{
    enum ert_better better =
        strcmp(ert_net_test_unit(test), "s") == 0 ? ERT_BETTER_LOW : ERT_BETTER_HIGH;
    struct ert_estimate estimate = ert_estimate_make(samples, n, better);
    struct ert_net_result *result = add(report, test, size_bytes);
    result->n = (uint32_t)n;
    result->value = estimate.value;
    result->low = estimate.low;
    result->high = estimate.high;
}

static void add_failure(struct ert_net_link *link, enum ert_net_test test,
                        double size_bytes, enum ert_net_state state)
{
    add(link->report, test, size_bytes)->state = state;
    link->is_dead = state != ERT_NET_WRONG;
}

static uint32_t clamp_count(double count, uint32_t most)
{
    return count < 1 ? 1 : count > most ? most : (uint32_t)count;
}

/* The length of a sample, of which twice the least number fill the time of a result. */
static double sample_of(const struct ert_net_link *link)
{
    return link->time_s / (2 * LEAST_SAMPLES);
}

/* Takes samples of a step until the time is over; if one fails, adds a result and returns false. */
static bool sample(struct ert_net_link *link, enum ert_net_test test, struct step *step,
                   struct seen *samples, size_t *n)
{
    const double end_s = ert_clock_now_s() + link->time_s;
    for (*n = 0; *n < MOST_SAMPLES && (*n < LEAST_SAMPLES || ert_clock_now_s() < end_s);
         (*n)++) {
        samples[*n].each = NULL;
        enum ert_net_state state = lead(link, step, &samples[*n]);
        if (state != ERT_NET_OK) {
            add_failure(link, test, step->size_bytes, state);
            return false;
        }
    }
    return true;
}

/* Times a step; does it twice, since the first time includes setting up. */
static bool probe(struct ert_net_link *link, enum ert_net_test test, struct step *step,
                  double *time_s)
{
    struct seen seen = {0};
    for (int i = 0; i < 2; i++) {
        enum ert_net_state state = lead(link, step, &seen);
        if (state != ERT_NET_OK) {
            add_failure(link, test, step->size_bytes, state);
            return false;
        }
    }
    *time_s = seen.time_s > 1e-9 ? seen.time_s : 1e-9;
    return true;
}

/* Adds the 99 % quantile of n halved round trips, and the order statistics of its 90 % interval. */
static void add_tail(struct ert_net_link *link, const double *each, size_t n)
{
    const double q = 0.99, width = 1.645 * sqrt(q * (1 - q) / (double)n);
    struct ert_net_result *result = add(link->report, ERT_NET_LATENCY_99, ERT_NET_SMALL);
    result->n = (uint32_t)n;
    result->value = ert_stats_quantile(each, n, q) / 2;
    result->low = ert_stats_quantile(each, n, q - width > 0 ? q - width : 0) / 2;
    result->high = ert_stats_quantile(each, n, q + width < 1 ? q + width : 1) / 2;
}

void ert_net_lead_latency(struct ert_net_link *link)
{
    enum { PROBE = 4, MOST = 1000 };
    static double each[MOST];
    struct step step = {.kind = STEP_PING, .count = PROBE, .size_bytes = ERT_NET_SMALL};
    struct seen samples[MOST_SAMPLES], one_by_one = {.each = each};
    double halves[MOST_SAMPLES], time_s;
    size_t n;
    if (link->is_dead || !probe(link, ERT_NET_LATENCY, &step, &time_s))
        return;
    step.count = clamp_count(sample_of(link) * PROBE / time_s, 100000);
    if (!sample(link, ERT_NET_LATENCY, &step, samples, &n))
        return;
    for (size_t i = 0; i < n; i++)
        halves[i] = samples[i].time_s / step.count / 2;
    ert_net_add_samples(link->report, ERT_NET_LATENCY, ERT_NET_SMALL, halves, n);
    step.count = clamp_count(link->time_s / (2 * halves[0]), MOST);
    enum ert_net_state state = lead(link, &step, &one_by_one);
    if (state != ERT_NET_OK)
        add_failure(link, ERT_NET_LATENCY_99, ERT_NET_SMALL, state);
    else
        add_tail(link, each, step.count);
}

/* Plans how many windows make a sample; uses fewer messages if a window would take longer than window_s. */
static bool plan_windows(struct ert_net_link *link, enum ert_net_test test,
                         struct step *step, uint32_t messages, double window_s)
{
    double time_s;
    step->count = step->windows = 1;
    if (!probe(link, test, step, &time_s))
        return false;
    step->count = clamp_count(window_s / time_s, messages);
    if (!probe(link, test, step, &time_s))
        return false;
    step->windows = clamp_count(sample_of(link) / time_s, 10000);
    return true;
}

void ert_net_lead_rate(struct ert_net_link *link, enum ert_net_test test, double size_bytes,
                       uint32_t messages)
{
    struct step step = {.kind = test == ERT_NET_BOTH_WAYS ? STEP_DUPLEX : STEP_STREAM,
                        .size_bytes = (uint32_t)size_bytes};
    struct seen samples[MOST_SAMPLES];
    double rates[MOST_SAMPLES];
    size_t n;
    if (link->is_dead ||
        !plan_windows(link, test, &step, messages ? messages : ERT_NET_WINDOW,
                      messages ? INFINITY : link->time_s) ||
        !sample(link, test, &step, samples, &n))
        return;
    double work = (double)step.count * step.windows;
    if (test != ERT_NET_MESSAGE_RATE)
        work *= size_bytes * (test == ERT_NET_BOTH_WAYS ? 2 : 1);
    for (size_t i = 0; i < n; i++)
        rates[i] = work / samples[i].time_s;
    ert_net_add_samples(link->report, test, size_bytes, rates, n);
    link->report->results[link->report->n - 1].messages = messages;
}

/* The sweep: 8 B to 4 MiB, one message to a full window, or as many as fit the time. */
static const double sweep_sizes[] = {8, 64, 512, 4096, 32768, 262144, 1048576, 4194304};
static const uint32_t sweep_messages[] = {1, 8, ERT_NET_WINDOW};
enum { LARGE = 262144 }; /* from here on bytes dominate the time of a message */

void ert_net_lead_sweep(struct ert_net_link *link)
{
    double rates[MOST_SAMPLES];
    size_t n;
    for (size_t s = 0; s < ERT_LENGTH(sweep_sizes); s++) {
        uint32_t last_count = 0;
        for (size_t m = 0; m < ERT_LENGTH(sweep_messages); m++) {
            struct step step = {.kind = STEP_STREAM,
                                .size_bytes = (uint32_t)sweep_sizes[s]};
            struct seen samples[MOST_SAMPLES];
            /* on 1 Gbit/s, 64 messages of 4 MiB take seconds: the deadline is for hangs */
            if (!plan_windows(link, ERT_NET_ONE_WAY, &step, sweep_messages[m],
                              sweep_sizes[s] < LARGE ? INFINITY : 5 * link->time_s))
                return;
            if (step.count == last_count)
                continue;
            last_count = step.count;
            if (!sample(link, ERT_NET_ONE_WAY, &step, samples, &n))
                return;
            for (size_t i = 0; i < n; i++)
                rates[i] = sweep_sizes[s] * step.count * step.windows / samples[i].time_s;
            ert_net_add_samples(link->report, ERT_NET_ONE_WAY, sweep_sizes[s], rates, n);
            link->report->results[link->report->n - 1].messages = step.count;
        }
    }
}

void ert_net_lead_end(struct ert_net_link *link)
{
    const struct step step = {.kind = STEP_END};
    if (!link->is_dead)
        tell(link, &step, sizeof step);
}
