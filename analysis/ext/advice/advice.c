/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * advice: the sentence of a placement: which roof bounds it, how far it is from it, and what would help. The
 * help is from a table of rules (rules.def). A rule reads counts of the point and roofs of the device, and
 * speaks only if they are known and all its conditions hold, over the whole range of the fraction of the
 * roof. If none speaks, the sentence says which causes the counts rule out.
 */
#include "analysis/ext/advice/advice.h"

#include "analysis/core/place/model.h"
#include "analysis/core/place/views.h"
#include "analysis/core/points/levels.h"
#include "ert/core/base/units.h"

#include <math.h>
#include <string.h>

struct advice {
    struct rfl_placement *placement;
    const struct rfl_roofs *roofs; /* those of the placement */
    const struct rfl_point *point;
    const struct rfl_placed *bound, *level,
        *unit;                   /* level, unit: the bound, if it is one, else NULL */
    const struct rfl_rate *roof; /* of the bound, or NULL */
    bool is_gpu;
};

/* Appends to the sentence; text that does not fit is cut. */
__attribute__((format(printf, 2, 3))) static void advice_say(struct advice *advice,
                                                             const char *format, ...)
{
    char *text = advice->placement->advice;
    size_t used = strlen(text);
    ERT_FORMAT(text + used, RFL_ADVICE_TEXT - used, format);
}

static void advice_hint(struct advice *advice, const char *text)
{
    snprintf(advice->placement->hint, sizeof advice->placement->hint, "%s", text);
}

/* ---- facts: what rules read; NaN: unknown ---- */

enum fact {
    LEAST, /* of the roof */
    MOST,
    LAUNCH_S,
    PROGRAM_S, /* of a program as a whole, which has been started and ended */
    CPUS_USED,
    THREADS,
    BUSY,
    SYSTEM,    /* the operating system's share of the CPU time */
    IN_SYSTEM, /* the same, 0 unknown */
    IN_ROWS,   /* the part of a program's time that its functions and loops have */
    ALL_THREADS,
    CPUS_PER_THREAD,
    LINE_WASTE, /* bytes fetched from behind L1 per byte that the code asks for */
    WIDER_GAIN,
    CHAINED,   /* share of the lines that wait for each other */
    CHAIN,     /* share of the time in which lines wait for each other */
    DEPENDENT, /* and in which operations do */
    OUTER,     /* share of the time in which a level behind L1 could move its bytes */
    SCALAR_SHARE,
    NARROW_SHARE,
    WIDTH_TIME, /* share of the time that arithmetic needs at the rate of its widths */
    DIVISIONS,
    FLOPS_PER_INSTRUCTION,
    IPC,
    FMA_GAIN,
    AT_ONCE, /* bytes of a call, by the shapes of its operands */
    REREADS, /* how often each byte that the program touches comes through the bound; 0 unknown */
    WARPS,
    MOST_WARPS,
    OF_MOST_WARPS,
    MATRIX_GAIN,
    NEXT_ROOF,
    BLIND,
    N_FACTS
};

static double advice_bytes(const struct advice *advice, const char *level, bool is_read)
{
    const struct rfl_traffic *traffic = rfl_point_traffic(advice->point, level);
    return !traffic ? NAN : is_read ? traffic->read_bytes : traffic->bytes;
}

/*
 * Seconds per dependent load from a level; 0: not measured. Under the load that the point puts on it: what
 * was measured beside the strongest load that draws no more.
 */
static double advice_latency(const struct advice *advice, const char *level)
{
    const enum ert_ceiling_kind kinds[] = {ERT_CEILING_LATENCY, ERT_CEILING_LOADED};
    const double drawn =
        rfl_view_known(advice_bytes(advice, level, false) / advice->point->time_s);
    double latency_s = 0;
    for (size_t k = 0; k < ERT_LENGTH(kinds); k++) {
        const struct ert_ceiling_span all = ert_ceilings_of(advice->roofs->from, kinds[k]);
        for (size_t i = 0; i < all.n; i++)
            if (strcmp(all.at[i].key.level, level) == 0 &&
                (k == 0 || all.at[i].evidence->aggregate <= drawn))
                latency_s = fmax(latency_s, all.at[i].value);
    }
    return latency_s;
}

