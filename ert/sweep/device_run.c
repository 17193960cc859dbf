#include "ert/sweep/device_run.h"

#include "ert/base/clock.h"
#include "ert/ert110/hook.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/*
 * A crash or a kill -9 loses at most this much, or `writings` times what writing takes. Each checkpoint
 * writes all samples of all devices, and all wait: of four H200s 80 ms; 33660 points, which are four GPUs'
 * in ERT's mode, took 0.8 s on a busy VM.
 */
static const double checkpoint_every_s = 5, writings = 20;

/* A check that takes a smaller share of a region than this follows every region. */
static const double cheap_check = 0.1;

bool ert_device_run_is_neighbour(const struct ert_point *other,
                                 const struct ert_point *point)
{
    struct ert_spec same = other->spec;
    same.requested_bytes = point->spec.requested_bytes;
    return other != point && other->section == point->section &&
           memcmp(&same, &point->spec, sizeof same) == 0;
}

/*
 * Whether a neighbour was measured with the same set: small sets round to the same number of sweeps.
 * Once is enough. ERT's sets are not rounded: of two that are the same each is a ceiling to be measured
 * again.
 */
static bool is_measured_already(const struct ert_device_run *run,
                                const struct ert_point *point, uint64_t actual_bytes)
{
    for (size_t i = 0; point->section != ERT_SECTION_ERT110 && i < run->device->n_points;
         i++) {
        const struct ert_point *other = &run->device->points[i];
        if (other->passes > 0 && other->work.actual_bytes == actual_bytes &&
            ert_device_run_is_neighbour(other, point))
            return true;
    }
    return false;
}

/*
 * How long the point's region is to be. Launch and end of a GPU's kernel cost some 10 us, 0.3 % of
 * 3 ms: more than separates the rates of compute, L1 and shared memory from their limits. Twice
 * 3 ms shows 0.12 % more of an H200's L1; in 10 ms FP16 by wgmma falls to 919 to 931 TFLOP/s from
 * 950 to 972.
 */
double ert_device_run_region_s(const struct ert_device_run *run,
                               const struct ert_point *point)
{
    double region_s = run->samples->config.region_s;
    if (point->section == ERT_SECTION_COMPUTE)
        return 1.5 * region_s;
    if (run->about->kind == ERT_DEVICE_GPU && point->section == ERT_SECTION_LEVELS &&
        point->spec.path != ERT_PATH_BYPASS_L1)
        return 2 * region_s;
    return region_s;
}

enum ert_status ert_device_run_sustain(struct ert_device_run *run, struct ert_point *point,
                                       struct ert_error *error)
{
    struct ert_work work;
    struct ert_sustained sustained = {0};
    if (!run->backend->sustain)
        return ert_fail(error, ERT_UNAVAILABLE, "%s has no sustained rates",
                        run->backend->name);
    ERT_TRY(run->backend->prepare(run->session, &point->spec, &work, error));
    ERT_TRY(run->backend->sustain(run->session, run->samples->config.sustained_s,
                                  point->passes, &sustained, error));
    if (sustained.n_parts > 0)
        sustained.began_unix_s =
            ert_clock_unix_s() - sustained.parts[sustained.n_parts - 1].end_s;
    ERT_TRY(run->backend->verify(run->session, error));
    pthread_mutex_lock(&run->shared->lock);
    point->sustained = sustained;
    pthread_mutex_unlock(&run->shared->lock);
    return ERT_OK;
}

/* A sample of a point that is neither ERT's nor of CPUs: as many passes as fill a region. */
static enum ert_status time_passes(struct ert_device_run *run,
                                   const struct ert_point *point, uint64_t *passes,
                                   struct ert_sample *sample, struct ert_error *error)
{
    const struct ert_backend *backend = run->backend;
    double region_s = ert_device_run_region_s(run, point);
    if (*passes == 0)
        ERT_TRY(ert_backend_calibrate(backend, run->session, region_s, passes, sample,
                                      &run->lost, error));
    if (sample->passes == 0 || sample->passes < *passes)
        ERT_TRY(backend->time(run->session, *passes, sample, &run->lost, error));
    ERT_TRY(ert_sample_check(sample, error));
    if (sample->time_s >= region_s / 4)
        return ERT_OK;
    /* A calibration that was interrupted asked for too few passes: once more. */
    ERT_TRY(ert_backend_calibrate(backend, run->session, region_s, passes, sample,
                                  &run->lost, error));
    ERT_TRY(backend->time(run->session, *passes, sample, &run->lost, error));
    return ert_sample_check(sample, error);
}

/* A thread that waited for all of a window runs in the next one, unless its CPU is taken. */
enum { MOST_ATTEMPTS = 4 };

static enum ert_status time_window(struct ert_device_run *run, uint64_t *passes,
                                   struct ert_sample *sample, struct ert_error *error)
{
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        ERT_TRY(
            run->backend->window(run->session, run->window_s, sample, &run->lost, error));
        *passes = sample->passes ? sample->passes : 1;
        if (sample->rate_per_s > 0)
            return ERT_OK;
    }
    return ert_fail(error, ERT_UNAVAILABLE,
                    "no thread ran in %d windows of %g s: the CPUs are taken",
                    MOST_ATTEMPTS, run->window_s);
}

/* In windows that are not longer than a gap some CPUs would not run at all. */
static const double gaps_per_window = 2, most_regions = 5;

