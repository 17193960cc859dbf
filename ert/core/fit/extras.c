/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/fit/extras.h"

#include "ert/core/base/alloc.h"
#include "ert/core/fit/evidence.h"
#include "ert/core/sweep/section.h"
#include "ert/core/sweep/sets.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct ert_ceiling *ert_extras_add(struct ert_device_ceilings *out,
                                   enum ert_ceiling_kind kind)
{
    return ert_xcheck(ert_ceiling_add(out, kind), sizeof(struct ert_ceiling));
}

void ert_extras_not_measured(struct ert_device_ceilings *out, const char *name,
                             const char *reason)
{
    for (size_t i = 0; i < out->n_not_measured; i++)
        if (strcmp(out->not_measured[i].name, name) == 0)
            return;
    out->not_measured =
        ert_xrealloc(out->not_measured, out->n_not_measured + 1, sizeof *out->not_measured);
    struct ert_not_measured *row = &out->not_measured[out->n_not_measured++];
    snprintf(row->name, sizeof row->name, "%s", name);
    snprintf(row->reason, sizeof row->reason, "%s", reason);
}

ert_rate ert_extras_rate(const struct ert_point *point, enum ert_unit *unit)
{
    const enum ert_counted counted = ert_kernel_counts(point->spec.kernel);
    if (counted == ERT_COUNTS_OPERATIONS) {
        *unit = ert_unit_of_type(ert_type_name(ert_kernel_row(point->spec.kernel)->type));
        return ert_point_performance;
    }
    *unit = counted == ERT_COUNTS_LOADS ? ERT_UNIT_S : ERT_UNIT_BYTE_PER_S;
    return counted == ERT_COUNTS_LOADS ? ert_point_latency : ert_point_bandwidth;
}

/*
 * Standard deviation of copies between the host and a GPU over runs: 29 on three cards of shared hosts, where
 * one copy in three rounds was 6 % slower and the next was not (results/field-trial).
 */
static const double runs_of_copies = 0.015;

struct ert_ceiling *ert_extras_add_point(struct ert_extras *extras,
                                         enum ert_ceiling_kind kind,
                                         const struct ert_point *point,
                                         const struct ert_level *level, const char *format,
                                         ...)
{
    struct ert_device_ceilings *out = extras->out;
    char name[sizeof out->not_measured[0].name];
    ERT_FORMAT(name, sizeof name, format);
    if (!ert_levels_is_measured(point)) {
        ert_extras_not_measured(out, name, *point->reason ? point->reason : "not measured");
        return NULL;
    }
    struct ert_ceiling *extra = ert_extras_add(out, kind);
    extra->evidence->actual_bytes = (double)point->work.actual_bytes;
    ert_evidence_fill(extra, extras->device, &point, 1, 0,
                      ert_extras_rate(point, &extra->unit));
    snprintf(extra->name, sizeof extra->name, "%s", name);
    snprintf(extra->key.pattern, sizeof extra->key.pattern, "%s",
             ert_kernel_row(point->spec.kernel)->op);
    snprintf(extra->key.level, sizeof extra->key.level, "%s", level ? level->name : "");
    bool is_of_host = kind == ERT_CEILING_LINK && point->spec.to == 0;
    ert_evidence_interval(extra,
                          is_of_host ? fmax(out->between, runs_of_copies) : out->between);
    ert_evidence_judge(extra, extras->device);
    return extra;
}

const struct ert_level *ert_extras_level(const struct ert_extras *extras,
                                         const struct ert_point *point)
{
    const struct ert_device *device = extras->device;
    uint64_t prepared = point->work.actual_bytes;
    double set = (double)(prepared ? prepared : point->spec.requested_bytes), low, high;
    bool is_cpu = device->kind == ERT_DEVICE_CPU;
    struct ert_device reached = ert_counts_reach(device, point->spec.concurrency);
    if (point->spec.path == ERT_PATH_NONE)
        return NULL;
    for (uint32_t i = 0; i < device->n_levels; i++) {
        ert_sets_level_range(&reached, &reached.levels[i], &low, &high);
        if (is_cpu && point->spec.to != ert_sets_far_node(device, &device->levels[i]))
            continue; /* bound to another memory, or not bound to this one */
        if (device->levels[i].path == point->spec.path && set > low && set <= high)
            return &device->levels[i];
    }
    return NULL;
}

bool ert_extras_name(const struct ert_point *point, const struct ert_level *level,
                     char name[32])
{
    const struct ert_kernel *row = ert_kernel_row(point->spec.kernel);
    bool has_level = row->kind == ERT_KIND_MEMORY && level;
    const char *begin = row->kind == ERT_KIND_COMPUTE ? ert_type_name(row->type)
                        : has_level                   ? level->name
                                                      : "";
    snprintf(name, 32, "%s%s%s", begin, *begin ? "-" : "", row->op);
    return *begin;
}

void ert_extras_fit(struct ert_extras *extras)
{
    const struct ert_device_samples *samples = extras->samples;
    for (int s = 0; s < ERT_N_SECTIONS; s++) {
        const struct ert_section_row *row = ert_sections[s];
        for (size_t i = 0; i < samples->n_points && row->fit; i++)
            if ((int)samples->points[i].section == s)
                row->fit(extras, &samples->points[i]);
        if (row->fit_device)
            row->fit_device(extras);
    }
}

void ert_extras_fit_machine(struct ert_ceilings *ceilings)
{
    for (int s = 0; s < ERT_N_SECTIONS; s++)
        if (ert_sections[s]->fit_machine)
            ert_sections[s]->fit_machine(ceilings);
}

void ert_extras_far_end(const struct ert_extras *extras, uint32_t to, char text[16])
{
    snprintf(text, 16, "%s", "host");
    if (to == 0)
        return;
    snprintf(text, 16, "gpu%u", to - 1);
    for (uint32_t i = 0; i < extras->machine->n_devices; i++) {
        const struct ert_device *device = &extras->machine->devices[i];
        if (device->kind == ERT_DEVICE_GPU && device->gpu.ordinal == (int)to - 1 &&
            strcmp(device->backend, extras->device->backend) == 0)
            snprintf(text, 16, "%s", device->id);
    }
}
