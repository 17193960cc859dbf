#include "ert/sweep/plan.h"

#include "ert/base/alloc.h"
#include "ert/base/clock.h"
#include "ert/base/units.h"
#include "ert/ert110/hook.h"
#include "ert/sweep/sets.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum ert_status ert_planner_add(struct ert_planner *planner, enum ert_section section,
                                const struct ert_spec *spec,
                                const struct ert_variant *variant)
{
    struct ert_device_samples *out = planner->out;
    out->points =
        ert_xgrow(out->points, out->n_points, &planner->capacity, sizeof *out->points);
    out->points[out->n_points++] =
        (struct ert_point){.section = section, .spec = *spec, .variant = *variant};
    return ERT_OK;
}

void ert_planner_not_measured(struct ert_planner *planner, const char *reason,
                              const char *format, ...)
{
    struct ert_device_samples *out = planner->out;
    va_list arguments;
    if (out->n_not_measured == ERT_MAX_KERNELS_NOT_MEASURED)
        return;
    struct ert_kernel_not_measured *row = &out->not_measured[out->n_not_measured++];
    va_start(arguments, format);
    vsnprintf(row->name, sizeof row->name, format, arguments);
    va_end(arguments);
    snprintf(row->reason, sizeof row->reason, "%s", reason);
}

/* The ways to run a kernel on a path that the config allows: variants and their indices, or why none. */
struct ways {
    size_t n;
    struct ert_variant variants[ERT_MAX_VARIANTS];
    uint32_t indices[ERT_MAX_VARIANTS]; /* for ert_spec.variant */
    char reason[192];
};

/* all_isas: of every instruction set, unless the config names one; else of the best one. */
static void find_ways(struct ert_planner *planner, enum ert_kernel_id kernel,
                      enum ert_path path, bool all_isas, struct ways *ways)
{
    const struct ert_backend *backend = ert_backend_find(planner->device->backend);
    struct ert_variant *variants = ways->variants;
    size_t n = backend->variants(planner->device, &planner->options, kernel, path, variants,
                                 ways->reason, sizeof ways->reason);
    bool is_cpu = planner->device->kind == ERT_DEVICE_CPU && n > 0 && *variants[0].isa;
    bool is_named = is_cpu && *planner->config->isa;
    char isa[sizeof variants[0].isa];
    snprintf(isa, sizeof isa, "%s", is_named ? planner->config->isa : variants[0].isa);
    ways->n = 0;
    for (size_t i = 0; i < n; i++)
        if (!is_cpu || (all_isas && !is_named) || strcmp(variants[i].isa, isa) == 0) {
            ways->indices[ways->n] = (uint32_t)i;
            variants[ways->n++] = variants[i];
        }
    if (n > 0 && ways->n == 0)
        snprintf(ways->reason, sizeof ways->reason,
                 "no variant for the ISA '%s' of the config", isa);
}

static enum ert_status add_ways(struct ert_planner *planner, enum ert_section section,
                                struct ert_spec spec, const struct ways *ways)
{
    for (size_t i = 0; i < ways->n; i++) {
        spec.variant = ways->indices[i];
        ERT_TRY(ert_planner_add(planner, section, &spec, &ways->variants[i]));
    }
    return ERT_OK;
}

/* Of the largest set that a level surely answers: one that is measured alone keeps off the edge. */
static const double sure_share = 0.8;