enum { LINE = 64 };

/* Of the lines from behind L1, the share that loads may fetch whose address is from another load. */
static double advice_chained(const struct advice *advice)
{
    const double lines = advice_bytes(advice, "L2", true) / LINE,
                 chained = rfl_point_value(advice->point, "chain_loads");
    return isnan(lines) ? NAN : fmin(1, fmax(0, chained) / lines);
}

/* Seconds for a share of the lines from behind L2, if each of them waited for the one before. */
static double advice_chain(const struct advice *advice, double share)
{
    static const char *const levels[] = {"L3", "DRAM"};
    /* the first touch of a line is the system's, which gives pages */
    const double first = fmax(0, rfl_point_value(advice->point, "first_touched_bytes"));
    double serial_s = NAN, before_s = 0;
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        const double s = advice_latency(advice, levels[i]),
                     bytes = advice_bytes(advice, levels[i], true);
        if (isnan(bytes) || !(s > 0))
            return NAN;
        serial_s = fmax(0, serial_s) +
                   fmax(0, bytes - first) / LINE *
                       (s - before_s); /* those found further out wait longer */
        before_s = s;
    }
    return serial_s * share;
}

static double advice_outer(const struct rfl_placement *placement)
{
    double longest = 0;
    for (size_t i = 0; i < placement->n_levels; i++)
        if (rfl_level_depth(placement->placed[i].traffic->level) > 1)
            longest = fmax(longest, placement->placed[i].most);
    return longest;
}

/* The peak of one operation ("div") on one unit ("avx2"), of codes that end in a burst or not; 0: none. */
static double advice_peak(const struct advice *advice, const char *type, const char *op,
                          const char *unit, bool is_burst)
{
    const struct rfl_roofs *roofs = advice->roofs;
    double best = 0;
    for (size_t i = 0; i < roofs->n_peaks; i++) {
        const struct rfl_peak *peak = &roofs->peaks[i];
        if (strcmp(peak->type, type) == 0 && strcmp(peak->op, op) == 0 &&
            strcmp(peak->unit, unit) == 0)
            best = fmax(best, is_burst && peak->rate.burst > 0 ? peak->rate.burst
                                                               : peak->rate.value);
    }
    return best;
}

enum width { SCALAR, W128, W256, N_WIDTHS };

/* Sums operations up to a width, or their times at the rate of `op` on their unit; NaN: none known. */
static double advice_sum(const struct advice *advice, const char *what, enum width last,
                         const char *op)
{
    static const char *const names[N_WIDTHS] = {"scalar", "128", "256"},
                             *const units[N_WIDTHS] = {"scalar", "sse2", "avx2"},
                             *const types[] = {"fp64", "fp32"};
    double sum = NAN;
    for (size_t t = 0; t < 2 && !advice->is_gpu; t++)
        for (enum width w = SCALAR; w <= last; w++) {
            char name[32];
            snprintf(name, sizeof name, "%s_%s%s_flops", types[t], what, names[w]);
            const double n = rfl_point_value(advice->point, name);
            if (n >= 0)
                sum = fmax(0, sum);
            if (n > 0)
                sum +=
                    n /
                    (op ? rfl_view_known(advice_peak(advice, types[t], op, units[w], false))
                        : 1);
        }
    return sum;
}

/* How many times faster the matrix unit is for the same type. */
static double advice_matrix_gain(const struct advice *advice)
{
    if (!advice->unit || rfl_is_matrix_unit(advice->unit->work->unit))
        return NAN;
    const char *type = advice->unit->work->type;
    return rfl_view_known(fmax(rfl_roofs_peak(advice->roofs, type, "tensor", NAN, NULL),
                               rfl_roofs_peak(advice->roofs, type, "amx", NAN, NULL))) /
           advice->unit->value;
}

