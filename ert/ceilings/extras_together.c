/* What the devices attained while all of them ran the same at once, beside what each did alone. */
#include "ert/ceilings/extras.h"

#include "ert/ceilings/levels.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool same_case(const struct ert_case *a, const struct ert_case *b)
{
    return a->kernel == b->kernel && a->path == b->path && a->variant == b->variant &&
           a->working_set_bytes == b->working_set_bytes && a->to == b->to;
}

/* The point that was measured alone: a twin of the same section, or the link's own. */
static const struct ert_point *find_alone(const struct ert_device_samples *samples,
                                          const struct ert_point *point)
{
    for (size_t i = 0; i < samples->n_points; i++) {
        const struct ert_point *other = &samples->points[i];
        bool is_alone = (other->section == ERT_SECTION_TOGETHER && other->at_once == 1) ||
                        (other->section == ERT_SECTION_LINKS &&
                         ert_kernel_row(other->case_.kernel)->class_ == ERT_CLASS_LINK);
        if (is_alone && other->status == ERT_POINT_MEASURED && other->n_samples > 0 &&
            same_case(&other->case_, &point->case_))
            return other;
    }
    return NULL;
}

static void name_it(const struct ert_extras *extras, const struct ert_point *point,
                    struct ert_extra *extra)
{
    const struct ert_kernel *row = ert_kernel_row(point->case_.kernel);
    const struct ert_level *level = ert_extras_level(extras->device, point);
    char what[20];
    if (row->class_ == ERT_CLASS_COMPUTE)
        snprintf(extra->of, sizeof extra->of, "%s-%s", ert_type_name(row->type), row->op);
    else if (row->class_ == ERT_CLASS_MEMORY && level)
        snprintf(extra->of, sizeof extra->of, "%s-%s", level->name, row->op);
    else
        snprintf(extra->of, sizeof extra->of, "%s", row->op);
    snprintf(what, sizeof what, "%.19s", extra->of);
    snprintf(extra->from, sizeof extra->from, "%s", extras->device->id);
    for (uint32_t i = 0; i < extras->machine->n_devices && point->case_.to; i++)
        if (extras->machine->devices[i].kind == ERT_DEVICE_GPU &&
            extras->machine->devices[i].gpu.ordinal == (int)point->case_.to - 1)
            snprintf(extra->to, sizeof extra->to, "%s", extras->machine->devices[i].id);
    snprintf(extra->common.name, sizeof extra->common.name, "%s%s%.7s", what,
             *extra->to ? "-" : "", extra->to);
}

bool ert_extras_together(struct ert_extras *extras)
{
    bool done = true;
    for (size_t i = 0; i < extras->samples->n_points && done; i++) {
        const struct ert_point *point = &extras->samples->points[i];
        const struct ert_kernel *row = ert_kernel_row(point->case_.kernel);
        if (point->section != ERT_SECTION_TOGETHER || point->at_once < 2)
            continue;
        bool computes = row->class_ == ERT_CLASS_COMPUTE;
        struct ert_extra *extra =
            ert_extras_add(extras, ERT_EXTRA_TOGETHER, point,
                           computes ? ert_point_performance : ert_point_bandwidth,
                           !computes               ? "byte/s"
                           : row->type == ERT_INT8 ? "op/s"
                                                   : "flop/s",
                           &done);
        const struct ert_point *alone = find_alone(extras->samples, point);
        if (!extra)
            continue;
        name_it(extras, point, extra);
        extra->count = point->at_once;
        if (alone)
            extra->alone =
                computes ? ert_levels_performance(alone) : ert_levels_bandwidth(alone);
    }
    return done;
}

/* The row of another device for the same, or NULL. */
static const struct ert_extra *find_twin(const struct ert_device_ceilings *device,
                                         const struct ert_extra *extra)
{
    for (size_t i = 0; i < device->n_extra[ERT_EXTRA_TOGETHER]; i++) {
        const struct ert_extra *other = &device->extra[ERT_EXTRA_TOGETHER][i];
        if (strcmp(other->common.name, extra->common.name) == 0 &&
            other->count == extra->count)
            return other;
    }
    return NULL;
}

void ert_extras_add_up(struct ert_ceilings *ceilings)
{
    for (size_t d = 0; d < ceilings->n_devices; d++)
        for (size_t i = 0; i < ceilings->devices[d].n_extra[ERT_EXTRA_TOGETHER]; i++) {
            struct ert_extra *extra = &ceilings->devices[d].extra[ERT_EXTRA_TOGETHER][i];
            double sum = 0, slowest = extra->common.value;
            uint32_t n = 0;
            for (size_t o = 0; o < ceilings->n_devices; o++) {
                const struct ert_extra *twin = find_twin(&ceilings->devices[o], extra);
                if (!twin)
                    continue;
                n++;
                sum += twin->common.value;
                slowest = fmin(slowest, twin->common.value);
            }
            if (*extra->to || n != extra->count)
                continue;
            extra->aggregate = sum;
            extra->lockstep = n * slowest;
            extra->imbalance = extra->lockstep / sum;
        }
}
