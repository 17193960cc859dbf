/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * paper: v0 to v8, the steps of arXiv:2008.11326, section III, each based on the previous one. A function
 * with the version as its parameter V contains the code of that version; conditions on V mark what is new.
 * Measured times: results/h200/gpp.
 */
#include "gpp/cuda/kernel.cuh"

GPP_DEVICE double gpp_abs(double2 a)
{
    return sqrt(gpp_norm(a));
}

/* A complex quotient. v0: as the formula writes it, both parts divided; v1: with one real reciprocal. */
template <int V> GPP_DEVICE double2 divide(double2 a, double2 b)
{
    if (V > 0)
        return (1 / gpp_norm(b)) * (a * gpp_conj(b));
    double below = gpp_norm(b);
    double2 above = a * gpp_conj(b);
    return make_double2(above.x / below, above.y / below);
}

/* ssx and sch of the formula of problem.h for one (n, igp, ig, iw). */
template <int V>
GPP_DEVICE void formula(double w, double2 wtilde, double2 eps, double2 &ssx, double2 &sch)
{
    double2 wtilde2 = wtilde * wtilde, omega2 = wtilde2 * eps;
    double2 d = make_double2(w - wtilde.x, -wtilde.y);
    double2 delw = divide<V>(wtilde, d);
    double delw_abs = V < 3 ? gpp_abs(delw) : 0, d_abs = V < 3 ? gpp_abs(d) : 0;
    double a = V < 3 ? delw_abs * delw_abs : gpp_norm(delw);
    double b = V < 3 ? d_abs * d_abs : gpp_norm(d);
    if (V >= 2)
        ssx = sch = make_double2(0, 0);
    if (b > GPP_LIMIT_TWO && a < GPP_LIMIT_ONE) {
        sch = delw * eps;
        ssx = divide<V>(omega2, make_double2(w * w - wtilde2.x, -wtilde2.y));
    } else if (a > GPP_TOL_ZERO) {
        double2 below = 4.0 * (wtilde2 * make_double2(delw.x + 0.5, delw.y));
        if (V < 2)
            sch = make_double2(0, 0);
        ssx = divide<V>(-1.0 * (omega2 * delw), below);
    } else if (V < 2) {
        sch = make_double2(0, 0);
        ssx = make_double2(0, 0);
    }
    bool is_above = V < 3 ? gpp_abs(ssx) > GPP_SEXCUT * gpp_abs(eps)
                          : gpp_norm(ssx) > GPP_SEXCUT * GPP_SEXCUT * gpp_norm(eps);
    if (is_above && w < 0)
        ssx = make_double2(0, 0);
}

/* conj(aqsm) aqsn of one (n, igp, ig). */
GPP_DEVICE double2 element(const gpp_cuda_arguments &p, int n, int igp, int ig)
{
    return gpp_conj(p.aqsm[(size_t)n * p.ngpown + igp]) * p.aqsn[(size_t)n * p.ncouls + ig];
}

/* v0 to v3: one thread per (n, igp, ig), iw inside. */
template <int V, int NW> GPP_DEVICE void thread_per_band(const gpp_cuda_arguments &p)
{
    const int ig = blockIdx.x * blockDim.x + threadIdx.x;
    const int igp = blockIdx.y, n = blockIdx.z;
    double sums[4][NW] = {};
    if (ig < p.ncouls) {
        const size_t at = (size_t)igp * p.ncouls + ig;
        double2 wtilde = p.wtilde[at], eps = p.eps[at], m = element(p, n, igp, ig), ssx,
                sch;
        double exchange = p.vcoul[igp] * p.occ[n], correlation = 0.5 * p.vcoul[igp];
#pragma unroll
        for (int iw = 0; iw < NW; iw++) {
            formula<V>(p.wx[n * NW + iw], wtilde, eps, ssx, sch);
            double2 asx = exchange * (ssx * m), ach = correlation * (sch * m);
            sums[0][iw] = asx.x;
            sums[1][iw] = asx.y;
            sums[2][iw] = ach.x;
            sums[3][iw] = ach.y;
        }
    }
    gpp_add_block<NW>(p, 0, sums);
}

