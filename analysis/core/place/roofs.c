/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/core/place/roofs.h"

#include "analysis/core/place/model.h"
#include "analysis/core/points/levels.h"
#include "ert/core/base/units.h"
#include "ert/core/ceilings/traffic.h"

#include <assert.h>
#include <math.h>
#include <string.h>

__attribute__((format(printf, 2, 3))) static void roofs_add_note(struct rfl_roofs *roofs,
                                                                 const char *format, ...)
{
    assert(roofs->n_notes < RFL_MAX_ROOFS_NOTES);
    ERT_FORMAT(roofs->notes[roofs->n_notes++], sizeof roofs->notes[0], format);
}

enum { NAMES = 160 }; /* length of a list in a note */

/* "before: names", unless there are none. */
static void note_names(struct rfl_roofs *roofs, const char *before, struct rfl_names *names)
{
    if (*names->text)
        roofs_add_note(roofs, "%s: %s", before, rfl_names_end(names));
}

enum ert_status rfl_find_device(const struct ert_ceilings *ceilings, const char *id,
                                size_t *index, struct ert_error *error)
{
    char list[ERT_MAX_DEVICES * 18] = "";
    for (*index = 0; *index < ceilings->n_devices; ++*index) {
        if (strcmp(ceilings->devices[*index].device, id) == 0)
            return ERT_OK;
        ert_list_add(list, sizeof list, ceilings->devices[*index].device);
    }
    return ert_fail(error, ERT_USAGE, "no device '%.64s' in the ceilings; there are: %s",
                    id, list[0] ? list : "none");
}

static enum rfl_clock clock_kind(const struct ert_device *device, const char *level)
{
    const struct ert_level *known = device ? ert_device_level(device, level) : NULL;
    bool is_l1 = strcmp(level, "L1") == 0 || strcmp(level, "shared") == 0;
    if (known ? known->kind == ERT_LEVEL_MEMORY
              : rfl_level_depth(level) == RFL_DEPTH_MEMORY)
        return RFL_CLOCK_MEMORY;
    if (is_l1 || (device && device->kind == ERT_DEVICE_CPU && strcmp(level, "L2") == 0))
        return RFL_CLOCK_CORE;
    return RFL_CLOCK_OWN;
}

/* Copies an array. A profile has a hundred thousand launches, so memcpy instead of snprintf. */
#define COPY(to, from)                                                                     \
    do {                                                                                   \
        _Static_assert(sizeof(to) == sizeof(from), "the same text");                       \
        memcpy(to, from, sizeof(to));                                                      \
    } while (0)

static bool roofs_is_usable(const struct ert_ceiling *ceiling)
{
    return isfinite(ceiling->value) && ceiling->value > 0;
}

/* The clock that a ceiling's value is for; 0 unknown. */
static double roofs_clock_of(const struct ert_device_ceilings *from,
                             const struct ert_ceiling *ceiling)
{
    return ceiling->evidence->clock_hz > 0 ? ceiling->evidence->clock_hz : from->held_hz;
}

/* A known clock determines the rate, so that there is no burst. */
static void set_rate(struct rfl_rate *to, const struct ert_device_ceilings *from,
                     const struct ert_ceiling *ceiling, bool is_roof,
                     const struct rfl_roofs_options *options)
{
    const struct ert_evidence *evidence = ceiling->evidence;
    const bool has_burst = evidence->falls_after_s > 0 && !(options->clock_hz > 0);
    COPY(to->name, ceiling->name);
    COPY(to->warning, evidence->warning);
    to->is_roof = is_roof;
    to->value = to->measured = ceiling->value;
    to->low = ceiling->low;
    to->high = ceiling->high;
    to->theory = ceiling->theory;
    to->share = 1;
    to->threads = evidence->launch.threads;
    to->per_joule = evidence->per_joule;
    to->burst = has_burst ? evidence->burst : 0;
    to->burst_s = has_burst ? evidence->falls_after_s : 0;
    to->clock_hz = roofs_clock_of(from, ceiling);
}

