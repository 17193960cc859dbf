#include "analysis/place.h"

#include "analysis/advice.h"
#include "analysis/import/import.h"
#include "ert/base/alloc.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Innermost first; levels of other names come after these, in the point's order. */
static int rank_of(const char *level)
{
    static const char *const order[] = {"L1",  "shared", "L2",   "L3",    "L4",
                                        "HBM", "MCDRAM", "DRAM", "memory"};
    int i = 0, n = sizeof order / sizeof order[0];
    while (i < n && strcmp(order[i], level) != 0)
        i++;
    return i;
}

/* A burst raises all mixes of reads and writes as the nearest of the measured patterns. */
static void raise_reach(struct rfl_reach *reach, double factor)
{
    reach->bytes_per_s *= factor;
    reach->low *= factor;
}

static void place_levels(const struct rfl_roofs *roofs, struct rfl_placement *placement)
{
    const struct rfl_point *point = placement->point;
    for (size_t i = 0; i < point->n_traffic; i++) {
        const struct rfl_traffic *traffic = &point->traffic[i];
        size_t at = placement->n_levels++;
        while (at > 0 && rank_of(placement->levels[at - 1].traffic->level) >
                             rank_of(traffic->level)) {
            placement->levels[at] = placement->levels[at - 1];
            at--;
        }
        struct rfl_placed_level *level = &placement->levels[at];
        const struct rfl_accesses accesses = {rfl_traffic_read_share(traffic),
                                              traffic->is_actual, traffic->is_streaming};
        *level = (struct rfl_placed_level){
            .traffic = traffic, .reach = rfl_curve_reach(roofs, traffic->level, &accesses)};
        level->roof = level->reach.roof;
        level->intensity_flop_per_byte = placement->flops / traffic->bytes;
        if (point->time_s > 0)
            level->rate_bytes_per_s = traffic->bytes / point->time_s;
        if (!level->roof)
            continue;
        level->is_burst = point->time_s > 0 && point->time_s < level->roof->rate.burst_s;
        if (level->is_burst)
            raise_reach(&level->reach, level->roof->rate.burst / level->roof->rate.value);
        level->alone_s = traffic->bytes / level->reach.bytes_per_s;
        level->attainable_flop_per_s =
            level->intensity_flop_per_byte * level->reach.bytes_per_s;
        if (point->time_s > 0) {
            level->fraction = level->alone_s / point->time_s;
            level->fraction_high = traffic->bytes / level->reach.low / point->time_s;
        }
    }
}

/* A unit as people call it: "FP64 FMA 58 %", "FP64 no FMA", "FP16 tensor". */
static void name_unit(const struct rfl_work *work, char *name, size_t size)
{
    char type[sizeof work->type];
    bool is_matrix = strcmp(work->unit, "tensor") == 0 || strcmp(work->unit, "amx") == 0;
    size_t i = 0;
    for (; work->type[i] && i + 1 < sizeof type; i++)
        type[i] = (char)toupper((unsigned char)work->type[i]);
    type[i] = '\0';
    if (is_matrix)
        snprintf(name, size, "%s %s", type, work->unit);
    else if (isnan(work->fma_share))
        snprintf(name, size, "%s", type);
    else if (work->fma_share == 0)
        snprintf(name, size, "%s no FMA", type);
    else if (work->fma_share == 1)
        snprintf(name, size, "%s FMA", type);
    else
        snprintf(name, size, "%s FMA %.0f %%", type, 100 * work->fma_share);
}

static void place_units(const struct rfl_roofs *roofs, struct rfl_placement *placement)
{
    const struct rfl_point *point = placement->point;
    for (size_t i = 0; i < point->n_work; i++) {
        const struct rfl_work *work = &point->work[i];
        struct rfl_placed_unit unit = {.work = work};
        unit.peak_flop_per_s =
            rfl_roofs_peak(roofs, work->type, work->unit, work->fma_share, &unit.roof);
        unit.is_burst =
            unit.roof && point->time_s > 0 && point->time_s < unit.roof->rate.burst_s;
        if (unit.is_burst)
            unit.peak_flop_per_s *= unit.roof->rate.burst / unit.roof->rate.value;
        unit.operand_peak_flop_per_s =
            rfl_roofs_operand_peak(roofs, work->type, work->unit, work->fma_share);
        if (point->time_s > 0)
            unit.perf_flop_per_s = work->flops / point->time_s;
        if (unit.peak_flop_per_s > 0)
            unit.alone_s = work->flops / unit.peak_flop_per_s;
        if (point->time_s > 0)
            unit.fraction = unit.alone_s / point->time_s;
        unit.is_near_operands = unit.operand_peak_flop_per_s > 0 &&
                                unit.perf_flop_per_s >= 0.5 * unit.operand_peak_flop_per_s;
        name_unit(work, unit.name, sizeof unit.name);
        size_t at = placement->n_units++;
        while (at > 0 && placement->units[at - 1].alone_s < unit.alone_s) {
            placement->units[at] = placement->units[at - 1];
            at--;
        }
        placement->units[at] = unit;
    }
}