/* Below this share gaps are what the system's own ticks take. */
static const double quiet_lost = 0.01;

double ert_device_run_window_s(const struct ert_device_run *run)
{
    const struct ert_observation *seen = &run->device->observation;
    double region_s = run->samples->config.region_s;
    if (seen->lost < quiet_lost)
        return region_s;
    return fmin(fmax(region_s, gaps_per_window * seen->longest_gap_s),
                most_regions * region_s);
}

enum ert_status ert_device_run_check(struct ert_device_run *run, struct ert_point *point,
                                     struct ert_error *error)
{
    if (run->is_checked)
        return ERT_OK;
    double begin_s = ert_clock_now_s();
    ERT_TRY(run->backend->verify(run->session, error));
    point->check_s = ert_clock_now_s() - begin_s;
    run->is_checked = true;
    return ERT_OK;
}

enum ert_status ert_device_run_measure(struct ert_device_run *run, struct ert_point *point,
                                       struct ert_error *error)
{
    const struct ert_backend *backend = run->backend;
    struct ert_sample sample = {0};
    struct ert_work work = {0};
    uint64_t passes = point->passes;
    bool first = passes == 0;
    ERT_TRY(backend->prepare(run->session, &point->spec, &work, error));
    if (first && is_measured_already(run, point, work.actual_bytes))
        return ert_fail(error, ERT_UNAVAILABLE, "rounds to the same set as another point");
    if (point->section == ERT_SECTION_ERT110)
        ERT_TRY(ert110_hook.time(run, point, &work, &passes, &sample, error));
    else if (backend->window && run->about->kind == ERT_DEVICE_CPU)
        ERT_TRY(time_window(run, &passes, &sample, error));
    else
        ERT_TRY(time_passes(run, point, &passes, &sample, error));
    run->is_checked = false;
    if (first || point->check_s < cheap_check * ert_device_run_region_s(run, point))
        ERT_TRY(ert_device_run_check(run, point, error));
    pthread_mutex_lock(&run->shared->lock);
    enum ert_status status = ert_point_add(point, &sample, error);
    point->work = work;
    point->passes = passes;
    if (status == ERT_OK)
        point->status = ERT_POINT_MEASURED;
    pthread_mutex_unlock(&run->shared->lock);
    return status;
}

bool ert_device_run_stopped(const struct ert_device_run *run)
{
    return run->hooks->stop && *run->hooks->stop;
}

double ert_device_run_elapsed_s(const struct ert_device_run *run)
{
    return ert_clock_now_s() - run->start_s;
}

bool ert_device_run_out_of_time(const struct ert_device_run *run)
{
    double budget = run->samples->config.budget_s;
    return budget > 0 && ert_device_run_elapsed_s(run) > budget;
}

void ert_device_run_report(struct ert_device_run *run, const char *what,
                           const char *message)
{
    double fraction = run->todo > 0 ? fmin(run->done / run->todo, 1) : 0;
    double elapsed = ert_device_run_elapsed_s(run);
    double budget = run->samples->config.budget_s;
    if (budget > 0)
        fraction = fmin(fmax(fraction, elapsed / budget), 1);
    double left = fraction > 0.02 ? elapsed * (1 - fraction) / fraction : -1;
    if (budget > 0 && left > budget - elapsed)
        left = fmax(budget - elapsed, 0);
    struct ert_progress progress = {run->device->device, what, fraction, left, message};
    if (!run->hooks->progress)
        return;
    pthread_mutex_lock(&run->shared->lock);
    run->hooks->progress(&progress, run->hooks->context);
    pthread_mutex_unlock(&run->shared->lock);
}

void ert_device_run_keep_fault(struct ert_device_run *run, struct ert_point *point,
                               const struct ert_error *error)
{
    char name[128];
    ert_point_describe(point, name, sizeof name);
    bool skip = error->status == ERT_UNAVAILABLE && !run->lost;
    pthread_mutex_lock(&run->shared->lock);
    point->status = skip ? ERT_POINT_SKIPPED : ERT_POINT_FAILED;
    snprintf(point->reason, sizeof point->reason, "%.255s", error->text);
    pthread_mutex_unlock(&run->shared->lock);
    if (skip)
        return;
    if (run->fault.status == ERT_OK)
        ert_fail(&run->fault, ERT_FAILED, "%s: %s: %s", run->device->device, name,
                 error->text);
    /* The first ones are shown, all are in the samples. */
    if (run->n_faults++ < 5)
        ert_device_run_report(run, name, point->reason);
}

void ert_device_run_checkpoint(struct ert_device_run *run)
{
    struct ert_error error = {0};
    struct ert_device_run_shared *shared = run->shared;
    enum ert_status status = ERT_OK;
    if (!run->hooks->checkpoint)
        return;
    pthread_mutex_lock(&run->shared->lock);
    double now_s = ert_clock_now_s();
    if (shared->checkpoint_s == 0 ||
        now_s - shared->checkpoint_s >=
            fmax(checkpoint_every_s, writings * shared->writing_s)) {
        status = run->hooks->checkpoint(run->samples, run->hooks->context, &error);
        shared->checkpoint_s = ert_clock_now_s();
        shared->writing_s = shared->checkpoint_s - now_s;
    }
    pthread_mutex_unlock(&run->shared->lock);
    if (status != ERT_OK && run->fault.status == ERT_OK)
        run->fault = error;
}