static void roofs_add_bandwidths(const struct ert_device_ceilings *from,
                                 const struct ert_device *device,
                                 const struct rfl_roofs_options *options,
                                 struct rfl_roofs *roofs)
{
    const struct ert_ceiling_span memory = ert_ceilings_of(from, ERT_CEILING_MEMORY);
    for (size_t i = 0; i < memory.n; i++) {
        const struct ert_ceiling *ceiling = &memory.at[i];
        struct rfl_bandwidth *to = &roofs->bandwidths[roofs->n_bandwidths];
        struct ert_traffic traffic;
        if (!roofs_is_usable(ceiling))
            continue;
        set_rate(&to->rate, from, ceiling, ceiling->is_roof, options);
        COPY(to->level, ceiling->key.level);
        COPY(to->pattern, ceiling->key.pattern);
        to->clock = clock_kind(device, ceiling->key.level);
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

static const struct rfl_bandwidth *best_of(const struct rfl_roofs *roofs, const char *level,
                                           const char *pattern)
{
    const struct rfl_bandwidth *best = NULL;
    for (size_t i = 0; i < roofs->n_bandwidths; i++) {
        const struct rfl_bandwidth *roof = &roofs->bandwidths[i];
        if (*roof->level != *level || strcmp(roof->level, level) != 0 ||
            (pattern && strcmp(roof->pattern, pattern) != 0))
            continue;
        if (!best || (roof->rate.is_roof && !best->rate.is_roof) ||
            (roof->rate.is_roof == best->rate.is_roof &&
             roof->rate.value > best->rate.value))
            best = roof;
    }
    return best;
}

/*
 * Sources and targets of bytes besides the device's levels; what the GPU receives counts as read. Copies of
 * pageable memory are not roofs, since pinning the memory makes them faster.
 */
static const struct transfer {
    enum ert_ceiling_kind kind;
    const char *what; /* pattern of a link, or test of a network */
    const char *level, *pattern;
    double read_share;
} transfers[] = {
    {ERT_CEILING_LINK,    "h2d-pinned",    "host", "to GPU",    1  },
    {ERT_CEILING_LINK,    "d2h-pinned",    "host", "from GPU",  0  },
    {ERT_CEILING_LINK,    "duplex-pinned", "host", "both ways", 0.5},
    {ERT_CEILING_NETWORK, "one-way",       "NET",  "one-way",   1  },
};
_Static_assert(ERT_LENGTH(transfers) <= RFL_MAX_TRANSFERS, "room of roofs.h");

/* The fastest of all message sizes. */
static const struct ert_ceiling *find_transfer(const struct ert_device_ceilings *from,
                                               const struct transfer *transfer)
{
    const struct ert_ceiling *best = NULL;
    const struct ert_ceiling_span of = ert_ceilings_of(from, transfer->kind);
    for (size_t i = 0; i < of.n; i++) {
        const struct ert_ceiling *extra = &of.at[i];
        const char *what =
            transfer->kind == ERT_CEILING_NETWORK ? extra->key.of : extra->key.pattern;
        if (strcmp(what, transfer->what) == 0 && extra->unit == ERT_UNIT_BYTE_PER_S &&
            roofs_is_usable(extra) && (!best || extra->value > best->value))
            best = extra;
    }
    return best;
}

static void add_transfers(const struct ert_device_ceilings *from,
                          const struct rfl_roofs_options *options, struct rfl_roofs *roofs)
{
    for (size_t i = 0; i < ERT_LENGTH(transfers); i++) {
        const struct ert_ceiling *extra = find_transfer(from, &transfers[i]);
        if (!extra)
            continue;
        struct rfl_bandwidth *to = &roofs->bandwidths[roofs->n_bandwidths++];
        *to = (struct rfl_bandwidth){.read_share = transfers[i].read_share,
                                     .actual_read_share = transfers[i].read_share,
                                     .actual = 1,
                                     .is_transfer = true,
                                     .clock = RFL_CLOCK_OWN};
        set_rate(&to->rate, from, extra, false, options);
        snprintf(to->level, sizeof to->level, "%s", transfers[i].level);
        snprintf(to->pattern, sizeof to->pattern, "%s", transfers[i].pattern);
    }
}

static void roofs_add_peaks(const struct ert_device_ceilings *from,
                            const struct rfl_roofs_options *options,
                            struct rfl_roofs *roofs)
{
    const struct ert_ceiling_span compute = ert_ceilings_of(from, ERT_CEILING_COMPUTE);
    for (size_t i = 0; i < compute.n; i++) {
        const struct ert_ceiling *ceiling = &compute.at[i];
        struct rfl_peak *to = &roofs->peaks[roofs->n_peaks];
        double clock_hz = roofs_clock_of(from, ceiling);
        if (!roofs_is_usable(ceiling))
            continue;
        if (strcmp(ceiling->key.type, "inst") == 0) {
            roofs->instructions_per_s = ceiling->value;
            if (options->clock_hz > 0 && clock_hz > 0)
                roofs->instructions_per_s *= options->clock_hz / clock_hz;
            continue;
        }
        set_rate(&to->rate, from, ceiling, ceiling->is_roof, options);
        COPY(to->type, ceiling->key.type);
        COPY(to->op, ceiling->key.op);
        COPY(to->unit, ceiling->key.unit);
        roofs->n_peaks++;
    }
}

/* The i-th of the bandwidths, then peaks. */
static struct rfl_rate *roofs_rate_at(struct rfl_roofs *roofs, size_t i)
{
    return i < roofs->n_bandwidths ? &roofs->bandwidths[i].rate
                                   : &roofs->peaks[i - roofs->n_bandwidths].rate;
}

static void roofs_scale(struct rfl_rate *rate, double factor)
{
    rate->value *= factor;
    rate->burst *= factor;
    rate->low *= factor;
    rate->high *= factor;
}

static void set_core_clock(double hz, struct rfl_roofs *roofs)
{
    struct rfl_names unknown = {.left_out = 0};
    bool is_gpu = roofs->kind == ERT_DEVICE_GPU;
    for (size_t i = 0; i < roofs->n_bandwidths + roofs->n_peaks; i++) {
        struct rfl_rate *rate = roofs_rate_at(roofs, i);
        if (i < roofs->n_bandwidths && roofs->bandwidths[i].clock != RFL_CLOCK_CORE)
            continue;
        if (rate->clock_hz > 0)
            roofs_scale(rate, hz / rate->clock_hz);
        else
            rfl_names_add(&unknown, NAMES, rate->name);
    }
    note_names(roofs, "measured at an unknown clock, so not rescaled", &unknown);
    roofs_add_note(
        roofs,
        "peaks and %s rescaled to %s from the clock of each measurement (held: %s); "
        "%s has a clock of its own and is not rescaled",
        is_gpu ? "L1 and shared memory" : "L1 and L2", ert_units_frequency(hz).text,
        roofs->held_hz > 0 ? ert_units_frequency(roofs->held_hz).text : "unknown",
        is_gpu ? "L2" : "L3");
}

bool rfl_is_matrix_unit(const char *unit)
{
    return strcmp(unit, "tensor") == 0 || strcmp(unit, "amx") == 0;
}

const struct rfl_bandwidth *rfl_roofs_level(const struct rfl_roofs *roofs,
                                            const char *level, const char *pattern)
{
    const char *memory = NULL;
    const struct rfl_bandwidth *best = best_of(roofs, level, pattern);
    if (best || rfl_level_depth(level) != RFL_DEPTH_MEMORY)
        return best;
    for (size_t i = 0; i < roofs->n_bandwidths; i++) {
        const struct rfl_bandwidth *roof = &roofs->bandwidths[i];
        if (roof->clock != RFL_CLOCK_MEMORY)
            continue;
        if (memory && strcmp(memory, roof->level) != 0)
            return NULL; /* with several memories it is unknown which one was counted */
        memory = roof->level;
    }
    return memory ? best_of(roofs, memory, pattern) : NULL;
}

/*
 * The operations of a ceiling that are comparable with those of a unit. Tensor and matrix units only do
 * multiply-adds, so the share of FMA does not apply to them.
 */
static const struct {
    const char *unit, *op;
    bool mixes;
} unit_ops[] = {
    {"tensor", "mma",        false},
    {"tensor", "wgmma",      false},
    {"tensor", "tcgen05-mx", false},
    {"tensor", "tcgen05-nv", false},
    {"tensor", "tcgen05",    false},
    {"amx",    "amx",        false},
    {"",       "fma",        true },
    {"",       "mad",        true },
    {"",       "dot",        false},
};

/* "" and "core" fit all units of the cores; the name of a vector unit fits only that unit. */
static bool unit_fits(const struct rfl_peak *peak, const char *unit)
{
    if (rfl_is_matrix_unit(unit) || rfl_is_matrix_unit(peak->unit))
        return strcmp(peak->unit, unit) == 0;
    return !*unit || strcmp(unit, "core") == 0 || strcmp(peak->unit, unit) == 0;
}

static bool op_fits(const struct rfl_peak *peak, const char *unit, bool *mixes)
{
    const char *kind = rfl_is_matrix_unit(unit) ? unit : "";
    for (size_t i = 0; i < ERT_LENGTH(unit_ops); i++)
        if (strcmp(unit_ops[i].unit, kind) == 0 && strcmp(unit_ops[i].op, peak->op) == 0) {
            *mixes = unit_ops[i].mixes;
            return true;
        }
    /* on a machine without FMA, additions give the peak */
    *mixes = false;
    return false;
}

static const struct rfl_peak *beside(const struct rfl_roofs *roofs,
                                     const struct rfl_peak *peak, const char *op)
{
    const struct rfl_peak *best = NULL;
    for (size_t i = 0; i < roofs->n_peaks; i++) {
        const struct rfl_peak *roof = &roofs->peaks[i];
        if (strcmp(roof->type, peak->type) == 0 && strcmp(roof->unit, peak->unit) == 0 &&
            strcmp(roof->op, op) == 0 && (!best || roof->rate.value > best->rate.value))
            best = roof;
    }
    return best;
}

/* The roof for a share of FMA on machines that may have separate adders; NaN: the best of all shares. */
static double mixed_peak(const struct rfl_roofs *roofs, double fma_share,
                         const struct rfl_peak **peak)
{
    const struct rfl_peak *fma = *peak, *fma_add = beside(roofs, fma, "fmaadd"),
                          *either = beside(roofs, fma, "addmul");
    if (!isnan(fma_share))
        return rfl_model_units(fma->rate.value, fma_add ? fma_add->rate.value : 0,
                               either ? either->rate.value : 0, fma_share);
    if (fma_add && fma_add->rate.value > fma->rate.value)
        *peak = fma_add;
    return (*peak)->rate.value;
}

double rfl_roofs_peak(const struct rfl_roofs *roofs, const char *type, const char *unit,
                      double fma_share, const struct rfl_peak **peak)
{
    const struct rfl_peak *best = NULL, *plain = NULL;
    double most = 0;
    bool mixes;
    for (size_t i = 0; i < roofs->n_peaks; i++) {
        const struct rfl_peak *roof = &roofs->peaks[i];
        if (strcmp(roof->type, type) != 0 || !unit_fits(roof, unit))
            continue;
        if (op_fits(roof, unit, &mixes)) {
            double rate = mixes ? mixed_peak(roofs, fma_share, &roof) : roof->rate.value;
            if (!best || rate > most) {
                best = roof;
                most = rate;
            }
        } else if (strcmp(roof->op, "add") == 0 || strcmp(roof->op, "mul") == 0 ||
                   strcmp(roof->op, "addmul") == 0) {
            plain = !plain || roof->rate.value > plain->rate.value ? roof : plain;
        }
    }
    if (peak)
        *peak = best ? best : plain;
    return best ? most : plain ? plain->rate.value : 0;
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
            return rfl_model_operands(fma->rate.value, roof->rate.value,
                                      isnan(fma_share) ? 1 : fma_share);
    }
    return 0;
}

/* A ceiling's rates by number of warps or threads, and the share of the highest at a given number. */
struct curve {
    const char *of;
    size_t first, end;       /* in the device's ceilings of the kind concurrency */
    size_t roof;             /* roofs_rate_at() */
    double all, all_threads; /* of that; GPUs: no threads */
    double share, least;
};

static bool is_on(const struct ert_ceiling *extra, const char *axis)
{
    const bool is_doubted =
        *axis == 't' && extra->confidence == ERT_CONFIDENCE_LOW; /* others had the CPUs */
    return extra->value > 0 && extra->key.count && !is_doubted &&
           strcmp(extra->key.axis, axis) == 0;
}

/*
 * The share of its highest rate that a ceiling attains at a count, and the least that it can be: linear
 * between measured counts (with the best ILP of each), proportional below the least. More threads never lower
 * a roof, since some of them can idle, so a dip in the measured curve is noise and is filled. Of a curve
 * without its end, which a default run makes of one thread, the ceiling itself is the end; as each thread
 * adds less than the one before, what lies between is above the line to it, and no more than in proportion.
 */
static void curve_set_share(struct curve *curve, const struct ert_ceiling *extras,
                            const char *axis, double count)
{
    double below = 0, above = INFINITY, last = 0, low = 0, high = 0, most = 0;
    for (size_t i = curve->first; i < curve->end; i++) {
        if (!is_on(&extras[i], axis) || strcmp(extras[i].key.of, curve->of) != 0)
            continue;
        if (extras[i].key.count < count) {
            below = fmax(below, extras[i].key.count);
            low = fmax(low, extras[i].value);
        } else {
            above = fmin(above, extras[i].key.count);
        }
        most = fmax(most, extras[i].value);
        last = fmax(last, extras[i].key.count);
    }
    for (size_t i = curve->first; i < curve->end; i++)
        if (is_on(&extras[i], axis) && strcmp(extras[i].key.of, curve->of) == 0 &&
            extras[i].key.count <= above)
            high = fmax(high, extras[i].value);
    if (last < curve->all_threads)
        most = fmax(most, curve->all);
    const bool is_open = isinf(above) && count < curve->all_threads;
    if (is_open) {
        above = curve->all_threads;
        high = most;
    }
    curve->least = isfinite(above)
                       ? (low + (high - low) * (count - below) / (above - below)) / most
                       : 1;
    curve->share = is_open ? fmin(1, low * count / below / most) : curve->least;
}

/* A curve of each roof at most. */
enum { MAX_CURVES = RFL_MAX_BANDWIDTHS + RFL_MAX_TRANSFERS + RFL_MAX_PEAKS };

static size_t roofs_find(struct rfl_roofs *roofs, const char *name)
{
    size_t i = 0, n = roofs->n_bandwidths + roofs->n_peaks;
    while (i < n && strcmp(roofs_rate_at(roofs, i)->name, name) != 0)
        i++;
    return i;
}

static size_t read_curves(const struct ert_device_ceilings *from, const char *axis,
                          double count, struct rfl_roofs *roofs,
                          struct curve curves[MAX_CURVES])
{
    const struct ert_ceiling_span all = ert_ceilings_of(from, ERT_CEILING_CONCURRENCY);
    size_t n = 0, c = 0;
    for (size_t i = 0; i < all.n; i++) {
        const char *of = all.at[i].key.of;
        if (!is_on(&all.at[i], axis))
            continue;
        /* the counts of a ceiling are adjacent, as a rule */
        if (c == n || strcmp(curves[c].of, of) != 0)
            for (c = 0; c < n && strcmp(curves[c].of, of) != 0; c++)
                ;
        const size_t roof = c == n ? roofs_find(roofs, of) : curves[c].roof;
        if (roof == roofs->n_bandwidths + roofs->n_peaks)
            continue;
        const struct rfl_rate *all_of_it = roofs_rate_at(roofs, roof);
        if (c == n)
            curves[n++] = (struct curve){
                .of = of,
                .first = i,
                .roof = roof,
                .all = all_of_it->measured,
                .all_threads = roofs->kind == ERT_DEVICE_CPU ? all_of_it->threads : 0};
        curves[c].end = i + 1;
    }
    for (c = 0; c < n; c++)
        curve_set_share(&curves[c], all.at, axis, count);
    return n;
}

static const struct curve *curve_of(const struct curve *curves, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (*curves[i].of == *name && strcmp(curves[i].of, name) == 0)
            return &curves[i];
    return NULL;
}

/* Above this the difference is the spread of the measured points. */
static const double named_below = 0.98;

/* What a roof becomes at fewer warps or threads. */
enum lowered { AS_MEASURED, UNCHANGED, IN_PROPORTION, AT_LEAST_ITS_PART, N_LOWERED };

/* Whether each core has its own: units, and caches of which there are as many as cores. */
static bool is_of_cores(const struct ert_device *device, const struct rfl_roofs *roofs,
                        size_t i)
{
    if (i >= roofs->n_bandwidths)
        return true;
    const struct ert_level *level =
        device ? ert_device_level(device, roofs->bandwidths[i].level) : NULL;
    return level && level->kind == ERT_LEVEL_CACHE && device->cpu.n_cores_usable > 0 &&
           level->count >= device->cpu.n_cores_usable;
}

/*
 * A pattern that was not measured with fewer warps or threads uses the curve of its level with the
 * nearest share of reads, as it has about as many bytes in flight. Units were measured by number of threads
 * only for FMA: the same cores run the other operations.
 */
static const struct curve *curve_for(const struct curve *curves, size_t n,
                                     struct rfl_roofs *roofs, size_t i)
{
    const struct curve *own = curve_of(curves, n, roofs_rate_at(roofs, i)->name);
    double least = INFINITY;
    if (own || i >= roofs->n_bandwidths)
        return own || roofs->kind == ERT_DEVICE_GPU ? own : curve_of(curves, n, "fp64-fma");
    const struct rfl_bandwidth *line = &roofs->bandwidths[i];
    for (size_t c = 0; c < n; c++) {
        if (curves[c].roof >= roofs->n_bandwidths)
            continue;
        const struct rfl_bandwidth *other = &roofs->bandwidths[curves[c].roof];
        if (strcmp(other->level, line->level) != 0)
            continue;
        const double away = fabs(other->actual_read_share - line->actual_read_share);
        if (!own || away < least) {
            own = &curves[c];
            least = away;
        }
    }
    return own;
}

static enum lowered roofs_lower(const struct curve *curve, bool is_private, double count,
                                bool is_cpu, struct rfl_rate *rate)
{
    const double part = rate->threads > count ? count / rate->threads : 1;
    rate->share = curve ? curve->share : 1;
    if (curve || !is_cpu || !(rate->threads > 0)) {
        roofs_scale(rate, rate->share);
        if (curve)
            rate->low *= curve->least / curve->share;
        return curve ? AS_MEASURED : UNCHANGED;
    }
    rate->share = part;
    if (is_private) {
        roofs_scale(rate, part);
        return IN_PROPORTION;
    }
    rate->low *= part;
    return AT_LEAST_ITS_PART;
}

static void set_concurrency(const struct ert_device_ceilings *from,
                            const struct ert_device *device,
                            const struct rfl_roofs_options *options,
                            struct rfl_roofs *roofs)
{
    static const char *const heads[N_LOWERED] = {
        "lowered to the rate at %.3g %s",
        "at %.3g %s as with all, since not measured by their number",
        "in proportion to %.3g %s, by whose number it was not measured",
        "not measured at %.3g %s: between their part and all of it (`ert run --full` "
        "measures it)"};
    const bool gpu = roofs->kind == ERT_DEVICE_GPU;
    const double count = gpu ? options->warps_per_sm : options->threads;
    const char *what = gpu ? "warps per SM" : count == 1 ? "thread" : "threads";
    struct curve curves[MAX_CURVES];
    struct rfl_names names[N_LOWERED] = {{.left_out = 0}};
    char before[160];
    roofs->threads = roofs->all_threads = 0;
    for (size_t i = 0; !gpu && i < roofs->n_bandwidths + roofs->n_peaks; i++)
        roofs->all_threads = fmax(roofs->all_threads, roofs_rate_at(roofs, i)->threads);
    if (!(count > 0))
        return;
    roofs->threads = gpu ? 0 : count;
    size_t n = read_curves(from, gpu ? "warps-per-sm" : "threads", count, roofs, curves);
    for (size_t i = 0; i < roofs->n_bandwidths + roofs->n_peaks; i++) {
        struct rfl_rate *rate = roofs_rate_at(roofs, i);
        const struct curve *curve = curve_for(curves, n, roofs, i);
        const enum lowered how =
            roofs_lower(curve, is_of_cores(device, roofs, i), count, !gpu, rate);
        const bool is_own = curve && strcmp(curve->of, rate->name) == 0;
        if (how == AS_MEASURED ? is_own && rate->share < named_below
                               : rate->is_roof && (how == UNCHANGED || rate->share < 1))
            rfl_names_add(&names[how], NAMES, rate->name);
    }
    if (!gpu) { /* each core issues its own, as it does operations */
        struct rfl_rate issue = {.value = roofs->instructions_per_s,
                                 .threads = roofs->all_threads};
        roofs_lower(curve_of(curves, n, "fp64-fma"), true, count, true, &issue);
        roofs->instructions_per_s = issue.value;
    }
    for (size_t how = 0; how < N_LOWERED; how++) {
        snprintf(before, sizeof before, heads[how], count, what);
        note_names(roofs, before, &names[how]);
    }
}

/* Outside this range of the sweep's memory clock a profiler counts it otherwise (transfers, commands). */
static const double memory_clock_range[] = {0.55, 1.1};

static void set_memory_clock(const struct ert_device *device, double hz,
                             struct rfl_roofs *roofs)
{
    double own = device ? device->gpu.memory_clock_hz : 0;
    double factor = own > 0 ? hz / own : 0;
    if (fabs(factor - 1) < 0.005)
        return;
    if (factor < memory_clock_range[0] || factor > memory_clock_range[1]) {
        roofs_add_note(roofs,
                       "memory bandwidths are not rescaled: the code's memory clock is %s, "
                       "that of the sweep %s",
                       ert_units_frequency(hz).text,
                       own > 0 ? ert_units_frequency(own).text : "unknown");
        return;
    }
    for (size_t i = 0; i < roofs->n_bandwidths; i++)
        if (roofs->bandwidths[i].clock == RFL_CLOCK_MEMORY)
            roofs_scale(&roofs->bandwidths[i].rate, factor);
    roofs_add_note(roofs, "memory bandwidths rescaled from %s to %s",
                   ert_units_frequency(own).text, ert_units_frequency(hz).text);
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
    roofs->last_cache = (struct ert_level){.size_bytes = 0};
    roofs->from = from;
    COPY(roofs->device, from->device);
    roofs->name[0] = '\0';
    roofs->kind = strncmp(from->device, "gpu", 3) == 0 ? ERT_DEVICE_GPU : ERT_DEVICE_CPU;
    if (device) {
        COPY(roofs->name, device->name);
        roofs->kind = device->kind;
        for (size_t i = 0; i < device->n_levels; i++)
            if (device->levels[i].kind == ERT_LEVEL_CACHE)
                roofs->last_cache = device->levels[i];
    }
    roofs->held_hz = from->held_hz;
    roofs->clock_hz = options->clock_hz > 0 ? options->clock_hz : from->held_hz;
    if (ert_ceilings_of(from, ERT_CEILING_MEMORY).n > RFL_MAX_BANDWIDTHS ||
        ert_ceilings_of(from, ERT_CEILING_COMPUTE).n > RFL_MAX_PEAKS)
        return ert_fail(error, ERT_USAGE, "%s: more than %d memory or %d compute ceilings",
                        from->device, RFL_MAX_BANDWIDTHS, RFL_MAX_PEAKS);
    roofs_add_bandwidths(from, device, options, roofs);
    add_transfers(from, options, roofs);
    roofs_add_peaks(from, options, roofs);
    if (!roofs->n_bandwidths && !roofs->n_peaks)
        return ert_fail(error, ERT_UNAVAILABLE, "%s: no ceiling in the file%s%s",
                        from->device, from->n_not_measured ? ": " : "",
                        from->n_not_measured ? from->not_measured[0].reason : "");
    if (options->clock_hz > 0)
        set_core_clock(options->clock_hz, roofs);
    if (options->memory_clock_hz > 0)
        set_memory_clock(device, options->memory_clock_hz, roofs);
    set_concurrency(from, device, options, roofs);
    return ERT_OK;
}
