/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/verify/verify.h"

#include "ert/cli/measure.h"
#include "ert/core/base/alloc.h"
#include "ert/core/base/clock.h"
#include "ert/core/fit/conditions.h"

#include <stdlib.h>
#include <string.h>

enum ert_status ert_cli_verify_open(const char *file,
                                    const struct ert_cli_verify_options *options, int argc,
                                    char *const *argv,
                                    struct ert_cli_verification *verification,
                                    struct ert_error *error)
{
    *verification = (struct ert_cli_verification){.options = *options};
    verification->samples = ert_xcalloc(1, sizeof *verification->samples);
    const struct ert_ceilings *recorded = &verification->recorded;
    ERT_TRY(ert_ceilings_read(file, &verification->recorded, error));
    bool is_fake =
        recorded->n_devices > 0 && strncmp(recorded->devices[0].device, "fake", 4) == 0;
    return ert_cli_devices(is_fake ? "fake" : "all", argc, argv,
                           &verification->samples->machine, error);
}

void ert_cli_verify_close(struct ert_cli_verification *verification)
{
    free(verification->rows);
    ert_samples_free(verification->samples);
    free(verification->samples);
    ert_ceilings_free(&verification->recorded);
}

enum ert_status ert_cli_verify_plan(struct ert_cli_verification *verification,
                                    struct ert_error *error)
{
    return ert_verify_plan(&verification->recorded, verification->options.device,
                           verification->options.only, verification->options.budget_s,
                           verification->samples, &verification->rows, &verification->n,
                           error);
}

/*
 * Conditions that the fit calls bad slow down sound devices: so no ceiling of such a device is called slower.
 */
static void apply_conditions(const struct ert_samples *samples, struct ert_verify_row *list,
                             size_t n)
{
    for (size_t i = 0; i < samples->n_devices; i++) {
        const struct ert_device_samples *device = &samples->devices[i];
        const struct ert_device *about = &device->context.device;
        char why[256];
        enum ert_reach reach = ert_conditions_reach(about, device, why, sizeof why);
        ert_verify_disturbed(list, n, about, reach, why);
    }
}

/* Measures another sample where needed; *is_done: not needed, or the run failed. */
static enum ert_status measure_more(struct ert_verify_row *list, size_t n,
                                    struct ert_samples *samples,
                                    const struct ert_cli_verify_options *options,
                                    double budget_s, unsigned turn, bool *is_done,
                                    struct ert_error *error)
{
    struct ert_samples *more = ert_xcalloc(1, sizeof *more);
    struct ert_error run_error = {0};
    enum ert_status status = ERT_OK;
    more->config = samples->config;
    more->config.rounds = (uint64_t)ERT_VERIFY_MORE_ROUNDS << turn;
    more->config.budget_s = budget_s;
    more->config.seed += 1 + turn; /* other data; for a planted machine other noise */
    ert_verify_plan_more(list, n, samples, more);
    *is_done = more->n_devices == 0;
    if (!*is_done) {
        /* A failed measurement is a missing ceiling with its reason. */
        *is_done = ert_cli_measure(more, NULL, options->progress, &run_error) != ERT_OK;
        status = ert_verify_confirm(list, n, samples, more, options->margin, error);
    }
    ert_samples_free(more);
    free(more);
    return status;
}

/*
 * Measures again ceilings that seem to have changed, and, while there is time, main ceilings whose
 * uncertainty allows no verdict, with twice the rounds each turn. Each turn may add a false alarm: six turns
 * at most six in 100,000 (differ.h).
 */
static enum ert_status verification_settle(struct ert_verify_row *list, size_t n,
                                           struct ert_samples *samples,
                                           const struct ert_cli_verify_options *options,
                                           struct ert_error *error)
{
    enum { MOST_TURNS = 6 };
    double begin_s = ert_clock_now_s(), limit_s = options->budget_s / 2, left_s = limit_s;
    bool is_done = false;
    for (unsigned turn = 0; turn < MOST_TURNS && !is_done; turn++) {
        ERT_TRY(measure_more(list, n, samples, options, left_s, turn, &is_done, error));
        if (limit_s > 0) {
            left_s = limit_s - (ert_clock_now_s() - begin_s);
            is_done = is_done || left_s <= 0;
        }
    }
    return ERT_OK;
}

enum ert_status ert_cli_verify_measure(struct ert_cli_verification *verification,
                                       struct ert_error *error)
{
    const struct ert_cli_verify_options *options = &verification->options;
    struct ert_samples *samples = verification->samples;
    struct ert_error run_error = {0};
    enum ert_status run_status =
        ert_cli_measure(samples, NULL, options->progress, &run_error);
    struct ert_verify_row *list = verification->rows;
    const size_t n = verification->n;
    ert_verify_compare(list, n, samples, options->margin);
    enum ert_status status = ERT_OK;
    /* If nothing can be called slower, a second measurement is a waste of time. */
    apply_conditions(samples, list, n);
    if (run_status == ERT_OK)
        status = verification_settle(list, n, samples, options, error);
    apply_conditions(samples, list, n);
    for (size_t i = 0; !options->dedicated && i < samples->n_devices; i++)
        ert_verify_shared(list, n, &samples->devices[i].context.device);
    if (run_status != ERT_OK)
        return ert_fail(error, run_status, "%s", run_error.text);
    return status;
}

