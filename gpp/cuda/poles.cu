/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * poles: v9 to v16, our own: the poles as partial fractions, then one more idea each. A function with the
 * version as its parameter V contains the code of that version; conditions on V mark what is new. Measured
 * times: results/h200/gpp.
 */
#include "gpp/cuda/kernel.cuh"

#include <cuda_pipeline.h>

/*
 * v9: v4's loops; both quotients as partial fractions around one reciprocal; weights after the loop.
 *
 * With r1 = 1 / (w - W), r2 = 1 / (w + W), p = E W: sch = p r1; ssx = (p / 2)(r1 - r2) in branch 1, since W /
 * (w^2 - W2) = (r1 - r2) / 2, and -(p / 2) r2 in branch 2, where delw / (delw + 1/2) is 2 W / (w + W). 1 /
 * (|w - W|^2 |w + W|^2) gives both. p, W and weights do not depend on n: the loop multiplies only the real
 * factors of conj(w -+ W) = d + i Wi, e - i Wi with M. Where the cutoff sets branch 1's ssx to 0, -r1
 * replaces r2. r1 - r2 cancels if |W| << |w|: the error of such a term is eps |E W / w|, which is negligible
 * in a sum with any ordinary mode. The loop over bands has a segment for each occupation (cpu/cpu.c sorts as
 * well).
 *
 * Blocks of 32 ig and 8 igp: a row of aqsn is read once for eight igp; neighbouring blocks have the same ig,
 * so that L2 holds the data that they read. FP64 instructions per (n, igp, ig, iw), nw 2: 4 for d, e, b, c, 1
 * + 8 for the reciprocal, 4 for q1, q2, dq, eq, 8 sums, 2 for M, 2 to 4 comparisons: 30. Predicted on an
 * H200, si214: 2.45e10 x 30 / (16.7e12 / s x 0.8) = 55 ms. Measured: 79 ms.
 *
 * v10: v9, with the reciprocal by rcp.approx and one cubic Newton step.
 *
 * Three FP64 instructions instead of eight and a check for the slow path: 25 per (n, igp, ig, iw). Predicted
 * on an H200, si214: 46 ms at 80 % of the FP64 pipe. Measured: 72 ms.
 *
 * v11: v10, with comparisons on the integer units.
 *
 * DSETP runs on the FP64 pipe; two integer comparisons do not, and an issue slot is free beside every FP64
 * instruction (16 lanes of a partition take a warp in two cycles): 22 FP64 and about as many other
 * instructions. Predicted on an H200, si214: 40 ms at 80 % of the pipe; 0 to 10 % less than v10, as issue
 * slots allow. Measured: 70 ms.
 *
 * v12: v11, without the exchange part for empty bands.
 *
 * occ = 0 sets all of asx to 0, so empty bands (47 %) need r1 alone, 11 FP64 instructions and M's 2. Per (n,
 * igp, ig, iw): 0.53 x 22 + 0.47 x 13 = 17.8. Predicted on an H200, si214: 2.45e10 x 17.8 / (16.7e12 / s x
 * 0.8) = 33 ms. Measured: 64 ms.
 *
 * v13: v12, with two igp in a thread.
 *
 * Two igp share the loads of aqsn and wx and the loop's own instructions: fewer issue slots beside the FP64
 * instructions, and twice the independent chains. Up to 168 registers, 12 warps on an SM. Predicted on an
 * H200, si214: 2.45e10 x 17.8 / (16.7e12 / s x 0.88) = 30 ms. Measured: 59 ms: the warps wait for L2 and for
 * chains, the subject of v14 to v16.
 *
 * v14: v13, with poles in units of Im W.
 *
 * x = (w - Re W) / Im W gives 1 / (w - W) = (x + i) / (Im W (x^2 + 1)), so that x M -+ i M is computed before
 * the reciprocal and a pole needs two sums, not four: 9 FP64 instructions instead of 10, half the registers
 * of sums, a shorter chain. Each pole has its own reciprocal: as many instructions as one for both, and they
 * overlap.
 *
 * v15: v14, with bands sorted by the sign of w too.
 *
 * The cutoff can occur only in an occupied band with a negative w. The other loops have no branch, and the
 * compiler can interleave the chains of all energies and rows in one basic block.
 *
 * v16: v15, with bands staged through shared memory.
 *
 * Tiles of 32 bands (aqsn of 32 ig, aqsm of the block's igp, wx) are copied asynchronously while the previous
 * tile is processed, so that no warp waits for L2. The remaining limit is the register file: a DFMA with
 * three different register pairs takes three cycles to read them, not two (results/h200/gpp). Alternatives
 * gained less than 1 %: 8 to 24 warps per SM, one to four rows per thread, loops without the tests that no
 * place of a warp needs.
 */

