/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * plateau: finds the flat stretches of a curve of rates over working-set sizes. It does not name
 * levels: that needs the topology (ceilings/levels.h).
 *
 * The logarithms of the rates are cut into constant segments, with the least sum of absolute
 * deviations from each segment's median plus a price per segment (optimal partitioning: Jackson et
 * al., "An Algorithm for Optimal Partitioning of Data on an Interval", IEEE Signal Processing
 * Letters 12 (2005), doi:10.1109/LSP.2001.838216). Medians make single outliers harmless, and
 * nothing depends on the highest sample or on the order of levels.
 */
#ifndef ERT_STATS_PLATEAU_H
#define ERT_STATS_PLATEAU_H

#include <stddef.h>

struct ert_plateau {
    size_t first, last; /* indices of its smallest and largest set */
    double rate;        /* median of its points' rates */
};

/*
 * sizes[n]: ascending and above 0; rates[n]: above 0 (if one is not, there is no plateau); noise: the
 * relative deviation of a rate, which widens the tolerances below if it is above 1.5 %. Writes at most max
 * plateaus, in the order of sizes, and returns how many: segments of at least 3 points and 0.9 octaves
 * whose points stay within about 6 % of their median; neighbours whose rates differ by less than 2.5 % are
 * merged. 0 when n < 3, and, with errno ENOMEM, when memory runs out.
 */
size_t ert_plateau_find(const double *sizes, const double *rates, size_t n, double noise,
                        struct ert_plateau *plateaus, size_t max);

#endif
