/* SPDX-License-Identifier: BSD-3-Clause */
/* problem: sizes and systems; makes, samples and frees arrays; generates inputs. */
#include "gpp/problem.h"

#include "ert/core/base/file.h"
#include "ert/core/base/random.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * si214 is the paper's. Of si510 the paper gives only times and rates, which are those of 13.8 times as many
 * (n, igp, ig): each size times 2.4 makes 13.80. tiny and small are for tests and CPUs: odd, prime, unequal.
 */
const struct gpp_system gpp_systems[] = {
    {"tiny",  {29, 23, 101, 2},       "for tests: primes, 0.13 million iterations"  },
    {"small", {211, 101, 2003, 2},    "for CPUs: primes, 85 million iterations"     },
    {"si214", {800, 1385, 11075, 2},  "Si-214 of the paper, 24.5 billion iterations"},
    {"si510", {1920, 3321, 26555, 2}, "like Si-510: 13.80 times si214"              },
};
const size_t gpp_n_systems = ERT_LENGTH(gpp_systems);

static enum ert_status problem_check_sizes(const struct gpp_sizes *sizes,
                                           struct ert_error *error)
{
    const size_t limit = (size_t)INT32_MAX; /* indices are int in the kernels */
    const struct {
        const char *name;
        size_t value, limit;
    } rows[] = {
        {"nbands", sizes->nbands, limit     },
        {"ngpown", sizes->ngpown, limit     },
        {"ncouls", sizes->ncouls, limit     },
        {"nw",     sizes->nw,     GPP_MAX_NW},
    };
    for (size_t i = 0; i < ERT_LENGTH(rows); i++)
        if (rows[i].value < 1 || rows[i].value > rows[i].limit)
            return ert_fail(error, ERT_USAGE, "%s: %zu, must be 1 to %zu", rows[i].name,
                            rows[i].value, rows[i].limit);
    /* At most 2^61 bytes, so that sums of bytes in 64 bits do not overflow. */
    double bytes = 32.0 * (double)sizes->ngpown * (double)sizes->ncouls +
                   16.0 * (double)sizes->nbands * (double)sizes->ncouls +
                   16.0 * (double)sizes->nbands * (double)sizes->ngpown;
    if (bytes > 0x1p61)
        return ert_fail(error, ERT_USAGE,
                        "nbands %zu, ngpown %zu, ncouls %zu: %.4g bytes of inputs, must be "
                        "at most 2^61",
                        sizes->nbands, sizes->ngpown, sizes->ncouls, bytes);
    return ERT_OK;
}

enum ert_status gpp_sizes_select(const char *system, size_t nw, struct gpp_sizes *sizes,
                                 struct ert_error *error)
{
    char list[ERT_LIST_TEXT], words[3][19];
    int end = 0;
    const struct gpp_system *row =
        ert_list_find(gpp_systems, gpp_n_systems, sizeof *gpp_systems, system, list);
    struct gpp_sizes read = row ? row->sizes : (struct gpp_sizes){.nw = 2};
    if (!row && (system[0] < '0' || system[0] > '9'))
        return ert_fail(error, ERT_USAGE,
                        "no system '%.64s'; there are: %s, or sizes NBANDSxNGPOWNxNCOULS",
                        system, list);
    if (!row) {
        sscanf(system, "%18[0-9]x%18[0-9]x%18[0-9]%n", words[0], words[1], words[2], &end);
        if (!end || system[end])
            return ert_fail(error, ERT_USAGE,
                            "sizes '%.64s', must be NBANDSxNGPOWNxNCOULS, e.g. 61x67x103",
                            system);
        read.nbands = strtoull(words[0], NULL, 10);
        read.ngpown = strtoull(words[1], NULL, 10);
        read.ncouls = strtoull(words[2], NULL, 10);
    }
    read.nw = nw ? nw : read.nw;
    ERT_TRY(problem_check_sizes(&read, error));
    *sizes = read;
    return ERT_OK;
}

uint64_t gpp_sizes_bytes(const struct gpp_sizes *sizes)
{
    uint64_t nbands = sizes->nbands, ngpown = sizes->ngpown, ncouls = sizes->ncouls;
    uint64_t complexes = 2 * ngpown * ncouls + nbands * ncouls + nbands * ngpown;
    return 16 * complexes + 8 * (nbands * sizes->nw + ngpown + nbands);
}

