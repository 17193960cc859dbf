/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/fit/fit.h"

#include "ert/core/base/alloc.h"
#include "ert/core/fit/evidence.h"
#include "ert/core/fit/extras.h"
#include "ert/core/fit/levels.h"
#include "ert/core/stats/stats.h"
#include "ert/core/sweep/mode.h"
#include "ert/core/sweep/section.h"
#include "ert/core/sweep/sets.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Whether a point has enough samples to win if the one with the most has `most`: with few it may look fast by
 * luck. Half as many are enough, and ERT_ENOUGH_SAMPLES always are, since a point that settles early, such as
 * wide vectors beside noisy scalar code, gets no more.
 */
static bool is_sampled(const struct ert_point *point, size_t most)
{
    return point->n_samples >= ERT_ENOUGH_SAMPLES || 2 * point->n_samples >= most;
}

/* The index of the highest estimate among those of points[n] with enough samples; n when there is none. */
static size_t winner_of(const struct ert_point *const *points, size_t n, ert_rate rate_of)
{
    size_t most = 0, best = n;
    double best_rate = 0;
    for (size_t i = 0; i < n; i++)
        if (points[i]->n_samples > most)
            most = points[i]->n_samples;
    for (size_t i = 0; i < n; i++) {
        double rate = ert_levels_estimate(points[i], rate_of);
        if (is_sampled(points[i], most) && rate > best_rate) {
            best = i;
            best_rate = rate;
        }
    }
    return best;
}

/* Marks the `most` fastest of points[n_points], which it reorders. */
static void choose_fastest(const struct ert_device_samples *samples,
                           const struct ert_point **points, size_t n_points, size_t most,
                           ert_rate rate, bool *chosen)
{
    for (size_t k = 0; k < most && k < n_points; k++) {
        size_t best = k + winner_of(points + k, n_points - k, rate);
        if (best == n_points)
            return;
        const struct ert_point *point = points[best];
        points[best] = points[k];
        points[k] = point;
        chosen[point - samples->points] = true;
    }
}

/* Whether a point is in a section that is fitted here; extras.h fits the others. */
static bool fit_is_main(const struct ert_point *point)
{
    return ert_sections[point->section]->mode || point->section == ERT_SECTION_LEVELS ||
           point->section == ERT_SECTION_COMPUTE;
}

/*
 * Whether a kernel was planned on a path; *reason: why nothing of it was measured, by the first point with a
 * reason, else by the device.
 */
static bool is_planned(const struct ert_device_samples *samples, enum ert_kernel_id kernel,
                       enum ert_path path, const char **reason)
{
    bool found = false;
    *reason = *samples->reason ? samples->reason : "not measured";
    for (size_t i = 0; i < samples->n_points; i++) {
        const struct ert_point *point = &samples->points[i];
        if (!fit_is_main(point) || point->spec.kernel != kernel || point->spec.path != path)
            continue;
        found = true;
        if (*point->reason) {
            *reason = point->reason;
            break;
        }
    }
    return found;
}

/* The measured points of a kernel, of one instruction set or (isa NULL) of all; points[]: large enough. */
static size_t compute_candidates(const struct ert_device_samples *samples,
                                 enum ert_kernel_id kernel, const char *isa,
                                 const struct ert_point **points)
{
    size_t n = 0;
    for (size_t i = 0; i < samples->n_points && n < ERT_MAX_SWEEP; i++)
        if (samples->points[i].section == ERT_SECTION_COMPUTE &&
            samples->points[i].spec.kernel == kernel &&
            ert_levels_is_measured(&samples->points[i]) &&
            (!isa || strcmp(samples->points[i].variant.isa, isa) == 0))
            points[n++] = &samples->points[i];
    return n;
}

