/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/machine/discover.h"

#include "ert/core/base/file.h"
#include "ert/core/base/text.h"
#include "ert/core/base/units.h"
#include "ert/core/machine/features.h"
#include "ert/core/machine/host.h"

#include <errno.h>
#include <hwloc.h>
#include <hwloc/cpukinds.h>
#include <hwloc/memattrs.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct topology {
    hwloc_topology_t hwloc;
    hwloc_cpuset_t usable; /* PUs that this process may run on */
    bool live;             /* of the running machine, not from a file */
    char source[256];      /* "live", or the file's name */
};

#if HWLOC_API_VERSION < 0x00030000
/* The type of hwloc 3: hwloc 2 has arrays and their lengths instead. */
struct hwloc_infos_s {
    struct hwloc_info_s *array;
    unsigned count;
};

static bool find_kind(hwloc_topology_t hwloc, int kind, hwloc_cpuset_t cpuset,
                      struct hwloc_infos_s *infos)
{
    return hwloc_cpukinds_get_info(hwloc, (unsigned)kind, cpuset, NULL, &infos->count,
                                   &infos->array, 0) == 0;
}
#else
static bool find_kind(hwloc_topology_t hwloc, int kind, hwloc_cpuset_t cpuset,
                      struct hwloc_infos_s *infos)
{
    struct hwloc_infos_s *of_kind;
    if (hwloc_cpukinds_get_info(hwloc, (unsigned)kind, cpuset, NULL, &of_kind, 0) != 0)
        return false;
    *infos = *of_kind;
    return true;
}
#endif

/* Configures hwloc: live discovery excludes I/O, whose plugins open GPU drivers. */
static int configure(hwloc_topology_t hwloc, const char *file)
{
    /* By default hwloc omits memory-side caches. */
    if (hwloc_topology_set_type_filter(hwloc, HWLOC_OBJ_MEMCACHE,
                                       HWLOC_TYPE_FILTER_KEEP_ALL))
        return -1;
    return file ? hwloc_topology_set_xml(hwloc, file)
                : hwloc_topology_set_flags(hwloc, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
}

/* The PUs that both the cgroup (by hwloc) and this process's affinity mask allow. */
static enum ert_status find_usable(struct topology *topology, struct ert_error *error)
{
    topology->usable = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology->hwloc));
    hwloc_cpuset_t bound = hwloc_bitmap_alloc();
    enum ert_status status = ERT_OK;
    if (!topology->usable || !bound)
        status = ert_fail(error, ERT_FAILED, "out of memory for a CPU set");
    else if (topology->live &&
             hwloc_get_cpubind(topology->hwloc, bound, HWLOC_CPUBIND_PROCESS) == 0 &&
             hwloc_bitmap_intersects(topology->usable, bound))
        hwloc_bitmap_and(topology->usable, topology->usable, bound);
    hwloc_bitmap_free(bound);
    return status;
}

static enum ert_status discover_load(const char *file, struct topology *topology,
                                     struct ert_error *error)
{
    if (hwloc_topology_init(&topology->hwloc))
        return ert_fail(error, ERT_FAILED, "hwloc: no topology: %s", strerror(errno));
    if (configure(topology->hwloc, file) || hwloc_topology_load(topology->hwloc))
        return file ? ert_fail(error, ERT_USAGE,
                               "topology file %s: hwloc cannot read it as a topology", file)
                    : ert_fail(error, ERT_FAILED, "hwloc cannot discover this machine");
    topology->live = hwloc_topology_is_thissystem(topology->hwloc) != 0;
    snprintf(topology->source, sizeof topology->source, "%s",
             file             ? file
             : topology->live ? "live"
                              : "hwloc's environment variables");
    return find_usable(topology, error);
}

static void free_topology(struct topology *topology)
{
    hwloc_bitmap_free(topology->usable);
    if (topology->hwloc)
        hwloc_topology_destroy(topology->hwloc);
    *topology = (struct topology){0};
}

/*
 * Loads topology_file; if it is NULL, the file that HWLOC_XMLFILE names, else the running machine's topology.
 * ERT_USAGE when the file is missing, unreadable, or not a topology.
 */
