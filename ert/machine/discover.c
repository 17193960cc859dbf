#include "ert/machine/discover.h"

#include "ert/machine/clocks.h"
#include "ert/machine/features.h"
#include "ert/machine/limits.h"
#include "ert/machine/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What only the running machine can say. */
static void ask_processor(const struct ert_topology *topology, struct ert_device *device)
{
    struct ert_features features;
    struct ert_limits limits;
    struct ert_cpu *cpu = &device->cpu;
    int first = hwloc_bitmap_first(topology->usable);
    uint64_t installed_bytes = 0;
    for (uint32_t i = 0; i < cpu->n_numa; i++)
        installed_bytes += cpu->numa[i].size_bytes;
    ert_features_read(&features);
    ert_limits_read("", installed_bytes, &limits);
    ert_clocks_read("", first >= 0 ? (uint32_t)first : 0, &features, device);
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

/*
 * What narrowed the affinity, for the note. With one of these variables set the OpenMP runtime
 * binds the first thread to one place before main() begins.
 */
static const char *narrowed_by(void)
{
    static const char *const names[] = {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (getenv(names[i]))
            return names[i];
    return NULL;
}

static void note_limits(struct ert_machine *machine, const struct ert_cpu *cpu)
{
    if (cpu->n_pus_usable < cpu->n_pus)
        ert_machine_note(
            machine,
            "this process may use %u of %u cores (%u of %u PUs): cgroup or affinity%s%s%s",
            cpu->n_cores_usable, cpu->n_cores, cpu->n_pus_usable, cpu->n_pus,
            narrowed_by() ? "; " : "", narrowed_by() ? narrowed_by() : "",
            narrowed_by() ? " is set and narrows it: unset it" : "");
    if (cpu->cpus_quota > 0 && cpu->cpus_quota < cpu->n_pus_usable)
        ert_machine_note(
            machine,
            "the cgroup's CPU quota is %.4g CPUs, %u PUs are usable: the kernel "
            "will stop threads at times",
            cpu->cpus_quota, cpu->n_pus_usable);
}

enum ert_status ert_discover_host(const char *topology_file, struct ert_machine *machine,
                                  struct ert_error *error)
{
    struct ert_topology topology;
    if (machine->n_devices == ERT_MAX_DEVICES)
        return ert_fail(error, ERT_FAILED, "no room for the device cpu: %d devices at most",
                        ERT_MAX_DEVICES);
    ERT_TRY(ert_topology_load(topology_file, &topology, error));
    struct ert_device *device = &machine->devices[machine->n_devices++];
    *device = (struct ert_device){.id = "cpu", .backend = "cpu", .kind = ERT_DEVICE_CPU};
    snprintf(machine->provenance.topology_source,
             sizeof machine->provenance.topology_source, "%s", topology.source);
    ert_topology_cores(&topology, machine, device);
    ert_topology_memory(&topology, machine, device);
    ert_topology_levels(&topology, machine, device);
    if (topology.live)
        ask_processor(&topology, device);
    else
        ask_name(device);
    note_limits(machine, &device->cpu);
    if (topology_file)
        ert_topology_gpus(&topology, machine);
    else if (!topology.live)
        ert_machine_note(machine, "the topology is not this machine's: it comes from %s",
                         topology.source);
    ert_topology_free(&topology);
    return ERT_OK;
}