double gpp_sizes_iterations(const struct gpp_sizes *sizes)
{
    return (double)sizes->nbands * (double)sizes->ngpown * (double)sizes->ncouls *
           (double)sizes->nw;
}

enum ert_status gpp_memory_check(const char *what, uint64_t needed_bytes,
                                 uint64_t available_bytes, struct ert_error *error)
{
    if (needed_bytes <= available_bytes)
        return ERT_OK;
    return ert_fail(error, ERT_UNAVAILABLE,
                    "%s: %" PRIu64 " bytes needed, %" PRIu64 " available", what,
                    needed_bytes, available_bytes);
}

uint64_t gpp_memory_available_bytes(void)
{
    char kib[32];
    const bool is_known = ert_file_value("/proc/meminfo", "MemAvailable", kib, sizeof kib);
    return is_known ? strtoull(kib, NULL, 10) * 1024 : UINT64_MAX;
}

void gpp_problem_arrays(struct gpp_problem *problem, struct gpp_array arrays[GPP_N_ARRAYS])
{
    const struct gpp_sizes *s = &problem->sizes;
    const struct gpp_array rows[GPP_N_ARRAYS] = {
        {"wtilde", 2 * s->ngpown * s->ncouls, &problem->wtilde},
        {"eps",    2 * s->ngpown * s->ncouls, &problem->eps   },
        {"aqsn",   2 * s->nbands * s->ncouls, &problem->aqsn  },
        {"aqsm",   2 * s->nbands * s->ngpown, &problem->aqsm  },
        {"wx",     s->nbands * s->nw,         &problem->wx    },
        {"vcoul",  s->ngpown,                 &problem->vcoul },
        {"occ",    s->nbands,                 &problem->occ   },
    };
    memcpy(arrays, rows, sizeof rows);
}

/* Allocates all arrays of problem->sizes, uninitialized. */
static enum ert_status problem_allocate(struct gpp_problem *problem,
                                        struct ert_error *error)
{
    struct gpp_array arrays[GPP_N_ARRAYS];
    gpp_problem_arrays(problem, arrays);
    for (size_t i = 0; i < GPP_N_ARRAYS; i++)
        *arrays[i].data = NULL;
    for (size_t i = 0; i < GPP_N_ARRAYS; i++) {
        size_t bytes = (arrays[i].n * sizeof(double) + 63) / 64 * 64;
        *arrays[i].data = aligned_alloc(64, bytes);
        if (*arrays[i].data)
            continue;
        gpp_problem_free(problem);
        return ert_fail(error, ERT_FAILED, "no memory for %s: %zu bytes", arrays[i].name,
                        bytes);
    }
    return ERT_OK;
}

void gpp_problem_free(struct gpp_problem *problem)
{
    struct gpp_array arrays[GPP_N_ARRAYS];
    if (!problem)
        return;
    gpp_problem_arrays(problem, arrays);
    for (size_t i = 0; i < GPP_N_ARRAYS; i++) {
        free(*arrays[i].data);
        *arrays[i].data = NULL;
    }
}

enum ert_status gpp_problem_rows(const struct gpp_problem *problem, size_t first,
                                 size_t step, size_t count, struct gpp_problem *part,
                                 struct ert_error *error)
{
    const struct gpp_sizes *s = &problem->sizes;
    struct gpp_problem made = {.sizes = *s, .seed = problem->seed};
    size_t row_bytes = 2 * s->ncouls * sizeof(double);
    made.sizes.ngpown = count;
    ERT_TRY(problem_allocate(&made, error));
    for (size_t i = 0; i < count; i++) {
        size_t from = first + i * step;
        memcpy(made.wtilde + 2 * i * s->ncouls, problem->wtilde + 2 * from * s->ncouls,
               row_bytes);
        memcpy(made.eps + 2 * i * s->ncouls, problem->eps + 2 * from * s->ncouls,
               row_bytes);
        made.vcoul[i] = problem->vcoul[from];
        for (size_t n = 0; n < s->nbands; n++)
            memcpy(made.aqsm + 2 * (n * count + i),
                   problem->aqsm + 2 * (n * s->ngpown + from), 2 * sizeof(double));
    }
    memcpy(made.aqsn, problem->aqsn, s->nbands * row_bytes);
    memcpy(made.wx, problem->wx, s->nbands * s->nw * sizeof(double));
    memcpy(made.occ, problem->occ, s->nbands * sizeof(double));
    *part = made;
    return ERT_OK;
}

