/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/sweep/plan.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/clock.h"
#include "ert/core/base/units.h"
#include "ert/core/sweep/mode.h"
#include "ert/core/sweep/sets.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ert_point *ert_planner_add(struct ert_planner *planner, enum ert_section section,
                                  const struct ert_spec *spec,
                                  const struct ert_variant *variant)
{
    struct ert_device_samples *out = planner->out;
    out->points =
        ert_xgrow(out->points, out->n_points, &planner->capacity, sizeof *out->points);
    out->points[out->n_points] =
        (struct ert_point){.section = section, .spec = *spec, .variant = *variant};
    return &out->points[out->n_points++];
}

void ert_planner_not_measured(struct ert_planner *planner, const char *reason,
                              const char *format, ...)
{
    struct ert_device_samples *out = planner->out;
    if (out->n_not_measured == ERT_MAX_KERNELS_NOT_MEASURED)
        return;
    struct ert_kernel_not_measured *row = &out->not_measured[out->n_not_measured++];
    ERT_FORMAT(row->name, sizeof row->name, format);
    snprintf(row->reason, sizeof row->reason, "%s", reason);
}

/*
 * Which ways to run a kernel are planned: all of the best instruction set, only the first of these, or those
 * of every instruction set. If the config names an instruction set, it is the only one.
 */
enum which { BEST_ISA, FIRST_WAY, ALL_ISAS };

/* Ways to run a kernel: variants and their indices, or the reason why there is none. */
struct ways {
    size_t n;
    struct ert_variant variants[ERT_MAX_VARIANTS];
    uint32_t indices[ERT_MAX_VARIANTS]; /* for ert_spec.variant */
    char reason[192];
};

static void find_ways(const struct ert_planner *planner, const struct ert_spec *spec,
                      enum which which, struct ways *ways)
{
    const struct ert_backend *backend = ert_backend_find(planner->device->backend);
    struct ert_variant *variants = ways->variants;
    size_t n = backend->variants(planner->device, &planner->options, spec->kernel,
                                 spec->path, variants, ways->reason, sizeof ways->reason);
    bool is_cpu = planner->device->kind == ERT_DEVICE_CPU && n > 0 && *variants[0].isa;
    bool is_named = is_cpu && *planner->config->isa;
    char isa[sizeof variants[0].isa];
    snprintf(isa, sizeof isa, "%s", is_named ? planner->config->isa : variants[0].isa);
    ways->n = 0;
    for (size_t i = 0; i < n && !(which == FIRST_WAY && ways->n == 1); i++)
        if (!is_cpu || (which == ALL_ISAS && !is_named) ||
            strcmp(variants[i].isa, isa) == 0) {
            ways->indices[ways->n] = (uint32_t)i;
            variants[ways->n++] = variants[i];
        }
    if (n > 0 && ways->n == 0)
        snprintf(ways->reason, sizeof ways->reason,
                 "no variant for the ISA '%s' of the config", isa);
}

static void add_ways(struct ert_planner *planner, enum ert_section section,
                     struct ert_spec spec, const struct ways *ways)
{
    for (size_t i = 0; i < ways->n; i++) {
        spec.variant = ways->indices[i];
        ert_planner_add(planner, section, &spec, &ways->variants[i]);
    }
}

/*
 * Adds a point for each way to run a spec. If there is none, or no working set (no_set is the reason, else
 * ""), records the formatted name as not measured.
 */
static void __attribute__((format(printf, 6, 7)))
add_case(struct ert_planner *planner, enum ert_section section, const struct ert_spec *spec,
         enum which which, const char *no_set, const char *format, ...)
{
    struct ways ways = {.n = 0};
    char name[32];
    ERT_FORMAT(name, sizeof name, format);
    if (!*no_set)
        find_ways(planner, spec, which, &ways);
    if (ways.n == 0)
        ert_planner_not_measured(planner, *no_set ? no_set : ways.reason, "%s", name);
    add_ways(planner, section, *spec, &ways);
}

/* The spec of a kernel at a level; NULL: on no path. */
static struct ert_spec spec_of(enum ert_kernel_id kernel, const struct ert_level *level)
{
    return (struct ert_spec){.kernel = kernel,
                             .path = level ? level->path : ERT_PATH_NONE,
                             .flops_per_element = ert_kernel_row(kernel)->flops};
}

static const char no_set_allowed[] = "no working set of this level is allowed";

