#include "ert/ceilings/fit.h"

#include "ert/ceilings/choose.h"
#include "ert/ceilings/evidence.h"
#include "ert/ceilings/extras.h"
#include "ert/ceilings/levels.h"
#include "ert/ceilings/settled.h"
#include "ert/ceilings/threads.h"
#include "ert/ert110/hook.h"
#include "ert/stats/stats.h"
#include "ert/sweep/sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Why the levels section did not measure a memory that first touch does not take. */
static const char *far_memory_reason(const struct ert_device_samples *samples,
                                     const char *name)
{
    for (size_t i = 0; i < samples->n_absent; i++)
        if (strcmp(samples->absent[i].name, name) == 0)
            return samples->absent[i].reason;
    return "its buffers were placed by first touch, in the memory near the cores";
}

static bool add_memory(struct ert_extras *fit, struct ert_memory_ceiling *ceiling,
                       const struct ert_level *level,
                       const struct ert_candidates *candidates)
{
    struct ert_device_ceilings *out = fit->out;
    size_t index =
        ert_choose_winner(candidates->points, candidates->n, ert_levels_bandwidth);
    if (index == candidates->n)
        return true;
    const struct ert_point *best = candidates->points[index];
    if (!ert_evidence_fill(&ceiling->common, candidates->points, candidates->n, index,
                           ert_point_bandwidth))
        return false;
    ert_threads_fill(&ceiling->common, fit->samples, best, best->work.bytes_per_pass);
    if (*candidates->doubt)
        ert_evidence_doubt(&ceiling->common,
                           candidates->has_plateau ? ERT_CONFIDENCE_MEDIUM
                                                   : ERT_CONFIDENCE_LOW,
                           "%s", candidates->doubt);
    snprintf(ceiling->level, sizeof ceiling->level, "%s", level->name);
    snprintf(ceiling->pattern, sizeof ceiling->pattern, "%s",
             ert_kernel_row(best->case_.kernel)->op);
    ceiling->working_set_bytes = (double)best->work.working_set_bytes;
    ceiling->plateau_bytes[0] = candidates->plateau_bytes[0];
    ceiling->plateau_bytes[1] = candidates->plateau_bytes[1];
    ceiling->capacity_measured_bytes = candidates->capacity_measured_bytes;
    ceiling->capacity_reported_bytes = (double)ert_level_total_bytes(level);
    if (out->n_memory < ERT_MAX_MEMORY)
        out->memory[out->n_memory++] = *ceiling;
    else
        ert_extras_full(out, ceiling->common.name, ERT_MAX_MEMORY);
    return true;
}

static bool fit_memory(struct ert_extras *fit, enum ert_kernel_id kernel,
                       const struct ert_level *level)
{
    struct ert_candidates candidates;
    struct ert_memory_ceiling ceiling = {0};
    char *name = ceiling.common.name;
    snprintf(name, sizeof ceiling.common.name, "%s-%s", level->name,
             ert_kernel_row(kernel)->op);
    bool concerned =
        level->kind == ERT_LEVEL_MEMORY || !ert_kernel_row(kernel)->memory_only;
    if (!concerned || !ert_choose_planned(fit->samples, kernel, level->path))
        return true;
    if (ert_levels_candidates(fit->device, fit->samples, kernel, level, &candidates))
        return add_memory(fit, &ceiling, level, &candidates);
    bool measured = strcmp(candidates.doubt, "not measured") != 0;
    if (!measured && ert_sets_far_node(fit->device, level)) {
        ert_extras_absent(fit->out, name, far_memory_reason(fit->samples, name));
        return true;
    }
    ert_extras_absent(fit->out, name,
                      measured ? candidates.doubt
                               : ert_choose_reason(fit->samples, kernel, level->path));
    return true;
}

