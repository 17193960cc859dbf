/* Why a roof bounds, and what would help. */
#include "analysis/advice_parts.h"

#include "analysis/model.h"

#include <math.h>
#include <string.h>

static bool is_gpu(const struct rfl_advice *advice)
{
    return advice->roofs->kind == ERT_DEVICE_GPU;
}

/* Of the levels on the way to memory, less those beside it. */
static bool is_on_the_way(const struct rfl_placed_level *level)
{
    return strcmp(level->traffic->level, "shared") != 0 &&
           strcmp(level->traffic->level, "host") != 0;
}

static size_t way_of(const struct rfl_placement *placement,
                     const struct rfl_placed_level *way[RFL_MAX_TRAFFIC])
{
    size_t n = 0;
    for (size_t i = 0; i < placement->n_levels; i++)
        if (is_on_the_way(&placement->levels[i]))
            way[n++] = &placement->levels[i];
    return n;
}

static bool is_band(const struct rfl_advice *advice)
{
    return advice->level &&
           advice->level->reach.low < 0.995 * advice->level->reach.bytes_per_s;
}

static void say_band(struct rfl_advice *advice)
{
    const struct rfl_reach *reach = &advice->level->reach;
    rfl_advice_say(advice, " (%s)",
                   reach->kind == RFL_REACH_BAND
                       ? "its reads and writes are not known apart"
                       : "whether its stores are in place is not known");
}

static bool has_levels_to_compare(const struct rfl_advice *advice)
{
    const struct rfl_placed_level *way[RFL_MAX_TRAFFIC];
    return advice->level && way_of(advice->placement, way) > 1;
}

/* How often a level serves what the next one gives it once; of bytes, so also without operations. */
static double reuse_of(const struct rfl_placed_level *inner,
                       const struct rfl_placed_level *outer)
{
    return inner->traffic->bytes / outer->traffic->bytes;
}

/* "No reuse": within what partial sectors and a cold start make of counts. */
static const double little_reuse = 1.1;

static void say_reuse(struct rfl_advice *advice)
{
    const struct rfl_placed_level *way[RFL_MAX_TRAFFIC];
    size_t n = way_of(advice->placement, way);
    const char *separator = ": no reuse in ";
    rfl_advice_say(advice,
                   advice->placement->flops > 0 ? ": intensity rises" : ": bytes shrink");
    for (size_t i = 1; i < n; i++)
        rfl_advice_say(advice, "%s %.*fx from %s to %s", i > 1 ? "," : "",
                       reuse_of(way[i - 1], way[i]) < 100, reuse_of(way[i - 1], way[i]),
                       way[i - 1]->traffic->level, way[i]->traffic->level);
    for (size_t i = 1; i < n; i++)
        if (reuse_of(way[i - 1], way[i]) < little_reuse) {
            rfl_advice_say(advice, "%s%s", separator, way[i - 1]->traffic->level);
            separator = ", ";
        }
}

static bool is_memory(const struct rfl_advice *advice)
{
    return advice->level && advice->level->roof->clock == RFL_CLOCK_MEMORY;
}

static bool is_memory_reached(const struct rfl_advice *advice)
{
    return is_memory(advice) && advice->placement->fraction >= RFL_ADVICE_REACHED;
}

static void say_memory_reached(struct rfl_advice *advice)
{
    rfl_advice_say(advice, "; only fewer bytes help: cache blocking, fused loops, smaller "
                           "types");
}

static bool is_memory_missed(const struct rfl_advice *advice)
{
    return is_memory(advice) && advice->placement->fraction_high < RFL_ADVICE_REACHED;
}

static void say_memory_missed(struct rfl_advice *advice)
{
    rfl_advice_say(advice,
                   "; the rest is access pattern (of whole lines, few streams%s) or "
                   "too few bytes in flight",
                   is_gpu(advice) ? ", coalesced" : "");
}

static bool is_cache(const struct rfl_advice *advice)
{
    return advice->level && !is_memory(advice) &&
           strcmp(advice->level->roof->level, "L1") != 0 &&
           strcmp(advice->level->roof->level, "shared") != 0;
}

static void say_cache(struct rfl_advice *advice)
{
    rfl_advice_say(advice, is_gpu(advice) ? "; keep more in registers, shared memory or L1"
                                          : "; block loops for the caches further in");
}

static bool is_innermost(const struct rfl_advice *advice)
{
    return advice->level && (strcmp(advice->level->roof->level, "L1") == 0 ||
                             strcmp(advice->level->roof->level, "shared") == 0);
}

