/*
 * The access section: for each level loads of a few bytes, some bytes apart, in a set that the
 * level answers alone. Strides are powers of two from the access size on; what is narrower than
 * four bytes is measured side by side only.
 */
#include "ert/sweep/planner.h"
#include "ert/sweep/sets.h"

#include <stdio.h>
#include <stdlib.h>

/* Four lines of 128 bytes: wider strides show no more than which sets of a cache collide. */
enum { MAX_STRIDE_BYTES = 512 };

enum { LEAST_STRIDED_BYTES = 4 };

static enum ert_status plan_variant(struct ert_planner *planner, struct ert_case case_,
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
        case_.stride_bytes = stride;
        ERT_TRY(ert_planner_add(planner, ERT_SECTION_ACCESS, &case_, variant));
    }
    return ERT_OK;
}

static enum ert_status plan_level(struct ert_planner *planner,
                                  const struct ert_level *level)
{
    struct ert_variant variants[ERT_MAX_VARIANTS];
    uint32_t indices[ERT_MAX_VARIANTS];
    char reason[192] = "no working set of this level is allowed", name[32];
    uint64_t set = ert_planner_set(planner, level);
    size_t n = 0;
    if (ert_sets_far_node(planner->device, level)) {
        set = 0;
        snprintf(reason, sizeof reason, "this section's buffers are placed by first touch");
    }
    if (set)
        n = ert_planner_variants(planner, ERT_KERNEL_strided, level->path, false, variants,
                                 indices, reason, sizeof reason);
    if (n == 0) {
        snprintf(name, sizeof name, "%s-strided", level->name);
        ert_planner_absent(planner, name, reason);
    }
    for (size_t i = 0; i < n; i++) {
        const struct ert_case case_ = {.kernel = ERT_KERNEL_strided,
                                       .path = level->path,
                                       .working_set_bytes = set,
                                       .variant = indices[i]};
        ERT_TRY(plan_variant(planner, case_, &variants[i]));
    }
    return ERT_OK;
}

enum ert_status ert_plan_access(struct ert_planner *planner)
{
    if (!planner->config->kernels[ERT_KERNEL_strided])
        return ERT_OK;
    for (uint32_t i = 0; i < planner->device->n_levels; i++)
        ERT_TRY(plan_level(planner, &planner->device->levels[i]));
    return ERT_OK;
}
