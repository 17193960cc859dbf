/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/sweep/sets.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* Sets of at least this many times the caches before it measure a memory level. */
static const uint64_t cache_multiple = 4;

/* Of smaller multiples, the caches before a level still serve some per cent. */
static const double clear_multiple = 2;

/* Nearly 4 times the caches, since sizes are rounded down to whole sweeps. */
static const double memory_multiple = 3.9;

/*
 * Each of the two L2 partitions of an A100 or H100 also keeps what its own SMs read of the other's data, so
 * that less than half of the reported size holds distinct data. Of an H200's 60 MiB, 24 MiB hold every
 * pattern: by the counters 0.05 % of the loads and 1.5 % of the stores go on to memory; at 30 MiB 1.5 and
 * 33 %. For planning only: the fit uses what the run measures (ceilings/levels.h).
 */
static const double partition_share = 0.4;

/* A memory set on a GPU: about a millisecond per pass on an H200, whose rate is flat from 240 MiB on. */
static const uint64_t gpu_memory_set = UINT64_C(4) << 30;

/*
 * Host buffers have two regions, sources and targets, of one set each. Without a limit in the config they
 * take free_share of the free memory, with one at most most_share; if the free memory is unknown,
 * unknown_memory_max.
 */
static const double free_share = 0.5, most_share = 0.9;
static const uint64_t unknown_memory_max = UINT64_C(4) << 30;

/* A memory-side cache caches DRAM, not the memory that it is a part of. */
static bool is_elsewhere(const struct ert_level *cache, const char *memory)
{
    return cache->memory_side && strcmp(memory, "DRAM") != 0;
}

static uint64_t caches_before(const struct ert_device *device,
                              const struct ert_level *level)
{
    uint64_t total = 0;
    for (const struct ert_level *l = device->levels; l < level; l++)
        if (l->kind == ERT_LEVEL_CACHE && !is_elsewhere(l, level->name) &&
            (l->path == level->path || level->kind == ERT_LEVEL_MEMORY) &&
            ert_level_total_bytes(l) > total)
            total = ert_level_total_bytes(l);
    return total;
}

void ert_sets_level_range(const struct ert_device *device, const struct ert_level *level,
                          double *low_bytes, double *high_bytes)
{
    *low_bytes = (double)caches_before(device, level);
    *high_bytes =
        level->kind == ERT_LEVEL_MEMORY ? INFINITY : (double)ert_level_total_bytes(level);
}

double ert_sets_least_bytes(const struct ert_device *device, const struct ert_level *level)
{
    double before = (double)caches_before(device, level);
    if (level->kind == ERT_LEVEL_MEMORY)
        return memory_multiple * before;
    return clear_multiple * before;
}

double ert_sets_most_bytes(const struct ert_level *level)
{
    bool is_partitioned =
        level->kind == ERT_LEVEL_CACHE && level->path == ERT_PATH_BYPASS_L1;
    return is_partitioned ? partition_share * (double)ert_level_total_bytes(level)
                          : INFINITY;
}

const struct ert_level *ert_sets_last_level(const struct ert_device *device,
                                            enum ert_path path)
{
    const struct ert_level *last = NULL;
    for (uint32_t i = 0; i < device->n_levels; i++) {
        const struct ert_level *level = &device->levels[i];
        /* Of several memories, first touch allocates from DRAM if there is one. */
        bool is_far = last && strcmp(last->name, "DRAM") == 0;
        if (level->path == path && !is_far)
            last = level;
    }
    return last;
}

const struct ert_level *ert_sets_first_level(const struct ert_device *device,
                                             enum ert_path path)
{
    for (uint32_t i = 0; i < device->n_levels; i++)
        if (device->levels[i].path == path)
            return &device->levels[i];
    return NULL;
}

uint32_t ert_sets_far_node(const struct ert_device *device, const struct ert_level *level)
{
    if (device->kind != ERT_DEVICE_CPU || level->kind != ERT_LEVEL_MEMORY ||
        level == ert_sets_last_level(device, level->path))
        return 0;
    for (uint32_t i = 0; i < device->cpu.n_numa; i++)
        if (ert_level_has_node(level, &device->cpu.numa[i]))
            return 1 + device->cpu.numa[i].os_index;
    return 0;
}

uint64_t ert_sets_memory_limit(const struct ert_config *config,
                               const struct ert_device *device)
{
    if (device->kind == ERT_DEVICE_GPU)
        return (uint64_t)(0.45 * (double)device->gpu.memory_free_bytes);
    const struct ert_cpu *cpu = &device->cpu;
    uint64_t there = cpu->memory_available_bytes;
    for (uint32_t i = 0; i < cpu->n_numa && cpu->memory_available_bytes == 0; i++)
        there += cpu->numa[i].size_bytes;
    uint64_t limit = there ? (uint64_t)(free_share * (double)there) : unknown_memory_max;
    uint64_t most = (uint64_t)(most_share * (double)cpu->memory_available_bytes);
    if (config->memory_max_bytes)
        limit = most && most < config->memory_max_bytes ? most : config->memory_max_bytes;
    return limit / 2;
}

