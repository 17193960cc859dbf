/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/ext/lib/nvidia_proc.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

/* "Model: \t\t NVIDIA H200" gives "NVIDIA H200" for the key "Model:". */
static bool nvidia_proc_read_value(const char *line, const char *key, char *value,
                                   size_t size)
{
    size_t length = strlen(key);
    if (strncmp(line, key, length) != 0)
        return false;
    line += length + strspn(line + length, " \t");
    snprintf(value, size, "%.*s", (int)strcspn(line, "\r\n"), line);
    return true;
}

static bool read_gpu(const char *file, struct ert_device *device)
{
    char line[256];
    FILE *stream = fopen(file, "r");
    if (!stream)
        return false;
    while (fgets(line, sizeof line, stream))
        if (!nvidia_proc_read_value(line, "Model:", device->name, sizeof device->name))
            nvidia_proc_read_value(line, "GPU UUID:", device->gpu.uuid,
                                   sizeof device->gpu.uuid);
    fclose(stream);
    /* Without permission the driver writes question marks. */
    return device->gpu.uuid[0] && !strchr(device->gpu.uuid, '?');
}

bool rfl_nvidia_proc(const char *folder, struct ert_machine *machine)
{
    DIR *entries = opendir(folder);
    const struct dirent *entry;
    bool known = entries != NULL;
    while (known && (entry = readdir(entries))) {
        char file[512];
        if (entry->d_name[0] == '.')
            continue;
        known = machine->n_devices < ERT_MAX_DEVICES;
        if (!known)
            break;
        struct ert_device *device = &machine->devices[machine->n_devices];
        *device = (struct ert_device){.kind = ERT_DEVICE_GPU};
        snprintf(file, sizeof file, "%.200s/%.200s/information", folder, entry->d_name);
        known = read_gpu(file, device);
        machine->n_devices += known;
    }
    if (entries)
        closedir(entries);
    return known;
}
