#include "ert/ceilings/fit.h"

#include "ert/ceilings/evidence.h"
#include "ert/ceilings/extras.h"
#include "ert/ceilings/levels.h"
#include "ert/stats/stats.h"
#include "ert/sweep/sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The fit of one device. */
struct fit {
    const struct ert_machine *machine;
    const struct ert_device *device;
    const struct ert_device_samples *samples;
    struct ert_device_ceilings *out;
};

typedef double (*median_function)(const struct ert_point *point);

/*
 * The index of the winner among points: the highest median of those with at least half as many
 * samples as the best sampled one. A point with few samples may look fast by luck; leaders got
 * more rounds. n when there is none.
 */
static size_t winner(const struct ert_point *const *points, size_t n,
                     median_function median)
{
    size_t most = 0, best = n;
    double best_rate = 0;
    for (size_t i = 0; i < n; i++)
        if (points[i]->n_samples > most)
            most = points[i]->n_samples;
    for (size_t i = 0; i < n; i++) {
        double rate = median(points[i]);
        if (2 * points[i]->n_samples >= most && rate > best_rate) {
            best = i;
            best_rate = rate;
        }
    }
    return best;
}

/* The measured points of a kernel, of one instruction set or (isa NULL) of all. */
static size_t compute_candidates(const struct ert_device_samples *samples,
                                 enum ert_kernel_id kernel, const char *isa,
                                 const struct ert_point *points[ERT_MAX_CURVE])
{
    size_t n = 0;
    for (size_t i = 0; i < samples->n_points && n < ERT_MAX_CURVE; i++)
        if (samples->points[i].section == ERT_SECTION_COMPUTE &&
            samples->points[i].case_.kernel == kernel &&
            samples->points[i].status == ERT_POINT_MEASURED &&
            samples->points[i].n_samples > 0 &&
            (!isa || strcmp(samples->points[i].variant.isa, isa) == 0))
            points[n++] = &samples->points[i];
    return n;
}

/* Buffers are placed by first touch: in the memory that ends the level's path. */
static bool is_other_memory(const struct ert_device *device, const struct ert_level *level)
{
    return level->kind == ERT_LEVEL_MEMORY &&
           level != ert_sets_last_level(device, level->path);
}

/* The sections that this file fits; extras.h has the others. */
static bool is_main(const struct ert_point *point)
{
    return point->section == ERT_SECTION_LEVELS || point->section == ERT_SECTION_COMPUTE ||
           point->section == ERT_SECTION_MIXED;
}

static const struct ert_point *planned_point(const struct ert_device_samples *samples,
                                             enum ert_kernel_id kernel, enum ert_path path)
{
    for (size_t i = 0; i < samples->n_points; i++)
        if (is_main(&samples->points[i]) && samples->points[i].case_.kernel == kernel &&
            samples->points[i].case_.path == path)
            return &samples->points[i];
    return NULL;
}

/* Why nothing was measured of a kernel on a path: the first point's own reason, or the device's. */
static const char *reason_of(const struct ert_device_samples *samples,
                             enum ert_kernel_id kernel, enum ert_path path)
{
    for (size_t i = 0; i < samples->n_points; i++)
        if (is_main(&samples->points[i]) && samples->points[i].case_.kernel == kernel &&
            samples->points[i].case_.path == path && *samples->points[i].reason)
            return samples->points[i].reason;
    return *samples->reason ? samples->reason : "not measured";
}

static bool add_compute(struct fit *fit, enum ert_kernel_id kernel,
                        const struct ert_point *const *points, size_t n, bool roof)
{
    const struct ert_kernel *row = ert_kernel_row(kernel);
    struct ert_device_ceilings *out = fit->out;
    struct ert_compute_ceiling ceiling = {.roof = roof};
    size_t best = winner(points, n, ert_levels_performance);
    const char *isa = points[best]->variant.isa;
    if (!ert_evidence_fill(&ceiling.common, points, n, best, ert_point_performance))
        return false;
    snprintf(ceiling.common.name, sizeof ceiling.common.name, "%s-%s%s%s",
             ert_type_name(row->type), row->op, roof ? "" : "-", roof ? "" : isa);
    snprintf(ceiling.type, sizeof ceiling.type, "%s", ert_type_name(row->type));
    snprintf(ceiling.op, sizeof ceiling.op, "%s", row->op);
    snprintf(ceiling.unit, sizeof ceiling.unit, "%s",
             *isa ? isa : (*row->unit ? row->unit : "core"));
    if (out->n_compute < ERT_MAX_COMPUTE)
        out->compute[out->n_compute++] = ceiling;
    return true;
}

