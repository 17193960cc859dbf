/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reference: the sums as the formula of problem.h writes them, to compare all versions with: loops in
 * the order n, igp, ig, iw, complex divisions and absolute values in the plain way, every addition
 * compensated.
 */
#ifndef GPP_REFERENCE_H
#define GPP_REFERENCE_H

#include "gpp/problem.h"

/*
 * A version agrees when each of its sums is within this of the reference, relative to the modulus of
 * the reference's sum.
 *
 * Why 1e-11. The reference's own error is that of its terms (some 30 roundings each, independent):
 * below 1e-14. A version adds rows of at most 27 000 terms and then at most 6.4 million row sums (si510;
 * tree sums on a GPU are better): with independent roundings that is (164 + 2500) eps / 2 of the sum
 * of absolute values, which is 3 to 5 times the sum (`condition` below): 1.5e-12 for the largest system
 * in the worst version, 1e-13 for small ones. A wrong index, branch or constant
 * is seen: a row of 3321 is 3e-4 of the sum, one (n, igp) pair of 6.4 million still 1e-7.
 * From c6 and v9 on partial fractions make a term right to eps |E W / w|, not to eps of itself: problems
 * whose modes are all given up (|W| near 0) are beyond this bound there.
 * A term that lies at a branch's edge within rounding could flip: its chance is eps times the
 * iterations times the density there (about 1): 4e-6 for si214.
 */
#define GPP_BOUND 1e-11

struct gpp_reference {
    struct gpp_result result;
    double
        condition; /* the largest of sum |term| / |sum| over all sums; infinite where one is 0 */
};

/*
 * Sums of Neumaier (ZAMM 54 (1974) 39-51) per band, then over the bands in order: the same bits for
 * any number of OpenMP threads. ERT_FAILED without memory; ERT_USAGE where a sum is not finite.
 */
enum ert_status gpp_reference_compute(const struct gpp_problem *problem,
                                      struct gpp_reference *reference,
                                      struct ert_error *error);

/*
 * The largest relative error |value - reference| / |reference| over asx and ach of the nw energies; a
 * reference of 0 wants 0 (else infinity), and NaN gives NaN, which is above no bound and below none:
 * ask !(error <= GPP_BOUND).
 */
double gpp_result_error(const struct gpp_result *value, const struct gpp_result *reference,
                        size_t nw);

#endif
