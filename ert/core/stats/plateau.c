/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/stats/plateau.h"

#include "ert/core/base/alloc.h"
#include "ert/core/stats/stats.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/*
 * Tolerances for a quiet curve (noise up to quiet_noise); for a noisier one they grow in proportion, up to
 * four times. A deviation of `spread` (in ln rate: 3 %) costs 1, a new segment segment_price: two stretches
 * of 3 points are separated by a step of about 4 * 3 % / 3, of more points by a smaller one.
 */
static const double spread = 0.03;
static const double segment_price = 4;
static const double flatness = 0.06;
static const double same_rate = 0.025;
static const double quiet_noise = 0.015, most_scale = 4;
static const double least_octaves = 0.9;
enum { LEAST_POINTS = 3 };

static void plateau_insert(double *sorted, size_t n, double value)
{
    for (; n > 0 && sorted[n - 1] > value; n--)
        sorted[n] = sorted[n - 1];
    sorted[n] = value;
}

/* The sum of |value - median| of values[n]; sorted[n]: the same values in order. */
static double plateau_deviation(const double *values, const double *sorted, size_t n,
                                double scale)
{
    double below = sorted[(n - 1) / 2], median = below + (sorted[n / 2] - below) / 2;
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += fabs(values[i] - median);
    return sum / (scale * spread);
}

/*
 * Sets start[i] to where the segment that ends at point i begins in the cheapest cut of 0..i. Segments grow
 * from their end, so that each takes one insertion instead of a sort. cost[n], sorted[n]: scratch.
 */
static void plateau_cut(const double *logs, size_t n, double scale, double *cost,
                        double *sorted, size_t *start)
{
    for (size_t end = 0; end < n; end++) {
        cost[end] = INFINITY;
        for (size_t length = 1; length <= end + 1; length++) {
            size_t first = end + 1 - length;
            double before = first ? cost[first - 1] : 0;
            plateau_insert(sorted, length - 1, logs[first]);
            double total = before + segment_price +
                           plateau_deviation(logs + first, sorted, length, scale);
            if (total <= cost[end]) {
                cost[end] = total;
                start[end] = first;
            }
        }
    }
}

/* Removes ends that are not flat, such as the foot of a slope. */
static struct ert_plateau trimmed(const double *rates, size_t first, size_t last,
                                  double tolerance)
{
    double rate = ert_stats_median(rates + first, last - first + 1);
    while (first < last && fabs(rates[first] / rate - 1) > tolerance)
        first++;
    while (last > first && fabs(rates[last] / rate - 1) > tolerance)
        last--;
    rate = ert_stats_median(rates + first, last - first + 1);
    return (struct ert_plateau){first, last, rate};
}

/* Sizes and rates must have logarithms: a curve with a rate of 0 has no plateau. */
static bool all_positive(const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!(values[i] > 0 && isfinite(values[i])))
            return false;
    return true;
}

static bool is_long(const double *sizes, struct ert_plateau plateau)
{
    return plateau.last - plateau.first + 1 >= LEAST_POINTS &&
           log2(sizes[plateau.last] / sizes[plateau.first]) >= least_octaves;
}

size_t ert_plateau_find(const double *sizes, const double *rates, size_t n, double noise,
                        struct ert_plateau *plateaus, size_t max)
{
    if (n < LEAST_POINTS || !all_positive(rates, n) || !all_positive(sizes, n))
        return 0;
    double scale = fmin(fmax(noise / quiet_noise, 1), most_scale);
    double *logs = ert_calloc(3 * n, sizeof *logs);
    size_t *start = ert_calloc(2 * n, sizeof *start);
    size_t found = 0;
    if (!logs || !start)
        goto out;
    for (size_t i = 0; i < n; i++)
        logs[i] = log(rates[i]);
    plateau_cut(logs, n, scale, logs + n, logs + 2 * n, start);

    size_t *ends = start + n, n_segments = 0;
    for (size_t end = n - 1;; end = start[end] - 1) {
        ends[n_segments++] = end;
        if (start[end] == 0)
            break;
    }
    while (n_segments-- > 0) {
        size_t end = ends[n_segments];
        struct ert_plateau next = trimmed(rates, start[end], end, scale * flatness);
        struct ert_plateau *last = found ? &plateaus[found - 1] : NULL;
        if (last && last->last + 1 == next.first &&
            fabs(next.rate / last->rate - 1) < scale * same_rate)
            *last = trimmed(rates, last->first, next.last, scale * flatness);
        else if (is_long(sizes, next) && found < max)
            plateaus[found++] = next;
    }
out:
    free(start);
    free(logs);
    return found;
}
