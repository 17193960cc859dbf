/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/stats/differ.h"

#include <math.h>

/* The continued fraction of the incomplete beta function (Abramowitz and Stegun 26.5.8), by Lentz. */
static double beta_fraction(double x, double a, double b)
{
    const double tiny = 1e-300;
    double c = 1, d = 1 - (a + b) * x / (a + 1), result;
    d = 1 / (fabs(d) < tiny ? tiny : d);
    result = d;
    for (int i = 1; i <= 500; i++) {
        double even = i * (b - i) * x / ((a + 2 * i - 1) * (a + 2 * i));
        double odd = -(a + i) * (a + b + i) * x / ((a + 2 * i) * (a + 2 * i + 1));
        const double terms[] = {even, odd};
        double step = 1;
        for (int k = 0; k < 2; k++) {
            d = 1 + terms[k] * d;
            c = 1 + terms[k] / c;
            d = 1 / (fabs(d) < tiny ? tiny : d);
            c = fabs(c) < tiny ? tiny : c;
            step = c * d;
            result *= step;
        }
        if (fabs(step - 1) < 1e-14)
            break;
    }
    return result;
}

static double incomplete_beta(double x, double a, double b)
{
    if (x <= 0 || x >= 1)
        return x >= 1;
    double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2))
        return front * beta_fraction(x, a, b) / a;
    return 1 - front * beta_fraction(1 - x, b, a) / b;
}

double ert_differ_student_above(double t, double freedom)
{
    double tail = incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;
    return t > 0 ? tail : 1 - tail;
}

/* Newton's method from 0: the tail is convex there, so that no step overshoots the root. */
double ert_differ_student(double chance, double freedom)
{
    double front =
        lgamma((freedom + 1) / 2) - lgamma(freedom / 2) - log(freedom * M_PI) / 2;
    double t = 0, step;
    do {
        double density = exp(front - (freedom + 1) / 2 * log1p(t * t / freedom));
        step = (ert_differ_student_above(t, freedom) - chance) / density;
        t += step;
    } while (step > 1e-12 * t);
    return t;
}

/* The median of the squares of one member of the drifts, from its offset in doubles. */
static double median_square(const struct ert_drift *drifts, size_t n, size_t offset)
{
    enum { STRIDE = sizeof *drifts / sizeof(double) };
    const double *values = (const double *)(const void *)drifts + offset;
    if (n == 0)
        return 0;
    double below = ert_stats_order(values, n, STRIDE, 0, (n - 1) / 2);
    double above = ert_stats_order(values, n, STRIDE, 0, n / 2);
    return (below * below + above * above) / 2;
}

double ert_differ_between(const struct ert_drift *drifts, size_t n)
{
#define MEMBER(name) offsetof(struct ert_drift, name) / sizeof(double)
    /* The median square of normal values is 0.455 of their variance. */
    double variance = median_square(drifts, n, MEMBER(drift)) / 0.455 -
                      median_square(drifts, n, MEMBER(halves));
    double error = median_square(drifts, n, MEMBER(error));
#undef MEMBER
    /* Both halves drift: their difference has twice the variance of one. */
    return fmax(sqrt(fmax(fmax(variance, 0) / 2, error)), ERT_DIFFER_LEAST_BETWEEN);
}

double ert_differ_between_runs(double own, size_t n, double shared)
{
    double weight = (double)n - 1, all = weight + ERT_DIFFER_SHARED;
    double variance = (weight * own * own + ERT_DIFFER_SHARED * shared * shared) / all;
    return fmax(sqrt(variance), ERT_DIFFER_LEAST_BETWEEN);
}

double ert_differ_between_group(double own, size_t n, double all)
{
    static const size_t least = 4; /* with fewer, one outlier determines the median */
    return n < least ? all : ert_differ_between_runs(own, n + 1, all);
}

double ert_differ_error_of(double low, double high, double value)
{
    return value > 0 && high > low ? (high - low) / value / (2 * 1.645) : 0;
}

/* Sums over independent errors, with their degrees of freedom (Welch and Satterthwaite). */
struct parts {
    double variance, weighted; /* sums of v and of v^2 / freedom */
};

/* Degrees of freedom of a well-known spread; more make no difference. */
static const double many = 1000;

static void differ_add_part(struct parts *parts, double deviation, double freedom)
{
    double variance = deviation * deviation;
    parts->variance += variance;
    parts->weighted += variance * variance / fmax(freedom, 1);
}

