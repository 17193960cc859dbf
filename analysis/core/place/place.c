/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/core/place/place.h"

#include "analysis/core/points/levels.h"
#include "analysis/core/points/reader.h"
#include "ert/core/base/alloc.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sets rates and fractions from the number of bytes, operations or instructions; the roof must be set. */
static void take_times(struct rfl_placed *placed, double count,
                       const struct rfl_point *point)
{
    const struct rfl_rate *rate = placed->rate;
    const double time_s = point->time_s;
    placed->is_burst = rate && time_s > 0 && time_s < rate->burst_s;
    if (placed->is_burst) { /* all mixes gain as the nearest measured pattern does */
        placed->value *= rate->burst / rate->value;
        placed->low *= rate->burst / rate->value;
    }
    if (placed->value > 0)
        placed->alone_s = count / placed->value;
    if (!(time_s > 0))
        return;
    placed->reached = count / time_s;
    placed->fraction = placed->least = placed->most = placed->alone_s / time_s;
    if (placed->low < placed->value)
        placed->most = count / placed->low / time_s;
    if (rate && rate->low > 0 && rate->high > 0) {
        placed->least *= fmin(1, rate->value / rate->high);
        placed->most *= fmax(1, rate->value / rate->low);
    }
    placed->least *= point->time_high_s > time_s ? time_s / point->time_high_s : 1;
    placed->most *= point->time_low_s > 0 && point->time_low_s < time_s
                        ? time_s / point->time_low_s
                        : 1;
    /* What was reached, the roof was at least: it was not as low as its interval allows. */
    if (placed->least <= 1 && placed->most > 1)
        placed->most = fmax(1, placed->fraction);
}

static struct rfl_placed place_level(const struct rfl_placement *placement,
                                     const struct rfl_traffic *traffic)
{
    const struct rfl_accesses accesses = {rfl_traffic_read_share(traffic),
                                          traffic->is_actual, traffic->is_streaming};
    const struct rfl_reach reach =
        rfl_curve_reach(placement->roofs, traffic->level, &accesses);
    const bool is_memory = rfl_level_depth(traffic->level) == RFL_DEPTH_MEMORY;
    /* Beside a recorded run the memory may give less or more than when its roof was measured. */
    const double now = is_memory ? rfl_point_value(placement->point, "memory_now") : NAN,
                 times = now > 0 ? now : 1;
    struct rfl_placed level = {.kind = RFL_BOUND_LEVEL,
                               .unit = "byte/s",
                               .rate = reach.roof ? &reach.roof->rate : NULL,
                               .value = times * reach.bytes_per_s,
                               .low = times * reach.low,
                               .measured = reach.measured,
                               .traffic = traffic,
                               .reach = reach};
    snprintf(level.name, sizeof level.name, "%s",
             reach.roof ? reach.roof->level : traffic->level);
    take_times(&level, traffic->bytes, placement->point);
    /* Counted from empty caches, of data that the caches may have held: perhaps none came from there. */
    if (is_memory && rfl_point_value(placement->point, "emptied_caches") > 0)
        level.least = 0;
    /* The last cache may still hold as much of what a call touches as its size. */
    const struct ert_level *cache = &placement->roofs->last_cache;
    const double at_once = rfl_point_value(placement->point, "bytes_at_once");
    const struct rfl_bandwidth *held =
        at_once > 0 ? rfl_roofs_level(placement->roofs, cache->name, NULL) : NULL;
    if (is_memory && held) {
        level.alone_s *= level.least <= 1; /* else the cache had it, and bounds the code */
        level.least =
            fmax(level.reached / held->rate.value,
                 level.least * (1 - (double)cache->size_bytes * cache->count / at_once));
    }
    level.intensity_flop_per_byte = placement->flops / traffic->bytes;
    level.attainable_flop_per_s = level.intensity_flop_per_byte * level.value;
    return level;
}

