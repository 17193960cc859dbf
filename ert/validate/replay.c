#include "ert/validate/replay.h"

#include "ert/ert110/hook.h"
#include "ert/sweep/plan.h"
#include "ert/sweep/sets.h"

#include <stdio.h>
#include <string.h>

/* A list that does not say how many sets it may need: variants do not depend on them. */
static const struct ert_session_options any_options = {.working_set_max_bytes =
                                                           UINT64_MAX / 4};

/* Whether the variant is of that name, or with the case's launch behind its own. */
static bool is_named(const struct ert_variant *variant, const struct ert_case *case_,
                     const char *name)
{
    struct ert_variant launched = *variant;
    if (!*name || strcmp(variant->name, name) == 0 || strcmp(variant->isa, name) == 0)
        return true;
    if (ert_kernel_row(case_->kernel)->class_ != ERT_CLASS_ERT110)
        return false;
    ert110_hook.name(case_, &launched);
    return strcmp(launched.name, name) == 0;
}

enum ert_status ert_replay_variant(const struct ert_backend *backend,
                                   const struct ert_device *device,
                                   const struct ert_session_options *options,
                                   const char *name, struct ert_case *case_,
                                   struct ert_error *error)
{
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[192] = "", names[768] = "";
    const char *kernel_name = ert_kernel_row(case_->kernel)->name;
    size_t n = backend->variants(device, options, case_->kernel, case_->path, variants,
                                 reason, sizeof reason);
    if (n == 0)
        return ert_fail(error, ERT_UNAVAILABLE, "%s on path %s: %s", kernel_name,
                        ert_path_name(case_->path), reason);
    for (uint32_t i = 0; i < n; i++) {
        if (is_named(&variants[i], case_, name)) {
            case_->variant = i;
            return ERT_OK;
        }
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s'%.47s'", used ? ", " : "",
                 variants[i].name);
    }
    return ert_fail(error, ERT_UNAVAILABLE, "%s on path %s has no variant '%s'; has %s",
                    kernel_name, ert_path_name(case_->path), name, names);
}

static void set_case(struct ert_replay *replay, const struct ert_device *device,
                     double working_set_bytes, uint32_t stride_bytes)
{
    struct ert_error error = {0};
    struct ert_case *case_ = &replay->case_;
    enum ert_status status =
        ert_kernel_find(replay->ceiling->kernel, &case_->kernel, &error);
    case_->path = replay->level ? replay->level->path : ERT_PATH_NONE;
    case_->working_set_bytes = (uint64_t)working_set_bytes;
    case_->to = replay->level ? ert_sets_far_node(device, replay->level) : 0;
    case_->stride_bytes = stride_bytes;
    if (status == ERT_OK && ert110_hook.is_of(replay->ceiling))
        ert110_hook.case_of(replay->ceiling, device, case_);
    else if (status == ERT_OK)
        case_->flops_per_element = ert_kernel_row(case_->kernel)->flops;
    if (status == ERT_OK)
        status = ert_replay_variant(replay->backend, device, &any_options,
                                    replay->ceiling->launch.name, case_, &error);
    if (status != ERT_OK)
        snprintf(replay->reason, sizeof replay->reason, "%.191s", error.text);
}

/* Appends a ceiling; level "" for none. */
static size_t add(struct ert_replay *replays, size_t n, size_t max,
                  const struct ert_device *device, struct ert_ceiling *ceiling,
                  const char *level, double working_set_bytes, uint32_t stride_bytes)
{
    if (n == max)
        return n;
    struct ert_replay *replay = &replays[n];
    *replay = (struct ert_replay){.ceiling = ceiling,
                                  .backend = ert_backend_find(device->backend)};
    /* ERT's labels are no levels. */
    bool has_level = *level && !ert110_hook.is_of(ceiling);
    if (has_level)
        replay->level = ert_device_level(device, level);
    if (!replay->backend)
        snprintf(replay->reason, sizeof replay->reason, "no backend '%s'", device->backend);
    else if (has_level && !replay->level)
        snprintf(replay->reason, sizeof replay->reason, "the device has no level '%s'",
                 level);
    else
        set_case(replay, device, working_set_bytes, stride_bytes);
    return n + 1;
}

size_t ert_replay_list(const struct ert_machine *machine,
                       struct ert_device_ceilings *ceilings, struct ert_replay *replays,
                       size_t max)
{
    static const enum ert_extra_kind kinds[] = {ERT_EXTRA_LATENCY, ERT_EXTRA_ACCESS};
    const struct ert_device *device = ert_machine_device(machine, ceilings->device);
    size_t n = 0;
    if (!device)
        return 0;
    for (size_t i = 0; i < ceilings->n_compute; i++)
        n = add(replays, n, max, device, &ceilings->compute[i].common, "", 0, 0);
    for (size_t i = 0; i < ceilings->n_memory; i++)
        n = add(replays, n, max, device, &ceilings->memory[i].common,
                ceilings->memory[i].level, ceilings->memory[i].working_set_bytes, 0);
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (size_t i = 0; i < ceilings->n_extra[kinds[k]]; i++) {
            struct ert_extra *extra = &ceilings->extra[kinds[k]][i];
            n = add(replays, n, max, device, &extra->common, extra->level,
                    extra->working_set_bytes, extra->stride_bytes);
        }
    return n;
}

struct ert_session_options ert_replay_options(const struct ert_ceilings *ceilings,
                                              const struct ert_device *device,
                                              const struct ert_replay *replays, size_t n)
{
    struct ert_session_options options = {0};
    if (*ceilings->mode) {
        struct ert_config config;
        ert110_hook.config_of(ceilings, &config);
        const struct ert_context context = {.device = *device,
                                            .n_threads = ert_context_threads(device, 0)};
        return ert_plan_options(&config, &context);
    }
    for (size_t i = 0; i < n; i++)
        if (replays[i].case_.working_set_bytes > options.working_set_max_bytes)
            options.working_set_max_bytes = replays[i].case_.working_set_bytes;
    return options;
}