/*
 * The best of all instruction sets has the plain name, "fp64-fma"; then each of the others,
 * "fp64-fma-avx2", in the order of the plan.
 */
static bool fit_compute(struct fit *fit, enum ert_kernel_id kernel)
{
    const struct ert_point *points[ERT_MAX_CURVE], *others[ERT_MAX_CURVE];
    const struct ert_kernel *row = ert_kernel_row(kernel);
    size_t n = compute_candidates(fit->samples, kernel, NULL, points);
    if (n == 0) {
        char name[32];
        snprintf(name, sizeof name, "%s-%s", ert_type_name(row->type), row->op);
        if (planned_point(fit->samples, kernel, ERT_PATH_NONE))
            ert_extras_absent(fit->out, name,
                              reason_of(fit->samples, kernel, ERT_PATH_NONE));
        return true;
    }
    const char *best = points[winner(points, n, ert_levels_performance)]->variant.isa;
    size_t n_best = compute_candidates(fit->samples, kernel, best, others);
    bool done = add_compute(fit, kernel, others, n_best, true);
    for (size_t i = 0; i < n && done; i++) {
        const char *isa = points[i]->variant.isa;
        bool is_first = strcmp(isa, best) != 0;
        for (size_t j = 0; j < i; j++)
            is_first = is_first && strcmp(points[j]->variant.isa, isa) != 0;
        if (is_first)
            done =
                add_compute(fit, kernel, others,
                            compute_candidates(fit->samples, kernel, isa, others), false);
    }
    return done;
}

static bool add_memory(struct fit *fit, struct ert_memory_ceiling *ceiling,
                       const struct ert_level *level,
                       const struct ert_candidates *candidates)
{
    struct ert_device_ceilings *out = fit->out;
    size_t index = winner(candidates->points, candidates->n, ert_levels_bandwidth);
    if (index == candidates->n)
        return true;
    const struct ert_point *best = candidates->points[index];
    if (!ert_evidence_fill(&ceiling->common, candidates->points, candidates->n, index,
                           ert_point_bandwidth))
        return false;
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
    return true;
}

static bool fit_memory(struct fit *fit, enum ert_kernel_id kernel,
                       const struct ert_level *level)
{
    struct ert_candidates candidates;
    struct ert_memory_ceiling ceiling = {0};
    char *name = ceiling.common.name;
    snprintf(name, sizeof ceiling.common.name, "%s-%s", level->name,
             ert_kernel_row(kernel)->op);
    bool concerned =
        level->kind == ERT_LEVEL_MEMORY || !ert_kernel_row(kernel)->memory_only;
    if (!concerned || !planned_point(fit->samples, kernel, level->path))
        return true;
    if (is_other_memory(fit->device, level)) {
        ert_extras_absent(
            fit->out, name,
            "buffers are placed by first touch, in the memory near the cores");
        return true;
    }
    if (ert_levels_candidates(fit->device, fit->samples, kernel, level, &candidates))
        return add_memory(fit, &ceiling, level, &candidates);
    bool measured = strcmp(candidates.doubt, "not measured") != 0;
    ert_extras_absent(fit->out, name,
                      measured ? candidates.doubt
                               : reason_of(fit->samples, kernel, level->path));
    return true;
}

/* The best pattern of each level is the level's roof. */
static void mark_roofs(struct ert_device_ceilings *out)
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
        if (!is_main(point) || point->status != ERT_POINT_MEASURED || point->n_samples == 0)
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
static double held_clock(const struct fit *fit)
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

static void judge(struct fit *fit, uint32_t n_cores)
{
    struct ert_device_ceilings *out = fit->out;
    out->held_hz = held_clock(fit);
    ert_theory_peaks(fit->device, n_cores, out->held_hz, out->peaks, &out->n_peaks);
    for (size_t i = 0; i < out->n_compute; i++) {
        ert_evidence_compare(&out->compute[i].common, out->peaks, out->n_peaks);
        ert_evidence_judge(&out->compute[i].common, fit->device);
    }
    for (size_t i = 0; i < out->n_memory; i++) {
        ert_evidence_compare(&out->memory[i].common, out->peaks, out->n_peaks);
        ert_evidence_judge(&out->memory[i].common, fit->device);
    }
    mark_roofs(out);
    ert_evidence_trust(&fit->machine->provenance, fit->device, fit->samples, out);
}

static void keep_strays(struct fit *fit, enum ert_kernel_id kernel)
{
    struct ert_device_ceilings *out = fit->out;
    for (int path = 0; path < ERT_N_PATHS; path++)
        if (planned_point(fit->samples, kernel, (enum ert_path)path))
            out->n_strays += ert_levels_strays(
                fit->device, fit->samples, kernel, (enum ert_path)path,
                out->strays + out->n_strays, ERT_MAX_PLATEAUS - out->n_strays);
}

