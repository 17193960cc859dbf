/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * differ: whether a rate is the same as it was: a test of two samples with stated error rates. Pure.
 *
 * Compared are estimates (stats.h) of rounds then and now, of as many rounds each. Their ratio is as
 * uncertain as the scatter of the rounds makes it, by the bootstrap, and as runs of an unchanged machine
 * differ (`between`: temperature, placement, another hour). "Slower" is a ratio that is below 1 by more
 * than the margin, and so far that chance gives it once in 100,000 comparisons by Student's distribution; of
 * few rounds with large noise and outliers it is once in 10,000 to 2,000 (test_estimate.c), and `ert verify`
 * therefore asks for a second sample. "Same" is a statement, too, and needs data:
 * they exclude a slowdown of the margin. Whatever is neither is "cannot tell".
 */
#ifndef ERT_STATS_DIFFER_H
#define ERT_STATS_DIFFER_H

#include "ert/stats/stats.h"

#include <stdbool.h>
#include <stddef.h>

/* Chances of error: "slower" or "faster" of what is the same; "same" of what is slower by the margin. */
#define ERT_DIFFER_FALSE_ALARM 1e-5
#define ERT_DIFFER_FALSE_SAME  1e-2
/* How often a slowdown of the detectable difference is found. */
#define ERT_DIFFER_POWER 0.95
/* Below this chance a slowdown is worth measuring again. */
#define ERT_DIFFER_SUSPECT 0.05

/*
 * Where even such a slowdown might be missed, the noise is no normal one: the tails of the estimates,
 * which are of the fastest of several configurations, are longer than Student's. Then only what is
 * beyond the detectable difference is called.
 */
#define ERT_DIFFER_COARSE 0.1

/*
 * What runs of an unchanged machine differ by at least, as a standard deviation: no machine is known
 * that is steadier (six runs of an H200, the steadiest so far: 0.3 % from least to greatest).
 */
#define ERT_DIFFER_LEAST_BETWEEN 1e-3

enum ert_differ_verdict {
    ERT_DIFFER_SAME,
    ERT_DIFFER_SLOWER,
    ERT_DIFFER_FASTER,
    ERT_DIFFER_CANNOT_TELL,
    ERT_N_DIFFER
};

/* One side. Rates above 0, or times where better is ERT_BETTER_LOW, in the order of time. */
struct ert_differ_side {
    const double *rounds;
    size_t n;
    /* Where n is 0: a value with its relative standard error and the samples behind that. */
    double value, error;
    size_t n_samples;
    /* Relative standard deviation between runs; 0 unknown. n_runs: of so many, 0: by drift in one. */
    double between;
    size_t n_runs;
};

struct ert_differ {
    double change;     /* of the speed: -0.03 is 3 % slower */
    double error;      /* standard error of ln(1 + change) */
    double freedom;    /* degrees of freedom behind the error */
    double chance;     /* of a change as low as this on an unchanged machine */
    double detectable; /* the slowdown that is found with ERT_DIFFER_POWER: 0.03 is 3 % */
    enum ert_differ_verdict verdict;
};

/*
 * Compares b, now, with a, then. margin: the slowdown that "same" excludes,
 * 0 or more, below 1. A side without a
 * value above 0 gives "cannot tell" and detectable 1.
 */
struct ert_differ ert_differ(const struct ert_differ_side *a,
                             const struct ert_differ_side *b, enum ert_better better,
                             double margin);

/*
 * Standard deviation between runs, of the drifts of n ceilings of one device within a single run: what the
 * drifts scatter by beyond the scatter of the halves. By medians: a few ceilings that were
 * disturbed during one half say nothing of the others. At least the estimates' own error, since what scatters
 * within a run differs between runs as much again (five runs of a 2-CPU VM: together 1.3 times the
 * error; results/estimator), and ERT_DIFFER_LEAST_BETWEEN. NaN when memory runs out.
 */
double ert_differ_between(const struct ert_drift *drifts, size_t n);

/*
 * The same from n > 1 runs of one ceiling, whose values have the relative standard deviation `own`.
 * `shared`: the root mean square of that over the device's ceilings; it counts as ERT_DIFFER_SHARED
 * runs more, since what makes runs differ is the machine's, and two or three runs say little of it.
 */
enum { ERT_DIFFER_SHARED = 4 };
double ert_differ_between_runs(double own, size_t n, double shared);

/* The same from the drifts of a group of n ceilings, `own`, among `all` of a device; `all` for n < 4. */
double ert_differ_between_group(double own, size_t n, double all);

/* The relative standard error that an interval of 90 % tells of; 0 where there is none. */
double ert_differ_error_of(double low, double high, double value);

/*
 * The t of which Student's distribution with `freedom` degrees (1 or more) leaves `chance` above, for
 * 0 < chance < 0.5; and the chance above a t.
 */
double ert_differ_student(double chance, double freedom);
double ert_differ_student_above(double t, double freedom);

#endif
