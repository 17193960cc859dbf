/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/sections/sections.h"

#include "ert/core/fit/evidence.h"
#include "ert/core/fit/extras.h"
#include "ert/core/sweep/plan.h"
#include "ert/core/sweep/section.h"

#include <stdio.h>
#include <string.h>

/* Every count up to this one: where cores begin to share, each thread matters. */
enum { DENSE_END = 8 };

/*
 * Powers of two and what lies in the middle between them; all cores, of a package too, and two, three, four
 * threads on each; all threads.
 */
static bool is_listed(const struct ert_context *context, uint32_t count)
{
    const uint32_t cores = context->device.cpu.n_cores_usable,
                   packages = context->device.cpu.n_packages,
                   base = count % 3 == 0 ? count / 3 : count;
    return count <= DENSE_END || (base & (base - 1)) == 0 ||
           count == context->max_threads || (packages && count == cores / packages) ||
           (cores && count % cores == 0);
}

static size_t list_threads(const struct ert_context *context, uint32_t *counts)
{
    size_t n = 0;
    for (uint32_t count = 1; count <= context->max_threads && n < ERT_MAX_COUNTS; count++)
        if (is_listed(context, count))
            counts[n++] = count;
    return n;
}

static size_t list_warps(const struct ert_device *device, uint32_t *counts)
{
    static const uint32_t warps[] = {1, 2, 4, 8, 12, 16, 24, 32, 48, 64};
    const struct ert_gpu *gpu = &device->gpu;
    const uint32_t most = gpu->warp_size ? gpu->max_threads_per_sm / gpu->warp_size : 0;
    size_t n = 0;
    for (size_t i = 0; i < ERT_LENGTH(warps); i++)
        if (!most || warps[i] <= most)
            counts[n++] = warps[i];
    return n;
}

size_t ert_counts_list(const struct ert_context *context, uint32_t counts[ERT_MAX_COUNTS])
{
    return context->device.kind == ERT_DEVICE_CPU ? list_threads(context, counts)
                                                  : list_warps(&context->device, counts);
}

/* Whether the threads fill whole groups of cores, or do not even fill one. */
static bool fills(uint32_t threads, uint32_t cores_of_group)
{
    return threads <= cores_of_group || threads % cores_of_group == 0;
}

bool ert_counts_even(const struct ert_device *device, const struct ert_level *level,
                     uint32_t threads)
{
    uint32_t cores = ert_counts_cores(device, NULL), packages = device->cpu.n_packages;
    if (device->kind != ERT_DEVICE_CPU)
        return true;
    if (threads > cores)
        return fills(threads, cores);
    if (level->kind == ERT_LEVEL_MEMORY && packages > 1 && cores >= packages &&
        !fills(threads, cores / packages))
        return false;
    for (const struct ert_level *l = device->levels; l <= level; l++)
        if (!fills(threads, ert_counts_cores(device, l)))
            return false;
    return true;
}

/*
 * The concurrency section: some ceilings as functions of the number of threads (CPUs), or of warps per SM and
 * independent operations per thread (GPUs). They show what a program with little parallelism can expect.
 */

/* Its kernels, and the levels for a memory kernel. */
static const struct curve_row {
    enum ert_kernel_id kernel;
    enum ert_device_kind device;
    bool caches, memories;
} curve_rows[] = {
    {ERT_KERNEL_fma_fp64, ERT_DEVICE_CPU, false, false},
    {ERT_KERNEL_load,     ERT_DEVICE_CPU, true,  true },
    {ERT_KERNEL_triad,    ERT_DEVICE_CPU, false, true },
    {ERT_KERNEL_fma_fp64, ERT_DEVICE_GPU, false, false},
    {ERT_KERNEL_fma_fp32, ERT_DEVICE_GPU, false, false},
    {ERT_KERNEL_add_fp64, ERT_DEVICE_GPU, false, false},
    {ERT_KERNEL_load,     ERT_DEVICE_GPU, true,  true },
    {ERT_KERNEL_triad,    ERT_DEVICE_GPU, false, true },
};