static enum ert_status load_topology(const char *topology_file, struct topology *topology,
                                     struct ert_error *error)
{
    /* hwloc itself silently ignores a bad HWLOC_XMLFILE. */
    const char *variable = getenv("HWLOC_XMLFILE");
    if (!topology_file && variable && variable[0])
        topology_file = variable;
    *topology = (struct topology){0};
    if (topology_file) /* hwloc prints what it corrects; 2: nothing */
        setenv("HWLOC_HIDE_ERRORS", "2", 0);
    enum ert_status status = discover_load(topology_file, topology, error);
    if (status != ERT_OK)
        free_topology(topology);
    return status;
}

static const char *info(hwloc_obj_t object, const char *name)
{
    return object ? hwloc_obj_get_info_by_name(object, name) : NULL;
}

static uint32_t count_cores(const struct topology *topology, hwloc_const_cpuset_t cpuset)
{
    int has_cores = hwloc_get_nbobjs_by_type(topology->hwloc, HWLOC_OBJ_CORE) > 0;
    hwloc_obj_type_t type = has_cores ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
    uint32_t n = 0;
    hwloc_obj_t object = NULL;
    while ((object = hwloc_get_next_obj_by_type(topology->hwloc, type, object)))
        n += hwloc_bitmap_intersects(object->cpuset, cpuset) != 0;
    return n;
}

/* Arm's implementer codes (MIDR_EL1 bits 31:24, Arm Architecture Reference Manual). */
static const struct {
    unsigned long code;
    const char *name;
} arm_vendors[] = {
    {0x41, "ARM"      },
    {0x42, "Broadcom" },
    {0x43, "Cavium"   },
    {0x46, "Fujitsu"  },
    {0x48, "HiSilicon"},
    {0x4e, "NVIDIA"   },
    {0x51, "Qualcomm" },
    {0x61, "Apple"    },
    {0xc0, "Ampere"   },
};

static uint32_t info_number(hwloc_obj_t object, const char *name)
{
    const char *text = info(object, name);
    return text ? (uint32_t)strtoul(text, NULL, 0) : 0;
}

/* Packages have the infos; in old files the machine has them. */
static hwloc_obj_t find_identity(const struct topology *topology)
{
    hwloc_obj_t package = hwloc_get_obj_by_type(topology->hwloc, HWLOC_OBJ_PACKAGE, 0);
    if (info(package, "CPUModel") || info(package, "CPUPart") || info(package, "CPUVendor"))
        return package;
    return hwloc_get_root_obj(topology->hwloc);
}

/* On Arm family is the implementer, model the part and stepping the revision of MIDR_EL1. */
static void fill_arm(hwloc_obj_t identity, struct ert_cpu *cpu)
{
    cpu->family = info_number(identity, "CPUImplementer");
    cpu->model = info_number(identity, "CPUPart");
    cpu->stepping = info_number(identity, "CPURevision");
    snprintf(cpu->vendor, sizeof cpu->vendor, "implementer 0x%x", cpu->family);
    for (size_t i = 0; i < ERT_LENGTH(arm_vendors); i++)
        if (arm_vendors[i].code == cpu->family)
            snprintf(cpu->vendor, sizeof cpu->vendor, "%s", arm_vendors[i].name);
}

static void fill_x86(hwloc_obj_t identity, struct ert_cpu *cpu)
{
    const char *vendor = info(identity, "CPUVendor");
    snprintf(cpu->vendor, sizeof cpu->vendor, "%s", vendor ? vendor : "");
    cpu->family = info_number(identity, "CPUFamilyNumber");
    cpu->model = info_number(identity, "CPUModelNumber");
    cpu->stepping = info_number(identity, "CPUStepping");
}

/* Copies a name with runs of blanks reduced to one, since processors pad their names. */
static void discover_copy_name(char *target, size_t size, const char *name)
{
    size_t used = 0;
    for (; *name && used + 1 < size; name++) {
        int is_space = *name == ' ' || *name == '\t';
        if (is_space && (used == 0 || target[used - 1] == ' '))
            continue;
        target[used++] = is_space ? ' ' : *name;
    }
    while (used > 0 && target[used - 1] == ' ')
        used--;
    target[used] = '\0';
}

