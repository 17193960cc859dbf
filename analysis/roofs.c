#include "analysis/roofs.h"

#include "analysis/model.h"
#include "analysis/roofs_parts.h"
#include "ert/ceilings/traffic.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void rfl_roofs_note(struct rfl_roofs *roofs, const char *format, ...)
{
    va_list arguments;
    assert(roofs->n_notes < RFL_MAX_ROOFS_NOTES);
    va_start(arguments, format);
    vsnprintf(roofs->notes[roofs->n_notes++], sizeof roofs->notes[0], format, arguments);
    va_end(arguments);
}

/* Memories that one counter or another calls by different names. */
static bool is_memory_name(const char *level)
{
    return strcmp(level, "HBM") == 0 || strcmp(level, "DRAM") == 0 ||
           strcmp(level, "MCDRAM") == 0 || strcmp(level, "memory") == 0;
}

static enum rfl_clock clock_of(const struct ert_device *device, const char *level)
{
    const struct ert_level *known = device ? ert_device_level(device, level) : NULL;
    bool is_l1 = strcmp(level, "L1") == 0 || strcmp(level, "shared") == 0;
    if (known ? known->kind == ERT_LEVEL_MEMORY : is_memory_name(level))
        return RFL_CLOCK_MEMORY;
    if (is_l1 || (device && device->kind == ERT_DEVICE_CPU && strcmp(level, "L2") == 0))
        return RFL_CLOCK_CORE;
    return RFL_CLOCK_OWN;
}

/* The arrays of both structs are of the same size, and a profile has a hundred thousand launches. */
#define COPY(to, from)                                                                     \
    do {                                                                                   \
        _Static_assert(sizeof(to) == sizeof(from), "the same text");                       \
        memcpy(to, from, sizeof(to));                                                      \
    } while (0)

static bool is_usable(const struct ert_ceiling *ceiling)
{
    return isfinite(ceiling->value) && ceiling->value > 0;
}

static void add_bandwidths(const struct ert_device_ceilings *from,
                           const struct ert_device *device, struct rfl_roofs *roofs)
{
    for (size_t i = 0; i < from->n_memory; i++) {
        const struct ert_memory_ceiling *ceiling = &from->memory[i];
        struct rfl_bandwidth *to = &roofs->bandwidths[roofs->n_bandwidths];
        struct ert_traffic traffic;
        if (!is_usable(&ceiling->common))
            continue;
        COPY(to->name, ceiling->common.name);
        COPY(to->level, ceiling->level);
        COPY(to->pattern, ceiling->pattern);
        COPY(to->doubt, ceiling->common.doubt);
        to->is_roof = ceiling->roof;
        to->bytes_per_s = to->measured = ceiling->common.value;
        to->low = ceiling->common.low;
        to->high = ceiling->common.high;
        to->theory = ceiling->common.theory;
        to->share = 1;
        to->per_joule = ceiling->common.per_joule;
        to->burst = ceiling->common.falls_after_s > 0 ? ceiling->common.burst : 0;
        to->burst_s = ceiling->common.falls_after_s;
        to->clock = clock_of(device, ceiling->level);
        to->is_line = rfl_is_line(from, ceiling);
        to->read_share = to->actual_read_share = NAN;
        to->actual = 1;
        to->is_streaming = false;
        if (ert_traffic_of(device, ceiling, &traffic)) {
            to->read_share = traffic.reads;
            to->actual_read_share = traffic.actual_reads;
            to->actual = 1 + traffic.allocated;
            to->is_streaming = traffic.is_streaming;
        }
        roofs->n_bandwidths++;
    }
}

static void add_peaks(const struct ert_device_ceilings *from, struct rfl_roofs *roofs)
{
    for (size_t i = 0; i < from->n_compute; i++) {
        const struct ert_compute_ceiling *ceiling = &from->compute[i];
        struct rfl_peak *to = &roofs->peaks[roofs->n_peaks];
        if (!is_usable(&ceiling->common))
            continue;
        if (strcmp(ceiling->type, "inst") == 0) {
            roofs->instructions_per_s = ceiling->common.value;
            continue;
        }
        COPY(to->name, ceiling->common.name);
        COPY(to->type, ceiling->type);
        COPY(to->op, ceiling->op);
        COPY(to->unit, ceiling->unit);
        COPY(to->doubt, ceiling->common.doubt);
        to->is_roof = ceiling->roof;
        to->flop_per_s = to->measured = ceiling->common.value;
        to->low = ceiling->common.low;
        to->high = ceiling->common.high;
        to->theory = ceiling->common.theory;
        to->share = 1;
        to->per_joule = ceiling->common.per_joule;
        to->burst = ceiling->common.falls_after_s > 0 ? ceiling->common.burst : 0;
        to->burst_s = ceiling->common.falls_after_s;
        roofs->n_peaks++;
    }
}

