#include "ert/ceilings/again_targets.h"

#include "ert/ert110/hook.h"
#include "ert/sweep/sets.h"

#include <string.h>

/* On CPUs a set above this takes a tenth of a second and more to prepare. */
static const double costly_bytes = 256.0 * 1024 * 1024;

/* Of the extra kinds, those that are measured again. */
static const struct {
    enum ert_extra_kind kind;
    enum ert_section section;
} extra_kinds[] = {
    {ERT_EXTRA_LATENCY, ERT_SECTION_LATENCY},
    {ERT_EXTRA_LINK,    ERT_SECTION_LINKS  },
};
enum { N_EXTRA_KINDS = sizeof extra_kinds / sizeof extra_kinds[0] };

static enum ert_path path_of(const struct ert_device *device, const char *level)
{
    const struct ert_level *found = ert_device_level(device, level);
    return found ? found->path : ERT_PATH_NONE;
}

/* 1 + the ordinal of the GPU of an id, or 0. */
static uint32_t ordinal_of(const struct ert_machine *machine, const char *id)
{
    const struct ert_device *device = *id ? ert_machine_device(machine, id) : NULL;
    return device && device->kind == ERT_DEVICE_GPU ? 1 + (uint32_t)device->gpu.ordinal : 0;
}

/* What the backend was asked for; files of version 2.0.0 say only what it took. */
static uint64_t set_of(const struct ert_ceiling *common, double working_set_bytes)
{
    return (uint64_t)(common->asked_bytes > 0 ? common->asked_bytes : working_set_bytes);
}

/* Of ERT's mode, whose levels say nothing of paths. */
static void as_ert110(const struct ert_device *device, struct ert_again_target *target)
{
    if (!ert110_hook.is_of(target->common))
        return;
    target->section = ERT_SECTION_ERT110;
    target->trials = (uint64_t)target->common->ert110.trials;
    target->case_ = (struct ert_case){0};
    ert110_hook.case_of(target->common, device, &target->case_);
}

static struct ert_again_target compute_target(const struct ert_device *device,
                                              const struct ert_compute_ceiling *ceiling)
{
    struct ert_again_target target = {.common = &ceiling->common,
                                      .section = ERT_SECTION_COMPUTE,
                                      .operation = "flop/s",
                                      .is_main =
                                          strcmp(ceiling->common.name, "fp64-fma") == 0,
                                      .case_.path = ERT_PATH_NONE};
    if (strncmp(ceiling->type, "int", 3) == 0)
        target.operation = "op/s";
    if (strcmp(ceiling->type, "inst") == 0)
        target.operation = "inst/s";
    as_ert110(device, &target);
    return target;
}

static struct ert_again_target memory_target(const struct ert_device *device,
                                             const struct ert_memory_ceiling *ceiling)
{
    const struct ert_level *level = ert_device_level(device, ceiling->level);
    struct ert_again_target target = {
        .common = &ceiling->common,
        .section = ERT_SECTION_LEVELS,
        .operation = "byte/s",
        .is_main = ceiling->roof,
        .case_ = {.path = path_of(device, ceiling->level),
                  .working_set_bytes = set_of(&ceiling->common, ceiling->working_set_bytes),
                  .to = level ? ert_sets_far_node(device, level) : 0}
    };
    as_ert110(device, &target);
    return target;
}

static struct ert_again_target extra_target(const struct ert_machine *machine,
                                            const struct ert_device *device,
                                            enum ert_section section,
                                            const struct ert_extra *extra)
{
    struct ert_again_target target = {
        .common = &extra->common, .section = section, .operation = extra->operation};
    target.case_.path = *extra->level ? path_of(device, extra->level) : ERT_PATH_NONE;
    target.case_.working_set_bytes = set_of(&extra->common, extra->working_set_bytes);
    /* On CPUs a chase is one thread's (plan_latency.c). */
    const struct ert_level *level = ert_device_level(device, extra->level);
    target.case_.to = level ? ert_sets_far_node(device, level) : 0;
    target.case_.concurrency =
        section == ERT_SECTION_LATENCY && device->kind == ERT_DEVICE_CPU;
    /* The other end of a link, which may be where it begins; the host is no GPU. */
    bool is_from = strcmp(extra->from, device->id) == 0;
    if (*extra->from && *extra->to)
        target.case_.to = ordinal_of(machine, is_from ? extra->to : extra->from);
    return target;
}

/* Whether a ceiling is cheap enough, or is what its level is known by. */
static bool is_worth(const struct ert_device *device,
                     const struct ert_memory_ceiling *ceiling)
{
    return device->kind == ERT_DEVICE_GPU || ceiling->working_set_bytes < costly_bytes ||
           ceiling->roof || strcmp(ceiling->pattern, "load") == 0;
}

enum ert_status ert_again_each(const struct ert_machine *machine,
                               const struct ert_device *device,
                               const struct ert_device_ceilings *ceilings,
                               ert_again_visit *visit, void *context,
                               struct ert_error *error)
{
    for (size_t i = 0; i < ceilings->n_compute; i++) {
        struct ert_again_target target = compute_target(device, &ceilings->compute[i]);
        ERT_TRY(visit(&target, context, error));
    }
    for (size_t i = 0; i < ceilings->n_memory; i++)
        if (is_worth(device, &ceilings->memory[i])) {
            struct ert_again_target target = memory_target(device, &ceilings->memory[i]);
            ERT_TRY(visit(&target, context, error));
        }
    for (size_t k = 0; k < N_EXTRA_KINDS; k++)
        for (size_t i = 0; i < ceilings->n_extra[extra_kinds[k].kind]; i++) {
            /* Copies of ordinary memory are the host's, and of the moment: 8 % from run to run. */
            if (strstr(ceilings->extra[extra_kinds[k].kind][i].pattern, "pageable"))
                continue;
            struct ert_again_target target =
                extra_target(machine, device, extra_kinds[k].section,
                             &ceilings->extra[extra_kinds[k].kind][i]);
            ERT_TRY(visit(&target, context, error));
        }
    return ERT_OK;
}
