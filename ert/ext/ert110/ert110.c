/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/ert110/ert110.h"

#include "ert/core/base/alloc.h"
#include "ert/core/sweep/device_run.h"
#include "ert/core/sweep/plan.h"
#include "ert/core/sweep/section.h"
#include "ert/core/sweep/sets.h"
#include "ert/ext/ert110/kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Passes of the last region of a set: the regions are of 1, 2, 4 ... */
static uint64_t last_trials(const struct ert110_options *options, uint64_t fit)
{
    uint64_t most = fit > options->trials_min ? fit : options->trials_min;
    uint64_t trials = 1;
    while (trials <= most / 2)
        trials *= 2;
    return trials;
}

/* The blocks of so many threads that a GPU holds at once. */
static uint32_t blocks_of(const struct ert_gpu *gpu, uint32_t threads)
{
    uint32_t per_sm = gpu->max_threads_per_sm ? gpu->max_threads_per_sm : 2048;
    return gpu->n_sms * per_sm / threads;
}

size_t ert110_sets(const struct ert110_options *options, enum ert_kernel_id kernel,
                   uint32_t n_threads, struct ert110_set *sets, size_t max)
{
    uint64_t part = options->memory.bytes / n_threads;
    uint64_t most = part / options->memory.align_bytes * options->memory.align_bytes /
                    ert_kernel_element_bytes(kernel);
    size_t count = 0;
    for (uint64_t n = options->set_min; n <= most && count < max;) {
        sets[count++] = (struct ert110_set){n, last_trials(options, most / n)};
        uint64_t next = (uint64_t)(options->growth * (double)n);
        n = next > n ? next : n + 1;
    }
    return count;
}

void ert110_name_launch(const struct ert_spec *spec, struct ert_variant *variant)
{
    if (spec->blocks > 0) {
        snprintf(variant->name, sizeof variant->name, "%u x %u", spec->blocks,
                 spec->block_threads);
        variant->threads = spec->block_threads;
        return;
    }
    ert_append(variant->name, sizeof variant->name, ", %u threads", spec->concurrency);
    variant->threads = spec->concurrency;
}

/* On CPUs ERT's buffer is one of its own: the backend's are as small as they may be. */
static void set_options(const struct ert_config *config, const struct ert_device *device,
                        const struct ert_spec *spec, struct ert_session_options *options)
{
    struct ert110_options own = ert110_options_of(config);
    if (spec) {
        own.memory.bytes = own.memory.bytes < 2 * spec->requested_bytes
                               ? 2 * spec->requested_bytes
                               : own.memory.bytes;
        own.n_launches = 1;
        own.launches[0] = (struct ert110_launch){.threads = spec->concurrency};
    }
    memcpy(&options->mode, &own.memory, sizeof own.memory);
    options->working_set_max_bytes = own.memory.bytes;
    if (device->kind != ERT_DEVICE_CPU)
        return;
    options->working_set_max_bytes = UINT64_C(1) << 20;
    for (uint32_t i = 0; i < own.n_launches; i++)
        if (own.launches[i].blocks == 0 && own.launches[i].threads > options->max_threads &&
            own.launches[i].threads <= device->cpu.n_pus_usable)
            options->max_threads = own.launches[i].threads;
}

/* What a CPU's thread does of ERT's chains: for estimates alone. */
static const double guessed_flop_per_s = 2.5e10;

/* ERT's kernels go over a set up to twice `trials` times. */
static double ert110_region_s(const struct ert_config *config,
                              const struct ert_device *device,
                              const struct ert_point *point)
{
    const double set_bytes = (double)point->spec.requested_bytes;
    double passes = fmin((double)point->most_passes, ERT110_CALL);
    double pass_s = 2 * set_bytes / ert_sets_guessed_rate(device);
    double flop_s = set_bytes / 8 * point->spec.flops_per_element /
                    (guessed_flop_per_s * fmax(point->spec.concurrency, 1));
    /* Where operations are the limit, a long enough region is all. */
    if (device->kind == ERT_DEVICE_CPU && flop_s > pass_s) {
        pass_s = flop_s;
        passes = fmin(passes, fmax(1, ceil(config->region_s / pass_s)));
    }
    return 2 * fmax(config->region_s, passes * pass_s);
}

/* Sets grow by a tenth: 187 from one element to 1 GiB; by 1 % 1800. */
enum { MAX_SETS = 4096 };

/* One kernel with one thread count (spec.concurrency) or launch. */
struct series {
    struct ert_spec spec;
    struct ert_variant variant;
    uint32_t n_parts; /* threads that have a part of the memory each */
};

