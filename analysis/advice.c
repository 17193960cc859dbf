#include "analysis/advice.h"

#include "analysis/model.h"
#include "ert/base/units.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/*
 * A roof is in reach from this share of it on; below the lower one no roof is what holds the code
 * back. (Nsight Compute's own rule speaks of latency below 60 % of a theoretical peak; ours are
 * measured.)
 */
#define REACHED 0.8
#define LATENCY 0.5

/* Beyond this a measured roof's own spread and a counter's rounding explain no more. */
#define BEYOND 1.03

/* "No reuse": within what partial sectors and a cold start make of counts. */
#define LITTLE_REUSE 1.1

/*
 * A launch needs some microseconds to start, fill the SMs and drain: 2.9 us of work took 3.8 us each
 * in a row of launches (NVIDIA, "Getting Started with CUDA Graphs", developer.nvidia.com/blog).
 */
#define SHORT_LAUNCH_S 10e-6

struct advice {
    struct rfl_placement *placement;
    const struct rfl_roofs *roofs;
    const struct rfl_point *point;
    const struct rfl_placed_level *level; /* that bounds, or NULL */
    const struct rfl_placed_unit *unit;   /* that bounds, or NULL */
    const struct rfl_rate *roof;          /* of either, or NULL */
    bool is_gpu;
    size_t used; /* of placement->advice */
};

/* Appends to the sentence; cut at its end. */
__attribute__((format(printf, 2, 3))) static void say(struct advice *advice,
                                                      const char *format, ...)
{
    size_t room = sizeof advice->placement->advice - advice->used;
    va_list arguments;
    va_start(arguments, format);
    int length =
        vsnprintf(advice->placement->advice + advice->used, room, format, arguments);
    va_end(arguments);
    if (length > 0)
        advice->used += (size_t)length < room ? (size_t)length : room - 1;
}

static double percent(const struct advice *advice)
{
    return 100 * advice->placement->fraction;
}

static void say_no_roof(struct advice *advice)
{
    const struct rfl_placement *placement = advice->placement;
    const char *separator = ": ";
    if (!placement->n_levels && !placement->n_units) {
        say(advice, "nothing to place: neither operations nor bytes are known");
        return;
    }
    say(advice, "no roof: %s has no ceiling for what was counted", advice->roofs->device);
    for (size_t i = 0; i < placement->n_levels; i++, separator = ", ")
        say(advice, "%s%s", separator, placement->levels[i].traffic->level);
    for (size_t i = 0; i < placement->n_units; i++, separator = ", ")
        say(advice, "%s%s", separator, placement->units[i].name);
}

static void say_no_time(struct advice *advice)
{
    char best[ERT_UNITS_TEXT];
    say(advice, "%s would bound it", advice->placement->bound_name);
    if (advice->placement->flops > 0)
        say(advice, ", at %s",
            ert_units_performance(advice->placement->attainable_flop_per_s, best));
    say(advice, "; without a time its share of that is not known");
}

/*
 * Why a count can exceed a roof. On CPUs memory counters are of the whole socket; everywhere the time
 * can be of another run than the counts, and the clock a higher one.
 */
static void say_beyond(struct advice *advice)
{
    bool is_clock_known = advice->point->clock_hz > 0 || advice->roofs->held_hz == 0;
    say(advice,
        "%.0f %% of the %s roof, which cannot be: the time or the counts are not of the "
        "same "
        "run%s%s",
        percent(advice), advice->placement->bound_name,
        advice->level ? ", the counter saw more than this code" : "",
        is_clock_known ? "" : ", or the clock was above the sweep's");
}

static bool is_short(const struct advice *advice)
{
    return advice->is_gpu && advice->point->launches > 0 &&
           advice->point->time_s / advice->point->launches < SHORT_LAUNCH_S &&
           advice->placement->fraction < REACHED;
}

static void say_short(struct advice *advice)
{
    char each[ERT_UNITS_TEXT];
    say(advice,
        "bound by its launches of %s, in which starting and draining weigh (%s: %.0f %%): "
        "more work per launch, fused or in a graph",
        ert_units_time(advice->point->time_s / advice->point->launches, each),
        advice->placement->bound_name, percent(advice));
}