/* Adds the ceiling of an instruction set; the roof has the plain name, "fp64-fma". */
static void fit_add_compute(struct ert_extras *fit, enum ert_kernel_id kernel,
                            const char *isa, bool roof)
{
    const struct ert_kernel *row = ert_kernel_row(kernel);
    const struct ert_point **points = ert_xcalloc(fit->samples->n_points, sizeof *points);
    size_t n = compute_candidates(fit->samples, kernel, isa, points);
    size_t best = winner_of(points, n, ert_point_performance);
    if (best < n) {
        struct ert_ceiling *ceiling = ert_extras_add(fit->out, ERT_CEILING_COMPUTE);
        struct ert_ceiling_key *key = &ceiling->key;
        ert_evidence_fill(ceiling, fit->device, points, n, best, ert_point_performance);
        ert_evidence_threads(ceiling, points[best], points[best]->work.flops_per_pass);
        ceiling->is_roof = roof;
        snprintf(key->type, sizeof key->type, "%s", ert_type_name(row->type));
        snprintf(key->op, sizeof key->op, "%s", row->op);
        snprintf(key->unit, sizeof key->unit, "%s",
                 *isa ? isa : (*row->unit ? row->unit : "core"));
        snprintf(ceiling->name, sizeof ceiling->name, "%s-%s%s%s", key->type, row->op,
                 roof ? "" : "-", roof ? "" : isa);
        ceiling->unit = ert_unit_of_type(key->type);
    }
    free(points);
}

/*
 * The instruction set of the fastest point, or the first in the plan (the widest) that is as fast within
 * noise: divisions take equally long at any width, and luck should not name the ceiling.
 */
static const char *best_isa(const struct ert_point *const *points, size_t n)
{
    static const double noise = 0.02;
    size_t winner = winner_of(points, n, ert_point_performance);
    double least = (1 - noise) * ert_levels_estimate(points[winner], ert_point_performance);
    for (size_t i = 0; i < n; i++)
        if (is_sampled(points[i], points[winner]->n_samples) &&
            ert_levels_estimate(points[i], ert_point_performance) >= least)
            return points[i]->variant.isa;
    return points[winner]->variant.isa;
}

/* Adds the best instruction set's ceiling, then the others', "fp64-fma-avx2", in the order of the plan. */
static void fit_compute(struct ert_extras *fit, enum ert_kernel_id kernel)
{
    const struct ert_kernel *row = ert_kernel_row(kernel);
    const struct ert_point **points = ert_xcalloc(fit->samples->n_points, sizeof *points);
    size_t n = compute_candidates(fit->samples, kernel, NULL, points);
    if (winner_of(points, n, ert_point_performance) == n) {
        char name[32];
        const char *reason;
        snprintf(name, sizeof name, "%s-%s", ert_type_name(row->type), row->op);
        if (is_planned(fit->samples, kernel, ERT_PATH_NONE, &reason))
            ert_extras_not_measured(fit->out, name, reason);
        free(points);
        return;
    }
    const char *best = best_isa(points, n);
    fit_add_compute(fit, kernel, best, true);
    for (size_t i = 0; i < n; i++) {
        const char *isa = points[i]->variant.isa;
        bool is_first = strcmp(isa, best) != 0;
        for (size_t j = 0; j < i; j++)
            is_first = is_first && strcmp(points[j]->variant.isa, isa) != 0;
        if (is_first)
            fit_add_compute(fit, kernel, isa, false);
    }
    free(points);
}

static void choose_compute(const struct ert_device_samples *samples,
                           enum ert_kernel_id kernel, size_t per_ceiling, bool *chosen)
{
    const struct ert_point **all = ert_calloc(2 * samples->n_points, sizeof *all);
    size_t n_all = all ? compute_candidates(samples, kernel, NULL, all) : 0;
    for (size_t i = 0; i < n_all; i++) {
        const struct ert_point **points = all + samples->n_points;
        size_t n = compute_candidates(samples, kernel, all[i]->variant.isa, points);
        choose_fastest(samples, points, n, per_ceiling, ert_point_performance, chosen);
    }
    free(all);
}

/* Why the levels section did not measure a memory that first touch does not allocate from. */
static const char *far_memory_reason(const struct ert_device_samples *samples,
                                     const char *name)
{
    for (size_t i = 0; i < samples->n_not_measured; i++)
        if (strcmp(samples->not_measured[i].name, name) == 0)
            return samples->not_measured[i].reason;
    return "its buffers were placed by first touch, in the memory near the cores";
}

