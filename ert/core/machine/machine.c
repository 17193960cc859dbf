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

/* The quota in whole CPUs, but at most `most`, and at least 1. */
static uint32_t within_quota(const struct ert_cpu *cpu, uint32_t most)
{
    if (cpu->cpus_quota > 0 && cpu->cpus_quota < most)
        most = (uint32_t)cpu->cpus_quota;
    return most ? most : 1;
}

uint32_t ert_context_threads(const struct ert_device *device, uint64_t wish)
{
    return wish ? (uint32_t)wish : within_quota(&device->cpu, device->cpu.n_cores_usable);
}

/* Counts caches of cores in use: private ones of idle cores would shift the ranges, and names, of levels. */
static void count_caches(struct ert_context *context)
{
    uint64_t usable = context->device.cpu.n_cores_usable;
    for (uint32_t i = 0; i < context->device.n_levels; i++) {
        struct ert_level *level = &context->device.levels[i];
        if (level->kind == ERT_LEVEL_CACHE && context->n_cores < usable)
            level->count =
                (uint32_t)((level->count * (uint64_t)context->n_cores + usable - 1) /
                           usable);
    }
}

enum ert_status ert_context_make(const struct ert_device *device, uint64_t wish,
                                 bool is_swept, struct ert_context *context,
                                 struct ert_error *error)
{
    const struct ert_cpu *cpu = &device->cpu;
    *context = (struct ert_context){.device = *device};
    if (device->kind != ERT_DEVICE_CPU)
        return ERT_OK;
    if (wish > cpu->n_pus_usable)
        return ert_fail(error, ERT_USAGE, "%s: threads: %llu, must be at most %u",
                        device->id, (unsigned long long)wish, cpu->n_pus_usable);
    context->n_threads = context->max_threads = ert_context_threads(device, wish);
    if (is_swept && !wish)
        context->max_threads = within_quota(cpu, cpu->n_pus_usable);
    if (context->max_threads < context->n_threads)
        context->max_threads = context->n_threads;
    context->n_cores = context->n_threads;
    if (cpu->n_cores_usable && context->n_cores > cpu->n_cores_usable)
        context->n_cores = cpu->n_cores_usable;
    count_caches(context);
    return ERT_OK;
}