/* The kernels of a kind that the config selects and the device has. */
static size_t plan_list_kernels(const struct ert_planner *planner,
                                enum ert_kernel_kind kind,
                                enum ert_kernel_id kernels[ERT_N_KERNELS])
{
    const struct ert_config *config = planner->config;
    bool is_cpu = planner->device->kind == ERT_DEVICE_CPU;
    size_t n = 0;
    for (int k = 0; k < ERT_N_KERNELS; k++) {
        enum ert_kernel_id id = (enum ert_kernel_id)k;
        const struct ert_kernel *row = ert_kernel_row(id);
        if (config->kernels[k] && row->kind == kind &&
            (is_cpu ? ert_kernel_on_cpu(id) : ert_kernel_on_gpu(id)))
            kernels[n++] = id;
    }
    return n;
}

/* A single set at a level keeps this far below the largest one that the level surely holds. */
static const double sure_share = 0.8;

uint64_t ert_planner_set(const struct ert_planner *planner, const struct ert_level *level)
{
    double low, high,
        end = (double)ert_sets_largest(planner->config, planner->device, level->path);
    ert_sets_level_range(planner->device, level, &low, &high);
    /* Half a level; but near the low end of a last-level cache, which other work may share. */
    double set =
        isinf(high) ? fmin(end, 1.5 * fmax(low, end / 4)) : fmin(0.5 * high, 4 * low);
    if (low == 0 && !isinf(high))
        set = 0.5 * high;
    set = fmin(set, sure_share * ert_sets_most_bytes(level));
    return end <= low ? 0 : (uint64_t)fmin(set, end);
}

uint64_t ert_planner_share(const struct ert_planner *planner, const struct ert_level *level,
                           uint32_t threads)
{
    if (planner->device->kind != ERT_DEVICE_CPU || threads == 0)
        return ert_planner_set(planner, level);
    struct ert_device reached = ert_counts_reach(planner->device, threads);
    struct ert_planner part = *planner;
    part.device = &reached;
    const struct ert_level *same = &reached.levels[level - planner->device->levels];
    uint64_t set = ert_planner_set(&part, same);
    if (set && level->kind == ERT_LEVEL_MEMORY)
        set = ert_sets_largest(planner->config, &reached, level->path);
    return set;
}

struct ert_session_options ert_plan_options(const struct ert_config *config,
                                            const struct ert_context *context)
{
    const struct ert_device *device = &context->device;
    struct ert_session_options options = {.threads = context->n_threads,
                                          .max_threads = context->max_threads,
                                          .timeout_s = config->timeout_s,
                                          .seed = config->seed,
                                          .tensor_zeros = config->tensor_zeros};
    const struct ert_mode *mode = ert_config_mode(config);
    if (mode) {
        mode->set_options(config, device, NULL, &options);
        return options;
    }
    for (int path = 0; path < ERT_N_PATHS; path++)
        if (ert_sets_last_level(device, (enum ert_path)path)) {
            uint64_t set = ert_sets_largest(config, device, (enum ert_path)path);
            if (set > options.working_set_max_bytes)
                options.working_set_max_bytes = set;
        }
    return options;
}

/*
 * Buffers that are bound to NUMA nodes. The numa section measures each node's memory from each package of
 * CPUs; with one package and one node that is the memory level itself, and nothing is added. The levels
 * section also has the memories that first touch does not allocate from.
 */
static const enum ert_kernel_id bound_kernels[] = {ERT_KERNEL_load, ERT_KERNEL_triad,
                                                   ERT_KERNEL_store};

/* Sets of this many times the caches measure a memory (sets.h); sets below half of it do not. */
enum { CACHE_MULTIPLE = 4 };

/* If no cache is known: well above any core's own. */
static const uint64_t least_set_bytes = UINT64_C(256) << 20;

/*
 * A set that measures a memory of memory_bytes (0: unknown) behind caches of `caches` bytes: 4 times these,
 * or at least half of that if memory is short. 0 when less is allowed: the reason names the memory.
 */
