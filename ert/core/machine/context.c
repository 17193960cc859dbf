/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/machine/context.h"

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

/*
 * Counts only the caches of cores in use: private caches of idle cores would shift the ranges, and so the
 * names, of all levels.
 */
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
