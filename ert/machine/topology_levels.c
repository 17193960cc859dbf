#include "ert/machine/topology.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The caches that become levels, fastest first. Instruction caches hold no data. */
static const struct {
    hwloc_obj_type_t type;
    const char *name;
} caches[] = {
    {HWLOC_OBJ_L1CACHE,  "L1" },
    {HWLOC_OBJ_L2CACHE,  "L2" },
    {HWLOC_OBJ_L3CACHE,  "L3" },
    {HWLOC_OBJ_L4CACHE,  "L4" },
    {HWLOC_OBJ_L5CACHE,  "L5" },
    {HWLOC_OBJ_MEMCACHE, "MSC"},
};

/* Memory kinds by speed, as kernels find them; a GPU's memory is a level of the GPU. */
static const struct {
    const char *kind, *level;
} memories[] = {
    {"MCDRAM",  "MCDRAM"},
    {"HBM",     "HBM"   },
    {"DRAM",    "DRAM"  },
    {"CXL",     "CXL"   },
    {"NVM",     "NVM"   },
    {"unknown", "memory"},
};

/* Sizes of the instances that were counted into a level. */
struct tally {
    uint64_t total_bytes, smallest_bytes, largest_bytes;
    uint32_t n;
};

static void add(struct tally *tally, uint64_t size_bytes)
{
    if (tally->n == 0 || size_bytes < tally->smallest_bytes)
        tally->smallest_bytes = size_bytes;
    if (size_bytes > tally->largest_bytes)
        tally->largest_bytes = size_bytes;
    tally->total_bytes += size_bytes;
    tally->n++;
}

static struct ert_level *append(struct ert_machine *machine, struct ert_device *device,
                                const char *name, enum ert_level_kind kind,
                                const struct tally *tally)
{
    if (device->n_levels == ERT_MAX_LEVELS) {
        ert_machine_note(machine, "more than %d memory levels: %s is not listed",
                         ERT_MAX_LEVELS, name);
        return NULL;
    }
    struct ert_level *level = &device->levels[device->n_levels++];
    snprintf(level->name, sizeof level->name, "%s", name);
    snprintf(level->source, sizeof level->source, "hwloc");
    level->kind = kind;
    level->path = ERT_PATH_CACHED;
    level->count = tally->n;
    /* The mean keeps size times count right where instances differ (hybrid cores). */
    level->size_bytes = tally->total_bytes / tally->n;
    return level;
}

/* hwloc before 2.1 wrote memory-side caches as L3 with this subtype. */
static bool is_memory_side(hwloc_obj_t cache)
{
    return cache->type == HWLOC_OBJ_MEMCACHE ||
           (cache->subtype && strcmp(cache->subtype, "MemorySideCache") == 0);
}

/*
 * Memory on a processor's package that is a cache of DRAM keeps its name ("MCDRAM"), so that what a
 * profiler counts there finds its roof; where the other part of it is memory (Xeon Phi's hybrid
 * modes), that one has the name.
 */
static void name_memory_side(const struct ert_device *device, char *name, size_t size)
{
    const char *kind = ert_topology_package_memory(device);
    snprintf(name, size, "%s", kind ? kind : "MSC");
    for (uint32_t i = 0; kind && i < device->cpu.n_numa; i++)
        if (strcmp(device->cpu.numa[i].kind, kind) == 0 ||
            strcmp(device->cpu.numa[i].kind, "HBM") == 0)
            snprintf(name, size, "%s-cache", kind);
}

static void append_caches(const struct ert_topology *topology, struct ert_machine *machine,
                          struct ert_device *device, hwloc_obj_type_t type,
                          const char *name)
{
    struct tally tally = {0};
    uint32_t line_bytes = 0;
    bool memory_side = false;
    char own_name[16];
    hwloc_obj_t cache = NULL;
    while ((cache = hwloc_get_next_obj_by_type(topology->hwloc, type, cache))) {
        if (!hwloc_bitmap_intersects(cache->cpuset, topology->usable))
            continue;
        add(&tally, cache->attr->cache.size);
        line_bytes = cache->attr->cache.linesize;
        memory_side = memory_side || is_memory_side(cache);
    }
    if (tally.n == 0)
        return;
    snprintf(own_name, sizeof own_name, "%s", name);
    if (memory_side)
        name_memory_side(device, own_name, sizeof own_name);
    struct ert_level *level = append(machine, device, own_name, ERT_LEVEL_CACHE, &tally);
    if (!level)
        return;
    level->line_bytes = line_bytes;
    level->memory_side = memory_side;
    if (memory_side)
        snprintf(level->source, sizeof level->source, "hwloc, memory-side cache");
    if (tally.smallest_bytes != tally.largest_bytes)
        ert_machine_note(
            machine,
            "%s caches differ (%" PRIu64 " to %" PRIu64 " KiB): the level holds their mean",
            level->name, tally.smallest_bytes >> 10, tally.largest_bytes >> 10);
}

/* Nodes of one kind that the cgroup lets this process allocate on. */
static void append_memory(const struct ert_topology *topology, struct ert_machine *machine,
                          struct ert_device *device, const char *kind, const char *name)
{
    hwloc_const_nodeset_t allowed = hwloc_topology_get_allowed_nodeset(topology->hwloc);
    struct tally tally = {0};
    for (uint32_t i = 0; i < device->cpu.n_numa; i++) {
        const struct ert_numa_node *node = &device->cpu.numa[i];
        if (strcmp(node->kind, kind) == 0 && hwloc_bitmap_isset(allowed, node->os_index))
            add(&tally, node->size_bytes);
    }
    if (tally.n > 0)
        append(machine, device, name, ERT_LEVEL_MEMORY, &tally);
}

void ert_topology_levels(const struct ert_topology *topology, struct ert_machine *machine,
                         struct ert_device *device)
{
    for (size_t i = 0; i < sizeof caches / sizeof caches[0]; i++)
        append_caches(topology, machine, device, caches[i].type, caches[i].name);
    if (device->n_levels == 0)
        ert_machine_note(machine, "the topology names no caches");
    for (size_t i = 0; i < sizeof memories / sizeof memories[0]; i++)
        append_memory(topology, machine, device, memories[i].kind, memories[i].level);
}
