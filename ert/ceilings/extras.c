#include "ert/ceilings/extras.h"

#include "ert/sweep/sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char and_more[] = "and more";

/* Of a full list the last row makes place for the number of rows that it lacks, its own included. */
static void count_more(struct ert_absent *last)
{
    unsigned long n = 1;
    if (strcmp(last->name, and_more) == 0)
        n = strtoul(last->reason, NULL, 10);
    snprintf(last->name, sizeof last->name, "%s", and_more);
    snprintf(last->reason, sizeof last->reason, "%lu more: this list holds %d", n + 1,
             ERT_MAX_ABSENT);
}

void ert_extras_full(struct ert_device_ceilings *out, const char *name, size_t max)
{
    char reason[96];
    snprintf(reason, sizeof reason,
             "measured, but not kept: more than %zu ceilings of its kind", max);
    ert_extras_absent(out, name, reason);
}

void ert_extras_absent(struct ert_device_ceilings *out, const char *name,
                       const char *reason)
{
    for (size_t i = 0; i < out->n_absent; i++)
        if (strcmp(out->absent[i].name, name) == 0)
            return;
    if (out->n_absent == ERT_MAX_ABSENT) {
        count_more(&out->absent[ERT_MAX_ABSENT - 1]);
        return;
    }
    struct ert_absent *row = &out->absent[out->n_absent++];
    snprintf(row->name, sizeof row->name, "%s", name);
    snprintf(row->reason, sizeof row->reason, "%s", reason);
}

struct ert_extra *ert_extras_add(struct ert_extras *extras, enum ert_extra_kind kind,
                                 const struct ert_point *point, ert_rate rate,
                                 const char *operation, bool *done)
{
    static const char *const kinds[ERT_N_EXTRA_KINDS] = {"latency", "access", "concurrency",
                                                         "links",   "places", "together"};
    struct ert_device_ceilings *out = extras->out;
    if (point->status != ERT_POINT_MEASURED || point->n_samples == 0)
        return NULL;
    if (out->n_extra[kind] == ERT_MAX_EXTRA) {
        ert_extras_absent(out, kinds[kind], "more rows than the list holds");
        return NULL;
    }
    struct ert_extra *extra = &out->extra[kind][out->n_extra[kind]];
    *extra = (struct ert_extra){0};
    *done = ert_evidence_fill(&extra->common, &point, 1, 0, rate);
    if (!*done)
        return NULL;
    out->n_extra[kind]++;
    snprintf(extra->operation, sizeof extra->operation, "%s", operation);
    snprintf(extra->pattern, sizeof extra->pattern, "%s",
             ert_kernel_row(point->case_.kernel)->op);
    extra->working_set_bytes = (double)point->work.working_set_bytes;
    ert_evidence_interval(&extra->common, out->between);
    ert_evidence_judge(&extra->common, extras->device);
    return extra;
}

const struct ert_level *ert_extras_level(const struct ert_device *device,
                                         const struct ert_point *point)
{
    double set = (double)point->work.working_set_bytes, low, high;
    bool is_cpu = device->kind == ERT_DEVICE_CPU;
    struct ert_device reached = ert_counts_reach(device, point->case_.concurrency);
    for (uint32_t i = 0; i < device->n_levels; i++) {
        ert_sets_level_range(&reached, &reached.levels[i], &low, &high);
        if (is_cpu && point->case_.to != ert_sets_far_node(device, &device->levels[i]))
            continue; /* bound to another memory, or not bound to this one */
        if (device->levels[i].path == point->case_.path && set > low && set <= high)
            return &device->levels[i];
    }
    return NULL;
}