/*
 * 1 / x. v10: rcp.approx.ftz.f64 uses the upper word and gives 20 bits (relative error e below 2^-19); r (1 +
 * e + e^2) leaves e^3, below 2^-57. Three FP64 instructions, no slow path: x is |w^2 - W2|^2 of energies, far
 * from overflow and from 0 (place_of()).
 */
template <int V> GPP_DEVICE double reciprocal(double x)
{
    double r, e;
    if (V < 10)
        return 1 / x;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
    e = fma(-x, r, 1.0);
    e = fma(e, e, e);
    return fma(r, e, r);
}

/* a > b for numbers that are not negative; v11: as integers, since the integer units are idle here. */
template <int V> GPP_DEVICE bool above(double a, double b)
{
    return V < 11 ? a > b : __double_as_longlong(a) > __double_as_longlong(b);
}

/* The work of a loop over bands; EMPTY: sch alone, since an empty band has no exchange. */
enum kind { EMPTY, OCCUPIED, CUT };

/* v9 to v13: values of a thread's (igp, ig) for all n. */
struct place {
    double wr, wi2;       /* Re W, Im W squared */
    double first, second; /* |w - W|^2: branch 1 above first, else branch 2 below second */
    double cut1, cut2; /* cutoff below: |w^2 - W2|^2 in branch 1, |w + W|^2 in branch 2 */
};

/* Sums over n: parts times M real, M imaginary; see finish(). */
struct sums {
    double dr, di, qr, qi, er, ei, cr, ci;
};

GPP_DEVICE void place_of(double2 wtilde, place &at)
{
    double wi2 = wtilde.y * wtilde.y, square = wtilde.x * wtilde.x + wi2;
    at.wr = wtilde.x;
    at.wi2 = fmax(wi2, 1e-200); /* w on a real pole: finite quotients, not selected */
    at.first = fmax(square * (1 / GPP_LIMIT_ONE), GPP_LIMIT_TWO);
    at.second = square * (1 / GPP_TOL_ZERO);
    at.cut1 = square * square * (1 / (GPP_SEXCUT * GPP_SEXCUT));
    at.cut2 = square * (1 / (4 * GPP_SEXCUT * GPP_SEXCUT));
}

template <int V, kind KIND>
GPP_DEVICE void add(const place &at, double w, double mr, double mi, sums &s)
{
    if (KIND == EMPTY) {
        double d = w - at.wr, b = d * d + at.wi2, q = reciprocal<V>(b);
        double q1 = above<V>(b, at.first) ? q : 0, dq = d * q1;
        s.dr += dq * mr;
        s.di += dq * mi;
        s.qr += q1 * mr;
        s.qi += q1 * mi;
        return;
    }
    double d = w - at.wr, e = w + at.wr, b = d * d + at.wi2, c = e * e + at.wi2;
    double bc = b * c, q = reciprocal<V>(bc);
    bool is_first = above<V>(b, at.first);
    double q1 = is_first ? c * q : 0, q2 = is_first || above<V>(at.second, b) ? b * q : 0;
    if (w < 0) { /* the same for the whole block */
        bool cut1 = is_first && above<V>(at.cut1, bc),
             cut2 = !is_first && above<V>(at.cut2, c);
        q2 = cut1 ? -q1 : cut2 ? 0 : q2;
        e = cut1 ? -d : e;
    }
    double dq = d * q1, eq = e * q2;
    s.dr += dq * mr;
    s.di += dq * mi;
    s.qr += q1 * mr;
    s.qi += q1 * mi;
    s.er += eq * mr;
    s.ei += eq * mi;
    s.cr += q2 * mr;
    s.ci += q2 * mi;
}

/* Adds asx and ach to a thread's sums of an energy; p: E W and all weights except the occupation. */
template <int NW>
GPP_DEVICE void add_results(double2 p, double2 first, double2 second, double occ, int iw,
                            double to[4][NW])
{
    double2 asx = occ * (p * (first - second)), ach = p * first;
    to[0][iw] += asx.x;
    to[1][iw] += asx.y;
    to[2][iw] += ach.x;
    to[3][iw] += ach.y;
}