static void say_innermost(struct rfl_advice *advice)
{
    rfl_advice_say(advice, is_gpu(advice)
                               ? "; keep more in registers, and see that accesses are "
                                 "coalesced, wide and without bank conflicts"
                               : "; keep more in registers (unroll and jam), use whole "
                                 "vectors");
}

/* How much work a byte would have to do. */
static bool has_ridge(const struct rfl_advice *advice)
{
    return advice->level && advice->placement->n_units &&
           advice->placement->units[0].peak_flop_per_s > 0;
}

static void say_ridge(struct rfl_advice *advice)
{
    const struct rfl_placed_unit *unit = &advice->placement->units[0];
    char name[48];
    rfl_unit_name(unit, name, sizeof name);
    rfl_advice_say(advice, "; %s needs %.3g flop/byte, it has %.3g", name,
                   rfl_model_ridge(advice->level->reach.bytes_per_s, unit->peak_flop_per_s),
                   advice->level->intensity_flop_per_byte);
}

static bool is_short_of_fma(const struct rfl_advice *advice)
{
    return advice->unit && advice->unit->roof &&
           advice->unit->peak_flop_per_s < 0.95 * advice->unit->roof->flop_per_s;
}

static void say_short_of_fma(struct rfl_advice *advice)
{
    rfl_advice_say(advice, "; as FMA throughout it could be up to %.2fx faster",
                   advice->unit->roof->flop_per_s / advice->unit->peak_flop_per_s);
}

/* A unit for products of matrices that does the same type faster. */
static double matrix_gain(const struct rfl_advice *advice)
{
    static const char *const units[] = {"tensor", "amx"};
    const struct rfl_work *work = advice->unit->work;
    double best = 0;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(work->unit, units[i]) == 0)
            return 0;
        else
            best =
                fmax(best, rfl_roofs_peak(advice->roofs, work->type, units[i], NAN, NULL));
    return best / advice->unit->peak_flop_per_s;
}

static bool is_unit_reached(const struct rfl_advice *advice)
{
    return advice->unit && advice->placement->fraction >= RFL_ADVICE_REACHED;
}

static bool has_matrix_unit(const struct rfl_advice *advice)
{
    return is_unit_reached(advice) && advice->unit->peak_flop_per_s > 0 &&
           matrix_gain(advice) > 1.2;
}

static void say_matrix_unit(struct rfl_advice *advice)
{
    rfl_advice_say(advice,
                   "; products of matrices could use the %s unit, %.1fx of this roof",
                   is_gpu(advice) ? "tensor" : "matrix", matrix_gain(advice));
}

static void say_unit_reached(struct rfl_advice *advice)
{
    rfl_advice_say(advice, "; only fewer operations or a smaller type help");
}

static bool is_unit_missed(const struct rfl_advice *advice)
{
    return advice->unit && advice->placement->fraction < RFL_ADVICE_REACHED;
}

static void say_unit_missed(struct rfl_advice *advice)
{
    rfl_advice_say(
        advice, "; the rest is dependent operations, divisions and square roots%s",
        is_gpu(advice) ? ", divergence or too few warps" : ", or unvectorised parts");
}

static bool is_issue(const struct rfl_advice *advice)
{
    return advice->placement->bound == RFL_BOUND_ISSUE;
}

static void say_issue(struct rfl_advice *advice)
{
    rfl_advice_say(advice, ": instructions are the work, not operations or bytes: wider "
                           "accesses, unrolled loops, less index arithmetic");
}

/* Lifting one of two equal roofs moves nothing. */
static bool has_second_close(const struct rfl_advice *advice)
{
    return advice->placement->headroom > 0.85;
}

static void say_second_close(struct rfl_advice *advice)
{
    rfl_advice_say(advice, "; %s is next, at %.0f %% of that: both must be lifted",
                   advice->placement->next_name, 100 * advice->placement->headroom);
}

const struct rfl_rule rfl_advice_bound[] = {
    {is_band,               say_band          },
    {is_issue,              say_issue         },
    {has_levels_to_compare, say_reuse         },
    {is_memory_reached,     say_memory_reached},
    {is_memory_missed,      say_memory_missed },
    {is_cache,              say_cache         },
    {is_innermost,          say_innermost     },
    {has_ridge,             say_ridge         },
    {is_short_of_fma,       say_short_of_fma  },
    {is_unit_missed,        say_unit_missed   },
    {is_unit_reached,       say_unit_reached  },
    {has_matrix_unit,       say_matrix_unit   },
    {has_second_close,      say_second_close  },
    {NULL,                  NULL              },
};
