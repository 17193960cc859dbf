/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/fit/conditions.h"

#include "ert/core/backend/backend.h"
#include "ert/core/base/alloc.h"
#include "ert/core/stats/stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A machine is faulty if more than this share of the samples had a throttle reason that is a fault. */
static const double most_throttled = 0.1;

const char *ert_throttle_names(const struct ert_device *device, uint64_t bits, char *text,
                               size_t size)
{
    const struct ert_backend *backend = ert_backend_find(device->backend);
    const struct ert_throttle *reason = backend ? backend->throttle : NULL;
    text[0] = '\0';
    for (; reason && reason->name; reason++) {
        if (bits & reason->bit)
            ert_list_add(text, size, reason->name);
        bits &= ~reason->bit;
    }
    if (bits)
        ert_append(text, size, "%sreason %#llx", *text ? ", " : "",
                   (unsigned long long)bits);
    return text;
}

static void count_bits(const struct ert_point *point, size_t counts[64])
{
    for (size_t s = 0; s < point->n_samples; s++)
        for (int bit = 0; bit < 64; bit++)
            counts[bit] += point->samples[s].throttle >> bit & 1;
}

uint64_t ert_throttle_usual(const struct ert_point *point)
{
    size_t counts[64] = {0};
    uint64_t usual = 0;
    count_bits(point, counts);
    for (int bit = 0; bit < 64; bit++)
        if (counts[bit] > 0 && 2 * counts[bit] >= point->n_samples)
            usual |= UINT64_C(1) << bit;
    return usual;
}

/* The inputs of a list of conditions, and the list. */
struct list {
    const struct ert_device *device;
    const struct ert_device_samples *samples;
    size_t n;
    struct ert_condition *conditions;
    enum ert_reach reach; /* of the conditions that are added next */
};

static void __attribute__((format(printf, 4, 5)))
add(struct list *list, const char *name, enum ert_condition_verdict verdict,
    const char *format, ...)
{
    struct ert_condition *condition = &list->conditions[list->n++];
    *condition = (struct ert_condition){.verdict = verdict, .reach = list->reach};
    snprintf(condition->name, sizeof condition->name, "%s", name);
    ERT_FORMAT(condition->text, sizeof condition->text, format);
}

static void add_share(struct list *list, const char *name, const char *who, double share)
{
    enum ert_condition_verdict verdict = ERT_CONDITION_GOOD;
    char limit[32] = "";
    if (share >= ERT_ACTIVITY_NOTED)
        verdict = ERT_CONDITION_NOTE;
    if (share > ERT_ACTIVITY_BAD) {
        verdict = ERT_CONDITION_BAD;
        snprintf(limit, sizeof limit, ", more than %.0f %%", 100 * ERT_ACTIVITY_BAD);
    }
    add(list, name, verdict, "%s had %.*f %% of the time of our %u CPU%s%s", who,
        share < 0.0995 ? 1 : 0, 100 * share, list->samples->activity.n_cpus,
        list->samples->activity.n_cpus == 1 ? "" : "s", limit);
}

/*
 * A hardware thread has about half of its core's rate while another one works: so a window is shared if
 * its thread does less than three quarters of the passes per cycle that it does at other times. Windows
 * with a larger share of waiting than ERT_MOST_WAITED show nothing about the core. Normal scatter of 5 %
 * puts less than one window in 100,000 below that limit, and of 10 % seems to cost 0.6 % of the rate:
 * too little for a note.
 */
static const double shared_rate = 0.75;

/* Fewer windows do not show what a thread does at other times (as ERT_ENOUGH_SAMPLES). */
enum { LEAST_WINDOWS = 8 };

struct sharing {
    size_t windows, n_shared;
    double lost; /* sum over the shared windows of the lost share of the rate */
};

/* Compares thread t's rates in the windows of a point with its own estimate. rates[n_samples]: scratch. */
static void conditions_add_thread(struct sharing *sharing, const struct ert_point *point,
                                  uint32_t t, double *rates)
{
    size_t n = 0;
    for (size_t i = 0; i < point->n_samples; i++) {
        const struct ert_sample *sample = &point->samples[i];
        if (sample->n_threads > t && sample->waited <= ERT_MOST_WAITED &&
            sample->steal <= ERT_MOST_WAITED && sample->clock_hz > 0)
            rates[n++] = sample->thread_passes[t] / (sample->time_s * sample->clock_hz);
    }
    double own = ert_estimate_of(rates, n, ERT_BETTER_HIGH);
    if (n < LEAST_WINDOWS || !(own > 0))
        return;
    sharing->windows += n;
    for (size_t i = 0; i < n; i++)
        if (rates[i] < shared_rate * own) {
            sharing->n_shared++;
            sharing->lost += 1 - rates[i] / own;
        }
}