static void fill_identity(const struct topology *topology, struct ert_device *device)
{
    struct ert_cpu *cpu = &device->cpu;
    hwloc_obj_t identity = find_identity(topology);
    if (info(identity, "CPUImplementer"))
        fill_arm(identity, cpu);
    else
        fill_x86(identity, cpu);
    const char *model = info(identity, "CPUModel");
    char name[sizeof device->name] = "unknown processor";
    if (cpu->vendor[0] || cpu->family)
        snprintf(name, sizeof name, "%s family 0x%x model 0x%x stepping %u", cpu->vendor,
                 cpu->family, cpu->model, cpu->stepping);
    if (model && model[strspn(model, " \t")])
        discover_copy_name(name, sizeof name, model);
    snprintf(device->name, sizeof device->name, "%s", name);
}

static uint32_t discover_count(const struct topology *topology, hwloc_obj_type_t type)
{
    int n = hwloc_get_nbobjs_by_type(topology->hwloc, type);
    return n > 0 ? (uint32_t)n : 0;
}

static double info_mhz(const struct hwloc_infos_s *infos, const char *name)
{
    for (unsigned i = 0; i < infos->count; i++)
        if (strcmp(infos->array[i].name, name) == 0)
            return strtod(infos->array[i].value, NULL) * 1e6;
    return 0;
}

/* Arm names no core types; Linux ranks its cores by capacity, 1024 for the fastest. */
static void fill_kind(struct ert_core_kind *kind, const struct hwloc_infos_s *infos)
{
    for (unsigned i = 0; i < infos->count; i++) {
        if (ert_text_control(infos->array[i].value))
            continue;
        if (strcmp(infos->array[i].name, "CoreType") == 0)
            snprintf(kind->name, sizeof kind->name, "%s", infos->array[i].value);
        if (strcmp(infos->array[i].name, "LinuxCapacity") == 0 && !kind->name[0])
            snprintf(kind->name, sizeof kind->name, "capacity %s", infos->array[i].value);
    }
    kind->max_hz = info_mhz(infos, "FrequencyMaxMHz");
}

/* Takes the clock of one of n kinds if it is the highest so far. */
static void take_clock(const char *name, const struct hwloc_infos_s *infos, int n_kinds,
                       double *fastest_hz, char source[64])
{
    double clock_hz = info_mhz(infos, name);
    if (!(clock_hz > *fastest_hz))
        return;
    *fastest_hz = clock_hz;
    snprintf(source, 64, "hwloc: %s%s", name, n_kinds > 1 ? " of the fastest kind" : "");
}

/* hwloc orders kinds from the most power-efficient to the fastest. */
static void fill_kinds(const struct topology *topology, struct ert_machine *machine,
                       struct ert_device *device)
{
    struct ert_cpu *cpu = &device->cpu;
    int n_kinds = hwloc_cpukinds_get_nr(topology->hwloc, 0);
    hwloc_cpuset_t cpuset = hwloc_bitmap_alloc();
    for (int i = 0; cpuset && i < n_kinds; i++) {
        struct hwloc_infos_s infos;
        if (!find_kind(topology->hwloc, i, cpuset, &infos))
            continue;
        take_clock("FrequencyBaseMHz", &infos, n_kinds, &device->base_hz,
                   device->base_source);
        take_clock("FrequencyMaxMHz", &infos, n_kinds, &device->boost_hz,
                   device->boost_source);
        if (cpu->n_core_kinds == ERT_MAX_CORE_KINDS) /* the clocks are of all kinds */
            continue;
        struct ert_core_kind *kind = &cpu->core_kinds[cpu->n_core_kinds++];
        fill_kind(kind, &infos);
        kind->n_cores = count_cores(topology, cpuset);
    }
    if (n_kinds > ERT_MAX_CORE_KINDS)
        ert_machine_note(machine, "%d kinds of cores: only the first %d are listed",
                         n_kinds, ERT_MAX_CORE_KINDS);
    hwloc_bitmap_free(cpuset);
    /* A single kind is not worth listing. */
    if (cpu->n_core_kinds == 1)
        cpu->core_kinds[--cpu->n_core_kinds] = (struct ert_core_kind){0};
}

