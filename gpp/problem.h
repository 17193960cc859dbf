/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * problem: one instance of the General Plasmon Pole sum: its sizes, its input arrays, its result. Here
 * are the constants of the formula and everything that makes, checks, saves or loads inputs. Nothing
 * here computes the sum: reference.h and versions.h do.
 *
 * Source: the GPP kernel of BerkeleyGW's Sigma module as in arXiv:2008.11326. For every band n, row
 * igp, column ig and energy iw, with w = wx, W = wtilde, E = eps, W2 = W^2, Om2 = W2 E:
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

#include "ert/base/error.h"

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
 * Inputs. Complex values are pairs (real, imaginary) of doubles; the fastest index stands last. All
 * arrays are owned, aligned to 64 bytes and only read by whoever computes.
 */
struct gpp_problem {
    struct gpp_sizes sizes;
    uint64_t seed;  /* that they were made from */
    double *wtilde; /* complex [ngpown][ncouls] */
    double *eps;    /* complex [ngpown][ncouls] */
    double *aqsn;   /* complex [nbands][ncouls] */
    double *aqsm;   /* complex [nbands][ngpown] */
    double *wx;     /* [nbands][nw], energy difference of either sign */
    double *vcoul;  /* [ngpown] */
    double *occ;    /* [nbands]: 1 occupied, 0 empty, 0.5 at the Fermi level */
};

/* The sums as above; entries from nw on are 0. (The published asx is minus this one.) */
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
 * Sizes of a system's name, or as "NBANDSxNGPOWNxNCOULS", e.g. "61x67x103"; nw 0: the system's own (2 for
 * sizes). ERT_USAGE lists all systems, or as gpp_sizes_check().
 */
enum ert_status gpp_sizes_select(const char *system, size_t nw, struct gpp_sizes *sizes,
                                 struct ert_error *error);

/*
 * Each size must be 1 to 2^31 - 1, nw 1 to 6, and the sizes such that 2^62 bytes hold all arrays:
 * else ERT_USAGE with the size's name, its value and the limit.
 */
enum ert_status gpp_sizes_check(const struct gpp_sizes *sizes, struct ert_error *error);

/* Bytes of all input arrays, and the number of (n, igp, ig, iw), of checked sizes. */
uint64_t gpp_sizes_bytes(const struct gpp_sizes *sizes);
double gpp_sizes_iterations(const struct gpp_sizes *sizes);

/*
 * Refuses (ERT_UNAVAILABLE) when `needed_bytes` for `what` are more than `available_bytes`; both are
 * said. Before anything is allocated.
 */
enum ert_status gpp_memory_check(const char *what, uint64_t needed_bytes,
                                 uint64_t available_bytes, struct ert_error *error);

/* What this machine has for new arrays (MemAvailable), or UINT64_MAX where it does not say. */
uint64_t gpp_memory_available_bytes(void);

/*
 * Makes inputs: sizes checked, memory checked, then every value from seed, array and index alone
 * (random.h: the same on every platform and for any number of threads; only + - * and exact powers of
 * two, so that no libm enters). Physically shaped: problem.c says how. *problem is the caller's
 * (gpp_problem_free()).
 */
enum ert_status gpp_problem_generate(const struct gpp_sizes *sizes, uint64_t seed,
                                     struct gpp_problem *problem, struct ert_error *error);

/*
 * A part of a problem: rows igp = first, first + step ... (count of them) with all bands and columns.
 * Copies. For a check on part of a sum that is too long for the reference. ERT_FAILED without memory.
 */
enum ert_status gpp_problem_rows(const struct gpp_problem *problem, size_t first,
                                 size_t step, size_t count, struct gpp_problem *part,
                                 struct ert_error *error);

/*
 * Saves atomically and loads (layout in problem.c: magic, sizes, seed, checksum, arrays). Loading
 * refuses (ERT_USAGE) what is no such file, of another version or byte order, cut, longer than its
 * sizes say, with a wrong checksum, or with values that are not finite: array and index named.
 */
enum ert_status gpp_problem_save(const char *file, const struct gpp_problem *problem,
                                 struct ert_error *error);
enum ert_status gpp_problem_load(const char *file, struct gpp_problem *problem,
                                 struct ert_error *error);

/* Frees the arrays; all zero or NULL is fine. */
void gpp_problem_free(struct gpp_problem *problem);

/* The arrays in the order of the file: name, how many doubles, where. For loops over all of them. */
enum { GPP_N_ARRAYS = 7 };
struct gpp_array {
    const char *name;
    size_t n;       /* doubles */
    size_t columns; /* values in a row, for messages */
    int is_complex;
    double **data;
};
void gpp_problem_arrays(struct gpp_problem *problem, struct gpp_array arrays[GPP_N_ARRAYS]);

/* Which way the iterations go, as shares of all (n, igp, ig, iw), 0 to 1. */
struct gpp_shares {
    double first, second, third; /* the three branches; they sum to 1 */
    double cutoff;               /* ssx set to 0 by it, on bands with occ > 0 */
    double negative;             /* w < 0 */
    double cuttable;             /* w < 0 and occ > 0 */
    double occupied;             /* of the bands: occ > 0 */
};

/*
 * Counts them. More than max_iterations are sampled in whole rows, evenly spaced igp (at least one
 * row); *sampled_share says how much of the problem was counted, NULL is fine. Uses OpenMP.
 */
void gpp_shares_count(const struct gpp_problem *problem, double max_iterations,
                      struct gpp_shares *shares, double *sampled_share);

#ifdef __cplusplus
}
#endif

#endif