void ert_fit_mark_roofs(struct ert_device_ceilings *out)
{
    for (size_t i = 0; i < out->n_memory; i++) {
        out->memory[i].roof = true;
        for (size_t j = 0; j < out->n_memory; j++)
            if (strcmp(out->memory[i].level, out->memory[j].level) == 0 &&
                out->memory[j].common.value > out->memory[i].common.value)
                out->memory[i].roof = false;
    }
}

static bool keep_curve(const struct ert_device_samples *samples,
                       struct ert_device_ceilings *out)
{
    out->curve = calloc(samples->n_points + 1, sizeof *out->curve);
    if (!out->curve)
        return false;
    for (size_t i = 0; i < samples->n_points; i++) {
        const struct ert_point *point = &samples->points[i];
        /* Sets in other memories are no part of the curve. */
        if (!ert_choose_is_main(point) || point->case_.to ||
            point->status != ERT_POINT_MEASURED || point->n_samples == 0)
            continue;
        struct ert_curve_point *row = &out->curve[out->n_curve++];
        snprintf(row->kernel, sizeof row->kernel, "%s",
                 ert_kernel_row(point->case_.kernel)->name);
        snprintf(row->path, sizeof row->path, "%s", ert_path_name(point->case_.path));
        snprintf(row->variant, sizeof row->variant, "%s", point->variant.name);
        row->flops_per_element = point->case_.flops_per_element;
        row->working_set_bytes = (double)point->work.working_set_bytes;
        row->rate_bytes_per_s = ert_levels_bandwidth(point);
        row->perf_flop_per_s = ert_levels_performance(point);
        row->n_samples = (uint32_t)point->n_samples;
    }
    return true;
}

/* The median of the clocks that the ceilings were held at: the compute ones where there are any. */
static double held_clock(const struct ert_extras *fit)
{
    double clocks[ERT_MAX_COMPUTE + ERT_MAX_MEMORY];
    const struct ert_device_ceilings *out = fit->out;
    size_t n = 0;
    for (size_t i = 0; i < out->n_compute; i++)
        if (out->compute[i].common.clock_hz > 0)
            clocks[n++] = out->compute[i].common.clock_hz;
    for (size_t i = 0; i < out->n_memory && out->n_compute == 0; i++)
        if (out->memory[i].common.clock_hz > 0)
            clocks[n++] = out->memory[i].common.clock_hz;
    return n ? ert_stats_median(clocks, n) : 0;
}

/*
 * Whether pairs of CPUs have the units of one core each, as the session saw it. Another guest on the
 * core looks the same for a moment (one run in six of a shared VM of two CPUs): so it is believed only
 * where nothing attained more than the units of half as many cores can do.
 */
static bool shares_cores(const struct ert_extras *fit)
{
    enum ert_sharing sharing = fit->samples->observation.sharing;
    struct ert_peak peaks[ERT_MAX_PEAKS];
    size_t n_peaks;
    if (sharing != ERT_SHARING_NEIGHBOURS && sharing != ERT_SHARING_HALVES)
        return false;
    ert_theory_peaks(fit->device, fit->samples->context.n_cores / 2, held_clock(fit), peaks,
                     &n_peaks);
    for (size_t i = 0; i < fit->out->n_compute; i++) {
        struct ert_ceiling ceiling = fit->out->compute[i].common;
        ert_evidence_compare(&ceiling, peaks, n_peaks);
        if (ceiling.fraction_of_theory > 1.05)
            return false;
    }
    return true;
}

static void judge(struct ert_extras *fit, uint32_t n_cores)
{
    struct ert_device_ceilings *out = fit->out;
    out->held_hz = held_clock(fit);
    out->between = ert_evidence_drift(out, NULL);
    double compute_drift = ert_evidence_drift(out, "");
    ert_theory_peaks(fit->device, n_cores, out->held_hz, out->peaks, &out->n_peaks);
    for (size_t i = 0; i < out->n_compute; i++) {
        ert_evidence_interval(&out->compute[i].common, compute_drift);
        ert_evidence_compare(&out->compute[i].common, out->peaks, out->n_peaks);
        ert_evidence_judge(&out->compute[i].common, fit->device);
    }
    for (size_t i = 0; i < out->n_memory; i++) {
        ert_evidence_interval(&out->memory[i].common,
                              ert_evidence_drift(out, out->memory[i].level));
        ert_evidence_compare(&out->memory[i].common, out->peaks, out->n_peaks);
        ert_evidence_judge(&out->memory[i].common, fit->device);
    }
    ert_fit_mark_roofs(out);
    ert_evidence_trust(&fit->machine->provenance, fit->device, fit->samples, out);
    /* ERT's mode takes one sample per set, as ERT does. */
    if (!ert_samples_of_ert110(fit->samples))
        ert_settled_judge(out);
}