static void fit_add_memory(struct ert_extras *fit, const char *name,
                           const struct ert_level *level,
                           const struct ert_candidates *candidates)
{
    size_t index = winner_of(candidates->points, candidates->n, ert_point_bandwidth);
    if (index == candidates->n)
        return;
    const struct ert_point *best = candidates->points[index];
    struct ert_ceiling *ceiling = ert_extras_add(fit->out, ERT_CEILING_MEMORY);
    struct ert_evidence *evidence = ceiling->evidence;
    snprintf(ceiling->name, sizeof ceiling->name, "%s", name);
    ceiling->unit = ERT_UNIT_BYTE_PER_S;
    ert_evidence_fill(ceiling, fit->device, candidates->points, candidates->n, index,
                      ert_point_bandwidth);
    ert_evidence_threads(ceiling, best, best->work.bytes_per_pass);
    if (*candidates->warning)
        ert_evidence_warn(
            ceiling, candidates->has_plateau ? ERT_CONFIDENCE_MEDIUM : ERT_CONFIDENCE_LOW,
            "%s", candidates->warning);
    snprintf(ceiling->key.level, sizeof ceiling->key.level, "%s", level->name);
    snprintf(ceiling->key.pattern, sizeof ceiling->key.pattern, "%s",
             ert_kernel_row(best->spec.kernel)->op);
    evidence->actual_bytes = (double)best->work.actual_bytes;
    evidence->capacity_measured_bytes = candidates->capacity_measured_bytes;
}

static bool concerns(enum ert_kernel_id kernel, const struct ert_level *level)
{
    const struct ert_kernel *row = ert_kernel_row(kernel);
    return row->kind == ERT_KIND_MEMORY &&
           (level->kind == ERT_LEVEL_MEMORY || !(row->limits & ERT_MEMORY_ONLY));
}

static void fit_memory(struct ert_extras *fit, enum ert_kernel_id kernel,
                       const struct ert_level *level)
{
    char name[sizeof((struct ert_ceiling *)0)->name];
    const char *reason;
    snprintf(name, sizeof name, "%s-%s", level->name, ert_kernel_row(kernel)->op);
    if (!concerns(kernel, level) || !is_planned(fit->samples, kernel, level->path, &reason))
        return;
    struct ert_candidates *candidates = ert_xcalloc(1, sizeof *candidates); /* 33 KiB */
    if (ert_levels_candidates(fit->device, fit->samples, kernel, level, candidates)) {
        fit_add_memory(fit, name, level, candidates);
    } else {
        if (strcmp(candidates->warning, "not measured") != 0)
            reason = candidates->warning;
        else if (ert_sets_far_node(fit->device, level))
            reason = far_memory_reason(fit->samples, name);
        ert_extras_not_measured(fit->out, name, reason);
    }
    free(candidates);
}

/* The median of the clocks that the compute ceilings held; without any, the memory ceilings. */
static double held_clock(const struct ert_extras *fit)
{
    struct ert_ceiling_span of = ert_ceilings_of(fit->out, ERT_CEILING_COMPUTE);
    of = of.n ? of : ert_ceilings_of(fit->out, ERT_CEILING_MEMORY);
    double *clocks = ert_xcalloc(of.n, sizeof *clocks), held_hz = 0;
    size_t n = 0;
    for (size_t i = 0; i < of.n; i++)
        if (of.at[i].evidence->clock_hz > 0)
            clocks[n++] = of.at[i].evidence->clock_hz;
    if (n > 0)
        held_hz = ert_stats_median(clocks, n);
    free(clocks);
    return held_hz;
}

/*
 * Whether pairs of CPUs share the units of one core, as the session observed. Another guest on the core can
 * look the same for a moment (in one of six runs on a shared VM with two CPUs): so the observation counts
 * only if no ceiling exceeds the peak of half as many cores.
 */
static bool shares_cores(const struct ert_extras *fit)
{
    enum ert_sharing sharing = fit->samples->observation.sharing;
    bool is_within = true;
    size_t n_peaks;
    if (sharing != ERT_SHARING_NEIGHBOURS && sharing != ERT_SHARING_HALVES)
        return false;
    struct ert_peak *peaks = ert_xcalloc(ERT_MAX_PEAKS, sizeof *peaks); /* 100 KiB */
    ert_backend_peaks(fit->device, fit->samples->context.n_cores / 2, held_clock(fit),
                      peaks, &n_peaks);
    const struct ert_ceiling_span compute = ert_ceilings_of(fit->out, ERT_CEILING_COMPUTE);
    for (size_t i = 0; i < compute.n; i++) {
        struct ert_ceiling ceiling = compute.at[i];
        struct ert_evidence evidence = *ceiling.evidence;
        ceiling.evidence = &evidence;
        ert_evidence_compare(&ceiling, peaks, n_peaks);
        is_within = is_within && ceiling.fraction_of_theory <= 1.05;
    }
    free(peaks);
    return is_within;
}

