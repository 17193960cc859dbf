/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/fit/extras.h"

#include "ert/core/base/alloc.h"
#include "ert/core/fit/evidence.h"
#include "ert/core/fit/levels.h"
#include "ert/core/sweep/sets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
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

/* The rate function for a point's samples, and its unit. */
static ert_rate extras_rate_of(const struct ert_point *point, enum ert_unit *unit)
{
    const struct ert_kernel *row = ert_kernel_row(point->spec.kernel);
    bool is_latency = row->kind == ERT_KIND_LATENCY;
    if (row->kind == ERT_KIND_COMPUTE) {
        *unit = ert_unit_of_type(ert_type_name(row->type));
        return ert_point_performance;
    }
    *unit = is_latency ? ERT_UNIT_S : ERT_UNIT_BYTE_PER_S;
    return is_latency ? ert_point_latency : ert_point_bandwidth;
}

/*
 * Adds a ceiling of the kind with the point's value, at a level (or NULL), and judges it. Returns NULL for a
 * point without samples, which the list of what is not measured then notes.
 */
static struct ert_ceiling *__attribute__((format(printf, 5, 6)))
add(struct ert_extras *extras, enum ert_ceiling_kind kind, const struct ert_point *point,
    const struct ert_level *level, const char *format, ...)
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
                      extras_rate_of(point, &extra->unit));
    snprintf(extra->name, sizeof extra->name, "%s", name);
    snprintf(extra->key.pattern, sizeof extra->key.pattern, "%s",
             ert_kernel_row(point->spec.kernel)->op);
    snprintf(extra->key.level, sizeof extra->key.level, "%s", level ? level->name : "");
    ert_evidence_interval(extra, out->between);
    ert_evidence_judge(extra, extras->device);
    return extra;
}

/*
 * The level in whose range the point's set lies on its path, or NULL, also for compute kernels. On CPUs the
 * range is that of the caches that the point's threads reach (spec.concurrency). Buffers
 * bound to a memory (spec.to) belong to its level. A point that was never prepared has its planned set.
 */
