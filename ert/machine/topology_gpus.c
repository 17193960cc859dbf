#include "ert/machine/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t info_kib(hwloc_obj_t object, const char *name)
{
    const char *text = ert_topology_info(object, name);
    return text ? strtoull(text, NULL, 10) << 10 : 0;
}

static void pci_name(hwloc_obj_t pci, char *text, size_t size)
{
    const struct hwloc_pcidev_attr_s *attr = &pci->attr->pcidev;
    snprintf(text, size, "%04x:%02x:%02x.%x", (unsigned)attr->domain, attr->bus, attr->dev,
             attr->func);
}

static bool is_pci(hwloc_obj_t object)
{
    return object && object->type == HWLOC_OBJ_PCI_DEVICE;
}

/* The GPU that an OS device stands for: one GPU is seen by several runtimes (cuda0, nvml0). */
static struct ert_device *find_gpu(struct ert_machine *machine, hwloc_obj_t os_device)
{
    char pci[20];
    if (!is_pci(os_device->parent))
        return NULL;
    pci_name(os_device->parent, pci, sizeof pci);
    for (uint32_t i = 0; i < machine->n_devices; i++)
        if (strcmp(machine->devices[i].gpu.pci, pci) == 0)
            return &machine->devices[i];
    return NULL;
}

static struct ert_device *append_gpu(struct ert_machine *machine, hwloc_obj_t os_device,
                                     int ordinal)
{
    if (machine->n_devices == ERT_MAX_DEVICES) {
        ert_machine_note(machine, "more than %d devices: %s is not listed", ERT_MAX_DEVICES,
                         os_device->name ? os_device->name : "a GPU");
        return NULL;
    }
    struct ert_device *device = &machine->devices[machine->n_devices++];
    *device = (struct ert_device){.kind = ERT_DEVICE_GPU, .gpu.ordinal = ordinal};
    snprintf(device->id, sizeof device->id, "gpu%d", ordinal);
    snprintf(device->gpu.ecc, sizeof device->gpu.ecc, "unknown");
    snprintf(device->gpu.mig, sizeof device->gpu.mig, "unknown");
    if (is_pci(os_device->parent))
        pci_name(os_device->parent, device->gpu.pci, sizeof device->gpu.pci);
    return device;
}

static void fill_gpu(struct ert_device *device, hwloc_obj_t os_device)
{
    struct ert_gpu *gpu = &device->gpu;
    const char *uuid = ert_topology_info(os_device, "NVIDIAUUID");
    const char *n_sms = ert_topology_info(os_device, "CUDAMultiProcessors");
    const char *model = ert_topology_info(os_device, "GPUModel");
    if (!device->name[0])
        snprintf(device->name, sizeof device->name, "%s", model);
    if (uuid)
        snprintf(gpu->uuid, sizeof gpu->uuid, "%s", uuid);
    if (n_sms)
        gpu->n_sms = (uint32_t)strtoul(n_sms, NULL, 10);
    if (!gpu->memory_bytes)
        gpu->memory_bytes = info_kib(os_device, "CUDAGlobalMemorySize");
    if (!gpu->l2_bytes)
        gpu->l2_bytes = info_kib(os_device, "CUDAL2CacheSize");
}

void ert_topology_gpus(const struct ert_topology *topology, struct ert_machine *machine)
{
    int n_gpus = 0;
    hwloc_obj_t os_device = NULL;
    while ((os_device = hwloc_get_next_osdev(topology->hwloc, os_device))) {
        if (!ert_topology_info(os_device, "GPUModel"))
            continue;
        struct ert_device *device = find_gpu(machine, os_device);
        if (!device)
            device = append_gpu(machine, os_device, n_gpus++);
        if (device)
            fill_gpu(device, os_device);
    }
}