/*
 * Inputs: for this kernel the values resemble a semiconductor's. They depend on seed, array and index alone.
 * Energies are in units of 2 gamma, about 1 eV.
 *
 * - Bands fill -4.24 ... 3.76 around the Fermi level evenly, with jitter; 53 % are occupied, the one at the
 *   level by half. w = e_lk - e_n, of a valence state, crosses 0 among the occupied bands: only these show
 *   the cutoff in the sums. Energies iw are 0.13 apart.
 * - Plasmon energies: 81 % above 0.5 (quadratic tail to 3), 7 % soft ones below it, and 12 % that the pole
 *   model gave up (about 1e-8, as BerkeleyGW zeroes them); only the latter reach branch 3. Imaginary parts
 *   are up to 3.1 % of the real ones, of both signs, never 0, so that no w meets a pole exactly. Soft and
 *   given-up modes are distributed over all columns by rank, not by chance, so that small systems have their
 *   share too.
 * - eps is small, of both signs, with a mean that is not 0, as have the matrix elements. So sums over them do
 *   not cancel (the sum of absolute values is about four times the sum); otherwise no two orders of summation
 *   could agree to 1e-11.
 */

/* One stream of random numbers for each array and part. */
enum stream {
    W_REAL,
    W_IMAG,
    EPS_REAL,
    EPS_IMAG,
    N_REAL,
    N_IMAG,
    M_REAL,
    M_IMAG,
    BAND,
    VCOUL
};

static double uniform(uint64_t seed, enum stream stream, size_t index, double low,
                      double high)
{
    uint64_t own = ert_random_u64(seed, (uint64_t)stream);
    return low + (high - low) * ert_random_unit(own, index);
}

/*
 * The real part of the mode at (igp, ig): of every 100 consecutive ones in a row 12 are given up and 7 soft,
 * and each row begins elsewhere. 37 ig runs through all residues of 100.
 */
static double plasmon_real(uint64_t seed, size_t igp, size_t ig, size_t index)
{
    size_t rank = (37 * ig + 61 * igp + 50) % 100; /* (0, 0) is ordinary */
    if (rank < 12)
        return uniform(seed, W_REAL, index, 1e-9, 2e-8);
    if (rank < 19)
        return uniform(seed, W_REAL, index, 0.05, 0.5);
    double u = uniform(seed, W_REAL, index, 0, 1);
    return 0.5 + 2.5 * u * u;
}

static void fill_row(struct gpp_problem *p, size_t igp)
{
    size_t ncouls = p->sizes.ncouls;
    for (size_t ig = 0; ig < ncouls; ig++) {
        size_t i = igp * ncouls + ig;
        double real = plasmon_real(p->seed, igp, ig, i);
        double share = uniform(p->seed, W_IMAG, i, -0.03, 0.03);
        p->wtilde[2 * i] = real;
        p->wtilde[2 * i + 1] = real * (share < 0 ? share - 0.001 : share + 0.001);
        p->eps[2 * i] = uniform(p->seed, EPS_REAL, i, -0.02, 0.04);
        p->eps[2 * i + 1] = uniform(p->seed, EPS_IMAG, i, -0.01, 0.01);
    }
    /* Falls with |G|, as the Coulomb potential does, but not to 0. */
    double g = (double)(igp + 1) / (double)p->sizes.ngpown;
    p->vcoul[igp] = uniform(p->seed, VCOUL, igp, 0.9, 1.1) / (0.2 + g);
}

