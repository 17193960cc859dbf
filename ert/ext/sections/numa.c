/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/fit/evidence.h"
#include "ert/core/fit/extras.h"
#include "ert/core/sweep/plan.h"
#include "ert/core/sweep/section.h"
#include "ert/core/sweep/sets.h"

#include <stdio.h>
#include <string.h>

/*
 * Buffers that are bound to NUMA nodes. The numa section measures each node's memory from each package of
 * CPUs; with one package and one node that is the memory level itself, and nothing is added. The levels
 * section also has the memories that first touch does not allocate from.
 */
static const enum ert_kernel_id bound_kernels[] = {ERT_KERNEL_load, ERT_KERNEL_triad,
                                                   ERT_KERNEL_store};

/*
 * The bytes of the largest cache level between one package and the memory of a NUMA node: the package's
 * own caches, and for DRAM also its part of memory-side caches, which cache no other memory.
 */
static uint64_t numa_caches(const struct ert_device *device,
                            const struct ert_numa_node *node)
{
    uint32_t packages = device->cpu.n_packages ? device->cpu.n_packages : 1;
    uint64_t most = 0;
    for (uint32_t i = 0; i < device->n_levels; i++) {
        const struct ert_level *level = &device->levels[i];
        uint64_t bytes = ert_level_total_bytes(level) / packages;
        if (level->kind == ERT_LEVEL_CACHE &&
            !(level->memory_side && strcmp(node->kind, "DRAM") != 0) && bytes > most)
            most = bytes;
    }
    return most;
}

static void numa_plan_pair(struct ert_planner *planner, enum ert_kernel_id kernel,
                           uint32_t package, const struct ert_numa_node *node)
{
    struct ert_spec spec = ert_planner_spec(kernel, NULL);
    char name[32], no_set[192];
    snprintf(name, sizeof name, "NUMA node %u", node->os_index);
    spec.path = ERT_PATH_CACHED;
    spec.from = 1 + package;
    spec.to = 1 + node->os_index;
    spec.requested_bytes = ert_planner_bound_set(
        planner, numa_caches(planner->device, node), node->size_bytes, name, no_set);
    ert_planner_add_case(planner, ERT_SECTION_NUMA, &spec, ERT_FIRST_WAY, no_set,
                         "%s-%s-package%u-node%u", node->kind, ert_kernel_row(kernel)->op,
                         package, node->os_index);
}

static void numa_plan(struct ert_planner *planner)
{
    const struct ert_cpu *cpu = &planner->device->cpu;
    if (planner->device->kind != ERT_DEVICE_CPU ||
        (cpu->n_packages <= 1 && cpu->n_numa <= 1))
        return;
    for (uint32_t package = 0; package < cpu->n_packages; package++)
        for (uint32_t i = 0; i < cpu->n_numa; i++)
            for (size_t k = 0; k < ERT_LENGTH(bound_kernels); k++)
                if (planner->config->kernels[bound_kernels[k]])
                    numa_plan_pair(planner, bound_kernels[k], package, &cpu->numa[i]);
}

/* The caches serve part of smaller multiples of their size (sets.h); below 4 to allow for rounding. */
static const double proving_multiple = 3.9;

/* The machine's entry for a node; a node that it does not list is of unknown kind. */
static struct ert_numa_node numa_node_of(const struct ert_device *device, uint32_t os_index)
{
    for (uint32_t i = 0; i < device->cpu.n_numa; i++)
        if (device->cpu.numa[i].os_index == os_index)
            return device->cpu.numa[i];
    return (struct ert_numa_node){.os_index = os_index, .kind = "unknown"};
}

/* The rate of a package, or of all threads, from a NUMA node's memory: "DRAM-load-package0-node1". */
static void numa_fit(struct ert_extras *extras, const struct ert_point *point)
{
    const struct ert_spec *spec = &point->spec;
    struct ert_numa_node node = numa_node_of(extras->device, spec->to - 1);
    char from[16] = "all";
    if (spec->from)
        snprintf(from, sizeof from, "package%u", (spec->from - 1) & 0xffff);
    struct ert_ceiling *extra = ert_extras_add_point(
        extras, ERT_CEILING_NUMA, point, NULL, "%s-%s-%s-node%u", node.kind,
        ert_kernel_row(spec->kernel)->op, from, node.os_index);
    if (!extra)
        return;
    snprintf(extra->key.level, sizeof extra->key.level, "%s", node.kind);
    snprintf(extra->key.from, sizeof extra->key.from, "%s", from);
    snprintf(extra->key.to, sizeof extra->key.to, "node%u", (spec->to - 1) & 0xffff);
    double caches = (double)numa_caches(extras->device, &node);
    if (caches > 0 && extra->evidence->actual_bytes < proving_multiple * caches)
        ert_evidence_warn(extra, ERT_CONFIDENCE_MEDIUM,
                          "the set is only %.1f times the caches of the package",
                          extra->evidence->actual_bytes / caches);
}

const struct ert_section_row ert_section_numa = {
    .plan = numa_plan,
    .fit = numa_fit,
};