uint64_t ert_planner_set(const struct ert_planner *planner, const struct ert_level *level)
{
    double low, high,
        end = (double)ert_sets_largest(planner->config, planner->device, level->path);
    ert_sets_level_range(planner->device, level, &low, &high);
    /* Half a level; but a last-level cache may be shared with strangers, so near its small end. */
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
    if (config->sections[ERT_SECTION_ERT110]) {
        ert110_hook.set_options(config, device, &options);
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
 * Buffers that are bound to NUMA nodes. The numa section: each node's memory from each package of
 * CPUs; on a machine of one package and one node that is the memory level itself, and nothing is
 * added. And, in the levels section, the memories that first touch does not take.
 */
static const enum ert_kernel_id bound_kernels[] = {ERT_KERNEL_load, ERT_KERNEL_triad,
                                                   ERT_KERNEL_store};

/* Sets of this many times the caches prove a memory (sets.h); below half of it they do not. */
enum { CACHE_MULTIPLE = 4 };

/* Where no cache is known: well above any core's own. */
static const uint64_t least_set_bytes = UINT64_C(256) << 20;

/*
 * A set that proves a memory of memory_bytes (0: unknown) behind so many caches: 4 times these, at
 * least half of that where memory is short. 0 with the reason, which names it, when less is allowed.
 */
static uint64_t bound_set(const struct ert_planner *planner, uint64_t caches,
                          uint64_t memory_bytes, const char *name, char *reason,
                          size_t size)
{
    uint64_t set = caches ? CACHE_MULTIPLE * caches : least_set_bytes;
    /* What the other buffers, for sets near the threads, leave of the memory that we may take. */
    uint64_t limit = ert_sets_memory_limit(planner->config, planner->device);
    uint64_t main_set = planner->options.working_set_max_bytes;
    uint64_t room = limit > main_set ? limit - main_set : 0;
    /* Two regions; with half of a node for them the system has room to place them there. */
    if (memory_bytes && memory_bytes / 4 < room)
        room = memory_bytes / 4;
    if (set <= room)
        return set;
    char room_text[ERT_UNITS_TEXT], least_text[ERT_UNITS_TEXT];
    uint64_t least = set / 2;
    snprintf(reason, size,
             "sets of up to %s fit in %s and in memory_max_bytes beside the other "
             "buffers, %s are needed",
             ert_units_capacity(room, room_text), name,
             ert_units_capacity(least, least_text));
    return room >= least ? room : 0;
}

static enum ert_status plan_pair(struct ert_planner *planner, enum ert_kernel_id kernel,
                                 uint32_t package, const struct ert_numa_node *node)
{
    const struct ert_kernel *row = ert_kernel_row(kernel);
    struct ways ways = {.n = 0};
    char name[32];
    snprintf(name, sizeof name, "NUMA node %u", node->os_index);
    struct ert_spec spec = {.kernel = kernel,
                            .path = ERT_PATH_CACHED,
                            .flops_per_element = row->flops,
                            .from = 1 + package,
                            .to = 1 + node->os_index};
    spec.requested_bytes =
        bound_set(planner, ert_sets_caches_of_place(planner->device, node),
                  node->size_bytes, name, ways.reason, sizeof ways.reason);
    if (spec.requested_bytes)
        find_ways(planner, kernel, spec.path, false, &ways);
    if (ways.n == 0)
        ert_planner_not_measured(planner, ways.reason, "%s-%s-package%u-node%u", node->kind,
                                 row->op, package, node->os_index);
    ways.n = ways.n ? 1 : 0; /* one way will do */
    return add_ways(planner, ERT_SECTION_NUMA, spec, &ways);
}

static enum ert_status plan_numa(struct ert_planner *planner)
{
    const struct ert_cpu *cpu = &planner->device->cpu;
    if (planner->device->kind != ERT_DEVICE_CPU ||
        (cpu->n_packages <= 1 && cpu->n_numa <= 1))
        return ERT_OK;
    for (uint32_t package = 0; package < cpu->n_packages; package++)
        for (uint32_t i = 0; i < cpu->n_numa; i++)
            for (size_t k = 0; k < ERT_LENGTH(bound_kernels); k++)
                if (planner->config->kernels[bound_kernels[k]])
                    ERT_TRY(plan_pair(planner, bound_kernels[k], package, &cpu->numa[i]));
    return ERT_OK;
}

static enum ert_status plan_far_memory(struct ert_planner *planner,
                                       enum ert_kernel_id kernel,
                                       const struct ert_level *level)
{
    const struct ert_kernel *row = ert_kernel_row(kernel);
    struct ways ways = {.n = 0};
    double caches, infinite;
    ert_sets_level_range(planner->device, level, &caches, &infinite);
    const struct ert_spec spec = {.kernel = kernel,
                                  .path = level->path,
                                  .flops_per_element = row->flops,
                                  .requested_bytes =
                                      bound_set(planner, (uint64_t)caches,
                                                ert_level_total_bytes(level), level->name,
                                                ways.reason, sizeof ways.reason),
                                  .to = ert_sets_far_node(planner->device, level)};
    if (spec.requested_bytes)
        find_ways(planner, kernel, level->path, false, &ways);
    if (ways.n == 0)
        ert_planner_not_measured(planner, ways.reason, "%s-%s", level->name, row->op);
    return add_ways(planner, ERT_SECTION_LEVELS, spec, &ways);
}

static enum ert_status plan_compute(struct ert_planner *planner, enum ert_kernel_id kernel)
{
    const struct ert_kernel *row = ert_kernel_row(kernel);
    const struct ert_spec spec = {
        .kernel = kernel, .path = ERT_PATH_NONE, .flops_per_element = row->flops};
    struct ways ways;
    find_ways(planner, kernel, ERT_PATH_NONE, true, &ways);
    if (ways.n == 0)
        ert_planner_not_measured(planner, ways.reason, "%s-%s", ert_type_name(row->type),
                                 row->op);
    return add_ways(planner, ERT_SECTION_COMPUTE, spec, &ways);
}

static enum ert_status plan_memory(struct ert_planner *planner, enum ert_kernel_id kernel,
                                   enum ert_path path)
{
    struct ways ways;
    uint64_t sizes[ERT_MAX_SETS];
    const struct ert_device *device = planner->device;
    const struct ert_kernel *row = ert_kernel_row(kernel);
    struct ert_spec spec = {
        .kernel = kernel, .path = path, .flops_per_element = row->flops};
    find_ways(planner, kernel, path, false, &ways);
    for (uint32_t l = 0; l < device->n_levels && ways.n == 0; l++)
        if (device->levels[l].path == path)
            ert_planner_not_measured(planner, ways.reason, "%s-%s", device->levels[l].name,
                                     row->op);
    if (ways.n == 0)
        return ERT_OK;
    size_t n_sizes = ert_sets_of_path(planner->config, planner->context, path, sizes);
    if (n_sizes > ERT_MAX_SETS)
        return ert_fail(planner->error, ERT_USAGE,
                        "%s: %s, %s: %zu working sets, must be at most %d: fewer "
                        "points_per_octave, or a narrower sweep (working_set_min_bytes, "
                        "working_set_max_bytes)",
                        device->id, row->name, ert_path_name(path), n_sizes, ERT_MAX_SETS);
    double low = 0, high;
    size_t before = planner->out->n_points;
    if (row->memory_only)
        ert_sets_level_range(device, ert_sets_last_level(device, path), &low, &high);
    for (size_t s = 0; s < n_sizes; s++) {
        spec.requested_bytes = sizes[s];
        if ((double)sizes[s] >= 0.99 * low)
            ERT_TRY(add_ways(planner, ERT_SECTION_LEVELS, spec, &ways));
    }
    if (planner->out->n_points == before)
        ert_planner_not_measured(planner, "no working set is larger than the caches",
                                 "%s-%s", ert_sets_last_level(device, path)->name, row->op);
    return ERT_OK;
}

/* One set in the middle of each level's range, for every flop count: the roofline's own points. */
static enum ert_status plan_mixed(struct ert_planner *planner, enum ert_kernel_id kernel,
                                  const struct ert_level *level)
{
    struct ways ways; /* none: no ceiling is missing */
    struct ert_spec spec = {.kernel = kernel,
                            .path = level->path,
                            .requested_bytes = ert_planner_set(planner, level)};
    find_ways(planner, kernel, level->path, false, &ways);
    for (int f = 0; f < ERT_N_MIXED_FLOPS && spec.requested_bytes; f++) {
        spec.flops_per_element = ert_kernel_mixed_flops[f];
        if (planner->config->mixed_flops[f])
            ERT_TRY(add_ways(planner, ERT_SECTION_MIXED, spec, &ways));
    }
    return ERT_OK;
}

/* Whether the config fits the CPUs: its threads and instruction set, and whether there is any. */
static enum ert_status check_cpu(struct ert_planner *planner)
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
        /* The planted machine has no instruction sets to choose from. */
        if (!*isa || !*variants[i].isa || strcmp(variants[i].isa, isa) == 0)
            return ERT_OK;
        if (i == 0 || strcmp(variants[i].isa, variants[i - 1].isa) != 0)
            ert_list_add(list, sizeof list, variants[i].isa);
    }
    return ert_fail(planner->error, ERT_USAGE, "%s: no instruction set '%s'; there are: %s",
                    device->id, isa, list);
}

