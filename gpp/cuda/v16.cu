/*
 * v16: v15, with bands staged through shared memory.
 *
 * Tiles of 32 bands (aqsn of 32 ig, aqsm of the block's igp, wx) are copied asynchronously while the tile
 * before is worked on: no warp waits for L2 any more. What is left is the register file: a DFMA with three
 * different register pairs takes three cycles to read them, not two (results/h200/gpp). 8 to 24 warps per SM,
 * one to four rows a thread, loops without the tests that no place of a warp needs: none is 1 % faster.
 */
#include "gpp/cuda/kernel.cuh"

#include <cuda_pipeline.h>

enum { LANES = 32, WARPS = 4, BANDS = 32 };

/* What BANDS bands bring to a block; columns of lanes, rows of warps. */
template <int NW, int ROWS> struct tile {
    double2 aqsn[BANDS][LANES];
    double2 aqsm[WARPS * ROWS][BANDS];
    double wx[BANDS][NW];
};

/* What a thread's (igp, ig) brings to all n; squares in units of (Im W)^2, cut1 of its square. */
struct place {
    double scale, shift;  /* 1 / Im W, Re W / Im W */
    double first, second; /* |w - W|^2: branch 1 above first, else branch 2 below second */
    double cut1, cut2; /* cutoff below: |w^2 - W2|^2 in branch 1, |w + W|^2 in branch 2 */
};

/* Sums over n of M / (w - W) and M / (w + W), times Im W. */
struct sums {
    double fr, fi, sr, si;
};

GPP_DEVICE place place_of(double2 wtilde)
{
    /* On a real pole: 1e-70, whose fourth power still has a reciprocal. */
    double wi = fabs(wtilde.y) < 1e-70 ? 1e-70 : wtilde.y, scale = 1 / wi;
    double unit = scale * scale, square = (wtilde.x * wtilde.x + wi * wi) * unit;
    place at;
    at.scale = scale;
    at.shift = wtilde.x * scale;
    at.first = fmax(square * (1 / GPP_LIMIT_ONE), GPP_LIMIT_TWO * unit);
    at.second = square * (1 / GPP_TOL_ZERO);
    at.cut1 = square * square * (1 / (GPP_SEXCUT * GPP_SEXCUT));
    at.cut2 = square * (1 / (4 * GPP_SEXCUT * GPP_SEXCUT));
    return at;
}

/* As in v10: 20 bits of 1 / x, and one cubic step. */
GPP_DEVICE double reciprocal(double x)
{
    double r, e;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(x));
    e = fma(-x, r, 1.0);
    e = fma(e, e, e);
    return fma(r, e, r);
}

/* a > b of numbers that are not negative: as integers, whose units are idle here. */
GPP_DEVICE bool above(double a, double b)
{
    return __double_as_longlong(a) > __double_as_longlong(b);
}

/* What a loop over bands has to do; EMPTY: sch alone, an empty band has no exchange. */
enum kind { EMPTY, OCCUPIED, CUT };

template <kind KIND>
GPP_DEVICE void add(const place &at, double w, double mr, double mi, sums &s)
{
    double d = w * at.scale - at.shift, b = d * d + 1, q1 = reciprocal(b);
    double fr = d * mr - mi, fi = d * mi + mr;
    bool is_first = above(b, at.first);
    q1 = is_first ? q1 : 0;
    s.fr += q1 * fr;
    s.fi += q1 * fi;
    if (KIND == EMPTY)
        return;
    double e = w * at.scale + at.shift, c = e * e + 1, q2 = reciprocal(c);
    double sr = e * mr + mi, si = e * mi - mr;
    q2 = is_first || above(at.second, b) ? q2 : 0;
    if (KIND == CUT) {
        bool is_below = __double2hiint(w) < 0,
             cut1 = is_below && is_first && above(at.cut1, b * c),
             cut2 = is_below && !is_first && above(at.cut2, c);
        q2 = cut1 ? q1 : cut2 ? 0 : q2;
        sr = cut1 ? fr : sr;
        si = cut1 ? fi : si;
    }
    s.sr += q2 * sr;
    s.si += q2 * si;
}