static void fill_cores(const struct topology *topology, struct ert_machine *machine,
                       struct ert_device *device)
{
    struct ert_cpu *cpu = &device->cpu;
    cpu->n_packages = discover_count(topology, HWLOC_OBJ_PACKAGE);
    cpu->n_cores = discover_count(topology, HWLOC_OBJ_CORE);
    cpu->n_pus = discover_count(topology, HWLOC_OBJ_PU);
    cpu->n_cores_usable = count_cores(topology, topology->usable);
    int n_usable = hwloc_bitmap_weight(topology->usable);
    cpu->n_pus_usable = n_usable > 0 ? (uint32_t)n_usable : 0;
    if (cpu->n_cores == 0) {
        ert_machine_note(machine,
                         "the topology names no cores: each of the %u PUs counts as one",
                         cpu->n_pus);
        cpu->n_cores = cpu->n_pus;
    }
    fill_identity(topology, device);
    fill_kinds(topology, machine, device);
}

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

/* The kind of a node that the topology itself states, or NULL. */
static const char *stated_kind(hwloc_obj_t node)
{
    const char *const stated[] = {node->subtype, info(node, "MemoryTier"),
                                  info(node, "DAXType")};
    for (size_t s = 0; s < ERT_LENGTH(stated); s++)
        for (size_t i = 0; stated[s] && i < ERT_LENGTH(words); i++)
            if (strcmp(words[i].word, stated[s]) == 0)
                return words[i].kind;
    return info(node, "CXLDevice") ? "CXL" : NULL;
}

/* The read bandwidth of local cores by the platform's tables (ACPI HMAT), in byte/s; 0 unknown. */
static double bandwidth(const struct topology *topology, hwloc_obj_t node)
{
    /* By name: headers before hwloc 2.8 lack the first one's identifier. */
    static const char *const attributes[] = {"ReadBandwidth", "Bandwidth"};
    struct hwloc_location local = {.type = HWLOC_LOCATION_TYPE_CPUSET,
                                   .location.cpuset = node->cpuset};
    for (size_t i = 0; i < ERT_LENGTH(attributes); i++) {
        hwloc_memattr_id_t id;
        hwloc_uint64_t mib_per_s = 0;
        if (hwloc_memattr_get_by_name(topology->hwloc, attributes[i], &id) == 0 &&
            hwloc_memattr_get_value(topology->hwloc, id, node, &local, 0, &mib_per_s) ==
                0 &&
            mib_per_s > 0)
            return (double)mib_per_s * 1048576.0;
    }
    return 0;
}

/* Whether the node has its own cores by Linux (hwloc gives CPU-less nodes a locality, too). */
static bool owns_cores(hwloc_obj_t node)
{
    char line[8];
    ert_file_first_line(line, sizeof line, "/sys/devices/system/node/node%u/cpulist",
                        node->os_index);
    return line[0] >= '0' && line[0] <= '9';
}

static hwloc_obj_t find_peer(const struct topology *topology, hwloc_obj_t node)
{
    hwloc_obj_t peer = NULL;
    while ((peer = hwloc_get_next_obj_by_type(topology->hwloc, HWLOC_OBJ_NUMANODE, peer)))
        if (peer != node && hwloc_bitmap_isequal(peer->cpuset, node->cpuset))
            return peer;
    return NULL;
}

/*
 * The kind of a node that hwloc does not name, as it does (from 2.9 on) where the nodes of the same cores
 * differ. A node that shares its cores with no other is DRAM, as are Linux's nodes with cores of their own,
 * and the one beside HBM.
 */
static const char *inferred_kind(const struct topology *topology, hwloc_obj_t node)
{
    if (hwloc_bitmap_iszero(node->cpuset))
        return "unknown";
    hwloc_obj_t peer = find_peer(topology, node);
    const char *peer_kind = peer ? stated_kind(peer) : NULL;
    bool is_beside_hbm =
        peer_kind && (strcmp(peer_kind, "HBM") == 0 || strcmp(peer_kind, "MCDRAM") == 0);
    bool is_alone = !peer || (topology->live && owns_cores(node));
    return is_beside_hbm || is_alone ? "DRAM" : "unknown";
}

