/* SPDX-License-Identifier: BSD-3-Clause */
/* views: a placement against other roofs than those of each level's own bytes, in seconds, and in joules. */
#include "analysis/core/place/views.h"

#include <math.h>
#include <string.h>

/*
 * One intensity for all levels: operations per byte that the cores request, from whichever level. On a GPU
 * these are the bytes of L1 and of shared memory. Ilic, Pratas, Sousa, "Cache-aware Roofline Model: Upgrading
 * the Loft", IEEE CAL 13(1), 2014, doi:10.1109/L-CA.2013.6.
 */
static double views_asked_bytes(const struct rfl_placement *placement,
                                struct rfl_accesses *accesses)
{
    double bytes = 0, read_bytes = 0;
    *accesses = (struct rfl_accesses){.read_share = NAN};
    for (size_t i = 0; i < placement->n_levels; i++) {
        const struct rfl_traffic *traffic = placement->placed[i].traffic;
        if (strcmp(traffic->level, "L1") != 0 && strcmp(traffic->level, "shared") != 0)
            continue;
        bytes += traffic->bytes;
        read_bytes += traffic->read_bytes;
        accesses->is_streaming |= traffic->is_streaming;
    }
    accesses->read_share = read_bytes / bytes;
    return bytes;
}

static bool views_has(const struct rfl_view_row *rows, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(rows[i].roof, name) == 0)
            return true;
    return false;
}

/* All levels of the device, also those without bytes of the point. */
static size_t views_cache_aware(const struct rfl_placement *placement,
                                struct rfl_view_row *rows)
{
    const struct rfl_roofs *roofs = placement->roofs;
    struct rfl_accesses accesses;
    double bytes = views_asked_bytes(placement, &accesses);
    double intensity = placement->flops / bytes, reached = placement->perf_flop_per_s;
    size_t n = 0;
    for (size_t i = 0; i < roofs->n_bandwidths && bytes > 0 && n < RFL_MAX_TRAFFIC; i++) {
        const char *level = roofs->bandwidths[i].level;
        if (roofs->bandwidths[i].is_transfer)
            continue;
        const struct rfl_reach reach = rfl_curve_reach(roofs, level, &accesses);
        char name[sizeof rows->roof];
        snprintf(name, sizeof name, "%s %s", level, reach.name);
        if (views_has(rows, n, name))
            continue;
        struct rfl_view_row *row = &rows[n++];
        *row =
            rfl_view_row_of(name, "flop/s", intensity, reached,
                            intensity * reach.bytes_per_s, intensity * reach.measured, 0);
        row->fraction = row->reached / row->value;
        row->is_of_all = true;
        if (reach.low < RFL_ONE_VALUE * reach.bytes_per_s) {
            row->value_low = rfl_view_known(intensity * reach.low);
            row->fraction_high = row->reached / row->value_low;
        }
    }
    return n + rfl_view_placed_rows(placement, placement->n_levels,
                                    placement->n_levels + placement->n_units, rows + n);
}

/* The time that each alone would take; the longest is the bound, the sum assumes no overlap. */
static size_t views_times(const struct rfl_placement *placement, struct rfl_view_row *rows)
{
    size_t n = rfl_view_placed_rows(placement, 0, placement->n_placed, rows);
    double sum = 0, time_s = placement->point->time_s;
    for (size_t i = 0; i < n; i++) {
        double alone = placement->placed[i].alone_s;
        rows[i].measured = rows[i].value / rows[i].measured * alone;
        rows[i].unit = "s";
        rows[i].intensity = NAN;
        rows[i].reached = rfl_view_known(time_s);
        if (rows[i].value_low > 0) /* the lower roof gives the longer time */
            rows[i].value_low = rows[i].value / rows[i].value_low * alone;
        rows[i].value = rfl_view_known(alone);
        sum += alone;
    }
    if (n > 1) {
        rows[n] = rfl_view_row_of("one after another", "s", 0, time_s, sum, 0, 0);
        rows[n].fraction = rows[n].value / rows[n].reached;
        n++;
    }
    return n;
}