static uint64_t bound_set(const struct ert_planner *planner, uint64_t caches,
                          uint64_t memory_bytes, const char *name, char reason[192])
{
    uint64_t set = caches ? CACHE_MULTIPLE * caches : least_set_bytes;
    /* The memory that the process may use, without the buffers for sets near the threads. */
    uint64_t limit = ert_sets_memory_limit(planner->config, planner->device);
    uint64_t main_set = planner->options.working_set_max_bytes;
    uint64_t room = limit > main_set ? limit - main_set : 0;
    /* Two regions in at most half of a node, so that the system can place them there. */
    if (memory_bytes && memory_bytes / 4 < room)
        room = memory_bytes / 4;
    uint64_t least = set / 2;
    *reason = '\0';
    if (room >= least)
        return room < set ? room : set;
    snprintf(reason, 192,
             "sets of up to %s fit in %s and in memory_max_bytes beside the other "
             "buffers, %s are needed",
             ert_units_capacity(room).text, name, ert_units_capacity(least).text);
    return 0;
}

static void plan_pair(struct ert_planner *planner, enum ert_kernel_id kernel,
                      uint32_t package, const struct ert_numa_node *node)
{
    struct ert_spec spec = spec_of(kernel, NULL);
    char name[32], no_set[192];
    snprintf(name, sizeof name, "NUMA node %u", node->os_index);
    spec.path = ERT_PATH_CACHED;
    spec.from = 1 + package;
    spec.to = 1 + node->os_index;
    spec.requested_bytes =
        bound_set(planner, ert_sets_caches_of_place(planner->device, node),
                  node->size_bytes, name, no_set);
    add_case(planner, ERT_SECTION_NUMA, &spec, FIRST_WAY, no_set, "%s-%s-package%u-node%u",
             node->kind, ert_kernel_row(kernel)->op, package, node->os_index);
}

static void plan_numa(struct ert_planner *planner)
{
    const struct ert_cpu *cpu = &planner->device->cpu;
    if (planner->device->kind != ERT_DEVICE_CPU ||
        (cpu->n_packages <= 1 && cpu->n_numa <= 1))
        return;
    for (uint32_t package = 0; package < cpu->n_packages; package++)
        for (uint32_t i = 0; i < cpu->n_numa; i++)
            for (size_t k = 0; k < ERT_LENGTH(bound_kernels); k++)
                if (planner->config->kernels[bound_kernels[k]])
                    plan_pair(planner, bound_kernels[k], package, &cpu->numa[i]);
}

static void plan_far_memory(struct ert_planner *planner, enum ert_kernel_id kernel,
                            const struct ert_level *level)
{
    struct ert_spec spec = spec_of(kernel, level);
    char no_set[192];
    double caches, infinite;
    ert_sets_level_range(planner->device, level, &caches, &infinite);
    spec.to = ert_sets_far_node(planner->device, level);
    spec.requested_bytes = bound_set(planner, (uint64_t)caches,
                                     ert_level_total_bytes(level), level->name, no_set);
    add_case(planner, ERT_SECTION_LEVELS, &spec, BEST_ISA, no_set, "%s-%s", level->name,
             ert_kernel_row(kernel)->op);
}

static void plan_sweep(struct ert_planner *planner, enum ert_kernel_id kernel,
                       enum ert_path path)
{
    struct ways ways;
    uint64_t sizes[ERT_MAX_SETS];
    const struct ert_device *device = planner->device;
    const struct ert_kernel *row = ert_kernel_row(kernel);
    const struct ert_level *last = ert_sets_last_level(device, path);
    struct ert_spec spec = spec_of(kernel, last);
    find_ways(planner, &spec, BEST_ISA, &ways);
    for (uint32_t l = 0; l < device->n_levels && ways.n == 0; l++)
        if (device->levels[l].path == path)
            ert_planner_not_measured(planner, ways.reason, "%s-%s", device->levels[l].name,
                                     row->op);
    double low = 0, high;
    if (row->memory_only)
        ert_sets_level_range(device, last, &low, &high);
    size_t n = ert_sets_of_path(planner->config, planner->context, path, sizes);
    size_t before = planner->out->n_points;
    for (size_t s = 0; s < n; s++) {
        spec.requested_bytes = sizes[s];
        if ((double)sizes[s] >= 0.99 * low)
            add_ways(planner, ERT_SECTION_LEVELS, spec, &ways);
    }
    if (ways.n > 0 && planner->out->n_points == before)
        ert_planner_not_measured(planner, "no working set is larger than the caches",
                                 "%s-%s", last->name, row->op);
}

/* Sets from HOLDS_FROM to all of HOLDS_PARTS parts of a level; it surely holds the first. */
enum { HOLDS_FROM = 5, HOLDS_PARTS = 20 };