/* Whether the config wants the kernel (on demand: and sparse access), and the device can have it. */
static bool is_concerned(const struct ert_planner *planner, enum ert_kernel_id kernel,
                         enum ert_kernel_kind kind)
{
    const struct ert_kernel *row = ert_kernel_row(kernel);
    bool is_wanted = !row->on_demand || planner->config->sections[ERT_SECTION_ACCESS];
    return planner->config->kernels[kernel] && is_wanted && row->kind == kind &&
           (planner->device->kind == ERT_DEVICE_CPU ? ert_kernel_on_cpu(kernel)
                                                    : ert_kernel_on_gpu(kernel));
}

static enum ert_status plan_all_levels(struct ert_planner *planner)
{
    for (int k = 0; k < ERT_N_KERNELS; k++)
        for (int p = 0; p < ERT_N_PATHS; p++)
            if (is_concerned(planner, (enum ert_kernel_id)k, ERT_KIND_MEMORY) &&
                ert_sets_first_level(planner->device, (enum ert_path)p))
                ERT_TRY(plan_memory(planner, (enum ert_kernel_id)k, (enum ert_path)p));
    for (uint32_t l = 0; l < planner->device->n_levels; l++)
        for (int k = 0; k < ERT_N_KERNELS; k++)
            if (is_concerned(planner, (enum ert_kernel_id)k, ERT_KIND_MEMORY) &&
                ert_sets_far_node(planner->device, &planner->device->levels[l]))
                ERT_TRY(plan_far_memory(planner, (enum ert_kernel_id)k,
                                        &planner->device->levels[l]));
    return ERT_OK;
}

