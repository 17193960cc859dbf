/* SPDX-License-Identifier: BSD-3-Clause */
/* ert nccl: measures NCCL between the GPUs of this host. */
#include "ert/cli/commands.h"
#include "ert/core/base/alloc.h"
#include "ert/core/base/units.h"
#include "ert/core/stats/stats.h"
#include "ert/ext/net/into.h"
#include "ert/ext/net/nccl.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

struct options {
    const char *into;
    uint64_t gpus, size_bytes;
    double time_s, deadline_s;
};

static const struct ert_opt rows[] = {
    ERT_OPT("into", TEXT, into, "FILE",
            "also write the results into FILE, the ceilings.json of this host"),
    ERT_OPT_WITHIN("gpus", COUNT, gpus, "N", "use the first N GPUs of CUDA (default: all)",
                   2, ERT_NCCL_MAX_GPUS),
    ERT_OPT_WITHIN("size", SIZE, size_bytes, "SIZE",
                   "largest message, a multiple of 8; each GPU needs twice its memory "
                   "(default 1 GiB)",
                   ERT_NCCL_LEAST_SIZE, 4294967288.0),
    ERT_OPT_WITHIN("time", TIME, time_s, "TIME",
                   "time for the samples of each result (default 0.2 s)", 1e-3, 60),
    ERT_OPT_WITHIN(
        "deadline", TIME, deadline_s, "TIME",
        "end the program when NCCL's start or a result takes longer, which must be "
        "at least 10 times --time (default 60 s)",
        0.1, 3600),
};

/* The results measured so far. */
struct results {
    struct ert_nccl_result *list; /* malloc */
    size_t n, n_bad;
    char first_bad[352];
};

/* "GPUs 0-3", "GPU 0 to 1". */
static void nccl_cmd_name_gpus(const struct ert_nccl_round *round, char text[32])
{
    if (round->operation == ERT_NCCL_SEND_RECV)
        snprintf(text, 32, "GPU %u to %u", round->from, round->to);
    else
        snprintf(text, 32, "GPUs 0-%u", round->n_gpus - 1);
}

static void nccl_cmd_print_result(const struct ert_nccl_result *result, const char *gpus)
{
    const struct ert_nccl_round *round = &result->round;
    double values[ERT_NCCL_SAMPLES];
    printf("%-14s %-14s %10s  ", ert_nccl_words[round->operation], gpus,
           ert_units_capacity(round->size_bytes).text);
    if (*result->reason) {
        printf("%s\n", result->reason);
        return;
    }
    double time_s = ert_estimate_of(result->times_s, ERT_NCCL_SAMPLES, ERT_BETTER_LOW);
    const char *unit = ert_nccl_values(result, values);
    struct ert_estimate estimate = ert_estimate_make(
        values, ERT_NCCL_SAMPLES, round->is_latency ? ERT_BETTER_LOW : ERT_BETTER_HIGH);
    printf("%10s  %11s  %s\n", ert_units_time(time_s).text,
           round->is_latency ? "" : ert_units_rate(estimate.value, unit).text,
           ert_units_pair(estimate.low, " .. ", estimate.high, unit).text);
}

/* What the program says if its deadline passes: its calls of NCCL and CUDA cannot be interrupted. */
static char nccl_cmd_late[256];

static void nccl_cmd_end(int signal)
{
    (void)signal;
    (void)!write(STDERR_FILENO, nccl_cmd_late, strlen(nccl_cmd_late));
    _exit(ERT_FAILED);
}

