/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/stats/stats.h"

#include "ert/base/alloc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int compare_down(const void *a, const void *b)
{
    return compare(b, a);
}

/* Sorted with the slowest first: ascending rates, descending times. NULL for n = 0 or without memory. */
static double *sorted_copy(const double *values, size_t n, enum ert_better better)
{
    double *copy = n ? ert_calloc(n, sizeof *copy) : NULL;
    if (!copy)
        return NULL;
    memcpy(copy, values, n * sizeof *copy);
    qsort(copy, n, sizeof *copy, better == ERT_BETTER_LOW ? compare_down : compare);
    return copy;
}

double ert_stats_quantile(const double *values, size_t n, double q)
{
    double *sorted = sorted_copy(values, n, ERT_BETTER_HIGH), result = NAN;
    if (sorted) {
        double position = q * (double)(n - 1);
        size_t below = (size_t)position;
        result = sorted[below];
        if (below + 1 < n)
            result += (position - (double)below) * (sorted[below + 1] - sorted[below]);
    }
    free(sorted);
    return result;
}

double ert_stats_median(const double *values, size_t n)
{
    return ert_stats_quantile(values, n, 0.5);
}

double ert_stats_upper_median(const double *values, size_t n)
{
    if (n == 0)
        return 0;
    return ert_stats_quantile(values, n, n > 1 ? (double)(n / 2) / (double)(n - 1) : 0);
}

double ert_stats_mad(const double *values, size_t n)
{
    double median = ert_stats_median(values, n);
    double *deviations = sorted_copy(values, n, ERT_BETTER_HIGH);
    for (size_t i = 0; deviations && i < n; i++)
        deviations[i] = fabs(deviations[i] - median);
    double mad = 1.4826 * ert_stats_median(deviations, deviations ? n : 0);
    free(deviations);
    return mad;
}

void ert_stats_interval(const double *values, size_t n, double *low, double *high)
{
    double *sorted = sorted_copy(values, n, ERT_BETTER_HIGH);
    size_t r = (n + 1) / 20; /* 2r/(n+1) is at most 0.1 */
    if (r < 1)
        r = 1;
    *low = sorted ? sorted[r - 1] : NAN;
    *high = sorted ? sorted[n - r] : NAN;
    free(sorted);
}

/* The share of the samples that do not exceed the estimate. */
static const double share = 0.75;

/* Fewer samples in a half do not show its scatter. */
enum { LEAST_HALF = 3 };

/* The rank of the estimate, 1 the slowest, n the fastest. */
static size_t rank_of(size_t n)
{
    size_t rank = (size_t)ceil(share * (double)n - 1e-9);
    if (n > 1 && rank > n - 1)
        rank = n - 1;
    return rank < 1 ? 1 : rank;
}

double ert_estimate_of(const double *values, size_t n, enum ert_better better)
{
    double *sorted = sorted_copy(values, n, better);
    double result = sorted ? sorted[rank_of(n) - 1] : NAN;
    free(sorted);
    return result;
}

static double log_choose(size_t n, size_t k)
{
    return lgamma((double)n + 1) - lgamma((double)k + 1) - lgamma((double)(n - k) + 1);
}

/* The probability of at least `least` of n events, each with probability p, 0 < p < 1. */
static double binomial_tail(size_t n, size_t least, double p)
{
    double sum = 0, log_term = log_choose(n, least) + (double)least * log(p) +
                               (double)(n - least) * log1p(-p);
    for (size_t k = least;; k++) {
        sum += exp(log_term);
        if (k == n)
            return fmin(sum, 1);
        log_term += log((double)(n - k) / (double)(k + 1) * p / (1 - p));
    }
}

/* The sample at which the bootstrap's cumulative distribution reaches `chance`. */
static double bootstrap_quantile(const double *sorted, size_t n, double chance)
{
    size_t low = 0, high = n - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (binomial_tail(n, rank_of(n), (double)(middle + 1) / (double)n) < chance)
            low = middle + 1;
        else
            high = middle;
    }
    return sorted[low];
}

/* Intervals of the bootstrap, and their widths in standard deviations of a normal distribution. */
static const struct {
    double below, deviations;
} spans[] = {
    {0.05, 2 * 1.645},
    {0.01, 2 * 2.326},
};

struct ert_estimate ert_estimate_make(const double *values, size_t n,
                                      enum ert_better better)
{
    double *sorted = sorted_copy(values, n, better);
    if (!sorted)
        return (struct ert_estimate){NAN, NAN, NAN, NAN};
    struct ert_estimate estimate = {.value = sorted[rank_of(n) - 1]};
    for (size_t i = 0; i < sizeof spans / sizeof spans[0]; i++) {
        double slow = bootstrap_quantile(sorted, n, spans[i].below);
        double fast = bootstrap_quantile(sorted, n, 1 - spans[i].below);
        double width = fabs(fast - slow) / estimate.value;
        estimate.error = fmax(estimate.error, width / spans[i].deviations);
        if (i == 0) {
            estimate.low = fmin(slow, fast);
            estimate.high = fmax(slow, fast);
        }
    }
    free(sorted);
    return estimate;
}

double ert_estimate_of_fewer(const double *values, size_t n, size_t m,
                             enum ert_better better)
{
    double *sorted = sorted_copy(values, n, better);
    size_t rank = rank_of(m);
    double sum = 0;
    if (!sorted)
        return NAN;
    /* The i-th is the rank-th of m drawn without replacement: rank - 1 before it, m - rank after it. */
    for (size_t i = rank; i + m <= n + rank; i++)
        sum += sorted[i - 1] * exp(log_choose(i - 1, rank - 1) +
                                   log_choose(n - i, m - rank) - log_choose(n, m));
    free(sorted);
    return sum;
}

bool ert_drift_of(const double *values, size_t n, enum ert_better better,
                  struct ert_drift *drift)
{
    size_t half = n / 2;
    if (half < LEAST_HALF)
        return false;
    struct ert_estimate first = ert_estimate_make(values, half, better);
    struct ert_estimate last = ert_estimate_make(values + n - half, half, better);
    *drift = (struct ert_drift){.drift = log(last.value / first.value),
                                .halves = hypot(first.error, last.error),
                                .error = ert_estimate_make(values, n, better).error};
    return isfinite(drift->drift);
}