static const struct ert_level *extras_level_of(const struct ert_extras *extras,
                                               const struct ert_point *point)
{
    const struct ert_device *device = extras->device;
    uint64_t prepared = point->work.actual_bytes;
    double set = (double)(prepared ? prepared : point->spec.requested_bytes), low, high;
    bool is_cpu = device->kind == ERT_DEVICE_CPU;
    struct ert_device reached = ert_counts_reach(device, point->spec.concurrency);
    if (ert_kernel_row(point->spec.kernel)->kind == ERT_KIND_COMPUTE)
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

/* Writes the name of the point's ceiling, "fp64-fma" or "L2-load"; false, and "load", without a level. */
static bool name_ceiling(const struct ert_point *point, const struct ert_level *level,
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

/* Adds a level's latency: the fastest. */
static void extras_add_latency(struct ert_extras *extras, const struct ert_level *level)
{
    const char *reason = "not measured";
    const struct ert_point *best = NULL;
    char name[32];
    for (size_t i = 0; i < extras->samples->n_points; i++) {
        const struct ert_point *point = &extras->samples->points[i];
        if (point->section != ERT_SECTION_LATENCY || point->spec.path != level->path)
            continue;
        if (point->status != ERT_POINT_MEASURED && *point->reason)
            reason = point->reason;
        if (ert_levels_is_measured(point) && extras_level_of(extras, point) == level &&
            (!best || ert_levels_estimate(point, ert_point_latency) <
                          ert_levels_estimate(best, ert_point_latency)))
            best = point;
    }
    snprintf(name, sizeof name, "%s-latency", level->name);
    if (best)
        add(extras, ERT_CEILING_LATENCY, best, level, "%s", name);
    else
        ert_extras_not_measured(extras->out, name, reason);
}

static void fit_latencies(struct ert_extras *extras)
{
    bool planned = false;
    for (size_t i = 0; i < extras->samples->n_points; i++)
        planned |= extras->samples->points[i].section == ERT_SECTION_LATENCY;
    for (uint32_t i = 0; i < extras->device->n_levels && planned; i++)
        extras_add_latency(extras, &extras->device->levels[i]);
}

/* Warns of a memory's set that the config's memory made too small to measure the level alone. */
static void warn_small_set(const struct ert_extras *extras, const struct ert_point *point,
                           const struct ert_level *level, struct ert_ceiling *ceiling)
{
    struct ert_device reached = ert_counts_reach(extras->device, point->spec.concurrency);
    const struct ert_level *same = &reached.levels[level - extras->device->levels];
    double set = (double)point->work.actual_bytes, low, high;
    ert_sets_level_range(&reached, same, &low, &high);
    if (level->kind == ERT_LEVEL_MEMORY &&
        set < 0.99 * ert_sets_least_bytes(&reached, same))
        ert_evidence_warn(ceiling, ERT_CONFIDENCE_MEDIUM,
                          "the set is only %.1f times the caches of these threads",
                          set / low);
}

static void fit_concurrency(struct ert_extras *extras, const struct ert_point *point)
{
    bool is_cpu = extras->device->kind == ERT_DEVICE_CPU;
    const struct ert_level *level = extras_level_of(extras, point);
    uint32_t count = point->spec.concurrency, ilp = is_cpu ? 0 : 1u << point->spec.variant;
    char of[32], at[48];
    if (!ert_levels_is_measured(point) || !name_ceiling(point, level, of))
        return;
    if (is_cpu)
        snprintf(at, sizeof at, "%u-threads", count);
    else
        snprintf(at, sizeof at, "%u-warps-ilp-%u", count, ilp);
    struct ert_ceiling *extra =
        add(extras, ERT_CEILING_CONCURRENCY, point, level, "%s-at-%s", of, at);
    if (!extra)
        return;
    extra->key.count = count;
    extra->key.ilp = ilp;
    memcpy(extra->key.of, of, sizeof extra->key.of);
    snprintf(extra->key.axis, sizeof extra->key.axis, "%s",
             is_cpu ? "threads" : "warps-per-sm");
    if (level)
        warn_small_set(extras, point, level, extra);
}

/*
 * Lists a ceiling without any count, with the reason; the samples have the reasons for single counts that a
 * device cannot run (too few registers).
 */
static void note_concurrency(struct ert_extras *extras, const struct ert_point *point)
{
    char of[32], name[48];
    if (!*point->reason || point->status == ERT_POINT_MEASURED ||
        !name_ceiling(point, extras_level_of(extras, point), of))
        return;
    const struct ert_ceiling_span known =
        ert_ceilings_of(extras->out, ERT_CEILING_CONCURRENCY);
    for (size_t i = 0; i < known.n; i++)
        if (strcmp(known.at[i].key.of, of) == 0)
            return;
    snprintf(name, sizeof name, "%s-concurrency", of);
    ert_extras_not_measured(extras->out, name, point->reason);
}

/* Whether a link brings bytes to the device; of a duplex link, the direction to name. */
static bool leads_here(enum ert_kernel_id kernel)
{
    return kernel == ERT_KERNEL_h2d_pinned || kernel == ERT_KERNEL_h2d_pageable ||
           kernel == ERT_KERNEL_duplex_pinned || kernel == ERT_KERNEL_peer_read;
}

/* The id of the GPU at the other end, or "host"; for a GPU that the machine does not list, its number. */
static void name_far_end(const struct ert_extras *extras, uint32_t to, char text[16])
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

static void fit_link(struct ert_extras *extras, const struct ert_point *point)
{
    char far_end[16], pair[40] = "";
    const struct ert_kernel *row = ert_kernel_row(point->spec.kernel);
    const char *near_end = extras->device->id;
    if (row->kind != ERT_KIND_LINK)
        return;
    name_far_end(extras, point->spec.to, far_end);
    if (point->spec.to)
        snprintf(pair, sizeof pair, "%s-%s-", near_end, far_end);
    struct ert_ceiling *extra =
        add(extras, ERT_CEILING_LINK, point, NULL, "%s%s", pair, row->op);
    if (!extra)
        return;
    bool is_here = leads_here(point->spec.kernel);
    snprintf(extra->key.from, sizeof extra->key.from, "%s", is_here ? far_end : near_end);
    snprintf(extra->key.to, sizeof extra->key.to, "%s", is_here ? near_end : far_end);
}

/* The caches serve part of smaller multiples of their size (sets.h); below 4 to allow for rounding. */
static const double proving_multiple = 3.9;

/* The machine's entry for a node; a node that it does not list is of unknown kind. */
static struct ert_numa_node extras_node_of(const struct ert_device *device,
                                           uint32_t os_index)
{
    for (uint32_t i = 0; i < device->cpu.n_numa; i++)
        if (device->cpu.numa[i].os_index == os_index)
            return device->cpu.numa[i];
    return (struct ert_numa_node){.os_index = os_index, .kind = "unknown"};
}

/* The rate of a package, or of all threads, from a NUMA node's memory: "DRAM-load-package0-node1". */
static void fit_numa(struct ert_extras *extras, const struct ert_point *point)
{
    const struct ert_spec *spec = &point->spec;
    struct ert_numa_node node = extras_node_of(extras->device, spec->to - 1);
    char from[16] = "all";
    if (spec->from)
        snprintf(from, sizeof from, "package%u", (spec->from - 1) & 0xffff);
    struct ert_ceiling *extra =
        add(extras, ERT_CEILING_NUMA, point, NULL, "%s-%s-%s-node%u", node.kind,
            ert_kernel_row(spec->kernel)->op, from, node.os_index);
    if (!extra)
        return;
    snprintf(extra->key.level, sizeof extra->key.level, "%s", node.kind);
    snprintf(extra->key.from, sizeof extra->key.from, "%s", from);
    snprintf(extra->key.to, sizeof extra->key.to, "node%u", (spec->to - 1) & 0xffff);
    double caches = (double)ert_sets_caches_of_place(extras->device, &node);
    if (caches > 0 && extra->evidence->actual_bytes < proving_multiple * caches)
        ert_evidence_warn(extra, ERT_CONFIDENCE_MEDIUM,
                          "the set is only %.1f times the caches of the package",
                          extra->evidence->actual_bytes / caches);
}

static bool same_spec(const struct ert_spec *a, const struct ert_spec *b)
{
    return a->kernel == b->kernel && a->path == b->path && a->variant == b->variant &&
           a->requested_bytes == b->requested_bytes && a->to == b->to;
}

/* The point with the same spec measured alone: in section multi_gpu, or for links in section links. */
static const struct ert_point *find_alone(const struct ert_device_samples *samples,
                                          const struct ert_point *point)
{
    for (size_t i = 0; i < samples->n_points; i++) {
        const struct ert_point *other = &samples->points[i];
        bool is_alone = (other->section == ERT_SECTION_MULTI_GPU && other->at_once == 1) ||
                        (other->section == ERT_SECTION_LINKS &&
                         ert_kernel_row(other->spec.kernel)->kind == ERT_KIND_LINK);
        if (is_alone && ert_levels_is_measured(other) &&
            same_spec(&other->spec, &point->spec))
            return other;
    }
    return NULL;
}

/* The device's rate while all devices ran the same at once, with its rate alone. */
static void fit_multi_gpu(struct ert_extras *extras, const struct ert_point *point)
{
    const struct ert_point *alone = find_alone(extras->samples, point);
    char of[32], to[16] = "";
    if (point->at_once <= 1 || !ert_levels_is_measured(point))
        return;
    name_ceiling(point, extras_level_of(extras, point), of);
    if (point->spec.to)
        name_far_end(extras, point->spec.to, to);
    struct ert_ceiling *extra = add(extras, ERT_CEILING_MULTI_GPU, point, NULL,
                                    "%.19s%s%.7s", of, *to ? "-" : "", to);
    if (!extra)
        return;
    memcpy(extra->key.of, of, sizeof extra->key.of);
    memcpy(extra->key.to, to, sizeof extra->key.to);
    snprintf(extra->key.from, sizeof extra->key.from, "%s", extras->device->id);
    extra->key.count = point->at_once;
    if (alone)
        extra->evidence->alone =
            ert_levels_estimate(alone, extras_rate_of(point, &extra->unit));
}

void ert_extras_fit(struct ert_extras *extras)
{
    static const struct {
        enum ert_section section;
        void (*fit)(struct ert_extras *extras, const struct ert_point *point);
    } kinds[] = {
        {ERT_SECTION_CONCURRENCY, fit_concurrency },
        {ERT_SECTION_CONCURRENCY, note_concurrency},
        {ERT_SECTION_LINKS,       fit_link        },
        {ERT_SECTION_NUMA,        fit_numa        },
        {ERT_SECTION_MULTI_GPU,   fit_multi_gpu   },
    };
    const struct ert_device_samples *samples = extras->samples;
    fit_latencies(extras);
    for (size_t k = 0; k < ERT_LENGTH(kinds); k++)
        for (size_t i = 0; i < samples->n_points; i++)
            if (samples->points[i].section == kinds[k].section)
                kinds[k].fit(extras, &samples->points[i]);
}

static const struct ert_ceiling *find_twin(const struct ert_device_ceilings *device,
                                           const struct ert_ceiling *extra)
{
    const struct ert_ceiling_span of = ert_ceilings_of(device, ERT_CEILING_MULTI_GPU);
    for (size_t i = 0; i < of.n; i++)
        if (strcmp(of.at[i].name, extra->name) == 0 &&
            of.at[i].key.count == extra->key.count)
            return &of.at[i];
    return NULL;
}

void ert_extras_add_up(struct ert_ceilings *ceilings)
{
    for (size_t d = 0; d < ceilings->n_devices; d++) {
        const struct ert_ceiling_span of =
            ert_ceilings_of(&ceilings->devices[d], ERT_CEILING_MULTI_GPU);
        for (size_t i = 0; i < of.n; i++) {
            struct ert_ceiling *extra = &of.at[i];
            double sum = 0, slowest = extra->value;
            uint32_t n = 0;
            for (size_t o = 0; o < ceilings->n_devices; o++) {
                const struct ert_ceiling *twin = find_twin(&ceilings->devices[o], extra);
                if (!twin)
                    continue;
                n++;
                sum += twin->value;
                slowest = fmin(slowest, twin->value);
            }
            if (*extra->key.to || n != extra->key.count)
                continue;
            extra->evidence->aggregate = sum;
            extra->evidence->lockstep = n * slowest;
            extra->evidence->imbalance = extra->evidence->lockstep / sum;
        }
    }
}
