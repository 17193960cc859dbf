#include "ert/ceilings/levels_curve.h"

#include "ert/stats/estimate.h"
#include "ert/stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A statistic of a point's rates. */
static double of_rates(const struct ert_point *point,
                       double (*rate)(const struct ert_point *, const struct ert_sample *),
                       double (*statistic)(const double *, size_t))
{
    double *values = malloc((point->n_samples + 1) * sizeof *values);
    if (!values)
        return NAN;
    for (size_t i = 0; i < point->n_samples; i++)
        values[i] = rate(point, &point->samples[i]);
    double result = statistic(values, point->n_samples);
    free(values);
    return result;
}

static double rate_estimate(const double *values, size_t n)
{
    return ert_estimate_of(values, n, ERT_BETTER_HIGH);
}

static double time_estimate(const double *values, size_t n)
{
    return ert_estimate_of(values, n, ERT_BETTER_LOW);
}

double ert_levels_bandwidth(const struct ert_point *point)
{
    return of_rates(point, ert_point_bandwidth, rate_estimate);
}

double ert_levels_performance(const struct ert_point *point)
{
    return of_rates(point, ert_point_performance, rate_estimate);
}

double ert_levels_latency(const struct ert_point *point)
{
    return of_rates(point, ert_point_latency, time_estimate);
}

bool ert_levels_is_of(const struct ert_point *point, enum ert_kernel_id kernel,
                      enum ert_path path)
{
    return point->status == ERT_POINT_MEASURED && point->n_samples > 0 &&
           point->section == ERT_SECTION_LEVELS && point->case_.kernel == kernel &&
           point->case_.path == path && point->case_.to == 0;
}

/* The place of a wanted size in the curve, opened when it is new; ERT_MAX_SETS when full. */
static size_t place(struct ert_curve *curve, uint64_t wanted)
{
    size_t at = curve->n;
    while (at > 0 && curve->wanted[at - 1] >= wanted)
        at--;
    if (at < curve->n && curve->wanted[at] == wanted)
        return at;
    if (curve->n == ERT_MAX_SETS)
        return ERT_MAX_SETS;
    size_t behind = curve->n++ - at;
    memmove(curve->wanted + at + 1, curve->wanted + at, behind * sizeof curve->wanted[0]);
    memmove(curve->sizes + at + 1, curve->sizes + at, behind * sizeof curve->sizes[0]);
    memmove(curve->rates + at + 1, curve->rates + at, behind * sizeof curve->rates[0]);
    curve->wanted[at] = wanted;
    curve->rates[at] = 0;
    return at;
}

void ert_levels_curve(const struct ert_device_samples *samples, enum ert_kernel_id kernel,
                      enum ert_path path, struct ert_curve *curve)
{
    double noises[ERT_MAX_SWEEP];
    size_t n_noises = 0;
    curve->n = 0;
    for (size_t i = 0; i < samples->n_points; i++) {
        const struct ert_point *point = &samples->points[i];
        if (!ert_levels_is_of(point, kernel, path))
            continue;
        size_t at = place(curve, point->case_.working_set_bytes);
        double rate = ert_levels_bandwidth(point);
        if (n_noises < sizeof noises / sizeof noises[0])
            noises[n_noises++] = of_rates(point, ert_point_bandwidth, ert_stats_mad) / rate;
        if (at < ERT_MAX_SETS && rate > curve->rates[at]) {
            curve->rates[at] = rate;
            curve->sizes[at] = (double)point->work.working_set_bytes;
        }
    }
    curve->noise = n_noises ? ert_stats_median(noises, n_noises) : 0;
}
