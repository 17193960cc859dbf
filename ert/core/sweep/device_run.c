/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/sweep/device_run.h"

#include "ert/core/base/clock.h"
#include "ert/core/sweep/mode.h"
#include "ert/core/sweep/section.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/*
 * A crash loses at most this time, or `writings` times the time of writing. Each checkpoint writes all
 * samples of all devices while all wait: 80 ms for four H200s; 33660 points, of four GPUs in ERT's mode, took
 * 0.8 s on a busy VM.
 */
static const double checkpoint_every_s = 5, writings = 20;

/* Results are verified after every region if that takes less than this share of the region. */
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
 * Whether a neighbour was measured with the same set, since small sets round to the same number of sweeps:
 * once is enough. A mode's sets are not rounded: two equal ones are two ceilings, and both are measured.
 */
static bool is_measured_already(const struct ert_device_run *run,
                                const struct ert_point *point, uint64_t actual_bytes)
{
    for (size_t i = 0; !ert_sections[point->section]->mode && i < run->device->n_points;
         i++) {
        const struct ert_point *other = &run->device->points[i];
        if (other->passes > 0 && other->work.actual_bytes == actual_bytes &&
            ert_device_run_is_neighbour(other, point))
            return true;
    }
    return false;
}

/*
 * Launch and end of a GPU kernel cost about 10 us, 0.3 % of 3 ms: more than the distance of compute, L1 and
 * shared memory rates from their limits. With 6 ms an H200's L1 is 0.12 % faster; with 10 ms FP16 by wgmma
 * falls from 950 to 972 TFLOP/s to 919 to 931.
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

/*
 * A power limit is regulated with a period of about a second: an H100 of 700 W took 795 W in 0.3 s, and its
 * BF16 rate differed by 4.9 % between such runs. So what meets one goes on for this many times as long: six
 * rates of an H200 then differed by at most 0.9 % in four runs (results/h200-x2).
 */
static const double power_limited_times = 2.5;

static bool meets_power_limit(const struct ert_backend *backend,
                              const struct ert_sustained *sustained)
{
    uint64_t seen = 0;
    for (uint32_t i = 0; i < sustained->n_parts; i++)
        seen |= sustained->parts[i].throttle;
    for (const struct ert_throttle *row = backend->throttle; row && row->name; row++)
        if (row->is_power && (seen & row->bit))
            return true;
    return false;
}

static enum ert_status take_sustained(struct ert_device_run *run, struct ert_point *point,
                                      struct ert_error *error)
{
    struct ert_work work;
    struct ert_sustained sustained = {0}, longer;
    const double time_s =
        point->sustain_s > 0 ? point->sustain_s : run->samples->config.sustained_s;
    if (!run->backend->sustain)
        return ert_fail(error, ERT_UNAVAILABLE, "%s has no sustained rates",
                        run->backend->name);
    ERT_TRY(run->backend->prepare(run->session, &point->spec, &work, error));
    ERT_TRY(run->backend->sustain(run->session, time_s, point->passes, &sustained, error));
    if (meets_power_limit(run->backend, &sustained)) {
        ERT_TRY(run->backend->sustain(run->session, power_limited_times * time_s,
                                      point->passes, &longer, error));
        ert_sustained_extend(&sustained, &longer);
    }
    if (sustained.n_parts > 0)
        sustained.began_unix_s =
            ert_clock_unix_s() - sustained.parts[sustained.n_parts - 1].end_s;
    ERT_TRY(run->backend->verify(run->session, error));
    pthread_mutex_lock(&run->shared->lock);
    point->sustained = sustained;
    pthread_mutex_unlock(&run->shared->lock);
    return ERT_OK;
}

/* Takes a sample on a GPU, except in a mode: as many passes as fill a region. */
static enum ert_status device_run_time_passes(struct ert_device_run *run,
                                              const struct ert_point *point,
                                              uint64_t *passes, struct ert_sample *sample,
                                              struct ert_error *error)
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
    /* A disturbed calibration gave too few passes: calibrate again. */
    ERT_TRY(ert_backend_calibrate(backend, run->session, region_s, passes, sample,
                                  &run->lost, error));
    ERT_TRY(backend->time(run->session, *passes, sample, &run->lost, error));
    return ert_sample_check(sample, error);
}

/*
 * A window in which threads waited for other programs or guests is taken again: it shows how busy the machine
 * is, which the activity says, and not what it attains. A thread that waited during a whole window runs in
 * the next one, unless its CPU is taken.
 */
enum { MOST_ATTEMPTS = 4 };

/* Where most windows are disturbed, others take no better ones, and the time of the run is better spent. */
static bool is_worth_another(const struct ert_device_run *run,
                             const struct ert_sample *sample)
{
    return !(sample->rate_per_s > 0) ||
           (fmax(sample->waited, sample->steal) > ERT_MOST_WAITED &&
            2 * run->n_disturbed <= run->n_windows + MOST_ATTEMPTS);
}

