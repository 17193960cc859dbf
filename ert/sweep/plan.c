#include "ert/sweep/plan.h"

#include "ert/base/clock.h"
#include "ert/sweep/counts.h"
#include "ert/sweep/planner.h"
#include "ert/sweep/sets.h"

#include <stdio.h>
#include <string.h>

/* On CPUs ERT's buffer is one of its own: the backend's are as small as they may be. */
static void set_ert110_options(const struct ert_config *config,
                               const struct ert_device *device,
                               struct ert_session_options *options)
{
    const struct ert110_options *ert110 = &config->ert110;
    uint32_t most = device->cpu.n_pus_usable;
    options->ert110_bytes = ert110->memory_bytes;
    options->ert110_align_bytes = (uint32_t)ert110->align_bytes;
    options->ert110_is_aligned = ert110->is_aligned != 0;
    options->ert110_copies = ert110->copies != 0;
    options->working_set_max_bytes = ert110->memory_bytes;
    if (device->kind != ERT_DEVICE_CPU)
        return;
    options->working_set_max_bytes = UINT64_C(1) << 20;
    for (uint32_t i = 0; i < ert110->n_threads; i++)
        if (ert110->threads[i] > options->max_threads && ert110->threads[i] <= most)
            options->max_threads = ert110->threads[i];
}

enum ert_status ert_plan_context(const struct ert_config *config,
                                 const struct ert_device *device,
                                 struct ert_context *context, struct ert_error *error)
{
    return ert_context_make(device, config->threads,
                            config->sections[ERT_SECTION_CONCURRENCY], context, error);
}