/* How many times faster vectors of 512 bits are than those of 256. */
static double advice_wider_gain(const struct advice *advice)
{
    if (!advice->unit)
        return NAN;
    const char *type = advice->unit->work->type;
    return advice_peak(advice, type, "fma", "avx512", false) /
           rfl_view_known(advice_peak(advice, type, "fma", "avx2", false));
}

/* Whether the bound may be none of the roofs: operations were not counted, or their unit has no ceiling. */
static bool advice_is_blind(const struct rfl_placement *placement)
{
    const struct rfl_point *point = placement->point;
    for (size_t i = 0; i < placement->n_units; i++)
        if (!placement->placed[placement->n_levels + i].rate)
            return true;
    for (size_t i = 0; i < point->n_missing; i++)
        if (strcmp(point->missing[i].what, "operations") == 0 &&
            strcmp(point->missing[i].reason, rfl_none_counted) != 0)
            return true;
    return false;
}

double rfl_advice_warps(double registers)
{
    return 4 * floor(16384 / (256 * ceil(32 * registers / 256)));
}

/* Finds them for a time that the point may have taken. */
static void advice_find_facts(const struct advice *advice, double time_s,
                              double facts[N_FACTS])
{
    const struct rfl_placement *placement = advice->placement;
    const struct rfl_point *point = advice->point;
    const struct rfl_roofs *roofs = advice->roofs;
    const bool has_none = strcmp(point->format, "valgrind") == 0 && !point->n_work;
    const double
        threads_s = time_s * fmax(1, point->threads),
        n = rfl_view_known(point->instructions), flops = advice_sum(advice, "", W256, NULL),
        /* counted without AVX-512, so perhaps not of the vectors that were timed */
        vectors = rfl_point_value(point, "chosen_by_cpuid") > 0 ? NAN : flops;
    facts[LEAST] = placement->least;
    facts[MOST] = placement->most;
    facts[LAUNCH_S] = time_s / rfl_view_known(point->launches);
    facts[PROGRAM_S] =
        point->time_s >= 0.99 * rfl_view_known(point->set->elapsed_s) ? point->time_s : NAN;
    facts[CPUS_USED] = rfl_point_value(point, "cpus_used");
    facts[THREADS] = rfl_view_known(point->threads);
    facts[BUSY] = facts[CPUS_USED] / facts[THREADS];
    facts[SYSTEM] = rfl_point_value(point, "system_share");
    facts[IN_SYSTEM] = fmax(0, facts[SYSTEM]);
    facts[IN_ROWS] = rfl_point_value(point, "part_of_rows");
    facts[ALL_THREADS] = rfl_view_known(roofs->all_threads);
    facts[CPUS_PER_THREAD] = facts[ALL_THREADS] / facts[THREADS];
    facts[LINE_WASTE] =
        advice_bytes(advice, "L2", true) / advice_bytes(advice, "L1", false);
    facts[CHAINED] = advice_chained(advice);
    facts[CHAIN] = advice_chain(advice, facts[CHAINED]) / threads_s;
    if (facts[CHAIN] > 1) /* some lines came before they were asked for */
        facts[CHAIN] = 1;
    facts[DEPENDENT] = rfl_point_value(point, "chain_cycles") / threads_s /
                       rfl_view_known(advice->is_gpu ? 0 : roofs->clock_hz);
    facts[OUTER] = advice_outer(placement);
    facts[SCALAR_SHARE] = fmax(0, advice_sum(advice, "", SCALAR, NULL)) / vectors;
    facts[NARROW_SHARE] = fmax(0, advice_sum(advice, "", W128, NULL)) / vectors;
    facts[WIDER_GAIN] = advice_wider_gain(advice);
    facts[WIDTH_TIME] = advice_sum(advice, "", W256, "add") / time_s;
    facts[DIVISIONS] = advice_sum(advice, "div_", W256, "div") / time_s;
    facts[FLOPS_PER_INSTRUCTION] = (has_none ? 0 : flops) / n;
    facts[IPC] = n / threads_s / rfl_view_known(advice->is_gpu ? 0 : roofs->clock_hz);
    /* threads that wait for each other may have spun while they were counted, one at a time */
    if (strcmp(point->format, "valgrind") == 0 && point->threads > 1)
        facts[IPC] = facts[FLOPS_PER_INSTRUCTION] = NAN;
    facts[FMA_GAIN] = advice->unit && !isnan(advice->unit->work->fma_share)
                          ? advice->roof->value / advice->unit->value
                          : NAN;
    facts[AT_ONCE] = fmax(0, rfl_point_value(point, "bytes_at_once"));
    /* of a part of a program it is unknown: what it touches may have been touched before */
    facts[REREADS] = 0;
    if (advice->level && rfl_point_value(point, "first_touched_bytes") > 0 &&
        !isnan(facts[PROGRAM_S]))
        facts[REREADS] =
            advice->level->traffic->bytes / rfl_point_value(point, "first_touched_bytes");
    facts[WARPS] = rfl_view_known(point->warps_per_sm);
    facts[MOST_WARPS] =
        point->registers > 0 ? rfl_advice_warps(point->registers) : INFINITY;
    facts[OF_MOST_WARPS] = facts[WARPS] / facts[MOST_WARPS];
    facts[MATRIX_GAIN] = advice_matrix_gain(advice);
    facts[NEXT_ROOF] = placement->headroom;
    facts[BLIND] = advice_is_blind(placement);
}

