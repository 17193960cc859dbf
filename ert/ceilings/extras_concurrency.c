/* Concurrency: a ceiling's rate at each number of threads or of warps per SM. */
#include "ert/ceilings/extras.h"

#include "ert/sweep/sets.h"

#include <stdio.h>
#include <string.h>

/* The ceiling that the point is one of, "fp64-fma" or "L2-load"; false when no level answers it. */
static bool name_ceiling(const struct ert_point *point, const struct ert_level *level,
                         char *name, size_t size)
{
    const struct ert_kernel *row = ert_kernel_row(point->case_.kernel);
    bool computes = row->class_ == ERT_CLASS_COMPUTE;
    if (!computes && !level)
        return false;
    snprintf(name, size, "%s-%s", computes ? ert_type_name(row->type) : level->name,
             row->op);
    return true;
}

/* A memory's set that the config's memory cut short of what proves the level. */
static void doubt_small_set(const struct ert_extras *extras, const struct ert_point *point,
                            const struct ert_level *level, struct ert_ceiling *ceiling)
{
    struct ert_device reached = ert_counts_reach(extras->device, point->case_.concurrency);
    const struct ert_level *same = &reached.levels[level - extras->device->levels];
    double set = (double)point->work.working_set_bytes, low, high;
    ert_sets_level_range(&reached, same, &low, &high);
    if (level->kind == ERT_LEVEL_MEMORY &&
        set < 0.99 * ert_sets_least_bytes(&reached, same))
        ert_evidence_doubt(ceiling, ERT_CONFIDENCE_MEDIUM,
                           "the set is only %.1f times the caches of these threads",
                           set / low);
}

static bool add(struct ert_extras *extras, const struct ert_point *point)
{
    const struct ert_kernel *row = ert_kernel_row(point->case_.kernel);
    bool computes = row->class_ == ERT_CLASS_COMPUTE, done = true;
    bool is_cpu = extras->device->kind == ERT_DEVICE_CPU;
    const struct ert_level *level =
        computes ? NULL : ert_extras_level(extras->device, point);
    char of[24];
    if (!name_ceiling(point, level, of, sizeof of))
        return true;
    struct ert_extra *extra =
        ert_extras_add(extras, ERT_EXTRA_CONCURRENCY, point,
                       computes ? ert_point_performance : ert_point_bandwidth,
                       computes ? "flop/s" : "byte/s", &done);
    if (!extra)
        return done;
    char name[80];
    extra->count = point->case_.concurrency;
    extra->ilp = is_cpu ? 0 : 1u << point->case_.variant;
    snprintf(extra->of, sizeof extra->of, "%s", of);
    snprintf(extra->axis, sizeof extra->axis, "%s", is_cpu ? "threads" : "warps-per-sm");
    if (is_cpu)
        snprintf(name, sizeof name, "%s-at-%u-threads", of, extra->count);
    else
        snprintf(name, sizeof name, "%s-at-%u-warps-ilp-%u", of, extra->count, extra->ilp);
    snprintf(extra->common.name, sizeof extra->common.name, "%.31s", name);
    if (level) {
        snprintf(extra->level, sizeof extra->level, "%s", level->name);
        doubt_small_set(extras, point, level, &extra->common);
    }
    return done;
}

/*
 * A ceiling without any count is listed with its reason; single counts that a device cannot hold (a
 * register file full) say so in the samples.
 */
static void note_absent(struct ert_extras *extras, const struct ert_point *point)
{
    const struct ert_kernel *row = ert_kernel_row(point->case_.kernel);
    struct ert_point wanted = *point;
    wanted.work.working_set_bytes = point->case_.working_set_bytes;
    const struct ert_level *level = ert_extras_level(extras->device, &wanted);
    char of[16], name[32];
    if (!*point->reason || point->status == ERT_POINT_MEASURED)
        return;
    if (!name_ceiling(point, row->class_ == ERT_CLASS_COMPUTE ? NULL : level, of,
                      sizeof of))
        return;
    for (size_t i = 0; i < extras->out->n_extra[ERT_EXTRA_CONCURRENCY]; i++)
        if (strcmp(extras->out->extra[ERT_EXTRA_CONCURRENCY][i].of, of) == 0)
            return;
    snprintf(name, sizeof name, "%s-concurrency", of);
    ert_extras_absent(extras->out, name, point->reason);
}

bool ert_extras_concurrency(struct ert_extras *extras)
{
    const struct ert_device_samples *samples = extras->samples;
    bool done = true;
    for (size_t i = 0; i < samples->n_points && done; i++)
        if (samples->points[i].section == ERT_SECTION_CONCURRENCY)
            done = add(extras, &samples->points[i]);
    for (size_t i = 0; i < samples->n_points; i++)
        if (samples->points[i].section == ERT_SECTION_CONCURRENCY)
            note_absent(extras, &samples->points[i]);
    return done;
}