/* Computes asx and ach from the sums over n. */
template <int NW>
GPP_DEVICE void finish(const sums &s, const place &, double2 wtilde, double2 eps,
                       double vcoul, double occ, int iw, double to[4][NW])
{
    double2 p = 0.5 * vcoul * (eps * wtilde);
    double2 first = make_double2(s.dr - wtilde.y * s.qi, s.di + wtilde.y * s.qr);
    double2 second = make_double2(s.er + wtilde.y * s.ci, s.ei - wtilde.y * s.cr);
    add_results<NW>(p, first, second, occ, iw, to);
}

/* v14 to v16: the same, with squares in units of (Im W)^2, cut1 in units of its square. */
struct unit_place {
    double scale, shift;  /* 1 / Im W, Re W / Im W */
    double first, second; /* |w - W|^2: branch 1 above first, else branch 2 below second */
    double cut1, cut2; /* cutoff below: |w^2 - W2|^2 in branch 1, |w + W|^2 in branch 2 */
};

/* Sums over n of M / (w - W) and M / (w + W), times Im W. */
struct unit_sums {
    double fr, fi, sr, si;
};

GPP_DEVICE void place_of(double2 wtilde, unit_place &at)
{
    /* On a real pole 1e-70, whose fourth power still has a reciprocal. */
    double wi = fabs(wtilde.y) < 1e-70 ? 1e-70 : wtilde.y, scale = 1 / wi;
    double unit = scale * scale, square = (wtilde.x * wtilde.x + wi * wi) * unit;
    at.scale = scale;
    at.shift = wtilde.x * scale;
    at.first = fmax(square * (1 / GPP_LIMIT_ONE), GPP_LIMIT_TWO * unit);
    at.second = square * (1 / GPP_TOL_ZERO);
    at.cut1 = square * square * (1 / (GPP_SEXCUT * GPP_SEXCUT));
    at.cut2 = square * (1 / (4 * GPP_SEXCUT * GPP_SEXCUT));
}

template <int V, kind KIND>
GPP_DEVICE void add(const unit_place &at, double w, double mr, double mi, unit_sums &s)
{
    double d = w * at.scale - at.shift, b = d * d + 1, q1 = reciprocal<V>(b);
    double fr = d * mr - mi, fi = d * mi + mr;
    bool is_first = above<V>(b, at.first);
    q1 = is_first ? q1 : 0;
    s.fr += q1 * fr;
    s.fi += q1 * fi;
    if (KIND == EMPTY)
        return;
    double e = w * at.scale + at.shift, c = e * e + 1, q2 = reciprocal<V>(c);
    double sr = e * mr + mi, si = e * mi - mr;
    q2 = is_first || above<V>(at.second, b) ? q2 : 0;
    if (KIND == CUT) {
        bool is_below = __double2hiint(w) < 0,
             cut1 = is_below && is_first && above<V>(at.cut1, b * c),
             cut2 = is_below && !is_first && above<V>(at.cut2, c);
        q2 = cut1 ? q1 : cut2 ? 0 : q2;
        sr = cut1 ? fr : sr;
        si = cut1 ? fi : si;
    }
    s.sr += q2 * sr;
    s.si += q2 * si;
}

/* v14: a branch instead of selections, the same for the whole block. */
template <>
__device__ __forceinline__ void add<14, CUT>(const unit_place &at, double w, double mr,
                                             double mi, unit_sums &s)
{
    double d = w * at.scale - at.shift, b = d * d + 1, q1 = reciprocal<14>(b);
    double e = w * at.scale + at.shift, c = e * e + 1, q2 = reciprocal<14>(c);
    double fr = d * mr - mi, fi = d * mi + mr, sr = e * mr + mi, si = e * mi - mr;
    bool is_first = above<14>(b, at.first);
    q1 = is_first ? q1 : 0;
    q2 = is_first || above<14>(at.second, b) ? q2 : 0;
    if (w < 0) {
        bool cut1 = is_first && above<14>(at.cut1, b * c),
             cut2 = !is_first && above<14>(at.cut2, c);
        q2 = cut1 ? q1 : cut2 ? 0 : q2;
        sr = cut1 ? fr : sr;
        si = cut1 ? fi : si;
    }
    s.fr += q1 * fr;
    s.fi += q1 * fi;
    s.sr += q2 * sr;
    s.si += q2 * si;
}

template <int NW>
GPP_DEVICE void finish(const unit_sums &s, const unit_place &at, double2 wtilde,
                       double2 eps, double vcoul, double occ, int iw, double to[4][NW])
{
    double2 p = 0.5 * vcoul * at.scale * (eps * wtilde);
    add_results<NW>(p, make_double2(s.fr, s.fi), make_double2(s.sr, s.si), occ, iw, to);
}