/* The estimate of a side for m of its rounds; adds its error to the parts. */
static double differ_value_of(const struct ert_differ_side *side, size_t m,
                              enum ert_better better, struct parts *parts)
{
    if (side->n == 0) {
        differ_add_part(parts, side->error,
                        side->n_samples > 1 ? (double)side->n_samples - 1 : many);
        return side->value;
    }
    struct ert_estimate estimate = ert_estimate_make(side->rounds, side->n, better);
    differ_add_part(parts, estimate.error, (double)side->n - 1);
    return m < side->n ? ert_estimate_of_fewer(side->rounds, side->n, m, better)
                       : estimate.value;
}

/* A few runs determine their spread badly; drift within a run is estimated from a whole device. */
static double freedom_between(const struct ert_differ_side *side)
{
    return side->n_runs > 1 ? (double)side->n_runs - 1 + ERT_DIFFER_SHARED : many;
}

/*
 * "Same": a change is neither shown nor likely (the data agree with none, or with one below `least`), and a
 * slowdown is excluded. Last condition: if the numbers are so uncertain that a slowed machine passes as often
 * by luck as a healthy one, they show nothing, whatever they are.
 */
static enum ert_differ_verdict differ_judge(const struct ert_differ *differ, double ratio,
                                            double least, double reach, double sure,
                                            double excluded)
{
    if (fabs(ratio) > sure)
        return ratio > 0 ? ERT_DIFFER_FASTER : ERT_DIFFER_SLOWER;
    return fabs(ratio) <= fmax(reach, least) && differ->excluded <= excluded &&
                   reach < -log1p(-excluded)
               ? ERT_DIFFER_SAME
               : ERT_DIFFER_CANNOT_TELL;
}

struct ert_differ ert_differ(const struct ert_differ_side *a,
                             const struct ert_differ_side *b, enum ert_better better,
                             double margin)
{
    struct parts parts = {0};
    /* If one side is only a value, the other uses all of its rounds. */
    size_t fewer = a->n && b->n ? (a->n < b->n ? a->n : b->n) : a->n + b->n;
    double then = differ_value_of(a, fewer, better, &parts);
    double now = differ_value_of(b, fewer, better, &parts);
    struct ert_differ differ = {
        .chance = 0.5, .detectable = 1, .excluded = 1, .verdict = ERT_DIFFER_CANNOT_TELL};
    const struct ert_differ_side *wider = a->between >= b->between ? a : b;
    double between = fmax(wider->between, ERT_DIFFER_LEAST_BETWEEN);
    differ_add_part(&parts, M_SQRT2 * between, freedom_between(wider));
    double ratio = better == ERT_BETTER_HIGH ? log(now / then) : log(then / now);
    /* The one way to a verdict: no number that went in is infinite or NaN. */
    if (!isfinite(ratio) || !isfinite(parts.variance) ||
        !isfinite(a->between + b->between) || !(then > 0) || !(now > 0))
        return differ;
    differ.change = expm1(ratio);
    differ.error = sqrt(parts.variance);
    differ.freedom = fmin(parts.variance * parts.variance / parts.weighted, many);
    differ.chance = ert_differ_student_above(-ratio / differ.error, differ.freedom);
    double least = -log1p(-margin);
    double sure = fmax(
        ert_differ_student(ERT_DIFFER_FALSE_ALARM, differ.freedom) * differ.error, least);
    double missed = ert_differ_student(1 - ERT_DIFFER_POWER, differ.freedom) * differ.error;
    differ.detectable = -expm1(-sure - missed);
    if ((a->n > 0 && a->n < ERT_DIFFER_LEAST_ROUNDS) ||
        (b->n > 0 && b->n < ERT_DIFFER_LEAST_ROUNDS)) {
        differ.detectable = 1;
        return differ;
    }
    if (differ.detectable > ERT_DIFFER_COARSE)
        sure += missed;
    double reach = ert_differ_student(ERT_DIFFER_FALSE_SAME, differ.freedom) * differ.error;
    differ.excluded = fmax(-expm1(ratio - reach), 0);
    const double most = fmax(fmax(a->excluded, b->excluded), ERT_DIFFER_EXCLUDED);
    differ.verdict = differ_judge(&differ, ratio, least, reach, sure, most);
    return differ;
}
