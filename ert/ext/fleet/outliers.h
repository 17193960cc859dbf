/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * outliers: finds slow machines among many that should be equal. Pure arithmetic on one column: a ceiling of
 * the nodes of one group.
 *
 * The centre is the median, and the spread between sound nodes 1.4826 times the median absolute deviation
 * (stats.h); a few bad nodes do not move them. The limit is what a sound node exceeds with `chance`: the
 * caller divides the accepted number of false alarms by the number of comparisons (Bonferroni), so that this
 * is the expected number, if the distribution is normal. Two tests show whether it is: the shoulder of the
 * distribution, between 2.5 spreads and the limit, which heavy or skewed tails fill but bad nodes do not; and
 * the number of nodes beyond the limit on the fast side.
 *
 * Momentary disturbances do not repeat. A node measured several times is judged by the mean, and is slow only
 * if its best measurement is also beyond the limit, allowing for its noise.
 */
#ifndef ERT_FLEET_OUTLIERS_H
#define ERT_FLEET_OUTLIERS_H

#include "ert/core/stats/stats.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Smaller slowdowns are not worth an administrator's time, even if they are certain. */
#define ERT_OUTLIERS_FLOOR 0.02

/*
 * The largest difference between sound nodes of one model: GPUs of one model differ by 22 % (Sinha et al.,
 * "Not All GPUs Are Created Equal", SC 2022, arXiv:2208.11035). If few nodes only give a rough spread, the
 * limit is at most this.
 */
#define ERT_OUTLIERS_SOUND 0.22

/* Two nodes can differ without showing which one is slow. */
enum { ERT_OUTLIERS_LEAST = 3 };

/*
 * A node is slow only after this many measurements, all of them slow: with two, 1.15 sound nodes of 10,000
 * were called slow, with three 0.35 (results/fleet).
 */
enum { ERT_OUTLIERS_REPEATS = 3 };

/* Nodes with the same firmware and driver have their own median if there are at least this many. */
enum { ERT_OUTLIERS_LEAST_PART = 8 };

enum ert_outlier {
    ERT_OUTLIER_NONE,
    ERT_OUTLIER_FAST,
    ERT_OUTLIER_TRANSIENT, /* slow once, but not every time */
    ERT_OUTLIER_NEAR, /* measured once: so close to the limit that noise may hide a slow node */
    ERT_OUTLIER_SUSPECT, /* measured once or twice: beyond the limit */
    ERT_OUTLIER_TAIL,    /* slow every time, but within the column's long slow tail */
    ERT_OUTLIER_SLOW,    /* slow every time */
    ERT_N_OUTLIER
};

/* "" for NONE, "fast", "slow tail". */
extern const char *const ert_outlier_names[ERT_N_OUTLIER];

struct ert_outliers_node {
    double value;      /* mean of n measurements, above 0 */
    double best;       /* the fastest of them */
    double error;      /* relative standard error of one measurement */
    double detectable; /* relative slowdown that one measurement can show */
    uint32_t n;
    uint32_t part; /* equal for nodes of the same firmware: they share a median */
    /* Results of the comparison: */
    double change; /* of the speed, relative to the median: -0.03 is 3 % slower */
    double z;      /* -change in standard deviations of sound nodes */
    double limit;  /* larger slowdowns are SLOW or TAIL */
    enum ert_outlier verdict;
};

/* Statistics of a column. */
struct ert_outliers {
    size_t n;
    double median;     /* of the values */
    double spread;     /* relative, of single measurements of sound nodes: 1.4826 MAD */
    double noise;      /* part of it from the measurements: the median of their errors */
    double limit;      /* for its noise, measured once; 1: none can be called slow */
    bool is_heavy;     /* the slow tail is longer than a normal one */
    double tail_limit; /* then larger slowdowns are SLOW, not TAIL */
    size_t n_shoulder; /* nodes on the shoulder; expected_: in a normal distribution */
    double expected_shoulder;
    size_t n_fast;
};

/*
 * The z that a sound node exceeds with this chance, 0 < chance < 0.5, for a spread estimated from n nodes:
 * Student's quantile with n / 2.72 degrees of freedom, since a MAD varies as a standard deviation of so few
 * values (efficiency 0.37: Rousseeuw and Croux, JASA 88 (1993), section 1); the normal one from 2720 nodes
 * on.
 */
double ert_outliers_quantile(double chance, size_t n);

/* The chance of n or more events if `expected` (0 or more) are expected, by Poisson's distribution. */
double ert_outliers_poisson(size_t n, double expected);

/*
 * Judges n nodes of one column. chance: of a false alarm, per node. With fewer than ERT_OUTLIERS_LEAST nodes
 * all are NONE, and the limit is 1.
 */
struct ert_outliers ert_outliers_judge(struct ert_outliers_node *nodes, size_t n,
                                       enum ert_better better, double chance);

#endif
