/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/ceilings/traffic.h"

#include <string.h>

/*
 * Server cores that, when the memory subsystem is busy, claim lines that are stored completely without
 * reading them: Intel's SpecI2M (Hot Chips 2020, Ice Lake-SP; G. Hager, blogs.fau.de/hager, "The Ice Lake ...
 * SpecI2M"). Family 6; Intel SDM volume 4, table 2-1.
 */
static const uint32_t evading_models[] = {
    0x6a, 0x6c, /* Ice Lake */
    0x8f,       /* Sapphire Rapids */
    0xcf,       /* Emerald Rapids */
    0xad, 0xae, /* Granite Rapids */
};

static bool may_evade(const struct ert_device *device)
{
    /* Arm's cores switch to whole-line writes for streams of stores; without a vendor nothing is known. */
    if (!device->cpu.vendor[0])
        return false;
    if (strcmp(device->cpu.vendor, "GenuineIntel") != 0)
        return strcmp(device->cpu.vendor, "AuthenticAMD") != 0;
    for (size_t i = 0; i < ERT_LENGTH(evading_models); i++)
        if (device->cpu.family == 6 && device->cpu.model == evading_models[i])
            return true;
    return false;
}

/* The row of a ceiling's kernel; if the file names none, the memory kernel of its pattern. */
static const struct ert_kernel *traffic_row_of(const struct ert_ceiling *ceiling)
{
    const struct ert_kernel *of_pattern = NULL;
    for (int i = ERT_N_KERNELS - 1; i >= 0; i--) {
        const struct ert_kernel *row = ert_kernel_row((enum ert_kernel_id)i);
        if (*row->name == *ceiling->kernel && strcmp(row->name, ceiling->kernel) == 0)
            return row;
        if (row->kind == ERT_KIND_MEMORY && strcmp(row->op, ceiling->key.pattern) == 0)
            of_pattern = row;
    }
    return of_pattern;
}

/* Loads and stores end at the first cache, so that nothing else moves there. */
static bool is_first(const struct ert_device *device, const char *level)
{
    return strcmp(level, "L1") == 0 ||
           (device && device->n_levels && strcmp(device->levels[0].name, level) == 0 &&
            device->levels[0].kind != ERT_LEVEL_MEMORY);
}

static void apply_rule(const struct ert_device *device, const struct ert_ceiling *ceiling,
                       const struct ert_kernel *row, struct ert_traffic *traffic)
{
    double moved = row->loads + row->stores;
    /* As many arrays are read as there are loads; the others are only stored to. */
    double fresh = ert_kernel_arrays((enum ert_kernel_id)(row - ert_kernel_row(0))) -
                   (double)row->loads;
    if (!row->stores)
        traffic->rule = "nothing is stored";
    else if (device && device->kind == ERT_DEVICE_GPU)
        traffic->rule = "a GPU's caches know which bytes were written: stores read nothing";
    else if (traffic->is_streaming)
        traffic->rule = "non-temporal stores read nothing";
    else if (is_first(device, ceiling->key.level))
        traffic->rule = "what the core itself loads and stores";
    else if (fresh <= 0)
        traffic->rule = "written in place: the code itself has read each line";
    else {
        traffic->allocated = fresh / moved;
        const struct ert_level *level =
            device ? ert_device_level(device, ceiling->key.level) : NULL;
        traffic->is_upper = level && level->kind == ERT_LEVEL_MEMORY && may_evade(device);
        traffic->rule = traffic->is_upper
                            ? "write-allocate: a line is read before it is stored to; this "
                              "CPU can leave "
                              "that out when its memory is busy"
                            : "write-allocate: a line is read before it is stored to";
    }
}

bool ert_traffic_of(const struct ert_device *device, const struct ert_ceiling *ceiling,
                    struct ert_traffic *traffic)
{
    const struct ert_evidence *evidence = ceiling->evidence;
    const struct ert_kernel *row = traffic_row_of(ceiling);
    *traffic = (struct ert_traffic){.rule = "reads and writes of this pattern are unknown"};
    if (!row || !(row->loads + row->stores))
        return false;
    traffic->reads = row->loads / (double)(row->loads + row->stores);
    traffic->is_streaming = (row->limits & ERT_MEMORY_ONLY) != 0;
    apply_rule(device, ceiling, row, traffic);
    traffic->actual = 1 + traffic->allocated;
    traffic->actual_reads = (traffic->reads + traffic->allocated) / traffic->actual;
    /* perf counts bytes that instructions request, Nsight Compute bytes at the level. */
    if (strcmp(evidence->proof.profiler, "ncu") == 0 && evidence->proof.bytes_ratio > 0) {
        traffic->is_counted = true;
        traffic->actual = evidence->proof.bytes_ratio;
    }
    return true;
}
