/* SPDX-License-Identifier: BSD-3-Clause */
/* nccl: plans NCCL's measurements, and runs them in processes with deadlines. */
#include "ert/ext/net/nccl.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/clock.h"
#include "ert/core/base/units.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

const char *const ert_nccl_words[ERT_NCCL_N_OPERATIONS + 1] = {
    "all-reduce", "all-gather", "reduce-scatter", "send-recv", NULL};

double ert_nccl_bus_bytes(const struct ert_nccl_round *round)
{
    static const double factors[ERT_NCCL_N_OPERATIONS] = {[ERT_NCCL_ALL_REDUCE] = 2,
                                                          [ERT_NCCL_ALL_GATHER] = 1,
                                                          [ERT_NCCL_REDUCE_SCATTER] = 1};
    double n = round->n_gpus, size = (double)round->size_bytes;
    return round->operation == ERT_NCCL_SEND_RECV
               ? size
               : factors[round->operation] * (n - 1) / n * size;
}

void ert_nccl_version(uint32_t code, char text[24])
{
    uint32_t major = code < 10000 ? 1000 : 10000;
    snprintf(text, 24, "%u.%u.%u", code / major, code % major / 100, code % 100);
}

const char *ert_nccl_values(const struct ert_nccl_result *result,
                            double values[ERT_NCCL_SAMPLES])
{
    const bool is_time = result->round.is_latency;
    for (int i = 0; i < ERT_NCCL_SAMPLES; i++)
        values[i] = is_time ? result->times_s[i]
                            : ert_nccl_bus_bytes(&result->round) / result->times_s[i];
    return is_time ? "s" : "byte/s";
}

void ert_nccl_name(const struct ert_nccl_round *round, const char *to, char name[32])
{
    char size[ERT_UNITS_TEXT], *end = size;
    const struct ert_text text = ert_units_capacity(round->nominal_bytes);
    for (const char *at = text.text; *at; at++)
        if (*at != ' ')
            *end++ = *at;
    *end = '\0';
    if (round->operation == ERT_NCCL_SEND_RECV)
        snprintf(name, 32, "send-recv-to-%.10s-%.7s", to, size);
    else
        snprintf(name, 32, "%.14s-%ugpus-%.7s", ert_nccl_words[round->operation],
                 round->n_gpus, size);
}

/* ---- rounds ---- */

/* In the order of measurement. */
struct rounds {
    struct ert_nccl_round *list; /* malloc */
    size_t n, capacity;
};

static void rounds_add(struct rounds *rounds, struct ert_nccl_round round,
                       uint64_t nominal_bytes, uint64_t unit_bytes)
{
    round.nominal_bytes = nominal_bytes;
    round.size_bytes = nominal_bytes / unit_bytes * unit_bytes;
    round.is_latency = nominal_bytes == unit_bytes;
    rounds->list =
        ert_xgrow(rounds->list, rounds->n, &rounds->capacity, sizeof *rounds->list);
    rounds->list[rounds->n++] = round;
}

/* Adds rounds of the least size, of 8 B times powers of `factor` above it, and of the largest size. */
static void rounds_add_sizes(struct rounds *rounds, struct ert_nccl_round round,
                             uint64_t factor, uint64_t max_bytes)
{
    /* All-gather and reduce-scatter divide the size among the GPUs. */
    bool is_parted = round.operation == ERT_NCCL_ALL_GATHER ||
                     round.operation == ERT_NCCL_REDUCE_SCATTER;
    uint64_t unit_bytes = is_parted ? 8 * (uint64_t)round.n_gpus : 8;
    rounds_add(rounds, round, unit_bytes, unit_bytes);
    for (uint64_t size = 8 * factor; size < max_bytes; size *= factor)
        if (size > unit_bytes)
            rounds_add(rounds, round, size, unit_bytes);
    if (max_bytes > unit_bytes)
        rounds_add(rounds, round, max_bytes, unit_bytes);
}

static struct rounds rounds_of(const struct ert_nccl_plan *plan)
{
    struct rounds rounds = {0};
    struct ert_nccl_round round = {.n_gpus = plan->n_gpus};
    for (; round.operation < ERT_NCCL_SEND_RECV; round.operation++)
        rounds_add_sizes(&rounds, round, 8, plan->max_bytes);
    for (round.from = 0; round.from < plan->n_gpus; round.from++)
        for (round.to = 0; round.to < plan->n_gpus; round.to++)
            if (round.to != round.from)
                rounds_add_sizes(&rounds, round, plan->max_bytes / 8, plan->max_bytes);
    return rounds;
}