/* Names a unit for readers: "FP64 FMA 58 %", "FP64 no FMA", "FP16 tensor". */
static void name_unit(const struct rfl_work *work, char *name, size_t size)
{
    char type[sizeof work->type];
    size_t i = 0;
    for (; work->type[i] && i + 1 < sizeof type; i++)
        type[i] = (char)toupper((unsigned char)work->type[i]);
    type[i] = '\0';
    if (rfl_is_matrix_unit(work->unit))
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

static struct rfl_placed place_unit(const struct rfl_placement *placement,
                                    const struct rfl_work *work)
{
    const struct rfl_roofs *roofs = placement->roofs;
    const struct rfl_peak *peak;
    struct rfl_placed unit = {.kind = RFL_BOUND_UNIT,
                              .unit = ert_unit_words[ert_unit_of_type(work->type)],
                              .work = work};
    unit.value = unit.low =
        rfl_roofs_peak(roofs, work->type, work->unit, work->fma_share, &peak);
    unit.rate = peak ? &peak->rate : NULL;
    take_times(&unit, work->flops, placement->point);
    if (peak)
        unit.measured = unit.value / peak->rate.value * peak->rate.measured;
    unit.operand_peak_flop_per_s =
        rfl_roofs_operand_peak(roofs, work->type, work->unit, work->fma_share);
    unit.is_near_operands = unit.operand_peak_flop_per_s > 0 &&
                            unit.reached >= 0.5 * unit.operand_peak_flop_per_s;
    name_unit(work, unit.name, sizeof unit.name);
    return unit;
}

/* Whether b is listed before a, which was added earlier: levels by rank, units by time. */
static bool is_before(const struct rfl_placed *b, const struct rfl_placed *a)
{
    if (a->kind != b->kind)
        return false;
    return b->kind == RFL_BOUND_LEVEL
               ? rfl_level_rank(b->traffic->level) < rfl_level_rank(a->traffic->level)
               : b->alone_s > a->alone_s;
}

static void place_add_placed(struct rfl_placement *placement, struct rfl_placed added)
{
    struct rfl_placed *placed = placement->placed;
    size_t at = placement->n_placed++;
    for (; at > 0 && is_before(&added, &placed[at - 1]); at--)
        placed[at] = placed[at - 1];
    placed[at] = added;
}

static void find_bound(struct rfl_placement *placement)
{
    static const struct rfl_placed none = {.kind = RFL_BOUND_NONE};
    const struct rfl_placed *first = &none, *second = &none, *placed = placement->placed;
    for (size_t i = 0; i < placement->n_placed; i++)
        if (placed[i].alone_s > first->alone_s) {
            second = first;
            first = &placed[i];
        } else if (placed[i].alone_s > second->alone_s) {
            second = &placed[i];
        }
    placement->bound = first->kind;
    memcpy(placement->bound_name, first->name, sizeof first->name);
    memcpy(placement->next_name, second->name, sizeof second->name);
    if (first == &none)
        return;
    placement->bound_index = (size_t)(first - placed);
    placement->headroom = second->alone_s / first->alone_s;
    placement->attainable_flop_per_s = placement->flops / first->alone_s;
    placement->fraction = first->fraction;
    placement->least = first->least;
    placement->most = first->most;
}

void rfl_place(const struct rfl_point *point, const struct rfl_roofs *roofs,
               struct rfl_placement *placement)
{
    *placement = (struct rfl_placement){
        .point = point, .roofs = roofs, .flops = rfl_point_flops(point)};
    if (point->time_s > 0)
        placement->perf_flop_per_s = placement->flops / point->time_s;
    placement->n_levels = point->n_traffic;
    placement->n_units = point->n_work;
    for (size_t i = 0; i < point->n_traffic; i++)
        place_add_placed(placement, place_level(placement, &point->traffic[i]));
    for (size_t i = 0; i < point->n_work; i++)
        place_add_placed(placement, place_unit(placement, &point->work[i]));
    /* Threads that wait for each other may have spun while Valgrind ran them one at a time. */
    const bool has_spun = point->threads > 1 && strcmp(point->format, "valgrind") == 0;
    if (point->instructions > 0 && roofs->instructions_per_s > 0 && !has_spun) {
        struct rfl_placed issue = {.kind = RFL_BOUND_ISSUE,
                                   .name = "issue",
                                   .unit = "inst/s",
                                   .value = roofs->instructions_per_s,
                                   .low = roofs->instructions_per_s};
        take_times(&issue, point->instructions, point);
        place_add_placed(placement, issue);
    }
    find_bound(placement);
    if (placement->fraction > 0)
        placement->saved_s = point->time_s * fmax(0, 1 - placement->fraction);
    if (rfl_advise)
        rfl_advise(placement);
}

/* ---- many points ---- */

static bool place_is_profiled_on(enum rfl_profiled of, enum ert_device_kind kind)
{
    return of == RFL_PROFILED_ANY || (of == RFL_PROFILED_GPU) == (kind == ERT_DEVICE_GPU);
}

/* Whether all points may be from this kind of device, and one is from a profiler of only this kind. */
static bool are_of(const struct rfl_points *points, enum ert_device_kind kind)
{
    bool is_one = false;
    for (size_t p = 0; points && p < points->n; p++) {
        enum rfl_profiled of = rfl_format_profiled(points->points[p].format);
        if (!place_is_profiled_on(of, kind))
            return false;
        is_one |= of != RFL_PROFILED_ANY;
    }
    return is_one;
}

/* Whether the profile names this device as its own: not by number, as CUDA numbers devices per process. */
static bool place_is_named(const struct rfl_points *points, const struct ert_device *device)
{
    return points->origin && *device->name && strstr(points->origin, device->name);
}

static enum ert_status choose_device(const struct ert_ceilings *ceilings,
                                     const struct rfl_points *points,
                                     const struct rfl_placer_options *options,
                                     size_t *index, struct ert_error *error)
{
    struct ert_error list;
    bool is_found = false;
    *index = 0;
    if (options->device)
        return rfl_find_device(ceilings, options->device, index, error);
    if (ceilings->n_devices == 1)
        return ERT_OK;
    for (size_t i = 0; i < ceilings->n_devices; i++) {
        const struct ert_device *device =
            ert_machine_device(ceilings->machine, ceilings->devices[i].device);
        if (!device || !are_of(points, device->kind))
            continue;
        if (!is_found)
            *index = i;
        is_found = true;
        if (!place_is_named(points, device))
            continue;
        *index = i;
        break;
    }
    if (is_found)
        return ERT_OK;
    rfl_find_device(ceilings, "", index, &list);
    const char *ids = strrchr(list.text, ':');
    return ert_fail(
        error, ERT_USAGE,
        "the ceilings have several devices: choose one with --device; there are%s",
        ids ? ids : " none");
}

/* The value that the roofs are for: the option, or the code's own; 0: that of the sweep. */
static double condition(double option, double of_code)
{
    if (option == RFL_OF_CODE)
        return of_code;
    return option > 0 ? option : 0;
}

static bool same(const struct rfl_roofs_options *a, const struct rfl_roofs_options *b)
{
    return a->clock_hz == b->clock_hz && a->memory_clock_hz == b->memory_clock_hz &&
           a->warps_per_sm == b->warps_per_sm && a->threads == b->threads;
}

/* Percentages of a CPU's roofs are meaningless for a GPU's bytes and times, and the reverse. */
static enum ert_status refuse_strangers(const struct rfl_points *points,
                                        struct rfl_placer *placer, struct ert_error *error)
{
    const enum ert_device_kind kind = placer->roofs->kind;
    const char *const names[] = {"CPU", "GPU"}, *own = names[kind == ERT_DEVICE_GPU],
                      *other = names[kind != ERT_DEVICE_GPU];
    for (size_t p = 0; points && p < points->n; p++) {
        const struct rfl_point *point = &points->points[p];
        if (rfl_placer_suits(placer, point))
            continue;
        if (!placer->options.force)
            return ert_fail(error, ERT_USAGE,
                            "%.100s: the profile (%.100s, %.32s) is from a %s, the "
                            "ceilings of %s from a %s; --force compares them nevertheless",
                            point->name, *point->source ? point->source : "no file",
                            point->format, other, placer->roofs->device, own);
        snprintf(placer->mismatch, sizeof placer->mismatch,
                 "the profile is from a %s, the ceilings from a %s: percentages of roofs "
                 "are meaningless",
                 other, own);
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
    if (!at || !device || device->kind != ERT_DEVICE_GPU)
        return;
    if (strstr(at + 1, "cc "))
        snprintf(placer->mismatch, sizeof placer->mismatch,
                 "the profile is from several kinds of GPU, all placed under the roofs of "
                 "%s, %.60s",
                 device->id, device->name);
    else if (device->gpu.cc_major && sscanf(at, "cc %2u.%2u", &major, &minor) == 2 &&
             (major != device->gpu.cc_major || minor != device->gpu.cc_minor))
        snprintf(placer->mismatch, sizeof placer->mismatch,
                 "the profile is from a GPU of cc %u.%u, the ceilings from one of cc "
                 "%u.%u: percentages of roofs are meaningless",
                 major, minor, device->gpu.cc_major, device->gpu.cc_minor);
}

enum ert_status rfl_placer_open(const struct ert_ceilings *ceilings,
                                const struct rfl_points *points,
                                const struct rfl_placer_options *options,
                                struct rfl_placer *placer, struct ert_error *error)
{
    *placer = (struct rfl_placer){.ceilings = ceilings, .options = *options};
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
    return place_is_profiled_on(rfl_format_profiled(point->format), placer->roofs->kind) &&
           (placer->roofs->kind == ERT_DEVICE_GPU || !(point->warps_per_sm > 0));
}

void rfl_placer_place(struct rfl_placer *placer, const struct rfl_point *point,
                      struct rfl_placement *placement)
{
    const struct rfl_placer_options *options = &placer->options;
    struct rfl_roofs_options wanted = (struct rfl_roofs_options){
        .clock_hz = condition(options->clock_hz, point->clock_hz),
        .memory_clock_hz = options->clock_hz == RFL_OF_CODE ? point->memory_clock_hz : 0,
        .warps_per_sm = condition(options->concurrency, point->warps_per_sm),
        .threads = condition(options->concurrency, point->threads)};
    if (!same(&wanted, &placer->conditions)) {
        placer->conditions = wanted;
        /* cannot fail: rfl_placer_open() found roofs, and conditions do not change their number */
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
