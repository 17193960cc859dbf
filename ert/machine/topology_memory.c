#include "ert/machine/topology.h"

#include "ert/base/units.h"
#include "ert/machine/limits.h"

#include <hwloc/memattrs.h>
#include <stdio.h>
#include <string.h>

/* hwloc's words for a node's memory (subtype, MemoryTier and DAXType), and ours. */
static const struct {
    const char *word, *kind;
} words[] = {
    {"DRAM",      "DRAM"  },
    {"HBM",       "HBM"   },
    {"MCDRAM",    "MCDRAM"},
    {"NVM",       "NVM"   },
    {"CXL-DRAM",  "CXL"   },
    {"CXL-NVM",   "CXL"   },
    {"CXL",       "CXL"   },
    {"GPUMemory", "GPU"   },
    {"GPU",       "GPU"   },
};

static const char *kind_of_word(const char *word)
{
    for (size_t i = 0; word && i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i].word, word) == 0)
            return words[i].kind;
    return NULL;
}

/* What the topology itself says of a node, or NULL. */
static const char *stated_kind(hwloc_obj_t node)
{
    const char *kind = kind_of_word(node->subtype);
    if (!kind)
        kind = kind_of_word(ert_topology_info(node, "MemoryTier"));
    if (!kind)
        kind = kind_of_word(ert_topology_info(node, "DAXType"));
    if (!kind && ert_topology_info(node, "CXLDevice"))
        kind = "CXL";
    return kind;
}

/* What the platform's tables (ACPI HMAT) say local cores read from the node; 0 unknown. */
static double bandwidth(const struct ert_topology *topology, hwloc_obj_t node)
{
    static const hwloc_memattr_id_t attributes[] = {HWLOC_MEMATTR_ID_READ_BANDWIDTH,
                                                    HWLOC_MEMATTR_ID_BANDWIDTH};
    struct hwloc_location local = {.type = HWLOC_LOCATION_TYPE_CPUSET,
                                   .location.cpuset = node->cpuset};
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++) {
        hwloc_uint64_t mib_per_s = 0;
        if (hwloc_memattr_get_value(topology->hwloc, attributes[i], node, &local, 0,
                                    &mib_per_s) == 0 &&
            mib_per_s > 0)
            return (double)mib_per_s * 1048576.0;
    }
    return 0;
}

/* Whether an ancestor of the node is a memory-side cache, which sits in front of DRAM. */
static bool is_behind_cache(hwloc_obj_t node)
{
    for (hwloc_obj_t object = node->parent; object; object = object->parent)
        if (object->type == HWLOC_OBJ_MEMCACHE)
            return true;
    return false;
}

/* Processors that also come with memory on the package: their nodes may be either. */
const char *ert_topology_package_memory(const struct ert_device *device)
{
    const struct ert_cpu *cpu = &device->cpu;
    if (strcmp(cpu->vendor, "GenuineIntel") != 0 || cpu->family != 6)
        return NULL;
    if (cpu->model == 0x57 || cpu->model == 0x85) /* Knights Landing, Knights Mill */
        return "MCDRAM";
    return strstr(device->name, "CPU Max") ? "HBM" : NULL;
}

/* All of Xeon Phi's MCDRAM (ark.intel.com, 7210 to 7295): a larger node is DDR. */
static const uint64_t mcdram_bytes = UINT64_C(16) << 30;

static bool is_too_large_for_package(const struct ert_device *device, hwloc_obj_t node)
{
    const char *kind = ert_topology_package_memory(device);
    return kind && strcmp(kind, "MCDRAM") == 0 &&
           node->attr->numanode.local_memory > mcdram_bytes;
}

/* Whether Linux says that the node has cores of its own (hwloc gives CPU-less ones a locality). */
static bool owns_cores(hwloc_obj_t node)
{
    char file[96], line[8] = "";
    snprintf(file, sizeof file, "/sys/devices/system/node/node%u/cpulist", node->os_index);
    FILE *stream = fopen(file, "r");
    if (!stream)
        return false;
    bool is_read = fgets(line, sizeof line, stream) != NULL;
    fclose(stream);
    return is_read && line[0] >= '0' && line[0] <= '9';
}

/* Another node of the same cores, or NULL. */
static hwloc_obj_t find_peer(const struct ert_topology *topology, hwloc_obj_t node)
{
    hwloc_obj_t peer = NULL;
    while ((peer = hwloc_get_next_obj_by_type(topology->hwloc, HWLOC_OBJ_NUMANODE, peer)))
        if (peer != node && hwloc_bitmap_isequal(peer->cpuset, node->cpuset))
            return peer;
    return NULL;
}

/*
 * The kind of a node that the topology does not name. Two nodes of the same cores whose stated
 * bandwidths differ twofold or more are HBM and DRAM: no other two memories are that far apart and
 * both local. A node with cores that shares them with no other is their DRAM, unless the processor
 * may carry other memory. All else is unknown.
 */