/* ---- rules ---- */

/* Where a rule can speak: devices, and what bounds the point. */
enum {
    CPU = 1,
    GPU = 2,
    ANY_DEVICE = CPU | GPU,
    INNER = 4, /* L1 or shared memory */
    CACHE = 8,
    MEMORY = 16,
    HOST = 32,
    NET = 64,
    UNIT = 128,
    ISSUE = 256,
    LEVEL = INNER | CACHE | MEMORY,
    ANY_BOUND = LEVEL | UNIT | ISSUE
};

/* A point at this share of a roof is bound by it; below the lower share of every roof it is not. */
#define REACHED  0.8
#define NOT_NEAR 0.5

/* Above this share of a roof, the spread of a measurement explains no more. */
#define BEYOND 1.03

enum compare { BELOW, ABOVE };
enum { MAX_CONDITIONS = 4, MAX_SPOKEN = 3 };

static const struct rule {
    unsigned where;
    const char *hint, *cause, *sentence; /* cause: NULL if it is not worth a word */
    struct {
        enum fact fact;
        enum compare compare;
        double limit;
    } conditions[MAX_CONDITIONS]; /* up to a limit of 0 */
} rules[] = {
#define IF(fact, compare, limit)                                                           \
    {                                                                                      \
        fact, compare, limit                                                               \
    }
#define SHOW(fact) IF(fact, ABOVE, -1)
#define RULE(where, hint, cause, sentence, ...)                                            \
    {where, hint, cause, sentence, {__VA_ARGS__}},
#include "analysis/ext/advice/rules.def"
};

static unsigned advice_where(const struct advice *advice)
{
    const unsigned device = advice->is_gpu ? GPU : CPU;
    if (!advice->level)
        return device | (advice->unit ? UNIT : ISSUE);
    const char *name = advice->level->name;
    const bool is_inner = strcmp(name, "L1") == 0 || strcmp(name, "shared") == 0;
    if (advice->level->reach.roof->is_transfer)
        return device | (strcmp(name, "host") == 0 ? HOST : NET);
    return device | (is_inner                                               ? INNER
                     : advice->level->reach.roof->clock == RFL_CLOCK_MEMORY ? MEMORY
                                                                            : CACHE);
}

enum outcome { SPEAKS, RULED_OUT, UNKNOWN };

/* The facts at the point's time and at both ends of its interval. */
struct facts {
    double at[N_FACTS], first[N_FACTS], last[N_FACTS];
};

