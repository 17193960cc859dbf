/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/ext/lib/fingerprint.h"

#include <stdio.h>
#include <string.h>

static const struct ert_device *find_cpu(const struct ert_machine *machine)
{
    for (uint32_t i = 0; i < machine->n_devices; i++)
        if (machine->devices[i].kind == ERT_DEVICE_CPU)
            return &machine->devices[i];
    return NULL;
}

static enum rfl_origin compare_cpu(const struct ert_device *recorded,
                                   const struct ert_machine *here, char *why, size_t size)
{
    const struct ert_device *cpu = find_cpu(here);
    if (!cpu || !recorded->name[0] || !cpu->name[0]) {
        snprintf(why, size, "the CPU's model is not known %s",
                 cpu && cpu->name[0] ? "in the file" : "here");
        return RFL_CANNOT_TELL;
    }
    const struct ert_cpu *a = &recorded->cpu, *b = &cpu->cpu;
    if (strcmp(recorded->name, cpu->name) != 0)
        snprintf(why, size, "CPU: '%s' in the file, '%s' here", recorded->name, cpu->name);
    else if (strcmp(a->vendor, b->vendor) != 0 || a->family != b->family ||
             a->model != b->model || a->stepping != b->stepping)
        snprintf(why, size,
                 "CPU: %s family %u model %u stepping %u in the file, %s %u %u %u here",
                 a->vendor, a->family, a->model, a->stepping, b->vendor, b->family,
                 b->model, b->stepping);
    else if (a->n_packages != b->n_packages || a->n_cores != b->n_cores)
        snprintf(why, size, "CPU: %u packages with %u cores in the file, %u with %u here",
                 a->n_packages, a->n_cores, b->n_packages, b->n_cores);
    else
        return RFL_SAME_MACHINE;
    return RFL_OTHER_MACHINE;
}

static enum rfl_origin compare_gpu(const struct ert_device *recorded,
                                   const struct ert_machine *here, bool gpus_known,
                                   char *why, size_t size)
{
    if (!gpus_known || !recorded->gpu.uuid[0]) {
        snprintf(why, size, "%s: %s", recorded->id,
                 gpus_known ? "the file has no UUID" : "GPUs cannot be seen here");
        return RFL_CANNOT_TELL;
    }
    for (uint32_t i = 0; i < here->n_devices; i++)
        if (here->devices[i].kind == ERT_DEVICE_GPU &&
            strcmp(here->devices[i].gpu.uuid, recorded->gpu.uuid) == 0)
            return RFL_SAME_MACHINE;
    snprintf(why, size, "%s: '%s' %s of the file is not here", recorded->id, recorded->name,
             recorded->gpu.uuid);
    return RFL_OTHER_MACHINE;
}

enum rfl_origin rfl_fingerprint_compare(const struct ert_machine *recorded,
                                        const struct ert_machine *here, bool gpus_known,
                                        char *why, size_t size)
{
    enum rfl_origin found = RFL_CANNOT_TELL;
    bool doubt = recorded->n_devices == 0;
    snprintf(why, size, doubt ? "the file names no device" : "");
    for (uint32_t i = 0; i < recorded->n_devices; i++) {
        const struct ert_device *device = &recorded->devices[i];
        char text[256];
        found = device->kind == ERT_DEVICE_CPU
                    ? compare_cpu(device, here, text, sizeof text)
                    : compare_gpu(device, here, gpus_known, text, sizeof text);
        if (found == RFL_OTHER_MACHINE || (found == RFL_CANNOT_TELL && !doubt))
            snprintf(why, size, "%s", text);
        if (found == RFL_OTHER_MACHINE)
            return found;
        doubt = doubt || found == RFL_CANNOT_TELL;
    }
    return doubt ? RFL_CANNOT_TELL : RFL_SAME_MACHINE;
}
