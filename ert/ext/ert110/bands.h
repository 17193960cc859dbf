/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bands: how LBNL's ERT 1.1.0 derives levels from a bandwidth curve (Scripts/summary.py of
 * https://bitbucket.org/berkeleylab/cs-roofline-toolkit), so that both give the same levels for the same
 * curve. Pure arithmetic; plateau.h is the project's own method.
 *
 * Sets smaller than the fastest one are dropped. For each of 10000 rates from 0 to the fastest, the sets
 * within 5 % of it are counted. Consecutive rates with more than 6 such sets form a run; the rate with the
 * most sets becomes a level, at the mean of its sets, unless that is less than a given factor below the
 * previous level, which then absorbs the sets. The first level starts as 1000 copies of the fastest set.
 */
#ifndef ERT_STATS_BANDS_H
#define ERT_STATS_BANDS_H

#include <stddef.h>

enum { ERT_MAX_BANDS = 64 };

/*
 * Writes the rates of the levels to bands[], fastest first; returns how many, at least 1 if n is above 0.
 * rates[n]: above 0, in the order of ascending sets. merge: the factor, 1.25 in ERT's C sources and 1.15
 * in its C++ sources.
 */
size_t ert_bands_of(const double *rates, size_t n, double merge,
                    double bands[ERT_MAX_BANDS]);

/*
 * The area under the curve over the logarithm of the set: ERT takes the levels of the run with the largest.
 */
double ert_bands_weight(const double *set_bytes, const double *rates, size_t n);

#endif
