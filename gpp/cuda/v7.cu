/*
 * v7: v6, with aqsm and wx transposed: n is contiguous.
 *
 * Four n of aqsm share a sector that had one. Predicted on an H200, si214: 0.21 s.
 * Measured: 0.179 s (results/h200/gpp).
 */
#include "gpp/cuda/kernel.cuh"

/* The formula of problem.h. */
GPP_DEVICE void term(double w, double2 wtilde, double2 eps, double2 &ssx, double2 &sch)
{
    double2 wtilde2 = wtilde * wtilde, omega2 = wtilde2 * eps;
    double2 d = make_double2(w - wtilde.x, -wtilde.y);
    double2 delw = gpp_divide_once(wtilde, d);
    double a = gpp_norm(delw), b = gpp_norm(d);
    ssx = sch = make_double2(0, 0);
    if (b > GPP_LIMIT_TWO && a < GPP_LIMIT_ONE) {
        sch = delw * eps;
        ssx = gpp_divide_once(omega2, make_double2(w * w - wtilde2.x, -wtilde2.y));
    } else if (a > GPP_TOL_ZERO) {
        double2 below = 4.0 * (wtilde2 * make_double2(delw.x + 0.5, delw.y));
        ssx = gpp_divide_once(-1.0 * (omega2 * delw), below);
    }
    if (gpp_norm(ssx) > GPP_SEXCUT * GPP_SEXCUT * gpp_norm(eps) && w < 0)
        ssx = make_double2(0, 0);
}

enum { TILE_IG = 128, TILE_N = 64 };

template <int NW> static __global__ void gpp_v7(const gpp_cuda_arguments p)
{
    const int igp = blockIdx.y * blockDim.y + threadIdx.y;
    const int n_end = min((int)(blockIdx.z + 1) * TILE_N, p.nbands);
    double sums[4][1] = {};
    for (int x = threadIdx.x; x < TILE_IG && igp < p.ngpown; x += blockDim.x) {
        const int ig = gpp_column(p, blockIdx.x * TILE_IG + x);
        if (ig >= p.ncouls)
            continue;
        const size_t at = (size_t)igp * p.ncouls + ig;
        double2 wtilde = p.wtilde[at], eps = p.eps[at], ssx, sch;
        for (int n = blockIdx.z * TILE_N; n < n_end; n++) {
            double2 m = gpp_conj(p.aqsm[(size_t)igp * p.nbands + n]) *
                        p.aqsn[(size_t)n * p.ncouls + ig];
            double exchange = p.vcoul[igp] * p.occ[n], correlation = 0.5 * p.vcoul[igp];
            term(p.wx[p.iw * p.nbands + n], wtilde, eps, ssx, sch);
            double2 asx = exchange * (ssx * m), ach = correlation * (sch * m);
            sums[0][0] += asx.x;
            sums[1][0] += asx.y;
            sums[2][0] += ach.x;
            sums[3][0] += ach.y;
        }
    }
    gpp_add_block<1>(p, p.iw, sums);
}

GPP_CUDA_ROW(v7, gpp_v7, 32, 8, TILE_IG, 8, TILE_N, 1, 1, GPP_CUDA_AS_GIVEN, 0);
