/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/core/place/views.h"

#include "analysis/core/place/model.h"

#include <math.h>
#include <string.h>

static double views_known(double value)
{
    return value > 0 ? value : NAN;
}

/* A row of numbers; 0 is unknown. */
static struct rfl_view_row views_row_of(const char *name, const char *unit,
                                        double intensity, double reached, double value,
                                        double measured, double fraction)
{
    struct rfl_view_row row = {.unit = unit,
                               .intensity = views_known(intensity),
                               .reached = views_known(reached),
                               .value = views_known(value),
                               .measured = views_known(measured),
                               .fraction = views_known(fraction),
                               .value_low = NAN,
                               .fraction_high = NAN,
                               .read_share = NAN};
    snprintf(row.roof, sizeof row.roof, "%s", name);
    return row;
}

/* Above this ratio the two ends of a band print alike. */
static const double one_value = 0.9995;

/*
 * Names the level as its roof is ("HBM load" for a counter's DRAM), and adds what is known of its accesses.
 */
static void views_name_level(const struct rfl_placed *placed, struct rfl_view_row *row)
{
    if (!placed->traffic)
        return;
    if (placed->rate)
        ert_append(row->roof, sizeof row->roof, " %s", placed->reach.name);
    row->read_share = rfl_traffic_read_share(placed->traffic);
    row->traffic = placed->traffic;
}

/* A row for a roof; factor: of the row's units per unit of the roof. */
static struct rfl_view_row views_placed_row(const struct rfl_placed *placed,
                                            const char *unit, double intensity,
                                            double reached, double factor)
{
    struct rfl_view_row row =
        views_row_of(placed->name, unit, intensity, reached, factor * placed->value,
                     factor * placed->measured, placed->fraction);
    views_name_level(placed, &row);
    if (placed->low < one_value * placed->value) {
        row.value_low = factor * placed->low;
        row.fraction_high = views_known(placed->fraction * placed->value / placed->low);
    }
    return row;
}

static size_t views_placed_rows(const struct rfl_placement *placement, size_t first,
                                size_t end, struct rfl_view_row *rows)
{
    for (size_t i = first; i < end; i++) {
        const struct rfl_placed *placed = &placement->placed[i];
        rows[i - first] = views_placed_row(
            placed, placed->unit, placed->intensity_flop_per_byte, placed->reached, 1);
        rows[i - first].bounds = placement->bound && placement->bound_index == i;
    }
    return end - first;
}

/* Levels, units and issue; for a unit near it also the limit of the register file. */
static size_t views_hierarchical(const struct rfl_placement *placement,
                                 struct rfl_view_row *rows)
{
    const size_t end = placement->n_levels + placement->n_units;
    size_t n = views_placed_rows(placement, 0, end, rows);
    for (size_t i = 0; i < end; i++) {
        const struct rfl_placed *unit = &placement->placed[i];
        double peak = unit->operand_peak_flop_per_s;
        char name[sizeof rows->roof];
        if (!unit->is_near_operands)
            continue;
        snprintf(name, sizeof name, "%s, 3 registers", unit->name);
        rows[n++] = views_row_of(name, unit->unit, 0, unit->reached, peak,
                                 peak / unit->value * unit->measured, unit->reached / peak);
    }
    return n + views_placed_rows(placement, end, placement->n_placed, rows + n);
}

/*
 * Instructions per transaction: 32 bytes, the sector of all levels of NVIDIA GPUs, or a CPU's line of 64.
 * Ding and Williams, "An Instruction Roofline Model for GPUs", PMBS 2019, doi:10.1109/PMBS49563.2019.00007,
 * section III.
 */
static size_t views_instructions(const struct rfl_placement *placement,
                                 struct rfl_view_row *rows)
{
    double count = placement->point->instructions, time_s = placement->point->time_s;
    double transaction_bytes = placement->roofs->kind == ERT_DEVICE_GPU ? 32 : 64;
    size_t n = 0;
    if (!(count > 0))
        return 0;
    for (; n < placement->n_levels; n++) {
        const struct rfl_placed *level = &placement->placed[n];
        double intensity = count / (level->traffic->bytes / transaction_bytes);
        rows[n] =
            views_placed_row(level, "inst/s", intensity, time_s > 0 ? count / time_s : 0,
                             intensity / transaction_bytes);
    }
    return n + views_placed_rows(placement, n + placement->n_units, placement->n_placed,
                                 rows + n);
}

const struct rfl_view rfl_views[RFL_N_VIEWS] = {
    {.name = "hierarchical",
     .summary = "each level with its own bytes",
     .headers = {"flop/byte", "reached", "roof", "as measured", "of roof"},
     .rows = views_hierarchical},
    {.name = "instructions",
     .summary = "instructions per transaction and per second",
     .headers = {"inst/transaction", "reached", "attainable", "as measured", "of roof"},
     .rows = views_instructions},
};

enum ert_status rfl_view_find(const char *name, const struct rfl_view **view,
                              struct ert_error *error)
{
    char list[ERT_LIST_TEXT];
    *view = ert_list_find(rfl_views, RFL_N_VIEWS, sizeof *rfl_views, name, list);
    return *view ? ERT_OK
                 : ert_fail(error, ERT_USAGE, "no view '%.32s'; there are: %s", name, list);
}