/*
 * Plans how much a level holds if the rate of full SMs does not show its end (ert_sets_most_bytes): loads by
 * few warps, one in flight per thread, over sets up to the level's total. ceilings/levels.c evaluates them.
 */
static void plan_holds(struct ert_planner *planner, const struct ert_level *level)
{
    const struct ert_variant alone = {.name = "ilp 1"};
    struct ert_spec spec = spec_of(ERT_KERNEL_load, level);
    spec.concurrency = 2;
    for (uint64_t part = HOLDS_FROM; part <= HOLDS_PARTS; part++) {
        spec.requested_bytes = ert_level_total_bytes(level) / HOLDS_PARTS * part;
        ert_planner_add(planner, ERT_SECTION_LEVELS, &spec, &alone);
    }
}

static void plan_levels(struct ert_planner *planner)
{
    const struct ert_device *device = planner->device;
    enum ert_kernel_id kernels[ERT_N_KERNELS];
    size_t n = plan_list_kernels(planner, ERT_KIND_MEMORY, kernels);
    for (size_t k = 0; k < n; k++)
        for (int path = 0; path < ERT_N_PATHS; path++)
            if (ert_sets_first_level(device, (enum ert_path)path))
                plan_sweep(planner, kernels[k], (enum ert_path)path);
    for (uint32_t l = 0; l < device->n_levels; l++)
        for (size_t k = 0; k < n && ert_sets_far_node(device, &device->levels[l]); k++)
            plan_far_memory(planner, kernels[k], &device->levels[l]);
    for (uint32_t l = 0; l < device->n_levels; l++)
        if (isfinite(ert_sets_most_bytes(&device->levels[l])) &&
            planner->config->kernels[ERT_KERNEL_load])
            plan_holds(planner, &device->levels[l]);
}

static void plan_compute(struct ert_planner *planner)
{
    enum ert_kernel_id kernels[ERT_N_KERNELS];
    size_t n = plan_list_kernels(planner, ERT_KIND_COMPUTE, kernels);
    for (size_t k = 0; k < n; k++) {
        const struct ert_kernel *row = ert_kernel_row(kernels[k]);
        const struct ert_spec spec = spec_of(kernels[k], NULL);
        add_case(planner, ERT_SECTION_COMPUTE, &spec, ALL_ISAS, "", "%s-%s",
                 ert_type_name(row->type), row->op);
    }
}

/*
 * The latency section: one chase per level, in a set that the level serves alone. On CPUs one thread chases,
 * so that the set is relative to the caches of its core. With LRU replacement a repeated order has no hits in
 * a cache from twice its size on, but last-level caches often use another policy: so DRAM's set is several
 * times the part of it that the core reaches, not one and a half times as for a bandwidth.
 */
static void plan_latency(struct ert_planner *planner)
{
    const struct ert_device *device = planner->device;
    bool is_cpu = device->kind == ERT_DEVICE_CPU;
    for (uint32_t l = 0; l < device->n_levels && planner->config->kernels[ERT_KERNEL_chase];
         l++) {
        const struct ert_level *level = &device->levels[l];
        struct ert_spec spec = spec_of(ERT_KERNEL_chase, level);
        spec.requested_bytes = ert_planner_share(planner, level, is_cpu);
        spec.concurrency = is_cpu;
        spec.to = ert_sets_far_node(device, level);
        add_case(planner, ERT_SECTION_LATENCY, &spec, BEST_ISA,
                 spec.requested_bytes ? "" : no_set_allowed, "%s-latency", level->name);
    }
}

/*
 * The concurrency section: some ceilings as functions of the number of threads (CPUs), or of warps per SM and
 * independent operations per thread (GPUs). They show what a program with little parallelism can expect.
 */

/* Its kernels, and the levels for a memory kernel. */
static const struct curve_row {
    enum ert_kernel_id kernel;
    enum ert_device_kind device;
    bool caches, memories;
} curve_rows[] = {
    {ERT_KERNEL_fma_fp64, ERT_DEVICE_CPU, false, false},
    {ERT_KERNEL_load,     ERT_DEVICE_CPU, true,  true },
    {ERT_KERNEL_triad,    ERT_DEVICE_CPU, false, true },
    {ERT_KERNEL_fma_fp64, ERT_DEVICE_GPU, false, false},
    {ERT_KERNEL_fma_fp32, ERT_DEVICE_GPU, false, false},
    {ERT_KERNEL_add_fp64, ERT_DEVICE_GPU, false, false},
    {ERT_KERNEL_load,     ERT_DEVICE_GPU, true,  true },
    {ERT_KERNEL_triad,    ERT_DEVICE_GPU, false, true },
};