/* Sets the deadline of what begins now; 0: none. */
static void nccl_cmd_watch(double deadline_s, const char *what)
{
    const struct itimerval timer = {
        .it_value = {(time_t)deadline_s,
                     (suseconds_t)(1e6 * (deadline_s - (double)(time_t)deadline_s))}
    };
    snprintf(nccl_cmd_late, sizeof nccl_cmd_late,
             "ert: %s: not done within %g s; no ceiling was written\n", what, deadline_s);
    signal(SIGALRM, nccl_cmd_end);
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* Measures and prints a round. */
static enum ert_status nccl_cmd_round(struct ert_nccl_group *group, double deadline_s,
                                      struct results *results, struct ert_error *error)
{
    struct ert_nccl_result *result = &results->list[results->n];
    struct ert_error why = {0};
    char gpus[32], what[128];
    nccl_cmd_name_gpus(&result->round, gpus);
    snprintf(what, sizeof what, "%s, %s, %s", ert_nccl_words[result->round.operation], gpus,
             ert_units_capacity(result->round.size_bytes).text);
    nccl_cmd_watch(deadline_s, what);
    if (ert_nccl_measure(group, result, &why) != ERT_OK)
        return ert_fail(error, why.status, "%s: %s", what, why.text);
    nccl_cmd_print_result(result, gpus);
    fflush(stdout);
    results->n++;
    if (*result->reason && results->n_bad++ == 0)
        snprintf(results->first_bad, sizeof results->first_bad, "%s: %s", what,
                 result->reason);
    return ERT_OK;
}

static enum ert_status nccl_cmd_rounds(const struct ert_nccl_plan *plan, double deadline_s,
                                       struct results *results, struct ert_error *error)
{
    struct ert_nccl_group *group;
    size_t n;
    results->list = ert_nccl_plan_results(plan, &n);
    nccl_cmd_watch(deadline_s, "the start of NCCL");
    ERT_TRY(ert_nccl_open(plan, &group, error));
    while (results->n < n)
        ERT_TRY(nccl_cmd_round(group, deadline_s, results, error));
    nccl_cmd_watch(0, "");
    return ERT_OK;
}

static enum ert_status nccl_cmd_plan_of(const struct options *options,
                                        struct ert_nccl_host *host,
                                        struct ert_nccl_plan *plan, struct ert_error *error)
{
    if (options->size_bytes % 8)
        return ert_fail(error, ERT_USAGE, "--size: %" PRIu64 ", must be a multiple of 8",
                        options->size_bytes);
    if (options->deadline_s < 10 * options->time_s) /* includes calibration and check */
        return ert_fail(error, ERT_USAGE,
                        "--deadline: %g s, must be at least 10 times --time, %g s",
                        options->deadline_s, options->time_s);
    nccl_cmd_watch(options->deadline_s, "CUDA's driver");
    ERT_TRY(ert_nccl_find(host, error));
    if (options->gpus > host->n_gpus)
        return ert_fail(error, ERT_UNAVAILABLE, "--gpus: %" PRIu64 ", CUDA shows %u",
                        options->gpus, host->n_gpus);
    if (host->n_gpus == 1)
        return ert_fail(error, ERT_UNAVAILABLE, "CUDA shows one GPU, must be two or more");
    if (options->gpus)
        host->n_gpus = (uint32_t)options->gpus;
    *plan = (struct ert_nccl_plan){.n_gpus = host->n_gpus,
                                   .max_bytes = options->size_bytes,
                                   .time_s = options->time_s};
    return ERT_OK;
}

static enum ert_status nccl_cmd_measure(const struct options *options,
                                        struct ert_ceilings *ceilings,
                                        struct results *results, struct ert_error *error)
{
    struct ert_nccl_host host;
    struct ert_nccl_plan plan;
    char version[24];
    ERT_TRY(nccl_cmd_plan_of(options, &host, &plan, error));
    if (options->into) /* checks that it has the same GPUs before measuring */
        ERT_TRY(ert_nccl_into(ceilings, &host, NULL, 0, error));
    ert_nccl_version(host.version, version);
    printf("NCCL %s, %u GPUs\n%-14s %-14s %10s  %10s  %11s  %s\n", version, host.n_gpus,
           "operation", "between", "size", "time", "bus", "interval (90 %)");
    ERT_TRY(nccl_cmd_rounds(&plan, options->deadline_s, results, error));
    if (options->into) {
        ERT_TRY(ert_nccl_into(ceilings, &host, results->list, results->n, error));
        ERT_TRY(ert_ceilings_write(options->into, ceilings, error));
    }
    if (results->n_bad > 0)
        return ert_fail(error, ERT_FAILED, "%s (%zu such result%s)", results->first_bad,
                        results->n_bad, results->n_bad == 1 ? "" : "s");
    return ERT_OK;
}

static enum ert_status nccl_cmd_run_command(int argc, char **argv, struct ert_error *error)
{
    struct options options = {
        .size_bytes = UINT64_C(1) << 30, .time_s = 0.2, .deadline_s = 60};
    struct ert_ceilings ceilings = {0};
    struct results results = {0};
    ERT_TRY(
        ert_opt_parse(rows, ERT_LENGTH(rows), argc, argv, &options, NULL, 0, NULL, error));
    if (options.into)
        ERT_TRY(ert_ceilings_read(options.into, &ceilings, error));
    enum ert_status status = nccl_cmd_measure(&options, &ceilings, &results, error);
    free(results.list);
    ert_ceilings_free(&ceilings);
    return status;
}

static void nccl_cmd_notes(FILE *out)
{
    fputs("\nMeasures all-reduce of float32 among all GPUs, from 8 B to --size, and "
          "send/receive between each\ntwo. Bus bandwidths are those of nccl-tests "
          "(doc/PERFORMANCE.md); for 8 B the time is reported.\nEvery result is checked. "
          "The loader must find libnccl.so.2, 2.7 or newer (LD_LIBRARY_PATH).\n",
          out);
}

const struct ert_command ert_command_nccl = {
    .name = "nccl",
    .words = "",
    .summary = "measure NCCL between the GPUs of this host",
    .options = rows,
    .n_options = ERT_LENGTH(rows),
    .run = nccl_cmd_run_command,
    .notes = nccl_cmd_notes,
};