/*
 * A node's size. Some virtual machines count memory only as it is touched (struct pages are made late); there
 * the online memory blocks give the size. On other machines the two differ by what the kernel reserves, and
 * hwloc's number is used.
 */
static uint64_t node_bytes(const struct topology *topology, struct ert_machine *machine,
                           hwloc_obj_t node)
{
    uint64_t counted = node->attr->numanode.local_memory;
    uint64_t blocks = topology->live ? ert_limits_node_blocks("", node->os_index) : 0;
    if (counted >= blocks - blocks / 10)
        return counted;
    ert_machine_note(
        machine,
        "NUMA node %u: the kernel counts %s so far, its memory blocks hold %s: "
        "memory is added as it is used",
        node->os_index, ert_units_capacity(counted).text, ert_units_capacity(blocks).text);
    return blocks;
}

static void fill_memory(const struct topology *topology, struct ert_machine *machine,
                        struct ert_device *device)
{
    struct ert_cpu *cpu = &device->cpu;
    hwloc_obj_t object = NULL;
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
            kind = inferred_kind(topology, object);
        snprintf(node->kind, sizeof node->kind, "%s", kind);
        node->os_index = object->os_index;
        node->size_bytes = node_bytes(topology, machine, object);
        node->n_cores = count_cores(topology, object->cpuset);
        node->bandwidth_bytes_per_s = bandwidth(topology, object);
    }
}

/* The caches that become levels, fastest first, without instruction caches. */
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

/* Memory kinds by speed; a GPU's memory is a level of the GPU. */
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

/* Sizes of the instances in a level. */
struct tally {
    uint64_t total_bytes, smallest_bytes, largest_bytes;
    uint32_t n;
};

static void discover_add(struct tally *tally, uint64_t size_bytes)
{
    if (tally->n == 0 || size_bytes < tally->smallest_bytes)
        tally->smallest_bytes = size_bytes;
    if (size_bytes > tally->largest_bytes)
        tally->largest_bytes = size_bytes;
    tally->total_bytes += size_bytes;
    tally->n++;
}

static struct ert_level *discover_append(struct ert_machine *machine,
                                         struct ert_device *device, const char *name,
                                         enum ert_level_kind kind,
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
    /* With the mean, size times count is right even if instances differ (hybrid cores). */
    level->size_bytes = tally->total_bytes / tally->n;
    return level;
}

static void append_caches(const struct topology *topology, struct ert_machine *machine,
                          struct ert_device *device, hwloc_obj_type_t type,
                          const char *name)
{
    struct tally tally = {0};
    uint32_t line_bytes = 0, ways = 0;
    hwloc_obj_t cache = NULL;
    while ((cache = hwloc_get_next_obj_by_type(topology->hwloc, type, cache))) {
        if (!hwloc_bitmap_intersects(cache->cpuset, topology->usable))
            continue;
        discover_add(&tally, cache->attr->cache.size);
        line_bytes = cache->attr->cache.linesize;
        ways = cache->attr->cache.associativity > 0
                   ? (uint32_t)cache->attr->cache.associativity
                   : 0;
    }
    if (tally.n == 0)
        return;
    struct ert_level *level =
        discover_append(machine, device, name, ERT_LEVEL_CACHE, &tally);
    if (!level)
        return;
    level->line_bytes = line_bytes;
    level->ways = ways;
    level->memory_side = type == HWLOC_OBJ_MEMCACHE;
    if (level->memory_side)
        snprintf(level->source, sizeof level->source, "hwloc, memory-side cache");
    if (tally.smallest_bytes != tally.largest_bytes)
        ert_machine_note(
            machine,
            "%s caches differ (%" PRIu64 " to %" PRIu64 " KiB): the level holds their mean",
            level->name, tally.smallest_bytes >> 10, tally.largest_bytes >> 10);
}