static void keep_strays(struct ert_extras *fit, enum ert_kernel_id kernel)
{
    struct ert_device_ceilings *out = fit->out;
    for (int path = 0; path < ERT_N_PATHS; path++)
        if (ert_choose_planned(fit->samples, kernel, (enum ert_path)path))
            out->n_strays += ert_levels_strays(
                fit->device, fit->samples, kernel, (enum ert_path)path,
                out->strays + out->n_strays, ERT_MAX_PLATEAUS - out->n_strays);
    if (out->n_strays == ERT_MAX_PLATEAUS)
        ert_extras_absent(out, "plateaus that no level explains",
                          "this list is full: there may be more");
}

static bool (*const more[])(struct ert_extras *extras) = {
    ert_extras_latency, ert_extras_access, ert_extras_concurrency,
    ert_extras_links,   ert_extras_places, ert_extras_together};

/* Zeros draw less power, so that the clock falls less: a rate that no program gets. */
static void doubt_zeros(const struct ert_config *config, struct ert_device_ceilings *out)
{
    for (size_t i = 0; i < out->n_compute && config->tensor_zeros; i++)
        if (strcmp(out->compute[i].unit, "tensor") == 0)
            ert_evidence_doubt(
                &out->compute[i].common, ERT_CONFIDENCE_LOW,
                "the operands were zeros (tensor_zeros), which draw less power");
}

static bool fit_device(const struct ert_samples *all,
                       const struct ert_device_samples *samples,
                       struct ert_device_ceilings *out)
{
    struct ert_extras fit = {.machine = &all->machine,
                             .device = &samples->context.device,
                             .samples = samples,
                             .out = out};
    snprintf(out->device, sizeof out->device, "%s", samples->device);
    out->activity = samples->activity;
    for (size_t i = 0; i < samples->n_absent; i++)
        ert_extras_absent(out, samples->absent[i].name, samples->absent[i].reason);
    bool done = true;
    for (int k = 0; k < ERT_N_KERNELS && done; k++)
        if (ert_kernel_row((enum ert_kernel_id)k)->class_ == ERT_CLASS_COMPUTE)
            done = ert_extras_compute(&fit, (enum ert_kernel_id)k);
    doubt_zeros(&all->config, out);
    for (uint32_t l = 0; l < fit.device->n_levels; l++)
        for (int k = 0; k < ERT_N_KERNELS && done; k++)
            if (ert_kernel_row((enum ert_kernel_id)k)->class_ == ERT_CLASS_MEMORY)
                done = fit_memory(&fit, (enum ert_kernel_id)k, &fit.device->levels[l]);
    for (int k = 0; k < ERT_N_KERNELS; k++)
        if (ert_kernel_row((enum ert_kernel_id)k)->class_ == ERT_CLASS_MEMORY)
            keep_strays(&fit, (enum ert_kernel_id)k);
    done = done && ert110_hook.fit(samples, out);
    out->shares_cores = shares_cores(&fit);
    judge(&fit, samples->context.n_cores / (out->shares_cores ? 2 : 1));
    for (size_t i = 0; i < sizeof more / sizeof more[0] && done; i++)
        done = more[i](&fit);
    return done && keep_curve(samples, out);
}