/*
 * A GPU's ways are 1, 2, 4 or 8 independent operations per thread: in a spec with a number of warps, the
 * variant is their binary logarithm, for every kernel above. Eight loads from each of triad's two sources
 * would need more registers than a thread has.
 */
static void concurrency_list_ilps(enum ert_kernel_id kernel, struct ert_ways *ways)
{
    *ways = (struct ert_ways){.n = kernel == ERT_KERNEL_triad ? 3 : 4};
    for (uint32_t i = 0; i < ways->n; i++) {
        ways->indices[i] = i;
        snprintf(ways->variants[i].name, sizeof ways->variants[i].name, "ilp %u", 1u << i);
    }
}

/* On CPUs only with the best instruction set: others have their own compute ceilings. */
static void concurrency_add_curve(struct ert_planner *planner, enum ert_kernel_id kernel,
                                  const struct ert_level *level, enum ert_section section,
                                  const uint32_t *counts, size_t n)
{
    struct ert_ways ways; /* none: the levels and compute sections say why */
    struct ert_spec spec = ert_planner_spec(kernel, level);
    bool is_cpu = planner->device->kind == ERT_DEVICE_CPU;
    if (is_cpu)
        ert_planner_find_ways(planner, &spec, ERT_FIRST_WAY, &ways);
    else
        concurrency_list_ilps(kernel, &ways);
    for (size_t i = 0; i < n; i++) {
        spec.concurrency = counts[i];
        if (is_cpu)
            ways.variants[0].threads = counts[i];
        if (level)
            spec.requested_bytes = ert_planner_share(planner, level, counts[i]);
        if (!level || (spec.requested_bytes > 0 &&
                       ert_counts_even(planner->device, level, counts[i])))
            ert_planner_add_ways(planner, section, spec, &ways);
    }
}

static void concurrency_plan(struct ert_planner *planner)
{
    const struct ert_device *device = planner->device;
    uint32_t counts[ERT_MAX_COUNTS];
    size_t n = ert_counts_list(planner->context, counts);
    const enum ert_section section = ERT_SECTION_CONCURRENCY;
    for (const struct curve_row *row = curve_rows;
         row < curve_rows + ERT_LENGTH(curve_rows); row++) {
        if (row->device != device->kind || !planner->config->kernels[row->kernel])
            continue;
        if (!row->caches && !row->memories)
            concurrency_add_curve(planner, row->kernel, NULL, section, counts, n);
        for (uint32_t l = 0; l < device->n_levels; l++) {
            /* No scratchpads: they need the same concurrency as L1. */
            const struct ert_level *level = &device->levels[l];
            if ((row->caches && level->kind == ERT_LEVEL_CACHE) ||
                (row->memories && level->kind == ERT_LEVEL_MEMORY &&
                 level == ert_sets_last_level(device, level->path)))
                concurrency_add_curve(planner, row->kernel, level, section, counts, n);
        }
    }
}

/*
 * The one_thread section, where the one above is not wanted: what one thread gets of the caches and memory
 * that it shares with others. What it gets of the rest is its part, and many programs run on one thread.
 */
static void one_thread_plan(struct ert_planner *planner)
{
    const struct ert_device *device = planner->device;
    const uint32_t one = 1, cores = ert_counts_cores(device, NULL);
    if (device->kind != ERT_DEVICE_CPU || planner->context->max_threads < 2 ||
        planner->config->sections[ERT_SECTION_CONCURRENCY])
        return;
    for (const struct ert_level *level = device->levels;
         level < device->levels + device->n_levels; level++)
        for (const struct curve_row *row = curve_rows;
             row < curve_rows + ERT_LENGTH(curve_rows); row++)
            if (row->device == ERT_DEVICE_CPU && planner->config->kernels[row->kernel] &&
                (level->kind == ERT_LEVEL_MEMORY
                     ? row->memories && level == ert_sets_last_level(device, level->path)
                     : level->kind == ERT_LEVEL_CACHE && row->caches &&
                           level->count < cores))
                concurrency_add_curve(planner, row->kernel, level, ERT_SECTION_ONE_THREAD,
                                      &one, 1);
}