/* A pass over a set up to this size takes some milliseconds on any CPU with such large caches. */
static const double near_end_bytes = 512.0 * 1024 * 1024;

double ert_sets_guessed_rate(const struct ert_device *device)
{
    return device->kind == ERT_DEVICE_GPU ? 2e12 : 2e10;
}

/* The memory that sets in other memories need besides the sweep's, at most half of the limit. */
static uint64_t far_bytes(const struct ert_device *device, uint64_t limit)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < device->n_levels; i++) {
        const struct ert_level *level = &device->levels[i];
        uint64_t set = cache_multiple * caches_before(device, level);
        if (ert_sets_far_node(device, level) && set > most)
            most = set;
    }
    return most < limit / 2 ? most : limit / 2;
}

uint64_t ert_sets_largest(const struct ert_config *config, const struct ert_device *device,
                          enum ert_path path)
{
    const struct ert_level *last = ert_sets_last_level(device, path);
    uint64_t set = ert_level_total_bytes(last);
    if (last->kind == ERT_LEVEL_CACHE)
        set *= cache_multiple; /* far enough to see where the cache ends */
    if (last->kind == ERT_LEVEL_MEMORY) {
        set = cache_multiple * caches_before(device, last);
        if (device->kind == ERT_DEVICE_GPU && set < gpu_memory_set)
            set = gpu_memory_set;
        if (set == 0) /* no cache known: a quarter of the memory that we may take */
            set = ert_sets_memory_limit(config, device) / 4;
        if (config->working_set_max_bytes)
            set = config->working_set_max_bytes;
    }
    uint64_t limit = ert_sets_memory_limit(config, device);
    limit -= far_bytes(device, limit);
    return limit && set > limit ? limit : set;
}

static void add_set(uint64_t sizes[ERT_MAX_SETS], size_t *n, double size)
{
    if (*n < ERT_MAX_SETS)
        sizes[*n] = (uint64_t)size;
    ++*n;
}

size_t ert_sets_of_path(const struct ert_config *config, const struct ert_context *context,
                        enum ert_path path, uint64_t sizes[ERT_MAX_SETS])
{
    const struct ert_device *device = &context->device;
    const struct ert_level *first = ert_sets_first_level(device, path);
    double end = (double)ert_sets_largest(config, device, path);
    /* Below a sixteenth of the first level the loop's overhead dominates. */
    double size = config->working_set_min_bytes ? (double)config->working_set_min_bytes
                                                : (double)ert_level_total_bytes(first) / 16;
    if (first->kind == ERT_LEVEL_SCRATCHPAD)
        size = end / 4;
    if (first->kind == ERT_LEVEL_MEMORY || size < 4096)
        size = size < 4096 ? 4096 : fmin(size, end / 16);
    /* Each thread's share must hold a block of the kernels (512 bytes) of three arrays. */
    size = fmax(size, 3 * 512 * (double)context->n_threads);
    size_t n = 0;
    /*
     * If the end is far, sets that take longer than a region would take most of the time: one per octave,
     * down from the end. If it is near, memory's plateau gets dense points.
     */
    double quick = fmin(end, config->region_s * ert_sets_guessed_rate(device));
    if (end <= near_end_bytes)
        quick = end;
    for (; size < quick * 0.99; size *= exp2(1 / config->points_per_octave))
        add_set(sizes, &n, size);
    int octaves = size < end ? (int)log2(end / size) : 0;
    for (int i = octaves; i >= 0; i--)
        add_set(sizes, &n, end / exp2(i));
    return n;
}

/*
 * The number of cores in use. With fewer threads than cores the context counts only the caches of cores in
 * use, and every core has its own first level.
 */
static uint32_t cores_in_use(const struct ert_device *device)
{
    uint32_t cores = device->cpu.n_cores_usable, most = 0;
    for (uint32_t i = 0; i < device->n_levels; i++)
        if (device->levels[i].count > most)
            most = device->levels[i].count;
    return most && most < cores ? most : cores;
}

uint32_t ert_counts_cores(const struct ert_device *device, const struct ert_level *level)
{
    uint32_t cores = cores_in_use(device);
    if (!level)
        return cores;
    uint32_t share = level->count ? cores / level->count : cores;
    return share ? share : 1;
}

struct ert_device ert_counts_reach(const struct ert_device *device, uint32_t threads)
{
    struct ert_device reached = *device;
    if (device->kind != ERT_DEVICE_CPU || threads == 0)
        return reached;
    for (uint32_t i = 0; i < reached.n_levels; i++) {
        uint32_t share = ert_counts_cores(device, &device->levels[i]);
        uint32_t count = (threads + share - 1) / share;
        if (count < reached.levels[i].count)
            reached.levels[i].count = count;
    }
    return reached;
}
