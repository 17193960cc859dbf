/*
 * Buffers that are bound to NUMA nodes. The places section: each node's memory from each package of
 * CPUs; on a machine of one package and one node that is the memory level itself, and nothing is
 * added. And, in the levels section, the memories that first touch does not take.
 */
#include "ert/base/units.h"
#include "ert/sweep/planner.h"
#include "ert/sweep/sets.h"

#include <stdio.h>

static const enum ert_kernel_id kernels[] = {ERT_KERNEL_load, ERT_KERNEL_triad,
                                             ERT_KERNEL_store};

/* Sets of this many times the caches prove a memory (sets.h); below half of it they do not. */
enum { CACHE_MULTIPLE = 4 };

/* Where no cache is known: well above any core's own. */
static const uint64_t least_set_bytes = UINT64_C(256) << 20;

/*
 * A set that proves a memory of memory_bytes (0: unknown) behind so many caches: 4 times these, at
 * least half of that where memory is short. 0 with the reason, which names it, when less is allowed.
 */
static uint64_t bound_set(const struct ert_planner *planner, uint64_t caches,
                          uint64_t memory_bytes, const char *name, char *reason,
                          size_t size)
{
    uint64_t set = caches ? CACHE_MULTIPLE * caches : least_set_bytes;
    /* What the other buffers, for sets near the threads, leave of the memory that we may take. */
    uint64_t limit = ert_sets_memory_limit(planner->config, planner->device);
    uint64_t main_set = planner->options.working_set_max_bytes;
    uint64_t room = limit > main_set ? limit - main_set : 0;
    /* Two regions; with half of a node for them the system has room to place them there. */
    if (memory_bytes && memory_bytes / 4 < room)
        room = memory_bytes / 4;
    if (set <= room)
        return set;
    char room_text[ERT_UNITS_TEXT], least_text[ERT_UNITS_TEXT];
    uint64_t least = set / 2;
    snprintf(reason, size,
             "sets of up to %s fit in %s and in memory_max_bytes beside the other "
             "buffers, %s are needed",
             ert_units_capacity(room, room_text), name,
             ert_units_capacity(least, least_text));
    return room >= least ? room : 0;
}

static void add_absent(struct ert_planner *planner, const struct ert_numa_node *node,
                       uint32_t package, const char *op, const char *reason)
{
    char name[64];
    snprintf(name, sizeof name, "%s-%s-package%u-node%u", node->kind, op, package,
             node->os_index);
    ert_planner_absent(planner, name, reason);
}

static enum ert_status plan_pair(struct ert_planner *planner, enum ert_kernel_id kernel,
                                 uint32_t package, const struct ert_numa_node *node)
{
    struct ert_variant variants[ERT_MAX_VARIANTS];
    uint32_t indices[ERT_MAX_VARIANTS];
    const struct ert_kernel *row = ert_kernel_row(kernel);
    char reason[192] = "", name[32];
    snprintf(name, sizeof name, "NUMA node %u", node->os_index);
    uint64_t set = bound_set(planner, ert_sets_caches_of_place(planner->device, node),
                             node->size_bytes, name, reason, sizeof reason);
    size_t n = 0;
    if (set)
        n = ert_planner_variants(planner, kernel, ERT_PATH_CACHED, false, variants, indices,
                                 reason, sizeof reason);
    if (n == 0) {
        add_absent(planner, node, package, row->op, reason);
        return ERT_OK;
    }
    struct ert_case case_ = {.kernel = kernel,
                             .path = ERT_PATH_CACHED,
                             .flops_per_element = row->flops,
                             .working_set_bytes = set,
                             .variant = indices[0],
                             .from = 1 + package,
                             .to = 1 + node->os_index};
    return ert_planner_add(planner, ERT_SECTION_PLACES, &case_, &variants[0]);
}

enum ert_status ert_plan_places(struct ert_planner *planner)
{
    const struct ert_cpu *cpu = &planner->device->cpu;
    if (planner->device->kind != ERT_DEVICE_CPU ||
        (cpu->n_packages <= 1 && cpu->n_numa <= 1))
        return ERT_OK;
    for (uint32_t package = 0; package < cpu->n_packages; package++)
        for (uint32_t i = 0; i < cpu->n_numa; i++)
            for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++)
                if (planner->config->kernels[kernels[k]])
                    ERT_TRY(plan_pair(planner, kernels[k], package, &cpu->numa[i]));
    return ERT_OK;
}

enum ert_status ert_plan_far_memory(struct ert_planner *planner, enum ert_kernel_id kernel,
                                    const struct ert_level *level)
{
    struct ert_variant variants[ERT_MAX_VARIANTS];
    uint32_t indices[ERT_MAX_VARIANTS];
    const struct ert_kernel *row = ert_kernel_row(kernel);
    char reason[192] = "", name[64];
    double caches, infinite;
    size_t n = 0;
    ert_sets_level_range(planner->device, level, &caches, &infinite);
    uint64_t set = bound_set(planner, (uint64_t)caches, ert_level_total_bytes(level),
                             level->name, reason, sizeof reason);
    if (set)
        n = ert_planner_variants(planner, kernel, level->path, false, variants, indices,
                                 reason, sizeof reason);
    if (n == 0) {
        snprintf(name, sizeof name, "%s-%s", level->name, row->op);
        ert_planner_absent(planner, name, reason);
    }
    for (size_t v = 0; v < n; v++) {
        struct ert_case case_ = {.kernel = kernel,
                                 .path = level->path,
                                 .flops_per_element = row->flops,
                                 .working_set_bytes = set,
                                 .variant = indices[v],
                                 .to = ert_sets_far_node(planner->device, level)};
        ERT_TRY(ert_planner_add(planner, ERT_SECTION_LEVELS, &case_, &variants[v]));
    }
    return ERT_OK;
}
