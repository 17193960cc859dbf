/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/core/place/place.h"

#include "analysis/core/place/model.h"
#include "analysis/core/points/levels.h"
#include "analysis/core/points/reader.h"
#include "ert/core/base/alloc.h"
#include "ert/core/base/units.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sets rates and fractions from the number of bytes, operations or instructions; the roof must be set. */
static void take_times(struct rfl_placed *placed, double count, double time_s)
{
    const struct rfl_rate *rate = placed->rate;
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
    placed->fraction = placed->fraction_high = placed->alone_s / time_s;
    if (placed->low < placed->value)
        placed->fraction_high = count / placed->low / time_s;
}

static struct rfl_placed place_level(const struct rfl_placement *placement,
                                     const struct rfl_traffic *traffic)
{
    const struct rfl_accesses accesses = {rfl_traffic_read_share(traffic),
                                          traffic->is_actual, traffic->is_streaming};
    const struct rfl_reach reach =
        rfl_curve_reach(placement->roofs, traffic->level, &accesses);
    struct rfl_placed level = {.kind = RFL_BOUND_LEVEL,
                               .unit = "byte/s",
                               .rate = reach.roof ? &reach.roof->rate : NULL,
                               .value = reach.bytes_per_s,
                               .low = reach.low,
                               .measured = reach.measured,
                               .traffic = traffic,
                               .reach = reach};
    snprintf(level.name, sizeof level.name, "%s",
             reach.roof ? reach.roof->level : traffic->level);
    take_times(&level, traffic->bytes, placement->point->time_s);
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

static struct rfl_placed place_unit(const struct rfl_roofs *roofs, double time_s,
                                    const struct rfl_work *work)
{
    const struct rfl_peak *peak;
    struct rfl_placed unit = {.kind = RFL_BOUND_UNIT,
                              .unit = ert_unit_words[ert_unit_of_type(work->type)],
                              .work = work};
    unit.value = unit.low =
        rfl_roofs_peak(roofs, work->type, work->unit, work->fma_share, &peak);
    unit.rate = peak ? &peak->rate : NULL;
    take_times(&unit, work->flops, time_s);
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
    placement->fraction_high = first->fraction_high;
}

/*
 * ---- advice: one sentence for the author of the code: what bounds it, how far it is from that bound, and
 * what would help ----
 */

/*
 * A code that attains this share of a roof is bound by it; below the lower share of every roof it is
 * latency-bound. (Nsight Compute's rule reports latency below 60 % of a theoretical peak; these roofs are
 * measured.)
 */
#define REACHED 0.8
#define LATENCY 0.5

/* The spread of a measured roof and the rounding of a counter explain no more than this. */
#define BEYOND 1.03

/* A level without reuse: partial sectors and a cold start change counts by up to this factor. */
#define LITTLE_REUSE 1.1

/*
 * A launch takes some microseconds to start, fill the SMs and drain: kernels of 2.9 us took 3.8 us each in a
 * series of launches (NVIDIA, "Getting Started with CUDA Graphs", developer.nvidia.com/blog).
 */
#define SHORT_LAUNCH_S 10e-6

struct advice {
    struct rfl_placement *placement;
    const struct rfl_roofs *roofs; /* those of the placement */
    const struct rfl_point *point;
    const struct rfl_placed *bound, *level,
        *unit;                   /* level, unit: the bound, if it is one, else NULL */
    const struct rfl_rate *roof; /* of the bound, or NULL */
    double percent;              /* of the binding roof */
    bool is_gpu;
};

/* Appends to the sentence; text that does not fit is cut. */
__attribute__((format(printf, 2, 3))) static void place_say(struct advice *advice,
                                                            const char *format, ...)
{
    char *text = advice->placement->advice;
    size_t used = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + used, RFL_ADVICE_TEXT - used, format, arguments);
    va_end(arguments);
}

/* Sets what to do, in a few words; later calls replace it. */
static void hint(struct advice *advice, const char *text)
{
    snprintf(advice->placement->hint, sizeof advice->placement->hint, "%s", text);
}

static void say_no_roof(struct advice *advice)
{
    const struct rfl_placement *placement = advice->placement;
    const char *separator = ": ";
    hint(advice, placement->n_placed ? "no ceiling for its work" : "nothing was counted");
    if (!placement->n_placed) {
        place_say(advice, "nothing to place: neither operations nor bytes are known");
        return;
    }
    place_say(advice, "no roof: %s has no ceiling for what was counted",
              advice->roofs->device);
    for (size_t i = 0; i < placement->n_placed; i++, separator = ", ")
        place_say(advice, "%s%s", separator, placement->placed[i].name);
}