/*
 * Warps that the registers of an SM leave room for: 65,536 of them, given to warps of 32 threads in
 * units of 8 per thread (CUDA C++ Programming Guide, "Technical Specifications per Compute
 * Capability", 5.0 to 12.0).
 */
static double warps_by_registers(double registers)
{
    return floor(65536 / (32 * 8 * ceil(registers / 8)));
}

static void say_occupancy(struct advice *advice)
{
    const struct rfl_point *point = advice->point;
    double count = advice->is_gpu ? point->warps_per_sm : point->threads;
    double most = point->registers > 0 ? warps_by_registers(point->registers) : INFINITY;
    if (!(count > 0))
        say(advice, "; how many %s worked is not known, too few are a usual reason",
            advice->is_gpu ? "warps per SM" : "threads");
    else if (!advice->is_gpu)
        say(advice,
            "; it had %.3g threads: look for dependent operations, irregular accesses and "
            "waiting",
            count);
    else if (count > 0.75 * most)
        say(advice,
            "; it had %.3g warps per SM of the %.0f that %.0f registers a thread leave "
            "room "
            "for: fewer registers, or more independent work per thread",
            count, most, point->registers);
    else
        say(advice,
            "; it had %.3g warps per SM: more of them, or more independent work per thread",
            count);
}

/* On a CPU whose units have names: whether the code is as slow as scalar code can be. */
static void say_scalar(struct advice *advice)
{
    const struct rfl_placement *placement = advice->placement;
    const struct rfl_placed_unit *unit = placement->n_units ? &placement->units[0] : NULL;
    double scalar =
        unit && !advice->is_gpu
            ? rfl_roofs_peak(advice->roofs, unit->work->type, "scalar", NAN, NULL)
            : 0;
    if (scalar > 0 && unit->perf_flop_per_s > 0.3 * scalar &&
        unit->perf_flop_per_s <= scalar * BEYOND && scalar < 0.9 * unit->peak_flop_per_s)
        say(advice,
            "; it is no faster than scalar code can be (%.0f %% of that): is it "
            "vectorised?",
            100 * unit->perf_flop_per_s / scalar);
}

/* What keeps a code from all roofs, and where to look. */
static void say_latency(struct advice *advice)
{
    say(advice, "latency-bound: it reaches no roof by half; the nearest, %s, by %.2g %%",
        advice->placement->bound_name, percent(advice));
    say_occupancy(advice);
    say_scalar(advice);
    if (advice->unit)
        say(advice, "; divisions and square roots take many times their count%s",
            advice->is_gpu ? ", divergent branches idle lanes" : "");
}

/* The levels on the way to memory, less those beside it. */
static size_t way_of(const struct rfl_placement *placement,
                     const struct rfl_traffic *way[RFL_MAX_TRAFFIC])
{
    size_t n = 0;
    for (size_t i = 0; i < placement->n_levels; i++) {
        const struct rfl_traffic *traffic = placement->levels[i].traffic;
        if (strcmp(traffic->level, "shared") != 0 && strcmp(traffic->level, "host") != 0)
            way[n++] = traffic;
    }
    return n;
}

/* How often a level serves what the next one gives it once; of bytes, so also without operations. */
static void say_reuse(struct advice *advice)
{
    const struct rfl_traffic *way[RFL_MAX_TRAFFIC];
    size_t n = way_of(advice->placement, way);
    const char *separator = ": no reuse in ";
    if (n < 2)
        return;
    say(advice, advice->placement->flops > 0 ? ": intensity rises" : ": bytes shrink");
    for (size_t i = 1; i < n; i++) {
        double reuse = way[i - 1]->bytes / way[i]->bytes;
        say(advice, "%s %.*fx from %s to %s", i > 1 ? "," : "", reuse < 100, reuse,
            way[i - 1]->level, way[i]->level);
    }
    for (size_t i = 1; i < n; i++)
        if (way[i - 1]->bytes / way[i]->bytes < LITTLE_REUSE) {
            say(advice, "%s%s", separator, way[i - 1]->level);
            separator = ", ";
        }
}

