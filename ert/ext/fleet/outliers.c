/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/fleet/outliers.h"

#include "ert/core/base/alloc.h"
#include "ert/core/stats/differ.h"

#include <math.h>
#include <stdlib.h>

const char *const ert_outlier_names[ERT_N_OUTLIER] = {
    [ERT_OUTLIER_NONE] = "",          [ERT_OUTLIER_FAST] = "fast",
    [ERT_OUTLIER_NEAR] = "near",      [ERT_OUTLIER_TRANSIENT] = "transient",
    [ERT_OUTLIER_TAIL] = "slow tail", [ERT_OUTLIER_SLOW] = "slow",
    [ERT_OUTLIER_SUSPECT] = "suspect"};

/* From `many` degrees of freedom on Student's distribution is taken as normal, which it is with `normal`. */
static const double many = 1000, normal = 1e8;

/*
 * The shoulder begins at this many spreads; below this chance the tail counts as longer than a normal one. A
 * mistake does no harm: a normal tail ends little beyond its limit.
 */
static const double shoulder = 2.5, shoulder_chance = 5e-2;

static double normal_above(double z)
{
    return erfc(z * M_SQRT1_2) / 2;
}

double ert_outliers_quantile(double chance, size_t n)
{
    double freedom = fmax((double)n / 2.72, 1);
    return ert_differ_student(chance, freedom < many ? freedom : normal);
}

static double outliers_change_of(double value, double median, enum ert_better better)
{
    return better == ERT_BETTER_LOW ? median / value - 1 : value / median - 1;
}

/* Begins the sum at its largest term, which no number of events makes 0. */
double ert_outliers_poisson(size_t n, double expected)
{
    const bool is_above = (double)n > expected;
    double i = (double)n - !is_above, sum = 0;
    if (n == 0)
        return 1;
    double term = exp(i * log(expected) - expected - lgamma(i + 1));
    while (term > 1e-17 * sum) {
        sum += term;
        term *= is_above ? expected / ++i : i-- / expected;
    }
    return is_above ? sum : fmax(1 - sum, 0);
}

static int compare_parts(const void *a, const void *b)
{
    const struct ert_outliers_node *x = *(const struct ert_outliers_node *const *)a;
    const struct ert_outliers_node *y = *(const struct ert_outliers_node *const *)b;
    return (x->part > y->part) - (x->part < y->part);
}

/* Sets each node's change from the median of its part, or of all; *about gets the latter. */
static void centre(struct ert_outliers_node *nodes, size_t n, enum ert_better better,
                   double *values, struct ert_outliers *about)
{
    struct ert_outliers_node **sorted = ert_xcalloc(n, sizeof *sorted);
    for (size_t i = 0; i < n; i++) {
        sorted[i] = &nodes[i];
        values[i] = nodes[i].value;
    }
    about->median = ert_stats_median(values, n);
    qsort(sorted, n, sizeof *sorted, compare_parts);
    for (size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin; end < n && sorted[end]->part == sorted[begin]->part; end++)
            values[end - begin] = sorted[end]->value;
        bool is_own = end - begin >= ERT_OUTLIERS_LEAST_PART;
        double median = is_own ? ert_stats_median(values, end - begin) : about->median;
        for (size_t i = begin; i < end; i++) {
            sorted[i]->change = outliers_change_of(sorted[i]->value, median, better);
            /* Temporarily: the variance of the median, in variances of a node. */
            sorted[i]->z = M_PI_2 / (double)(is_own ? end - begin : n);
        }
    }
    free(sorted);
}

/*
 * The standard deviation of a sound node's change: from the spread between nodes, the noise of its own
 * measurements instead of the typical one, and the error of the median.
 */
static double outliers_deviation(const struct ert_outliers *about, double error, uint32_t n,
                                 double of_median)
{
    double between = fmax(about->spread * about->spread - about->noise * about->noise, 0);
    return sqrt(between + error * error / n + of_median * about->spread * about->spread);
}

/* In standard deviations: normal, and for few nodes. */
struct quantiles {
    double least, few;
};

static double outliers_limit_of(double deviation, double floor,
                                const struct quantiles *quantiles)
{
    return fmax(fmax(floor, quantiles->least * deviation),
                fmin(quantiles->few * deviation, ERT_OUTLIERS_SOUND));
}

