#include "analysis/plot/page_parts.h"

#include <stdlib.h>

enum ert_status rfl_page_placers_open(const struct rfl_page_input *inputs, size_t n_inputs,
                                      const struct rfl_points *points,
                                      struct rfl_page_placers *placers,
                                      struct ert_error *error)
{
    placers->placers = calloc(n_inputs ? n_inputs : 1, sizeof *placers->placers);
    if (!placers->placers)
        return ert_fail(error, ERT_FAILED, "no memory for the roofs of %zu devices",
                        n_inputs);
    for (placers->n = 0; placers->n < n_inputs; placers->n++) {
        const struct rfl_page_input *input = &inputs[placers->n];
        const struct rfl_placer_options options = {
            .device = input->ceilings->devices[input->device].device,
            .force = true}; /* rfl_page_placed leaves out what does not suit */
        struct rfl_placer *placer = &placers->placers[placers->n];
        enum ert_status status =
            rfl_placer_open(input->ceilings, points, &options, placer, error);
        if (status == ERT_UNAVAILABLE)
            placer->roofs = NULL; /* the machine's own object has the reason */
        else if (status != ERT_OK)
            return status;
    }
    return ERT_OK;
}

void rfl_page_placers_close(struct rfl_page_placers *placers)
{
    for (size_t i = 0; i < placers->n; i++)
        rfl_placer_close(&placers->placers[i]);
    free(placers->placers);
    *placers = (struct rfl_page_placers){0};
}

/* Fractions of the roofs, in the order of the point's levels. */
static void write_levels(struct rfl_page_json *json, const struct rfl_point *point,
                         const struct rfl_placement *placement)
{
    rfl_page_open(json, "levels", '[');
    for (size_t i = 0; i < point->n_traffic; i++)
        for (size_t j = 0; j < placement->n_levels; j++)
            if (placement->levels[j].traffic == &point->traffic[i])
                rfl_page_short(json, NULL, placement->levels[j].fraction);
    rfl_page_close(json, ']');
}

static void write_units(struct rfl_page_json *json, const struct rfl_placement *placement)
{
    rfl_page_open(json, "units", '[');
    for (size_t i = 0; i < placement->n_units; i++) {
        rfl_page_open(json, NULL, '{');
        rfl_page_text(json, "name", placement->units[i].name);
        rfl_page_short(json, "peak", placement->units[i].peak_flop_per_s);
        rfl_page_short(json, "fraction", placement->units[i].fraction);
        rfl_page_close(json, '}');
    }
    rfl_page_close(json, ']');
}

static void write_placement(struct rfl_page_json *json, size_t machine, double clock_hz,
                            const struct rfl_placement *placement, bool details)
{
    rfl_page_open(json, NULL, '{');
    rfl_page_number(json, "machine", (double)machine);
    rfl_page_words(json, "bound", placement->bound_name);
    rfl_page_short(json, "fraction", placement->fraction);
    rfl_page_short(json, "attainable", placement->attainable_flop_per_s);
    rfl_page_words(json, "next", placement->next_name);
    rfl_page_short(json, "headroom", placement->headroom);
    rfl_page_short(json, "clock", clock_hz);
    write_levels(json, placement->point, placement);
    if (details) {
        write_units(json, placement);
        rfl_page_words(json, "advice", placement->advice);
    }
    rfl_page_close(json, '}');
}

enum ert_status rfl_page_placed(struct rfl_page_json *json,
                                struct rfl_page_placers *placers,
                                const struct rfl_point *point, bool details,
                                struct ert_error *error)
{
    struct rfl_placement placement;
    rfl_page_open(json, "placed", '[');
    for (size_t i = 0; i < placers->n; i++) {
        struct rfl_placer *placer = &placers->placers[i];
        if (!placer->roofs || !rfl_placer_suits(placer, point))
            continue;
        ERT_TRY(rfl_placer_place(placer, point, &placement, error));
        write_placement(json, i, placer->roofs->clock_hz, &placement, details);
    }
    rfl_page_close(json, ']');
    return ERT_OK;
}
