/* The head of the sentence: what bounds, or why that cannot be said. */
#include "analysis/advice_parts.h"

#include "ert/base/units.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void rfl_advice_say(struct rfl_advice *advice, const char *format, ...)
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

static double percent(const struct rfl_advice *advice)
{
    return 100 * advice->placement->fraction;
}

/* "64 %", or "64 to 71 %" where the roof is a band. */
static const char *percents(const struct rfl_advice *advice, char text[48])
{
    double low = round(percent(advice)),
           high = round(100 * advice->placement->fraction_high);
    if (high > low)
        snprintf(text, 48, "%.0f to %.0f %%", low, high);
    else
        snprintf(text, 48, "%.0f %%", low);
    return text;
}

static bool has_no_roof(const struct rfl_advice *advice)
{
    return advice->placement->bound == RFL_BOUND_NONE;
}

static void say_no_roof(struct rfl_advice *advice)
{
    const char *separator = ": ";
    if (!advice->placement->n_levels && !advice->placement->n_units) {
        rfl_advice_say(advice, "nothing to place: neither operations nor bytes are known");
        return;
    }
    rfl_advice_say(advice, "no roof: %s has no ceiling for what was counted",
                   advice->roofs->device);
    for (size_t i = 0; i < advice->placement->n_levels; i++, separator = ", ")
        rfl_advice_say(advice, "%s%s", separator,
                       advice->placement->levels[i].traffic->level);
    for (size_t i = 0; i < advice->placement->n_units; i++, separator = ", ") {
        char name[48];
        rfl_unit_name(&advice->placement->units[i], name, sizeof name);
        rfl_advice_say(advice, "%s%s", separator, name);
    }
}

static bool has_no_time(const struct rfl_advice *advice)
{
    return !(advice->point->time_s > 0);
}

static void say_no_time(struct rfl_advice *advice)
{
    char best[ERT_UNITS_TEXT];
    rfl_advice_say(advice, "%s would bound it", advice->placement->bound_name);
    if (advice->placement->flops > 0)
        rfl_advice_say(
            advice, ", at %s",
            ert_units_performance(advice->placement->attainable_flop_per_s, best));
    rfl_advice_say(advice, "; without a time its share of that is not known");
}

static bool is_beyond(const struct rfl_advice *advice)
{
    return advice->placement->fraction > RFL_ADVICE_BEYOND;
}

/*
 * Why a count can exceed a roof. On CPUs memory counters are of the whole socket; everywhere the time
 * can be of another run than the counts, and the clock a higher one.
 */
static void say_beyond(struct rfl_advice *advice)
{
    rfl_advice_say(
        advice,
        "%.0f %% of the %s roof, which cannot be: the time or the counts are not of "
        "the same run%s%s",
        percent(advice), advice->placement->bound_name,
        advice->level ? ", the counter saw more than this code" : "",
        advice->point->clock_hz > 0 || advice->roofs->held_hz == 0
            ? ""
            : ", or the clock was above the sweep's");
}

/*
 * A launch needs some microseconds to start, fill the SMs and drain: 2.9 us of work took 3.8 us each
 * in a row of launches (NVIDIA, "Getting Started with CUDA Graphs", developer.nvidia.com/blog).
 */
static const double short_launch_s = 10e-6;

static bool is_short(const struct rfl_advice *advice)
{
    return advice->roofs->kind == ERT_DEVICE_GPU && advice->point->launches > 0 &&
           advice->point->time_s / advice->point->launches < short_launch_s &&
           advice->placement->fraction < RFL_ADVICE_REACHED;
}

static void say_short(struct rfl_advice *advice)
{
    char each[ERT_UNITS_TEXT];
    rfl_advice_say(advice,
                   "bound by its launches of %s, in which starting and draining weigh "
                   "(%s: %.0f %%): more work per launch, fused or in a graph",
                   ert_units_time(advice->point->time_s / advice->point->launches, each),
                   advice->placement->bound_name, percent(advice));
}

static bool is_latency(const struct rfl_advice *advice)
{
    return advice->placement->fraction_high < RFL_ADVICE_LATENCY;
}

static void say_latency(struct rfl_advice *advice)
{
    rfl_advice_say(advice,
                   "latency-bound: it reaches no roof by half; the nearest, %s, by %.2g %%",
                   advice->placement->bound_name, percent(advice));
}

static bool is_unit_of_mix(const struct rfl_advice *advice)
{
    return advice->unit && advice->unit->roof && advice->unit->peak_flop_per_s > 0 &&
           advice->unit->peak_flop_per_s < 0.995 * advice->unit->roof->flop_per_s;
}

static void say_unit_of_mix(struct rfl_advice *advice)
{
    double of_peak = advice->unit->perf_flop_per_s / advice->unit->roof->flop_per_s;
    rfl_advice_say(advice,
                   "%s-bound at %.0f %% of the roof for its mix, %.0f %% of the FMA peak",
                   advice->placement->bound_name, percent(advice), 100 * of_peak);
}

static bool always(const struct rfl_advice *advice)
{
    (void)advice;
    return true;
}

static void say_bound(struct rfl_advice *advice)
{
    char text[48];
    rfl_advice_say(advice, "%s-bound at %s", advice->placement->bound_name,
                   percents(advice, text));
}

static const struct rfl_rule no_more[] = {
    {NULL, NULL}
};