static void say_no_time(struct advice *advice)
{
    hint(advice, "no time given");
    place_say(advice, "%s would bound it", advice->placement->bound_name);
    if (advice->placement->flops > 0)
        place_say(advice, ", at %s",
                  ert_units_performance(advice->placement->attainable_flop_per_s).text);
    place_say(advice, "; its fraction of that roof requires a time");
}

/*
 * Why a rate can exceed its roof: on CPUs memory counters count the whole socket; on all devices the time can
 * be from another run than the counts, and the clock can have been higher.
 */
static void say_beyond(struct advice *advice)
{
    bool is_clock_known = advice->point->clock_hz > 0 || advice->roofs->held_hz == 0;
    hint(advice, "exceeds its roof");
    place_say(
        advice,
        "%.0f %% of the %s roof, which is impossible: time and counts are not from the "
        "same run%s%s",
        advice->percent, advice->placement->bound_name,
        advice->level ? ", the counters included other programs" : "",
        is_clock_known ? "" : ", or the clock was above the sweep's");
}

/* Whether the launches are too short to reach a roof; if so, says what helps. */
static bool say_short(struct advice *advice)
{
    const struct rfl_point *point = advice->point;
    double each_s = point->launches > 0 ? point->time_s / point->launches : INFINITY;
    if (!advice->is_gpu || each_s >= SHORT_LAUNCH_S ||
        advice->placement->fraction >= REACHED)
        return false;
    hint(advice, "more work per launch");
    place_say(
        advice,
        "bound by short launches of %s, dominated by start and drain (%s: %.0f %%): give "
        "each launch more work, fuse kernels or use a graph",
        ert_units_time(each_s).text, advice->placement->bound_name, advice->percent);
    return true;
}

static void say_occupancy(struct advice *advice)
{
    const struct rfl_point *point = advice->point;
    double count = advice->is_gpu ? point->warps_per_sm : point->threads;
    double most = point->registers > 0 ? rfl_model_warps(point->registers) : INFINITY;
    hint(advice, !advice->is_gpu       ? "less dependence and waiting"
                 : count > 0.75 * most ? "fewer registers per thread"
                                       : "more warps or work per thread");
    if (!(count > 0))
        place_say(advice, "; its number of %s is not known; too few are a common reason",
                  advice->is_gpu ? "warps per SM" : "threads");
    else if (!advice->is_gpu)
        place_say(
            advice,
            "; it had %.3g threads: look for dependent operations, irregular accesses and "
            "waiting",
            count);
    else if (count > 0.75 * most)
        place_say(
            advice,
            "; it had %.3g warps per SM of the %.0f that %.0f registers per thread allow: "
            "use fewer registers, or more independent work per thread",
            count, most, point->registers);
    else
        place_say(
            advice,
            "; it had %.3g warps per SM: use more, or more independent work per thread",
            count);
}

/* On a CPU with a ceiling of scalar code: says if the code is not faster than that. */
static void say_scalar(struct advice *advice)
{
    const struct rfl_placement *placement = advice->placement;
    const struct rfl_placed *unit =
        placement->n_units ? &placement->placed[placement->n_levels] : NULL;
    double scalar =
        unit && !advice->is_gpu
            ? rfl_roofs_peak(advice->roofs, unit->work->type, "scalar", NAN, NULL)
            : 0;
    if (scalar > 0 && unit->reached > 0.3 * scalar && unit->reached <= scalar * BEYOND &&
        scalar < 0.9 * unit->value) {
        hint(advice, "vectorise it");
        place_say(advice,
                  "; it is no faster than scalar code could be (%.0f %% of that): is it "
                  "vectorised?",
                  100 * unit->reached / scalar);
    }
}

/*
 * Why the real bound may not be among the kernel's roofs: its operations were not counted, or its unit has no
 * ceiling. NULL: neither.
 */
static const char *blind_spot(const struct rfl_placement *placement)
{
    const struct rfl_point *point = placement->point;
    for (size_t i = 0; i < placement->n_units; i++)
        if (!placement->placed[placement->n_levels + i].rate)
            return "no ceiling for its unit";
    for (size_t i = 0; i < point->n_missing; i++)
        if (strcmp(point->missing[i].what, "operations") == 0 &&
            strcmp(point->missing[i].reason, rfl_none_counted) != 0)
            return "count its operations";
    return NULL;
}

