/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/fit/evidence.h"
#include "ert/core/fit/extras.h"
#include "ert/core/sweep/plan.h"
#include "ert/core/sweep/section.h"
#include "ert/core/sweep/sets.h"

#include <stdio.h>

/*
 * The latency section: one chase per level, in a set that the level serves alone. On CPUs one thread chases,
 * so that the set is relative to the caches of its core. With LRU replacement a repeated order has no hits in
 * a cache from twice its size on, but last-level caches often use another policy: so DRAM's set is several
 * times the part of it that the core reaches, not one and a half times as for a bandwidth.
 */
static void latency_plan(struct ert_planner *planner)
{
    const struct ert_device *device = planner->device;
    bool is_cpu = device->kind == ERT_DEVICE_CPU;
    for (uint32_t l = 0; l < device->n_levels && planner->config->kernels[ERT_KERNEL_chase];
         l++) {
        const struct ert_level *level = &device->levels[l];
        struct ert_spec spec = ert_planner_spec(ERT_KERNEL_chase, level);
        spec.requested_bytes = ert_planner_share(planner, level, is_cpu);
        spec.concurrency = is_cpu;
        spec.to = ert_sets_far_node(device, level);
        ert_planner_add_case(
            planner, ERT_SECTION_LATENCY, &spec, ERT_BEST_ISA,
            spec.requested_bytes ? "" : "no working set of this level is allowed",
            "%s-latency", level->name);
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