/* ---- processes ---- */

struct process {
    pid_t id;
    int at; /* its reports are read here */
};

struct work {
    const struct ert_nccl_plan *plan; /* NULL: only find libraries and GPUs */
    const struct rounds *rounds;
    size_t next;
};

/* The first report: whether the process could start, and what it found. */
struct report {
    enum ert_status status;
    char text[512];
    struct ert_nccl_host host;
};

static void send(int to, const void *what, size_t size)
{
    if (write(to, what, size) != (ssize_t)size)
        _exit(1); /* the parent has ended */
}

/* Serves until a failure, after which the process's CUDA context may be unusable. */
static void serve(const struct work *work, int to)
{
    struct ert_error error = {0};
    struct report report = {0};
    struct ert_nccl_group *group = NULL;
    const struct ert_nccl_round *rounds = work->plan ? work->rounds->list : NULL;
    report.status = rounds ? ert_nccl_group_open(work->plan, &group, &error)
                           : ert_nccl_group_find(&report.host, &error);
    snprintf(report.text, sizeof report.text, "%.500s", error.text);
    send(to, &report, sizeof report);
    for (size_t i = work->next; rounds && i < work->rounds->n; i++) {
        struct ert_nccl_result result = {.round = rounds[i]};
        if (report.status != ERT_OK)
            break;
        ert_nccl_group_measure(group, &result);
        send(to, &result, sizeof result);
        if (result.state == ERT_NCCL_FAILED)
            break;
    }
    _exit(0);
}

static enum ert_status net_nccl_start(const struct work *work, struct process *process,
                                      struct ert_error *error)
{
    int ends[2];
    pid_t parent = getpid();
    if (pipe(ends) != 0)
        return ert_fail(error, ERT_FAILED, "NCCL's process: pipe: %s", strerror(errno));
    fflush(NULL);
    process->id = fork();
    if (process->id == 0) {
        /* Ends with its parent; output of NCCL must not mix with results. */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
            _exit(1);
        serve(work, ends[1]);
    }
    close(ends[1]);
    process->at = ends[0];
    if (process->id > 0)
        return ERT_OK;
    close(ends[0]);
    return ert_fail(error, ERT_FAILED, "NCCL's process: fork: %s", strerror(errno));
}

/* Receives a report of `size` bytes; TIMEOUT, or FAILED if the process has ended. */
static enum ert_nccl_state process_receive(const struct process *process, double deadline_s,
                                           void *what, size_t size)
{
    const double end_s = ert_clock_now_s() + deadline_s;
    size_t have = 0;
    while (have < size) {
        double left_s = end_s - ert_clock_now_s();
        struct pollfd ready = {.fd = process->at, .events = POLLIN};
        int n = poll(&ready, 1, left_s > 0 ? (int)(1000 * left_s) + 1 : 0);
        if (n == 0)
            return ERT_NCCL_TIMEOUT;
        if (n < 0 && errno == EINTR)
            continue;
        ssize_t got = read(process->at, (char *)what + have, size - have);
        if (got <= 0)
            return ERT_NCCL_FAILED;
        have += (size_t)got;
    }
    return ERT_NCCL_OK;
}

/*
 * Kills the process, and writes how it ended if it had ended before: "ended by signal 11". A process that
 * even SIGKILL does not end, since a driver holds it, is left behind.
 */
static void process_stop(const struct process *process, char text[64])
{
    const double end_s = ert_clock_now_s() + 10;
    int state = 0;
    pid_t ended;
    kill(process->id, SIGKILL);
    close(process->at);
    while ((ended = waitpid(process->id, &state, WNOHANG)) == 0 &&
           ert_clock_now_s() < end_s)
        ert_clock_sleep_s(1e-3);
    if (ended != process->id)
        snprintf(text, 64, "cannot be ended");
    else if (WIFSIGNALED(state))
        snprintf(text, 64, "ended by signal %d", WTERMSIG(state));
    else
        snprintf(text, 64, "ended with code %d", WEXITSTATUS(state));
}