/* Says what keeps a code below all roofs, and where to look. */
static void say_latency(struct advice *advice)
{
    place_say(advice, "latency-bound: below half of every roof; %.2g %% of the nearest, %s",
              advice->percent, advice->placement->bound_name);
    say_occupancy(advice);
    say_scalar(advice);
    if (advice->unit)
        place_say(advice,
                  "; divisions and square roots take much longer than their count%s",
                  advice->is_gpu ? ", divergent branches leave lanes idle" : "");
    if (blind_spot(advice->placement)) {
        hint(advice, blind_spot(advice->placement));
        advice->placement->saved_s = 0;
    }
}

/* The levels on the path to memory, without shared memory, the host and the network. */
static size_t way_of(const struct rfl_placement *placement,
                     const struct rfl_traffic *way[RFL_MAX_TRAFFIC])
{
    size_t n = 0;
    for (size_t i = 0; i < placement->n_levels; i++) {
        const struct rfl_traffic *traffic = placement->placed[i].traffic;
        if (rfl_level_depth(traffic->level) > 0)
            way[n++] = traffic;
    }
    return n;
}

/* Says how many bytes a level serves per byte of the next one: also meaningful without operations. */
static void say_reuse(struct advice *advice)
{
    const struct rfl_traffic *way[RFL_MAX_TRAFFIC];
    size_t n = way_of(advice->placement, way);
    const char *separator = ": no reuse in ";
    if (n < 2)
        return;
    place_say(advice,
              advice->placement->flops > 0 ? ": intensity rises" : ": bytes shrink");
    for (size_t i = 1; i < n; i++) {
        double reuse = way[i - 1]->bytes / way[i]->bytes;
        place_say(advice, "%s %.*fx from %s to %s", i > 1 ? "," : "", reuse < 100, reuse,
                  way[i - 1]->level, way[i]->level);
    }
    for (size_t i = 1; i < n; i++)
        if (way[i - 1]->bytes / way[i]->bytes < LITTLE_REUSE) {
            place_say(advice, "%s%s", separator, way[i - 1]->level);
            separator = ", ";
        }
}

/* The same for transfers to the host or to other hosts. */
static const char *help_for_transfer(struct advice *advice)
{
    const bool is_host = strcmp(advice->level->name, "host") == 0;
    const bool is_reached = advice->placement->fraction >= REACHED;
    hint(advice, !is_reached ? is_host ? "pinned, larger copies" : "larger messages"
                 : is_host   ? "copy less, or overlap copies"
                             : "send less, or overlap");
    if (!is_reached)
        return is_host ? "; copy from and to pinned memory, in larger pieces"
                       : "; send larger messages, several at a time";
    return is_host ? "; keep data on the GPU, or copy while kernels run"
                   : "; send less, or while other work runs";
}

/* What helps a kernel that a level's bandwidth bounds. */
static const char *help_for_level(struct advice *advice)
{
    const char *level = advice->level->name;
    const bool is_memory = advice->level->reach.roof->clock == RFL_CLOCK_MEMORY;
    if (advice->level->reach.roof->is_transfer)
        return help_for_transfer(advice);
    hint(advice,
         strcmp(level, "L1") == 0 || strcmp(level, "shared") == 0 ? "keep more in registers"
         : !is_memory                                  ? "keep more in inner caches"
         : advice->placement->fraction_high >= REACHED ? "move fewer bytes: block, fuse"
                                                       : "better access pattern");
    if (strcmp(level, "L1") == 0 || strcmp(level, "shared") == 0)
        return advice->is_gpu
                   ? "; keep more in registers, and use accesses that are coalesced, wide "
                     "and without bank conflicts"
                   : "; keep more in registers (unroll and jam), use whole vectors";
    if (!is_memory)
        return advice->is_gpu ? "; keep more in registers, shared memory or L1"
                              : "; block loops for the inner caches";
    if (advice->placement->fraction >= REACHED)
        return "; only fewer bytes help: cache blocking, fused loops, smaller types";
    if (advice->placement->fraction_high >= REACHED)
        return "";
    return advice->is_gpu
               ? "; the rest is lost to the access pattern (use whole lines, few streams, "
                 "coalesced) or too few bytes in flight"
               : "; the rest is lost to the access pattern (use whole lines, few streams) "
                 "or too few bytes in flight";
}

