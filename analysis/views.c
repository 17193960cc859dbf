#include "analysis/views.h"

#include "analysis/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double known(double value)
{
    return value > 0 ? value : NAN;
}

struct rfl_view_row rfl_view_blank(const char *unit)
{
    return (struct rfl_view_row){.unit = unit,
                                 .intensity = NAN,
                                 .reached = NAN,
                                 .value = NAN,
                                 .measured = NAN,
                                 .fraction = NAN,
                                 .value_low = NAN,
                                 .fraction_high = NAN,
                                 .read_share = NAN};
}

/* A row of numbers of which 0 is not known. */
static struct rfl_view_row row_of(const char *name, const char *unit, double intensity,
                                  double reached, double value, double measured,
                                  double fraction)
{
    struct rfl_view_row row = rfl_view_blank(unit);
    snprintf(row.roof, sizeof row.roof, "%s", name);
    row.intensity = known(intensity);
    row.reached = known(reached);
    row.value = known(value);
    row.measured = known(measured);
    row.fraction = known(fraction);
    return row;
}

/* "HBM load" of a counter's DRAM: the roof's own name; and what is known of its accesses. */
static void name_level(const struct rfl_placed_level *level, struct rfl_view_row *row)
{
    row->read_share = rfl_traffic_read_share(level->traffic);
    row->is_actual = level->traffic->is_actual;
    snprintf(row->roof, sizeof row->roof, "%s%s%s",
             level->roof ? level->roof->level : level->traffic->level,
             level->roof ? " " : "", level->roof ? level->reach.name : "");
}

/* Below this the two ends of a band print alike. */
static const double one_value = 0.9995;

static void set_band(const struct rfl_placed_level *level, double factor,
                     struct rfl_view_row *row)
{
    if (!level->roof || level->reach.low >= one_value * level->reach.bytes_per_s)
        return;
    row->value_low = factor * level->reach.low;
    row->fraction_high = known(level->fraction_high);
}

static const char *rate_unit(const struct rfl_work *work)
{
    return strncmp(work->type, "int", 3) == 0 ? "op/s" : "flop/s";
}

/* The measured roof for the same mix. */
static double measured_peak(const struct rfl_placed_unit *unit)
{
    const struct rfl_rate *rate = unit->roof ? &unit->roof->rate : NULL;
    return rate ? unit->peak_flop_per_s / rate->value * rate->measured : NAN;
}

static bool bounds(const struct rfl_placement *placement, enum rfl_bound bound, size_t i)
{
    return placement->bound == bound && placement->bound_index == i;
}

static size_t unit_rows(const struct rfl_placement *placement, struct rfl_view_row *rows)
{
    for (size_t i = 0; i < placement->n_units; i++) {
        const struct rfl_placed_unit *unit = &placement->units[i];
        rows[i] = row_of(unit->name, rate_unit(unit->work), 0, unit->perf_flop_per_s,
                         unit->peak_flop_per_s, measured_peak(unit), unit->fraction);
        rows[i].bounds = bounds(placement, RFL_BOUND_UNIT, i);
    }
    return placement->n_units;
}

/* What the register file delivers, where a unit is near it. */
static size_t operand_rows(const struct rfl_placement *placement, struct rfl_view_row *rows)
{
    size_t n = 0;
    for (size_t i = 0; i < placement->n_units; i++) {
        const struct rfl_placed_unit *unit = &placement->units[i];
        double peak = unit->operand_peak_flop_per_s;
        char name[sizeof rows->roof];
        if (!unit->is_near_operands)
            continue;
        snprintf(name, sizeof name, "%s, 3 registers", unit->name);
        rows[n++] = row_of(name, rate_unit(unit->work), 0, unit->perf_flop_per_s, peak,
                           peak / unit->peak_flop_per_s * measured_peak(unit),
                           unit->perf_flop_per_s / peak);
    }
    return n;
}

static size_t issue_row(const struct rfl_placement *placement,
                        const struct rfl_roofs *roofs, struct rfl_view_row *row)
{
    const struct rfl_point *point = placement->point;
    if (!(placement->issue_alone_s > 0))
        return 0;
    *row = row_of("issue", "inst/s", 0,
                  point->time_s > 0 ? point->instructions / point->time_s : 0,
                  roofs->instructions_per_s, 0, placement->issue_fraction);
    row->bounds = placement->bound == RFL_BOUND_ISSUE;
    return 1;
}

static size_t level_and_unit_rows(const struct rfl_placement *placement,
                                  struct rfl_view_row *rows)
{
    size_t n = placement->n_levels;
    for (size_t i = 0; i < n; i++) {
        const struct rfl_placed_level *level = &placement->levels[i];
        rows[i] =
            row_of("", "byte/s", level->intensity_flop_per_byte, level->rate_bytes_per_s,
                   level->reach.bytes_per_s, level->reach.measured, level->fraction);
        name_level(level, &rows[i]);
        set_band(level, 1, &rows[i]);
        rows[i].bounds = bounds(placement, RFL_BOUND_LEVEL, i);
    }
    return n + unit_rows(placement, rows + n);
}