/* For the chart: the time that the bound alone would take, and the point's own. */
static size_t views_time_of_bound(const struct rfl_placement *placement,
                                  struct rfl_view_row *rows)
{
    if (placement->n_placed == 0)
        return 0;
    const struct rfl_placed *bound = &placement->placed[placement->bound_index];
    *rows = rfl_view_row_of(bound->name, "s", bound->alone_s, placement->point->time_s, 0,
                            0, 0);
    rows->is_of_all = true;
    return 1;
}

/* The sector of all levels of NVIDIA GPUs, or a CPU's line. */
static double views_transaction_bytes(const struct rfl_roofs *roofs)
{
    return roofs->kind == ERT_DEVICE_GPU ? 32 : 64;
}

/*
 * Instructions per transaction. Ding and Williams, "An Instruction Roofline Model for GPUs", PMBS 2019,
 * doi:10.1109/PMBS49563.2019.00007, section III.
 */
static size_t views_instructions(const struct rfl_placement *placement,
                                 struct rfl_view_row *rows)
{
    double count = placement->point->instructions, time_s = placement->point->time_s;
    double transaction_bytes = views_transaction_bytes(placement->roofs);
    size_t n = 0;
    if (!(count > 0))
        return 0;
    for (; n < placement->n_levels; n++) {
        const struct rfl_placed *level = &placement->placed[n];
        double intensity = count / (level->traffic->bytes / transaction_bytes);
        rows[n] =
            rfl_view_placed_row(level, "inst/s", intensity, time_s > 0 ? count / time_s : 0,
                                intensity / transaction_bytes);
    }
    return n + rfl_view_placed_rows(placement, n + placement->n_units, placement->n_placed,
                                    rows + n);
}

/* Watts of a GPU at its clock that does next to nothing: one thread walks through memory; 0 unknown. */
static double views_constant_w(const struct rfl_roofs *roofs)
{
    const struct ert_ceiling_span of = ert_ceilings_of(roofs->from, ERT_CEILING_LATENCY);
    double power_w = 0;
    for (size_t i = 0; i < of.n; i++)
        power_w = fmax(power_w, of.at[i].evidence->power_w);
    return power_w;
}

/*
 * flop per joule: of the code, and of each roof while it was measured, at the code's intensity. The joules of
 * a roof include all power of the device, so code that uses memory and units cannot attain either. The last
 * row adds what an operation and its bytes need beyond the constant power, and the constant power for the
 * longer of their times (Choi, Bedard, Fowler, Vuduc, "A Roofline Model of Energy", IPDPS 2013,
 * doi:10.1109/IPDPS.2013.77, eqs. 2 and 5); where that power is not known, it counts twice in this row, and
 * the real value lies in between.
 */
static size_t views_energy(const struct rfl_placement *placement, struct rfl_view_row *rows)
{
    double code =
        placement->point->energy_j > 0 ? placement->flops / placement->point->energy_j : 0;
    const struct rfl_placed *memory = NULL, *unit = NULL;
    size_t n = 0;
    for (size_t i = 0; i < placement->n_levels + placement->n_units; i++) {
        const struct rfl_placed *placed = &placement->placed[i];
        if (!placed->rate || !(placed->rate->per_joule > 0) || !(placement->flops > 0))
            continue;
        double factor = placed->traffic ? placed->intensity_flop_per_byte
                                        : placed->value / placed->rate->value;
        rows[n] = rfl_view_row_of(placed->name, "flop/J", placed->intensity_flop_per_byte,
                                  code, factor * placed->rate->per_joule, 0, 0);
        rfl_view_name_level(placed, &rows[n++]);
        if (!placed->traffic)
            unit = unit ? unit : placed;
        else if (placed->reach.roof->clock == RFL_CLOCK_MEMORY)
            memory = placed;
    }
    if (memory && unit) {
        const double intensity = memory->intensity_flop_per_byte,
                     constant_w = views_constant_w(placement->roofs),
                     flop_s = 1 / unit->value, byte_s = 1 / memory->rate->value / intensity,
                     flop_j = unit->rate->value * flop_s / unit->rate->per_joule,
                     byte_j = 1 / memory->rate->per_joule / intensity;
        char name[sizeof rows->roof];
        snprintf(name, sizeof name, "%s, then %s", memory->name, unit->work->type);
        rows[n++] = rfl_view_row_of(
            name, "flop/J", intensity, code,
            1 / (flop_j + byte_j - constant_w * fmin(flop_s, byte_s)), 0, 0);
    }
    for (size_t i = 0; i < n; i++)
        rows[i].fraction = rows[i].reached / rows[i].value;
    return n;
}

