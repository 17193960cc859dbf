#include "ert/stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile_of_sorted(const double *sorted, size_t n, double q)
{
    double position = q * (double)(n - 1);
    size_t below = (size_t)position;
    if (below + 1 >= n)
        return sorted[n - 1];
    double weight = position - (double)below;
    return sorted[below] + weight * (sorted[below + 1] - sorted[below]);
}

static double *sorted_copy(const double *values, size_t n)
{
    double *copy = n ? malloc(n * sizeof *copy) : NULL;
    if (!copy)
        return NULL;
    memcpy(copy, values, n * sizeof *copy);
    qsort(copy, n, sizeof *copy, compare);
    return copy;
}

double ert_stats_quantile(const double *values, size_t n, double q)
{
    double *sorted = sorted_copy(values, n);
    if (!sorted)
        return NAN;
    double result = quantile_of_sorted(sorted, n, q);
    free(sorted);
    return result;
}

double ert_stats_median(const double *values, size_t n)
{
    return ert_stats_quantile(values, n, 0.5);
}

double ert_stats_mad(const double *values, size_t n)
{
    double median = ert_stats_median(values, n);
    double *deviations = n ? malloc(n * sizeof *deviations) : NULL;
    if (!deviations)
        return NAN;
    for (size_t i = 0; i < n; i++)
        deviations[i] = fabs(values[i] - median);
    double mad = 1.4826 * ert_stats_median(deviations, n);
    free(deviations);
    return mad;
}

void ert_stats_interval(const double *values, size_t n, double *low, double *high)
{
    double *sorted = sorted_copy(values, n);
    size_t r = (n + 1) / 20; /* 2r/(n+1) is at most 0.1 */
    if (r < 1)
        r = 1;
    *low = sorted ? sorted[r - 1] : NAN;
    *high = sorted ? sorted[n - r] : NAN;
    free(sorted);
}