static enum ert_status plan_all_compute(struct ert_planner *planner)
{
    for (int k = 0; k < ERT_N_KERNELS; k++)
        if (is_concerned(planner, (enum ert_kernel_id)k, ERT_KIND_COMPUTE))
            ERT_TRY(plan_compute(planner, (enum ert_kernel_id)k));
    return ERT_OK;
}

static enum ert_status plan_all_mixed(struct ert_planner *planner)
{
    for (int k = 0; k < ERT_N_KERNELS; k++)
        for (uint32_t l = 0; l < planner->device->n_levels; l++)
            if (is_concerned(planner, (enum ert_kernel_id)k, ERT_KIND_MIXED) &&
                !ert_sets_far_node(planner->device, &planner->device->levels[l]))
                ERT_TRY(plan_mixed(planner, (enum ert_kernel_id)k,
                                   &planner->device->levels[l]));
    return ERT_OK;
}

/*
 * The latency section: one chase per level, in a set that the level answers alone. On CPUs a chase
 * is one thread's: the set is that of the caches of its core, which an order that repeats leaves
 * without hits from twice their size on where they replace the oldest line. The last-level cache
 * often does not: DRAM's set is several times the part of it that the core reaches, not once and a
 * half as for a bandwidth.
 */

static enum ert_status plan_latency_level(struct ert_planner *planner,
                                          const struct ert_level *level)
{
    struct ways ways = {.reason = "no working set of this level is allowed"};
    bool is_cpu = planner->device->kind == ERT_DEVICE_CPU;
    const struct ert_spec spec = {.kernel = ERT_KERNEL_chase,
                                  .path = level->path,
                                  .requested_bytes =
                                      ert_planner_share(planner, level, is_cpu),
                                  .concurrency = is_cpu,
                                  .to = ert_sets_far_node(planner->device, level)};
    if (spec.requested_bytes)
        find_ways(planner, ERT_KERNEL_chase, level->path, false, &ways);
    if (ways.n == 0)
        ert_planner_not_measured(planner, ways.reason, "%s-latency", level->name);
    return add_ways(planner, ERT_SECTION_LATENCY, spec, &ways);
}

