/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/machine/machine.h"

#include <stdio.h>
#include <string.h>

const char *const ert_path_words[ERT_N_PATHS + 1] = {"cached", "bypass-l1", "shared",
                                                     "registers", NULL};

void ert_machine_note(struct ert_machine *machine, const char *format, ...)
{
    if (machine->n_notes == ERT_MAX_NOTES) {
        snprintf(machine->notes[ERT_MAX_NOTES - 1], sizeof machine->notes[0],
                 "more than %d notes: the rest are not kept", ERT_MAX_NOTES - 1);
        return;
    }
    ERT_FORMAT(machine->notes[machine->n_notes], sizeof machine->notes[0], format);
    machine->n_notes++;
}

const struct ert_device *ert_machine_device(const struct ert_machine *machine,
                                            const char *id)
{
    for (uint32_t i = 0; i < machine->n_devices; i++)
        if (strcmp(machine->devices[i].id, id) == 0)
            return &machine->devices[i];
    return NULL;
}

const struct ert_level *ert_device_level(const struct ert_device *device, const char *name)
{
    for (uint32_t i = 0; i < device->n_levels; i++)
        if (strcmp(device->levels[i].name, name) == 0)
            return &device->levels[i];
    return NULL;
}

bool ert_level_has_node(const struct ert_level *level, const struct ert_numa_node *node)
{
    bool is_unnamed = strcmp(level->name, "memory") == 0;
    return strcmp(node->kind, is_unnamed ? "unknown" : level->name) == 0;
}

uint64_t ert_level_total_bytes(const struct ert_level *level)
{
    return level->size_bytes * level->count;
}

const char *ert_path_name(enum ert_path path)
{
    return ert_path_words[path];
}

bool ert_cpu_is_hybrid(const struct ert_cpu *cpu)
{
    bool is_x86 = strcmp(cpu->vendor, "GenuineIntel") == 0 ||
                  strcmp(cpu->vendor, "AuthenticAMD") == 0;
    for (uint32_t i = 1; i < cpu->n_core_kinds; i++) {
        const char *name = cpu->core_kinds[i].name;
        bool is_rank = strncmp(name, "capacity ", 9) == 0;
        if (strcmp(name, cpu->core_kinds[0].name) != 0 && !(is_rank && is_x86))
            return true;
    }
    return false;
}