/*
 * Detects cores whose other hardware threads work, too: for other guests of the host, other jobs of the node,
 * or because the host put two of our CPUs on one core. Neither steal nor load shows it.
 */
static void add_core_sharing(struct list *list)
{
    struct sharing sharing = {0};
    for (size_t i = 0; list->samples && i < list->samples->n_points; i++) {
        const struct ert_point *point = &list->samples->points[i];
        if (point->section != ERT_SECTION_COMPUTE || point->n_samples < LEAST_WINDOWS)
            continue;
        double *rates = ert_xcalloc(point->n_samples, sizeof *rates);
        for (uint32_t t = 0; t < point->samples[0].n_threads; t++)
            conditions_add_thread(&sharing, point, t, rates);
        free(rates);
    }
    if (sharing.windows == 0)
        return;
    double lost = sharing.lost / (double)sharing.windows;
    enum ert_condition_verdict verdict = lost > ERT_ACTIVITY_BAD      ? ERT_CONDITION_BAD
                                         : lost >= ERT_ACTIVITY_NOTED ? ERT_CONDITION_NOTE
                                                                      : ERT_CONDITION_GOOD;
    add(list, "core sharing", verdict,
        "cores were shared, which cost %.1f %% of the rate (for %.0f %% of the time a CPU "
        "did less than 3/4 of its work per cycle)",
        100 * lost, 100 * (double)sharing.n_shared / (double)sharing.windows);
}

/* Two runs that measure a memory at once get half of its rate each, on whatever cores they run. */
static void add_other_runs(struct list *list)
{
    if (list->samples && *list->samples->activity.other_runs)
        add(list, "other runs", ERT_CONDITION_BAD,
            "other runs of ert measured this device, too: %s",
            list->samples->activity.other_runs);
}

static void add_quota(struct list *list)
{
    double quota = list->device->cpu.cpus_quota;
    uint32_t threads = 0;
    for (size_t i = 0; list->samples && i < list->samples->n_points; i++)
        if (list->samples->points[i].work.threads > threads)
            threads = list->samples->points[i].work.threads;
    if (quota > 0 && threads > quota)
        add(list, "quota", ERT_CONDITION_BAD,
            "the cgroup grants %.4g CPUs to %u threads: the kernel suspends them in turn",
            quota, threads);
    else if (quota > 0)
        add(list, "quota", ERT_CONDITION_NOTE, "the cgroup grants %.4g CPUs", quota);
    else
        add(list, "quota", ERT_CONDITION_GOOD, "no limit on CPU time");
}

static void add_clocks(struct list *list)
{
    const struct ert_cpu *cpu = &list->device->cpu;
    bool is_performance = strcmp(cpu->governor, "performance") == 0;
    if (!*cpu->governor)
        add(list, "governor", ERT_CONDITION_UNKNOWN, "not reported by this machine");
    else
        add(list, "governor", is_performance ? ERT_CONDITION_GOOD : ERT_CONDITION_NOTE,
            "%s", cpu->governor);
    if (*cpu->turbo)
        add(list, "turbo", ERT_CONDITION_NOTE, "%s", cpu->turbo);
    else
        add(list, "turbo", ERT_CONDITION_UNKNOWN, "not reported by this machine");
    if (*cpu->hypervisor)
        add(list, "hypervisor", ERT_CONDITION_NOTE,
            "%s: caches and memory may be shared with other guests", cpu->hypervisor);
}

static void conditions_add_others(struct list *list)
{
    const struct ert_gpu *gpu = &list->device->gpu;
    if (gpu->utilization_percent >= ERT_GPU_BUSY_PERCENT)
        add(list, "other processes", ERT_CONDITION_BAD, "the device was busy: %s",
            gpu->busy);
    else if (*gpu->busy)
        add(list, "other processes", ERT_CONDITION_NOTE, "%s", gpu->busy);
    else
        add(list, "other processes", ERT_CONDITION_GOOD, "none seen");
}

static void add_settings(struct list *list)
{
    const struct ert_gpu *gpu = &list->device->gpu;
    add(list, "ECC", *gpu->ecc ? ERT_CONDITION_NOTE : ERT_CONDITION_UNKNOWN, "%s",
        *gpu->ecc ? gpu->ecc : "the driver does not say");
    if (strcmp(gpu->mig, "on") == 0)
        add(list, "MIG", ERT_CONDITION_NOTE, "on: a part of the GPU was measured");
    if (gpu->power_limit_w > 0)
        add(list, "power limit", ERT_CONDITION_NOTE, "%.0f W", gpu->power_limit_w);
}