/*
 * A GPU's ways are 1, 2, 4 or 8 independent operations per thread: in a spec with a number of warps, the
 * variant is their binary logarithm, for every kernel above. Eight loads from each of triad's two sources
 * would need more registers than a thread has.
 */
static void list_ilps(enum ert_kernel_id kernel, struct ways *ways)
{
    *ways = (struct ways){.n = kernel == ERT_KERNEL_triad ? 3 : 4};
    for (uint32_t i = 0; i < ways->n; i++) {
        ways->indices[i] = i;
        snprintf(ways->variants[i].name, sizeof ways->variants[i].name, "ilp %u", 1u << i);
    }
}

/* On CPUs only with the best instruction set: others have their own compute ceilings. */
static void add_curve(struct ert_planner *planner, enum ert_kernel_id kernel,
                      const struct ert_level *level, const uint32_t *counts, size_t n)
{
    struct ways ways; /* none: the levels and compute sections say why */
    struct ert_spec spec = spec_of(kernel, level);
    bool is_cpu = planner->device->kind == ERT_DEVICE_CPU;
    if (is_cpu)
        find_ways(planner, &spec, FIRST_WAY, &ways);
    else
        list_ilps(kernel, &ways);
    for (size_t i = 0; i < n; i++) {
        spec.concurrency = counts[i];
        if (is_cpu)
            ways.variants[0].threads = counts[i];
        if (level)
            spec.requested_bytes = ert_planner_share(planner, level, counts[i]);
        if (!level || (spec.requested_bytes > 0 &&
                       ert_counts_even(planner->device, level, counts[i])))
            add_ways(planner, ERT_SECTION_CONCURRENCY, spec, &ways);
    }
}

static void plan_concurrency(struct ert_planner *planner)
{
    const struct ert_device *device = planner->device;
    uint32_t counts[ERT_MAX_COUNTS];
    size_t n = ert_counts_list(planner->context, counts);
    for (const struct curve_row *row = curve_rows;
         row < curve_rows + ERT_LENGTH(curve_rows); row++) {
        if (row->device != device->kind || !planner->config->kernels[row->kernel])
            continue;
        if (!row->caches && !row->memories)
            add_curve(planner, row->kernel, NULL, counts, n);
        for (uint32_t l = 0; l < device->n_levels; l++) {
            /* No scratchpads: they need the same concurrency as L1. */
            const struct ert_level *level = &device->levels[l];
            if ((row->caches && level->kind == ERT_LEVEL_CACHE) ||
                (row->memories && level->kind == ERT_LEVEL_MEMORY &&
                 level == ert_sets_last_level(device, level->path)))
                add_curve(planner, row->kernel, level, counts, n);
        }
    }
}

/*
 * The links section of a GPU: copies from and to the host, and to and from each other GPU of the same
 * backend.
 */

/*
 * Sizes. Host copies take about 2.5 ms at 55 GB/s (PCIe 5.0 x16); writing and comparing their three buffers
 * on the host takes longer than the copies. Copies of pageable memory are several times slower. Between GPUs:
 * 0.6 ms over NVLink 4; with 128 MiB two H200s showed 392 instead of 394 GB/s, in both directions 760 instead
 * of 771.
 */
static const struct {
    enum ert_kernel_id kernel;
    bool is_peer;
    uint64_t mib;
} links[] = {
    {ERT_KERNEL_h2d_pinned,    false, 128},
    {ERT_KERNEL_d2h_pinned,    false, 128},
    {ERT_KERNEL_duplex_pinned, false, 128},
    {ERT_KERNEL_h2d_pageable,  false, 64 },
    {ERT_KERNEL_d2h_pageable,  false, 64 },
    {ERT_KERNEL_peer_write,    true,  256},
    {ERT_KERNEL_peer_read,     true,  256},
    {ERT_KERNEL_peer_duplex,   true,  256},
};