/* What helps where a level's bandwidth bounds. */
static const char *help_for_level(const struct advice *advice)
{
    const char *level = advice->level->roof->level;
    if (strcmp(level, "L1") == 0 || strcmp(level, "shared") == 0)
        return advice->is_gpu
                   ? "; keep more in registers, and see that accesses are "
                     "coalesced, wide and without bank conflicts"
                   : "; keep more in registers (unroll and jam), use whole vectors";
    if (advice->level->roof->clock != RFL_CLOCK_MEMORY)
        return advice->is_gpu ? "; keep more in registers, shared memory or L1"
                              : "; block loops for the caches further in";
    if (advice->placement->fraction >= REACHED)
        return "; only fewer bytes help: cache blocking, fused loops, smaller types";
    if (advice->placement->fraction_high >= REACHED)
        return "";
    return advice->is_gpu
               ? "; the rest is access pattern (of whole lines, few streams, coalesced) or "
                 "too few bytes in flight"
               : "; the rest is access pattern (of whole lines, few streams) or too few "
                 "bytes in flight";
}

static void say_level(struct advice *advice)
{
    const struct rfl_reach *reach = &advice->level->reach;
    const struct rfl_placed_unit *unit = &advice->placement->units[0];
    if (reach->low < 0.995 * reach->bytes_per_s)
        say(advice, " (%s)",
            reach->kind == RFL_REACH_BAND ? "its reads and writes are not known apart"
                                          : "whether its stores are in place is not known");
    say_reuse(advice);
    say(advice, "%s", help_for_level(advice));
    if (advice->placement->n_units && unit->peak_flop_per_s > 0)
        say(advice, "; %s needs %.3g flop/byte, it has %.3g", unit->name,
            rfl_model_ridge(reach->bytes_per_s, unit->peak_flop_per_s),
            advice->level->intensity_flop_per_byte);
}

/* How much faster a unit for products of matrices does the same type; 0: this is one. */
static double matrix_gain(const struct advice *advice)
{
    const struct rfl_work *work = advice->unit->work;
    if (strcmp(work->unit, "tensor") == 0 || strcmp(work->unit, "amx") == 0)
        return 0;
    return fmax(rfl_roofs_peak(advice->roofs, work->type, "tensor", NAN, NULL),
                rfl_roofs_peak(advice->roofs, work->type, "amx", NAN, NULL)) /
           advice->unit->peak_flop_per_s;
}

static void say_unit(struct advice *advice)
{
    double peak = advice->unit->peak_flop_per_s;
    if (advice->roof && peak < 0.95 * advice->roof->value)
        say(advice, "; as FMA throughout it could be up to %.2fx faster",
            advice->roof->value / peak);
    if (advice->placement->fraction < REACHED)
        say(advice, "; the rest is dependent operations, divisions and square roots%s",
            advice->is_gpu ? ", divergence or too few warps" : ", or unvectorised parts");
    else
        say(advice, "; only fewer operations or a smaller type help");
    if (advice->placement->fraction >= REACHED && peak > 0 && matrix_gain(advice) > 1.2)
        say(advice, "; products of matrices could use the %s unit, %.1fx of this roof",
            advice->is_gpu ? "tensor" : "matrix", matrix_gain(advice));
}

/* Which roof bounds by how much, why, and what would help. */
static void say_bound(struct advice *advice)
{
    const struct rfl_placement *placement = advice->placement;
    const struct rfl_placed_unit *unit = advice->unit;
    double low = round(percent(advice)), high = round(100 * placement->fraction_high);
    say(advice, "%s-bound at ", placement->bound_name);
    if (unit && advice->roof && unit->peak_flop_per_s > 0 &&
        unit->peak_flop_per_s < 0.995 * advice->roof->value)
        say(advice, "%.0f %% of the roof for its mix, %.0f %% of the FMA peak",
            percent(advice), 100 * unit->perf_flop_per_s / advice->roof->value);
    else if (high > low)
        say(advice, "%.0f to %.0f %%", low, high);
    else
        say(advice, "%.0f %%", low);
    if (advice->level)
        say_level(advice);
    else if (unit)
        say_unit(advice);
    else
        say(advice, ": instructions are the work, not operations or bytes: wider accesses, "
                    "unrolled loops, less index arithmetic");
    if (placement->headroom > 0.85) /* lifting one of two equal roofs moves nothing */
        say(advice, "; %s is next, at %.0f %% of that: both must be lifted",
            placement->next_name, 100 * placement->headroom);
}