/* Bands from ... to - 1 for the ROWS places of a thread, which share each load of aqsn and wx. */
template <int V, kind KIND, int NW, int ROWS, class PLACE, class SUMS>
GPP_DEVICE void sweep(const gpp_cuda_arguments &p, const double2 *const m[ROWS], int ig,
                      int from, int to, bool wanted, const PLACE at[ROWS], SUMS s[ROWS][NW])
{
    for (int n = from; n < to && wanted; n++) {
        const double2 g = p.aqsn[(size_t)n * p.ncouls + ig];
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const double2 a = m[r][n];
            const double mr = a.x * g.x + a.y * g.y, mi = a.x * g.y - a.y * g.x;
#pragma unroll
            for (int iw = 0; iw < NW; iw++)
                add<V, KIND>(at[r], p.wx[n * NW + iw], mr, mi, s[r][iw]);
        }
    }
}

/* All bands for the ROWS places of a thread (v9: one, v13: two). */
template <int V, int NW, int ROWS, class PLACE, class SUMS>
GPP_DEVICE void sum_bands(const gpp_cuda_arguments &p, int first_igp, int ig,
                          double to[4][NW])
{
    double2 wtilde[ROWS], eps[ROWS];
    const double2 *m[ROWS];
    PLACE at[ROWS];
    double vcoul[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        /* beyond the last row: the thread's first row again, with weight 0 */
        const bool is_there = ROWS == 1 && V < 13 ? true : first_igp + r < p.ngpown;
        const int igp = is_there ? first_igp + r : first_igp;
        const size_t from = (size_t)igp * p.ncouls + ig;
        wtilde[r] = p.wtilde[from];
        eps[r] = p.eps[from];
        vcoul[r] = is_there ? p.vcoul[igp] : 0;
        m[r] = p.aqsm + (size_t)igp * p.nbands;
        place_of(wtilde[r], at[r]);
    }
    for (int k = 0; k < p.n_segments; k++) {
        const gpp_cuda_segment segment = p.segments[k];
        SUMS s[ROWS][NW] = {};
        const int from = segment.first, end = segment.end;
        if (V < 15) {
            sweep<V, CUT, NW, ROWS>(p, m, ig, from, end, V < 12 || segment.occ != 0, at, s);
            sweep<V, EMPTY, NW, ROWS>(p, m, ig, from, end, V >= 12 && segment.occ == 0, at,
                                      s);
        } else if (segment.occ == 0) {
            sweep<V, EMPTY, NW, ROWS>(p, m, ig, from, end, true, at, s);
        } else if (segment.has_negative) {
            sweep<V, CUT, NW, ROWS>(p, m, ig, from, end, true, at, s);
        } else {
            sweep<V, OCCUPIED, NW, ROWS>(p, m, ig, from, end, true, at, s);
        }
#pragma unroll
        for (int i = 0; i < ROWS * NW; i++)
            finish<NW>(s[i / NW][i % NW], at[i / NW], wtilde[i / NW], eps[i / NW],
                       vcoul[i / NW], segment.occ, i % NW, to);
    }
}

/* v9 to v12: blocks of 32 ig and 8 igp; a thread has one of each. */
template <int V, int NW> GPP_DEVICE void one_row(const gpp_cuda_arguments &p)
{
    const int ig = blockIdx.y * blockDim.x + threadIdx.x;
    const int igp = blockIdx.x * blockDim.y + threadIdx.y;
    double to[4][NW] = {};
    if (ig < p.ncouls && igp < p.ngpown)
        sum_bands<V, NW, 1, place, sums>(p, igp, ig, to);
    gpp_add_block<NW>(p, 0, to);
}

#define ONE_ROW(name, version)                                                             \
    template <int NW>                                                                      \
    static __global__ void __launch_bounds__(256, NW > 3 ? 1 : 2)                          \
        name(const gpp_cuda_arguments p)                                                   \
    {                                                                                      \
        one_row<version, NW>(p);                                                           \
    }

