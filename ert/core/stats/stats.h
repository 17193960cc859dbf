/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stats: order statistics of a few samples, and an estimate of the undisturbed rate of a machine from samples
 * some of which were disturbed. Pure arithmetic, without memory of its own: it cannot fail, and is NaN for
 * no values only. It does not know what is measured.
 *
 * Disturbances make a measurement slower, rarely faster: samples of one configuration pile up near the
 * undisturbed rate and trail off below it. The median falls with the load on the machine; the maximum rests
 * on one sample, with the luck of its clock and timer, or of a moment when a neighbour on the same core was
 * idle. The estimate is the rate that three quarters of the samples do not exceed, but never the fastest of
 * several. results/estimator compares it with seven others on recorded samples.
 *
 * It is an order statistic, so its bootstrap distribution needs no random draws: the probability that the
 * j-th of n drawn samples is at most the i-th of the recorded ones is a sum of binomial terms (Efron, "The
 * Jackknife, the Bootstrap and Other Resampling Plans", SIAM 1982, section 10.3).
 */
#ifndef ERT_STATS_STATS_H
#define ERT_STATS_STATS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The k-th smallest, k from 0, of n values that are `stride` doubles apart, or (center not NaN) of their
 * distances from `center`. NaN for k >= n.
 */
double ert_stats_order(const double *values, size_t n, size_t stride, double center,
                       size_t k);

/*
 * The q-quantile (0 <= q <= 1) of n values in any order, with linear interpolation between order
 * statistics (Hyndman and Fan, "Sample Quantiles in Statistical Packages", The American
 * Statistician 50 (1996), type 7). NaN when n is 0.
 */
double ert_stats_quantile(const double *values, size_t n, double q);

/* The median: the 0.5-quantile. */
double ert_stats_median(const double *values, size_t n);

/* The upper median: for even n the higher of the two middle values. 0 when n is 0. */
double ert_stats_upper_median(const double *values, size_t n);

/*
 * Median absolute deviation from the median times 1.4826, which estimates the standard deviation
 * of normal data (Rousseeuw and Croux, JASA 88 (1993), section 1). 0 for n = 1, NaN for n = 0.
 */
double ert_stats_mad(const double *values, size_t n);

/*
 * The interval that a ceiling reports: one more sample falls into it with a probability of 90 %, or less
 * with fewer than 19 samples. Distribution-free: the order statistics [x(r), x(n+1-r)] contain a further
 * observation with probability (n+1-2r)/(n+1); r is the largest with at least 0.9, and at least 1 (Hahn and
 * Meeker, "Statistical Intervals", 1991, section 5.4). For single samples, not their median: rounds minutes
 * apart on a shared machine are not independent, and an interval of the median would promise too much.
 */
void ert_stats_interval(const double *values, size_t n, double *low, double *high);

/* Whether high values (rates) or low ones (times) are better; the disturbed samples are at the other end. */
enum ert_better { ERT_BETTER_HIGH, ERT_BETTER_LOW };

struct ert_estimate {
    double value;
    double low, high; /* the bootstrap's 90 % interval; value for n < 2 */
    /*
     * Relative standard error from the width of that interval or of the 98 % one, whichever gives more. The
     * bootstrap's variance would be dominated by what it draws once in 1000 times, such as an estimate among
     * the outliers. 0 for n < 2.
     */
    double error;
};

/*
 * The estimate of n values above 0 in any order; the only one for n = 1, the slower for n = 2. NaN for n = 0.
 */
double ert_estimate_of(const double *values, size_t n, enum ert_better better);

/* The same with its interval and error. value is NaN for n = 0. */
struct ert_estimate ert_estimate_make(const double *values, size_t n,
                                      enum ert_better better);

/*
 * The mean estimate of m of the n values, 1 <= m <= n, over all choices: it makes samples of different sizes
 * comparable, since the second fastest of many is faster than that of few.
 */
double ert_estimate_of_fewer(const double *values, size_t n, size_t m,
                             enum ert_better better);

/* How the estimates of the two halves of a sample differ. */
struct ert_drift {
    double drift;  /* ln of the later half's estimate over the earlier one's */
    double halves; /* standard deviation of drift that the scatter alone explains */
    double error;  /* relative standard error of the estimate of the whole sample */
};

/*
 * The drift of values[n], in the order of measurement: besides the scatter all that a single run shows of
 * the differences between runs. False for n < 6.
 */
bool ert_drift_of(const double *values, size_t n, enum ert_better better,
                  struct ert_drift *drift);

#endif