static void say_burst(struct advice *advice)
{
    char text[ERT_UNITS_TEXT];
    ert_units_time(advice->roof->burst_s, text);
    if (advice->level ? advice->level->is_burst : advice->unit->is_burst)
        say(advice,
            "; the roof is the burst one, since it ends before the clock falls (%s)", text);
    else
        say(advice, "; the roof is the sustained one, for codes above %s", text);
}

/* The first unit whose FMAs come near to what the register file delivers. */
static void say_near_operands(struct advice *advice)
{
    char roof[ERT_UNITS_TEXT];
    size_t i = 0;
    while (i < advice->placement->n_units && !advice->placement->units[i].is_near_operands)
        i++;
    if (i == advice->placement->n_units)
        return;
    const struct rfl_placed_unit *unit = &advice->placement->units[i];
    double share = unit->perf_flop_per_s / unit->operand_peak_flop_per_s;
    say(advice,
        "; if its FMAs read three different registers, the register file delivers operands "
        "for %s, %.0f %% of the peak, of which it has %.0f %%: %s",
        ert_units_performance(unit->operand_peak_flop_per_s, roof),
        100 * unit->operand_peak_flop_per_s / unit->peak_flop_per_s, 100 * share,
        share > 1 ? "it reuses some" : "let neighbouring FMAs share an operand");
}

/* A memory of the device whose bytes this point does not have: it could be what bounds. */
static const char *unknown_memory(const struct advice *advice)
{
    for (size_t i = 0; i < advice->placement->n_levels; i++) {
        const struct rfl_bandwidth *roof = advice->placement->levels[i].roof;
        if (roof && roof->clock == RFL_CLOCK_MEMORY)
            return NULL;
    }
    for (size_t i = 0; i < advice->roofs->n_bandwidths; i++)
        if (advice->roofs->bandwidths[i].clock == RFL_CLOCK_MEMORY)
            return advice->roofs->bandwidths[i].level;
    return NULL;
}

void rfl_advise(struct rfl_placement *placement, const struct rfl_roofs *roofs)
{
    struct advice advice = {.placement = placement,
                            .roofs = roofs,
                            .point = placement->point,
                            .is_gpu = roofs->kind == ERT_DEVICE_GPU};
    if (placement->bound == RFL_BOUND_LEVEL) {
        advice.level = &placement->levels[placement->bound_index];
        advice.roof = &advice.level->roof->rate;
    } else if (placement->bound == RFL_BOUND_UNIT) {
        advice.unit = &placement->units[placement->bound_index];
        advice.roof = advice.unit->roof ? &advice.unit->roof->rate : NULL;
    }
    bool has_time = advice.point->time_s > 0;
    placement->advice[0] = '\0';
    if (placement->bound == RFL_BOUND_NONE)
        say_no_roof(&advice);
    else if (!has_time)
        say_no_time(&advice);
    else if (placement->fraction > BEYOND)
        say_beyond(&advice);
    else if (is_short(&advice))
        say_short(&advice);
    else if (placement->fraction_high < LATENCY)
        say_latency(&advice);
    else
        say_bound(&advice);

    if (has_time && advice.roof && advice.roof->burst_s > 0)
        say_burst(&advice);
    say_near_operands(&advice);
    if (has_time && advice.roof && advice.roof->share < 0.9)
        say(&advice, "; with all %s that roof would be %.1fx higher",
            advice.is_gpu ? "warps per SM" : "threads", 1 / advice.roof->share);
    if (placement->bound != RFL_BOUND_NONE && placement->fraction < REACHED &&
        unknown_memory(&advice))
        say(&advice, "; bytes of %s are not known, so it may bound instead",
            unknown_memory(&advice));
    if (advice.roof && *advice.roof->doubt)
        say(&advice, "; the roof itself is in doubt (%s)", advice.roof->doubt);
}
