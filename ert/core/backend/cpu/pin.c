/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/backend/cpu/pin.h"

#include <errno.h>
#include <hwloc.h>
#include <stdlib.h>
#include <string.h>

int ert_pin_set_mask(const struct ert_pin_mask *mask)
{
    return sched_setaffinity(0, sizeof mask->sets, mask->sets) == 0 ? 0 : errno;
}

static bool pin_has_cpu(const struct ert_pin_mask *mask, unsigned cpu)
{
    return CPU_ISSET_S(cpu, sizeof mask->sets, mask->sets);
}

/* The k-th (0, 1 ...) CPU of a core that is in the mask, or -1. */
static int cpu_of_core(hwloc_obj_t core, const struct ert_pin_mask *mask, uint32_t k)
{
    unsigned cpu;
    hwloc_bitmap_foreach_begin(cpu, core->cpuset)
    {
        if (pin_has_cpu(mask, cpu) && k-- == 0)
            return (int)cpu;
    }
    hwloc_bitmap_foreach_end();
    return -1;
}

static struct ert_pin_place place_of(hwloc_topology_t topology, hwloc_obj_t core,
                                     uint32_t cpu)
{
    hwloc_obj_t package = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, core);
    return (struct ert_pin_place){.cpu = cpu,
                                  .package = package ? package->logical_index : 0};
}

/* Fills places[] round by round over the cores; returns how many it found. */
static uint32_t plan_by_cores(hwloc_topology_t topology, const struct ert_pin_mask *mask,
                              uint32_t n, struct ert_pin_place *places)
{
    int n_cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
    uint32_t found = 0, before;
    uint32_t round = 0;
    do {
        before = found;
        for (int i = 0; i < n_cores && found < n; i++) {
            hwloc_obj_t core = hwloc_get_obj_by_type(topology, HWLOC_OBJ_CORE, (unsigned)i);
            int cpu = cpu_of_core(core, mask, round);
            if (cpu >= 0)
                places[found++] = place_of(topology, core, (uint32_t)cpu);
        }
        round++;
    } while (found < n && found > before);
    return found;
}

/* Opens this machine's topology; NULL if it cannot be read or is replaced by another (HWLOC_XMLFILE). */
static hwloc_topology_t open_topology(void)
{
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0)
        return NULL;
    if (hwloc_topology_load(topology) == 0 && hwloc_topology_is_thissystem(topology))
        return topology;
    hwloc_topology_destroy(topology);
    return NULL;
}

enum ert_status ert_pin_plan(uint32_t n, struct ert_pin_mask *before,
                             struct ert_pin_place *places, bool *by_topology,
                             struct ert_error *error)
{
    if (sched_getaffinity(0, sizeof before->sets, before->sets) != 0)
        return ert_fail(error, ERT_FAILED, "cpu: cannot read the affinity mask: %s",
                        strerror(errno));
    int n_allowed = CPU_COUNT_S(sizeof before->sets, before->sets);
    if (n > (uint32_t)n_allowed)
        return ert_fail(
            error, ERT_USAGE,
            "threads: %u, must be at most %d, the CPUs that this process may use", n,
            n_allowed);
    hwloc_topology_t topology = open_topology();
    *by_topology = topology && plan_by_cores(topology, before, n, places) == n;
    if (topology)
        hwloc_topology_destroy(topology);
    uint32_t found = 0;
    for (unsigned cpu = 0; !*by_topology && found < n; cpu++)
        if (pin_has_cpu(before, cpu))
            places[found++] = (struct ert_pin_place){.cpu = cpu};
    return ERT_OK;
}

/* Whether the topology says that a node is local to a CPU. */
static bool is_local(hwloc_topology_t topology, uint32_t node, uint32_t cpu)
{
    hwloc_obj_t object = hwloc_get_numanode_obj_by_os_index(topology, node);
    return object && hwloc_bitmap_isset(object->cpuset, cpu);
}

void ert_pin_near_nodes(const uint32_t *cpus, uint32_t n, const uint32_t *candidates,
                        uint32_t n_candidates, uint32_t *nodes)
{
    hwloc_topology_t topology = open_topology();
    for (uint32_t i = 0; i < n; i++) {
        uint32_t nearest = candidates[(uint64_t)i * n_candidates / n];
        /* Backwards, so that the first of several wins. */
        for (uint32_t k = n_candidates; topology && k-- > 0;)
            if (is_local(topology, candidates[k], cpus[i]))
                nearest = candidates[k];
        nodes[i] = nearest;
    }
    if (topology)
        hwloc_topology_destroy(topology);
}

void ert_pin_alone(void)
{
    setenv("KMP_AFFINITY", "disabled", 0);
}

int ert_pin_to(uint32_t cpu)
{
    size_t size = CPU_ALLOC_SIZE(cpu + 1);
    cpu_set_t *set = CPU_ALLOC(cpu + 1);
    if (!set)
        return ENOMEM;
    CPU_ZERO_S(size, set);
    CPU_SET_S(cpu, size, set);
    int reason = sched_setaffinity(0, size, set) == 0 ? 0 : errno;
    CPU_FREE(set);
    return reason;
}