static void fit_judge(struct ert_extras *fit, uint32_t n_cores)
{
    struct ert_device_ceilings *out = fit->out;
    out->held_hz = held_clock(fit);
    out->between = ert_evidence_between(out, fit->device, NULL);
    out->peaks = ert_xcalloc(ERT_MAX_PEAKS, sizeof *out->peaks);
    ert_backend_peaks(fit->device, n_cores, out->held_hz, out->peaks, &out->n_peaks);
    const struct ert_ceiling_span of = ert_ceilings_main(out);
    for (size_t i = 0; i < of.n; i++) {
        ert_evidence_interval(&of.at[i],
                              ert_evidence_between(out, fit->device, of.at[i].key.level));
        ert_evidence_compare(&of.at[i], out->peaks, out->n_peaks);
        ert_evidence_judge(&of.at[i], fit->device);
    }
    ert_ceilings_mark_roofs(out);
}

static void keep_unattributed(struct ert_extras *fit, enum ert_kernel_id kernel)
{
    struct ert_device_ceilings *out = fit->out;
    const char *reason;
    for (int path = 0; path < ERT_N_PATHS; path++) {
        if (!is_planned(fit->samples, kernel, (enum ert_path)path, &reason))
            continue;
        out->unattributed =
            ert_xrealloc(out->unattributed, out->n_unattributed + ERT_MAX_PLATEAUS,
                         sizeof *out->unattributed);
        out->n_unattributed +=
            ert_levels_unattributed(fit->device, fit->samples, kernel, (enum ert_path)path,
                                    out->unattributed + out->n_unattributed);
    }
}

static void fit_device(const struct ert_samples *all, size_t index,
                       struct ert_ceilings *ceilings)
{
    const struct ert_device_samples *samples = &all->devices[index];
    struct ert_device_ceilings *out = &ceilings->devices[index];
    const struct ert_mode *mode = ert_samples_mode(samples);
    struct ert_extras fit = {.machine = &all->machine,
                             .device = &samples->context.device,
                             .samples = samples,
                             .out = out};
    snprintf(out->device, sizeof out->device, "%s", samples->device);
    out->activity = samples->activity;
    for (size_t i = 0; i < samples->n_not_measured; i++)
        ert_extras_not_measured(out, samples->not_measured[i].name,
                                samples->not_measured[i].reason);
    for (int k = 0; k < ERT_N_KERNELS; k++)
        if (ert_kernel_row((enum ert_kernel_id)k)->kind == ERT_KIND_COMPUTE)
            fit_compute(&fit, (enum ert_kernel_id)k);
    /* With zeros the power is lower and the clock falls less: a rate that no program gets. */
    const struct ert_ceiling_span compute = ert_ceilings_of(out, ERT_CEILING_COMPUTE);
    for (size_t i = 0; i < compute.n && all->config.tensor_zeros; i++)
        if (strcmp(compute.at[i].key.unit, "tensor") == 0)
            ert_evidence_warn(
                &compute.at[i], ERT_CONFIDENCE_LOW,
                "the operands were zeros (tensor_zeros), which draw less power");
    for (uint32_t l = 0; l < fit.device->n_levels; l++)
        for (int k = 0; k < ERT_N_KERNELS; k++)
            fit_memory(&fit, (enum ert_kernel_id)k, &fit.device->levels[l]);
    for (int k = 0; k < ERT_N_KERNELS; k++)
        if (ert_kernel_row((enum ert_kernel_id)k)->kind == ERT_KIND_MEMORY)
            keep_unattributed(&fit, (enum ert_kernel_id)k);
    if (mode) {
        snprintf(ceilings->mode, sizeof ceilings->mode, "%s", mode->title);
        mode->fit(all, index, ceilings);
    }
    out->shares_cores = shares_cores(&fit);
    fit_judge(&fit, samples->context.n_cores / (out->shares_cores ? 2 : 1));
    ert_extras_fit(&fit);
    ert_evidence_disturbed(fit.device, samples, out);
    /* A mode takes as many samples as it needs. */
    if (mode)
        out->valid = !*out->warnings;
    else
        ert_settled_judge(out);
}