ONE_ROW(gpp_v9, 9)
ONE_ROW(gpp_v10, 10)
ONE_ROW(gpp_v11, 11)
ONE_ROW(gpp_v12, 12)
GPP_CUDA_ROW(v9, gpp_v9, 32, 8, 32, 8, 0, 0, 0, GPP_CUDA_BY_OCCUPATION, 1);
GPP_CUDA_ROW(v10, gpp_v10, 32, 8, 32, 8, 0, 0, 0, GPP_CUDA_BY_OCCUPATION, 1);
GPP_CUDA_ROW(v11, gpp_v11, 32, 8, 32, 8, 0, 0, 0, GPP_CUDA_BY_OCCUPATION, 1);
GPP_CUDA_ROW(v12, gpp_v12, 32, 8, 32, 8, 0, 0, 0, GPP_CUDA_BY_OCCUPATION, 1);

/*
 * From v13 on: two igp in a thread. For more than three energies (v14: two, for 16 warps) the sums of two igp
 * do not fit in the registers, so the thread processes them one after the other.
 */
enum { ROWS = 2 };

template <int V, int NW> constexpr int rows_at_once = NW > (V < 14 ? 3 : 2) ? 1 : ROWS;

template <int V, int NW, class PLACE, class SUMS>
GPP_DEVICE void two_rows(const gpp_cuda_arguments &p)
{
    constexpr int rows = rows_at_once<V, NW>;
    const int ig = blockIdx.y * blockDim.x + threadIdx.x;
    const int first = (blockIdx.x * blockDim.y + threadIdx.y) * ROWS;
    double to[4][NW] = {};
    for (int igp = first; igp < min(first + ROWS, p.ngpown) && ig < p.ncouls; igp += rows)
        sum_bands<V, NW, rows, PLACE, SUMS>(p, igp, ig, to);
    gpp_add_block<NW>(p, 0, to);
}

template <int NW>
static __global__ void __launch_bounds__(128, NW > 2 ? 2 : 3)
    gpp_v13(const gpp_cuda_arguments p)
{
    two_rows<13, NW, place, sums>(p);
}

template <int NW>
static __global__ void __launch_bounds__(128, NW > 4 ? 3 : 4)
    gpp_v14(const gpp_cuda_arguments p)
{
    two_rows<14, NW, unit_place, unit_sums>(p);
}

template <int NW>
static __global__ void __launch_bounds__(128, NW > 4 ? 3 : 4)
    gpp_v15(const gpp_cuda_arguments p)
{
    two_rows<15, NW, unit_place, unit_sums>(p);
}

GPP_CUDA_ROW(v13, gpp_v13, 32, 4, 32, 4 * ROWS, 0, 0, 0, GPP_CUDA_BY_OCCUPATION, 1);
GPP_CUDA_ROW(v14, gpp_v14, 32, 4, 32, 4 * ROWS, 0, 0, 0, GPP_CUDA_BY_OCCUPATION, 1);
GPP_CUDA_ROW(v15, gpp_v15, 32, 4, 32, 4 * ROWS, 0, 0, 0, GPP_CUDA_BY_SIGN, 1);

/* v16: the data of BANDS bands for a block; a column per lane, rows per warp. */
enum { LANES = 32, WARPS = 4, BANDS = 32 };

template <int NW, int ROWS> struct tile {
    double2 aqsn[BANDS][LANES];
    double2 aqsm[WARPS * ROWS][BANDS];
    double wx[BANDS][NW];
};

/* Begins the copy of bands n ... n + BANDS - 1; after the last band, copies it again. */
template <int NW, int ROWS>
GPP_DEVICE void fill(const gpp_cuda_arguments &p, int n, int first_igp, int ig,
                     tile<NW, ROWS> &to)
{
    const int thread = threadIdx.y * LANES + threadIdx.x, last = p.nbands - 1;
    if (n <= last) {
#pragma unroll
        for (int row = threadIdx.y; row < BANDS; row += WARPS)
            __pipeline_memcpy_async(&to.aqsn[row][threadIdx.x],
                                    &p.aqsn[(size_t)min(n + row, last) * p.ncouls + ig],
                                    sizeof(double2));
#pragma unroll
        for (int i = thread; i < WARPS * ROWS * BANDS; i += WARPS * LANES) {
            const int igp = min(first_igp + i / BANDS, p.ngpown - 1);
            __pipeline_memcpy_async(
                &to.aqsm[i / BANDS][i % BANDS],
                &p.aqsm[(size_t)igp * p.nbands + min(n + i % BANDS, last)],
                sizeof(double2));
        }
#pragma unroll
        for (int i = thread; i < BANDS * NW; i += WARPS * LANES)
            __pipeline_memcpy_async(&to.wx[0][0] + i,
                                    &p.wx[min(n * NW + i, p.nbands * NW - 1)],
                                    sizeof(double));
    }
    __pipeline_commit();
}