/* Warns of a memory's set that the config's memory made too small to measure the level alone. */
static void concurrency_warn(const struct ert_extras *extras, const struct ert_point *point,
                             const struct ert_level *level, struct ert_ceiling *ceiling)
{
    struct ert_device reached = ert_counts_reach(extras->device, point->spec.concurrency);
    const struct ert_level *same = &reached.levels[level - extras->device->levels];
    double set = (double)point->work.actual_bytes, low, high;
    ert_sets_level_range(&reached, same, &low, &high);
    if (level->kind == ERT_LEVEL_MEMORY &&
        set < 0.99 * ert_sets_least_bytes(&reached, same))
        ert_evidence_warn(ceiling, ERT_CONFIDENCE_MEDIUM,
                          "the set is only %.1f times the caches of these threads",
                          set / low);
}

static void concurrency_fit(struct ert_extras *extras, const struct ert_point *point)
{
    bool is_cpu = extras->device->kind == ERT_DEVICE_CPU;
    const struct ert_level *level = ert_extras_level(extras, point);
    uint32_t count = point->spec.concurrency, ilp = is_cpu ? 0 : 1u << point->spec.variant;
    char of[32];
    if (!ert_levels_is_measured(point) || !ert_extras_name(point, level, of))
        return;
    struct ert_ceiling *extra =
        ert_extras_add_point(extras, ERT_CEILING_CONCURRENCY, point, level, "%s", of);
    if (!extra)
        return;
    extra->key.count = count;
    extra->key.ilp = ilp;
    memcpy(extra->key.of, of, sizeof extra->key.of);
    snprintf(extra->key.axis, sizeof extra->key.axis, "%s",
             is_cpu ? "threads" : "warps-per-sm");
    ert_ceiling_set_name(extra);
    size_t n_waited = 0;
    for (size_t i = 0; i < point->n_samples; i++)
        n_waited += point->samples[i].waited > ERT_MOST_WAITED;
    if (2 * n_waited > point->n_samples)
        ert_evidence_warn(extra, ERT_CONFIDENCE_LOW, "others had its CPUs");
    if (level)
        concurrency_warn(extras, point, level, extra);
}

/*
 * Lists ceilings without any count, with the reason; the samples have the reasons for single counts that a
 * device cannot run (too few registers).
 */
static void concurrency_note(struct ert_extras *extras)
{
    const struct ert_ceiling_span known =
        ert_ceilings_of(extras->out, ERT_CEILING_CONCURRENCY);
    for (size_t p = 0; p < extras->samples->n_points; p++) {
        const struct ert_point *point = &extras->samples->points[p];
        char of[32], name[48];
        size_t i = 0;
        if (point->section != ERT_SECTION_CONCURRENCY || !*point->reason ||
            point->status == ERT_POINT_MEASURED ||
            !ert_extras_name(point, ert_extras_level(extras, point), of))
            continue;
        while (i < known.n && strcmp(known.at[i].key.of, of) != 0)
            i++;
        snprintf(name, sizeof name, "%s-concurrency", of);
        if (i == known.n)
            ert_extras_not_measured(extras->out, name, point->reason);
    }
}

const struct ert_section_row ert_section_concurrency = {
    .uses_all_threads = true,
    .plan = concurrency_plan,
    .fit = concurrency_fit,
    .fit_device = concurrency_note,
};

const struct ert_section_row ert_section_one_thread = {
    .by_default = true,
    .cases_are_ceilings = true,
    .plan = one_thread_plan,
    .fit = concurrency_fit,
};
