/*
 * stats: order statistics of a few samples. Pure arithmetic; it knows nothing of what is measured.
 */
#ifndef ERT_STATS_STATS_H
#define ERT_STATS_STATS_H

#include <stddef.h>

/*
 * The q-quantile (0 <= q <= 1) of n values in any order, with linear interpolation between order
 * statistics (Hyndman and Fan, "Sample Quantiles in Statistical Packages", The American
 * Statistician 50 (1996), type 7). NaN when n is 0, or when memory runs out.
 */
double ert_stats_quantile(const double *values, size_t n, double q);

/* The median: the 0.5-quantile. */
double ert_stats_median(const double *values, size_t n);

/*
 * Median absolute deviation from the median times 1.4826, which estimates the standard deviation
 * of normal data (Rousseeuw and Croux, JASA 88 (1993), section 1). 0 for n = 1, NaN for n = 0.
 */
double ert_stats_mad(const double *values, size_t n);

/*
 * The interval that a ceiling reports: one more sample falls into it with a probability of 90 %
 * or, from fewer than 19 samples, as far as they can promise. Distribution-free: the order
 * statistics [x(r), x(n+1-r)] hold a further observation with probability (n+1-2r)/(n+1); r is
 * the largest with at least 0.9, at least 1 (Hahn and Meeker, "Statistical Intervals", 1991,
 * section 5.4). Of single samples, not of their median: rounds minutes apart on a shared machine
 * are not independent, and an interval of the median would promise too much.
 */
void ert_stats_interval(const double *values, size_t n, double *low, double *high);

#endif