static enum outcome rule_judge(const struct rule *rule, unsigned where,
                               const struct facts *facts)
{
    enum outcome outcome = SPEAKS;
    if ((rule->where & where) != where)
        return UNKNOWN;
    for (size_t i = 0; i < MAX_CONDITIONS && rule->conditions[i].limit != 0; i++) {
        const enum fact fact = rule->conditions[i].fact;
        const double limit = rule->conditions[i].limit,
                     least = fmin(facts->first[fact], facts->last[fact]),
                     most = fmax(facts->first[fact], facts->last[fact]);
        if (isnan(facts->at[fact]) || isnan(facts->first[fact]) || isnan(facts->last[fact]))
            return UNKNOWN;
        if (rule->conditions[i].compare == ABOVE ? least <= limit : most >= limit)
            outcome = RULED_OUT;
    }
    return outcome;
}

/* The sentence with its numbers. */
static void advice_speak(struct advice *advice, const struct rule *rule,
                         const struct facts *facts)
{
    for (const char *at = rule->sentence;; at += 3) {
        const int length = (int)strcspn(at, "%");
        advice_say(advice, "%.*s", length, at);
        at += length;
        if (!*at)
            return;
        const double value = facts->at[rule->conditions[at[2] - '1'].fact];
        if (at[1] == 't')
            advice_say(advice, "%s", ert_units_time(value).text);
        else if (at[1] == 'p')
            advice_say(advice, "%.0f %%", 100 * value);
        else
            advice_say(advice, "%.3g", value);
    }
}

/* Lets the rules speak; if none does, says which causes the counts exclude. */
static void advice_rules(struct advice *advice)
{
    const unsigned where = advice_where(advice);
    const char *separator = "; it is not ";
    bool is_general = false;
    const struct rfl_point *point = advice->point;
    struct facts facts;
    char hint[sizeof advice->placement->hint] = "";
    size_t n = 0;
    advice_find_facts(advice, point->time_s, facts.at);
    memcpy(facts.first, facts.at, sizeof facts.at);
    memcpy(facts.last, facts.at, sizeof facts.at);
    if (point->time_low_s > 0)
        advice_find_facts(advice, point->time_low_s, facts.first);
    if (point->time_high_s > 0)
        advice_find_facts(advice, point->time_high_s, facts.last);
    for (size_t i = 0; i < sizeof rules / sizeof rules[0] && n < MAX_SPOKEN; i++) {
        if (rule_judge(&rules[i], where, &facts) != SPEAKS)
            continue;
        if (n++ == 0 || (n == 2 && is_general))
            ert_append(hint, sizeof hint, "%s%s", *hint ? "; " : "", rules[i].hint);
        /* of every program of one thread, so the next one is worth a word */
        is_general = rules[i].conditions[0].fact == CPUS_PER_THREAD;
        advice_say(advice, "; ");
        advice_speak(advice, &rules[i], &facts);
        if (rules[i].conditions[0].fact ==
            PROGRAM_S) /* the rest is about its start and end */
            break;
    }
    if (facts.at[BLIND] && advice->placement->most < NOT_NEAR)
        advice->placement->saved_s = 0;
    advice_hint(advice, n ? hint : "none of the counted causes");
    if (n > is_general) /* what everyone of one thread is told explains nothing */
        return;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (!rules[i].cause || rule_judge(&rules[i], where, &facts) != RULED_OUT)
            continue;
        advice_say(advice, "%s%s", separator, rules[i].cause);
        separator = ", ";
    }
    advice_say(advice, "; what no count here shows may remain: %s%s",
               isnan(facts.at[DEPENDENT]) ? "operations that wait for each other, " : "",
               advice->is_gpu ? "divergent branches, too few warps"
                              : "mispredicted branches");
}

/* ---- the sentence ---- */

static void say_no_roof(struct advice *advice)
{
    const struct rfl_placement *placement = advice->placement;
    const char *separator = ": ";
    /* Valgrind counts all operations, so what has none is integer code. */
    const bool is_integer = strcmp(placement->point->format, "valgrind") == 0 &&
                            placement->point->instructions > 0;
    advice_hint(advice, placement->n_placed ? "no ceiling for its work"
                        : is_integer        ? "integer code: not these roofs"
                                            : "nothing was counted");
    if (!placement->n_placed) {
        advice_say(advice, "nothing to place: neither operations nor bytes are known");
        return;
    }
    advice_say(advice, "no roof: %s has no ceiling for what was counted",
               advice->roofs->device);
    for (size_t i = 0; i < placement->n_placed; i++, separator = ", ")
        advice_say(advice, "%s%s", separator, placement->placed[i].name);
}