static enum ert_status add_series(struct ert_planner *planner, const struct series *series)
{
    enum ert_kernel_id kernel = series->spec.kernel;
    const struct ert_config *config = planner->config;
    const struct ert110_options own = ert110_options_of(config);
    struct ert110_set *sets = ert_xcalloc(MAX_SETS, sizeof *sets);
    size_t n = ert110_sets(&own, kernel, series->n_parts, sets, MAX_SETS);
    if (n == MAX_SETS) {
        free(sets);
        return ert_fail(planner->error, ERT_USAGE,
                        "ert110_growth: %g: %d sets or more to %llu bytes, must be fewer",
                        own.growth, MAX_SETS, (unsigned long long)own.memory.bytes);
    }
    if (n == 0)
        ert_planner_not_measured(planner, "no set fits into ert110_memory_bytes", "%s",
                                 ert_kernel_row(kernel)->name);
    for (int f = 0; f < ERT_N_MIXED_FLOPS; f++)
        for (size_t s = 0; s < n && config->mixed_flops[f]; s++) {
            struct ert_spec spec = series->spec;
            /* Of pairs of halves ERT's kernel has no operation that counts 1. */
            if (ert_kernel_row(kernel)->type == ERT_FP16 && ert_kernel_mixed_flops[f] == 1)
                continue;
            spec.flops_per_element = ert_kernel_mixed_flops[f];
            spec.requested_bytes =
                sets[s].elements * series->n_parts * ert_kernel_element_bytes(kernel);
            struct ert_point *point =
                ert_planner_add(planner, ERT_SECTION_ert110, &spec, &series->variant);
            point->most_passes = sets[s].trials;
            point->region_s = ert110_region_s(config, planner->device, point);
        }
    free(sets);
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
                   ->variants(planner->device, &planner->options, series->spec.kernel,
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
    series->spec.variant =
        (uint32_t)(first + (has_two && ert110_options_of(config).at_once == 2));
    series->variant = n > 0 ? all[series->spec.variant] : (struct ert_variant){0};
    return n > 0;
}

/* The launches that a config has for CPUs or for GPUs; returns how many. */
static uint32_t launches_of(const struct ert_config *config, bool is_cpu,
                            struct ert110_launch launches[ERT110_MAX_LIST])
{
    const struct ert110_options own = ert110_options_of(config);
    uint32_t n = 0;
    for (uint32_t i = 0; i < own.n_launches; i++)
        if ((own.launches[i].blocks == 0) == is_cpu)
            launches[n++] = own.launches[i];
    return n;
}

static enum ert_status plan_threads(struct ert_planner *planner, const struct series *of)
{
    struct ert110_launch launches[ERT110_MAX_LIST];
    uint32_t n = launches_of(planner->config, true, launches);
    const uint32_t most = planner->device->cpu.n_pus_usable;
    if (n == 0)
        launches[n++].threads = planner->context->n_threads;
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t n_threads = launches[i].threads;
        struct series series = *of;
        char reason[128];
        if (n_threads > most) {
            snprintf(reason, sizeof reason, "this machine has %u hardware threads", most);
            ert_planner_not_measured(planner, reason, "%s, %u threads",
                                     ert_kernel_row(series.spec.kernel)->name, n_threads);
            continue;
        }
        series.n_parts = series.spec.concurrency = n_threads;
        ert110_name_launch(&series.spec, &series.variant);
        ERT_TRY(add_series(planner, &series));
    }
    return ERT_OK;
}

static enum ert_status plan_shape(struct ert_planner *planner, struct series series,
                                  uint32_t blocks, uint32_t threads)
{
    series.n_parts = 1;
    series.spec.blocks = blocks;
    series.spec.block_threads = threads;
    ert110_name_launch(&series.spec, &series.variant);
    return add_series(planner, &series);
}

/* Without shapes: as many threads as the GPU holds at once, as ERT's examples have for theirs. */
static enum ert_status plan_shapes(struct ert_planner *planner, const struct series *series)
{
    struct ert110_launch launches[ERT110_MAX_LIST];
    const struct ert_gpu *gpu = &planner->device->gpu;
    uint32_t n = launches_of(planner->config, false, launches);
    for (uint32_t i = 0; i < n; i++)
        ERT_TRY(plan_shape(planner, *series, launches[i].blocks, launches[i].threads));
    for (uint32_t threads = 64; n == 0 && threads <= 1024; threads *= 2)
        ERT_TRY(plan_shape(planner, *series, blocks_of(gpu, threads), threads));
    return ERT_OK;
}

