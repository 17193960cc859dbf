/* Places: what each package gets of each NUMA node's memory. */
#include "ert/ceilings/extras.h"

#include "ert/sweep/sets.h"

#include <stdio.h>

/* Smaller multiples of the caches are partly answered by them (sets.h); less a bit for rounding. */
static const double proving_multiple = 3.9;

/* What the machine lists of a node; a node that it does not list is of no kind. */
static struct ert_numa_node node_of(const struct ert_device *device, uint32_t os_index)
{
    for (uint32_t i = 0; i < device->cpu.n_numa; i++)
        if (device->cpu.numa[i].os_index == os_index)
            return device->cpu.numa[i];
    return (struct ert_numa_node){.os_index = os_index, .kind = "unknown"};
}

/* "package0"; "all" for threads of all packages. */
static void name_package(const struct ert_case *case_, char name[16])
{
    if (case_->from)
        snprintf(name, 16, "package%u", (case_->from - 1) & 0xffff);
    else
        snprintf(name, 16, "all");
}

/* "DRAM-load-package0-node1" */
static void name_place(const struct ert_device *device, const struct ert_point *point,
                       char name[32])
{
    const struct ert_case *case_ = &point->case_;
    struct ert_numa_node node = node_of(device, case_->to - 1);
    char from[16], text[128];
    name_package(case_, from);
    snprintf(text, sizeof text, "%s-%s-%s-node%u", node.kind,
             ert_kernel_row(case_->kernel)->op, from, node.os_index);
    snprintf(name, 32, "%.31s", text);
}

static bool add(struct ert_extras *extras, const struct ert_point *point)
{
    const struct ert_case *case_ = &point->case_;
    bool done = true;
    struct ert_extra *extra = ert_extras_add(extras, ERT_EXTRA_PLACE, point,
                                             ert_point_bandwidth, "byte/s", &done);
    if (!extra)
        return done;
    name_place(extras->device, point, extra->common.name);
    struct ert_numa_node node = node_of(extras->device, case_->to - 1);
    snprintf(extra->level, sizeof extra->level, "%s", node.kind);
    name_package(case_, extra->from);
    snprintf(extra->to, sizeof extra->to, "node%u", (case_->to - 1) & 0xffff);
    double caches = (double)ert_sets_caches_of_place(extras->device, &node);
    if (caches > 0 && extra->working_set_bytes < proving_multiple * caches)
        ert_evidence_doubt(&extra->common, ERT_CONFIDENCE_MEDIUM,
                           "the set is only %.1f times the caches of the package",
                           extra->working_set_bytes / caches);
    return true;
}

bool ert_extras_places(struct ert_extras *extras)
{
    bool done = true;
    for (size_t i = 0; i < extras->samples->n_points && done; i++) {
        const struct ert_point *point = &extras->samples->points[i];
        char name[32];
        if (point->section != ERT_SECTION_PLACES)
            continue;
        done = add(extras, point);
        name_place(extras->device, point, name);
        if (point->status != ERT_POINT_MEASURED)
            ert_extras_absent(extras->out, name,
                              *point->reason ? point->reason : "not measured");
    }
    return done;
}