static enum ert_status time_window(struct ert_device_run *run, uint64_t *passes,
                                   struct ert_sample *sample, struct ert_error *error)
{
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
        ERT_TRY(
            run->backend->window(run->session, run->window_s, sample, &run->lost, error));
        *passes = sample->passes ? sample->passes : 1;
        run->n_windows++;
        if (!is_worth_another(run, sample))
            return ERT_OK;
        run->n_disturbed++;
    }
    if (sample->rate_per_s > 0)
        return ERT_OK;
    return ert_fail(error, ERT_UNAVAILABLE,
                    "no thread ran in %d windows of %g s: the CPUs are busy", MOST_ATTEMPTS,
                    run->window_s);
}

/* In a window no longer than a gap, some CPUs would not run at all. */
static const double gaps_per_window = 2, most_regions = 5;

/* A lower share of lost time is due to the system's own ticks. */
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

static enum ert_status device_run_check(struct ert_device_run *run, struct ert_point *point,
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
    const struct ert_mode *mode = ert_sections[point->section]->mode;
    struct ert_sample sample = {0};
    struct ert_work work = {0};
    uint64_t passes = point->passes;
    bool first = passes == 0;
    ERT_TRY(backend->prepare(run->session, &point->spec, &work, error));
    if (first && is_measured_already(run, point, work.actual_bytes))
        return ert_fail(error, ERT_UNAVAILABLE, "rounds to the same set as another point");
    if (mode)
        ERT_TRY(mode->time(run, point, &work, &passes, &sample, error));
    else if (backend->window && run->about->kind == ERT_DEVICE_CPU)
        ERT_TRY(time_window(run, &passes, &sample, error));
    else
        ERT_TRY(device_run_time_passes(run, point, &passes, &sample, error));
    run->is_checked = false;
    if (first || point->check_s < cheap_check * ert_device_run_region_s(run, point))
        ERT_TRY(device_run_check(run, point, error));
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

static double elapsed_s(const struct ert_device_run *run)
{
    return ert_clock_now_s() - run->start_s;
}

static bool is_out_of_time(const struct ert_device_run *run)
{
    double budget = run->samples->config.budget_s;
    return budget > 0 && elapsed_s(run) > budget;
}

void ert_device_run_report(struct ert_device_run *run, const char *what,
                           const char *message)
{
    double fraction = run->todo > 0 ? fmin(run->done / run->todo, 1) : 0;
    double elapsed = elapsed_s(run);
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
    const struct ert_point_text name = ert_point_describe(point);
    bool is_untried = ert_kernel_row(point->spec.kernel)->limits & ERT_UNTRIED;
    bool skip = (error->status == ERT_UNAVAILABLE || is_untried) && !run->lost;
    pthread_mutex_lock(&run->shared->lock);
    point->status = skip ? ERT_POINT_SKIPPED : ERT_POINT_FAILED;
    snprintf(point->reason, sizeof point->reason, "%.255s", error->text);
    pthread_mutex_unlock(&run->shared->lock);
    if (skip)
        return;
    if (run->fault.status == ERT_OK)
        ert_fail(&run->fault, ERT_FAILED, "%s: %s: %s", run->device->device, name.text,
                 error->text);
    /* Shows only the first ones; the samples have all. */
    if (run->n_faults++ < 5)
        ert_device_run_report(run, name.text, point->reason);
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

/* ---- the rounds ---- */

static enum ert_rounds_end device_run_visit(struct ert_device_run *run,
                                            const struct ert_step *step)
{
    struct ert_point *point = &run->device->points[step->index];
    struct ert_error error = {0};
    enum ert_status status = ERT_OK;
    ert_device_run_report(run, ert_point_describe(point).text, NULL);
    for (uint32_t k = 0; k < step->n_samples && status == ERT_OK; k++)
        status = ert_device_run_measure(run, point, &error);
    if (status == ERT_OK && step->is_checked)
        status = device_run_check(run, point, &error);
    ert_schedule_note(&run->schedule, step->index);
    if (status != ERT_OK) {
        if (ert_device_run_stopped(run))
            return ERT_ROUNDS_STOPPED;
        ert_device_run_keep_fault(run, point, &error);
    }
    ert_device_run_checkpoint(run); /* a mode's rounds take minutes */
    return run->lost ? ERT_ROUNDS_LOST : ERT_ROUNDS_DONE;
}

static void device_run_leave(struct ert_device_run *run, struct ert_point *point)
{
    pthread_mutex_lock(&run->shared->lock);
    point->status = ERT_POINT_SKIPPED;
    snprintf(point->reason, sizeof point->reason,
             "another variant was faster at the nearest set that all were measured at");
    pthread_mutex_unlock(&run->shared->lock);
}

static double total_cost_s(const struct ert_schedule *schedule)
{
    double sum = 0;
    for (size_t i = 0; i < schedule->n; i++)
        sum += schedule->chosen[i] ? schedule->turns[i].cost_s : 0;
    return sum;
}

/* Chooses the points that decide a ceiling so far, those of some sections. */
static enum ert_status device_run_select(struct ert_device_run *run, size_t per_ceiling,
                                         const bool *sections)
{
    struct ert_schedule *schedule = &run->schedule;
    struct ert_error error;
    enum ert_status status = run->hooks->candidates(run->about, run->device, per_ceiling,
                                                    schedule->chosen, &error);
    for (size_t i = 0; i < schedule->n && sections; i++)
        schedule->chosen[i] =
            schedule->chosen[i] && sections[run->device->points[i].section];
    if (status != ERT_OK && run->fault.status == ERT_OK)
        run->fault = error;
    return status;
}

enum ert_rounds_end ert_rounds_all(struct ert_device_run *run,
                                   const bool sections[ERT_N_SECTIONS])
{
    const struct ert_config *config = &run->samples->config;
    struct ert_schedule *schedule = &run->schedule;
    const double before_s = run->done;
    struct ert_step step = {.kind = ERT_STEP_ESTIMATE};
    enum ert_rounds_end end = ERT_ROUNDS_DONE;
    for (size_t i = 0; i < schedule->n; i++)
        schedule->chosen[i] = sections[run->device->points[i].section];
    schedule->n_rounds = config->candidate_rounds;
    for (int s = 0; s < ERT_N_SECTIONS; s++) {
        const uint64_t most = ert_sections[s]->most_rounds;
        if (sections[s] && most && schedule->n_rounds > most)
            schedule->n_rounds = most;
    }
    run->todo =
        before_s + total_cost_s(schedule) *
                       ((double)config->rounds + 0.2 * (double)config->candidate_rounds);
    while (step.kind != ERT_STEP_END && end == ERT_ROUNDS_DONE) {
        if (ert_device_run_stopped(run))
            return ERT_ROUNDS_STOPPED;
        step = ert_schedule_next(schedule, step.next, elapsed_s(run));
        if (step.kind == ERT_STEP_MEASURE)
            end = device_run_visit(run, &step);
        run->done = before_s + step.next.done_s;
        if (step.kind == ERT_STEP_LEAVE)
            device_run_leave(run, &run->device->points[step.index]);
        if (step.kind == ERT_STEP_ESTIMATE) {
            ert_schedule_estimate(schedule);
            ert_device_run_checkpoint(run);
        }
        if (step.kind == ERT_STEP_SELECT && !run->hooks->candidates)
            break;
        if (step.kind == ERT_STEP_SELECT) {
            if (device_run_select(run, config->candidates, sections) != ERT_OK)
                return ERT_ROUNDS_LOST;
            run->todo = run->done + total_cost_s(schedule) * (double)schedule->n_rounds;
        }
    }
    return end == ERT_ROUNDS_DONE && step.next.is_cut ? ERT_ROUNDS_OUT_OF_TIME : end;
}

static enum ert_rounds_end device_run_sustain(struct ert_device_run *run, size_t index)
{
    struct ert_error error = {0};
    struct ert_device_samples *device = run->device;
    struct ert_point *point = &device->points[index];
    if (ert_device_run_stopped(run))
        return ERT_ROUNDS_STOPPED;
    if (is_out_of_time(run))
        return ERT_ROUNDS_OUT_OF_TIME;
    ert_device_run_report(run, ert_point_describe(point).text, NULL);
    if (take_sustained(run, point, &error) != ERT_OK && ert_device_run_stopped(run))
        return ERT_ROUNDS_STOPPED;
    /* A kernel without a sustained rate keeps that of its short regions. */
    if (error.status != ERT_OK && error.status != ERT_UNAVAILABLE)
        ert_device_run_keep_fault(run, point, &error);
    run->schedule.turns[index].cannot_sustain = point->sustained.n_parts == 0;
    const char *why = point->sustained.no_power;
    if (*why && !strstr(device->notes, why))
        ert_append(device->notes, sizeof device->notes, "%spower not measured: %s",
                   *device->notes ? "; " : "", why);
    return run->lost ? ERT_ROUNDS_LOST : ERT_ROUNDS_DONE;
}

enum ert_rounds_end ert_rounds_sustained(struct ert_device_run *run)
{
    enum ert_rounds_end end = ERT_ROUNDS_DONE;
    size_t index;
    for (size_t i = 0; i < run->device->n_points && end == ERT_ROUNDS_DONE; i++)
        if (run->device->points[i].sustain_s > 0 && run->device->points[i].n_samples > 0)
            end = device_run_sustain(run, i);
    if (!(run->samples->config.sustained_s > 0) || !run->hooks->candidates ||
        end != ERT_ROUNDS_DONE)
        return end;
    if (device_run_select(run, 1, NULL) != ERT_OK)
        return ERT_ROUNDS_LOST;
    while (end == ERT_ROUNDS_DONE && ert_schedule_sustain(&run->schedule, &index))
        end = device_run_sustain(run, index);
    ert_device_run_checkpoint(run);
    return end;
}
