/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * outliers: which of many machines that should be equal are slow. Pure arithmetic on one column: a ceiling
 * of the nodes of one group.
 *
 * The centre is the median, the spread between sound nodes 1.4826 times the median absolute deviation
 * (stats.h), which a few bad nodes do not move. A node is compared with the limit that sound nodes cross
 * with a chance of `chance` each: the caller divides the false alarms that it accepts by the number of
 * comparisons (Bonferroni), so that their expected number is what it accepts, if the spread is normal.
 * Two tests show whether it is: the shoulder of the distribution, between 2.5 spreads and the limit, which
 * bad nodes do not fill but heavy or skewed tails do; and the nodes as far on the fast side.
 *
 * What disturbs a measurement for a moment does not repeat. A node that was measured several times is judged
 * by the mean, and is slow only if the best of them, too, is beyond the limit but for its noise.
 */
#ifndef ERT_FLEET_OUTLIERS_H
#define ERT_FLEET_OUTLIERS_H

#include "ert/stats/stats.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Smaller deficits are not worth an administrator's time, however certain. */
#define ERT_OUTLIERS_FLOOR 0.02

/*
 * What sound nodes of one model differ by at most: GPUs of one model by 22 % (Sinha et al., "Not All GPUs Are
 * Created Equal", SC 2022, arXiv:2208.11035). Where few nodes give only a rough spread, the limit is at
 * most this.
 */
#define ERT_OUTLIERS_SOUND 0.22

/* Two nodes show that they differ, but not which one is slow. */
enum { ERT_OUTLIERS_LEAST = 3 };

/* Nodes of one firmware and driver have a median of their own if there are at least so many. */
enum { ERT_OUTLIERS_LEAST_PART = 8 };

enum ert_outlier {
    ERT_OUTLIER_NONE,
    ERT_OUTLIER_FAST,
    ERT_OUTLIER_TRANSIENT, /* was low once, and did not repeat it */
    ERT_OUTLIER_NEAR, /* measured once: so close to the limit that its noise may have hidden more */
    ERT_OUTLIER_SUSPECT, /* measured once: below the limit */
    ERT_OUTLIER_TAIL, /* repeats, but the column has a long slow tail, and this is its end */
    ERT_OUTLIER_SLOW, /* repeats */
    ERT_N_OUTLIER
};

/* "" for NONE, "fast", "slow tail". */
extern const char *const ert_outlier_names[ERT_N_OUTLIER];

struct ert_outliers_node {
    double value;      /* mean of its n measurements, above 0 */
    double best;       /* the fastest of them */
    double error;      /* relative standard error of one measurement */
    double detectable; /* the relative slowdown that one measurement can show */
    uint32_t n;
    uint32_t
        part; /* nodes of one firmware, by any number: they share a median where they are enough */
    /* What the comparison says: */
    double change; /* of the speed, relative to the median: -0.03 is 3 % slower */
    double z;      /* -change in standard deviations of sound nodes */
    double limit;  /* a slowdown above this is SLOW or TAIL */
    enum ert_outlier verdict;
};

/* What is known of a column. */
struct ert_outliers {
    size_t n;
    double median; /* of the values */
    double spread; /* relative, of single measurements of sound nodes: 1.4826 MAD */
    double noise; /* the part of it that is the measurements': the median of their errors */
    double
        limit; /* of a node with that noise, measured once; 1: no node could be called slow */
    bool is_heavy;     /* its slow tail is longer than a normal one */
    double tail_limit; /* where it is: a slowdown beyond is SLOW, not TAIL */
    size_t n_shoulder; /* nodes there, and what a normal spread would have */
    double expected_shoulder;
    size_t n_fast;
};

/*
 * The z that a sound node exceeds with this chance, 0 < chance < 0.5, where the spread is known from n
 * nodes: Student's quantile with n / 2.72 degrees of freedom, since a MAD varies as a standard
 * deviation of so few (efficiency 0.37: Rousseeuw and Croux, JASA 88 (1993), section 1). The normal one from
 * 2720 nodes on.
 */
double ert_outliers_quantile(double chance, size_t n);

/* The chance of n or more of what is expected so often, 0 or more, by Poisson's distribution. */
double ert_outliers_poisson(size_t n, double expected);

/*
 * Judges n nodes of one column. chance: of a false alarm, per node. Fewer than ERT_OUTLIERS_LEAST nodes are
 * NONE, and the limit is 1.
 */
struct ert_outliers ert_outliers_judge(struct ert_outliers_node *nodes, size_t n,
                                       enum ert_better better, double chance);

#endif
