/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/sweep/plan.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/clock.h"
#include "ert/core/base/units.h"
#include "ert/core/sweep/mode.h"
#include "ert/core/sweep/section.h"
#include "ert/core/sweep/sets.h"

#include <math.h>
#include <stdio.h>
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

void ert_planner_find_ways(const struct ert_planner *planner, const struct ert_spec *spec,
                           enum ert_which which, struct ert_ways *ways)
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
    for (size_t i = 0; i < n && !(which == ERT_FIRST_WAY && ways->n == 1); i++)
        if (!is_cpu || (which == ERT_ALL_ISAS && !is_named) ||
            strcmp(variants[i].isa, isa) == 0) {
            ways->indices[ways->n] = (uint32_t)i;
            variants[ways->n++] = variants[i];
        }
    if (n > 0 && ways->n == 0)
        snprintf(ways->reason, sizeof ways->reason,
                 "no variant for the ISA '%s' of the config", isa);
}

enum ert_status ert_plan_variant(const struct ert_device *device,
                                 const struct ert_session_options *options,
                                 const char *name, struct ert_spec *spec,
                                 struct ert_variant *found, struct ert_error *error)
{
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[192] = "", names[768] = "";
    const char *kernel = ert_kernel_row(spec->kernel)->name;
    const struct ert_mode *mode = ert_mode_of_kernel(spec->kernel);
    size_t n = ert_backend_find(device->backend)
                   ->variants(device, options, spec->kernel, spec->path, variants, reason,
                              sizeof reason);
    if (n == 0)
        return ert_fail(error, ERT_UNAVAILABLE, "%s on path %s: %s", kernel,
                        ert_path_name(spec->path), reason);
    for (uint32_t i = 0; i < n; i++) {
        *found = variants[i];
        if (mode)
            mode->name_launch(spec, found);
        if (!*name || strcmp(variants[i].name, name) == 0 ||
            strcmp(variants[i].isa, name) == 0 || strcmp(found->name, name) == 0) {
            spec->variant = i;
            return ERT_OK;
        }
        ert_append(names, sizeof names, "%s'%.47s'", *names ? ", " : "", variants[i].name);
    }
    return ert_fail(error, ERT_UNAVAILABLE, "%s on path %s has no variant '%s'; has %s",
                    kernel, ert_path_name(spec->path), name, names);
}

void ert_planner_add_ways(struct ert_planner *planner, enum ert_section section,
                          struct ert_spec spec, const struct ert_ways *ways)
{
    for (size_t i = 0; i < ways->n; i++) {
        spec.variant = ways->indices[i];
        ert_planner_add(planner, section, &spec, &ways->variants[i]);
    }
}

void ert_planner_add_case(struct ert_planner *planner, enum ert_section section,
                          const struct ert_spec *spec, enum ert_which which,
                          const char *no_set, const char *format, ...)
{
    struct ert_ways ways = {.n = 0};
    char name[32];
    ERT_FORMAT(name, sizeof name, format);
    if (!*no_set)
        ert_planner_find_ways(planner, spec, which, &ways);
    if (ways.n == 0)
        ert_planner_not_measured(planner, *no_set ? no_set : ways.reason, "%s", name);
    ert_planner_add_ways(planner, section, *spec, &ways);
}

struct ert_spec ert_planner_spec(enum ert_kernel_id kernel, const struct ert_level *level)
{
    return (struct ert_spec){.kernel = kernel,
                             .path = level ? level->path : ERT_PATH_NONE,
                             .flops_per_element = ert_kernel_row(kernel)->flops};
}

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
            (config->libraries || !(row->limits & ERT_LIBRARY)) &&
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

/* Sets of this many times the caches measure a memory (sets.h); sets below half of it do not. */
enum { CACHE_MULTIPLE = 4 };

/* If no cache is known: well above any core's own. */
static const uint64_t least_set_bytes = UINT64_C(256) << 20;

uint64_t ert_planner_bound_set(const struct ert_planner *planner, uint64_t caches,
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

static void plan_far_memory(struct ert_planner *planner, enum ert_kernel_id kernel,
                            const struct ert_level *level)
{
    struct ert_spec spec = ert_planner_spec(kernel, level);
    char no_set[192];
    double caches, infinite;
    ert_sets_level_range(planner->device, level, &caches, &infinite);
    spec.to = ert_sets_far_node(planner->device, level);
    spec.requested_bytes = ert_planner_bound_set(
        planner, (uint64_t)caches, ert_level_total_bytes(level), level->name, no_set);
    ert_planner_add_case(planner, ERT_SECTION_LEVELS, &spec, ERT_BEST_ISA, no_set, "%s-%s",
                         level->name, ert_kernel_row(kernel)->op);
}

static void plan_sweep(struct ert_planner *planner, enum ert_kernel_id kernel,
                       enum ert_path path)
{
    struct ert_ways ways;
    uint64_t sizes[ERT_MAX_SETS];
    const struct ert_device *device = planner->device;
    const struct ert_kernel *row = ert_kernel_row(kernel);
    const struct ert_level *last = ert_sets_last_level(device, path);
    struct ert_spec spec = ert_planner_spec(kernel, last);
    ert_planner_find_ways(planner, &spec, ERT_BEST_ISA, &ways);
    for (uint32_t l = 0; l < device->n_levels && ways.n == 0; l++)
        if (device->levels[l].path == path)
            ert_planner_not_measured(planner, ways.reason, "%s-%s", device->levels[l].name,
                                     row->op);
    double low = 0, high;
    if (row->limits & ERT_MEMORY_ONLY)
        ert_sets_level_range(device, last, &low, &high);
    size_t n = ert_sets_of_path(planner->config, planner->context, path, sizes);
    size_t before = planner->out->n_points;
    for (size_t s = 0; s < n; s++) {
        spec.requested_bytes = sizes[s];
        if ((double)sizes[s] >= 0.99 * low)
            ert_planner_add_ways(planner, ERT_SECTION_LEVELS, spec, &ways);
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
    struct ert_spec spec = ert_planner_spec(ERT_KERNEL_load, level);
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
        const struct ert_spec spec = ert_planner_spec(kernels[k], NULL);
        ert_planner_add_case(planner, ERT_SECTION_COMPUTE, &spec, ERT_ALL_ISAS, "", "%s-%s",
                             ert_type_name(row->type), row->op);
    }
}

const struct ert_section_row ert_section_levels = {.by_default = true, .plan = plan_levels};
const struct ert_section_row ert_section_compute = {.by_default = true,
                                                    .plan = plan_compute};

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
        if (wanted[s] && !mode && ert_sections[s]->plan)
            ert_sections[s]->plan(planner);
        else if (wanted[s] && ert_sections[s]->mode != mode)
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
