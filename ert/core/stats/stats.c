/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/stats/stats.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* A number whose order is that of the doubles; NaN is above all of them. */
static uint64_t stats_key(double value)
{
    uint64_t bits, sign = UINT64_C(1) << 63;
    if (isnan(value))
        return UINT64_MAX;
    memcpy(&bits, &value, sizeof bits);
    return bits & sign ? ~bits : bits | sign;
}

/* The value of a key. */
static double stats_value(uint64_t key)
{
    double value;
    uint64_t sign = UINT64_C(1) << 63, bits = key & sign ? key ^ sign : ~key;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/*
 * Bisects the 64 bits of the key instead of sorting a copy: 64 passes over the few values of a ceiling, and
 * no memory that could run out, so that no statistic can lack a value for want of it.
 */
double ert_stats_order(const double *values, size_t n, size_t stride, double center,
                       size_t k)
{
    uint64_t found = 0;
    if (k >= n)
        return NAN;
    for (int bit = 63; bit >= 0; bit--) {
        uint64_t trial = found | UINT64_C(1) << bit;
        size_t below = 0;
        for (size_t i = 0; i < n; i++) {
            double value = values[i * stride];
            below += stats_key(isnan(center) ? value : fabs(value - center)) < trial;
        }
        if (below <= k)
            found = trial;
    }
    return stats_value(found);
}

/* The k-th value, 0 the slowest: of rates the lowest, of times the highest. */
static double stats_slowest(const double *values, size_t n, enum ert_better better,
                            size_t k)
{
    return ert_stats_order(values, n, 1, NAN, better == ERT_BETTER_LOW ? n - 1 - k : k);
}

static double stats_quantile(const double *values, size_t n, double center, double q)
{
    double position = q * (double)(n - 1);
    size_t below = (size_t)position;
    if (n == 0)
        return NAN;
    double result = ert_stats_order(values, n, 1, center, below);
    if (below + 1 < n)
        result += (position - (double)below) *
                  (ert_stats_order(values, n, 1, center, below + 1) - result);
    return result;
}

double ert_stats_quantile(const double *values, size_t n, double q)
{
    return stats_quantile(values, n, NAN, q);
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
    return 1.4826 * stats_quantile(values, n, ert_stats_median(values, n), 0.5);
}

void ert_stats_interval(const double *values, size_t n, double *low, double *high)
{
    size_t r = (n + 1) / 20; /* 2r/(n+1) is at most 0.1 */
    if (r < 1)
        r = 1;
    *low = ert_stats_order(values, n, 1, NAN, r - 1);
    *high = ert_stats_order(values, n, 1, NAN, n - r);
}

/* The share of the samples that do not exceed the estimate. */
static const double share = 0.75;

/* Fewer samples in a half do not show its scatter. */
enum { LEAST_HALF = 3 };

/* The rank of the estimate, 1 the slowest, n the fastest. */
static size_t stats_rank_of(size_t n)
{
    size_t rank = (size_t)ceil(share * (double)n - 1e-9);
    if (n > 1 && rank > n - 1)
        rank = n - 1;
    return rank < 1 ? 1 : rank;
}

double ert_estimate_of(const double *values, size_t n, enum ert_better better)
{
    return n ? stats_slowest(values, n, better, stats_rank_of(n) - 1) : NAN;
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
static double bootstrap_quantile(const double *values, size_t n, enum ert_better better,
                                 double chance)
{
    size_t low = 0, high = n - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (binomial_tail(n, stats_rank_of(n), (double)(middle + 1) / (double)n) < chance)
            low = middle + 1;
        else
            high = middle;
    }
    return stats_slowest(values, n, better, low);
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
    struct ert_estimate estimate = {.value = ert_estimate_of(values, n, better)};
    if (n == 0)
        return (struct ert_estimate){NAN, NAN, NAN, NAN};
    for (size_t i = 0; i < sizeof spans / sizeof spans[0]; i++) {
        double slow = bootstrap_quantile(values, n, better, spans[i].below);
        double fast = bootstrap_quantile(values, n, better, 1 - spans[i].below);
        double width = fabs(fast - slow) / estimate.value;
        estimate.error = fmax(estimate.error, width / spans[i].deviations);
        if (i == 0) {
            estimate.low = fmin(slow, fast);
            estimate.high = fmax(slow, fast);
        }
    }
    return estimate;
}

double ert_estimate_of_fewer(const double *values, size_t n, size_t m,
                             enum ert_better better)
{
    size_t rank = stats_rank_of(m);
    double sum = 0;
    /* The i-th is the rank-th of m drawn without replacement: rank - 1 before it, m - rank after it. */
    for (size_t i = rank; i + m <= n + rank; i++)
        sum += stats_slowest(values, n, better, i - 1) *
               exp(log_choose(i - 1, rank - 1) + log_choose(n - i, m - rank) -
                   log_choose(n, m));
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