static void drop_bursts(struct rfl_roofs *roofs)
{
    for (size_t i = 0; i < roofs->n_bandwidths; i++)
        roofs->bandwidths[i].burst = roofs->bandwidths[i].burst_s = 0;
    for (size_t i = 0; i < roofs->n_peaks; i++)
        roofs->peaks[i].burst = roofs->peaks[i].burst_s = 0;
}

enum ert_status rfl_roofs_make(const struct ert_ceilings *ceilings, size_t index,
                               const struct rfl_roofs_options *options,
                               struct rfl_roofs *roofs, struct ert_error *error)
{
    if (index >= ceilings->n_devices || !ceilings->machine)
        return ert_fail(error, ERT_USAGE, "no device %zu in the ceilings; there are %zu",
                        index, ceilings->n_devices);
    const struct ert_device_ceilings *from = &ceilings->devices[index];
    const struct ert_device *device = ert_machine_device(ceilings->machine, from->device);
    roofs->n_bandwidths = roofs->n_peaks = roofs->n_notes = 0;
    roofs->instructions_per_s = 0;
    COPY(roofs->device, from->device);
    roofs->name[0] = '\0';
    roofs->kind = strncmp(from->device, "gpu", 3) == 0 ? ERT_DEVICE_GPU : ERT_DEVICE_CPU;
    if (device) {
        COPY(roofs->name, device->name);
        roofs->kind = device->kind;
    }
    roofs->held_hz = from->held_hz;
    roofs->clock_hz = options->clock_hz > 0 ? options->clock_hz : from->held_hz;
    add_bandwidths(from, device, roofs);
    add_peaks(from, roofs);
    if (!roofs->n_bandwidths && !roofs->n_peaks)
        return ert_fail(error, ERT_UNAVAILABLE, "%s: no ceiling in the file%s%s",
                        from->device, from->n_absent ? ": " : "",
                        from->n_absent ? from->absent[0].reason : "");
    /* A known clock, or theory, leaves nothing to choose. */
    if (options->theory || options->clock_hz > 0)
        drop_bursts(roofs);
    rfl_roofs_at_theory(from, options, roofs);
    rfl_roofs_at_clock(from, device, options, roofs);
    rfl_roofs_at_concurrency(from, options, roofs);
    return ERT_OK;
}

static bool stands_before(const struct ert_memory_ceiling *a,
                          const struct ert_memory_ceiling *b)
{
    bool a_loads = strcmp(a->pattern, "load") == 0,
         b_loads = strcmp(b->pattern, "load") == 0;
    if (a_loads != b_loads)
        return a_loads;
    if (a->roof != b->roof)
        return a->roof;
    return a->common.value > b->common.value ||
           (a->common.value == b->common.value && a < b);
}

bool rfl_is_line(const struct ert_device_ceilings *from,
                 const struct ert_memory_ceiling *ceiling)
{
    for (size_t i = 0; i < from->n_memory; i++)
        if (&from->memory[i] != ceiling && is_usable(&from->memory[i].common) &&
            strcmp(from->memory[i].level, ceiling->level) == 0 &&
            stands_before(&from->memory[i], ceiling))
            return false;
    return is_usable(&ceiling->common);
}

/* Whether the roof is of the level, of the pattern, and better than the one found so far. */
static const struct rfl_bandwidth *best_of(const struct rfl_roofs *roofs, const char *level,
                                           const char *pattern)
{
    const struct rfl_bandwidth *best = NULL;
    for (size_t i = 0; i < roofs->n_bandwidths; i++) {
        const struct rfl_bandwidth *roof = &roofs->bandwidths[i];
        if (strcmp(roof->level, level) != 0 ||
            (pattern && strcmp(roof->pattern, pattern) != 0))
            continue;
        if (!best || (roof->is_line && !best->is_line) ||
            (roof->is_line == best->is_line && roof->bytes_per_s > best->bytes_per_s))
            best = roof;
    }
    return best;
}

const struct rfl_bandwidth *rfl_roofs_level(const struct rfl_roofs *roofs,
                                            const char *level, const char *pattern)
{
    const char *memory = NULL;
    const struct rfl_bandwidth *best = best_of(roofs, level, pattern);
    if (best || !is_memory_name(level))
        return best;
    for (size_t i = 0; i < roofs->n_bandwidths; i++) {
        const struct rfl_bandwidth *roof = &roofs->bandwidths[i];
        if (roof->clock != RFL_CLOCK_MEMORY)
            continue;
        if (memory && strcmp(memory, roof->level) != 0)
            return NULL; /* of several memories the counter's could be either */
        memory = roof->level;
    }
    return memory ? best_of(roofs, memory, pattern) : NULL;
}

/*
 * Which operations of a ceiling a unit's counted operations may be. Tensor and matrix units do
 * nothing but multiply-adds, so a share of FMA says nothing about them.
 */