/* The times of all that could bound, the longest and the second. */
struct ranking {
    enum rfl_bound bound, next;
    size_t index, next_index;
    double longest_s, second_s;
};

static void rank(struct ranking *ranking, enum rfl_bound bound, size_t index,
                 double alone_s)
{
    if (alone_s > ranking->longest_s) {
        ranking->next = ranking->bound;
        ranking->next_index = ranking->index;
        ranking->second_s = ranking->longest_s;
        ranking->bound = bound;
        ranking->index = index;
        ranking->longest_s = alone_s;
    } else if (alone_s > ranking->second_s) {
        ranking->next = bound;
        ranking->next_index = index;
        ranking->second_s = alone_s;
    }
}

static void name_bound(const struct rfl_placement *placement, enum rfl_bound bound,
                       size_t index, char *name, size_t size)
{
    name[0] = '\0';
    if (bound == RFL_BOUND_LEVEL)
        snprintf(name, size, "%s", placement->levels[index].roof->level);
    else if (bound == RFL_BOUND_UNIT)
        snprintf(name, size, "%s", placement->units[index].name);
    else if (bound == RFL_BOUND_ISSUE)
        snprintf(name, size, "issue");
}

static void find_bound(struct rfl_placement *placement)
{
    const struct rfl_point *point = placement->point;
    struct ranking ranking = {.bound = RFL_BOUND_NONE};
    for (size_t i = 0; i < placement->n_levels; i++)
        rank(&ranking, RFL_BOUND_LEVEL, i, placement->levels[i].alone_s);
    for (size_t i = 0; i < placement->n_units; i++)
        rank(&ranking, RFL_BOUND_UNIT, i, placement->units[i].alone_s);
    rank(&ranking, RFL_BOUND_ISSUE, 0, placement->issue_alone_s);
    placement->bound = ranking.bound;
    placement->bound_index = ranking.index;
    name_bound(placement, ranking.bound, ranking.index, placement->bound_name,
               sizeof placement->bound_name);
    name_bound(placement, ranking.next, ranking.next_index, placement->next_name,
               sizeof placement->next_name);
    if (ranking.bound == RFL_BOUND_NONE)
        return;
    placement->headroom = ranking.second_s / ranking.longest_s;
    placement->attainable_flop_per_s = placement->flops / ranking.longest_s;
    if (point->time_s > 0)
        placement->fraction = placement->fraction_high = ranking.longest_s / point->time_s;
    if (ranking.bound == RFL_BOUND_LEVEL)
        placement->fraction_high = placement->levels[ranking.index].fraction_high;
}

void rfl_place(const struct rfl_point *point, const struct rfl_roofs *roofs,
               struct rfl_placement *placement)
{
    *placement = (struct rfl_placement){.point = point, .flops = rfl_point_flops(point)};
    if (point->time_s > 0)
        placement->perf_flop_per_s = placement->flops / point->time_s;
    place_levels(roofs, placement);
    place_units(roofs, placement);
    if (point->instructions > 0 && roofs->instructions_per_s > 0)
        placement->issue_alone_s = point->instructions / roofs->instructions_per_s;
    if (point->time_s > 0)
        placement->issue_fraction = placement->issue_alone_s / point->time_s;
    find_bound(placement);
    rfl_advise(placement, roofs);
}

/* The kind of device that a point's format is of; false for formats of both. */
static bool kind_of(const struct rfl_point *point, enum ert_device_kind *kind)
{
    size_t n;
    const struct rfl_importer *const *importers = rfl_importers(&n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(importers[i]->name, point->format) == 0) {
            *kind =
                importers[i]->device == RFL_IMPORT_GPU ? ERT_DEVICE_GPU : ERT_DEVICE_CPU;
            return importers[i]->device != RFL_IMPORT_ANY;
        }
    return false;
}

static bool find_kind(const struct rfl_points *points, enum ert_device_kind *kind)
{
    bool found = false;
    for (size_t p = 0; p < points->n; p++) {
        enum ert_device_kind own;
        if (!kind_of(&points->points[p], &own) || (found && *kind != own))
            return false;
        *kind = own;
        found = true;
    }
    return found;
}

static enum ert_status choose_device(const struct ert_ceilings *ceilings,
                                     const struct rfl_points *points,
                                     const struct rfl_placer_options *options,
                                     size_t *index, struct ert_error *error)
{
    enum ert_device_kind kind = ERT_DEVICE_CPU;
    *index = 0;
    if (options->device)
        return rfl_find_device(ceilings, options->device, index, error);
    if (ceilings->n_devices == 1)
        return ERT_OK;
    if (find_kind(points, &kind))
        for (size_t i = 0; i < ceilings->n_devices; i++) {
            const struct ert_device *device =
                ert_machine_device(ceilings->machine, ceilings->devices[i].device);
            if (device && device->kind == kind) {
                *index = i;
                return ERT_OK;
            }
        }
    struct ert_error list;
    rfl_find_device(ceilings, "", index, &list);
    const char *ids = strrchr(list.text, ':');
    return ert_fail(error, ERT_USAGE,
                    "the ceilings have several devices: say which with --device; there "
                    "are%s",
                    ids ? ids : " none");
}