static bool (*const more[])(struct ert_extras *extras) = {
    ert_extras_latency, ert_extras_access, ert_extras_concurrency, ert_extras_links,
    ert_extras_places};

static bool fit_device(const struct ert_samples *all,
                       const struct ert_device_samples *samples,
                       struct ert_device_ceilings *out)
{
    struct fit fit = {.machine = &all->machine,
                      .device = ert_machine_device(&all->machine, samples->device),
                      .samples = samples,
                      .out = out};
    snprintf(out->device, sizeof out->device, "%s", samples->device);
    for (size_t i = 0; i < samples->n_absent; i++)
        ert_extras_absent(out, samples->absent[i].name, samples->absent[i].reason);
    bool done = true;
    for (int k = 0; k < ERT_N_KERNELS && done; k++)
        if (ert_kernel_row((enum ert_kernel_id)k)->class_ == ERT_CLASS_COMPUTE)
            done = fit_compute(&fit, (enum ert_kernel_id)k);
    for (uint32_t l = 0; l < fit.device->n_levels; l++)
        for (int k = 0; k < ERT_N_KERNELS && done; k++)
            if (ert_kernel_row((enum ert_kernel_id)k)->class_ == ERT_CLASS_MEMORY)
                done = fit_memory(&fit, (enum ert_kernel_id)k, &fit.device->levels[l]);
    for (int k = 0; k < ERT_N_KERNELS; k++)
        if (ert_kernel_row((enum ert_kernel_id)k)->class_ == ERT_CLASS_MEMORY)
            keep_strays(&fit, (enum ert_kernel_id)k);
    /* More threads than cores share the cores' units. */
    uint32_t n_cores = (uint32_t)all->config.threads;
    if (n_cores > fit.device->cpu.n_cores_usable)
        n_cores = fit.device->cpu.n_cores_usable;
    judge(&fit, n_cores);
    struct ert_extras extras = {&all->machine, fit.device, samples, out};
    for (size_t i = 0; i < sizeof more / sizeof more[0] && done; i++)
        done = more[i](&extras);
    return done && keep_curve(samples, out);
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
        return ERT_OK;
    ert_ceilings_free(ceilings);
    return ert_fail(error, ERT_FAILED, "no memory to fit %zu devices", samples->n_devices);
}

/* Marks the n fastest of some points (the order of points[] is lost). */
static void choose(const struct ert_device_samples *samples,
                   const struct ert_point **points, size_t n_points, size_t n,
                   median_function median, bool *chosen)
{
    for (size_t k = 0; k < n && k < n_points; k++) {
        size_t best = k;
        for (size_t i = k; i < n_points; i++)
            if (median(points[i]) > median(points[best]))
                best = i;
        const struct ert_point *point = points[best];
        points[best] = points[k];
        points[k] = point;
        chosen[point - samples->points] = true;
    }
}

/* Of each instruction set. */
static void choose_compute(const struct ert_device_samples *samples,
                           enum ert_kernel_id kernel, size_t per_ceiling, bool *chosen)
{
    const struct ert_point *all[ERT_MAX_CURVE], *points[ERT_MAX_CURVE];
    size_t n_all = compute_candidates(samples, kernel, NULL, all);
    for (size_t i = 0; i < n_all; i++) {
        size_t n = compute_candidates(samples, kernel, all[i]->variant.isa, points);
        choose(samples, points, n, per_ceiling, ert_levels_performance, chosen);
    }
}

void ert_fit_leaders(const struct ert_device *device,
                     const struct ert_device_samples *samples, size_t per_ceiling,
                     bool *chosen)
{
    struct ert_candidates candidates;
    memset(chosen, 0, samples->n_points * sizeof *chosen);
    for (int k = 0; k < ERT_N_KERNELS; k++) {
        enum ert_kernel_id kernel = (enum ert_kernel_id)k;
        if (ert_kernel_row(kernel)->class_ == ERT_CLASS_COMPUTE) {
            choose_compute(samples, kernel, per_ceiling, chosen);
        }
        for (uint32_t l = 0; l < device->n_levels; l++)
            if (ert_kernel_row(kernel)->class_ == ERT_CLASS_MEMORY &&
                (device->levels[l].kind == ERT_LEVEL_MEMORY ||
                 !ert_kernel_row(kernel)->memory_only) &&
                !is_other_memory(device, &device->levels[l]) &&
                ert_levels_candidates(device, samples, kernel, &device->levels[l],
                                      &candidates))
                choose(samples, candidates.points, candidates.n, per_ceiling,
                       ert_levels_bandwidth, chosen);
    }
}