static enum ert_status plan_kernel(struct ert_planner *planner, enum ert_kernel_id kernel)
{
    char reason[192] = "";
    bool is_cpu = planner->device->kind == ERT_DEVICE_CPU;
    struct series series = {
        .spec = {.kernel = kernel, .path = ERT_PATH_CACHED}
    };
    if (!choose_variant(planner, &series, reason, sizeof reason)) {
        ert_planner_not_measured(planner, reason, "%s", ert_kernel_row(kernel)->name);
        return ERT_OK;
    }
    return is_cpu ? plan_threads(planner, &series) : plan_shapes(planner, &series);
}

static const enum ert_kernel_id kernels[] = {ERT_KERNEL_ert_fp64, ERT_KERNEL_ert_fp32,
                                             ERT_KERNEL_ert_fp16, ERT_N_KERNELS};

static enum ert_status plan_all(struct ert_planner *planner)
{
    bool is_cpu = planner->device->kind == ERT_DEVICE_CPU;
    for (const enum ert_kernel_id *k = kernels; *k != ERT_N_KERNELS; k++)
        if (planner->config->kernels[*k] &&
            (is_cpu ? ert_kernel_on_cpu(*k) : ert_kernel_on_gpu(*k)))
            ERT_TRY(plan_kernel(planner, *k));
    return ERT_OK;
}

/* Byte/s of the fastest set so far of a point's kernel, launch and flop count; 0: none. */
static double fastest_set(const struct ert_device_run *run, const struct ert_point *point)
{
    double most = 0;
    for (size_t i = 0; i < run->device->n_points; i++) {
        const struct ert_point *other = &run->device->points[i];
        if (other->n_samples > 0 && ert_device_run_is_neighbour(other, point))
            most = fmax(most,
                        ert_point_bandwidth(other, &other->samples[other->n_samples - 1]));
    }
    return most;
}

/*
 * A sample of a point of ERT's, which times 1, 2, 4 ... passes of a set, up to `trials`, and keeps the
 * last: what a cache holds by then is of those before. Ends sooner where the region is long enough and
 * more passes cannot change the rate: they are many, or no set is faster by more than 3 %, as where
 * operations are the limit.
 */
static enum ert_status time_sample(struct ert_device_run *run,
                                   const struct ert_point *point,
                                   const struct ert_work *work, uint64_t *passes,
                                   struct ert_sample *sample, struct ert_error *error)
{
    const struct ert_backend *backend = run->backend;
    /* In later rounds at least as many passes; but a region that was long only once does not count. */
    const double enough_s = ert_device_run_region_s(run, point) * (*passes ? 0.25 : 1);
    const double fastest = fastest_set(run, point);
    double before_s = 0;
    uint64_t n = 1;
    for (bool is_last = false; !is_last; n *= 2) {
        if (ert_device_run_stopped(run))
            return ert_fail(error, ERT_FAILED, "interrupted");
        ERT_TRY(backend->time(run->session, n, sample, &run->lost, error));
        /* Three times as long for twice the passes: something else ran, once more. */
        if (n >= ERT110_CALL && before_s > 0 && sample->time_s > 3 * before_s)
            ERT_TRY(backend->time(run->session, n, sample, &run->lost, error));
        before_s = sample->time_s;
        bool is_settled =
            n >= ERT110_CALL || (fastest > 0 && work->bytes_per_pass * (double)n >=
                                                    0.97 * fastest * sample->time_s);
        is_last = n >= point->most_passes ||
                  (is_settled && n >= *passes && sample->time_s >= enough_s);
    }
    *passes = n / 2;
    return ert_sample_check(sample, error);
}

const struct ert_mode ert_mode_ert110 = {
    .name = "ert110",
    .title = ERT110_MODE,
    .kernels = kernels,
    .keys = ert110_config_keys,
    .read = ert110_config_read,
    .write = ert110_config_write,
    .option = "ert-compatible",
    .preset = ert110_preset,
    .file_begins = "ERT_",
    .file_is = "a configuration of LBNL's ERT: `python3 -m roofline ert-config FILE --out "
               "NEW.json` makes a preset of it",
    .set_options = set_options,
    .plan = plan_all,
    .time = time_sample,
    .fit = ert110_fit,
    .recall = ert110_recall,
    .name_launch = ert110_name_launch,
};

const struct ert_section_row ert_section_ert110 = {.mode = &ert_mode_ert110};
