/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/validate/replay.h"

#include "ert/core/fit/extras.h"
#include "ert/core/sweep/mode.h"
#include "ert/core/sweep/plan.h"
#include "ert/core/sweep/sets.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <string.h>

/* Options for listing variants, which do not depend on the largest set. */
static const struct ert_session_options any_options = {.working_set_max_bytes =
                                                           UINT64_MAX / 4};

static void set_spec(struct ert_replay *replay, const struct ert_device *device,
                     double actual_bytes)
{
    struct ert_error error = {0};
    struct ert_spec *spec = &replay->spec;
    enum ert_status status =
        ert_kernel_find(replay->ceiling->kernel, &spec->kernel, &error);
    const struct ert_mode *mode =
        status == ERT_OK ? ert_mode_of_kernel(spec->kernel) : NULL;
    struct ert_point point = {.spec = *spec};
    if (mode) {
        status = mode->recall(replay->ceiling, device, &any_options, &point, &error);
        *spec = point.spec;
        if (status != ERT_OK)
            snprintf(replay->reason, sizeof replay->reason, "%.191s", error.text);
        return;
    }
    spec->path = replay->level ? replay->level->path : ERT_PATH_NONE;
    spec->requested_bytes = (uint64_t)actual_bytes;
    spec->to = replay->level ? ert_sets_far_node(device, replay->level) : 0;
    if (status == ERT_OK)
        spec->flops_per_element = ert_kernel_row(spec->kernel)->flops;
    if (status == ERT_OK)
        status =
            ert_plan_variant(device, &any_options, replay->ceiling->evidence->launch.name,
                             spec, &point.variant, &error);
    if (status != ERT_OK)
        snprintf(replay->reason, sizeof replay->reason, "%.191s", error.text);
}

static void replay_make(struct ert_replay *replay, const struct ert_device *device,
                        struct ert_ceiling *ceiling)
{
    const char *level = ceiling->key.level;
    *replay = (struct ert_replay){.ceiling = ceiling,
                                  .backend = ert_backend_find(device->backend)};
    /* A mode's labels are not levels. */
    bool has_level = *level && ceiling->evidence->flops_per_element == 0;
    if (has_level)
        replay->level = ert_device_level(device, level);
    if (!replay->backend)
        snprintf(replay->reason, sizeof replay->reason, "no backend '%s'", device->backend);
    else if (has_level && !replay->level)
        snprintf(replay->reason, sizeof replay->reason, "the device has no level '%s'",
                 level);
    else
        set_spec(replay, device, ceiling->evidence->actual_bytes);
}

size_t ert_replay_list(const struct ert_machine *machine,
                       struct ert_device_ceilings *ceilings, struct ert_replay *replays)
{
    const struct ert_device *device = ert_machine_device(machine, ceilings->device);
    size_t n = 0;
    if (!device)
        return 0;
    for (size_t i = 0; i < ceilings->n && n < ERT_MAX_REPLAYS; i++)
        if (ceilings->ceilings[i].kind <= ERT_CEILING_LATENCY ||
            ert_ceiling_is_of_section(&ceilings->ceilings[i]))
            replay_make(&replays[n++], device, &ceilings->ceilings[i]);
    return n;
}

enum ert_status ert_replay_options(const struct ert_ceilings *ceilings,
                                   const struct ert_device *device,
                                   const struct ert_replay *replays, size_t n,
                                   struct ert_session_options *options,
                                   struct ert_error *error)
{
    const struct ert_mode *mode = ert_mode_titled(ceilings->mode);
    *options = (struct ert_session_options){0};
    if (mode) {
        struct ert_config config;
        const struct ert_context context = {.device = *device,
                                            .n_threads = ert_context_threads(device, 0)};
        ert_config_default(&config);
        ERT_TRY(mode->preset(&config, ceilings, error));
        *options = ert_plan_options(&config, &context);
        return ERT_OK;
    }
    for (size_t i = 0; i < n; i++)
        if (replays[i].spec.requested_bytes > options->working_set_max_bytes)
            options->working_set_max_bytes = replays[i].spec.requested_bytes;
    return ERT_OK;
}

/*
 * Lists the variants of one kernel on one path from index n on; flops: for ERT's kernels, else 0. Returns the
 * index after the last one.
 */
static size_t list_variants(const struct ert_backend *backend,
                            const struct ert_device *device, enum ert_kernel_id kernel,
                            enum ert_path path, uint32_t flops, struct ert_replay *replays,
                            struct ert_device_ceilings *ceilings, size_t n)
{
    static const struct ert_session_options options = {.working_set_max_bytes = 1 << 20};
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[192];
    size_t n_variants =
        backend->variants(device, &options, kernel, path, variants, reason, sizeof reason);
    for (uint32_t v = 0; v < n_variants && n < ERT_MAX_REPLAYS; v++, n++) {
        struct ert_ceiling *ceiling = ert_extras_add(ceilings, ERT_CEILING_COMPUTE);
        struct ert_variant *launch = &ceiling->evidence->launch;
        *launch = variants[v];
        snprintf(ceiling->name, sizeof ceiling->name, "%s", ert_kernel_row(kernel)->name);
        if (flops > 0)
            ert_append(launch->name, sizeof launch->name, ", %u flops", flops);
        replays[n] = (struct ert_replay){.backend = backend};
        replays[n].spec = (struct ert_spec){.kernel = kernel,
                                            .path = path,
                                            .variant = v,
                                            .flops_per_element = flops ? flops : 1};
    }
    return n;
}

