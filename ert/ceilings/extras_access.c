/* Access: useful byte/s of each level, access size and stride; of several variants the fastest. */
#include "ert/ceilings/extras.h"

#include "ert/ceilings/levels.h"

#include <stdio.h>
#include <stdlib.h>

/* What a point measures. */
struct access {
    const struct ert_level *level; /* NULL: none, or the point is of another section */
    uint32_t access_bytes, stride_bytes;
};

static struct access access_of(const struct ert_extras *extras,
                               const struct ert_point *point)
{
    struct ert_point swept = *point;
    if (point->section != ERT_SECTION_ACCESS || point->case_.kernel != ERT_KERNEL_strided)
        return (struct access){0};
    if (swept.work.working_set_bytes == 0) /* never prepared: what was planned */
        swept.work.working_set_bytes = point->case_.working_set_bytes;
    return (struct access){ert_extras_level(extras->device, &swept),
                           (uint32_t)strtoul(point->variant.name, NULL, 10),
                           point->case_.stride_bytes};
}

static bool is_measured(const struct ert_point *point)
{
    return point->status == ERT_POINT_MEASURED && point->n_samples > 0;
}

/* Whether another point of the same access is to be taken instead: a faster one, or the first. */
static bool is_beaten(const struct ert_extras *extras, const struct ert_point *point,
                      const struct access *access)
{
    for (size_t i = 0; i < extras->samples->n_points; i++) {
        const struct ert_point *other = &extras->samples->points[i];
        const struct access theirs = access_of(extras, other);
        if (other == point || theirs.level != access->level ||
            theirs.access_bytes != access->access_bytes ||
            theirs.stride_bytes != access->stride_bytes)
            continue;
        if (is_measured(other) != is_measured(point)) {
            if (is_measured(other))
                return true;
            continue;
        }
        double faster = is_measured(point)
                            ? ert_levels_bandwidth(other) - ert_levels_bandwidth(point)
                            : 0;
        if (faster > 0 || (faster == 0 && other < point))
            return true;
    }
    return false;
}

static bool add(struct ert_extras *extras, const struct ert_point *point,
                const struct access *access)
{
    char name[32];
    bool done = true;
    snprintf(name, sizeof name, "%s-%uB-stride-%u", access->level->name,
             access->access_bytes, access->stride_bytes);
    if (!is_measured(point)) {
        ert_extras_absent(extras->out, name,
                          *point->reason ? point->reason : "not measured");
        return true;
    }
    struct ert_extra *extra = ert_extras_add(extras, ERT_EXTRA_ACCESS, point,
                                             ert_point_bandwidth, "byte/s", &done);
    if (!extra)
        return done;
    snprintf(extra->common.name, sizeof extra->common.name, "%s", name);
    snprintf(extra->level, sizeof extra->level, "%s", access->level->name);
    extra->access_bytes = access->access_bytes;
    extra->stride_bytes = access->stride_bytes;
    return true;
}

bool ert_extras_access(struct ert_extras *extras)
{
    bool done = true;
    for (size_t i = 0; i < extras->samples->n_points && done; i++) {
        const struct ert_point *point = &extras->samples->points[i];
        const struct access access = access_of(extras, point);
        if (access.level && !is_beaten(extras, point, &access))
            done = add(extras, point, &access);
    }
    return done;
}
