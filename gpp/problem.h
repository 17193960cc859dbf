/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * problem: one instance of the General Plasmon Pole sum: its sizes, its input arrays, its result; the
 * constants of the formula, and all functions that generate inputs. It does not compute the sum: reference.c
 * and versions.h do.
 *
 * Source: the GPP kernel of BerkeleyGW's Sigma module as in arXiv:2008.11326. For every band n, row igp,
 * column ig and energy iw, with w = wx, W = wtilde, E = eps, W2 = W^2, Om2 = W2 E:
 *
 *   d = w - W; delw = W / d; a = |delw|^2; b = |d|^2
 *   1: b > LIMIT_TWO and a < LIMIT_ONE: sch = delw E; ssx = Om2 / (w^2 - W2)
 *   2: else a > TOL_ZERO: sch = 0; ssx = -Om2 delw / (4 W2 (delw + 0.5))
 *   3: else both are 0
 *   cutoff: |ssx| > SEXCUT |E| and w < 0: ssx = 0
 *   M = conj(aqsm[n][igp]) aqsn[n][ig]
 *   asx[iw] += vcoul[igp] occ[n] ssx M; ach[iw] += 0.5 vcoul[igp] sch M
 */
#ifndef GPP_PROBLEM_H
#define GPP_PROBLEM_H

#include "ert/core/base/error.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define GPP_LIMIT_ONE 250000.0 /* 1 / (4e-6) */
#define GPP_LIMIT_TWO 0.25     /* gamma^2, gamma = 0.5 */
#define GPP_TOL_ZERO  1e-12
#define GPP_SEXCUT    4.0

enum { GPP_MAX_NW = 6 };

struct gpp_sizes {
    size_t nbands, ngpown, ncouls, nw;
};

/*
 * Inputs. Complex values are pairs (real, imaginary) of doubles; the last index is the fastest. The problem
 * owns all arrays; they are aligned to 64 bytes, and computations only read them.
 */
struct gpp_problem {
    struct gpp_sizes sizes;
    uint64_t seed;  /* of the generated inputs */
    double *wtilde; /* complex [ngpown][ncouls] */
    double *eps;    /* complex [ngpown][ncouls] */
    double *aqsn;   /* complex [nbands][ncouls] */
    double *aqsm;   /* complex [nbands][ngpown] */
    double *wx;     /* [nbands][nw], energy difference of either sign */
    double *vcoul;  /* [ngpown] */
    double *occ;    /* [nbands]: 1 occupied, 0 empty, 0.5 at the Fermi level */
};

/* The sums as above; entries from nw on are 0. (The published asx has the opposite sign.) */
struct gpp_result {
    double asx[GPP_MAX_NW][2], ach[GPP_MAX_NW][2];
};

/* A named set of sizes. */
struct gpp_system {
    const char *name;
    struct gpp_sizes sizes;
    const char *about;
};

/* tiny, small, si214, si510. */
extern const struct gpp_system gpp_systems[];
extern const size_t gpp_n_systems;

/*
 * Sizes by the name of a system, or as "NBANDSxNGPOWNxNCOULS", e.g. "61x67x103"; nw 0: the system's own (2
 * for sizes). ERT_USAGE with a list of all systems, or the name, value and limit of a size: 1 to 2^31 - 1, nw
 * 1 to 6, all arrays at most 2^61 bytes.
 */
enum ert_status gpp_sizes_select(const char *system, size_t nw, struct gpp_sizes *sizes,
                                 struct ert_error *error);

/* Bytes of all input arrays, and the number of (n, igp, ig, iw), of checked sizes. */
uint64_t gpp_sizes_bytes(const struct gpp_sizes *sizes);
double gpp_sizes_iterations(const struct gpp_sizes *sizes);

/* ERT_UNAVAILABLE with both numbers if `what` needs more than `available_bytes`; before all allocations. */
enum ert_status gpp_memory_check(const char *what, uint64_t needed_bytes,
                                 uint64_t available_bytes, struct ert_error *error);

/* Memory of this machine for new arrays (MemAvailable), or UINT64_MAX if unknown. */
uint64_t gpp_memory_available_bytes(void);

/*
 * Generates inputs after checks of sizes and memory. Every value depends on seed, array and index alone
 * (random.h: the same on every platform and for any number of threads; only + - * and exact powers of two, so
 * without libm). Their physics: problem.c. The caller frees *problem (gpp_problem_free()).
 */
enum ert_status gpp_problem_generate(const struct gpp_sizes *sizes, uint64_t seed,
                                     struct gpp_problem *problem, struct ert_error *error);

/*
 * Copies a part of a problem: `count` rows igp = first, first + step ... with all bands and columns. To check
 * a part of a sum that is too long for the reference. ERT_FAILED without memory.
 */
enum ert_status gpp_problem_rows(const struct gpp_problem *problem, size_t first,
                                 size_t step, size_t count, struct gpp_problem *part,
                                 struct ert_error *error);

/* Frees the arrays; accepts NULL and a zeroed problem. */
void gpp_problem_free(struct gpp_problem *problem);

/* The arrays: name, number of doubles, pointer. For loops over all of them. */
enum { GPP_N_ARRAYS = 7 };
struct gpp_array {
    const char *name;
    size_t n; /* doubles */
    double **data;
};
void gpp_problem_arrays(struct gpp_problem *problem, struct gpp_array arrays[GPP_N_ARRAYS]);

/* The branches that the iterations take, as shares of all (n, igp, ig, iw), 0 to 1. */
struct gpp_shares {
    double first, second, third; /* the three branches; they sum to 1 */
    double cutoff;               /* it sets ssx to 0, in bands with occ > 0 */
    double cuttable;             /* w < 0 and occ > 0 */
    double occupied;             /* of the bands: occ > 0 */
};

/* Counts the shares; beyond max_iterations of whole rows with even igp, at least one. Uses OpenMP. */
void gpp_shares_count(const struct gpp_problem *problem, double max_iterations,
                      struct gpp_shares *shares);

/* ---- the reference (reference.c) ---- */

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

#ifdef __cplusplus
}
#endif

#endif
