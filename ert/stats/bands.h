/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bands: how LBNL's ERT 1.1.0 makes levels of a curve of bandwidths (Scripts/summary.py of
 * https://bitbucket.org/berkeleylab/cs-roofline-toolkit), so that its results and ours of the same
 * curve are the same. Pure arithmetic; plateau.h is the project's own way.
 *
 * What is left of the fastest set is dropped. 10000 rates from 0 to the fastest are tried: how many
 * sets are within 5 % of each. Of every run of rates with more than 6 such sets the one with the most
 * is a level, at their mean; unless it is less than a given factor below the level before, which then
 * takes them in. The first level begins as the fastest set alone, a thousand times.
 */
#ifndef ERT_STATS_BANDS_H
#define ERT_STATS_BANDS_H

#include <stddef.h>

enum { ERT_MAX_BANDS = 64 };

/*
 * The rates of the levels, fastest first, into bands[]; returns how many, at least 1 for n above 0.
 * rates[n]: of ascending sets, above 0. merge: the factor, 1.25 in ERT's C sources and 1.15 in those
 * in C++.
 */
size_t ert_bands_of(const double *rates, size_t n, double merge,
                    double bands[ERT_MAX_BANDS]);

/*
 * The area below the curve over the logarithm of the set: ERT takes the levels of the run where it is
 * largest.
 */
double ert_bands_weight(const double *set_bytes, const double *rates, size_t n);

#endif