/* ---- charts ---- */

static void views_change(struct rfl_rate *rate, double factor)
{
    rate->value *= factor;
    rate->low *= factor;
    rate->high *= factor;
}

/* Transactions per second, and one peak: the issue of instructions. */
static void views_change_to_instructions(struct rfl_roofs *roofs)
{
    struct rfl_peak issue = {
        .rate = {.is_roof = true, .value = roofs->instructions_per_s},
        .type = "issue",
        .op = "issue"
    };
    for (size_t i = 0; i < roofs->n_bandwidths; i++)
        views_change(&roofs->bandwidths[i].rate, 1 / views_transaction_bytes(roofs));
    roofs->peaks[0] = issue;
    roofs->n_peaks = 1;
}

/* Lines of equal shares of the bound. */
static void views_change_to_time(struct rfl_roofs *roofs)
{
    static const struct rfl_bandwidth lines[] = {
        {.level = "bound",   .pattern = "alone", .rate = {.is_roof = true, .value = 1} },
        {.level = "half",    .pattern = "of it", .rate = {.is_roof = true, .value = 2} },
        {.level = "a tenth", .pattern = "of it", .rate = {.is_roof = true, .value = 10}}
    };
    memcpy(roofs->bandwidths, lines, sizeof lines);
    roofs->n_bandwidths = ERT_LENGTH(lines);
    roofs->n_peaks = 0;
}

/* Bytes and operations per joule; 0 if the power is not known: not drawn. */
static void views_change_to_energy(struct rfl_roofs *roofs)
{
    for (size_t i = 0; i < roofs->n_bandwidths + roofs->n_peaks; i++) {
        struct rfl_rate *rate = i < roofs->n_bandwidths
                                    ? &roofs->bandwidths[i].rate
                                    : &roofs->peaks[i - roofs->n_bandwidths].rate;
        views_change(rate, rate->per_joule / rate->value);
    }
}

#define CACHE_AWARE                                                                        \
    "all bytes that the cores asked for, against every level (above 100 %: served "        \
    "further in)"

const struct rfl_view rfl_views[] = {
    RFL_HIERARCHICAL,
    {.name = "cache-aware",
      .summary = CACHE_AWARE,
      .headers = {"flop/byte", "reached", "attainable", "as measured", "of roof"},
      .rows = views_cache_aware,
      .chart = {"Cache-aware Roofline", "Operations per byte that the cores ask for",
               "Performance", "FLOP/byte", "FLOP/s", "B/s", "the cores", NULL}   },
    {.name = "time",
      .summary = "the seconds that each would need alone",
      .headers = {NULL, "time", "alone", "as measured", "of time"},
      .rows = views_times,
      .chart = {"Time", "Time at the bound alone", "Time", "s", "s", "x", "the bound",
               views_change_to_time, views_time_of_bound}                        },
    {.name = "instructions",
      .summary = "instructions per transaction and per second",
      .headers = {"inst/transaction", "reached", "attainable", "as measured", "of roof"},
      .rows = views_instructions,
      .chart = {"Instruction Roofline", "Instructions per transaction", "Performance",
               "inst/txn", "inst/s", "txn/s", NULL, views_change_to_instructions}},
    {.name = "energy",
      .summary = "flop per joule against the roofs' own",
      .headers = {"flop/byte", "reached", "roof", NULL, "of roof"},
      .rows = views_energy,
      .chart = {"Energy Roofline", "Arithmetic intensity", "Efficiency", "FLOP/byte",
               "FLOP/J", "B/J", NULL, views_change_to_energy}                    },
};
const size_t rfl_n_views = ERT_LENGTH(rfl_views);