/* Starts a process and waits for its first report. */
static enum ert_status net_nccl_begin(const struct work *work, double deadline_s,
                                      struct process *process, struct report *report,
                                      struct ert_error *error)
{
    char end[64];
    ERT_TRY(net_nccl_start(work, process, error));
    enum ert_nccl_state state =
        process_receive(process, deadline_s, report, sizeof *report);
    if (state == ERT_NCCL_OK && report->status == ERT_OK)
        return ERT_OK;
    process_stop(process, end);
    if (state == ERT_NCCL_OK)
        return ert_fail(error, report->status, "%s", report->text);
    if (state == ERT_NCCL_TIMEOUT)
        return ert_fail(error, ERT_FAILED, "%s did not answer within %g s",
                        work->plan ? "the start of NCCL" : "CUDA's driver", deadline_s);
    return ert_fail(error, ERT_FAILED, "NCCL's process %s", end);
}

enum ert_status ert_nccl_find(double deadline_s, struct ert_nccl_host *host,
                              struct ert_error *error)
{
    struct process process;
    struct report report;
    char end[64];
    ERT_TRY(net_nccl_begin(&(struct work){0}, deadline_s, &process, &report, error));
    process_stop(&process, end);
    *host = report.host;
    return ERT_OK;
}

/* ---- the run ---- */

struct run {
    const struct ert_nccl_plan *plan;
    ert_nccl_take *take;
    void *about;
};

/* Reports rounds from..to as not measured, with a reason. */
static void net_nccl_give_up(const struct run *run, const struct rounds *rounds,
                             size_t from, size_t to, enum ert_nccl_state state,
                             const char *reason)
{
    for (size_t i = from; i < to; i++) {
        struct ert_nccl_result result = {.round = rounds->list[i], .state = state};
        snprintf(result.reason, sizeof result.reason, "%.180s", reason);
        run->take(run->about, &result);
    }
}

/* The first round after the i-th that has another operation or other GPUs. */
static size_t rounds_behind(const struct rounds *rounds, size_t i)
{
    const struct ert_nccl_round *now = &rounds->list[i], *end = rounds->list + rounds->n;
    const struct ert_nccl_round *at = now;
    while (at < end && at->operation == now->operation && at->from == now->from &&
           at->to == now->to)
        at++;
    return (size_t)(at - rounds->list);
}

/* Collects one process's results as long as it works. *next: the first round left for another process. */
static void follow(const struct run *run, const struct rounds *rounds,
                   const struct process *process, size_t *next)
{
    struct ert_nccl_result result = {.state = ERT_NCCL_OK};
    enum ert_nccl_state state = ERT_NCCL_OK;
    char text[ERT_NCCL_REASON], end[64];
    while (*next < rounds->n && state == ERT_NCCL_OK && result.state != ERT_NCCL_FAILED) {
        state = process_receive(process, run->plan->deadline_s, &result, sizeof result);
        if (state == ERT_NCCL_OK) {
            run->take(run->about, &result);
            ++*next;
        }
    }
    process_stop(process, end);
    if (state == ERT_NCCL_TIMEOUT)
        snprintf(text, sizeof text, "not done within %g s", run->plan->deadline_s);
    else
        snprintf(text, sizeof text, "NCCL's process %s", end);
    if (state != ERT_NCCL_OK) {
        net_nccl_give_up(run, rounds, *next, *next + 1, state, text);
        ++*next;
    } else if (result.state != ERT_NCCL_FAILED) {
        return;
    }
    size_t rest = rounds_behind(rounds, *next - 1);
    snprintf(text, sizeof text, "not tried: a lesser size failed");
    net_nccl_give_up(run, rounds, *next, rest, ERT_NCCL_NOT_TRIED, text);
    *next = rest;
}

void ert_nccl_measure(const struct ert_nccl_plan *plan, ert_nccl_take *take, void *about)
{
    const struct run run = {plan, take, about};
    struct rounds rounds = rounds_of(plan);
    size_t next = 0;
    while (next < rounds.n) {
        struct ert_error error = {0};
        struct process process;
        struct report report;
        const struct work work = {plan, &rounds, next};
        if (net_nccl_begin(&work, plan->deadline_s, &process, &report, &error) != ERT_OK) {
            net_nccl_give_up(&run, &rounds, next, rounds.n, ERT_NCCL_FAILED, error.text);
            break;
        }
        follow(&run, &rounds, &process, &next);
    }
    free(rounds.list);
}
