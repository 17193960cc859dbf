/* What keeps a code from all roofs, and where to look. */
#include "analysis/advice_parts.h"

#include <math.h>

static bool is_gpu(const struct rfl_advice *advice)
{
    return advice->roofs->kind == ERT_DEVICE_GPU;
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

static bool has_full_warps(const struct rfl_advice *advice)
{
    return is_gpu(advice) && advice->point->warps_per_sm > 0 &&
           advice->point->registers > 0 &&
           advice->point->warps_per_sm >
               0.75 * warps_by_registers(advice->point->registers);
}

static void say_full_warps(struct rfl_advice *advice)
{
    rfl_advice_say(
        advice,
        "; it had %.3g warps per SM of the %.0f that %.0f registers a thread leave "
        "room for: fewer registers, or more independent work per thread",
        advice->point->warps_per_sm, warps_by_registers(advice->point->registers),
        advice->point->registers);
}

static bool has_warps(const struct rfl_advice *advice)
{
    return is_gpu(advice) && advice->point->warps_per_sm > 0 && !has_full_warps(advice);
}

static void say_warps(struct rfl_advice *advice)
{
    rfl_advice_say(advice,
                   "; it had %.3g warps per SM: more of them, or more independent work per "
                   "thread",
                   advice->point->warps_per_sm);
}

static bool has_threads(const struct rfl_advice *advice)
{
    return !is_gpu(advice) && advice->point->threads > 0;
}

static void say_threads(struct rfl_advice *advice)
{
    rfl_advice_say(advice,
                   "; it had %.3g threads: look for dependent operations, irregular "
                   "accesses and waiting",
                   advice->point->threads);
}

static bool has_no_occupancy(const struct rfl_advice *advice)
{
    return !(is_gpu(advice) ? advice->point->warps_per_sm > 0 : advice->point->threads > 0);
}

static void say_no_occupancy(struct rfl_advice *advice)
{
    rfl_advice_say(advice, "; how many %s worked is not known, too few are a usual reason",
                   is_gpu(advice) ? "warps per SM" : "threads");
}

/* Close to a peak but far from it: what the counts do not show. */
static bool is_latency_of_unit(const struct rfl_advice *advice)
{
    return advice->unit;
}

static void say_latency_of_unit(struct rfl_advice *advice)
{
    rfl_advice_say(advice, "; divisions and square roots take many times their count");
    if (is_gpu(advice))
        rfl_advice_say(advice, ", divergent branches idle lanes");
}

/* The peak of scalar code of the type, of a CPU whose units have names; 0 none. */
static double scalar_peak(const struct rfl_advice *advice, const char *type)
{
    return is_gpu(advice) ? 0 : rfl_roofs_peak(advice->roofs, type, "scalar", NAN, NULL);
}

static bool may_be_scalar(const struct rfl_advice *advice)
{
    const struct rfl_placement *placement = advice->placement;
    const struct rfl_placed_unit *unit = placement->n_units ? &placement->units[0] : NULL;
    double scalar = unit ? scalar_peak(advice, unit->work->type) : 0;
    return scalar > 0 && unit->perf_flop_per_s > 0.3 * scalar &&
           unit->perf_flop_per_s <= scalar * RFL_ADVICE_BEYOND &&
           scalar < 0.9 * unit->peak_flop_per_s;
}

static void say_may_be_scalar(struct rfl_advice *advice)
{
    const struct rfl_placed_unit *unit = &advice->placement->units[0];
    rfl_advice_say(advice,
                   "; it is no faster than scalar code can be (%.0f %% of that): is it "
                   "vectorised?",
                   100 * unit->perf_flop_per_s / scalar_peak(advice, unit->work->type));
}

const struct rfl_rule rfl_advice_latency[] = {
    {has_full_warps,     say_full_warps     },
    {has_warps,          say_warps          },
    {has_threads,        say_threads        },
    {has_no_occupancy,   say_no_occupancy   },
    {may_be_scalar,      say_may_be_scalar  },
    {is_latency_of_unit, say_latency_of_unit},
    {NULL,               NULL               },
};
