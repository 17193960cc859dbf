/*
 * The concurrency section: some ceilings against the number of threads (CPUs), or of warps per SM
 * and independent operations per thread (GPUs). What one thread gets, and when more of them stop
 * to help, is what a program with little parallelism can expect.
 */
#include "ert/sweep/counts.h"
#include "ert/sweep/planner.h"
#include "ert/sweep/sets.h"

#include <stdio.h>

/* Which kernels, and for a memory kernel on which levels. */
static const struct row {
    enum ert_kernel_id kernel;
    enum ert_device_kind device;
    bool caches, memories;
} rows[] = {
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

static enum ert_status add_warps(struct ert_planner *planner, const struct ert_case *base,
                                 const uint32_t *counts, size_t n)
{
    /* Eight loads of each of triad's two sources need more registers than a thread has. */
    uint32_t n_ilps = base->kernel == ERT_KERNEL_triad ? N_ILPS - 1 : N_ILPS;
    for (size_t i = 0; i < n; i++)
        for (uint32_t log2_ilp = 0; log2_ilp < n_ilps; log2_ilp++) {
            struct ert_case case_ = *base;
            struct ert_variant variant = {0};
            case_.concurrency = counts[i];
            case_.variant = log2_ilp;
            snprintf(variant.name, sizeof variant.name, "ilp %u", 1u << log2_ilp);
            ERT_TRY(ert_planner_add(planner, ERT_SECTION_CONCURRENCY, &case_, &variant));
        }
    return ERT_OK;
}

/* Only the best instruction set: others are compute ceilings of their own. */
static enum ert_status add_threads(struct ert_planner *planner, const struct ert_case *base,
                                   const struct ert_level *level, const uint32_t *counts,
                                   size_t n)
{
    struct ert_variant variants[ERT_MAX_VARIANTS];
    uint32_t indices[ERT_MAX_VARIANTS];
    char reason[192]; /* the levels and compute sections say why there is none */
    if (ert_planner_variants(planner, base->kernel, base->path, false, variants, indices,
                             reason, sizeof reason) == 0)
        return ERT_OK;
    for (size_t i = 0; i < n; i++) {
        struct ert_case case_ = *base;
        case_.concurrency = counts[i];
        case_.variant = indices[0];
        variants[0].threads = counts[i];
        if (level)
            case_.working_set_bytes = ert_planner_share(planner, level, counts[i]);
        if (level && (case_.working_set_bytes == 0 ||
                      !ert_counts_even(planner->device, level, counts[i])))
            continue;
        ERT_TRY(ert_planner_add(planner, ERT_SECTION_CONCURRENCY, &case_, &variants[0]));
    }
    return ERT_OK;
}

static enum ert_status add_row(struct ert_planner *planner, const struct row *row,
                               const struct ert_level *level, const uint32_t *counts,
                               size_t n)
{
    struct ert_case base = {.kernel = row->kernel,
                            .path = level ? level->path : ERT_PATH_NONE,
                            .flops_per_element = ert_kernel_row(row->kernel)->flops};
    if (planner->device->kind == ERT_DEVICE_CPU)
        return add_threads(planner, &base, level, counts, n);
    if (level)
        base.working_set_bytes = ert_planner_set(planner, level);
    if (level && base.working_set_bytes == 0)
        return ERT_OK;
    return add_warps(planner, &base, counts, n);
}

/* Scratchpads have no place in it: what they need is what L1 needs. */
static bool is_concerned(const struct ert_device *device, const struct row *row,
                         const struct ert_level *level)
{
    bool is_last = level == ert_sets_last_level(device, level->path);
    return (row->caches && level->kind == ERT_LEVEL_CACHE) ||
           (row->memories && level->kind == ERT_LEVEL_MEMORY && is_last);
}

enum ert_status ert_plan_concurrency(struct ert_planner *planner)
{
    const struct ert_device *device = planner->device;
    uint32_t counts[ERT_MAX_COUNTS];
    size_t n = ert_counts_list(planner->context, counts);
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        const struct row *row = &rows[r];
        if (row->device != device->kind || !planner->config->kernels[row->kernel])
            continue;
        if (!row->caches && !row->memories)
            ERT_TRY(add_row(planner, row, NULL, counts, n));
        for (uint32_t l = 0; l < device->n_levels; l++)
            if (is_concerned(device, row, &device->levels[l]))
                ERT_TRY(add_row(planner, row, &device->levels[l], counts, n));
    }
    return ERT_OK;
}