static size_t hierarchical(const struct rfl_placement *placement,
                           const struct rfl_roofs *roofs, struct rfl_view_row *rows)
{
    size_t n = level_and_unit_rows(placement, rows);
    n += operand_rows(placement, rows + n);
    return n + issue_row(placement, roofs, rows + n);
}

/*
 * One intensity for all levels: operations over all bytes that the cores asked for, wherever they were
 * found. On a GPU loads of shared memory are asked for beside those of L1. Ilic, Pratas, Sousa,
 * "Cache-aware Roofline Model: Upgrading the Loft", IEEE CAL 13(1), 2014, doi:10.1109/L-CA.2013.6.
 */
static double asked_bytes(const struct rfl_placement *placement,
                          struct rfl_accesses *accesses)
{
    double bytes = 0, read_bytes = 0;
    *accesses = (struct rfl_accesses){.read_share = NAN};
    for (size_t i = 0; i < placement->n_levels; i++) {
        const struct rfl_traffic *traffic = placement->levels[i].traffic;
        if (strcmp(traffic->level, "L1") != 0 && strcmp(traffic->level, "shared") != 0)
            continue;
        bytes += traffic->bytes;
        read_bytes += traffic->read_bytes;
        accesses->is_streaming |= traffic->is_streaming;
    }
    accesses->read_share = read_bytes / bytes;
    return bytes;
}

static bool is_level_seen(const struct rfl_view_row *rows, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(rows[i].roof, name) == 0)
            return true;
    return false;
}

/* All levels of the device, whether the point has bytes of them or not. */
static size_t cache_aware(const struct rfl_placement *placement,
                          const struct rfl_roofs *roofs, struct rfl_view_row *rows)
{
    struct rfl_accesses accesses;
    double bytes = asked_bytes(placement, &accesses);
    double intensity = placement->flops / bytes, reached = placement->perf_flop_per_s;
    size_t n = 0;
    for (size_t i = 0; i < roofs->n_bandwidths && bytes > 0 && n < RFL_MAX_TRAFFIC; i++) {
        const char *level = roofs->bandwidths[i].level;
        const struct rfl_reach reach = rfl_curve_reach(roofs, level, &accesses);
        char name[sizeof rows->roof];
        snprintf(name, sizeof name, "%s %s", level, reach.name);
        if (is_level_seen(rows, n, name))
            continue;
        struct rfl_view_row *row = &rows[n++];
        *row = row_of(name, "flop/s", intensity, reached, intensity * reach.bytes_per_s,
                      intensity * reach.measured, 0);
        row->fraction = row->reached / row->value;
        if (reach.low < one_value * reach.bytes_per_s) {
            row->value_low = known(intensity * reach.low);
            row->fraction_high = row->reached / row->value_low;
        }
    }
    return n + unit_rows(placement, rows + n);
}

/* Seconds that each would need alone; the longest bounds, the sum is without any overlap. */
static size_t times(const struct rfl_placement *placement, const struct rfl_roofs *roofs,
                    struct rfl_view_row *rows)
{
    size_t n = level_and_unit_rows(placement, rows), n_levels = placement->n_levels;
    double sum = 0, time_s = placement->point->time_s;
    n += issue_row(placement, roofs, rows + n);
    for (size_t i = 0; i < n; i++) {
        bool is_level = i < n_levels,
             is_unit = !is_level && i < n_levels + placement->n_units;
        double alone = is_level  ? placement->levels[i].alone_s
                       : is_unit ? placement->units[i - n_levels].alone_s
                                 : placement->issue_alone_s;
        rows[i].measured = rows[i].value / rows[i].measured * alone;
        rows[i].unit = "s";
        rows[i].intensity = NAN;
        rows[i].reached = known(time_s);
        if (rows[i].value_low > 0) /* the longer time, of the lower roof */
            rows[i].value_low = rows[i].value / rows[i].value_low * alone;
        rows[i].value = known(alone);
        sum += alone;
    }
    if (n > 1) {
        rows[n] = row_of("one after another", "s", 0, time_s, sum, 0, 0);
        rows[n].fraction = rows[n].value / rows[n].reached;
        n++;
    }
    return n;
}

/*
 * Instructions per transaction of 32 bytes, the sector of all levels of NVIDIA's GPUs; a CPU's is its
 * line of 64. Ding and Williams, "An Instruction Roofline Model for GPUs", PMBS 2019,
 * doi:10.1109/PMBS49563.2019.00007, section III.
 */
