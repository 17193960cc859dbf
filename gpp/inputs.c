/*
 * inputs: values that look like a semiconductor's to this kernel, from seed, array and index alone.
 * Energies are in units of 2 gamma, about 1 eV.
 *
 * - Bands fill -4 ... 4 around the Fermi level evenly, with jitter; 53 % are occupied, the one at the
 *   level by half. w = e_lk - e_n, of a valence state, crosses 0 among the occupied bands: only these
 *   show the cutoff in the sums. Energies iw lie 0.13 apart.
 * - Plasmon energies: 81 % above 0.5 (quadratic tail to 3), 7 % soft ones below it, and 12 % that the
 *   pole model gave up (about 1e-8, as BerkeleyGW zeroes them): these alone reach branch 3. Imaginary
 *   parts are a few per cent, of both signs, never 0, so that no w meets a pole exactly. Soft and given
 *   up modes are spread over all columns by rank, not by chance: small systems have their share too.
 * - eps is small, of both signs, with a mean that is not 0; so have the matrix elements. Sums over
 *   them then do not cancel (sum of absolute values about four times the sum): else no two orders of
 *   summation could agree to 1e-11.
 */
#include "gpp/problem.h"

#include "ert/base/random.h"

#include <math.h>

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
 * Which kind of mode stands at (igp, ig): of every 100 numbers in a row 12 are given up and 7 soft, and
 * each row begins elsewhere: 37 ig runs through all residues of 100.
 */
static double plasmon_real(uint64_t seed, size_t igp, size_t ig, size_t index)
{
    size_t rank = (37 * ig + 61 * igp + 50) % 100; /* (0, 0) is an ordinary one */
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
    /* Falls with |G|, as the Coulomb potential does, but not to nothing. */
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
    ERT_TRY(gpp_sizes_check(sizes, error));
    ERT_TRY(gpp_memory_check("inputs", gpp_sizes_bytes(sizes), gpp_memory_available_bytes(),
                             error));
    struct gpp_problem made = {.sizes = *sizes, .seed = seed};
    ERT_TRY(gpp_problem_allocate(&made, error));
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

/* The bands' part of the shares. */
static void count_bands(const struct gpp_problem *problem, struct gpp_shares *shares)
{
    const size_t nw = problem->sizes.nw, n_energies = problem->sizes.nbands * nw;
    size_t negative = 0, cuttable = 0, occupied = 0;
    for (size_t i = 0; i < n_energies; i++) {
        negative += problem->wx[i] < 0;
        cuttable += problem->wx[i] < 0 && problem->occ[i / nw] > 0;
    }
    for (size_t n = 0; n < problem->sizes.nbands; n++)
        occupied += problem->occ[n] > 0;
    shares->negative = (double)negative / (double)n_energies;
    shares->cuttable = (double)cuttable / (double)n_energies;
    shares->occupied = (double)occupied / (double)problem->sizes.nbands;
}

void gpp_shares_count(const struct gpp_problem *problem, double max_iterations,
                      struct gpp_shares *shares, double *sampled_share)
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
    shares->first = first / total;
    shares->second = second / total;
    shares->third = (total - first - second) / total;
    shares->cutoff = cut / total;
    count_bands(problem, shares);
    if (sampled_share)
        *sampled_share = total / gpp_sizes_iterations(s);
}
