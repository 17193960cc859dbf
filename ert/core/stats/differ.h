/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * differ: whether a rate has changed: a two-sample test with stated error rates. Pure.
 *
 * It compares estimates (stats.h) from equally many rounds then and now. The uncertainty of their ratio has
 * two parts: the scatter of the rounds, by the bootstrap, and the differences between runs of an unchanged
 * machine (`between`: temperature, placement, time of day). "Slower" is a ratio that is below 1 by more than
 * the margin, and by so much that by Student's distribution chance gives it once in 100,000 comparisons;
 * from few rounds with large noise and outliers it is once in 10,000 to 2,000 (test_estimate.c), so that
 * `ert verify` asks for a second sample. "Same" needs evidence, too: a slowdown that the data exclude, which
 * each comparison states and which is at most ERT_DIFFER_EXCLUDED. Everything else is "cannot tell".
 */
#ifndef ERT_STATS_DIFFER_H
#define ERT_STATS_DIFFER_H

#include "ert/core/stats/stats.h"

#include <stddef.h>

/* Error rates: "slower" or "faster" for an unchanged rate; "same" for one slower by what is excluded. */
#define ERT_DIFFER_FALSE_ALARM 1e-5
#define ERT_DIFFER_FALSE_SAME  1e-2
/* The chance that a slowdown by ert_differ.detectable is found. */
#define ERT_DIFFER_POWER 0.95
/* A slowdown with a chance below this is worth measuring again. */
#define ERT_DIFFER_SUSPECT 0.05

/*
 * What "same" excludes at most: a node that is 10 % slower costs a user of 10 nodes one of them. On a virtual
 * machine, whose runs differ by 3 to 5.5 % (fit/evidence.c), hardly anything can be known so well.
 */
#define ERT_DIFFER_EXCLUDED        0.1
#define ERT_DIFFER_EXCLUDED_SHARED 0.25

/*
 * If even a slowdown by this share might be missed, the noise is not normal: the estimates are of the
 * fastest of several configurations, and their tails are longer than Student's. Then only changes beyond
 * the detectable difference are reported.
 */
#define ERT_DIFFER_COARSE 0.1

/*
 * The least relative standard deviation between runs of an unchanged machine: none is known to be steadier
 * (six runs of an H200, the steadiest so far: 0.3 % from least to greatest).
 */
#define ERT_DIFFER_LEAST_BETWEEN 1e-3

/*
 * The relative standard deviation between runs of a rate that a power limit lowers: the limit is regulated,
 * and a card's temperature moves. Twice that of the least steady of five rates in ten runs of an H200, fp8
 * with 0.16 %. With it none of 270 differences between these runs is slower or faster (results/h200).
 */
#define ERT_DIFFER_SUSTAINED 0.003

/*
 * Fewer rounds do not show their scatter, and give no verdict. Simulated with noise of 1 % and every tenth
 * round 40 % too slow: two rounds beside 17 of an unchanged machine were "faster" in 42 of 100 cases, three
 * rounds in 5, four in 0.1.
 */
enum { ERT_DIFFER_LEAST_ROUNDS = 4 };

enum ert_differ_verdict {
    ERT_DIFFER_SAME,
    ERT_DIFFER_SLOWER,
    ERT_DIFFER_FASTER,
    ERT_DIFFER_CANNOT_TELL,
    ERT_N_DIFFER
};

/* One side: rates above 0, or times if better is ERT_BETTER_LOW, in the order of measurement. */
struct ert_differ_side {
    const double *rounds;
    size_t n;
    /* If n is 0: a value, its relative standard error, and the number of samples behind that error. */
    double value, error;
    size_t n_samples;
    double excluded; /* what "same" excludes at most; 0: ERT_DIFFER_EXCLUDED */
    /* Relative standard deviation between runs; 0 unknown. From n_runs runs; 0: from drift within one. */
    double between;
    size_t n_runs;
};

struct ert_differ {
    double change;  /* of the speed: -0.03 is 3 % slower */
    double error;   /* standard error of ln(1 + change) */
    double freedom; /* degrees of freedom of the error */
    double chance;  /* that an unchanged machine shows such a change or a lower one */
    double
        detectable;  /* the slowdown found with probability ERT_DIFFER_POWER: 0.03 is 3 % */
    double excluded; /* a slowdown beyond this has a probability of ERT_DIFFER_FALSE_SAME */
    enum ert_differ_verdict verdict;
};

/*
 * Compares b (now) with a (then). margin: the least slowdown that counts, 0 <= margin < 1. A side without a
 * value above 0, with a number that is not finite, or of fewer than ERT_DIFFER_LEAST_ROUNDS rounds, gives
 * "cannot tell", detectable 1 and excluded 1.
 */
struct ert_differ ert_differ(const struct ert_differ_side *a,
                             const struct ert_differ_side *b, enum ert_better better,
                             double margin);

/*
 * Estimates the relative standard deviation between runs from the drifts of n ceilings of one device within
 * a single run: how far they scatter beyond the scatter of the halves. It uses medians, so that a few
 * ceilings that were disturbed during one half do not count. At least the estimates' own error, since runs
 * differ by as much again (five runs of a 2-CPU VM: together 1.3 times the error; results/estimator), and
 * at least ERT_DIFFER_LEAST_BETWEEN.
 */
double ert_differ_between(const struct ert_drift *drifts, size_t n);

/*
 * The same from n > 1 runs of one ceiling, whose values have the relative standard deviation `own`.
 * `shared`: the root mean square of that over the device's ceilings. It has the weight of ERT_DIFFER_SHARED
 * further runs: what makes runs differ is common to the device, and two or three runs show little of it.
 */
enum { ERT_DIFFER_SHARED = 4 };
double ert_differ_between_runs(double own, size_t n, double shared);

/* The same for a group of n ceilings: from its drift, `own`, and the device's, `all`; n < 4: `all` alone. */
double ert_differ_between_group(double own, size_t n, double all);

/* The relative standard error that a 90 % interval of a normal value implies; 0 without an interval. */
double ert_differ_error_of(double low, double high, double value);

/*
 * The quantile t of Student's distribution with `freedom` (1 or more) degrees of freedom that is exceeded
 * with probability `chance`, 0 < chance < 0.5; and the probability that a t is exceeded.
 */
double ert_differ_student(double chance, double freedom);
double ert_differ_student_above(double t, double freedom);

#endif