/* From sums over n to asx and ach: times E W / Im W, and the weights. */
template <int NW>
GPP_DEVICE void finish(const sums &s, double2 wtilde, double2 eps, double scale,
                       double vcoul, double occ, int iw, double to[4][NW])
{
    double2 p = 0.5 * vcoul * scale * (eps * wtilde);
    double2 first = make_double2(s.fr, s.fi), second = make_double2(s.sr, s.si);
    double2 asx = occ * (p * (first - second)), ach = p * first;
    to[0][iw] += asx.x;
    to[1][iw] += asx.y;
    to[2][iw] += ach.x;
    to[3][iw] += ach.y;
}

/* Begins the copy of bands n ... n + BANDS - 1, the last one again where there are no more. */
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
GPP_DEVICE void sweep(const tile<NW, ROWS> &tile, int from, int to, const place at[ROWS],
                      sums s[ROWS][NW])
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
                add<KIND>(at[r], tile.wx[n][iw], mr, mi, s[r][iw]);
        }
    }
}

/* The thread's rows at the end of a run of bands: sums into `to`, and back to 0. */
template <int NW, int ROWS>
GPP_DEVICE void finish_rows(const gpp_cuda_arguments &p, int first_igp, int ig,
                            double weight, double occ, const place at[ROWS],
                            sums s[ROWS][NW], double to[4][NW])
{
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const int igp = min(first_igp + r, p.ngpown - 1);
        const size_t from = (size_t)igp * p.ncouls + ig;
        const double vcoul = first_igp + r < p.ngpown ? weight * p.vcoul[igp] : 0;
#pragma unroll
        for (int iw = 0; iw < NW; iw++) {
            finish<NW>(s[r][iw], p.wtilde[from], p.eps[from], at[r].scale, vcoul, occ, iw,
                       to);
            s[r][iw] = sums{0, 0, 0, 0};
        }
    }
}

/* All bands for the block's rows from first_igp; a column behind the last one has weight 0. */
template <int NW, int ROWS>
GPP_DEVICE void sum_bands(const gpp_cuda_arguments &p, int first_igp, int column,
                          tile<NW, ROWS> tiles[2], double to[4][NW])
{
    const int ig = min(column, p.ncouls - 1), own_igp = first_igp + threadIdx.y * ROWS;
    place at[ROWS];
    sums s[ROWS][NW] = {};
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        at[r] = place_of(p.wtilde[(size_t)min(own_igp + r, p.ngpown - 1) * p.ncouls + ig]);
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
                sweep<EMPTY, NW, ROWS>(now, n - n0, stop - n0, at, s);
            else if (segment.has_negative)
                sweep<CUT, NW, ROWS>(now, n - n0, stop - n0, at, s);
            else
                sweep<OCCUPIED, NW, ROWS>(now, n - n0, stop - n0, at, s);
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

/* Above two energies two igp's sums do not fit the registers of 16 warps: one after the other. */
enum { ROWS = 2, MOST_NW = 2 };

template <int NW>
static __global__ void __launch_bounds__(LANES *WARPS, NW == 2 || NW > 4 ? 3 : 4)
    gpp_v16(const gpp_cuda_arguments p)
{
    constexpr int rows = NW > MOST_NW ? 1 : ROWS;
    __shared__ tile<NW, rows> tiles[2];
    const int column = gpp_column(p, blockIdx.y * LANES + threadIdx.x);
    const int first = blockIdx.x * WARPS * ROWS;
    double to[4][NW] = {};
    for (int igp = first; igp < min(first + WARPS * ROWS, p.ngpown); igp += WARPS * rows)
        sum_bands<NW, rows>(p, igp, column, tiles, to);
    gpp_add_block<NW>(p, 0, to);
}

GPP_CUDA_ROW(v16, gpp_v16, LANES, WARPS, LANES, WARPS *ROWS, 0, 0, 0, GPP_CUDA_BY_SIGN, 1);