static void keep_findings(const struct ert_device_samples *samples,
                          const struct ert_device_ceilings *out,
                          struct ert_machine *machine)
{
    const struct ert_observation *seen = &samples->observation;
    char text[160];
    ert_evidence_slow_cpu(samples, text, sizeof text);
    if (*text)
        ert_machine_note(machine, "%s: %s", samples->device, text);
    if (out->shares_cores)
        ert_machine_note(
            machine,
            "%s: pairs of CPUs share a core, though each is reported as one: with all "
            "others busy a CPU attains %.0f %% of its rate",
            samples->device, 100 * seen->sharing_ratio);
    if (seen->lost > 0.01)
        ert_machine_note(machine,
                         "%s: OS noise: CPUs were preempted for %.1f %% of %.0f ms, %.2f "
                         "ms at most (CPU %u)",
                         samples->device, 100 * seen->lost, 1e3 * seen->time_s,
                         1e3 * seen->longest_gap_s, seen->gap_cpu);
}

void ert_fit(const struct ert_samples *samples, struct ert_ceilings *ceilings)
{
    *ceilings = (struct ert_ceilings){.n_devices = samples->n_devices};
    errno = 0; /* ENOMEM at the end: a statistic lacked memory */
    snprintf(ceilings->created, sizeof ceilings->created, "%s", samples->created);
    snprintf(ceilings->status, sizeof ceilings->status, "%s", samples->status);
    ceilings->machine = ert_xcalloc(1, sizeof *ceilings->machine);
    ceilings->devices = ert_xcalloc(samples->n_devices, sizeof *ceilings->devices);
    *ceilings->machine = samples->machine;
    for (size_t i = 0; i < samples->n_devices; i++)
        fit_device(samples, i, ceilings);
    ert_extras_fit_machine(ceilings);
    /* Keep settings of an ERT config that were not applied with the results. */
    for (uint32_t i = 0; i < samples->config.n_remarks; i++)
        ert_machine_note(ceilings->machine, "%s", samples->config.remarks[i]);
    for (size_t i = 0; i < samples->n_devices; i++)
        keep_findings(&samples->devices[i], &ceilings->devices[i], ceilings->machine);
    ert_xcheck(errno == ENOMEM ? NULL : ceilings, sizeof *ceilings);
}

enum ert_status ert_fit_candidates(const struct ert_device *device,
                                   const struct ert_device_samples *samples,
                                   size_t per_ceiling, bool *chosen,
                                   struct ert_error *error)
{
    /*
     * No ert_xcalloc() here, in the middle of a run whose samples must not be lost. A statistic without
     * memory is NaN, which no comparison selects, and sets errno.
     */
    errno = 0;
    struct ert_candidates *candidates = ert_calloc(1, sizeof *candidates);
    for (size_t i = 0; i < samples->n_points; i++) {
        const struct ert_section_row *row = ert_sections[samples->points[i].section];
        chosen[i] = row->cases_are_ceilings; /* these do not compete */
    }
    for (int k = 0; candidates && k < ERT_N_KERNELS; k++) {
        enum ert_kernel_id kernel = (enum ert_kernel_id)k;
        if (ert_kernel_row(kernel)->kind == ERT_KIND_COMPUTE)
            choose_compute(samples, kernel, per_ceiling, chosen);
        for (uint32_t l = 0; l < device->n_levels; l++)
            if (concerns(kernel, &device->levels[l]) &&
                ert_levels_candidates(device, samples, kernel, &device->levels[l],
                                      candidates))
                choose_fastest(samples, candidates->points, candidates->n, per_ceiling,
                               ert_point_bandwidth, chosen);
    }
    free(candidates);
    return errno == ENOMEM
               ? ert_fail(error, ERT_FAILED,
                          "no memory to choose the points that decide the ceilings")
               : ERT_OK;
}