static void conditions_add_throttling(struct list *list)
{
    size_t counts[64] = {0}, n = 0, worst = 0;
    const struct ert_backend *backend = ert_backend_find(list->device->backend);
    const struct ert_throttle *reason = backend ? backend->throttle : NULL;
    uint64_t seen = 0, faults = 0; /* faults: reasons that should never occur */
    char names[96];
    for (size_t i = 0; list->samples && i < list->samples->n_points; i++) {
        count_bits(&list->samples->points[i], counts);
        n += list->samples->points[i].n_samples;
    }
    for (; reason && reason->name; reason++)
        faults |= reason->is_fault ? reason->bit : 0;
    if (n == 0) {
        add(list, "throttling", ERT_CONDITION_UNKNOWN, "no samples");
        return;
    }
    for (int bit = 0; bit < 64; bit++) {
        uint64_t mask = UINT64_C(1) << bit;
        seen |= counts[bit] ? mask : 0;
        if ((mask & faults) && counts[bit] > worst)
            worst = counts[bit];
    }
    if ((double)worst > most_throttled * (double)n)
        add(list, "throttling", ERT_CONDITION_BAD, "%s during %zu of %zu samples",
            ert_throttle_names(list->device, seen & faults, names, sizeof names), worst, n);
    else if (seen)
        add(list, "throttling", ERT_CONDITION_NOTE, "%s in some of %zu samples",
            ert_throttle_names(list->device, seen, names, sizeof names), n);
    else
        add(list, "throttling", ERT_CONDITION_GOOD, "none in %zu samples", n);
}

size_t ert_conditions_list(const struct ert_device *device,
                           const struct ert_device_samples *samples,
                           struct ert_condition conditions[ERT_MAX_CONDITIONS])
{
    bool is_cpu = device->kind == ERT_DEVICE_CPU;
    struct list list = {device, samples, 0, conditions,
                        is_cpu ? ERT_REACH_SHARED : ERT_REACH_ALL};
    add_other_runs(&list);
    if (is_cpu) {
        /* Over the whole run. Steal: time that a hypervisor gave to others while we could run (proc(5)). */
        if (samples && samples->activity.n_cpus > 0) {
            add_share(&list, "other work", "other programs", samples->activity.foreign);
            add_share(&list, "steal", "other guests of this host", samples->activity.steal);
        } else {
            add(&list, "other work", ERT_CONDITION_UNKNOWN,
                "it is unknown who else used the CPUs");
        }
        list.reach = ERT_REACH_NONE; /* a mixture of two rates: the interval shows it */
        add_core_sharing(&list);
        list.reach = ERT_REACH_ALL;
        add_quota(&list);
        add_clocks(&list);
    } else {
        conditions_add_others(&list);
        add_settings(&list);
        conditions_add_throttling(&list);
    }
    return list.n;
}

size_t ert_conditions_of(const struct ert_ceilings *ceilings,
                         const struct ert_device_ceilings *of,
                         const struct ert_samples *samples,
                         struct ert_condition conditions[ERT_MAX_CONDITIONS])
{
    struct ert_device_samples *without = ert_xcalloc(1, sizeof *without); /* some 60 KiB */
    const struct ert_device_samples *taken = without;
    without->activity = of->activity;
    for (size_t i = 0; samples && i < samples->n_devices; i++)
        if (strcmp(samples->devices[i].device, of->device) == 0)
            taken = &samples->devices[i];
    size_t n = ert_conditions_list(ert_machine_device(ceilings->machine, of->device), taken,
                                   conditions);
    free(without);
    return n;
}

enum ert_reach ert_conditions_reach(const struct ert_device *device,
                                    const struct ert_device_samples *samples, char *text,
                                    size_t size)
{
    struct ert_condition conditions[ERT_MAX_CONDITIONS];
    enum ert_reach widest = ERT_REACH_NONE;
    text[0] = '\0';
    if (ert_backend_is_fake(device))
        return widest;
    size_t n = ert_conditions_list(device, samples, conditions);
    for (size_t i = 0; i < n; i++) {
        if (conditions[i].verdict != ERT_CONDITION_BAD)
            continue;
        widest = conditions[i].reach > widest ? conditions[i].reach : widest;
        ert_append(text, size, "%s%s", *text ? "; " : "", conditions[i].text);
    }
    return widest;
}

bool ert_reach_has(enum ert_reach reach, const struct ert_device *device, const char *level)
{
    const struct ert_level *found = ert_device_level(device, level), *last = NULL;
    if (reach != ERT_REACH_SHARED || device->kind != ERT_DEVICE_CPU)
        return reach != ERT_REACH_NONE;
    for (uint32_t i = 0; i < device->n_levels; i++)
        if (device->levels[i].kind == ERT_LEVEL_CACHE)
            last = &device->levels[i];
    return found && (found->kind == ERT_LEVEL_MEMORY || found == last);
}