static void say_level(struct advice *advice)
{
    const struct rfl_reach *reach = &advice->level->reach;
    const struct rfl_placed *unit = &advice->placement->placed[advice->placement->n_levels];
    if (reach->low < 0.995 * reach->bytes_per_s)
        place_say(advice, " (%s)",
                  reach->kind == RFL_REACH_BAND
                      ? "its share of reads is not known"
                      : "whether its stores are in place is not known");
    say_reuse(advice);
    place_say(advice, "%s", help_for_level(advice));
    if (advice->placement->n_units && unit->value > 0)
        place_say(advice, "; %s needs %.3g flop/byte, it has %.3g", unit->name,
                  rfl_model_ridge(advice->level->value, unit->value),
                  advice->level->intensity_flop_per_byte);
}

/* How many times faster the matrix unit is for the same type; 0: the unit is one. */
static double matrix_gain(const struct advice *advice)
{
    const struct rfl_work *work = advice->unit->work;
    if (rfl_is_matrix_unit(work->unit))
        return 0;
    return fmax(rfl_roofs_peak(advice->roofs, work->type, "tensor", NAN, NULL),
                rfl_roofs_peak(advice->roofs, work->type, "amx", NAN, NULL)) /
           advice->unit->value;
}

static void say_unit(struct advice *advice)
{
    double peak = advice->unit->value;
    hint(advice, advice->roof && peak < 0.95 * advice->roof->value ? "more FMA"
                 : advice->placement->fraction < REACHED ? "more independent operations"
                                                         : "fewer ops or a smaller type");
    if (advice->roof && peak < 0.95 * advice->roof->value)
        place_say(advice, "; with FMAs only it could be up to %.2fx faster",
                  advice->roof->value / peak);
    if (advice->placement->fraction < REACHED)
        place_say(
            advice, "; the rest is lost to dependent operations, divisions, square roots%s",
            advice->is_gpu ? ", divergence or too few warps" : ", or unvectorised parts");
    else
        place_say(advice, "; only fewer operations or a smaller type help");
    if (!(advice->placement->fraction >= REACHED && peak > 0 && matrix_gain(advice) > 1.2))
        return;
    hint(advice,
         advice->is_gpu ? "tensor unit, for products" : "matrix unit, for products");
    place_say(advice, "; matrix products could use the %s unit, %.1fx this roof",
              advice->is_gpu ? "tensor" : "matrix", matrix_gain(advice));
}

static void say_issue(struct advice *advice)
{
    hint(advice, "fewer, wider instructions");
    place_say(advice,
              ": bound by instructions, not by operations or bytes: use wider accesses, "
              "unrolled loops, less index arithmetic");
}

/* Says which roof bounds and how much of it is attained, why, and what would help. */
static void say_bound(struct advice *advice)
{
    const struct rfl_placement *placement = advice->placement;
    const struct rfl_placed *unit = advice->unit;
    double low = round(advice->percent), high = round(100 * placement->fraction_high);
    place_say(advice, "%s-bound at ", placement->bound_name);
    if (unit && advice->roof && unit->value > 0 &&
        unit->value < 0.995 * advice->roof->value)
        place_say(advice, "%.0f %% of the roof for its mix, %.0f %% of the FMA peak",
                  advice->percent, 100 * unit->reached / advice->roof->value);
    else if (high > low)
        place_say(advice, "%.0f to %.0f %%", low, high);
    else
        place_say(advice, "%.0f %%", low);
    if (advice->level)
        say_level(advice);
    else if (unit)
        say_unit(advice);
    else
        say_issue(advice);
    if (placement->headroom > 0.85) /* raising one of two equal roofs changes nothing */
        place_say(advice, "; the next roof, %s, is at %.0f %% of that: both must be raised",
                  placement->next_name, 100 * placement->headroom);
}

static void say_burst(struct advice *advice)
{
    const struct ert_text time = ert_units_time(advice->roof->burst_s);
    if (advice->bound->is_burst)
        place_say(
            advice,
            "; the roof is the burst rate, since the kernel ends before the clock falls "
            "(%s)",
            time.text);
    else
        place_say(advice, "; the roof is the sustained rate, for kernels above %s",
                  time.text);
}

/* Says so if the FMAs of a unit, the first such, approach the limit of the register file. */
static void say_near_operands(struct advice *advice)
{
    const struct rfl_placed *unit = advice->placement->placed,
                            *end = unit + advice->placement->n_placed;
    while (unit < end && !unit->is_near_operands)
        unit++;
    if (unit == end)
        return;
    double share = unit->reached / unit->operand_peak_flop_per_s;
    place_say(
        advice,
        "; if its FMAs read three different registers, the register file limits it to %s, "
        "%.0f %% of the peak, of which it attains %.0f %%: %s",
        ert_units_performance(unit->operand_peak_flop_per_s).text,
        100 * unit->operand_peak_flop_per_s / unit->value, 100 * share,
        share > 1 ? "it reuses some" : "let neighbouring FMAs share an operand");
}