static const struct {
    const char *unit, *op;
    bool mixes;
} unit_ops[] = {
    {"tensor", "mma",   false},
    {"tensor", "wgmma", false},
    {"amx",    "amx",   false},
    {"",       "fma",   true },
    {"",       "mad",   true },
    {"",       "dot",   false},
};

static bool is_matrix_unit(const char *unit)
{
    return strcmp(unit, "tensor") == 0 || strcmp(unit, "amx") == 0;
}

/* "" and "core" are any unit of the cores; a vector unit by its name is that one alone. */
static bool unit_fits(const struct rfl_peak *peak, const char *unit)
{
    if (is_matrix_unit(unit) || is_matrix_unit(peak->unit))
        return strcmp(peak->unit, unit) == 0;
    return !*unit || strcmp(unit, "core") == 0 || strcmp(peak->unit, unit) == 0;
}

static bool op_fits(const struct rfl_peak *peak, const char *unit, bool *mixes)
{
    const char *class_ = is_matrix_unit(unit) ? unit : "";
    for (size_t i = 0; i < sizeof unit_ops / sizeof unit_ops[0]; i++)
        if (strcmp(unit_ops[i].unit, class_) == 0 &&
            strcmp(unit_ops[i].op, peak->op) == 0) {
            *mixes = unit_ops[i].mixes;
            return true;
        }
    /* A machine without FMA: its additions are its peak. */
    *mixes = false;
    return false;
}

/* The fastest roof of an op, of the type and unit of another; NULL: none. */
static const struct rfl_peak *beside(const struct rfl_roofs *roofs,
                                     const struct rfl_peak *peak, const char *op)
{
    const struct rfl_peak *best = NULL;
    for (size_t i = 0; i < roofs->n_peaks; i++) {
        const struct rfl_peak *roof = &roofs->peaks[i];
        if (strcmp(roof->type, peak->type) == 0 && strcmp(roof->unit, peak->unit) == 0 &&
            strcmp(roof->op, op) == 0 && (!best || roof->flop_per_s > best->flop_per_s))
            best = roof;
    }
    return best;
}

/* The roof of a share of FMA, where adders may be units of their own; NaN: of any share. */
static double mixed_peak(const struct rfl_roofs *roofs, double fma_share,
                         const struct rfl_peak **peak)
{
    const struct rfl_peak *fma = *peak, *fma_add = beside(roofs, fma, "fmaadd"),
                          *either = beside(roofs, fma, "addmul");
    if (!isnan(fma_share))
        return rfl_model_units(fma->flop_per_s, fma_add ? fma_add->flop_per_s : 0,
                               either ? either->flop_per_s : 0, fma_share);
    if (fma_add && fma_add->flop_per_s > fma->flop_per_s)
        *peak = fma_add;
    return (*peak)->flop_per_s;
}

double rfl_roofs_peak(const struct rfl_roofs *roofs, const char *type, const char *unit,
                      double fma_share, const struct rfl_peak **peak)
{
    const struct rfl_peak *best = NULL, *plain = NULL;
    bool best_mixes = false, mixes;
    for (size_t i = 0; i < roofs->n_peaks; i++) {
        const struct rfl_peak *roof = &roofs->peaks[i];
        if (strcmp(roof->type, type) != 0 || !unit_fits(roof, unit))
            continue;
        if (op_fits(roof, unit, &mixes)) {
            if (!best || roof->flop_per_s > best->flop_per_s) {
                best = roof;
                best_mixes = mixes;
            }
        } else if (strcmp(roof->op, "add") == 0 || strcmp(roof->op, "mul") == 0 ||
                   strcmp(roof->op, "addmul") == 0) {
            plain = !plain || roof->flop_per_s > plain->flop_per_s ? roof : plain;
        }
    }
    best = best ? best : plain;
    double flop_per_s = best_mixes ? mixed_peak(roofs, fma_share, &best)
                        : best     ? best->flop_per_s
                                   : 0;
    if (peak)
        *peak = best;
    return flop_per_s;
}

double rfl_roofs_operand_peak(const struct rfl_roofs *roofs, const char *type,
                              const char *unit, double fma_share)
{
    const struct rfl_peak *fma = NULL;
    rfl_roofs_peak(roofs, type, unit, 1, &fma);
    for (size_t i = 0; i < roofs->n_peaks && fma && strcmp(fma->op, "fma") == 0; i++) {
        const struct rfl_peak *roof = &roofs->peaks[i];
        if (strcmp(roof->type, type) == 0 && strcmp(roof->op, "fma-3reg") == 0 &&
            unit_fits(roof, unit) && fma_share != 0)
            return rfl_model_operands(fma->flop_per_s, roof->flop_per_s,
                                      isnan(fma_share) ? 1 : fma_share);
    }
    return 0;
}