/* Appends a level of the nodes of one kind on which the cgroup lets this process allocate. */
static void append_memory(const struct topology *topology, struct ert_machine *machine,
                          struct ert_device *device, const char *kind, const char *name)
{
    hwloc_const_nodeset_t allowed = hwloc_topology_get_allowed_nodeset(topology->hwloc);
    struct tally tally = {0};
    for (uint32_t i = 0; i < device->cpu.n_numa; i++) {
        const struct ert_numa_node *node = &device->cpu.numa[i];
        if (strcmp(node->kind, kind) == 0 && hwloc_bitmap_isset(allowed, node->os_index))
            discover_add(&tally, node->size_bytes);
    }
    if (tally.n > 0)
        discover_append(machine, device, name, ERT_LEVEL_MEMORY, &tally);
}

static void fill_levels(const struct topology *topology, struct ert_machine *machine,
                        struct ert_device *device)
{
    for (size_t i = 0; i < ERT_LENGTH(caches); i++)
        append_caches(topology, machine, device, caches[i].type, caches[i].name);
    if (device->n_levels == 0)
        ert_machine_note(machine, "the topology names no caches");
    for (size_t i = 0; i < ERT_LENGTH(memories); i++)
        append_memory(topology, machine, device, memories[i].kind, memories[i].level);
}

/* Fills what only the running machine can tell. */
static void ask_processor(const struct topology *topology, struct ert_device *device)
{
    struct ert_features features;
    struct ert_limits limits;
    struct ert_cpu *cpu = &device->cpu;
    int first = hwloc_bitmap_first(topology->usable);
    uint64_t installed_bytes = 0;
    for (uint32_t i = 0; i < cpu->n_numa; i++)
        installed_bytes += cpu->numa[i].size_bytes;
    ert_features_read("", &features);
    ert_limits_read("", installed_bytes, &limits);
    ert_clocks_read("", first >= 0 ? (uint32_t)first : 0, device);
    cpu->isa = features.isa;
    snprintf(cpu->hypervisor, sizeof cpu->hypervisor, "%s", features.hypervisor);
    cpu->cpus_quota = limits.cpus_quota;
    cpu->memory_limit_bytes = limits.memory_limit_bytes;
    cpu->memory_available_bytes = limits.memory_available_bytes;
}

static void ask_name(struct ert_device *device)
{
    double base_hz = ert_clocks_of_name(device->name);
    if (device->base_hz > 0 || !(base_hz > 0))
        return;
    device->base_hz = base_hz;
    snprintf(device->base_source, sizeof device->base_source, "model name");
}

static void note_limits(struct ert_machine *machine, const struct ert_cpu *cpu)
{
    if (cpu->n_pus_usable < cpu->n_pus)
        ert_machine_note(
            machine,
            "this process may use %u of %u cores (%u of %u PUs): cgroup, affinity, or "
            "OMP_PROC_BIND, OMP_PLACES or GOMP_CPU_AFFINITY",
            cpu->n_cores_usable, cpu->n_cores, cpu->n_pus_usable, cpu->n_pus);
    if (cpu->cpus_quota > 0 && cpu->cpus_quota < cpu->n_pus_usable)
        ert_machine_note(
            machine,
            "the cgroup's CPU quota is %.4g CPUs, %u PUs are usable: the kernel will "
            "suspend threads at times",
            cpu->cpus_quota, cpu->n_pus_usable);
}

enum ert_status ert_discover_host(const char *topology_file, struct ert_machine *machine,
                                  struct ert_error *error)
{
    struct topology topology;
    if (machine->n_devices == ERT_MAX_DEVICES)
        return ert_fail(error, ERT_FAILED, "no room for the device cpu: %d devices at most",
                        ERT_MAX_DEVICES);
    ERT_TRY(load_topology(topology_file, &topology, error));
    struct ert_device *device = &machine->devices[machine->n_devices++];
    *device = (struct ert_device){.id = "cpu", .backend = "cpu", .kind = ERT_DEVICE_CPU};
    snprintf(machine->provenance.topology_source,
             sizeof machine->provenance.topology_source, "%s", topology.source);
    fill_cores(&topology, machine, device);
    fill_memory(&topology, machine, device);
    fill_levels(&topology, machine, device);
    if (topology.live)
        ask_processor(&topology, device);
    else
        ask_name(device);
    note_limits(machine, &device->cpu);
    if (!topology_file && !topology.live)
        ert_machine_note(machine, "the topology is not this machine's: it comes from %s",
                         topology.source);
    free_topology(&topology);
    return ERT_OK;
}