/* One kernel's points at every level, where the config wants the kernel. */
static enum ert_status
plan_each_level(struct ert_planner *planner, enum ert_kernel_id kernel,
                enum ert_status (*plan)(struct ert_planner *, const struct ert_level *))
{
    for (uint32_t i = 0; i < planner->device->n_levels; i++)
        if (planner->config->kernels[kernel])
            ERT_TRY(plan(planner, &planner->device->levels[i]));
    return ERT_OK;
}

static enum ert_status plan_all_latency(struct ert_planner *planner)
{
    return plan_each_level(planner, ERT_KERNEL_chase, plan_latency_level);
}

/*
 * The access section: for each level loads of a few bytes, some bytes apart, in a set that the
 * level answers alone. Strides are powers of two from the access size on; what is narrower than
 * four bytes is measured side by side only.
 */

/* Four lines of 128 bytes: wider strides show no more than which sets of a cache collide. */
enum { MAX_STRIDE_BYTES = 512 };

enum { LEAST_STRIDED_BYTES = 4 };

static enum ert_status plan_strides(struct ert_planner *planner, struct ert_spec spec,
                                    const struct ert_variant *variant)
{
    /* A variant's name begins with the bytes of one access. */
    uint32_t access_bytes = (uint32_t)strtoul(variant->name, NULL, 10);
    uint32_t most = access_bytes < LEAST_STRIDED_BYTES ? access_bytes : MAX_STRIDE_BYTES;
    if (access_bytes == 0)
        return ert_fail(planner->error, ERT_FAILED,
                        "%s: strided: variant '%s' does not begin with its access size",
                        planner->device->id, variant->name);
    for (uint32_t stride = access_bytes; stride <= most; stride *= 2) {
        spec.stride_bytes = stride;
        ERT_TRY(ert_planner_add(planner, ERT_SECTION_ACCESS, &spec, variant));
    }
    return ERT_OK;
}

static enum ert_status plan_access_level(struct ert_planner *planner,
                                         const struct ert_level *level)
{
    struct ways ways = {.reason = "no working set of this level is allowed"};
    struct ert_spec spec = {.kernel = ERT_KERNEL_strided, .path = level->path};
    bool is_far = ert_sets_far_node(planner->device, level) != 0;
    spec.requested_bytes = is_far ? 0 : ert_planner_set(planner, level);
    if (spec.requested_bytes)
        find_ways(planner, ERT_KERNEL_strided, level->path, false, &ways);
    if (ways.n == 0)
        ert_planner_not_measured(planner,
                                 is_far ? "this section's buffers are placed by first touch"
                                        : ways.reason,
                                 "%s-strided", level->name);
    for (size_t i = 0; i < ways.n; i++) {
        spec.variant = ways.indices[i];
        ERT_TRY(plan_strides(planner, spec, &ways.variants[i]));
    }
    return ERT_OK;
}

static enum ert_status plan_all_access(struct ert_planner *planner)
{
    return plan_each_level(planner, ERT_KERNEL_strided, plan_access_level);
}

/*
 * The concurrency section: some ceilings against the number of threads (CPUs), or of warps per SM
 * and independent operations per thread (GPUs). What one thread gets, and when more of them stop
 * to help, is what a program with little parallelism can expect.
 */

/* Which kernels, and for a memory kernel on which levels. */
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
 * A GPU's ILP: 1, 2, 4, 8 independent operations per thread. Of a case with a number of warps the
 * variant is the logarithm of it, for every kernel above.
 */
enum { N_ILPS = 4 };

static enum ert_status add_warps(struct ert_planner *planner, const struct ert_spec *base,
                                 const uint32_t *counts, size_t n)
{
    /* Eight loads of each of triad's two sources need more registers than a thread has. */
    uint32_t n_ilps = base->kernel == ERT_KERNEL_triad ? N_ILPS - 1 : N_ILPS;
    for (size_t i = 0; i < n; i++)
        for (uint32_t log2_ilp = 0; log2_ilp < n_ilps; log2_ilp++) {
            struct ert_spec spec = *base;
            struct ert_variant variant = {0};
            spec.concurrency = counts[i];
            spec.variant = log2_ilp;
            snprintf(variant.name, sizeof variant.name, "ilp %u", 1u << log2_ilp);
            ERT_TRY(ert_planner_add(planner, ERT_SECTION_CONCURRENCY, &spec, &variant));
        }
    return ERT_OK;
}