#define PER_BAND(n)                                                                        \
    template <int NW> static __global__ void gpp_v##n(const gpp_cuda_arguments p)          \
    {                                                                                      \
        thread_per_band<n, NW>(p);                                                         \
    }                                                                                      \
    GPP_CUDA_ROW(v##n, gpp_v##n, 256, 1, 256, 1, 1, 0, 0, GPP_CUDA_AS_GIVEN, 0)

/*
 * v0: one thread per (n, igp, ig), iw inside; divisions and abs() as written.
 *
 * Per (n, igp, ig, iw): 6 divisions and 4 square roots, each some 8 to 10 FP64 instructions: by counts.def
 * about 175 flops. Predicted on an H200, si214: 2.45e10 x 175 / (0.42 x 33.4 TFLOP/s), the share that
 * divergent branches and the slow paths of divisions leave: 0.4 s (a quick port took 0.422 s). Measured:
 * 0.375 s.
 */
PER_BAND(0);

/*
 * v1: v0, with complex divisions as one real reciprocal and products.
 *
 * Three fewer divisions: about 145 flops. Predicted on an H200, si214: 0.35 s. Measured: 0.288 s.
 */
PER_BAND(1);

/*
 * v2: v1, with a two-way branch: results are zeroed first.
 *
 * The same arithmetic; one fewer divergent path. Predicted on an H200, si214: as v1. Measured: 0.290 s.
 */
PER_BAND(2);

/*
 * v3: v2, with squares compared instead of abs().
 *
 * Four fewer square roots: about 100 flops. Predicted on an H200, si214: 0.26 s. Measured: 0.221 s.
 */
PER_BAND(3);

/* v4 to v8: adds the term of one band and energy to a thread's sums. */
template <int NW>
GPP_DEVICE void add(const gpp_cuda_arguments &p, int n, int igp, const double *w,
                    double2 wtilde, double2 eps, double2 m, int iw, double sums[4][NW])
{
    double2 ssx, sch;
    double exchange = p.vcoul[igp] * p.occ[n], correlation = 0.5 * p.vcoul[igp];
    formula<3>(*w, wtilde, eps, ssx, sch);
    double2 asx = exchange * (ssx * m), ach = correlation * (sch * m);
    sums[0][iw] += asx.x;
    sums[1][iw] += asx.y;
    sums[2][iw] += ach.x;
    sums[3][iw] += ach.y;
}

/*
 * v4: v3, with n inside a thread; igp and ig in parallel.
 *
 * Values that depend on (igp, ig) alone are loaded and computed once, not nbands times; one sum over the
 * block instead of nbands: about 85 flops. Predicted on an H200, si214: 0.22 s. Measured: 0.154 s.
 */
template <int NW> static __global__ void gpp_v4(const gpp_cuda_arguments p)
{
    const int ig = blockIdx.x * blockDim.x + threadIdx.x;
    const int igp = blockIdx.y;
    double sums[4][NW] = {};
    if (ig < p.ncouls) {
        const size_t at = (size_t)igp * p.ncouls + ig;
        double2 wtilde = p.wtilde[at], eps = p.eps[at];
        for (int n = 0; n < p.nbands; n++) {
            double2 m = element(p, n, igp, ig);
#pragma unroll
            for (int iw = 0; iw < NW; iw++)
                add<NW>(p, n, igp, &p.wx[n * NW + iw], wtilde, eps, m, iw, sums);
        }
    }
    gpp_add_block<NW>(p, 0, sums);
}

GPP_CUDA_ROW(v4, gpp_v4, 256, 1, 256, 1, 0, 0, 0, GPP_CUDA_AS_GIVEN, 0);

/*
 * v5: v4, with iw outside: one launch per energy, two accumulators instead of 2 nw.
 *
 * Each energy computes M again (4 more operations), for fewer registers and more warps: about 90 flops.
 * Predicted on an H200, si214: 0.21 s. Measured: 0.150 s.
 */
template <int NW> static __global__ void gpp_v5(const gpp_cuda_arguments p)
{
    const int ig = blockIdx.x * blockDim.x + threadIdx.x;
    const int igp = blockIdx.y;
    double sums[4][1] = {};
    if (ig < p.ncouls) {
        const size_t at = (size_t)igp * p.ncouls + ig;
        double2 wtilde = p.wtilde[at], eps = p.eps[at];
        for (int n = 0; n < p.nbands; n++)
            add<1>(p, n, igp, &p.wx[n * NW + p.iw], wtilde, eps, element(p, n, igp, ig), 0,
                   sums);
    }
    gpp_add_block<1>(p, p.iw, sums);
}

GPP_CUDA_ROW(v5, gpp_v5, 256, 1, 256, 1, 0, 1, 0, GPP_CUDA_AS_GIVEN, 0);

/*
 * v6: v5, with tiles of 128 in ig and 64 in n, strided loops inside.
 *
 * A warp processes 128 ig, 32 apart, and 64 n; the eight warps of a block share the tile of aqsn (128 KiB) in
 * L1. More loop instructions and less work between two sums over the block: as fast as v5, or slower where
 * caches are no limit (the paper's was slower on V100). Predicted on an H200, si214: 0.22 s. Measured: 0.186
 * s.
 */
enum { TILE_IG = 128, TILE_N = 64 };

template <int NW, bool TRANSPOSED> GPP_DEVICE void tiled(const gpp_cuda_arguments &p)
{
    const int igp = blockIdx.y * blockDim.y + threadIdx.y;
    const int n_end = min((int)(blockIdx.z + 1) * TILE_N, p.nbands);
    double sums[4][1] = {};
    for (int x = threadIdx.x; x < TILE_IG && igp < p.ngpown; x += blockDim.x) {
        const int ig = blockIdx.x * TILE_IG + x;
        if (ig >= p.ncouls)
            continue;
        const size_t at = (size_t)igp * p.ncouls + ig;
        double2 wtilde = p.wtilde[at], eps = p.eps[at];
        for (int n = blockIdx.z * TILE_N; n < n_end; n++) {
            const size_t at_m =
                TRANSPOSED ? (size_t)igp * p.nbands + n : (size_t)n * p.ngpown + igp;
            double2 m = gpp_conj(p.aqsm[at_m]) * p.aqsn[(size_t)n * p.ncouls + ig];
            add<1>(p, n, igp, &p.wx[TRANSPOSED ? p.iw * p.nbands + n : n * NW + p.iw],
                   wtilde, eps, m, 0, sums);
        }
    }
    gpp_add_block<1>(p, p.iw, sums);
}

template <int NW> static __global__ void gpp_v6(const gpp_cuda_arguments p)
{
    tiled<NW, false>(p);
}

GPP_CUDA_ROW(v6, gpp_v6, 32, 8, TILE_IG, 8, TILE_N, 1, 0, GPP_CUDA_AS_GIVEN, 0);

/*
 * v7: v6, with aqsm and wx transposed: n is contiguous.
 *
 * Four n of aqsm share a sector, instead of one. Predicted on an H200, si214: 0.21 s. Measured: 0.179 s.
 */
template <int NW> static __global__ void gpp_v7(const gpp_cuda_arguments p)
{
    tiled<NW, true>(p);
}

GPP_CUDA_ROW(v7, gpp_v7, 32, 8, TILE_IG, 8, TILE_N, 1, 1, GPP_CUDA_AS_GIVEN, 0);

/*
 * v8: v7, with threads per block and registers per thread tuned.
 *
 * 128 threads and at most 128 registers, so that four blocks, 16 warps, are resident on an SM: the paper's
 * shape on V100; the register file of an H200's SM has the same size. Predicted on an H200, si214: 0.17 s.
 * Measured: 0.148 s.
 */
template <int NW>
static __global__ void __launch_bounds__(128, 4) gpp_v8(const gpp_cuda_arguments p)
{
    tiled<NW, true>(p);
}

GPP_CUDA_ROW(v8, gpp_v8, 32, 4, TILE_IG, 4, TILE_N, 1, 1, GPP_CUDA_AS_GIVEN, 0);