/* Host buffers take at most 1 / host_share of memory_max_bytes, and of the free memory. */
static const uint64_t host_share = 4;

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The host memory that host copies may use. */
static uint64_t host_room(const struct ert_planner *planner)
{
    uint64_t room = UINT64_MAX;
    if (planner->config->memory_max_bytes)
        room = planner->config->memory_max_bytes / host_share;
    for (uint32_t i = 0; i < planner->machine->n_devices; i++)
        if (planner->machine->devices[i].cpu.memory_available_bytes)
            room = least(room, planner->machine->devices[i].cpu.memory_available_bytes /
                                   host_share);
    return room;
}

/* Plans links to the host (to: 0) or to a GPU (as ert_spec.to), with copies of at most room_bytes. */
static void plan_links_to(struct ert_planner *planner, uint32_t to, uint64_t room_bytes)
{
    room_bytes = least(room_bytes, planner->options.working_set_max_bytes);
    for (size_t i = 0; i < ERT_LENGTH(links); i++) {
        struct ert_spec spec = spec_of(links[i].kernel, NULL);
        spec.requested_bytes = least(links[i].mib << 20, room_bytes);
        spec.to = to;
        if (links[i].is_peer == (to > 0) && planner->config->kernels[links[i].kernel])
            add_case(planner, ERT_SECTION_LINKS, &spec, BEST_ISA, "", "%s",
                     ert_kernel_row(links[i].kernel)->op);
    }
}

/*
 * A pair is measured from its first GPU, in both directions; the second one's plan has it only if the first
 * one is not measured.
 */
static bool is_planned_elsewhere(const struct ert_planner *planner,
                                 const struct ert_device *other)
{
    const char *word = planner->config->device;
    bool covers_all = strcmp(word, "all") == 0 || strcmp(word, "gpu") == 0;
    return covers_all && other->gpu.ordinal < planner->device->gpu.ordinal;
}

static void plan_links(struct ert_planner *planner)
{
    const struct ert_device *device = planner->device;
    if (device->kind != ERT_DEVICE_GPU)
        return;
    plan_links_to(planner, 0, host_room(planner));
    for (uint32_t d = 0; d < planner->machine->n_devices; d++) {
        const struct ert_device *other = &planner->machine->devices[d];
        if (strcmp(other->id, device->id) == 0 || other->kind != ERT_DEVICE_GPU ||
            strcmp(other->backend, device->backend) != 0 ||
            is_planned_elsewhere(planner, other))
            continue;
        plan_links_to(planner, 1 + (uint32_t)other->gpu.ordinal, UINT64_MAX);
    }
}

/* The run plans multi_gpu, since its points are those that won. */
static void (*const sections[ERT_N_SECTIONS])(struct ert_planner *) = {
    [ERT_SECTION_LEVELS] = plan_levels,   [ERT_SECTION_COMPUTE] = plan_compute,
    [ERT_SECTION_LATENCY] = plan_latency, [ERT_SECTION_CONCURRENCY] = plan_concurrency,
    [ERT_SECTION_LINKS] = plan_links,     [ERT_SECTION_NUMA] = plan_numa,
};

void ert_plan_section(struct ert_planner *planner, enum ert_section section)
{
    if (sections[section])
        sections[section](planner);
}

/* Whether the CPU can be measured, and has the config's instruction set. */
static enum ert_status check_cpu(const struct ert_planner *planner)
{
    const struct ert_backend *backend = ert_backend_find(planner->device->backend);
    const struct ert_device *device = planner->device;
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char list[128] = "", reason[192] = "";
    const char *isa = planner->config->isa;
    size_t n = backend->variants(device, &planner->options, ERT_KERNEL_load,
                                 ERT_PATH_CACHED, variants, reason, sizeof reason);
    if (n == 0)
        return ert_fail(planner->error, ERT_UNAVAILABLE, "%s: cannot be measured: %s",
                        device->id, reason);
    for (size_t i = 0; i < n; i++) {
        /* The planted machine has no instruction sets. */
        if (!*isa || !*variants[i].isa || strcmp(variants[i].isa, isa) == 0)
            return ERT_OK;
        if (i == 0 || strcmp(variants[i].isa, variants[i - 1].isa) != 0)
            ert_list_add(list, sizeof list, variants[i].isa);
    }
    return ert_fail(planner->error, ERT_USAGE, "%s: no instruction set '%s'; there are: %s",
                    device->id, isa, list);
}

