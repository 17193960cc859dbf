/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/base/alloc.h"
#include "ert/core/fit/evidence.h"
#include "ert/core/fit/extras.h"
#include "ert/core/stats/stats.h"
#include "ert/core/sweep/plan.h"
#include "ert/core/sweep/section.h"
#include "ert/core/sweep/sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * The latency section: one chase per level, in a set that the level serves alone. On CPUs one thread chases,
 * so that the set is relative to the caches of its core. With LRU replacement a repeated order has no hits in
 * a cache from twice its size on, but last-level caches often use another policy: so DRAM's set is several
 * times the part of it that the core reaches, not one and a half times as for a bandwidth.
 */
static void latency_add_cases(struct ert_planner *planner, enum ert_section section,
                              int kernel, const struct ert_level *level)
{
    const bool is_cpu = planner->device->kind == ERT_DEVICE_CPU;
    struct ert_spec spec = ert_planner_spec((enum ert_kernel_id)kernel, level);
    spec.requested_bytes = ert_planner_share(planner, level, is_cpu);
    spec.concurrency = is_cpu && section == ERT_SECTION_LATENCY;
    spec.to = ert_sets_far_node(planner->device, level);
    if (planner->config->kernels[kernel])
        ert_planner_add_case(
            planner, section, &spec, ERT_BEST_ISA,
            spec.requested_bytes ? "" : "no working set of this level is allowed", "%s-%s",
            level->name, ert_kernel_row(spec.kernel)->op);
}

/* The chase in a GPU's memory also runs for long: its power is the GPU's constant power. */
static void latency_plan(struct ert_planner *planner)
{
    const struct ert_device *device = planner->device;
    const struct ert_level *levels = device->levels;
    for (uint32_t l = 0; l < device->n_levels; l++) {
        const size_t before = planner->out->n_points;
        latency_add_cases(planner, ERT_SECTION_LATENCY, ERT_KERNEL_chase, &levels[l]);
        if (device->kind == ERT_DEVICE_GPU && levels[l].kind == ERT_LEVEL_MEMORY &&
            planner->out->n_points > before)
            planner->out->points[before].sustain_s = planner->config->sustained_s;
    }
}

/* Adds a level's latency: the fastest. */
static void latency_add_level(struct ert_extras *extras, const struct ert_level *level)
{
    const char *reason = "not measured";
    const struct ert_point *best = NULL;
    char name[32];
    for (size_t i = 0; i < extras->samples->n_points; i++) {
        const struct ert_point *point = &extras->samples->points[i];
        if (point->section != ERT_SECTION_LATENCY || point->spec.path != level->path)
            continue;
        if (point->status != ERT_POINT_MEASURED && *point->reason)
            reason = point->reason;
        if (ert_levels_is_measured(point) && ert_extras_level(extras, point) == level &&
            (!best || ert_levels_estimate(point, ert_point_latency) <
                          ert_levels_estimate(best, ert_point_latency)))
            best = point;
    }
    snprintf(name, sizeof name, "%s-latency", level->name);
    if (best)
        ert_extras_add_point(extras, ERT_CEILING_LATENCY, best, level, "%s", name);
    else
        ert_extras_not_measured(extras->out, name, reason);
}

static void latency_fit(struct ert_extras *extras)
{
    bool planned = false;
    for (size_t i = 0; i < extras->samples->n_points; i++)
        planned |= extras->samples->points[i].section == ERT_SECTION_LATENCY;
    for (uint32_t i = 0; i < extras->device->n_levels && planned; i++)
        latency_add_level(extras, &extras->device->levels[i]);
}

const struct ert_section_row ert_section_latency = {
    .by_default = true,
    .cases_are_ceilings = true,
    .plan = latency_plan,
    .fit_device = latency_fit,
};

/*
 * The loaded section: the same in memories, and in a GPU's L2, while all other threads, or blocks, read, or
 * also write, at a pace from next to nothing to all that they can: a curve from the latency to the bandwidth.
 */
static void loaded_plan(struct ert_planner *planner)
{
    const struct ert_level *levels = planner->device->levels;
    for (uint32_t l = 0; l < planner->device->n_levels; l++)
        for (int k = ERT_KERNEL_loaded_load; k <= ERT_KERNEL_loaded_update; k++)
            if (levels[l].kind == ERT_LEVEL_MEMORY || levels[l].path == ERT_PATH_BYPASS_L1)
                latency_add_cases(planner, ERT_SECTION_LOADED, k, &levels[l]);
}

/* More than this times the level's roof is not drawn from it: a compiler may have left the reads out. */
static const double most_of_roof = 1.2;

static void loaded_doubt(const struct ert_extras *extras, struct ert_ceiling *row)
{
    const struct ert_ceiling_span all = ert_ceilings_main(extras->out);
    for (size_t i = 0; i < all.n; i++)
        if (all.at[i].is_roof && strcmp(all.at[i].key.level, row->key.level) == 0 &&
            row->evidence->aggregate > most_of_roof * all.at[i].value)
            ert_evidence_warn(row, ERT_CONFIDENCE_LOW,
                              "drew more than %s gives: the load is not what it says",
                              row->key.level);
}

/* The latency, and what all but the chain's drew, of samples in which none waited for a CPU. */
static void loaded_fit(struct ert_extras *extras, const struct ert_point *point)
{
    struct ert_point quiet = *point;
    double *drawn = ert_xcalloc(point->n_samples + 1, sizeof *drawn);
    quiet.samples = ert_xcalloc(point->n_samples + 1, sizeof *quiet.samples);
    quiet.n_samples = 0;
    quiet.spec.concurrency = extras->device->kind == ERT_DEVICE_CPU; /* has the chain */
    for (size_t i = 0; i < point->n_samples; i++) {
        const struct ert_sample *sample = &point->samples[i];
        if (sample->waited > ERT_MOST_WAITED)
            continue;
        for (uint32_t t = 1; t < sample->n_threads; t++)
            drawn[quiet.n_samples] +=
                sample->thread_passes[t] * point->work.bytes_per_pass / sample->time_s;
        quiet.samples[quiet.n_samples++] = *sample;
    }
    if (!quiet.n_samples && point->n_samples)
        snprintf(quiet.reason, sizeof quiet.reason,
                 "in each sample a thread waited for a CPU");
    const struct ert_level *level = ert_extras_level(extras, &quiet);
    struct ert_ceiling *row = ert_extras_add_point(
        extras, ERT_CEILING_LOADED, &quiet, level, "%s-%s-%u", level ? level->name : "",
        ert_kernel_row(point->spec.kernel)->op, point->spec.variant);
    if (row) {
        row->evidence->aggregate = ert_estimate_of(drawn, quiet.n_samples, ERT_BETTER_HIGH);
        loaded_doubt(extras, row);
    }
    free(quiet.samples);
    free(drawn);
}

const struct ert_section_row ert_section_loaded = {
    .cases_are_ceilings = true, .plan = loaded_plan, .fit = loaded_fit};