/* Only the best instruction set: others are compute ceilings of their own. */
static enum ert_status add_threads(struct ert_planner *planner, struct ert_spec spec,
                                   const struct ert_level *level, const uint32_t *counts,
                                   size_t n)
{
    struct ways ways; /* the levels and compute sections say why there is none */
    find_ways(planner, spec.kernel, spec.path, false, &ways);
    ways.n = ways.n ? 1 : 0;
    for (size_t i = 0; i < n; i++) {
        spec.concurrency = ways.variants[0].threads = counts[i];
        if (level)
            spec.requested_bytes = ert_planner_share(planner, level, counts[i]);
        if (level && (spec.requested_bytes == 0 ||
                      !ert_counts_even(planner->device, level, counts[i])))
            continue;
        ERT_TRY(add_ways(planner, ERT_SECTION_CONCURRENCY, spec, &ways));
    }
    return ERT_OK;
}

static enum ert_status add_curve(struct ert_planner *planner, const struct curve_row *row,
                                 const struct ert_level *level, const uint32_t *counts,
                                 size_t n)
{
    struct ert_spec base = {.kernel = row->kernel,
                            .path = level ? level->path : ERT_PATH_NONE,
                            .flops_per_element = ert_kernel_row(row->kernel)->flops};
    if (planner->device->kind == ERT_DEVICE_CPU)
        return add_threads(planner, base, level, counts, n);
    if (level)
        base.requested_bytes = ert_planner_set(planner, level);
    if (level && base.requested_bytes == 0)
        return ERT_OK;
    return add_warps(planner, &base, counts, n);
}

/* Scratchpads have no place in it: what they need is what L1 needs. */
static bool has_curve(const struct ert_device *device, const struct curve_row *row,
                      const struct ert_level *level)
{
    bool is_last = level == ert_sets_last_level(device, level->path);
    return (row->caches && level->kind == ERT_LEVEL_CACHE) ||
           (row->memories && level->kind == ERT_LEVEL_MEMORY && is_last);
}

static enum ert_status plan_all_concurrency(struct ert_planner *planner)
{
    const struct ert_device *device = planner->device;
    uint32_t counts[ERT_MAX_COUNTS];
    size_t n = ert_counts_list(planner->context, counts);
    for (size_t r = 0; r < ERT_LENGTH(curve_rows); r++) {
        const struct curve_row *row = &curve_rows[r];
        if (row->device != device->kind || !planner->config->kernels[row->kernel])
            continue;
        if (!row->caches && !row->memories)
            ERT_TRY(add_curve(planner, row, NULL, counts, n));
        for (uint32_t l = 0; l < device->n_levels; l++)
            if (has_curve(device, row, &device->levels[l]))
                ERT_TRY(add_curve(planner, row, &device->levels[l], counts, n));
    }
    return ERT_OK;
}

/*
 * The core_kinds section: what each kind of core of a hybrid CPU does by itself, one thread a core. Of the
 * caches L1 alone: the others' sizes differ by kind, and the topology's level is of one of them.
 */
static enum ert_status plan_kind(struct ert_planner *planner, uint32_t kind,
                                 enum ert_kernel_id kernel, const struct ert_level *level)
{
    const struct ert_kernel *row = ert_kernel_row(kernel);
    uint32_t threads = planner->device->cpu.core_kinds[kind].n_cores;
    struct ert_spec spec = {.kernel = kernel,
                            .path = level ? level->path : ERT_PATH_NONE,
                            .flops_per_element = row->flops,
                            .from = 1 + kind};
    struct ways ways;
    find_ways(planner, kernel, spec.path, false, &ways);
    ways.n = ways.n ? 1 : 0; /* the levels and compute sections say why there is none */
    if (level)
        spec.requested_bytes = ert_planner_share(planner, level, threads);
    if (level && spec.requested_bytes == 0)
        return ERT_OK;
    ways.variants[0].threads = threads;
    return add_ways(planner, ERT_SECTION_CORE_KINDS, spec, &ways);
}

