#include "ert/sweep/planner.h"

#include "ert/sweep/counts.h"
#include "ert/sweep/sets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum ert_status ert_planner_add(struct ert_planner *planner, enum ert_section section,
                                const struct ert_case *case_,
                                const struct ert_variant *variant)
{
    struct ert_device_samples *out = planner->out;
    if (out->n_points == planner->capacity) {
        size_t capacity = planner->capacity ? 2 * planner->capacity : 256;
        struct ert_point *grown = realloc(out->points, capacity * sizeof *grown);
        if (!grown)
            return ert_fail(planner->error, ERT_FAILED, "no memory for %zu points",
                            capacity);
        out->points = grown;
        planner->capacity = capacity;
    }
    out->points[out->n_points++] =
        (struct ert_point){.section = section, .case_ = *case_, .variant = *variant};
    return ERT_OK;
}

void ert_planner_absent(struct ert_planner *planner, const char *name, const char *reason)
{
    struct ert_device_samples *out = planner->out;
    if (out->n_absent == ERT_MAX_ABSENT_KERNELS)
        return;
    struct ert_absent_kernel *row = &out->absent[out->n_absent++];
    snprintf(row->name, sizeof row->name, "%s", name);
    snprintf(row->reason, sizeof row->reason, "%s", reason);
}

size_t ert_planner_variants(struct ert_planner *planner, enum ert_kernel_id kernel,
                            enum ert_path path, bool all_isas,
                            struct ert_variant variants[ERT_MAX_VARIANTS],
                            uint32_t indices[ERT_MAX_VARIANTS], char *reason, size_t size)
{
    const struct ert_backend *backend = ert_backend_find(planner->device->backend);
    size_t n = backend->variants(planner->device, &planner->options, kernel, path, variants,
                                 reason, size);
    bool is_cpu = planner->device->kind == ERT_DEVICE_CPU && n > 0 && *variants[0].isa;
    bool is_named = is_cpu && *planner->config->isa;
    const char *isa = is_named ? planner->config->isa : variants[0].isa;
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!is_cpu || (all_isas && !is_named) || strcmp(variants[i].isa, isa) == 0) {
            indices[kept] = (uint32_t)i;
            variants[kept++] = variants[i];
        }
    if (n > 0 && kept == 0)
        snprintf(reason, size, "no variant for the ISA '%s' of the config", isa);
    return kept;
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
