/*
 * The latency section: one chase per level, in a set that the level answers alone. On CPUs a chase
 * is one thread's: the set is that of the caches of its core, which an order that repeats leaves
 * without hits from twice their size on where they replace the oldest line. The last-level cache
 * often does not: DRAM's set is several times the part of it that the core reaches, not once and a
 * half as for a bandwidth.
 */
#include "ert/sweep/planner.h"
#include "ert/sweep/sets.h"

#include <stdio.h>

static enum ert_status plan_level(struct ert_planner *planner,
                                  const struct ert_level *level)
{
    struct ert_variant variants[ERT_MAX_VARIANTS];
    uint32_t indices[ERT_MAX_VARIANTS];
    char reason[192] = "no working set of this level is allowed", name[32];
    bool is_cpu = planner->device->kind == ERT_DEVICE_CPU;
    uint32_t far_node = ert_sets_far_node(planner->device, level);
    uint64_t set = ert_planner_share(planner, level, is_cpu);
    size_t n = 0;
    if (set)
        n = ert_planner_variants(planner, ERT_KERNEL_chase, level->path, false, variants,
                                 indices, reason, sizeof reason);
    if (n == 0) {
        snprintf(name, sizeof name, "%s-latency", level->name);
        ert_planner_absent(planner, name, reason);
    }
    for (size_t i = 0; i < n; i++) {
        struct ert_case case_ = {.kernel = ERT_KERNEL_chase,
                                 .path = level->path,
                                 .working_set_bytes = set,
                                 .variant = indices[i],
                                 .concurrency = is_cpu,
                                 .to = far_node};
        ERT_TRY(ert_planner_add(planner, ERT_SECTION_LATENCY, &case_, &variants[i]));
    }
    return ERT_OK;
}

enum ert_status ert_plan_latency(struct ert_planner *planner)
{
    if (!planner->config->kernels[ERT_KERNEL_chase])
        return ERT_OK;
    for (uint32_t i = 0; i < planner->device->n_levels; i++)
        ERT_TRY(plan_level(planner, &planner->device->levels[i]));
    return ERT_OK;
}