static enum ert_status plan_core_kinds(struct ert_planner *planner)
{
    static const struct {
        enum ert_kernel_id kernel;
        bool first, last; /* level */
    } rows[] = {
        {ERT_KERNEL_fma_fp64, false, false},
        {ERT_KERNEL_fma_fp32, false, false},
        {ERT_KERNEL_load,     true,  false},
        {ERT_KERNEL_load,     false, true },
    };
    const struct ert_device *device = planner->device;
    const struct ert_cpu *cpu = &device->cpu;
    if (device->kind != ERT_DEVICE_CPU || !ert_cpu_is_hybrid(cpu))
        return ERT_OK;
    if (planner->context->n_threads != cpu->n_cores_usable) {
        ert_planner_not_measured(
            planner, "each kind is measured where every core has a thread", "core kinds");
        return ERT_OK;
    }
    for (uint32_t kind = 0; kind < cpu->n_core_kinds; kind++)
        for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
            const struct ert_level *level =
                rows[r].first  ? ert_sets_first_level(device, ERT_PATH_CACHED)
                : rows[r].last ? ert_sets_last_level(device, ERT_PATH_CACHED)
                               : NULL;
            if (planner->config->kernels[rows[r].kernel] &&
                (level || !(rows[r].first || rows[r].last)))
                ERT_TRY(plan_kind(planner, kind, rows[r].kernel, level));
        }
    return ERT_OK;
}

/*
 * The links section, of GPUs: copies from and to the host, and to and from each other GPU of the
 * same backend. A machine of one GPU has no pairs, and so nothing is missing.
 */

/*
 * Host copies: some 2.5 ms at 55 GB/s (PCIe 5.0 x16); three buffers lie on the host, and writing and
 * comparing them takes longer than the copies. Those of ordinary memory are several times slower.
 * Between GPUs: 0.6 ms over NVLink 4; with 128 MiB two H200s showed 392 instead of 394 GB/s, both
 * ways 760 instead of 771.
 */
static const uint64_t host_bytes = UINT64_C(128) << 20;
static const uint64_t pageable_bytes = UINT64_C(64) << 20;
static const uint64_t peer_bytes = UINT64_C(256) << 20;

/* The host's buffers take at most this share of what the process may take, or of what is free. */
static const uint64_t host_share = 4;

static const enum ert_kernel_id host_links[] = {
    ERT_KERNEL_h2d_pinned, ERT_KERNEL_d2h_pinned, ERT_KERNEL_duplex_pinned,
    ERT_KERNEL_h2d_pageable, ERT_KERNEL_d2h_pageable};
static const enum ert_kernel_id peer_links[] = {ERT_KERNEL_peer_write, ERT_KERNEL_peer_read,
                                                ERT_KERNEL_peer_duplex};

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* One copy's bytes: within the session's regions and, for host copies, the host's memory. */
static uint64_t size_of_copy(const struct ert_planner *planner, enum ert_kernel_id kernel,
                             uint32_t to)
{
    bool is_pageable =
        kernel == ERT_KERNEL_h2d_pageable || kernel == ERT_KERNEL_d2h_pageable;
    uint64_t room = planner->options.working_set_max_bytes;
    if (to)
        return least(peer_bytes, room);
    uint64_t size = least(is_pageable ? pageable_bytes : host_bytes, room);
    if (planner->config->memory_max_bytes)
        size = least(size, planner->config->memory_max_bytes / host_share);
    for (uint32_t i = 0; i < planner->machine->n_devices; i++)
        if (planner->machine->devices[i].cpu.memory_available_bytes)
            size = least(size, planner->machine->devices[i].cpu.memory_available_bytes /
                                   host_share);
    return size;
}