static const char *inferred_kind(const struct ert_topology *topology,
                                 const struct ert_device *device, hwloc_obj_t node)
{
    if (hwloc_bitmap_iszero(node->cpuset))
        return "unknown";
    hwloc_obj_t peer = find_peer(topology, node);
    const char *peer_kind = peer ? stated_kind(peer) : NULL;
    if (peer_kind && (strcmp(peer_kind, "HBM") == 0 || strcmp(peer_kind, "MCDRAM") == 0))
        return "DRAM";
    double own = bandwidth(topology, node), other = peer ? bandwidth(topology, peer) : 0;
    if (own > 0 && other > 0 && own >= 2 * other)
        return "HBM";
    if (own > 0 && other > 0 && other >= 2 * own)
        return "DRAM";
    if (is_behind_cache(node) || is_too_large_for_package(device, node))
        return "DRAM";
    if (ert_topology_package_memory(device))
        return "unknown";
    if (peer && !(topology->live && owns_cores(node)))
        return "unknown";
    return "DRAM";
}

/*
 * A node's size. Some virtual machines count memory only as it is touched (struct pages are made
 * late); the blocks that are online say what there is. On other machines the two differ by the
 * kernel's own part, and hwloc's number stands.
 */
static uint64_t node_bytes(const struct ert_topology *topology, struct ert_machine *machine,
                           hwloc_obj_t node)
{
    uint64_t counted = node->attr->numanode.local_memory;
    uint64_t blocks = topology->live ? ert_limits_node_blocks("", node->os_index) : 0;
    if (counted >= blocks - blocks / 10)
        return counted;
    char counted_text[ERT_UNITS_TEXT], blocks_text[ERT_UNITS_TEXT];
    ert_machine_note(
        machine,
        "NUMA node %u: the kernel counts %s so far, its memory blocks hold %s: "
        "memory is added as it is used",
        node->os_index, ert_units_capacity(counted, counted_text),
        ert_units_capacity(blocks, blocks_text));
    return blocks;
}

/* MCDRAM that is no NUMA node is a cache; only root can read its size, and hwloc may not know it. */
static void note_hidden_cache(const struct ert_topology *topology,
                              struct ert_machine *machine, const struct ert_device *device)
{
    const char *kind = ert_topology_package_memory(device);
    uint64_t total = 0, flat = 0;
    char text[ERT_UNITS_TEXT];
    for (uint32_t i = 0; i < device->cpu.n_numa; i++) {
        const struct ert_numa_node *node = &device->cpu.numa[i];
        total += node->size_bytes;
        if (strcmp(node->kind, "DRAM") != 0) /* nor an unknown one, which may be MCDRAM */
            flat += node->size_bytes;
    }
    /* Sizes as the kernel counts them are some per cent short. */
    if (!kind || strcmp(kind, "MCDRAM") != 0 || total == 0 ||
        flat > mcdram_bytes - mcdram_bytes / 8 ||
        hwloc_get_nbobjs_by_type(topology->hwloc, HWLOC_OBJ_MEMCACHE) > 0)
        return;
    ert_machine_note(
        machine,
        "%s of MCDRAM are no NUMA node, so they are a cache of DDR, which the "
        "topology does not show: hwloc-dump-hwdata, run by root at boot, names it",
        ert_units_capacity(mcdram_bytes - flat, text));
}

/* The modes that hwloc found, on the machine's own infos. */
static void read_modes(const struct ert_topology *topology, struct ert_cpu *cpu)
{
    hwloc_obj_t root = hwloc_get_root_obj(topology->hwloc);
    const char *cluster = ert_topology_info(root, "ClusterMode");
    const char *memory = ert_topology_info(root, "MemoryMode");
    snprintf(cpu->cluster_mode, sizeof cpu->cluster_mode, "%s", cluster ? cluster : "");
    snprintf(cpu->memory_mode, sizeof cpu->memory_mode, "%s", memory ? memory : "");
}

void ert_topology_memory(const struct ert_topology *topology, struct ert_machine *machine,
                         struct ert_device *device)
{
    struct ert_cpu *cpu = &device->cpu;
    uint32_t n_unknown = 0;
    hwloc_obj_t object = NULL;
    read_modes(topology, cpu);
    while ((object =
                hwloc_get_next_obj_by_type(topology->hwloc, HWLOC_OBJ_NUMANODE, object))) {
        if (cpu->n_numa == ERT_MAX_NUMA) {
            ert_machine_note(machine, "%d NUMA nodes: only the first %d are listed",
                             hwloc_get_nbobjs_by_type(topology->hwloc, HWLOC_OBJ_NUMANODE),
                             ERT_MAX_NUMA);
            break;
        }
        struct ert_numa_node *node = &cpu->numa[cpu->n_numa++];
        const char *kind = stated_kind(object);
        if (!kind)
            kind = inferred_kind(topology, device, object);
        snprintf(node->kind, sizeof node->kind, "%s", kind);
        node->os_index = object->os_index;
        node->size_bytes = node_bytes(topology, machine, object);
        node->n_cores = ert_topology_count_cores(topology, object->cpuset);
        node->bandwidth_bytes_per_s = bandwidth(topology, object);
        n_unknown += strcmp(kind, "unknown") == 0;
    }
    note_hidden_cache(topology, machine, device);
    if (n_unknown > 0 && ert_topology_package_memory(device))
        ert_machine_note(
            machine,
            "%u NUMA node%s of unknown memory kind: this processor has memory on "
            "its package, and the topology does not say which kind a node is",
            n_unknown, n_unknown == 1 ? "" : "s");
}