/* What was found about the CPUs while they were measured. */
static void keep_findings(const struct ert_device_samples *samples,
                          const struct ert_device_ceilings *out,
                          struct ert_machine *machine)
{
    const struct ert_observation *seen = &samples->observation;
    char text[160];
    ert_threads_slow_cpu(samples, text, sizeof text);
    if (*text)
        ert_machine_note(machine, "%s: %s", samples->device, text);
    if (out->shares_cores)
        ert_machine_note(
            machine,
            "%s: pairs of CPUs share a core, though each is called one: beside "
            "all others a CPU has %.0f %% of its rate",
            samples->device, 100 * seen->sharing_ratio);
    if (seen->lost > 0.01)
        ert_machine_note(machine,
                         "%s: OS noise: CPUs were taken away for %.1f %% of %.0f ms, "
                         "%.2f ms at most (CPU %u)",
                         samples->device, 100 * seen->lost, 1e3 * seen->time_s,
                         1e3 * seen->longest_gap_s, seen->gap_cpu);
}

/* What of a foreign config was not applied stays beside the results. */
static void keep_remarks(const struct ert_config *config, struct ert_machine *machine)
{
    for (uint32_t i = 0; i < config->n_remarks; i++)
        ert_machine_note(machine, "%s", config->remarks[i]);
}

enum ert_status ert_fit(const struct ert_samples *samples, struct ert_ceilings *ceilings,
                        struct ert_error *error)
{
    *ceilings = (struct ert_ceilings){0};
    snprintf(ceilings->created, sizeof ceilings->created, "%s", samples->created);
    snprintf(ceilings->status, sizeof ceilings->status, "%s", samples->status);
    ceilings->machine = malloc(sizeof *ceilings->machine);
    ceilings->devices = calloc(samples->n_devices + 1, sizeof *ceilings->devices);
    bool done = ceilings->machine && ceilings->devices;
    if (done)
        *ceilings->machine = samples->machine;
    for (size_t i = 0; i < samples->n_devices && done; i++) {
        done = fit_device(samples, &samples->devices[i], &ceilings->devices[i]);
        ceilings->n_devices++;
    }
    if (done)
        ert110_hook.finish(samples, ceilings);
    ert_extras_add_up(ceilings);
    if (done)
        keep_remarks(&samples->config, ceilings->machine);
    for (size_t i = 0; i < samples->n_devices && done; i++)
        keep_findings(&samples->devices[i], &ceilings->devices[i], ceilings->machine);
    if (done)
        return ERT_OK;
    ert_ceilings_free(ceilings);
    return ert_fail(error, ERT_FAILED, "no memory to fit %zu devices", samples->n_devices);
}

void ert_fit_leaders(const struct ert_device *device,
                     const struct ert_device_samples *samples, size_t per_ceiling,
                     bool *chosen)
{
    struct ert_candidates candidates;
    memset(chosen, 0, samples->n_points * sizeof *chosen);
    /* Nothing competes with a latency or a link: each is a ceiling of its own. */
    for (size_t i = 0; i < samples->n_points; i++)
        chosen[i] = samples->points[i].section == ERT_SECTION_LATENCY ||
                    samples->points[i].section == ERT_SECTION_LINKS;
    for (int k = 0; k < ERT_N_KERNELS; k++) {
        enum ert_kernel_id kernel = (enum ert_kernel_id)k;
        if (ert_kernel_row(kernel)->class_ == ERT_CLASS_COMPUTE) {
            ert_extras_choose_compute(samples, kernel, per_ceiling, chosen);
        }
        for (uint32_t l = 0; l < device->n_levels; l++)
            if (ert_kernel_row(kernel)->class_ == ERT_CLASS_MEMORY &&
                (device->levels[l].kind == ERT_LEVEL_MEMORY ||
                 !ert_kernel_row(kernel)->memory_only) &&
                ert_levels_candidates(device, samples, kernel, &device->levels[l],
                                      &candidates))
                ert_choose_fastest(samples, candidates.points, candidates.n, per_ceiling,
                                   ert_levels_bandwidth, chosen);
    }
}
