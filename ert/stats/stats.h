/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stats: order statistics of a few samples, and the rate of a machine that nobody disturbs, from a few
 * samples that somebody did. Pure arithmetic; it knows nothing of what is measured.
 *
 * What disturbs a measurement makes it slower, rarely faster: samples of one configuration pile up near
 * the undisturbed rate and trail off below it. A median is as slow as the machine was busy; the maximum
 * is what one sample says alone, with its clock's and timer's luck, or with a neighbour on the same core
 * gone for a moment. The estimate is the rate that three quarters of the samples do not exceed, and never
 * the fastest of several. results/estimator compares it with seven others on recorded samples.
 *
 * It is an order statistic, so its bootstrap distribution needs no drawing of lots: the chance that
 * the j-th of n drawn samples is at most the i-th of the recorded ones is a sum of binomial terms
 * (Efron, "The Jackknife, the Bootstrap and Other Resampling Plans", SIAM 1982, section 10.3).
 */
#ifndef ERT_STATS_STATS_H
#define ERT_STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The q-quantile (0 <= q <= 1) of n values in any order, with linear interpolation between order
 * statistics (Hyndman and Fan, "Sample Quantiles in Statistical Packages", The American
 * Statistician 50 (1996), type 7). NaN when n is 0, or when memory runs out.
 */
double ert_stats_quantile(const double *values, size_t n, double q);

/* The median: the 0.5-quantile. */
double ert_stats_median(const double *values, size_t n);

/* The upper median: of an even number of values the higher of the two in the middle. 0 when n is 0. */
double ert_stats_upper_median(const double *values, size_t n);

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

/* Which samples are the disturbed ones: the low rates, or the long times. */
enum ert_better { ERT_BETTER_HIGH, ERT_BETTER_LOW };

struct ert_estimate {
    double value;
    double low, high; /* 90 % of the bootstrap's estimates lie between; value for n < 2 */
    /*
     * Relative standard error, by the width of that interval or of 98 %, whichever says more. Not by the
     * bootstrap's variance: that is made by what it draws once in 1000 times, such as an estimate
     * among the outliers. 0 for n < 2.
     */
    double error;
};

/*
 * The estimate of n values above 0 in any order; the only one for n = 1, the slower for n = 2. NaN
 * for n = 0 or when memory runs out.
 */
double ert_estimate_of(const double *values, size_t n, enum ert_better better);

/* The same with its interval and error. value is NaN for n = 0 or when memory runs out. */
struct ert_estimate ert_estimate_make(const double *values, size_t n,
                                      enum ert_better better);

/*
 * What the estimate of m of the n values would be on the mean, 1 <= m <= n: so that a sample of many and
 * one of few can be compared, since the second fastest of many is faster than that of few.
 */
double ert_estimate_of_fewer(const double *values, size_t n, size_t m,
                             enum ert_better better);

/* What the halves of a sample say of each other, and how well all of it is known. */
struct ert_drift {
    double drift;  /* ln of the later half's estimate over the earlier one's */
    double halves; /* what they differ by from their scatter: one standard deviation */
    double error;  /* relative standard error of the estimate of all */
};

/*
 * The drift of values[n], in the order of time: with the scatter the only thing that a single run knows of
 * the difference between runs. False for n < 6.
 */
bool ert_drift_of(const double *values, size_t n, enum ert_better better,
                  struct ert_drift *drift);

#endif