size_t ert_replay_build(const struct ert_backend *backend, const struct ert_device *device,
                        struct ert_replay *replays, struct ert_device_ceilings *ceilings)
{
    size_t n = 0;
    for (int kernel = 0; kernel < ERT_N_KERNELS; kernel++)
        for (int path = 0; path < ERT_N_PATHS; path++) {
            bool is_of_mode = ert_kernel_row(kernel)->kind == ERT_KIND_MODE;
            bool is_fp16 = ert_kernel_row(kernel)->type == ERT_FP16; /* not of 1 flop */
            for (int f = is_fp16; is_of_mode && f < ERT_N_MIXED_FLOPS; f++)
                n = list_variants(backend, device, kernel, path, ert_kernel_mixed_flops[f],
                                  replays, ceilings, n);
            if (!is_of_mode)
                n = list_variants(backend, device, kernel, path, 0, replays, ceilings, n);
        }
    for (size_t i = 0; i < n; i++)
        replays[i].ceiling = &ceilings->ceilings[i];
    return n;
}

enum ert_status ert_region_run(const struct ert_backend *backend,
                               struct ert_session *session, struct ert_region *region,
                               bool *lost, struct ert_error *error)
{
    *lost = false;
    ERT_TRY(backend->prepare(session, &region->spec, &region->work, error));
    if (region->passes == 0)
        ERT_TRY(ert_backend_calibrate(backend, session, region->time_s, &region->passes,
                                      &region->sample, lost, error));
    ERT_TRY(backend->time(session, region->passes, &region->sample, lost, error));
    ERT_TRY(ert_sample_check(&region->sample, error));
    return backend->verify(session, error);
}

static const char key[] = "{\"ert-region\":";

/*
 * Passes of a region for counting. A cache's first pass after a launch may miss (every launch empties an SM's
 * L1), and shared memory is filled, poisoned and summed once: with 512 passes that is 0.6 %. 64 passes of a
 * chase are one launch of 131072 loads.
 */
enum { CACHE_PASSES = 512, LATENCY_PASSES = 64, COMPUTE_PASSES = 64 };

/* For memory: enough bytes that what L2 has not yet written, about 60 MB, is below half a percent. */
static const double memory_bytes = 0x1p34;
enum { MOST_MEMORY_PASSES = 64 };

/* If each pass is a launch, since profilers replay each launch a dozen times. */
enum { MOST_LAUNCHES = 8 };

static uint64_t default_passes(const struct ert_replay *replay)
{
    const struct ert_level *level = replay->level;
    if (!level)
        return COMPUTE_PASSES;
    if (ert_kernel_row(replay->spec.kernel)->kind == ERT_KIND_LATENCY)
        return LATENCY_PASSES;
    if (level->kind != ERT_LEVEL_MEMORY)
        return CACHE_PASSES;
    double passes = ceil(memory_bytes / (double)replay->spec.requested_bytes);
    return passes < MOST_MEMORY_PASSES ? (uint64_t)passes : MOST_MEMORY_PASSES;
}

void ert_region_make(const struct ert_device *device, const struct ert_replay *replay,
                     uint64_t passes, struct ert_region *region)
{
    struct ert_code code = {0};
    struct ert_error error = {0};
    *region = (struct ert_region){.spec = replay->spec, .passes = passes};
    snprintf(region->name, sizeof region->name, "%s", replay->ceiling->name);
    if (passes == 0)
        region->passes = default_passes(replay);
    if (passes == 0 && region->passes > MOST_LAUNCHES && replay->backend->code &&
        replay->backend->code(device, &replay->spec, &code, &error) == ERT_OK &&
        code.is_launched_per_pass)
        region->passes = MOST_LAUNCHES;
}

void ert_region_print(FILE *out, const struct ert_region *region)
{
    double passes = (double)region->sample.passes;
    fprintf(out,
            "%s \"%s\", \"kernel\": \"%s\", \"path\": \"%s\", \"set_bytes\": %llu, "
            "\"passes\": %llu, \"time_s\": %.9g, \"bytes\": %.17g, \"flops\": %.17g, "
            "\"loads\": %.17g}\n",
            key, region->name, ert_kernel_row(region->spec.kernel)->name,
            ert_path_name(region->spec.path), (unsigned long long)region->work.actual_bytes,
            (unsigned long long)region->sample.passes, region->sample.time_s,
            region->work.bytes_per_pass * passes, region->work.flops_per_pass * passes,
            region->work.loads_per_pass * passes);
}

static double replay_number(const cJSON *object, const char *name)
{
    const cJSON *value = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsNumber(value) && value->valuedouble >= 0 ? value->valuedouble : 0;
}

static bool read_one(const char *line, struct ert_region_totals *totals)
{
    cJSON *object = cJSON_ParseWithLength(line, strcspn(line, "\n"));
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(object, "ert-region");
    bool is_region = cJSON_IsString(name);
    if (is_region) {
        snprintf(totals->name, sizeof totals->name, "%s", name->valuestring);
        totals->passes = (uint64_t)replay_number(object, "passes");
        totals->time_s = replay_number(object, "time_s");
        totals->bytes = replay_number(object, "bytes");
        totals->flops = replay_number(object, "flops");
        totals->loads = replay_number(object, "loads");
    }
    cJSON_Delete(object);
    return is_region;
}

size_t ert_regions_read(const char *text, struct ert_region_totals *totals, size_t max)
{
    size_t n = 0;
    while (n < max && (text = strstr(text, key)) && read_one(text, &totals[n])) {
        n++;
        text += sizeof key - 1;
    }
    return n;
}
