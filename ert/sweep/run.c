#include "ert/sweep/run.h"

#include "ert/base/clock.h"
#include "ert/sweep/bench.h"
#include "ert/sweep/plan.h"
#include "ert/sweep/sets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How a pass over the points ended; the later ones are worse. */
enum pass_end { PASS_DONE, PASS_OUT_OF_TIME, PASS_LOST, PASS_STOPPED };

static bool stopped(const struct ert_bench *bench)
{
    return bench->hooks->stop && *bench->hooks->stop;
}

static bool out_of_time(const struct ert_bench *bench)
{
    double budget = bench->samples->config.budget_s;
    return budget > 0 && ert_clock_now_s() - bench->start_s > budget;
}

static void report(struct ert_bench *bench, const char *what, const char *message)
{
    double fraction = bench->todo > 0 ? fmin(bench->done / bench->todo, 1) : 0;
    double elapsed = ert_clock_now_s() - bench->start_s;
    double left = fraction > 0.02 ? elapsed * (1 - fraction) / fraction : -1;
    double budget = bench->samples->config.budget_s;
    if (budget > 0 && left > budget - elapsed)
        left = fmax(budget - elapsed, 0);
    struct ert_progress progress = {bench->device->device, what, fraction, left, message};
    if (bench->hooks->progress)
        bench->hooks->progress(&progress, bench->hooks->context);
}

/* Keeps a fault with the point, and as the device's fault when it is the first. */
static void keep_fault(struct ert_bench *bench, struct ert_point *point,
                       const struct ert_error *error)
{
    char name[128];
    ert_point_describe(point, name, sizeof name);
    bool skip = error->status == ERT_UNAVAILABLE && !bench->lost;
    point->status = skip ? ERT_POINT_SKIPPED : ERT_POINT_FAILED;
    snprintf(point->reason, sizeof point->reason, "%.255s", error->text);
    if (skip)
        return;
    if (bench->fault.status == ERT_OK)
        ert_fail(&bench->fault, ERT_FAILED, "%s: %s: %s", bench->device->device, name,
                 error->text);
    /* The first ones are shown, all are in the samples. */
    if (bench->n_faults++ < 5)
        report(bench, name, point->reason);
}

/* What a sample of the point should cost: the region, and preparing, which sweeps the set too. */
static double cost_s(const struct ert_bench *bench, const struct ert_point *point)
{
    return bench->samples->config.region_s +
           3 * (double)point->case_.working_set_bytes / ert_sets_guessed_rate(bench->about);
}

/* A stride near the golden section of n that visits all of 0..n-1 (coprime to n). */
static size_t coprime_stride(size_t n)
{
    for (size_t stride = (size_t)(0.618 * (double)n) + 1;; stride++) {
        size_t a = n, b = stride;
        while (b != 0) {
            size_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1)
            return stride;
    }
}

/*
 * The index of the i-th point of a round. With the stride neighbours in the plan (one kernel's
 * sizes) are far apart in time, and each round starts elsewhere: a slow second of the machine hits
 * many curves a little, not one point in all rounds.
 */
static size_t interleaved(size_t i, size_t n, size_t stride, uint64_t round)
{
    return (i + (size_t)round * (n / 3 + 1)) % n * stride % n;
}

/* Leaders that cost many regions come in every third round only: they would eat the budget. */
static bool is_due(const struct ert_bench *bench, const struct ert_point *point,
                   uint64_t round)
{
    bool is_costly = cost_s(bench, point) > 20 * bench->samples->config.region_s;
    return !is_costly || round % 3 == 0;
}

static enum pass_end pass_over(struct ert_bench *bench, const bool *chosen, uint64_t round,
                               bool last_round, bool limited)
{
    struct ert_device_samples *device = bench->device;
    size_t stride = device->n_points ? coprime_stride(device->n_points) : 1;
    for (size_t i = 0; i < device->n_points; i++) {
        size_t index = interleaved(i, device->n_points, stride, round);
        struct ert_point *point = &device->points[index];
        char name[128];
        struct ert_error error = {0};
        bool waits =
            chosen && (!chosen[index] || !(last_round || is_due(bench, point, round)));
        if (waits || point->status == ERT_POINT_FAILED ||
            point->status == ERT_POINT_SKIPPED)
            continue;
        if (stopped(bench))
            return PASS_STOPPED;
        if (limited && out_of_time(bench))
            return PASS_OUT_OF_TIME;
        report(bench, ert_point_describe(point, name, sizeof name), NULL);
        if (ert_bench_measure(bench, point, last_round, &error) != ERT_OK) {
            if (stopped(bench))
                return PASS_STOPPED;
            keep_fault(bench, point, &error);
        }
        if (bench->lost)
            return PASS_LOST;
        bench->done += cost_s(bench, point);
    }
    return PASS_DONE;
}

static double total_cost_s(const struct ert_bench *bench, const bool *chosen)
{
    double sum = 0;
    for (size_t i = 0; i < bench->device->n_points; i++)
        if (!chosen || chosen[i])
            sum += cost_s(bench, &bench->device->points[i]);
    return sum;
}

static void checkpoint(struct ert_bench *bench)
{
    struct ert_error error = {0};
    if (!bench->hooks->checkpoint)
        return;
    if (bench->hooks->checkpoint(bench->samples, bench->hooks->context, &error) != ERT_OK &&
        bench->fault.status == ERT_OK)
        bench->fault = error;
}

