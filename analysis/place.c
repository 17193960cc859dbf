#include "analysis/place.h"

#include "analysis/advice.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
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
        level->is_burst = point->time_s > 0 && point->time_s < level->roof->burst_s;
        if (level->is_burst)
            raise_reach(&level->reach, level->roof->burst / level->roof->bytes_per_s);
        level->alone_s = traffic->bytes / level->reach.bytes_per_s;
        level->attainable_flop_per_s =
            level->intensity_flop_per_byte * level->reach.bytes_per_s;
        if (point->time_s > 0) {
            level->fraction = level->alone_s / point->time_s;
            level->fraction_high = traffic->bytes / level->reach.low / point->time_s;
        }
    }
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
            unit.roof && point->time_s > 0 && point->time_s < unit.roof->burst_s;
        if (unit.is_burst)
            unit.peak_flop_per_s *= unit.roof->burst / unit.roof->flop_per_s;
        unit.operand_peak_flop_per_s =
            rfl_roofs_operand_peak(roofs, work->type, work->unit, work->fma_share);
        if (point->time_s > 0)
            unit.perf_flop_per_s = work->flops / point->time_s;
        if (unit.peak_flop_per_s > 0)
            unit.alone_s = work->flops / unit.peak_flop_per_s;
        if (point->time_s > 0)
            unit.fraction = unit.alone_s / point->time_s;
        size_t at = placement->n_units++;
        while (at > 0 && placement->units[at - 1].alone_s < unit.alone_s) {
            placement->units[at] = placement->units[at - 1];
            at--;
        }
        placement->units[at] = unit;
    }
}

bool rfl_unit_is_near_operands(const struct rfl_placed_unit *unit)
{
    return unit->operand_peak_flop_per_s > 0 &&
           unit->perf_flop_per_s >= 0.5 * unit->operand_peak_flop_per_s;
}

void rfl_unit_name(const struct rfl_placed_unit *unit, char *name, size_t size)
{
    const struct rfl_work *work = unit->work;
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
        rfl_unit_name(&placement->units[index], name, size);
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
