/* SPDX-License-Identifier: BSD-3-Clause */
/* ert nccl: measures NCCL between the GPUs of this host. */
#include "ert/cli/commands.h"
#include "ert/core/base/alloc.h"
#include "ert/core/base/units.h"
#include "ert/core/stats/stats.h"
#include "ert/ext/net/into.h"
#include "ert/ext/net/nccl.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct options {
    const char *into;
    uint64_t gpus, size_bytes, seed;
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
    ERT_OPT_WITHIN("deadline", TIME, deadline_s, "TIME",
                   "time limit for NCCL's start and for each result, at least 10 times "
                   "--time; what exceeds it is reported, and the rest continues (default "
                   "60 s)",
                   0.1, 3600),
    ERT_OPT_WITHIN("seed", COUNT, seed, "N", "seed of the data (default 1)", 0, 1e15),
};

/* The results measured so far. */
struct results {
    struct ert_nccl_result *list; /* malloc */
    size_t n, capacity, n_bad;
    char first_bad[320];
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
    if (result->state != ERT_NCCL_OK) {
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

static void nccl_cmd_take(void *about, const struct ert_nccl_result *result)
{
    struct results *results = about;
    char gpus[32];
    results->list =
        ert_xgrow(results->list, results->n, &results->capacity, sizeof *results->list);
    results->list[results->n++] = *result;
    nccl_cmd_name_gpus(&result->round, gpus);
    nccl_cmd_print_result(result, gpus);
    fflush(stdout);
    if (result->state == ERT_NCCL_OK)
        return;
    if (results->n_bad++ == 0)
        snprintf(results->first_bad, sizeof results->first_bad, "%s, %s, %s: %s",
                 ert_nccl_words[result->round.operation], gpus,
                 ert_units_capacity(result->round.size_bytes).text, result->reason);
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
    ERT_TRY(ert_nccl_find(options->deadline_s, host, error));
    if (options->gpus > host->n_gpus)
        return ert_fail(error, ERT_UNAVAILABLE, "--gpus: %" PRIu64 ", CUDA shows %u",
                        options->gpus, host->n_gpus);
    if (host->n_gpus == 1)
        return ert_fail(error, ERT_UNAVAILABLE, "CUDA shows one GPU, must be two or more");
    if (options->gpus)
        host->n_gpus = (uint32_t)options->gpus;
    *plan = (struct ert_nccl_plan){.n_gpus = host->n_gpus,
                                   .max_bytes = options->size_bytes,
                                   .time_s = options->time_s,
                                   .deadline_s = options->deadline_s,
                                   .seed = options->seed};
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
    ert_nccl_measure(&plan, nccl_cmd_take, results);
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
        .size_bytes = UINT64_C(1) << 30, .time_s = 0.2, .deadline_s = 60, .seed = 1};
    struct ert_ceilings ceilings = {0};
    struct results results = {0};
    size_t n_words;
    ERT_TRY(ert_opt_parse(rows, ERT_LENGTH(rows), argc, argv, &options, NULL, 0, &n_words,
                          error));
    if (options.into)
        ERT_TRY(ert_ceilings_read(options.into, &ceilings, error));
    enum ert_status status = nccl_cmd_measure(&options, &ceilings, &results, error);
    free(results.list);
    ert_ceilings_free(&ceilings);
    return status;
}

static void nccl_cmd_notes(FILE *out)
{
    fputs(
        "\nMeasures all-reduce, all-gather and reduce-scatter of float32 among all GPUs, "
        "from 8 B to --size,\nand send/receive between each two. Bus bandwidths are those "
        "of nccl-tests (doc/PERFORMANCE.md),\nall-gather in place; for the smallest size "
        "the time is reported. Every result is checked. The\nloader must find "
        "libnccl.so.2, 2.7 or newer (LD_LIBRARY_PATH).\n",
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
