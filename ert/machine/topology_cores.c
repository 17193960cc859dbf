#include "ert/machine/topology.h"

#include <hwloc/cpukinds.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    const char *text = ert_topology_info(object, name);
    return text ? (uint32_t)strtoul(text, NULL, 0) : 0;
}

/* The infos stand on packages, in old files on the machine. */
static hwloc_obj_t find_identity(const struct ert_topology *topology)
{
    hwloc_obj_t package = hwloc_get_obj_by_type(topology->hwloc, HWLOC_OBJ_PACKAGE, 0);
    static const char *const names[] = {"CPUModelNumber", "CPUPart", "CPUModel",
                                        "CPUVendor"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (ert_topology_info(package, names[i]))
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
    for (size_t i = 0; i < sizeof arm_vendors / sizeof arm_vendors[0]; i++)
        if (arm_vendors[i].code == cpu->family)
            snprintf(cpu->vendor, sizeof cpu->vendor, "%s", arm_vendors[i].name);
}

static void fill_x86(hwloc_obj_t identity, struct ert_cpu *cpu)
{
    const char *vendor = ert_topology_info(identity, "CPUVendor");
    snprintf(cpu->vendor, sizeof cpu->vendor, "%s", vendor ? vendor : "");
    cpu->family = info_number(identity, "CPUFamilyNumber");
    cpu->model = info_number(identity, "CPUModelNumber");
    cpu->stepping = info_number(identity, "CPUStepping");
}

/* Copies a name with runs of blanks as one: processors pad their names. */
static void copy_name(char *target, size_t size, const char *name)
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

static void fill_identity(const struct ert_topology *topology, struct ert_device *device)
{
    struct ert_cpu *cpu = &device->cpu;
    hwloc_obj_t identity = find_identity(topology);
    if (ert_topology_info(identity, "CPUImplementer"))
        fill_arm(identity, cpu);
    else
        fill_x86(identity, cpu);
    const char *name = ert_topology_info(identity, "CPUModel");
    if (name)
        copy_name(device->name, sizeof device->name, name);
    if (!device->name[0] && (cpu->vendor[0] || cpu->family))
        snprintf(device->name, sizeof device->name, "%s family 0x%x model 0x%x stepping %u",
                 cpu->vendor, cpu->family, cpu->model, cpu->stepping);
    if (!device->name[0])
        snprintf(device->name, sizeof device->name, "unknown processor");
}

static uint32_t count(const struct ert_topology *topology, hwloc_obj_type_t type)
{
    int n = hwloc_get_nbobjs_by_type(topology->hwloc, type);
    return n > 0 ? (uint32_t)n : 0;
}

static double info_mhz(const struct hwloc_info_s *infos, unsigned n_infos, const char *name)
{
    for (unsigned i = 0; i < n_infos; i++)
        if (strcmp(infos[i].name, name) == 0)
            return strtod(infos[i].value, NULL) * 1e6;
    return 0;
}

/* Arm names no core types; Linux ranks its cores by capacity, 1024 for the fastest. */
static void fill_kind(struct ert_core_kind *kind, const struct hwloc_info_s *infos,
                      unsigned n_infos)
{
    for (unsigned i = 0; i < n_infos; i++) {
        if (strcmp(infos[i].name, "CoreType") == 0)
            snprintf(kind->name, sizeof kind->name, "%s", infos[i].value);
        if (strcmp(infos[i].name, "LinuxCapacity") == 0 && !kind->name[0])
            snprintf(kind->name, sizeof kind->name, "capacity %s", infos[i].value);
    }
    kind->max_hz = info_mhz(infos, n_infos, "FrequencyMaxMHz");
}

/* hwloc orders kinds from the most power-efficient to the fastest. */
static void fill_kinds(const struct ert_topology *topology, struct ert_machine *machine,
                       struct ert_device *device)
{
    struct ert_cpu *cpu = &device->cpu;
    int n_kinds = hwloc_cpukinds_get_nr(topology->hwloc, 0);
    hwloc_cpuset_t cpuset = hwloc_bitmap_alloc();
    for (int i = 0; cpuset && i < n_kinds; i++) {
        struct hwloc_info_s *infos = NULL;
        unsigned n_infos = 0;
        int efficiency;
        if (hwloc_cpukinds_get_info(topology->hwloc, (unsigned)i, cpuset, &efficiency,
                                    &n_infos, &infos, 0))
            continue;
        double base_hz = info_mhz(infos, n_infos, "FrequencyBaseMHz");
        if (base_hz > device->base_hz) {
            device->base_hz = base_hz;
            snprintf(device->base_source, sizeof device->base_source,
                     "hwloc: FrequencyBaseMHz%s",
                     n_kinds > 1 ? " of the fastest kind" : "");
        }
        if (cpu->n_core_kinds == ERT_MAX_CORE_KINDS) {
            ert_machine_note(machine, "%d kinds of cores: only the first %d are listed",
                             n_kinds, ERT_MAX_CORE_KINDS);
            break;
        }
        struct ert_core_kind *kind = &cpu->core_kinds[cpu->n_core_kinds++];
        fill_kind(kind, infos, n_infos);
        kind->n_cores = ert_topology_count_cores(topology, cpuset);
        if (kind->max_hz > device->boost_hz) {
            device->boost_hz = kind->max_hz;
            snprintf(device->boost_source, sizeof device->boost_source,
                     "hwloc: FrequencyMaxMHz%s", n_kinds > 1 ? " of the fastest kind" : "");
        }
    }
    hwloc_bitmap_free(cpuset);
    /* One kind is no news. */
    if (cpu->n_core_kinds == 1)
        cpu->core_kinds[--cpu->n_core_kinds] = (struct ert_core_kind){0};
}

void ert_topology_cores(const struct ert_topology *topology, struct ert_machine *machine,
                        struct ert_device *device)
{
    struct ert_cpu *cpu = &device->cpu;
    cpu->n_packages = count(topology, HWLOC_OBJ_PACKAGE);
    cpu->n_cores = count(topology, HWLOC_OBJ_CORE);
    cpu->n_pus = count(topology, HWLOC_OBJ_PU);
    cpu->n_cores_usable = ert_topology_count_cores(topology, topology->usable);
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
