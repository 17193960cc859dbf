/* Latencies: the least median over a level's variants, in seconds and in clocks held. */
#include "ert/ceilings/extras.h"

#include "ert/ceilings/levels.h"

#include <stdio.h>

static const struct ert_point *fastest(const struct ert_extras *extras,
                                       const struct ert_level *level, const char **reason)
{
    const struct ert_point *best = NULL;
    for (size_t i = 0; i < extras->samples->n_points; i++) {
        const struct ert_point *point = &extras->samples->points[i];
        if (point->section != ERT_SECTION_LATENCY || point->case_.path != level->path)
            continue;
        if (point->status != ERT_POINT_MEASURED && *point->reason)
            *reason = point->reason;
        if (point->n_samples > 0 && point->status == ERT_POINT_MEASURED &&
            ert_extras_level(extras->device, point) == level &&
            (!best || ert_levels_latency(point) < ert_levels_latency(best)))
            best = point;
    }
    return best;
}

bool ert_extras_latency(struct ert_extras *extras)
{
    bool planned = false, done = true;
    for (size_t i = 0; i < extras->samples->n_points; i++)
        planned |= extras->samples->points[i].section == ERT_SECTION_LATENCY;
    for (uint32_t i = 0; i < extras->device->n_levels && planned && done; i++) {
        const struct ert_level *level = &extras->device->levels[i];
        const char *reason = "not measured";
        const struct ert_point *point = fastest(extras, level, &reason);
        char name[32];
        snprintf(name, sizeof name, "%s-latency", level->name);
        if (!point) {
            ert_extras_absent(extras->out, name, reason);
            continue;
        }
        struct ert_extra *extra =
            ert_extras_add(extras, ERT_EXTRA_LATENCY, point, ert_point_latency, "s", &done);
        if (!extra)
            continue;
        snprintf(extra->common.name, sizeof extra->common.name, "%s", name);
        snprintf(extra->level, sizeof extra->level, "%s", level->name);
    }
    return done;
}