static const struct ert_device *
verification_device_of(const struct ert_cli_verification *verification,
                       const struct ert_verify_row *row)
{
    return &verification->samples->devices[row->device_index].context.device;
}

/* Whether a row's level is used by the cores alone: other guests can slow it only through a core. */
static bool is_of_cores(const struct ert_cli_verification *verification,
                        const struct ert_verify_row *row)
{
    char level[16];
    ert_verify_level(row, level);
    return !ert_reach_has(ERT_REACH_SHARED, verification_device_of(verification, row),
                          level);
}

/* The main ceilings of a device, or of these the ones that were judged. */
static size_t count_main(const struct ert_verify_row *list, size_t n, const char *device,
                         bool is_judged)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += list[i].is_main && strcmp(list[i].device, device) == 0 &&
                 (!is_judged || list[i].verdict != ERT_VERIFY_CANNOT_TELL);
    return count;
}

struct ert_cli_verify_summary
ert_cli_verify_summarize(const struct ert_cli_verification *verification)
{
    const struct ert_verify_row *list = verification->rows;
    struct ert_cli_verify_summary summary = {0};
    for (size_t i = 0; i < verification->n; i++) {
        summary.counts[list[i].verdict]++;
        if (list[i].is_shared && !summary.slow_core && is_of_cores(verification, &list[i]))
            summary.slow_core = &list[i];
        if (!ert_verify_is_open(&list[i]))
            continue;
        summary.open = summary.open ? summary.open : &list[i];
        summary.n_open++;
    }
    for (size_t d = 0; d < verification->samples->n_devices && !summary.not_judged; d++) {
        const char *device = verification->samples->devices[d].device;
        if (count_main(list, verification->n, device, false) > 0 &&
            count_main(list, verification->n, device, true) == 0)
            summary.not_judged = device;
    }
    return summary;
}

/* A ceiling of a CPU that was recorded with more threads than a cgroup grants CPUs now; NULL: none. */
static const struct ert_verify_row *
verification_below_quota(const struct ert_cli_verification *verification)
{
    for (size_t i = 0; i < verification->n; i++) {
        const struct ert_verify_row *row = &verification->rows[i];
        double quota = verification_device_of(verification, row)->cpu.cpus_quota;
        if (quota > 0 && row->recorded->evidence->launch.threads > quota)
            return row;
    }
    return NULL;
}

enum ert_status ert_cli_verify_judge(const struct ert_cli_verification *verification,
                                     struct ert_error *error)
{
    const struct ert_cli_verify_summary of_all = ert_cli_verify_summarize(verification),
                                        *summary = &of_all;
    /* Nothing that the fewer CPUs attain is to be compared. */
    const struct ert_verify_row *limited = verification_below_quota(verification);
    if (limited)
        return ert_fail(error, ERT_FAILED,
                        "%s: the cgroup grants %.4g CPUs, and %u threads were recorded",
                        limited->device,
                        verification_device_of(verification, limited)->cpu.cpus_quota,
                        limited->recorded->evidence->launch.threads);
    size_t n_bad = summary->counts[ERT_VERIFY_SLOWER] + summary->counts[ERT_VERIFY_MISSING];
    if (n_bad > 0)
        return ert_fail(error, ERT_FAILED, "%zu of %zu ceilings are not as recorded", n_bad,
                        verification->n);
    const struct ert_verify_row *slow = summary->slow_core;
    if (slow)
        return ert_fail(error, ERT_NOT_VALID, "no verdict: %s %s: %+.1f %%: %s",
                        slow->device, slow->name, 100 * slow->differ.change, slow->reason);
    if (!summary->not_judged && !(verification->options.strict && summary->n_open > 0))
        return ERT_OK;
    const struct ert_verify_row *open = summary->open;
    char why[256];
    snprintf(why, sizeof why, "%s", open->reason);
    if (!*why)
        snprintf(why, sizeof why, "%+.1f %%, where %.1f %% would be detected",
                 100 * open->differ.change, 100 * open->differ.detectable);
    if (summary->not_judged)
        return ert_fail(error, ERT_NOT_VALID,
                        "no verdict: no main ceiling of %s can be judged; %s %s: %s",
                        summary->not_judged, open->device, open->name, why);
    return ert_fail(error, ERT_NOT_VALID,
                    "%zu main ceilings cannot be judged (--strict); %s %s: %s",
                    summary->n_open, open->device, open->name, why);
}
