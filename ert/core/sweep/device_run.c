/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/sweep/device_run.h"

#include "ert/core/base/clock.h"
#include "ert/core/stats/stats.h"
#include "ert/core/sweep/mode.h"
#include "ert/core/sweep/sets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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
    for (size_t i = 0; !ert_section_mode(point->section) && i < run->device->n_points;
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

static enum ert_status take_sustained(struct ert_device_run *run, struct ert_point *point,
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

/* A thread that waited during a whole window runs in the next one, unless its CPU is taken. */
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
    const struct ert_mode *mode = ert_section_mode(point->section);
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
    bool skip = error->status == ERT_UNAVAILABLE && !run->lost;
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

/* The rounds: several over all points of the device, interleaved; then over those that decide a ceiling. */

static const uint64_t link_rounds = 3;

/* Estimated time of a sample of the point: the region, and the preparation, which sweeps the set, too. */
static double cost_s(const struct ert_device_run *run, const struct ert_point *point)
{
    return ert_point_region_s(&run->samples->config, point) +
           3 * (double)point->spec.requested_bytes / ert_sets_guessed_rate(run->about);
}

/* A stride near the golden section of n that visits all of 0..n-1, since it is coprime to n. */
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
 * The index of the i-th point of a round. The stride separates neighbours in the plan (one kernel's sizes) in
 * time, and each round starts elsewhere: so a slow second of the machine affects many curves a little, not
 * one point in all rounds.
 */
static size_t interleaved(size_t i, size_t n, size_t stride, uint64_t round)
{
    return (i + (size_t)round * (n / 3 + 1)) % n * stride % n;
}

/*
 * Points that take as long as many regions, with sets in memory, are explored only once, and the decisive
 * ones are measured in every third round. Otherwise they would use up the budget: 222 visits of them took 41
 * of 50 s on two CPUs.
 */
static bool is_costly(const struct ert_device_run *run, const struct ert_point *point)
{
    return cost_s(run, point) > 10 * run->samples->config.region_s;
}

/*
 * The order in which points are first measured, so that a budget that ends early cuts the least important
 * ones: compute, latency, links, and loads at every fourth set; other patterns likewise; the sets between
 * these; the other costly sets in memory; lesser instruction sets and all other sections.
 */
enum rank { RANK_MAIN, RANK_CEILINGS, RANK_BETWEEN, RANK_COSTLY, RANK_MORE, N_RANKS };

/* How many points of the same curve or compute kernel precede this one, and whether none follows. */
static size_t place_in_curve(const struct ert_device_samples *device, size_t index,
                             bool *is_last)
{
    const struct ert_point *point = &device->points[index];
    size_t before = 0;
    *is_last = true;
    for (size_t i = 0; i < device->n_points; i++) {
        const struct ert_point *other = &device->points[i];
        bool is_same =
            other->section == point->section && other->spec.kernel == point->spec.kernel &&
            other->spec.path == point->spec.path && other->spec.to == point->spec.to;
        bool is_other_way = other->spec.variant != point->spec.variant;
        if (!is_same || (is_other_way && point->section == ERT_SECTION_LEVELS))
            continue;
        before += i < index;
        *is_last = *is_last && i <= index;
    }
    return before;
}

/* Whether a point belongs to the main roofline: multiply-adds of FP64 and FP32, and loads. */
static bool device_run_is_main(const struct ert_point *point)
{
    const struct ert_kernel *row = ert_kernel_row(point->spec.kernel);
    bool is_wide = row->type == ERT_FP64 || row->type == ERT_FP32;
    if (point->section == ERT_SECTION_COMPUTE)
        return is_wide && strcmp(row->op, "fma") == 0;
    return point->section == ERT_SECTION_LEVELS && row->stores == 0;
}

static enum rank device_run_rank_of(const struct ert_device_run *run, size_t index)
{
    const struct ert_device_samples *device = run->device;
    const struct ert_point *point = &device->points[index];
    bool is_last;
    size_t place;
    switch (point->section) {
    case ERT_SECTION_COMPUTE:
        place = place_in_curve(device, index, &is_last);
        return *point->variant.isa == '\0' || place == 0 ? RANK_MAIN : RANK_MORE;
    case ERT_SECTION_LEVELS:
        place = place_in_curve(device, index, &is_last);
        if (is_costly(run, point) && !(device_run_is_main(point) && is_last))
            return RANK_COSTLY;
        if (place % 4 != 0 && !is_last)
            return RANK_BETWEEN;
        return device_run_is_main(point) ? RANK_MAIN : RANK_CEILINGS;
    case ERT_SECTION_LATENCY:
    case ERT_SECTION_LINKS:
        return RANK_MAIN;
    default:
        return RANK_MORE;
    }
}

static struct ert_estimate estimate_of(const struct ert_point *point)
{
    size_t n = point->n_samples;
    double *rates = n ? malloc(n * sizeof *rates) : NULL;
    struct ert_estimate estimate = {0};
    for (size_t i = 0; rates && i < n; i++)
        rates[i] = ert_point_rate(point, ert_sample_rate(&point->samples[i]));
    if (rates)
        estimate = ert_estimate_make(rates, n, ERT_BETTER_HIGH);
    free(rates);
    return estimate;
}

/* An estimate with a narrower relative interval needs no more samples. */
static const double settled_width = 0.01;
/* With a wider one a main roofline is measured in every round: twice this width makes the run not valid. */
static const double warning_width = 0.05;
/*
 * The interval that `verify` needs for a CPU's main roofline: to find a slowdown of 10 %, its --detect, the
 * error of both runs together must be below 1.8 % (it takes 5.9 errors, differ.h). Intervals of 2 % use 0.9 %
 * of that; the rest is left for differences between runs.
 */
static const double main_width = 0.02;

static bool device_run_is_within(const struct ert_point *point, double width)
{
    if (point->n_samples < ERT_ENOUGH_SAMPLES)
        return false;
    struct ert_estimate estimate = estimate_of(point);
    return estimate.high - estimate.low < width * estimate.value;
}

static bool is_settled(const struct ert_point *point)
{
    return device_run_is_within(point, settled_width);
}

/* Whether the run selects the best way; in `verify` each point is a ceiling, and none may be skipped. */
static bool chooses(const struct ert_device_run *run)
{
    return run->samples->config.leader_rounds > 0;
}

/* Whether all ways of a kernel are measured at a set: at every fourth cheap one, and the last. */
static bool has_all_ways(const struct ert_device_run *run, size_t index)
{
    bool is_last;
    size_t place = place_in_curve(run->device, index, &is_last);
    return is_last || (place % 4 == 0 && !is_costly(run, &run->device->points[index]));
}

/*
 * Whether another way was fastest at the nearest set with all ways, so that this way is skipped here:
 * measuring all ways at all sets would spend most of a run on slower ones.
 */
static bool is_left_to_another(const struct ert_device_run *run, size_t index)
{
    const struct ert_device_samples *device = run->device;
    const struct ert_point *point = &device->points[index], *best = NULL;
    double distance = INFINITY, most = 0;
    /* A GPU's ways are block shapes, each of which suits other sets. */
    if (point->section != ERT_SECTION_LEVELS || run->about->kind != ERT_DEVICE_CPU ||
        has_all_ways(run, index))
        return false;
    for (size_t i = 0; i < device->n_points; i++) {
        const struct ert_point *other = &device->points[i];
        struct ert_spec same = other->spec;
        same.variant = point->spec.variant;
        same.requested_bytes = point->spec.requested_bytes;
        double away = fabs(
            log((double)other->spec.requested_bytes / (double)point->spec.requested_bytes));
        if (other->section != point->section || other->status != ERT_POINT_MEASURED ||
            memcmp(&same, &point->spec, sizeof same) != 0 || !has_all_ways(run, i))
            continue;
        if (away < distance - 1e-9 ||
            (away < distance + 1e-9 && ert_point_fastest(other) > most)) {
            distance = away;
            most = ert_point_fastest(other);
            best = other;
        }
    }
    return best && best->spec.variant != point->spec.variant;
}

/* A way that another one beats by more than this factor is slower, not just disturbed. */
static const double beaten_by = 1.15;

static bool device_run_is_beaten(const struct ert_device_samples *device,
                                 const struct ert_point *point)
{
    double own = ert_point_fastest(point);
    for (size_t i = 0; i < device->n_points; i++) {
        const struct ert_point *other = &device->points[i];
        struct ert_spec same = other->spec;
        same.variant = point->spec.variant;
        if (other->section == point->section && other != point &&
            strcmp(other->variant.isa, point->variant.isa) == 0 &&
            memcmp(&same, &point->spec, sizeof same) == 0 &&
            ert_point_fastest(other) > beaten_by * own)
            return true;
    }
    return false;
}

/*
 * For ERT's sweep 1: one flop count after the other, since ERT runs a process for each. Interleaved with
 * kernels of more flops a core holds a lower clock, and sets in L2 were 11 % slower (2 cores of a Xeon).
 */
static size_t stride_of(const struct ert_device_samples *device)
{
    return ert_samples_mode(device) || device->n_points == 0
               ? 1
               : coprime_stride(device->n_points);
}

/* A pass over the points. */
struct pass {
    uint64_t number;  /* of the round, from 0 */
    enum rank rank;   /* only points of this rank; N_RANKS: all that are chosen */
    bool is_explored; /* explores all points; else settles the decisive ones */
    bool is_for_main; /* only points of the main roofline */
    bool is_extra;    /* only those that all rounds left uncertain */
    bool is_last;
    bool is_idle; /* result: there was nothing to measure */
    double end_s; /* limit of the device's time; 0: none */
};

static enum ert_rounds_end device_run_visit(struct ert_device_run *run,
                                            struct ert_point *point,
                                            const struct pass *pass)
{
    struct ert_error error = {0};
    enum ert_status status = ERT_OK;
    ert_device_run_report(run, ert_point_describe(point).text, NULL);
    /*
     * Tensor kernels run at the clock that power allows at the moment, so that their samples scatter more
     * than others (on an H200 1 % instead of 0.2): a round over the leaders takes two samples of each.
     */
    bool is_tensor = strcmp(ert_kernel_row(point->spec.kernel)->unit, "tensor") == 0;
    for (int k = is_tensor && !pass->is_explored ? 2 : 1; k > 0 && status == ERT_OK; k--)
        status = ert_device_run_measure(run, point, &error);
    /* Decisive points are verified at their end, too. */
    if (status == ERT_OK && !pass->is_explored && (pass->is_last || is_settled(point)))
        status = device_run_check(run, point, &error);
    if (status != ERT_OK) {
        if (ert_device_run_stopped(run))
            return ERT_ROUNDS_STOPPED;
        ert_device_run_keep_fault(run, point, &error);
    }
    return run->lost ? ERT_ROUNDS_LOST : ERT_ROUNDS_DONE;
}

/*
 * Whether no other pattern was faster at sets of about this size: the point will be the level's roof, which
 * `verify` judges.
 */
static bool is_best(const struct ert_device_run *run, size_t index, const bool *chosen)
{
    const struct ert_point *point = &run->device->points[index];
    double rate = ert_point_fastest(point), bytes = (double)point->spec.requested_bytes;
    for (size_t i = 0; i < run->device->n_points && rate > 0; i++) {
        const struct ert_point *other = &run->device->points[i];
        double ratio = (double)other->spec.requested_bytes / bytes;
        if (chosen[i] && other->section == point->section && ratio > 0.5 && ratio < 2 &&
            ert_point_fastest(other) > rate)
            return false;
    }
    return rate > 0 && point->section == ERT_SECTION_LEVELS;
}

/* Whether the point will be a ceiling that `verify` judges, or one of FP32 or loads. */
static bool decides(const struct ert_device_run *run, size_t index, const bool *chosen)
{
    return device_run_is_main(&run->device->points[index]) || is_best(run, index, chosen);
}

static bool device_run_is_wanted(const struct ert_device_run *run, size_t index,
                                 const bool *chosen, const struct pass *pass)
{
    const struct ert_point *point = &run->device->points[index];
    if (!chosen[index] || point->status == ERT_POINT_FAILED ||
        point->status == ERT_POINT_SKIPPED)
        return false;
    if (pass->is_for_main && !decides(run, index, chosen))
        return false;
    if (pass->is_extra)
        return !device_run_is_within(point, main_width);
    if (pass->rank < N_RANKS && device_run_rank_of(run, index) != pass->rank)
        return false;
    if (pass->is_explored)
        return pass->number == 0 || !chooses(run) ||
               !(is_costly(run, point) || device_run_is_beaten(run->device, point));
    bool is_due = pass->is_last || pass->number % 3 == 0 || !is_costly(run, point) ||
                  (pass->is_for_main && !device_run_is_within(point, warning_width));
    return is_due && !is_settled(point);
}

static enum ert_rounds_end pass_over(struct ert_device_run *run, const bool *chosen,
                                     struct pass *pass)
{
    struct ert_device_samples *device = run->device;
    size_t stride = stride_of(device);
    pass->is_idle = true;
    for (size_t i = 0; i < device->n_points; i++) {
        size_t index = interleaved(i, device->n_points, stride, pass->number);
        struct ert_point *point = &device->points[index];
        if (ert_device_run_stopped(run))
            return ERT_ROUNDS_STOPPED;
        if (device_run_is_wanted(run, index, chosen, pass)) {
            pass->is_idle = false;
            if (pass->end_s > 0 && elapsed_s(run) > pass->end_s)
                return ERT_ROUNDS_OUT_OF_TIME;
            if (chooses(run) && point->status == ERT_POINT_PLANNED &&
                is_left_to_another(run, index)) {
                pthread_mutex_lock(&run->shared->lock);
                point->status = ERT_POINT_SKIPPED;
                snprintf(
                    point->reason, sizeof point->reason,
                    "another variant was faster at the nearest set that all were measured "
                    "at");
                pthread_mutex_unlock(&run->shared->lock);
                run->done += cost_s(run, point);
                continue;
            }
            enum ert_rounds_end end = device_run_visit(run, point, pass);
            if (end != ERT_ROUNDS_DONE)
                return end;
            ert_device_run_checkpoint(run); /* ERT's rounds take minutes */
        }
        if (chosen[index] && !pass->is_for_main &&
            (pass->rank == N_RANKS || device_run_rank_of(run, index) == pass->rank))
            run->done += cost_s(run, point);
    }
    return ERT_ROUNDS_DONE;
}

static double total_cost_s(const struct ert_device_run *run, const bool *chosen)
{
    double sum = 0;
    for (size_t i = 0; i < run->device->n_points; i++)
        if (chosen[i])
            sum += cost_s(run, &run->device->points[i]);
    return sum;
}

/* Shares of the budget: exploring ends at the first, settling at the second; then sustained rates. */
static const double explored_share = 0.6, settled_share = 0.9;

static bool is_incomplete(const struct ert_device_run *run, const bool *chosen)
{
    for (size_t i = 0; i < run->device->n_points; i++)
        if (chosen[i] && run->device->points[i].status == ERT_POINT_PLANNED)
            return true;
    return false;
}

/*
 * Measures all points once, rank by rank, then again, until the budget ends; the first rank, the main
 * rooflines, is always measured. The remaining points stay planned, and the fit says so.
 */
static enum ert_rounds_end explore(struct ert_device_run *run, const bool *chosen)
{
    const struct ert_config *config = &run->samples->config;
    bool is_ordered = stride_of(run->device) == 1; /* ERT's own sweep has its order */
    double explored_s = (config->leader_rounds ? explored_share : 1) * config->budget_s;
    enum ert_rounds_end end = ERT_ROUNDS_DONE;
    for (uint64_t round = 0; round < config->rounds && end == ERT_ROUNDS_DONE; round++)
        for (int rank = 0; rank < N_RANKS && end == ERT_ROUNDS_DONE; rank++) {
            struct pass pass = {
                .number = round,
                .rank = is_ordered ? N_RANKS : (enum rank)rank,
                .is_explored = true,
                .end_s = round == 0 && (rank == RANK_MAIN || is_ordered) ? 0 : explored_s};
            end = pass_over(run, chosen, &pass);
            ert_device_run_checkpoint(run);
            if (is_ordered)
                break;
        }
    return end;
}

static bool is_open(const struct ert_device_run *run, const bool *chosen)
{
    for (size_t i = 0; i < run->device->n_points; i++) {
        const struct ert_point *point = &run->device->points[i];
        if (chosen[i] && point->status == ERT_POINT_MEASURED && !is_settled(point))
            return true;
    }
    return false;
}

/*
 * Measures the decisive points until each is settled, the budget ends, or n_rounds are done. A CPU's main
 * roofline gets the rest of the budget if it needs it, at most four times the rounds.
 */
static enum ert_rounds_end device_run_settle(struct ert_device_run *run, const bool *chosen,
                                             uint64_t n_rounds)
{
    const struct ert_config *config = &run->samples->config;
    enum ert_rounds_end end = ERT_ROUNDS_DONE;
    for (uint64_t round = 0; round < n_rounds && end == ERT_ROUNDS_DONE; round++) {
        struct pass pass = {.number = round,
                            .rank = N_RANKS,
                            .is_last = round + 1 == n_rounds,
                            .end_s = settled_share * config->budget_s};
        if (!is_open(run, chosen))
            break;
        /* What `verify` judges comes first, in case the budget ends. */
        pass.is_for_main = run->about->kind == ERT_DEVICE_CPU && chooses(run);
        if (pass.is_for_main)
            end = pass_over(run, chosen, &pass);
        pass.is_for_main = false;
        if (end == ERT_ROUNDS_DONE)
            end = pass_over(run, chosen, &pass);
        ert_device_run_checkpoint(run);
    }
    struct pass extra = {.number = n_rounds,
                         .rank = N_RANKS,
                         .is_for_main = true,
                         .is_extra = true,
                         .is_last = true,
                         .end_s = settled_share * config->budget_s};
    bool has_extra = run->about->kind == ERT_DEVICE_CPU && chooses(run);
    for (; has_extra && end == ERT_ROUNDS_DONE && !extra.is_idle &&
           extra.number < 4 * n_rounds;
         extra.number++)
        end = pass_over(run, chosen, &extra);
    return end;
}

/* Marks the decisive points in chosen[]. */
static enum ert_rounds_end device_run_lead(struct ert_device_run *run, size_t per_ceiling,
                                           bool *chosen)
{
    struct ert_error error;
    if (run->hooks->leaders(run->about, run->device, per_ceiling, chosen, &error) == ERT_OK)
        return ERT_ROUNDS_DONE;
    if (run->fault.status == ERT_OK)
        run->fault = error;
    return ERT_ROUNDS_LOST;
}

enum ert_rounds_end ert_rounds_all(struct ert_device_run *run,
                                   const bool sections[ERT_N_SECTIONS], bool *chosen)
{
    const struct ert_config *config = &run->samples->config;
    for (size_t i = 0; i < run->device->n_points; i++)
        chosen[i] = sections[run->device->points[i].section];
    double round_cost = total_cost_s(run, chosen);
    run->todo = run->done +
                round_cost * ((double)config->rounds + 0.2 * (double)config->leader_rounds);
    enum ert_rounds_end end = explore(run, chosen);
    bool is_cut = is_incomplete(run, chosen);
    if (end == ERT_ROUNDS_STOPPED || end == ERT_ROUNDS_LOST || !run->hooks->leaders)
        return end;
    if (device_run_lead(run, config->leaders, chosen) != ERT_ROUNDS_DONE)
        return ERT_ROUNDS_LOST;
    for (size_t i = 0; i < run->device->n_points; i++)
        chosen[i] = chosen[i] && sections[run->device->points[i].section];
    /* Copies by the driver have little noise, and a host with many GPUs has many of them. */
    uint64_t n_rounds = config->leader_rounds;
    if (sections[ERT_SECTION_LINKS] && n_rounds > link_rounds)
        n_rounds = link_rounds;
    run->todo = run->done + total_cost_s(run, chosen) * (double)n_rounds;
    end = device_run_settle(run, chosen, n_rounds);
    /* If every point was measured, it does not matter that the budget cut later rounds. */
    if (end == ERT_ROUNDS_OUT_OF_TIME && !is_cut)
        end = ERT_ROUNDS_DONE;
    return end == ERT_ROUNDS_DONE && is_cut ? ERT_ROUNDS_OUT_OF_TIME : end;
}

/*
 * Groups of points whose ceilings compete for the same roof and which a power limit may lower, in the order
 * of their sustained runs: multiply-adds on the cores, in FP64 and FP32; a GPU's memory; matrix products of
 * each type. The last draw the most power: on an H200 any kernel after one of them, also FP64 FMA, runs at a
 * lower clock for another 0.3 s.
 */
enum {
    RIVALS_NONE,
    RIVALS_CORES,
    RIVALS_MEMORY = RIVALS_CORES + ERT_N_TYPES,
    RIVALS_MATRICES,
    N_RIVALRIES = RIVALS_MATRICES + ERT_N_TYPES
};

static int rivalry_of(const struct ert_device_run *run, const struct ert_point *point)
{
    static const char *const matrix_ops[] = {"mma",         "wgmma", "mma-acc16",
                                             "wgmma-acc16", "amx",   "dot"};
    const struct ert_kernel *row = ert_kernel_row(point->spec.kernel);
    if (point->section == ERT_SECTION_COMPUTE) {
        for (size_t i = 0; i < ERT_LENGTH(matrix_ops); i++)
            if (strcmp(row->op, matrix_ops[i]) == 0)
                return RIVALS_MATRICES + (int)row->type;
        bool is_core = row->type == ERT_FP64 || row->type == ERT_FP32;
        return is_core && strcmp(row->op, "fma") == 0 ? RIVALS_CORES + (int)row->type
                                                      : RIVALS_NONE;
    }
    if (point->section != ERT_SECTION_LEVELS || run->about->kind != ERT_DEVICE_GPU)
        return RIVALS_NONE;
    const struct ert_level *level = ert_sets_last_level(run->about, point->spec.path);
    bool is_memory =
        level && level->kind == ERT_LEVEL_MEMORY &&
        (double)point->spec.requested_bytes >= ert_sets_least_bytes(run->about, level);
    return is_memory ? RIVALS_MEMORY : RIVALS_NONE;
}

static enum ert_rounds_end device_run_sustain(struct ert_device_run *run,
                                              struct ert_point *point)
{
    struct ert_error error = {0};
    struct ert_device_samples *device = run->device;
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
    const char *why = point->sustained.no_power;
    if (*why && !strstr(device->notes, why))
        ert_append(device->notes, sizeof device->notes, "%spower not measured: %s",
                   *device->notes ? "; " : "", why);
    return run->lost ? ERT_ROUNDS_LOST : ERT_ROUNDS_DONE;
}

/*
 * Sustains the chosen points of a rivalry that may be the fastest, in the order of their short regions, until
 * the best sustained rate exceeds the short regions of all others.
 */
static enum ert_rounds_end sustain_rivals(struct ert_device_run *run, int rivalry,
                                          const bool *chosen)
{
    struct ert_device_samples *device = run->device;
    enum ert_rounds_end end = ERT_ROUNDS_DONE;
    double best = 0;
    while (end == ERT_ROUNDS_DONE) {
        struct ert_point *next = NULL;
        for (size_t i = 0; i < device->n_points; i++) {
            struct ert_point *point = &device->points[i];
            if (chosen[i] && point->status == ERT_POINT_MEASURED &&
                point->sustained.n_parts == 0 && rivalry_of(run, point) == rivalry &&
                estimate_of(point).value > fmax(best, next ? estimate_of(next).value : 0))
                next = point;
        }
        if (!next)
            return end;
        end = device_run_sustain(run, next);
        if (next->sustained.n_parts == 0)
            return end;
        best = fmax(best, ert_point_rate(next, next->sustained.rate_per_s));
    }
    return end;
}

/* Sustains the chosen points not yet sustained: the loads of memories, or with sustained_all all. */
static enum ert_rounds_end sustain_others(struct ert_device_run *run, const bool *chosen,
                                          bool is_matrix)
{
    struct ert_device_samples *device = run->device;
    enum ert_rounds_end end = ERT_ROUNDS_DONE;
    for (size_t i = 0; i < device->n_points && end == ERT_ROUNDS_DONE; i++) {
        struct ert_point *point = &device->points[i];
        const int rivalry = rivalry_of(run, point);
        bool is_sweep =
            point->section == ERT_SECTION_LEVELS || point->section == ERT_SECTION_COMPUTE;
        bool is_wanted =
            run->samples->config.sustained_all ||
            (point->spec.kernel == ERT_KERNEL_load && rivalry == RIVALS_MEMORY);
        if (chosen[i] && is_sweep && is_wanted && point->status == ERT_POINT_MEASURED &&
            point->sustained.n_parts == 0 && (rivalry >= RIVALS_MATRICES) == is_matrix)
            end = device_run_sustain(run, point);
    }
    return end;
}

enum ert_rounds_end ert_rounds_sustained(struct ert_device_run *run, bool *chosen)
{
    const struct ert_config *config = &run->samples->config;
    enum ert_rounds_end end = ERT_ROUNDS_DONE;
    if (!(config->sustained_s > 0) || !run->hooks->leaders)
        return ERT_ROUNDS_DONE;
    end = device_run_lead(run, 1, chosen);
    for (int rivalry = RIVALS_CORES; rivalry < N_RIVALRIES && end == ERT_ROUNDS_DONE;
         rivalry++) {
        end = sustain_rivals(run, rivalry, chosen);
        if (rivalry == RIVALS_MEMORY && end == ERT_ROUNDS_DONE)
            end = sustain_others(run, chosen, false);
    }
    if (end == ERT_ROUNDS_DONE)
        end = sustain_others(run, chosen, true);
    ert_device_run_checkpoint(run);
    return end;
}
