/* plan_ert110: what ERT would measure (ert110.h), for every flop count and thread count or launch. */
#include "ert/sweep/planner.h"

#include <stdio.h>
#include <string.h>

/* Sets grow by a tenth: 187 from one element to 1 GiB; by 1 % 1800. */
enum { MAX_SETS = 4096 };

/* One kernel with one thread count (case.concurrency) or launch. */
struct series {
    struct ert_case case_;
    struct ert_variant variant;
    uint32_t n_parts; /* threads that have a part of the memory each */
};

static enum ert_status add_series(struct ert_planner *planner, const struct series *series)
{
    struct ert110_set sets[MAX_SETS];
    enum ert_kernel_id kernel = series->case_.kernel;
    const struct ert_config *config = planner->config;
    size_t n = ert110_sets(&config->ert110, kernel, series->n_parts, sets, MAX_SETS);
    if (n == MAX_SETS)
        return ert_fail(planner->error, ERT_USAGE,
                        "ert110_growth: %g: %d sets or more to %llu bytes, must be fewer",
                        config->ert110.growth, MAX_SETS,
                        (unsigned long long)config->ert110.memory_bytes);
    if (n == 0)
        ert_planner_absent(planner, ert_kernel_row(kernel)->name,
                           "no set fits into ert110_memory_bytes as often as it must");
    for (int f = 0; f < ERT_N_MIXED_FLOPS; f++)
        for (size_t s = 0; s < n && config->mixed_flops[f]; s++) {
            struct ert_case case_ = series->case_;
            /* Of pairs of halves ERT's kernel has no operation that counts 1. */
            if (ert_kernel_row(kernel)->type == ERT_FP16 && ert_kernel_mixed_flops[f] == 1)
                continue;
            case_.flops_per_element = ert_kernel_mixed_flops[f];
            case_.working_set_bytes =
                sets[s].elements * series->n_parts * ert_kernel_ert110_bytes(kernel);
            ERT_TRY(ert_planner_add(planner, ERT_SECTION_ERT110, &case_, &series->variant));
            planner->out->points[planner->out->n_points - 1].trials = sets[s].trials;
        }
    return ERT_OK;
}

/*
 * What gcc -march=native makes of ERT: vectors of 32 bytes, also on cores with AVX-512 (but not of
 * Knights Landing, whose users name the instruction set).
 */
static const char usual_isa[] = "avx2";

/* The variant of the wanted instruction set and passes at once; the backend lists 1, then 2. */
static bool choose_variant(struct ert_planner *planner, struct series *series, char *reason,
                           size_t size)
{
    struct ert_variant all[ERT_MAX_VARIANTS];
    const struct ert_config *config = planner->config;
    size_t n = ert_backend_find(planner->device->backend)
                   ->variants(planner->device, &planner->options, series->case_.kernel,
                              ERT_PATH_CACHED, all, reason, size);
    const char *isa = *config->isa ? config->isa : usual_isa;
    size_t first = 0;
    while (first < n && strcmp(all[first].isa, isa) != 0)
        first++;
    if (first == n && *config->isa && n > 0 && *all[0].isa) {
        snprintf(reason, size, "no variant for the ISA '%s' of the config", isa);
        return false;
    }
    first = first == n ? 0 : first;
    bool has_two = first + 1 < n && strcmp(all[first].isa, all[first + 1].isa) == 0;
    series->case_.variant = (uint32_t)(first + (has_two && config->ert110.at_once == 2));
    series->variant = n > 0 ? all[series->case_.variant] : (struct ert_variant){0};
    return n > 0;
}

static enum ert_status plan_threads(struct ert_planner *planner, struct series series)
{
    const struct ert110_options *ert110 = &planner->config->ert110;
    const struct ert_cpu *cpu = &planner->device->cpu;
    uint32_t own[] = {planner->context->n_threads};
    const uint32_t *counts = ert110->n_threads ? ert110->threads : own;
    size_t n = ert110->n_threads ? ert110->n_threads : 1;
    const struct series base = series;
    for (size_t i = 0; i < n; i++) {
        char name[32], reason[128];
        series = base;
        if (counts[i] > cpu->n_pus_usable) {
            snprintf(name, sizeof name, "%s, %u threads",
                     ert_kernel_row(series.case_.kernel)->name, counts[i]);
            snprintf(reason, sizeof reason, "this machine has %u hardware threads",
                     cpu->n_pus_usable);
            ert_planner_absent(planner, name, reason);
            continue;
        }
        series.n_parts = series.case_.concurrency = counts[i];
        ert110_name(&series.case_, &series.variant);
        ERT_TRY(add_series(planner, &series));
    }
    return ERT_OK;
}

static enum ert_status plan_shape(struct ert_planner *planner, struct series series,
                                  uint32_t blocks, uint32_t threads)
{
    series.n_parts = 1;
    series.case_.blocks = blocks;
    series.case_.block_threads = threads;
    ert110_name(&series.case_, &series.variant);
    return add_series(planner, &series);
}

/* Without shapes: as many threads as the GPU holds at once, as ERT's examples have for theirs. */
static enum ert_status plan_shapes(struct ert_planner *planner, const struct series *series)
{
    const struct ert110_options *ert110 = &planner->config->ert110;
    const struct ert_gpu *gpu = &planner->device->gpu;
    for (uint32_t i = 0; i < ert110->n_shapes; i++)
        ERT_TRY(plan_shape(planner, *series, ert110->shapes[i].blocks,
                           ert110->shapes[i].threads));
    for (uint32_t threads = 64; ert110->n_shapes == 0 && threads <= 1024; threads *= 2)
        ERT_TRY(plan_shape(planner, *series, ert110_blocks(gpu, threads), threads));
    return ERT_OK;
}

static enum ert_status plan_kernel(struct ert_planner *planner, enum ert_kernel_id kernel)
{
    char reason[192] = "";
    bool is_cpu = planner->device->kind == ERT_DEVICE_CPU;
    struct series series = {
        .case_ = {.kernel = kernel, .path = ERT_PATH_CACHED}
    };
    if (!choose_variant(planner, &series, reason, sizeof reason)) {
        ert_planner_absent(planner, ert_kernel_row(kernel)->name, reason);
        return ERT_OK;
    }
    return is_cpu ? plan_threads(planner, series) : plan_shapes(planner, &series);
}

enum ert_status ert110_plan(struct ert_planner *planner)
{
    bool is_cpu = planner->device->kind == ERT_DEVICE_CPU;
    for (int s = 0; s < ERT_N_SECTIONS; s++)
        if (s != ERT_SECTION_ERT110 && planner->config->sections[s])
            return ert_fail(planner->error, ERT_USAGE,
                            "sections: ert110 and %s: the levels of ert110 have ERT's "
                            "names, so it stands alone",
                            ert_section_name((enum ert_section)s));
    for (int k = 0; k < ERT_N_KERNELS; k++)
        if (planner->config->kernels[k] &&
            ert_kernel_row((enum ert_kernel_id)k)->class_ == ERT_CLASS_ERT110 &&
            (is_cpu ? ert_kernel_on_cpu(k) : ert_kernel_on_gpu(k)))
            ERT_TRY(plan_kernel(planner, (enum ert_kernel_id)k));
    return ERT_OK;
}
