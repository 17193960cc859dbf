/*
 * Latencies: the least median over a level's variants, in seconds and in clocks held. Variants that
 * chase through a part of a level have rows of their own.
 */
#include "ert/ceilings/extras.h"

#include "ert/ceilings/levels.h"

#include <stdio.h>
#include <string.h>

/* What a variant's name says when it is of a part, and what its row is called then. */
static const struct part {
    const char *words, *suffix;
} parts[] = {
    {"",          ""     }, /* the whole level: none of the words below */
    {"near half", "-near"},
    {"far half",  "-far" },
};
enum { N_PARTS = sizeof parts / sizeof parts[0] };

static const struct part *part_of(const struct ert_point *point)
{
    for (size_t i = 1; i < N_PARTS; i++)
        if (strstr(point->variant.name, parts[i].words))
            return &parts[i];
    return &parts[0];
}

static const struct ert_point *fastest(const struct ert_extras *extras,
                                       const struct ert_level *level,
                                       const struct part *part, const char **reason)
{
    const struct ert_point *best = NULL;
    for (size_t i = 0; i < extras->samples->n_points; i++) {
        const struct ert_point *point = &extras->samples->points[i];
        if (point->section != ERT_SECTION_LATENCY || point->case_.path != level->path ||
            part_of(point) != part)
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

static bool add(struct ert_extras *extras, const struct ert_level *level,
                const struct part *part)
{
    bool done = true;
    const char *reason = "not measured";
    const struct ert_point *point = fastest(extras, level, part, &reason);
    char name[32];
    snprintf(name, sizeof name, "%s-latency%s", level->name, part->suffix);
    if (!point) {
        if (part == &parts[0]) /* not every level has parts */
            ert_extras_absent(extras->out, name, reason);
        return true;
    }
    struct ert_extra *extra =
        ert_extras_add(extras, ERT_EXTRA_LATENCY, point, ert_point_latency, "s", &done);
    if (!extra)
        return done;
    snprintf(extra->common.name, sizeof extra->common.name, "%s", name);
    snprintf(extra->level, sizeof extra->level, "%s", level->name);
    return true;
}

bool ert_extras_latency(struct ert_extras *extras)
{
    bool planned = false, done = true;
    for (size_t i = 0; i < extras->samples->n_points; i++)
        planned |= extras->samples->points[i].section == ERT_SECTION_LATENCY;
    for (uint32_t i = 0; i < extras->device->n_levels && planned; i++)
        for (size_t p = 0; p < N_PARTS && done; p++)
            done = add(extras, &extras->device->levels[i], &parts[p]);
    return done;
}