/*
 * Finds whether the shoulder has more nodes than a normal distribution; if so, where the slow tail ends: an
 * exponential one with the same median excess, which a sound node exceeds with `chance`. Uses the best
 * measurement of a node, so that a disturbed one does not count.
 */
static void look_at_shoulder(const struct ert_outliers_node *nodes, size_t n,
                             enum ert_better better, double chance, double end,
                             double *excess, struct ert_outliers *about)
{
    size_t n_beyond = 0;
    for (size_t i = 0; i < n && about->spread > 0; i++) {
        double of_best = outliers_change_of(nodes[i].best, nodes[i].value, better);
        double z = -(nodes[i].change + of_best) / about->spread;
        about->n_shoulder += z > shoulder && z <= end;
        if (z > shoulder)
            excess[n_beyond++] = z - shoulder;
    }
    about->expected_shoulder = (double)n * (normal_above(shoulder) - normal_above(end));
    about->is_heavy =
        about->n_shoulder >= ERT_OUTLIERS_LEAST &&
        ert_outliers_poisson(about->n_shoulder, about->expected_shoulder) < shoulder_chance;
    if (!about->is_heavy)
        return;
    double mean = ert_stats_median(excess, n_beyond) / M_LN2;
    double reach = log(fmax((double)n_beyond / (double)n / chance, 1));
    about->tail_limit = fmin(about->spread * (shoulder + mean * reach), ERT_OUTLIERS_SOUND);
}

/* Each verdict needs a comparison that is true, which none with NaN is. */
static enum ert_outlier outliers_verdict(const struct ert_outliers_node *node,
                                         const struct ert_outliers *about,
                                         enum ert_better better)
{
    const double best = node->change + outliers_change_of(node->best, node->value, better);
    /* So close to the limit that the noise of one measurement may hide a slow node. */
    const double near = node->limit - 2 * node->error;
    if (node->change > node->limit)
        return ERT_OUTLIER_FAST;
    if (!(-node->change > node->limit))
        return node->n == 1 && -node->change > near ? ERT_OUTLIER_NEAR : ERT_OUTLIER_NONE;
    if (node->n == 1)
        return ERT_OUTLIER_SUSPECT;
    if (!(-best > near))
        return ERT_OUTLIER_TRANSIENT;
    if (node->n < ERT_OUTLIERS_REPEATS)
        return ERT_OUTLIER_SUSPECT;
    return about->is_heavy && -node->change <= about->tail_limit ? ERT_OUTLIER_TAIL
                                                                 : ERT_OUTLIER_SLOW;
}

struct ert_outliers ert_outliers_judge(struct ert_outliers_node *nodes, size_t n,
                                       enum ert_better better, double chance)
{
    const bool is_enough = n >= ERT_OUTLIERS_LEAST;
    const struct quantiles quantiles = {ert_differ_student(chance, normal),
                                        ert_outliers_quantile(chance, n)};
    struct ert_outliers about = {.n = n, .limit = 1};
    double *scratch = ert_xcalloc(n, sizeof *scratch);
    centre(nodes, n, better, scratch, &about);
    for (size_t i = 0; i < n; i++)
        scratch[i] = nodes[i].error;
    about.noise = n ? ert_stats_median(scratch, n) : 0;
    for (size_t i = 0; i < n; i++)
        scratch[i] = fabs(nodes[i].change);
    about.spread = n ? 1.4826 * ert_stats_median(scratch, n) : 0;
    if (is_enough) {
        double usual = outliers_deviation(&about, about.noise, 1, M_PI_2 / (double)n);
        about.limit = outliers_limit_of(usual, ERT_OUTLIERS_FLOOR, &quantiles);
        look_at_shoulder(nodes, n, better, chance, fmax(quantiles.least, shoulder), scratch,
                         &about);
    }
    for (size_t i = 0; i < n; i++) {
        double own = outliers_deviation(&about, nodes[i].error, nodes[i].n, nodes[i].z);
        double floor = fmax(ERT_OUTLIERS_FLOOR, nodes[i].detectable);
        nodes[i].z = own > 0 ? -nodes[i].change / own : 0;
        nodes[i].limit = is_enough ? outliers_limit_of(own, floor, &quantiles) : 1;
        nodes[i].verdict =
            is_enough ? outliers_verdict(&nodes[i], &about, better) : ERT_OUTLIER_NONE;
        about.n_fast += nodes[i].verdict == ERT_OUTLIER_FAST;
    }
    free(scratch);
    return about;
}