static void fill_band(struct gpp_problem *p, size_t n)
{
    const struct gpp_sizes *s = &p->sizes;
    for (size_t ig = 0; ig < s->ncouls; ig++) {
        size_t i = n * s->ncouls + ig;
        p->aqsn[2 * i] = uniform(p->seed, N_REAL, i, 0.1, 1);
        p->aqsn[2 * i + 1] = uniform(p->seed, N_IMAG, i, -0.3, 0.4);
    }
    for (size_t igp = 0; igp < s->ngpown; igp++) {
        size_t i = n * s->ngpown + igp;
        p->aqsm[2 * i] = uniform(p->seed, M_REAL, i, 0.1, 1);
        p->aqsm[2 * i + 1] = uniform(p->seed, M_IMAG, i, -0.4, 0.3);
    }
    size_t at_level = (size_t)(0.53 * (double)s->nbands);
    double place = ((double)n + uniform(p->seed, BAND, n, 0.3, 0.7)) / (double)s->nbands;
    double band = 8 * (place - 0.53);
    for (size_t iw = 0; iw < s->nw; iw++)
        p->wx[n * s->nw + iw] = -1.64 + 0.13 * (double)iw - band;
    p->occ[n] = n < at_level ? 1 : n == at_level ? 0.5 : 0;
}

enum ert_status gpp_problem_generate(const struct gpp_sizes *sizes, uint64_t seed,
                                     struct gpp_problem *problem, struct ert_error *error)
{
    ERT_TRY(problem_check_sizes(sizes, error));
    ERT_TRY(gpp_memory_check("inputs", gpp_sizes_bytes(sizes), gpp_memory_available_bytes(),
                             error));
    struct gpp_problem made = {.sizes = *sizes, .seed = seed};
    ERT_TRY(problem_allocate(&made, error));
#pragma omp parallel for schedule(static)
    for (size_t igp = 0; igp < sizes->ngpown; igp++)
        fill_row(&made, igp);
#pragma omp parallel for schedule(static)
    for (size_t n = 0; n < sizes->nbands; n++)
        fill_band(&made, n);
    *problem = made;
    return ERT_OK;
}

static void count_one(const struct gpp_problem *p, size_t n, size_t igp, size_t ig,
                      size_t iw, double counts[3])
{
    size_t i = igp * p->sizes.ncouls + ig;
    double w = p->wx[n * p->sizes.nw + iw], wr = p->wtilde[2 * i],
           wi = p->wtilde[2 * i + 1];
    double modulus = wr * wr + wi * wi;
    double b = (w - wr) * (w - wr) + wi * wi, c = (w + wr) * (w + wr) + wi * wi;
    double a = modulus / b;
    /* |ssx| / |E| is |W|^2 / |w^2 - W2| in branch 1, |W| / (2 |w + W|) in branch 2. */
    int first = b > GPP_LIMIT_TWO && a < GPP_LIMIT_ONE;
    int second = !first && a > GPP_TOL_ZERO;
    double limit = GPP_SEXCUT * GPP_SEXCUT;
    double square = first ? modulus * modulus / (b * c) : modulus / (4 * c);
    int is_cut = p->occ[n] > 0 && (first || second) && w < 0 && square > limit;
    counts[0] += first;
    counts[1] += second;
    counts[2] += is_cut;
}

void gpp_shares_count(const struct gpp_problem *problem, double max_iterations,
                      struct gpp_shares *shares)
{
    const struct gpp_sizes *s = &problem->sizes;
    double row = gpp_sizes_iterations(s) / (double)s->ngpown, total = 0;
    double first = 0, second = 0, cut = 0;
    size_t step = (size_t)ceil(gpp_sizes_iterations(s) / fmax(max_iterations, row));
#pragma omp parallel for schedule(static) reduction(+ : total, first, second, cut)
    for (size_t igp = 0; igp < s->ngpown; igp += step) {
        double counts[3] = {0};
        for (size_t n = 0; n < s->nbands; n++)
            for (size_t ig = 0; ig < s->ncouls; ig++)
                for (size_t iw = 0; iw < s->nw; iw++)
                    count_one(problem, n, igp, ig, iw, counts);
        total += row;
        first += counts[0];
        second += counts[1];
        cut += counts[2];
    }
    size_t cuttable = 0, occupied = 0; /* these depend on the bands alone */
    for (size_t n = 0; n < s->nbands; n++) {
        occupied += problem->occ[n] > 0;
        for (size_t iw = 0; iw < s->nw; iw++)
            cuttable += problem->wx[n * s->nw + iw] < 0 && problem->occ[n] > 0;
    }
    *shares =
        (struct gpp_shares){.first = first / total,
                            .second = second / total,
                            .third = (total - first - second) / total,
                            .cutoff = cut / total,
                            .cuttable = (double)cuttable / (double)(s->nbands * s->nw),
                            .occupied = (double)occupied / (double)s->nbands};
}
