/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * curve: a level's roof as a function of the share of reads. A level moves loads, stores and mixes of them
 * at different rates; each measured pattern is a point of a curve read share -> rate.
 *
 * Between two neighbouring points the time per byte is linear: if a share w of the bytes moves as in one and
 * 1 - w as in the other, 1/rate = w/rate_1 + (1-w)/rate_2. A code attains this by doing one after the other,
 * and the ECM model adds up times in the same way (Stengel, Treibig, Hager, Wellein, ICS 2015,
 * doi:10.1145/2751205.2751240). Only neighbours are joined, so that the loss of memory in turning between
 * reads and writes remains. Outside the measured shares the nearest point is used, with a note.
 *
 * Bytes have two measures: useful ones, which the code requests, and those that move, including
 * write-allocates, which memory counters see (ert/core/ceilings/traffic.h). In useful bytes a share does not
 * distinguish a copy from an update in place: their roof is a band. Streaming stores are compared only with
 * code that streams: if the user says so, loads and streaming stores alone make the curve; if there are fewer
 * reads than write-allocates would cause, they are an additional point.
 */
#include "analysis/core/place/place.h"

#include "ert/core/base/units.h"

#include <math.h>
#include <string.h>

enum { MAX_POINTS = 16 }; /* patterns of a level: 8 rows of kernels.def */

/* Shares that differ by less are equal: they are quotients of counts. */
static const double same_share = 1e-6;

/* Rates that differ by less are equal: ceilings are measured to about 1 %. */
static const double one_rate = 0.99;

/* A pattern, in useful or actual bytes as the accesses require. */
struct pattern {
    double share, rate, measured;
    double allocated; /* actual per useful byte; only patterns with the same one compete */
    const struct rfl_bandwidth *roof;
};

/* The fastest and the slowest pattern of a share. */
struct knot {
    double share;
    const struct pattern *high, *low;
};

struct curve {
    size_t n_patterns, n_knots;
    struct pattern patterns[MAX_POINTS];
    struct knot knots[MAX_POINTS];
};

/* Adds a pattern, unless a faster one with the same share and actual bytes exists. */
static void add_pattern(struct curve *curve, struct pattern added)
{
    for (size_t i = 0; i < curve->n_patterns; i++) {
        struct pattern *other = &curve->patterns[i];
        if (fabs(other->share - added.share) > same_share ||
            fabs(other->allocated - added.allocated) > same_share)
            continue;
        if (added.rate > other->rate)
            *other = added;
        return;
    }
    if (curve->n_patterns < MAX_POINTS)
        curve->patterns[curve->n_patterns++] = added;
}

static void add_knot(struct curve *curve, const struct pattern *pattern)
{
    size_t at = 0;
    while (at < curve->n_knots && curve->knots[at].share < pattern->share - same_share)
        at++;
    struct knot *knot = &curve->knots[at];
    if (at < curve->n_knots && fabs(knot->share - pattern->share) <= same_share) {
        knot->high = pattern->rate > knot->high->rate ? pattern : knot->high;
        knot->low = pattern->rate < knot->low->rate ? pattern : knot->low;
        return;
    }
    memmove(knot + 1, knot, (curve->n_knots - at) * sizeof *knot);
    *knot = (struct knot){pattern->share, pattern, pattern};
    curve->n_knots++;
}

/*
 * Ordinary stores are no measure for code with non-temporal stores, nor the reverse, unless a counter shows
 * them: an ordinary store moves its line both ways, so at least half of the bytes of ordinary code are reads.
 */
static bool is_comparable(const struct rfl_bandwidth *roof,
                          const struct rfl_accesses *accesses)
{
    if (accesses->is_streaming)
        return roof->is_streaming || roof->read_share == 1;
    return !roof->is_streaming ||
           (accesses->is_actual && accesses->read_share < 0.5 - 0.02);
}

static void curve_make_curve(const struct rfl_roofs *roofs, const char *level,
                             const struct rfl_accesses *accesses, struct curve *curve)
{
    curve->n_patterns = curve->n_knots = 0;
    for (size_t i = 0; i < roofs->n_bandwidths; i++) {
        const struct rfl_bandwidth *roof = &roofs->bandwidths[i];
        double factor = accesses->is_actual ? roof->actual : 1;
        if (*roof->level != *level || strcmp(roof->level, level) != 0 ||
            isnan(roof->read_share) || !is_comparable(roof, accesses))
            continue;
        add_pattern(curve,
                    (struct pattern){.share = accesses->is_actual ? roof->actual_read_share
                                                                  : roof->read_share,
                                     .rate = factor * roof->rate.value,
                                     .measured = factor * roof->rate.measured,
                                     .allocated = accesses->is_actual ? 0 : roof->actual,
                                     .roof = roof});
    }
    for (size_t i = 0; i < curve->n_patterns; i++)
        add_knot(curve, &curve->patterns[i]);
}