static size_t instructions(const struct rfl_placement *placement,
                           const struct rfl_roofs *roofs, struct rfl_view_row *rows)
{
    double count = placement->point->instructions, time_s = placement->point->time_s;
    double transaction_bytes = roofs->kind == ERT_DEVICE_GPU ? 32 : 64;
    size_t n = 0;
    if (!(count > 0))
        return 0;
    for (; n < placement->n_levels; n++) {
        const struct rfl_placed_level *level = &placement->levels[n];
        double intensity = count / (level->traffic->bytes / transaction_bytes),
               factor = intensity / transaction_bytes;
        rows[n] =
            row_of("", "inst/s", intensity, time_s > 0 ? count / time_s : 0,
                   intensity * level->reach.bytes_per_s / transaction_bytes,
                   intensity * level->reach.measured / transaction_bytes, level->fraction);
        name_level(level, &rows[n]);
        set_band(level, factor, &rows[n]);
    }
    return n + issue_row(placement, roofs, rows + n);
}

/*
 * flop per joule: of the code, and what each roof gave while it was measured, at the code's
 * intensity. A roof's joules hold all that the device drew, so no code that does both can reach
 * either; the last row adds memory and unit without overlap (model.h, rfl_model_energy), which counts
 * what is drawn all the time twice: the truth lies between.
 */
static size_t energy(const struct rfl_placement *placement, const struct rfl_roofs *roofs,
                     struct rfl_view_row *rows)
{
    double code =
        placement->point->energy_j > 0 ? placement->flops / placement->point->energy_j : 0;
    const struct rfl_placed_level *memory = NULL;
    const struct rfl_placed_unit *unit = NULL;
    size_t n = 0;
    (void)roofs;
    for (size_t i = 0; i < placement->n_levels && placement->flops > 0; i++) {
        const struct rfl_placed_level *level = &placement->levels[i];
        if (!level->roof || !(level->roof->rate.per_joule > 0))
            continue;
        double intensity = level->intensity_flop_per_byte;
        memory = level->roof->clock == RFL_CLOCK_MEMORY ? level : memory;
        rows[n] = row_of("", "flop/J", intensity, code,
                         intensity * level->roof->rate.per_joule, 0, 0);
        name_level(level, &rows[n++]);
    }
    for (size_t i = 0; i < placement->n_units; i++) {
        const struct rfl_placed_unit *placed = &placement->units[i];
        if (!placed->roof || !(placed->roof->rate.per_joule > 0))
            continue;
        unit = unit ? unit : placed;
        rows[n++] = row_of(placed->name, "flop/J", 0, code,
                           placed->roof->rate.per_joule * placed->peak_flop_per_s /
                               placed->roof->rate.value,
                           0, 0);
    }
    if (memory && unit) {
        double intensity = memory->intensity_flop_per_byte;
        double flop_j =
            unit->roof->rate.value / unit->peak_flop_per_s / unit->roof->rate.per_joule;
        char name[sizeof rows->roof];
        snprintf(name, sizeof name, "%s, then %s", memory->roof->level, unit->work->type);
        rows[n++] =
            row_of(name, "flop/J", intensity, code,
                   rfl_model_energy(intensity, flop_j, 1 / memory->roof->rate.per_joule, 0,
                                    placement->attainable_flop_per_s),
                   0, 0);
    }
    for (size_t i = 0; i < n; i++)
        rows[i].fraction = rows[i].reached / rows[i].value;
    return n;
}

#define CACHE_AWARE                                                                        \
    "all bytes that the cores asked for, against every level (above 100 %: served "        \
    "further in)"

const struct rfl_view rfl_views[RFL_N_VIEWS] = {
    {.name = "hierarchical",
     .summary = "each level with its own bytes",
     .headers = {"flop/byte", "reached", "roof", "as measured", "of roof"},
     .rows = hierarchical},
    {.name = "cache-aware",
     .summary = CACHE_AWARE,
     .headers = {"flop/byte", "reached", "attainable", "as measured", "of roof"},
     .rows = cache_aware },
    {.name = "time",
     .summary = "the seconds that each would need alone",
     .headers = {NULL, "time", "alone", "as measured", "of time"},
     .rows = times       },
    {.name = "instructions",
     .summary = "instructions per transaction and per second",
     .headers = {"inst/transaction", "reached", "attainable", "as measured", "of roof"},
     .rows = instructions},
    {.name = "energy",
     .summary = "flop per joule against the roofs' own",
     .headers = {"flop/byte", "reached", "roof", NULL, "of roof"},
     .rows = energy      },
};

enum ert_status rfl_view_find(const char *name, const struct rfl_view **view,
                              struct ert_error *error)
{
    char list[128] = "";
    for (size_t i = 0; i < RFL_N_VIEWS; i++) {
        if (strcmp(rfl_views[i].name, name) == 0) {
            *view = &rfl_views[i];
            return ERT_OK;
        }
        rfl_append_item(list, sizeof list, rfl_views[i].name);
    }
    return ert_fail(error, ERT_USAGE, "no view '%.32s'; there are: %s", name, list);
}
