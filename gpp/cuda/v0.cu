/*
 * v0: one thread per (n, igp, ig), iw inside; divisions and abs() as written.
 *
 * Per (n, igp, ig, iw): 6 divisions and 4 square roots, each some 8 to 10 FP64 instructions: by counts.c
 * about 175 flops. Predicted on an H200, si214: 2.45e10 x 175 / (0.42 x 33.4 TFLOP/s), as divergent
 * branches and the slow paths of divisions leave: 0.4 s (a quick port of ours took 0.422 s).
 * Measured: 0.375 s (results/h200/gpp).
 */
#include "gpp/cuda/kernel.cuh"

/* The formula of problem.h. */
GPP_DEVICE void term(double w, double2 wtilde, double2 eps, double2 &ssx, double2 &sch)
{
    double2 wtilde2 = wtilde * wtilde, omega2 = wtilde2 * eps;
    double2 d = make_double2(w - wtilde.x, -wtilde.y);
    double2 delw = gpp_divide(wtilde, d);
    double delw_abs = gpp_abs(delw), d_abs = gpp_abs(d);
    double a = delw_abs * delw_abs, b = d_abs * d_abs;
    if (b > GPP_LIMIT_TWO && a < GPP_LIMIT_ONE) {
        sch = delw * eps;
        ssx = gpp_divide(omega2, make_double2(w * w - wtilde2.x, -wtilde2.y));
    } else if (a > GPP_TOL_ZERO) {
        double2 below = 4.0 * (wtilde2 * make_double2(delw.x + 0.5, delw.y));
        sch = make_double2(0, 0);
        ssx = gpp_divide(-1.0 * (omega2 * delw), below);
    } else {
        sch = make_double2(0, 0);
        ssx = make_double2(0, 0);
    }
    if (gpp_abs(ssx) > GPP_SEXCUT * gpp_abs(eps) && w < 0)
        ssx = make_double2(0, 0);
}

template <int NW> static __global__ void gpp_v0(const gpp_cuda_arguments p)
{
    const int ig = gpp_column(p, blockIdx.x * blockDim.x + threadIdx.x);
    const int igp = blockIdx.y, n = blockIdx.z;
    double sums[4][NW] = {};
    if (ig < p.ncouls) {
        const size_t at = (size_t)igp * p.ncouls + ig;
        double2 wtilde = p.wtilde[at], eps = p.eps[at], ssx, sch;
        double2 m = gpp_conj(p.aqsm[(size_t)n * p.ngpown + igp]) *
                    p.aqsn[(size_t)n * p.ncouls + ig];
        double exchange = p.vcoul[igp] * p.occ[n], correlation = 0.5 * p.vcoul[igp];
#pragma unroll
        for (int iw = 0; iw < NW; iw++) {
            term(p.wx[n * NW + iw], wtilde, eps, ssx, sch);
            double2 asx = exchange * (ssx * m), ach = correlation * (sch * m);
            sums[0][iw] = asx.x;
            sums[1][iw] = asx.y;
            sums[2][iw] = ach.x;
            sums[3][iw] = ach.y;
        }
    }
    gpp_add_block<NW>(p, 0, sums);
}

GPP_CUDA_ROW(v0, gpp_v0, 256, 1, 256, 1, 1, 0, 0, GPP_CUDA_AS_GIVEN, 0);
