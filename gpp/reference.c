/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reference: the sums as the formula of problem.h writes them, for comparison with all versions: loops in the
 * order n, igp, ig, iw, plain complex divisions and absolute values, every addition compensated. It is built
 * without contraction: every operation rounds.
 */
#include "gpp/problem.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>

#ifndef CMPLX /* glibc has it for GCC only; clang knows the builtin */
#define CMPLX(real, imaginary) __builtin_complex((double)(real), (double)(imaginary))
#endif

/* asx real, imaginary, ach real, imaginary. */
enum { N_SUMS = 4, N_ALL = N_SUMS * GPP_MAX_NW };

/* A sum and its accumulated rounding errors. */
struct sum {
    double value, lost;
};

static void reference_add(struct sum *sum, double term)
{
    double next = sum->value + term;
    if (fabs(sum->value) >= fabs(term))
        sum->lost += (sum->value - next) + term;
    else
        sum->lost += (term - next) + sum->value;
    sum->value = next;
}

/* a / b as written: numerator times conj(b), both parts divided. No scaling: inputs are near 1. */
static double complex divide(double complex a, double complex b)
{
    double square = creal(b) * creal(b) + cimag(b) * cimag(b);
    double real = creal(a) * creal(b) + cimag(a) * cimag(b);
    double imag = cimag(a) * creal(b) - creal(a) * cimag(b);
    return CMPLX(real / square, imag / square);
}

/* C's product without its search for infinities, which would hide a NaN. */
static double complex multiply(double complex a, double complex b)
{
    return CMPLX(creal(a) * creal(b) - cimag(a) * cimag(b),
                 creal(a) * cimag(b) + cimag(a) * creal(b));
}

static double complex reference_scale(double factor, double complex a)
{
    return CMPLX(factor * creal(a), factor * cimag(a));
}

static double norm(double complex a)
{
    return creal(a) * creal(a) + cimag(a) * cimag(a);
}

/* The formula of problem.h, line by line. */
static void term(double w, double complex wtilde, double complex eps, double complex *ssx,
                 double complex *sch)
{
    double complex wtilde2 = multiply(wtilde, wtilde), omega2 = multiply(wtilde2, eps);
    double complex d = CMPLX(w - creal(wtilde), -cimag(wtilde));
    double complex delw = divide(wtilde, d);
    double a = norm(delw), b = norm(d);
    *ssx = 0;
    *sch = 0;
    if (b > GPP_LIMIT_TWO && a < GPP_LIMIT_ONE) {
        *sch = multiply(delw, eps);
        *ssx = divide(omega2, CMPLX(w * w - creal(wtilde2), -cimag(wtilde2)));
    } else if (a > GPP_TOL_ZERO) {
        double complex below = CMPLX(creal(delw) + 0.5, cimag(delw));
        *ssx = divide(reference_scale(-1, multiply(omega2, delw)),
                      reference_scale(4, multiply(wtilde2, below)));
    }
    if (sqrt(norm(*ssx)) > GPP_SEXCUT * sqrt(norm(eps)) && w < 0)
        *ssx = 0;
}

static void add_term(struct sum sums[N_SUMS], double complex asx, double complex ach)
{
    reference_add(&sums[0], creal(asx));
    reference_add(&sums[1], cimag(asx));
    reference_add(&sums[2], creal(ach));
    reference_add(&sums[3], cimag(ach));
}

static double complex reference_at(const double *pairs, size_t i)
{
    return CMPLX(pairs[2 * i], pairs[2 * i + 1]);
}

static void sum_band(const struct gpp_problem *p, size_t n, struct sum sums[N_ALL])
{
    const struct gpp_sizes *s = &p->sizes;
    double complex ssx, sch;
    for (size_t igp = 0; igp < s->ngpown; igp++)
        for (size_t ig = 0; ig < s->ncouls; ig++)
            for (size_t iw = 0; iw < s->nw; iw++) {
                size_t i = igp * s->ncouls + ig;
                term(p->wx[n * s->nw + iw], reference_at(p->wtilde, i),
                     reference_at(p->eps, i), &ssx, &sch);
                double complex m =
                    multiply(conj(reference_at(p->aqsm, n * s->ngpown + igp)),
                             reference_at(p->aqsn, n * s->ncouls + ig));
                add_term(sums + N_SUMS * iw,
                         reference_scale(p->vcoul[igp] * p->occ[n], multiply(ssx, m)),
                         reference_scale(0.5 * p->vcoul[igp], multiply(sch, m)));
            }
}

enum ert_status gpp_reference_compute(const struct gpp_problem *problem,
                                      struct gpp_result *reference, struct ert_error *error)
{
    size_t nbands = problem->sizes.nbands, nw = problem->sizes.nw;
    struct sum(*bands)[N_ALL] = calloc(nbands, sizeof *bands);
    struct sum all[N_ALL] = {
        {0, 0}
    };
    if (!bands)
        return ert_fail(error, ERT_FAILED, "no memory for the reference: %zu bytes",
                        nbands * sizeof *bands);
#pragma omp parallel for schedule(dynamic)
    for (size_t n = 0; n < nbands; n++)
        sum_band(problem, n, bands[n]);
    for (size_t n = 0; n < nbands; n++)
        for (size_t i = 0; i < N_SUMS * nw; i++) {
            reference_add(&all[i], bands[n][i].value);
            reference_add(&all[i], bands[n][i].lost);
        }
    free(bands);
    *reference = (struct gpp_result){0};
    for (size_t iw = 0; iw < nw; iw++) {
        const struct sum *sums = all + N_SUMS * iw;
        for (size_t part = 0; part < 2; part++) {
            reference->asx[iw][part] = sums[part].value + sums[part].lost;
            reference->ach[iw][part] = sums[2 + part].value + sums[2 + part].lost;
            if (!isfinite(reference->asx[iw][part]) || !isfinite(reference->ach[iw][part]))
                return ert_fail(error, ERT_USAGE,
                                "a sum of these inputs is not finite: there is nothing to "
                                "compare with");
        }
    }
    return ERT_OK;
}

static double reference_error_of(const double value[2], const double reference[2])
{
    double difference = hypot(value[0] - reference[0], value[1] - reference[1]);
    double modulus = hypot(reference[0], reference[1]);
    if (modulus > 0)
        return difference / modulus;
    return difference > 0 ? INFINITY : difference;
}

double gpp_result_error(const struct gpp_result *value, const struct gpp_result *reference,
                        size_t nw)
{
    double largest = 0;
    for (size_t iw = 0; iw < nw; iw++) {
        const double errors[2] = {reference_error_of(value->asx[iw], reference->asx[iw]),
                                  reference_error_of(value->ach[iw], reference->ach[iw])};
        for (size_t i = 0; i < 2; i++) {
            if (isnan(errors[i]))
                return errors[i];
            largest = fmax(largest, errors[i]);
        }
    }
    return largest;
}