/* All points some rounds, then those that decide a ceiling some more. */
static enum pass_end all_rounds(struct ert_bench *bench, bool *chosen)
{
    const struct ert_config *config = &bench->samples->config;
    double round_cost = total_cost_s(bench, NULL);
    bench->todo =
        round_cost * ((double)config->rounds + 0.2 * (double)config->leader_rounds);
    enum pass_end end = PASS_DONE;
    /* The first round is not cut by the budget: a curve with holes proves no level. */
    for (uint64_t round = 0; round < config->rounds && end == PASS_DONE; round++) {
        end = pass_over(bench, NULL, round, false, round > 0);
        checkpoint(bench);
    }
    if (end != PASS_DONE || !bench->hooks->leaders)
        return end;
    bench->hooks->leaders(bench->about, bench->device, config->leaders, chosen);
    bench->todo = bench->done + total_cost_s(bench, chosen) * (double)config->leader_rounds;
    for (uint64_t round = 0; round < config->leader_rounds && end == PASS_DONE; round++) {
        bool last = round + 1 == config->leader_rounds;
        end = pass_over(bench, chosen, config->rounds + round, last, true);
        checkpoint(bench);
    }
    return end;
}

/*
 * Meters the winner of each ceiling. What cannot be metered is no fault: the first reason becomes
 * a note, and the rest is not tried.
 */
static enum pass_end meter(struct ert_bench *bench, bool *chosen)
{
    struct ert_device_samples *device = bench->device;
    if (!(bench->samples->config.power_s > 0) || !bench->hooks->leaders)
        return PASS_DONE;
    if (!bench->backend->power)
        return PASS_DONE;
    bench->hooks->leaders(bench->about, device, 1, chosen);
    for (size_t i = 0; i < device->n_points; i++) {
        char name[128];
        struct ert_error error = {0};
        if (!chosen[i])
            continue;
        if (stopped(bench))
            return PASS_STOPPED;
        if (out_of_time(bench))
            return PASS_OUT_OF_TIME;
        report(bench, ert_point_describe(&device->points[i], name, sizeof name), NULL);
        if (ert_bench_power(bench, &device->points[i], &error) == ERT_UNAVAILABLE) {
            size_t used = strlen(device->notes);
            snprintf(device->notes + used, sizeof device->notes - used, "%spower: %s",
                     used ? "; " : "", error.text);
            return PASS_DONE;
        }
        if (error.status != ERT_OK)
            keep_fault(bench, &device->points[i], &error);
        if (bench->lost)
            return PASS_LOST;
    }
    checkpoint(bench);
    return PASS_DONE;
}

static void conclude(struct ert_bench *bench, enum pass_end end)
{
    static const char *const words[] = {"complete", "budget", "failed", "interrupted"};
    struct ert_device_samples *device = bench->device;
    snprintf(device->status, sizeof device->status, "%s",
             bench->fault.status != ERT_OK && end != PASS_STOPPED ? words[PASS_LOST]
                                                                  : words[end]);
    if (bench->fault.status != ERT_OK)
        snprintf(device->reason, sizeof device->reason, "%.255s", bench->fault.text);
    else if (end == PASS_OUT_OF_TIME)
        snprintf(
            device->reason, sizeof device->reason,
            "the time budget of %g s ended before all rounds were run (%.0f s; the first "
            "round is never cut)",
            bench->samples->config.budget_s, ert_clock_now_s() - bench->start_s);
    device->seconds = ert_clock_now_s() - bench->start_s;
}

static enum pass_end run_device(struct ert_bench *bench)
{
    struct ert_device_samples *device = bench->device;
    struct ert_session_options options =
        ert_plan_options(&bench->samples->config, bench->about);
    options.stop = bench->hooks->stop;
    bool *chosen = calloc(device->n_points + 1, sizeof *chosen);
    enum pass_end end = PASS_LOST;
    bench->start_s = ert_clock_now_s();
    report(bench, "opening", NULL);
    struct ert_error error = {0};
    if (!chosen)
        ert_fail(&bench->fault, ERT_FAILED, "no memory for %zu points", device->n_points);
    else if (bench->backend->open(bench->about, &options, &bench->session, device->notes,
                                  sizeof device->notes, &error) != ERT_OK) {
        end = stopped(bench) ? PASS_STOPPED : PASS_LOST;
        if (end == PASS_LOST)
            ert_fail(&bench->fault, error.status, "%s: %s", device->device, error.text);
    } else {
        end = all_rounds(bench, chosen);
        if (end == PASS_DONE)
            end = meter(bench, chosen);
    }
    if (bench->session)
        bench->backend->close(bench->session);
    free(chosen);
    conclude(bench, end);
    return end;
}

enum ert_status ert_run(struct ert_samples *samples, const struct ert_run_hooks *hooks,
                        struct ert_error *error)
{
    struct ert_error first = {0};
    enum pass_end worst = PASS_DONE;
    for (size_t i = 0; i < samples->n_devices && worst != PASS_STOPPED; i++) {
        struct ert_bench bench = {
            .samples = samples,
            .device = &samples->devices[i],
            .about = ert_machine_device(&samples->machine, samples->devices[i].device),
            .hooks = hooks};
        bench.backend = ert_backend_find(bench.about->backend);
        enum pass_end end = run_device(&bench);
        worst = end > worst ? end : worst;
        if (first.status == ERT_OK)
            first = bench.fault;
    }
    const char *status = "complete";
    if (worst == PASS_STOPPED)
        status = "interrupted";
    else if (first.status != ERT_OK)
        status = "failed";
    else if (worst == PASS_OUT_OF_TIME)
        status = "budget";
    snprintf(samples->status, sizeof samples->status, "%s", status);
    if (worst == PASS_STOPPED)
        return ert_fail(error, ERT_FAILED, "interrupted; what was measured is kept");
    if (first.status != ERT_OK)
        return ert_fail(error, first.status, "%s", first.text);
    return ERT_OK;
}
