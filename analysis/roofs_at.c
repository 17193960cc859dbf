/* Roofs in theory, and at another clock. */
#include "analysis/roofs_parts.h"

#include "ert/base/units.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/*
 * A memory clock beyond this of the machine's is another count of the same clock (of transfers, of
 * command cycles), not another speed.
 */
static const double memory_clock_range[] = {0.55, 1.1};

void rfl_roofs_scale_bandwidth(struct rfl_bandwidth *roof, double factor)
{
    roof->bytes_per_s *= factor;
    roof->burst *= factor;
    roof->low *= factor;
    roof->high *= factor;
}

void rfl_roofs_scale_peak(struct rfl_peak *roof, double factor)
{
    roof->flop_per_s *= factor;
    roof->burst *= factor;
    roof->low *= factor;
    roof->high *= factor;
}

void rfl_roofs_name(struct rfl_names *names, const char *name)
{
    size_t length = strlen(name), comma = names->n ? 2 : 0;
    if (names->used + comma + length + 1 > sizeof names->text) {
        names->left_out++;
        return;
    }
    memcpy(names->text + names->used, ", ", comma);
    memcpy(names->text + names->used + comma, name, length + 1);
    names->used += comma + length;
    names->n++;
}

void rfl_roofs_note_names(struct rfl_roofs *roofs, const char *before,
                          const struct rfl_names *names)
{
    char more[32] = "";
    if (names->left_out)
        snprintf(more, sizeof more, " and %zu more", names->left_out);
    if (names->n)
        rfl_roofs_note(roofs, "%s: %s%s", before, names->text, more);
}

void rfl_roofs_at_theory(const struct ert_device_ceilings *from,
                         const struct rfl_roofs_options *options, struct rfl_roofs *roofs)
{
    struct rfl_names measured = {.n = 0};
    (void)from;
    if (!options->theory)
        return;
    for (size_t i = 0; i < roofs->n_bandwidths; i++) {
        struct rfl_bandwidth *roof = &roofs->bandwidths[i];
        if (roof->theory > 0) {
            roof->bytes_per_s = roof->low = roof->high = roof->theory;
            roof->actual = 1; /* a bus moves no more than that, whatever is asked for */
        } else if (roof->is_line)
            rfl_roofs_name(&measured, roof->name);
    }
    for (size_t i = 0; i < roofs->n_peaks; i++) {
        struct rfl_peak *roof = &roofs->peaks[i];
        if (roof->theory > 0)
            roof->flop_per_s = roof->low = roof->high = roof->theory;
        else if (roof->is_roof)
            rfl_roofs_name(&measured, roof->name);
    }
    rfl_roofs_note_names(roofs, "no theoretical peak is known, measured values for",
                         &measured);
}

/* The clock that a ceiling's value, or its theoretical peak, is for; 0 unknown. */
static double clock_of(const struct ert_device_ceilings *from,
                       const struct ert_ceiling *ceiling, bool theory)
{
    for (size_t i = 0; i < from->n_peaks && theory && ceiling->theory > 0; i++)
        if (strcmp(from->peaks[i].name, ceiling->theory_name) == 0 &&
            strcmp(from->peaks[i].clock, ceiling->theory_clock) == 0)
            return from->peaks[i].clock_hz;
    return ceiling->clock_hz > 0 ? ceiling->clock_hz : from->held_hz;
}

/* Roofs are in the ceilings' order, less those without a value: the next one of the name. */
static void core_clock(const struct ert_device_ceilings *from, bool theory, double hz,
                       struct rfl_roofs *roofs)
{
    struct rfl_names unknown = {.n = 0};
    for (size_t i = 0, r = 0; i < from->n_memory && r < roofs->n_bandwidths; i++) {
        struct rfl_bandwidth *roof = &roofs->bandwidths[r];
        if (strcmp(from->memory[i].common.name, roof->name) != 0)
            continue;
        r++;
        double own = clock_of(from, &from->memory[i].common, theory);
        if (roof->clock == RFL_CLOCK_CORE && own > 0)
            rfl_roofs_scale_bandwidth(roof, hz / own);
        else if (roof->clock == RFL_CLOCK_CORE)
            rfl_roofs_name(&unknown, roof->name);
    }
    for (size_t i = 0, r = 0; i < from->n_compute; i++) {
        const struct ert_ceiling *ceiling = &from->compute[i].common;
        double own = clock_of(from, ceiling, theory);
        if (strcmp(from->compute[i].type, "inst") == 0)
            roofs->instructions_per_s *= own > 0 ? hz / own : 1;
        if (r == roofs->n_peaks || strcmp(ceiling->name, roofs->peaks[r].name) != 0)
            continue;
        if (own > 0)
            rfl_roofs_scale_peak(&roofs->peaks[r], hz / own);
        else
            rfl_roofs_name(&unknown, roofs->peaks[r].name);
        r++;
    }
    rfl_roofs_note_names(roofs, "measured at an unknown clock, so not rescaled", &unknown);
}

static void memory_clock(const struct ert_device *device, double hz,
                         struct rfl_roofs *roofs)
{
    double own = device ? device->gpu.memory_clock_hz : 0;
    char asked[ERT_UNITS_TEXT], known[ERT_UNITS_TEXT];
    double factor = own > 0 ? hz / own : 0;
    if (fabs(factor - 1) < 0.005)
        return;
    if (factor < memory_clock_range[0] || factor > memory_clock_range[1]) {
        rfl_roofs_note(roofs,
                       "memory bandwidths are not rescaled: the code's memory clock is %s, "
                       "that of the sweep %s",
                       ert_units_frequency(hz, asked),
                       own > 0 ? ert_units_frequency(own, known) : "unknown");
        return;
    }
    for (size_t i = 0; i < roofs->n_bandwidths; i++)
        if (roofs->bandwidths[i].clock == RFL_CLOCK_MEMORY)
            rfl_roofs_scale_bandwidth(&roofs->bandwidths[i], factor);
    rfl_roofs_note(roofs, "memory bandwidths rescaled from %s to %s",
                   ert_units_frequency(own, known), ert_units_frequency(hz, asked));
}

void rfl_roofs_at_clock(const struct ert_device_ceilings *from,
                        const struct ert_device *device,
                        const struct rfl_roofs_options *options, struct rfl_roofs *roofs)
{
    if (options->clock_hz > 0) {
        char asked[ERT_UNITS_TEXT], held[ERT_UNITS_TEXT];
        core_clock(from, options->theory, options->clock_hz, roofs);
        rfl_roofs_note(
            roofs,
            "peaks and %s rescaled to %s from the clock of each measurement (held: "
            "%s); %s has a clock of its own and stays",
            roofs->kind == ERT_DEVICE_GPU ? "L1 and shared memory" : "L1 and L2",
            ert_units_frequency(options->clock_hz, asked),
            from->held_hz > 0 ? ert_units_frequency(from->held_hz, held) : "unknown",
            roofs->kind == ERT_DEVICE_GPU ? "L2" : "L3");
    }
    if (options->memory_clock_hz > 0)
        memory_clock(device, options->memory_clock_hz, roofs);
}