/* Bands from ... to - 1 of a tile for the ROWS places of a thread. */
template <kind KIND, int NW, int ROWS>
GPP_DEVICE void sweep_tile(const tile<NW, ROWS> &tile, int from, int to,
                           const unit_place at[ROWS], unit_sums s[ROWS][NW])
{
#pragma unroll 2
    for (int n = from; n < to; n++) {
        const double2 g = tile.aqsn[n][threadIdx.x];
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            const double2 a = tile.aqsm[threadIdx.y * ROWS + r][n];
            const double mr = a.x * g.x + a.y * g.y, mi = a.x * g.y - a.y * g.x;
#pragma unroll
            for (int iw = 0; iw < NW; iw++)
                add<16, KIND>(at[r], tile.wx[n][iw], mr, mi, s[r][iw]);
        }
    }
}

/* At the end of a segment: adds the sums of the thread's rows to `to` and resets them to 0. */
template <int NW, int ROWS>
GPP_DEVICE void finish_rows(const gpp_cuda_arguments &p, int first_igp, int ig,
                            double weight, double occ, const unit_place at[ROWS],
                            unit_sums s[ROWS][NW], double to[4][NW])
{
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const int igp = min(first_igp + r, p.ngpown - 1);
        const size_t from = (size_t)igp * p.ncouls + ig;
        const double vcoul = first_igp + r < p.ngpown ? weight * p.vcoul[igp] : 0;
#pragma unroll
        for (int iw = 0; iw < NW; iw++) {
            finish<NW>(s[r][iw], at[r], p.wtilde[from], p.eps[from], vcoul, occ, iw, to);
            s[r][iw] = unit_sums{0, 0, 0, 0};
        }
    }
}

/* All bands for the block's rows from first_igp; a column after the last one has weight 0. */
template <int NW, int ROWS>
GPP_DEVICE void sum_tiles(const gpp_cuda_arguments &p, int first_igp, int column,
                          tile<NW, ROWS> tiles[2], double to[4][NW])
{
    const int ig = min(column, p.ncouls - 1), own_igp = first_igp + threadIdx.y * ROWS;
    unit_place at[ROWS];
    unit_sums s[ROWS][NW] = {};
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        place_of(p.wtilde[(size_t)min(own_igp + r, p.ngpown - 1) * p.ncouls + ig], at[r]);
    fill(p, 0, first_igp, ig, tiles[0]);
    int next = 0;
    gpp_cuda_segment segment = p.segments[0];
    for (int n0 = 0; n0 < p.nbands; n0 += BANDS) {
        const tile<NW, ROWS> &now = tiles[n0 / BANDS % 2];
        fill(p, n0 + BANDS, first_igp, ig, tiles[(n0 / BANDS + 1) % 2]);
        __pipeline_wait_prior(1);
        __syncthreads();
        for (int n = n0, last = min(n0 + BANDS, p.nbands); n < last;) {
            const int stop = min(segment.end, last);
            if (segment.occ == 0)
                sweep_tile<EMPTY, NW, ROWS>(now, n - n0, stop - n0, at, s);
            else if (segment.has_negative)
                sweep_tile<CUT, NW, ROWS>(now, n - n0, stop - n0, at, s);
            else
                sweep_tile<OCCUPIED, NW, ROWS>(now, n - n0, stop - n0, at, s);
            n = stop;
            if (stop == segment.end) {
                finish_rows<NW, ROWS>(p, own_igp, ig, column < p.ncouls, segment.occ, at, s,
                                      to);
                segment = p.segments[min(++next, p.n_segments - 1)];
            }
        }
        __syncthreads();
    }
}

template <int NW>
static __global__ void __launch_bounds__(LANES *WARPS, NW == 2 || NW > 4 ? 3 : 4)
    gpp_v16(const gpp_cuda_arguments p)
{
    constexpr int rows = rows_at_once<16, NW>;
    __shared__ tile<NW, rows> tiles[2];
    const int column = blockIdx.y * LANES + threadIdx.x;
    const int first = blockIdx.x * WARPS * ROWS;
    double to[4][NW] = {};
    for (int igp = first; igp < min(first + WARPS * ROWS, p.ngpown); igp += WARPS * rows)
        sum_tiles<NW, rows>(p, igp, column, tiles, to);
    gpp_add_block<NW>(p, 0, to);
}

GPP_CUDA_ROW(v16, gpp_v16, LANES, WARPS, LANES, WARPS *ROWS, 0, 0, 0, GPP_CUDA_BY_SIGN, 1);