/* A memory of the device for which the point has no bytes: it could be the bound. */
static const char *unknown_memory(const struct advice *advice)
{
    for (size_t i = 0; i < advice->placement->n_levels; i++) {
        const struct rfl_bandwidth *roof = advice->placement->placed[i].reach.roof;
        if (roof && roof->clock == RFL_CLOCK_MEMORY)
            return NULL;
    }
    for (size_t i = 0; i < advice->roofs->n_bandwidths; i++)
        if (advice->roofs->bandwidths[i].clock == RFL_CLOCK_MEMORY)
            return advice->roofs->bandwidths[i].level;
    return NULL;
}

static void place_advise(struct rfl_placement *placement)
{
    struct advice advice = {.placement = placement,
                            .roofs = placement->roofs,
                            .point = placement->point,
                            .percent = 100 * placement->fraction,
                            .is_gpu = placement->roofs->kind == ERT_DEVICE_GPU};
    if (placement->bound != RFL_BOUND_NONE) {
        advice.bound = &placement->placed[placement->bound_index];
        advice.level = placement->bound == RFL_BOUND_LEVEL ? advice.bound : NULL;
        advice.unit = placement->bound == RFL_BOUND_UNIT ? advice.bound : NULL;
        advice.roof = advice.bound->rate;
    }
    bool has_time = advice.point->time_s > 0;
    bool is_transfer = advice.level && advice.level->reach.roof->is_transfer;
    placement->advice[0] = '\0';
    if (placement->bound == RFL_BOUND_NONE)
        say_no_roof(&advice);
    else if (!has_time)
        say_no_time(&advice);
    else if (placement->fraction > BEYOND)
        say_beyond(&advice);
    else if (!is_transfer && say_short(&advice))
        ;
    else if (!is_transfer && placement->fraction_high < LATENCY)
        say_latency(&advice);
    else
        say_bound(&advice);

    if (has_time && advice.roof && advice.roof->burst_s > 0)
        say_burst(&advice);
    say_near_operands(&advice);
    if (has_time && advice.roof && advice.roof->share < 0.9)
        place_say(&advice, "; with all %s that roof would be %.1fx as high",
                  advice.is_gpu ? "warps per SM" : "threads", 1 / advice.roof->share);
    if (placement->bound != RFL_BOUND_NONE && placement->fraction < REACHED &&
        !is_transfer && unknown_memory(&advice))
        place_say(&advice, "; bytes at %s are not known: it may be the bound instead",
                  unknown_memory(&advice));
    if (advice.roof && *advice.roof->warning)
        place_say(&advice, "; the roof itself has a warning (%s)", advice.roof->warning);
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
        place_add_placed(placement, place_unit(roofs, point->time_s, &point->work[i]));
    if (point->instructions > 0 && roofs->instructions_per_s > 0) {
        struct rfl_placed issue = {.kind = RFL_BOUND_ISSUE,
                                   .name = "issue",
                                   .unit = "inst/s",
                                   .value = roofs->instructions_per_s,
                                   .low = roofs->instructions_per_s};
        take_times(&issue, point->instructions, point->time_s);
        place_add_placed(placement, issue);
    }
    find_bound(placement);
    if (placement->fraction > 0)
        placement->saved_s = point->time_s * fmax(0, 1 - placement->fraction);
    place_advise(placement);
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
            return ert_fail(
                error, ERT_USAGE,
                "%.100s: the profile (%.100s, %.32s) is from a %s, the ceilings of %s from "
                "a %s; --force compares them nevertheless",
                point->name, *point->source ? point->source : "no file", point->format,
                other, placer->roofs->device, own);
        snprintf(
            placer->mismatch, sizeof placer->mismatch,
            "the profile is from a %s, the ceilings from a %s: percentages of roofs are "
            "meaningless",
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
        snprintf(
            placer->mismatch, sizeof placer->mismatch,
            "the profile is from a GPU of cc %u.%u, the ceilings from one of cc %u.%u: "
            "percentages of roofs are meaningless",
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
    return place_is_profiled_on(rfl_format_profiled(point->format), placer->roofs->kind);
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