struct ert_session_options ert_plan_options(const struct ert_config *config,
                                            const struct ert_context *context)
{
    const struct ert_device *device = &context->device;
    struct ert_session_options options = {.threads = context->n_threads,
                                          .max_threads = context->max_threads,
                                          .timeout_s = config->timeout_s,
                                          .seed = config->seed,
                                          .tensor_zeros = config->tensor_zeros != 0};
    if (config->sections[ERT_SECTION_ERT110]) {
        set_ert110_options(config, device, &options);
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

static void add_absent(struct ert_planner *planner, const char *level, const char *op,
                       const char *reason)
{
    char name[32];
    snprintf(name, sizeof name, "%s-%s", level, op);
    ert_planner_absent(planner, name, reason);
}

static enum ert_status plan_compute(struct ert_planner *planner, enum ert_kernel_id kernel)
{
    struct ert_variant variants[ERT_MAX_VARIANTS];
    uint32_t indices[ERT_MAX_VARIANTS];
    char reason[192] = "";
    const struct ert_kernel *row = ert_kernel_row(kernel);
    size_t n = ert_planner_variants(planner, kernel, ERT_PATH_NONE, true, variants, indices,
                                    reason, sizeof reason);
    if (n == 0)
        add_absent(planner, ert_type_name(row->type), row->op, reason);
    for (size_t i = 0; i < n; i++) {
        struct ert_case case_ = {.kernel = kernel,
                                 .path = ERT_PATH_NONE,
                                 .flops_per_element = row->flops,
                                 .variant = indices[i]};
        ERT_TRY(ert_planner_add(planner, ERT_SECTION_COMPUTE, &case_, &variants[i]));
    }
    return ERT_OK;
}

static enum ert_status plan_memory(struct ert_planner *planner, enum ert_kernel_id kernel,
                                   enum ert_path path)
{
    struct ert_variant variants[ERT_MAX_VARIANTS];
    uint32_t indices[ERT_MAX_VARIANTS];
    uint64_t sizes[ERT_MAX_SETS];
    char reason[192] = "";
    const struct ert_device *device = planner->device;
    const struct ert_kernel *row = ert_kernel_row(kernel);
    size_t n = ert_planner_variants(planner, kernel, path, false, variants, indices, reason,
                                    sizeof reason);
    if (n == 0) {
        for (uint32_t l = 0; l < device->n_levels; l++)
            if (device->levels[l].path == path)
                add_absent(planner, device->levels[l].name, row->op, reason);
        return ERT_OK;
    }
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
    for (size_t s = 0; s < n_sizes; s++)
        for (size_t i = 0; i < n && (double)sizes[s] >= 0.99 * low; i++) {
            struct ert_case case_ = {.kernel = kernel,
                                     .path = path,
                                     .flops_per_element = row->flops,
                                     .working_set_bytes = sizes[s],
                                     .variant = indices[i]};
            ERT_TRY(ert_planner_add(planner, ERT_SECTION_LEVELS, &case_, &variants[i]));
        }
    if (planner->out->n_points == before)
        add_absent(planner, ert_sets_last_level(device, path)->name, row->op,
                   "no working set is larger than the caches");
    return ERT_OK;
}

/* One set in the middle of each level's range, for every flop count: the roofline's own points. */
static enum ert_status plan_mixed(struct ert_planner *planner, enum ert_kernel_id kernel,
                                  const struct ert_level *level)
{
    struct ert_variant variants[ERT_MAX_VARIANTS];
    uint32_t indices[ERT_MAX_VARIANTS];
    char reason[192] = "";
    uint64_t set = ert_planner_set(planner, level);
    size_t n =
        ert_planner_variants(planner, kernel, level->path, false, variants, indices, reason,
                             sizeof reason); /* none: no ceiling is missing */
    for (int f = 0; f < ERT_N_MIXED_FLOPS && set; f++)
        for (size_t v = 0; v < n && planner->config->mixed_flops[f]; v++) {
            struct ert_case case_ = {.kernel = kernel,
                                     .path = level->path,
                                     .flops_per_element = ert_kernel_mixed_flops[f],
                                     .working_set_bytes = set,
                                     .variant = indices[v]};
            ERT_TRY(ert_planner_add(planner, ERT_SECTION_MIXED, &case_, &variants[v]));
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
        size_t used = strlen(list);
        /* The planted machine has no instruction sets to choose from. */
        if (!*isa || !*variants[i].isa || strcmp(variants[i].isa, isa) == 0)
            return ERT_OK;
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", variants[i].isa);
    }
    return ert_fail(planner->error, ERT_USAGE, "%s: no instruction set '%s'; there are: %s",
                    device->id, isa, list);
}

/* Whether the config wants the kernel and the device can have it. */
static bool is_concerned(const struct ert_planner *planner, enum ert_kernel_id kernel,
                         enum ert_kernel_class class_)
{
    return planner->config->kernels[kernel] && ert_kernel_row(kernel)->class_ == class_ &&
           (planner->device->kind == ERT_DEVICE_CPU ? ert_kernel_on_cpu(kernel)
                                                    : ert_kernel_on_gpu(kernel));
}

static enum ert_status plan_all_levels(struct ert_planner *planner)
{
    for (int k = 0; k < ERT_N_KERNELS; k++)
        for (int p = 0; p < ERT_N_PATHS; p++)
            if (is_concerned(planner, (enum ert_kernel_id)k, ERT_CLASS_MEMORY) &&
                ert_sets_first_level(planner->device, (enum ert_path)p))
                ERT_TRY(plan_memory(planner, (enum ert_kernel_id)k, (enum ert_path)p));
    for (uint32_t l = 0; l < planner->device->n_levels; l++)
        for (int k = 0; k < ERT_N_KERNELS; k++)
            if (is_concerned(planner, (enum ert_kernel_id)k, ERT_CLASS_MEMORY) &&
                ert_sets_far_node(planner->device, &planner->device->levels[l]))
                ERT_TRY(ert_plan_far_memory(planner, (enum ert_kernel_id)k,
                                            &planner->device->levels[l]));
    return ERT_OK;
}

static enum ert_status plan_all_compute(struct ert_planner *planner)
{
    for (int k = 0; k < ERT_N_KERNELS; k++)
        if (is_concerned(planner, (enum ert_kernel_id)k, ERT_CLASS_COMPUTE))
            ERT_TRY(plan_compute(planner, (enum ert_kernel_id)k));
    return ERT_OK;
}

static enum ert_status plan_all_mixed(struct ert_planner *planner)
{
    for (int k = 0; k < ERT_N_KERNELS; k++)
        for (uint32_t l = 0; l < planner->device->n_levels; l++)
            if (is_concerned(planner, (enum ert_kernel_id)k, ERT_CLASS_MIXED) &&
                !ert_sets_far_node(planner->device, &planner->device->levels[l]))
                ERT_TRY(plan_mixed(planner, (enum ert_kernel_id)k,
                                   &planner->device->levels[l]));
    return ERT_OK;
}

/* Together is planned by the run: its points are those that won. */
static enum ert_status (*const sections[ERT_N_SECTIONS])(struct ert_planner *) = {
    [ERT_SECTION_LEVELS] = plan_all_levels,
    [ERT_SECTION_COMPUTE] = plan_all_compute,
    [ERT_SECTION_MIXED] = plan_all_mixed,
    [ERT_SECTION_LATENCY] = ert_plan_latency,
    [ERT_SECTION_ACCESS] = ert_plan_access,
    [ERT_SECTION_CONCURRENCY] = ert_plan_concurrency,
    [ERT_SECTION_LINKS] = ert_plan_links,
    [ERT_SECTION_PLACES] = ert_plan_places,
    [ERT_SECTION_ERT110] = ert110_plan,
};

static enum ert_status plan_device(struct ert_planner *planner)
{
    if (planner->device->kind == ERT_DEVICE_CPU)
        ERT_TRY(check_cpu(planner));
    for (int s = 0; s < ERT_N_SECTIONS; s++)
        if (planner->config->sections[s] && sections[s])
            ERT_TRY(sections[s](planner));
    return ERT_OK;
}

/* Whether the config's device word names this device. */
static bool is_wanted(const char *word, const struct ert_device *device)
{
    bool is_fake = strcmp(device->backend, "fake") == 0;
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
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", device->id);
        if (!is_wanted(samples->config.device, device))
            continue;
        struct ert_device_samples *out = &samples->devices[samples->n_devices++];
        *out = (struct ert_device_samples){.status = "planned"};
        memcpy(out->device, device->id, sizeof out->device);
        ERT_TRY(ert_plan_context(&samples->config, device, &out->context, error));
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
                   2 * (double)plan->points[i].case_.working_set_bytes / rate;
    /* The leaders of a round are about a fifth of all points. */
    double total =
        open_s + round_s * ((double)config->rounds + 0.2 * (double)config->leader_rounds);
    return config->budget_s > 0 && total > config->budget_s ? config->budget_s : total;
}