static enum ert_status check_sweeps(const struct ert_planner *planner)
{
    uint64_t sizes[ERT_MAX_SETS];
    for (int p = 0; p < ERT_N_PATHS; p++) {
        enum ert_path path = (enum ert_path)p;
        size_t n = ert_sets_first_level(planner->device, path)
                       ? ert_sets_of_path(planner->config, planner->context, path, sizes)
                       : 0;
        if (n > ERT_MAX_SETS)
            return ert_fail(
                planner->error, ERT_USAGE,
                "%s: %s: %zu working sets, must be at most %d: fewer "
                "points_per_octave, or a narrower sweep (working_set_min_bytes, "
                "working_set_max_bytes)",
                planner->device->id, ert_path_name(path), n, ERT_MAX_SETS);
    }
    return ERT_OK;
}

static enum ert_status plan_device(struct ert_planner *planner)
{
    const bool *wanted = planner->config->sections;
    const struct ert_mode *mode = ert_config_mode(planner->config);
    if (planner->device->kind == ERT_DEVICE_CPU)
        ERT_TRY(check_cpu(planner));
    if (wanted[ERT_SECTION_LEVELS])
        ERT_TRY(check_sweeps(planner));
    for (int s = 0; s < ERT_N_SECTIONS; s++) {
        if (wanted[s] && !mode)
            ert_plan_section(planner, (enum ert_section)s);
        else if (wanted[s] && ert_section_mode((enum ert_section)s) != mode)
            return ert_fail(planner->error, ERT_USAGE,
                            "sections: %s and %s: a mode's levels have names of their own, "
                            "so that it cannot be combined",
                            mode->name, ert_section_words[s]);
    }
    return mode ? mode->plan(planner) : ERT_OK;
}

static bool plan_is_wanted(const char *word, const struct ert_device *device)
{
    bool is_fake = ert_backend_is_fake(device);
    if (strcmp(word, "all") == 0)
        return !is_fake;
    if (strcmp(word, "fake") == 0)
        return is_fake;
    if (strcmp(word, "gpu") == 0)
        return device->kind == ERT_DEVICE_GPU && !is_fake;
    return strcmp(word, device->id) == 0;
}

enum ert_status ert_plan_make(struct ert_samples *samples, struct ert_error *error)
{
    const struct ert_machine *machine = &samples->machine;
    size_t n_points = 0;
    char list[256] = "";
    for (uint32_t i = 0; i < machine->n_devices; i++) {
        const struct ert_device *device = &machine->devices[i];
        ert_list_add(list, sizeof list, device->id);
        if (!plan_is_wanted(samples->config.device, device))
            continue;
        struct ert_device_samples *out = &samples->devices[samples->n_devices++];
        *out = (struct ert_device_samples){.status = "planned"};
        memcpy(out->device, device->id, sizeof out->device);
        ERT_TRY(ert_config_context(&samples->config, device, &out->context, error));
        struct ert_planner planner = {.config = &samples->config,
                                      .machine = machine,
                                      .context = &out->context,
                                      .device = &out->context.device,
                                      .options =
                                          ert_plan_options(&samples->config, &out->context),
                                      .out = out,
                                      .error = error};
        ERT_TRY(plan_device(&planner));
        n_points += out->n_points;
    }
    if (samples->n_devices == 0)
        return ert_fail(error, ERT_UNAVAILABLE,
                        "no device '%s' on this machine; there are: %s",
                        samples->config.device, *list ? list : "none");
    if (n_points == 0)
        return ert_fail(error, ERT_USAGE,
                        "nothing to measure: the config's kernels, sets and "
                        "instruction set leave no point");
    ert_clock_date(samples->created, sizeof samples->created);
    snprintf(samples->status, sizeof samples->status, "planned");
    return ERT_OK;
}

double ert_plan_estimate_s(const struct ert_samples *samples, size_t device)
{
    const struct ert_config *config = &samples->config;
    const struct ert_device_samples *plan = &samples->devices[device];
    const struct ert_device *about = &plan->context.device;
    double rate = ert_sets_guessed_rate(about);
    double round_s = 0, open_s = about->kind == ERT_DEVICE_GPU ? 2 : 1;
    for (size_t i = 0; i < plan->n_points; i++)
        round_s += ert_point_region_s(config, &plan->points[i]) * 1.5 +
                   2 * (double)plan->points[i].spec.requested_bytes / rate;
    /* About a fifth of all points are candidates. */
    double total = open_s + round_s * ((double)config->rounds +
                                       0.2 * (double)config->candidate_rounds);
    return config->budget_s > 0 && total > config->budget_s ? config->budget_s : total;
}