static enum ert_status plan_link(struct ert_planner *planner, enum ert_kernel_id kernel,
                                 uint32_t to)
{
    struct ways ways;
    const struct ert_spec spec = {.kernel = kernel,
                                  .path = ERT_PATH_NONE,
                                  .requested_bytes = size_of_copy(planner, kernel, to),
                                  .to = to};
    if (!planner->config->kernels[kernel])
        return ERT_OK;
    find_ways(planner, kernel, ERT_PATH_NONE, false, &ways);
    if (ways.n == 0)
        ert_planner_not_measured(planner, ways.reason, "%s", ert_kernel_row(kernel)->op);
    return add_ways(planner, ERT_SECTION_LINKS, spec, &ways);
}

/*
 * A pair is measured from its first GPU, in both directions; the second one's plan leaves it out, but
 * where only that one is measured.
 */
static bool is_planned_elsewhere(const struct ert_planner *planner,
                                 const struct ert_device *other)
{
    const char *word = planner->config->device;
    bool covers_all = strcmp(word, "all") == 0 || strcmp(word, "gpu") == 0;
    return covers_all && other->gpu.ordinal < planner->device->gpu.ordinal;
}

static enum ert_status plan_all_links(struct ert_planner *planner)
{
    const struct ert_device *device = planner->device;
    if (device->kind != ERT_DEVICE_GPU)
        return ERT_OK;
    for (size_t i = 0; i < ERT_LENGTH(host_links); i++)
        ERT_TRY(plan_link(planner, host_links[i], 0));
    for (uint32_t d = 0; d < planner->machine->n_devices; d++) {
        const struct ert_device *other = &planner->machine->devices[d];
        if (strcmp(other->id, device->id) == 0 || other->kind != ERT_DEVICE_GPU ||
            strcmp(other->backend, device->backend) != 0 ||
            is_planned_elsewhere(planner, other))
            continue;
        for (size_t i = 0; i < ERT_LENGTH(peer_links); i++)
            ERT_TRY(plan_link(planner, peer_links[i], 1 + (uint32_t)other->gpu.ordinal));
    }
    return ERT_OK;
}

static enum ert_status plan_ert110(struct ert_planner *planner)
{
    return ert110_hook.plan(planner);
}

/* Multi-GPU is planned by the run: its points are those that won. */
static enum ert_status (*const sections[ERT_N_SECTIONS])(struct ert_planner *) = {
    [ERT_SECTION_LEVELS] = plan_all_levels,
    [ERT_SECTION_COMPUTE] = plan_all_compute,
    [ERT_SECTION_MIXED] = plan_all_mixed,
    [ERT_SECTION_LATENCY] = plan_all_latency,
    [ERT_SECTION_ACCESS] = plan_all_access,
    [ERT_SECTION_CONCURRENCY] = plan_all_concurrency,
    [ERT_SECTION_LINKS] = plan_all_links,
    [ERT_SECTION_NUMA] = plan_numa,
    [ERT_SECTION_CORE_KINDS] = plan_core_kinds,
    [ERT_SECTION_ERT110] = plan_ert110,
};

enum ert_status ert_plan_section(struct ert_planner *planner, enum ert_section section)
{
    return sections[section] ? sections[section](planner) : ERT_OK;
}

static enum ert_status plan_device(struct ert_planner *planner)
{
    if (planner->device->kind == ERT_DEVICE_CPU)
        ERT_TRY(check_cpu(planner));
    for (int s = 0; s < ERT_N_SECTIONS; s++)
        if (planner->config->sections[s])
            ERT_TRY(ert_plan_section(planner, (enum ert_section)s));
    return ERT_OK;
}

static bool is_wanted(const char *word, const struct ert_device *device)
{
    bool is_fake = ert_backend_is_planted(device);
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
        if (!is_wanted(samples->config.device, device))
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
        round_s += ert_sets_regions_s(config, about, &plan->points[i]) * 1.5 +
                   2 * (double)plan->points[i].spec.requested_bytes / rate;
    /* The leaders of a round are about a fifth of all points. */
    double total =
        open_s + round_s * ((double)config->rounds + 0.2 * (double)config->leader_rounds);
    return config->budget_s > 0 && total > config->budget_s ? config->budget_s : total;
}