/* What the roofs must be for: the option, or what the point knows; 0 as in the sweep. */
static double condition(double option, double of_code)
{
    if (option == RFL_OF_CODE)
        return of_code;
    return option > 0 ? option : 0;
}

static struct rfl_roofs_options conditions_of(const struct rfl_placer *placer,
                                              const struct rfl_point *point)
{
    const struct rfl_placer_options *options = &placer->options;
    return (struct rfl_roofs_options){
        .theory = options->theory,
        .clock_hz = condition(options->clock_hz, point->clock_hz),
        .memory_clock_hz = options->clock_hz == RFL_OF_CODE ? point->memory_clock_hz : 0,
        .warps_per_sm = condition(options->concurrency, point->warps_per_sm),
        .threads = condition(options->concurrency, point->threads)};
}

static bool same(const struct rfl_roofs_options *a, const struct rfl_roofs_options *b)
{
    return a->theory == b->theory && a->clock_hz == b->clock_hz &&
           a->memory_clock_hz == b->memory_clock_hz && a->warps_per_sm == b->warps_per_sm &&
           a->threads == b->threads;
}

static const char *kind_name(enum ert_device_kind kind)
{
    return kind == ERT_DEVICE_GPU ? "GPU" : "CPU";
}

/* Bytes and times of a GPU under a CPU's roofs are a percentage of nothing. */
static enum ert_status refuse_strangers(const struct rfl_points *points,
                                        struct rfl_placer *placer, struct ert_error *error)
{
    for (size_t p = 0; points && p < points->n; p++) {
        const struct rfl_point *point = &points->points[p];
        enum ert_device_kind kind;
        if (!kind_of(point, &kind) || kind == placer->roofs->kind)
            continue;
        if (!placer->options.force)
            return ert_fail(
                error, ERT_USAGE,
                "%.100s: the profile (%.100s, %.32s) is of a %s, the ceilings of "
                "%s are of a %s; --force compares them nevertheless",
                point->name, *point->source ? point->source : "no file", point->format,
                kind_name(kind), placer->roofs->device, kind_name(placer->roofs->kind));
        snprintf(
            placer->mismatch, sizeof placer->mismatch,
            "the profile is of a %s, the ceilings of a %s: shares of roofs mean nothing "
            "between them",
            kind_name(kind), kind_name(placer->roofs->kind));
    }
    return ERT_OK;
}

/* Importers of GPU profiles name the compute capability in the origin: "cc 9.0". */
static void compare_origin(const struct rfl_points *points, struct rfl_placer *placer)
{
    const struct ert_device *device = ert_machine_device(
        placer->ceilings->machine, placer->ceilings->devices[placer->device].device);
    const char *at = points && points->origin ? strstr(points->origin, "cc ") : NULL;
    unsigned int major, minor;
    if (!at || !device || device->kind != ERT_DEVICE_GPU || !device->gpu.cc_major ||
        sscanf(at, "cc %2u.%2u", &major, &minor) != 2 ||
        (major == device->gpu.cc_major && minor == device->gpu.cc_minor))
        return;
    snprintf(placer->mismatch, sizeof placer->mismatch,
             "the profile is of a GPU of cc %u.%u, the ceilings of one of cc %u.%u: shares "
             "of roofs mean nothing between them",
             major, minor, device->gpu.cc_major, device->gpu.cc_minor);
}

enum ert_status rfl_placer_open(const struct ert_ceilings *ceilings,
                                const struct rfl_points *points,
                                const struct rfl_placer_options *options,
                                struct rfl_placer *placer, struct ert_error *error)
{
    *placer = (struct rfl_placer){
        .ceilings = ceilings, .options = *options, .conditions.theory = options->theory};
    ERT_TRY(choose_device(ceilings, points, options, &placer->device, error));
    compare_origin(points, placer);
    placer->roofs = ert_xcalloc(1, sizeof *placer->roofs);
    enum ert_status status =
        rfl_roofs_make(ceilings, placer->device, &placer->conditions, placer->roofs, error);
    if (status == ERT_OK)
        status = refuse_strangers(points, placer, error);
    if (status != ERT_OK)
        rfl_placer_close(placer);
    return status;
}

bool rfl_placer_suits(const struct rfl_placer *placer, const struct rfl_point *point)
{
    enum ert_device_kind kind;
    return !kind_of(point, &kind) || kind == placer->roofs->kind;
}

void rfl_placer_place(struct rfl_placer *placer, const struct rfl_point *point,
                      struct rfl_placement *placement)
{
    struct rfl_roofs_options wanted = conditions_of(placer, point);
    if (!same(&wanted, &placer->conditions)) {
        placer->conditions = wanted;
        /* it had roofs when it was opened: those of other conditions are as many */
        rfl_roofs_make(placer->ceilings, placer->device, &wanted, placer->roofs, NULL);
    }
    rfl_place(point, placer->roofs, placement);
}

void rfl_placer_close(struct rfl_placer *placer)
{
    if (!placer)
        return;
    free(placer->roofs);
    placer->roofs = NULL;
}
