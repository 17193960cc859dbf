/* Roofs at fewer warps or threads than all. */
#include "analysis/roofs_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Rate of a ceiling against the number of warps or threads, the best of all ILPs. */
struct curve {
    const char *of;
    size_t n;
    struct {
        double count, rate;
    } points[64];
};
enum { MAX_CURVES = 32 };

static void add_to_curve(struct curve *curve, double count, double rate)
{
    size_t at = 0;
    while (at < curve->n && curve->points[at].count < count)
        at++;
    if (at < curve->n && curve->points[at].count == count) {
        curve->points[at].rate = fmax(curve->points[at].rate, rate);
        return;
    }
    if (curve->n == sizeof curve->points / sizeof curve->points[0])
        return;
    memmove(&curve->points[at + 1], &curve->points[at],
            (curve->n - at) * sizeof curve->points[0]);
    curve->points[at].count = count;
    curve->points[at].rate = rate;
    curve->n++;
}

static size_t read_curves(const struct ert_device_ceilings *from, const char *axis,
                          struct curve curves[MAX_CURVES])
{
    size_t n = 0, c = 0;
    for (size_t i = 0; i < from->n_extra[ERT_EXTRA_CONCURRENCY]; i++) {
        const struct ert_extra *extra = &from->extra[ERT_EXTRA_CONCURRENCY][i];
        if (!(extra->common.value > 0) || !extra->count)
            continue;
        /* The counts of a ceiling stand together, and are of one axis. */
        if (c == n || strcmp(curves[c].of, extra->of) != 0) {
            if (strcmp(extra->axis, axis) != 0)
                continue;
            for (c = 0; c < n && strcmp(curves[c].of, extra->of) != 0; c++)
                ;
        }
        if (c == MAX_CURVES)
            continue;
        if (c == n) {
            curves[n].of = extra->of;
            curves[n++].n = 0;
        }
        add_to_curve(&curves[c], extra->count, extra->common.value);
    }
    return n;
}

/*
 * The share of its highest rate that a ceiling has at a count: linear between those measured, in
 * proportion below the least. More threads never lower a roof (what fewer can do, some of them can),
 * so a dip in the measured curve is noise and is filled.
 */
static double share_at(const struct curve *curve, double count)
{
    double low_count = 0, low = 0, at = 0;
    bool found = false;
    for (size_t i = 0; i < curve->n; i++) {
        double high = fmax(low, curve->points[i].rate), high_count = curve->points[i].count;
        if (!found && count <= high_count) {
            at = low + (high - low) * (count - low_count) / (high_count - low_count);
            found = true;
        }
        low = high;
        low_count = high_count;
    }
    return found && low > 0 ? at / low : 1;
}

static const struct curve *curve_of(const struct curve *curves, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (*curves[i].of == *name && strcmp(curves[i].of, name) == 0)
            return &curves[i];
    return NULL;
}

/*
 * Of a pattern that was not measured at fewer warps or threads: what stands for its level, which has
 * as many bytes in flight.
 */
static const struct curve *curve_of_level(const struct curve *curves, size_t n,
                                          const struct rfl_roofs *roofs,
                                          const struct rfl_bandwidth *roof)
{
    const struct curve *own = curve_of(curves, n, roof->name);
    const struct rfl_bandwidth *line = rfl_roofs_level(roofs, roof->level, NULL);
    return own || !line ? own : curve_of(curves, n, line->name);
}

/* Less is the spread of the measured points. */
static const double named_below = 0.98;

void rfl_roofs_at_concurrency(const struct ert_device_ceilings *from,
                              const struct rfl_roofs_options *options,
                              struct rfl_roofs *roofs)
{
    bool gpu = roofs->kind == ERT_DEVICE_GPU;
    double count = gpu ? options->warps_per_sm : options->threads;
    const char *what = gpu ? "warps per SM" : "threads";
    struct curve curves[MAX_CURVES];
    struct rfl_names lowered = {.n = 0}, stays = {.n = 0};
    char before[96];
    if (!(count > 0))
        return;
    size_t n = read_curves(from, gpu ? "warps-per-sm" : "threads", curves);
    for (size_t i = 0; i < roofs->n_bandwidths; i++) {
        struct rfl_bandwidth *roof = &roofs->bandwidths[i];
        const struct curve *curve = curve_of_level(curves, n, roofs, roof);
        double share = curve ? share_at(curve, count) : 1;
        if (curve && share < named_below && strcmp(curve->of, roof->name) == 0)
            rfl_roofs_name(&lowered, roof->name);
        else if (!curve && roof->is_line)
            rfl_roofs_name(&stays, roof->name);
        roof->share = share;
        rfl_roofs_scale_bandwidth(roof, share);
    }
    for (size_t i = 0; i < roofs->n_peaks; i++) {
        struct rfl_peak *roof = &roofs->peaks[i];
        const struct curve *curve = curve_of(curves, n, roof->name);
        double share = curve ? share_at(curve, count) : 1;
        if (curve && share < named_below)
            rfl_roofs_name(&lowered, roof->name);
        else if (!curve && roof->is_roof)
            rfl_roofs_name(&stays, roof->name);
        roof->share = share;
        rfl_roofs_scale_peak(roof, share);
    }
    snprintf(before, sizeof before, "lowered to what %.3g %s reached", count, what);
    rfl_roofs_note_names(roofs, before, &lowered);
    snprintf(before, sizeof before, "not measured by number of %s, so as with all", what);
    rfl_roofs_note_names(roofs, before, &stays);
}
