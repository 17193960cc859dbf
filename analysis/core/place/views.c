/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/core/place/views.h"

#include <math.h>

struct rfl_view_row rfl_view_row_of(const char *name, const char *unit, double intensity,
                                    double reached, double value, double measured,
                                    double fraction)
{
    struct rfl_view_row row = {.unit = unit,
                               .intensity = rfl_view_known(intensity),
                               .reached = rfl_view_known(reached),
                               .value = rfl_view_known(value),
                               .measured = rfl_view_known(measured),
                               .fraction = rfl_view_known(fraction),
                               .value_low = NAN,
                               .fraction_high = NAN,
                               .read_share = NAN};
    snprintf(row.roof, sizeof row.roof, "%s", name);
    return row;
}

void rfl_view_name_level(const struct rfl_placed *placed, struct rfl_view_row *row)
{
    if (!placed->traffic)
        return;
    if (placed->rate)
        ert_append(row->roof, sizeof row->roof, " %s", placed->reach.name);
    row->read_share = rfl_traffic_read_share(placed->traffic);
    row->traffic = placed->traffic;
}

struct rfl_view_row rfl_view_placed_row(const struct rfl_placed *placed, const char *unit,
                                        double intensity, double reached, double factor)
{
    struct rfl_view_row row =
        rfl_view_row_of(placed->name, unit, intensity, reached, factor * placed->value,
                        factor * placed->measured, placed->fraction);
    rfl_view_name_level(placed, &row);
    if (placed->low < RFL_ONE_VALUE * placed->value) {
        row.value_low = factor * placed->low;
        row.fraction_high = placed->fraction * placed->value / placed->low;
        if (placed->fraction < 1) /* within the band at most all of it */
            row.fraction_high = fmin(1, row.fraction_high);
    }
    return row;
}

size_t rfl_view_placed_rows(const struct rfl_placement *placement, size_t first, size_t end,
                            struct rfl_view_row *rows)
{
    for (size_t i = first; i < end; i++) {
        const struct rfl_placed *placed = &placement->placed[i];
        rows[i - first] = rfl_view_placed_row(
            placed, placed->unit, placed->intensity_flop_per_byte, placed->reached, 1);
        rows[i - first].bounds = placement->bound && placement->bound_index == i;
    }
    return end - first;
}

size_t rfl_view_hierarchical(const struct rfl_placement *placement,
                             struct rfl_view_row *rows)
{
    const size_t end = placement->n_levels + placement->n_units;
    size_t n = rfl_view_placed_rows(placement, 0, end, rows);
    for (size_t i = 0; i < end; i++) {
        const struct rfl_placed *unit = &placement->placed[i];
        double peak = unit->operand_peak_flop_per_s;
        char name[sizeof rows->roof];
        if (!unit->is_near_operands)
            continue;
        snprintf(name, sizeof name, "%s, 3 registers", unit->name);
        rows[n++] =
            rfl_view_row_of(name, unit->unit, 0, unit->reached, peak,
                            peak / unit->value * unit->measured, unit->reached / peak);
    }
    return n + rfl_view_placed_rows(placement, end, placement->n_placed, rows + n);
}

enum ert_status rfl_view_find(const char *name, const struct rfl_view **view,
                              struct ert_error *error)
{
    char list[ERT_LIST_TEXT];
    *view = ert_list_find(rfl_views, rfl_n_views, sizeof *rfl_views, name, list);
    return *view ? ERT_OK
                 : ert_fail(error, ERT_USAGE, "no view '%.32s'; there are: %s", name, list);
}