/* The rate between two patterns: the mean of their times per byte, weighted by the share. */
static double between(double share, const struct pattern *a, const struct pattern *b,
                      double rate_a, double rate_b)
{
    double weight = (share - a->share) / (b->share - a->share);
    return 1 / ((1 - weight) / rate_a + weight / rate_b);
}

static void curve_take(struct rfl_reach *reach, const struct pattern *low,
                       const struct pattern *high)
{
    reach->bytes_per_s = high->rate;
    reach->measured = high->measured;
    reach->low = low->rate;
    reach->roof = high->roof;
    if (low == high)
        snprintf(reach->name, sizeof reach->name, "%s", high->roof->pattern);
    else
        snprintf(reach->name, sizeof reach->name, "%s .. %s", low->roof->pattern,
                 high->roof->pattern);
}

/* At a knot the patterns may move different numbers of bytes. */
static void take_knot(struct rfl_reach *reach, const struct knot *knot)
{
    curve_take(reach, knot->low, knot->high);
    if (knot->low != knot->high)
        snprintf(reach->note, sizeof reach->note,
                 "%s at %.0f %% reads: as %s if stores go to lines that were not read, as "
                 "%s if they are in place",
                 reach->roof->level, 100 * knot->share, knot->low->roof->pattern,
                 knot->high->roof->pattern);
}

static void take_between(struct rfl_reach *reach, double share, const struct knot *a,
                         const struct knot *b)
{
    reach->bytes_per_s = between(share, a->high, b->high, a->high->rate, b->high->rate);
    reach->measured =
        between(share, a->high, b->high, a->high->measured, b->high->measured);
    reach->low = between(share, a->low, b->low, a->low->rate, b->low->rate);
    reach->roof = share - a->share < b->share - share ? a->high->roof : b->high->roof;
    snprintf(reach->name, sizeof reach->name, "%.0f %% reads", 100 * share);
    snprintf(reach->note, sizeof reach->note,
             "%s at %.0f %% reads: between %s (%.0f %%) and %s (%.0f %%), interpolated by "
             "time per byte",
             reach->roof->level, 100 * share, a->high->roof->pattern, 100 * a->share,
             b->high->roof->pattern, 100 * b->share);
}

static void curve_take_share(struct rfl_reach *reach, const struct curve *curve,
                             double share)
{
    const struct knot *first = &curve->knots[0], *last = &curve->knots[curve->n_knots - 1];
    if (share < first->share - same_share || share > last->share + same_share) {
        take_knot(reach, share < first->share ? first : last);
        snprintf(reach->note, sizeof reach->note,
                 "%s at %.0f %% reads: outside the measured range, so as %s",
                 reach->roof->level, 100 * share, reach->roof->pattern);
        return;
    }
    for (size_t i = 0; i < curve->n_knots; i++) {
        const struct knot *knot = &curve->knots[i];
        if (fabs(knot->share - share) <= same_share) {
            take_knot(reach, knot);
            return;
        }
        if (knot->share < share && share < knot[1].share) {
            take_between(reach, share, knot, &knot[1]);
            return;
        }
    }
}

static void take_band(struct rfl_reach *reach, const struct curve *curve)
{
    const struct pattern *low = &curve->patterns[0], *high = low;
    for (size_t i = 1; i < curve->n_patterns; i++) {
        low = curve->patterns[i].rate < low->rate ? &curve->patterns[i] : low;
        high = curve->patterns[i].rate > high->rate ? &curve->patterns[i] : high;
    }
    if (low->rate >= one_rate * high->rate)
        low = high;
    curve_take(reach, low, high);
    if (low != high)
        snprintf(reach->note, sizeof reach->note,
                 "%s: the share of reads is not known, so its roof is a range from %s (%s) "
                 "to %s (%s)",
                 high->roof->level, ert_units_bandwidth(low->rate).text, low->roof->pattern,
                 ert_units_bandwidth(high->rate).text, high->roof->pattern);
}

struct rfl_reach rfl_curve_reach(const struct rfl_roofs *roofs, const char *level,
                                 const struct rfl_accesses *accesses)
{
    struct curve curve;
    struct rfl_reach reach = {.bytes_per_s = 0};
    const struct rfl_bandwidth *line = rfl_roofs_level(roofs, level, NULL);
    if (!line)
        return reach;
    curve_make_curve(roofs, line->level, accesses, &curve);
    if (!curve.n_knots) {
        /* the pattern is not one of ert's: its rate is the only known one */
        const struct pattern only = {
            .rate = line->rate.value, .measured = line->rate.measured, .roof = line};
        curve_take(&reach, &only, &only);
    } else if (isnan(accesses->read_share)) {
        take_band(&reach, &curve);
    } else {
        curve_take_share(&reach, &curve, accesses->read_share);
    }
    return reach;
}