static void say_no_time(struct advice *advice)
{
    advice_hint(advice, "no time given");
    advice_say(advice, "%s would bound it", advice->placement->bound_name);
    if (advice->placement->flops > 0)
        advice_say(advice, ", at %s",
                   ert_units_performance(advice->placement->attainable_flop_per_s).text);
    advice_say(advice, "; its fraction of that roof requires a time");
}

/*
 * Why a rate can exceed its roof: counters of memory count the whole socket, but a simulation only the
 * program; on all devices the time can be from another run than the counts, and the clock can have been
 * higher.
 */
static void say_beyond(struct advice *advice)
{
    const bool is_simulated = strcmp(advice->point->format, "valgrind") == 0,
               is_clock_known = advice->point->clock_hz > 0 || advice->roofs->held_hz == 0;
    advice_hint(advice, "exceeds its roof");
    advice_say(advice, "%.0f %% of the %s roof, which is impossible: ",
               100 * advice->placement->fraction, advice->placement->bound_name);
    if (is_simulated)
        advice_say(advice, "the ceilings were measured on a disturbed machine%s",
                   advice->level ? ", or the caches are not as simulated" : "");
    else
        advice_say(advice, "time and counts are not from the same run%s%s",
                   advice->level ? ", the counters included other programs" : "",
                   is_clock_known ? "" : ", or the clock was above the sweep's");
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

/* A level without reuse: partial sectors and a cold start change counts by up to this factor. */
#define LITTLE_REUSE 1.1

/* Says how many bytes a level serves per byte of the next one: also meaningful without operations. */
static void say_reuse(struct advice *advice)
{
    const struct rfl_traffic *way[RFL_MAX_TRAFFIC];
    size_t n = way_of(advice->placement, way);
    const char *separator = ": no reuse in ";
    if (n < 2 || rfl_point_value(advice->point, "bytes_at_once") > 0)
        return; /* of shapes each level has the same bytes, which nobody counted */
    const bool has_flops = advice->placement->flops > 0;
    advice_say(advice, has_flops ? ": intensity" : ": bytes");
    for (size_t i = 1; i < n; i++) {
        const double reuse = way[i - 1]->bytes / way[i]->bytes;
        const bool is_more = reuse < 0.95; /* bytes of the outer level */
        const double times = is_more && !has_flops ? 1 / reuse : reuse;
        advice_say(advice, "%s %s %.*fx from %s to %s", i > 1 ? "," : "",
                   has_flops ? is_more ? "falls to" : "rises"
                   : is_more ? "grow"
                             : "shrink",
                   times < 100, times, way[i - 1]->level, way[i]->level);
    }
    for (size_t i = 1; i < n; i++)
        if (way[i - 1]->bytes / way[i]->bytes < LITTLE_REUSE) {
            advice_say(advice, "%s%s", separator, way[i - 1]->level);
            separator = ", ";
        }
}

/* Why a level's roof is a band. */
static void say_band(struct advice *advice)
{
    const struct rfl_reach *reach = &advice->level->reach;
    if (reach->low < 0.995 * reach->bytes_per_s)
        advice_say(advice, " (%s)",
                   isnan(rfl_traffic_read_share(advice->level->traffic))
                       ? "its share of reads is not known"
                       : "whether its stores are in place is not known");
    say_reuse(advice);
}

/* Says which roof bounds and how much of it is attained: a range, if it is wide enough to matter. */
static void say_bound(struct advice *advice)
{
    const struct rfl_placement *placement = advice->placement;
    const struct rfl_placed *unit = advice->unit;
    const bool is_far = placement->most < NOT_NEAR;
    const char *name = placement->bound_name;
    char range[48];
    const int digits = 100 * placement->most < 9.5;
    if (rfl_is_range(placement->least, placement->most))
        snprintf(range, sizeof range, "%.*f to %.*f %%", digits, 100 * placement->least,
                 digits, 100 * placement->most);
    else
        snprintf(range, sizeof range, "%.*f %%", digits, 100 * placement->fraction);
    if (is_far)
        advice_say(advice, "below half of every roof; %s of the nearest, %s", range, name);
    else
        advice_say(advice, "%s-bound at %s", name, range);
    if (unit && !is_far && unit->value < 0.995 * advice->roof->value)
        advice_say(advice, " of the roof for its mix, %.0f %% of the FMA peak",
                   100 * unit->reached / advice->roof->value);
    if (advice->level && !is_far)
        say_band(advice);
    advice_rules(advice);
    if (advice->level && !is_far && placement->n_units) {
        unit = &placement->placed[placement->n_levels];
        if (unit->value > 0)
            advice_say(advice, "; %s needs %.3g flop/byte, it has %.3g", unit->name,
                       rfl_model_ridge(advice->level->value, unit->value),
                       advice->level->intensity_flop_per_byte);
    }
}

static void say_burst(struct advice *advice)
{
    const struct ert_text time = ert_units_time(advice->roof->burst_s);
    if (advice->bound->is_burst)
        advice_say(advice,
                   "; the roof is the burst rate, since the kernel ends before the clock "
                   "falls (%s)",
                   time.text);
    else
        advice_say(advice, "; the roof is the sustained rate, for kernels above %s",
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
    advice_say(advice,
               "; if its FMAs read three different registers, the register file limits it "
               "to %s, %.0f %% of the peak, of which it attains %.0f %%: %s",
               ert_units_performance(unit->operand_peak_flop_per_s).text,
               100 * unit->operand_peak_flop_per_s / unit->value, 100 * share,
               share > 1 ? "it reuses some" : "let neighbouring FMAs share an operand");
}

/* What a product may be held against, where a library's was measured. */
static void say_library(struct advice *advice)
{
    const struct rfl_placed *unit = advice->unit;
    const double value =
        unit && rfl_is_matrix_unit(unit->work->unit)
            ? advice_peak(advice, unit->work->type, "gemm", "library", unit->is_burst)
            : 0;
    if (value > 0)
        advice_say(advice,
                   "; the library's best matrix product has %s, %.0f %% of that roof: if "
                   "it is one, it attains %.0f %% of the library's",
                   ert_units_performance(value).text, 100 * value / unit->value,
                   100 * unit->reached / value);
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

static void advice_write(struct rfl_placement *placement)
{
    struct advice advice = {.placement = placement,
                            .roofs = placement->roofs,
                            .point = placement->point,
                            .is_gpu = placement->roofs->kind == ERT_DEVICE_GPU};
    const bool has_time = advice.point->time_s > 0;
    placement->advice[0] = '\0';
    if (placement->bound == RFL_BOUND_NONE) {
        say_no_roof(&advice);
        return;
    }
    advice.bound = &placement->placed[placement->bound_index];
    advice.level = placement->bound == RFL_BOUND_LEVEL ? advice.bound : NULL;
    advice.unit = placement->bound == RFL_BOUND_UNIT ? advice.bound : NULL;
    advice.roof = advice.bound->rate;
    if (!has_time)
        say_no_time(&advice);
    else if (placement->least > BEYOND)
        say_beyond(&advice);
    else
        say_bound(&advice);
    if (has_time && advice.roof && advice.roof->burst_s > 0)
        say_burst(&advice);
    say_near_operands(&advice);
    if (has_time)
        say_library(&advice);
    if (has_time && advice.is_gpu && advice.roof && advice.roof->share < 0.9)
        advice_say(&advice, "; with all warps per SM that roof would be %.1fx as high",
                   1 / advice.roof->share);
    if (placement->most < REACHED && unknown_memory(&advice) &&
        !(advice.level && advice.level->reach.roof->is_transfer))
        advice_say(&advice, "; bytes at %s are not known: it may be the bound instead",
                   unknown_memory(&advice));
    if (advice.roof && *advice.roof->warning)
        advice_say(&advice, "; the roof itself has a warning (%s)", advice.roof->warning);
}

void (*const rfl_advise)(struct rfl_placement *placement) = advice_write;
