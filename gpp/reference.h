/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * reference: the sums as the formula of problem.h writes them, for comparison with all versions: loops in the
 * order n, igp, ig, iw, plain complex divisions and absolute values, every addition compensated.
 */
#ifndef GPP_REFERENCE_H
#define GPP_REFERENCE_H

#include "gpp/problem.h"

/*
 * A version agrees if the difference of each of its sums from the reference is at most this, relative to the
 * modulus of the reference's sum.
 *
 * Why 1e-11. The reference's own error is that of its terms (some 30 independent roundings each): below
 * 1e-14. A version adds rows of at most 27 000 terms and then at most 6.4 million row sums (si510; tree sums
 * on a GPU are better). With independent roundings the error is (164 + 2500) eps / 2 of the sum of absolute
 * values, which is 3 to 5 times the sum: 1.5e-12 for the largest system in the worst
 * version, 1e-13 for small ones. The bound detects a wrong index, branch or constant: one of 3321 rows is
 * 3e-4 of the sum, one (n, igp) pair of 6.4 million still 1e-7. From c6 and v9 on, partial fractions have an
 * error of eps |E W / w|, not of eps times the term: there, problems with only given-up modes (|W| near 0)
 * exceed this bound. A term within rounding of a branch's edge could flip, with a probability of eps times
 * the iterations times the density there (about 1): 4e-6 for si214.
 */
#define GPP_BOUND 1e-11

/*
 * Neumaier's sums (ZAMM 54 (1974) 39-51) per band, then over the bands in order: the same bits for any number
 * of OpenMP threads. ERT_FAILED without memory; ERT_USAGE if a sum is not finite.
 */
enum ert_status gpp_reference_compute(const struct gpp_problem *problem,
                                      struct gpp_result *reference,
                                      struct ert_error *error);

/*
 * The largest relative error |value - reference| / |reference| over asx and ach of the nw energies. If the
 * reference is 0, any other value gives infinity. NaN gives NaN, which is neither above nor below a bound:
 * test !(error <= GPP_BOUND).
 */
double gpp_result_error(const struct gpp_result *value, const struct gpp_result *reference,
                        size_t nw);

#endif