/* The first that applies, and the clauses that may follow it. */
static const struct {
    struct rfl_rule rule;
    const struct rfl_rule *clauses;
} heads[] = {
    {{has_no_roof, say_no_roof},        no_more           },
    {{has_no_time, say_no_time},        no_more           },
    {{is_beyond, say_beyond},           no_more           },
    {{is_short, say_short},             no_more           },
    {{is_latency, say_latency},         rfl_advice_latency},
    {{is_unit_of_mix, say_unit_of_mix}, rfl_advice_bound  },
    {{always, say_bound},               rfl_advice_bound  },
};

/* Its FMAs come near to what the register file delivers. */
static const struct rfl_placed_unit *near_operands(const struct rfl_advice *advice)
{
    for (size_t i = 0; i < advice->placement->n_units; i++) {
        const struct rfl_placed_unit *unit = &advice->placement->units[i];
        if (rfl_unit_is_near_operands(unit))
            return unit;
    }
    return NULL;
}

static bool is_near_operands(const struct rfl_advice *advice)
{
    return near_operands(advice) != NULL;
}

static void say_near_operands(struct rfl_advice *advice)
{
    const struct rfl_placed_unit *unit = near_operands(advice);
    char roof[ERT_UNITS_TEXT];
    double share = unit->perf_flop_per_s / unit->operand_peak_flop_per_s;
    rfl_advice_say(
        advice,
        "; if its FMAs read three different registers, the register file delivers operands "
        "for %s, %.0f %% of the peak, of which it has %.0f %%: %s",
        ert_units_performance(unit->operand_peak_flop_per_s, roof),
        100 * unit->operand_peak_flop_per_s / unit->peak_flop_per_s, 100 * share,
        share > 1 ? "it reuses some" : "let neighbouring FMAs share an operand");
}

/* The device has a memory whose bytes this point does not have: it could be what bounds. */
static const char *unknown_memory(const struct rfl_advice *advice)
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

static bool lacks_memory(const struct rfl_advice *advice)
{
    return !has_no_roof(advice) && advice->placement->fraction < RFL_ADVICE_REACHED &&
           unknown_memory(advice);
}

static void say_lacks_memory(struct rfl_advice *advice)
{
    rfl_advice_say(advice, "; bytes of %s are not known, so it may bound instead",
                   unknown_memory(advice));
}

static const char *doubt_of(const struct rfl_advice *advice)
{
    if (advice->level)
        return advice->level->roof->doubt;
    return advice->unit && advice->unit->roof ? advice->unit->roof->doubt : "";
}

static bool has_doubt(const struct rfl_advice *advice)
{
    return *doubt_of(advice);
}

static void say_doubt(struct rfl_advice *advice)
{
    rfl_advice_say(advice, "; the roof itself is in doubt (%s)", doubt_of(advice));
}

/* What share of the roof that bounds its concurrency leaves. */
static double share_of(const struct rfl_advice *advice)
{
    if (advice->level)
        return advice->level->roof->share;
    return advice->unit && advice->unit->roof ? advice->unit->roof->share : 1;
}

static bool is_lowered(const struct rfl_advice *advice)
{
    return advice->point->time_s > 0 && share_of(advice) < 0.9;
}

static void say_lowered(struct rfl_advice *advice)
{
    rfl_advice_say(advice, "; with all %s that roof would be %.1fx higher",
                   advice->roofs->kind == ERT_DEVICE_GPU ? "warps per SM" : "threads",
                   1 / share_of(advice));
}

/* How long the roof that bounds is higher; 0: it is one for all times. */
static double burst_s_of(const struct rfl_advice *advice)
{
    if (advice->level)
        return advice->level->roof->burst_s;
    return advice->unit && advice->unit->roof ? advice->unit->roof->burst_s : 0;
}

static bool has_burst(const struct rfl_advice *advice)
{
    return advice->point->time_s > 0 && burst_s_of(advice) > 0;
}

static void say_burst(struct rfl_advice *advice)
{
    char text[ERT_UNITS_TEXT];
    bool is_burst = advice->level ? advice->level->is_burst : advice->unit->is_burst;
    ert_units_time(burst_s_of(advice), text);
    if (is_burst)
        rfl_advice_say(advice,
                       "; the roof is the burst one, since it ends before the clock falls "
                       "(%s)",
                       text);
    else
        rfl_advice_say(advice, "; the roof is the sustained one, for codes above %s", text);
}

/* Whatever the head. */
static const struct rfl_rule tail[] = {
    {has_burst,        say_burst        },
    {is_near_operands, say_near_operands},
    {is_lowered,       say_lowered      },
    {lacks_memory,     say_lacks_memory },
    {has_doubt,        say_doubt        },
    {NULL,             NULL             },
};

static void say_all(struct rfl_advice *advice, const struct rfl_rule *rules)
{
    for (; rules->applies; rules++)
        if (rules->applies(advice))
            rules->say(advice);
}

void rfl_advise(struct rfl_placement *placement, const struct rfl_roofs *roofs)
{
    struct rfl_advice advice = {
        .placement = placement, .roofs = roofs, .point = placement->point};
    size_t head = 0;
    if (placement->bound == RFL_BOUND_LEVEL)
        advice.level = &placement->levels[placement->bound_index];
    if (placement->bound == RFL_BOUND_UNIT)
        advice.unit = &placement->units[placement->bound_index];
    placement->advice[0] = '\0';
    while (!heads[head].rule.applies(&advice))
        head++;
    heads[head].rule.say(&advice);
    say_all(&advice, heads[head].clauses);
    say_all(&advice, tail);
}
