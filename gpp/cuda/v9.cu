/*
 * v9: v4's loops; both quotients as partial fractions around one reciprocal; weights after the loop.
 *
 * With r1 = 1 / (w - W), r2 = 1 / (w + W), p = E W: sch = p r1; ssx = (p / 2)(r1 - r2) in branch 1, as
 * W / (w^2 - W2) = (r1 - r2) / 2, and -(p / 2) r2 in branch 2, whose delw / (delw + 1/2) is 2 W / (w + W).
 * 1 / (|w - W|^2 |w + W|^2) gives both. p, W and weights do not depend on n: inside only the real factors of
 * conj(w -+ W) = d + i Wi, e - i Wi meet M. Where the cutoff takes branch 1's ssx away, -r1 stands in place
 * of r2. r1 - r2 cancels where |W| << |w|: such a term is right to eps |E W / w|, which a sum with any
 * ordinary mode does not feel. Bands run by segments of one occupation (cpu/layouts.c sorts as well).
 *
 * Blocks of 32 ig and 8 igp: a row of aqsn is read once for eight igp; neighbouring blocks share their ig,
 * so that L2 holds what they read. FP64 instructions per (n, igp, ig, iw), nw 2: 4 for d, e, b, c, 1 + 8 for
 * the reciprocal, 4 for q1, q2, dq, eq, 8 sums, 2 for M, 2 to 4 comparisons: 30. Predicted on an H200, si214:
 * 2.45e10 x 30 / (16.7e12 / s x 0.8) = 55 ms.
 * Measured: 79 ms (results/h200/gpp).
 */
#include "gpp/cuda/kernel.cuh"

/* What a thread's (igp, ig) brings to all n. */
struct place {
    double wr, wi2;       /* Re W, Im W squared */
    double first, second; /* |w - W|^2: branch 1 above first, else branch 2 below second */
    double cut1, cut2; /* cutoff below: |w^2 - W2|^2 in branch 1, |w + W|^2 in branch 2 */
};

/* Sums over n: parts times M real, M imaginary; see finish(). */
struct sums {
    double dr, di, qr, qi, er, ei, cr, ci;
};

GPP_DEVICE place place_of(double2 wtilde)
{
    double wi2 = wtilde.y * wtilde.y, square = wtilde.x * wtilde.x + wi2;
    place at;
    at.wr = wtilde.x;
    at.wi2 = fmax(
        wi2, 1e-200); /* w on a real pole: quotients stay finite, to be selected away */
    at.first = fmax(square * (1 / GPP_LIMIT_ONE), GPP_LIMIT_TWO);
    at.second = square * (1 / GPP_TOL_ZERO);
    at.cut1 = square * square * (1 / (GPP_SEXCUT * GPP_SEXCUT));
    at.cut2 = square * (1 / (4 * GPP_SEXCUT * GPP_SEXCUT));
    return at;
}

GPP_DEVICE void add(const place &at, double w, double mr, double mi, sums &s)
{
    double d = w - at.wr, e = w + at.wr, b = d * d + at.wi2, c = e * e + at.wi2;
    double bc = b * c, q = 1 / (bc);
    bool is_first = b > at.first;
    double q1 = is_first ? c * q : 0, q2 = is_first || at.second > b ? b * q : 0;
    if (w < 0) { /* the same for the whole block */
        bool cut1 = is_first && at.cut1 > bc, cut2 = !is_first && at.cut2 > c;
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

/* From sums over n to asx and ach: times E W, and the weights. */
template <int NW>
GPP_DEVICE void finish(const sums &s, double2 wtilde, double2 eps, double vcoul, double occ,
                       int iw, double to[4][NW])
{
    double2 p = 0.5 * vcoul * (eps * wtilde);
    double2 first = make_double2(s.dr - wtilde.y * s.qi, s.di + wtilde.y * s.qr);
    double2 second = make_double2(s.er + wtilde.y * s.ci, s.ei - wtilde.y * s.cr);
    double2 asx = occ * (p * (first - second)), ach = p * first;
    to[0][iw] += asx.x;
    to[1][iw] += asx.y;
    to[2][iw] += ach.x;
    to[3][iw] += ach.y;
}

template <int NW>
GPP_DEVICE void sum_bands(const gpp_cuda_arguments &p, int igp, int ig, double to[4][NW])
{
    const size_t from = (size_t)igp * p.ncouls + ig;
    const double2 wtilde = p.wtilde[from], eps = p.eps[from];
    const double2 *m = p.aqsm + (size_t)igp * p.nbands;
    const place at = place_of(wtilde);
    for (int k = 0; k < p.n_segments; k++) {
        const gpp_cuda_segment segment = p.segments[k];
        sums s[NW] = {};
        for (int n = segment.first; n < segment.end; n++) {
            const double2 g = p.aqsn[(size_t)n * p.ncouls + ig];
            const double mr = m[n].x * g.x + m[n].y * g.y, mi = m[n].x * g.y - m[n].y * g.x;
#pragma unroll
            for (int iw = 0; iw < NW; iw++)
                add(at, p.wx[n * NW + iw], mr, mi, s[iw]);
        }
#pragma unroll
        for (int iw = 0; iw < NW; iw++)
            finish<NW>(s[iw], wtilde, eps, p.vcoul[igp], segment.occ, iw, to);
    }
}

template <int NW>
static __global__ void __launch_bounds__(256, NW > 3 ? 1 : 2)
    gpp_v9(const gpp_cuda_arguments p)
{
    const int ig = gpp_column(p, blockIdx.y * blockDim.x + threadIdx.x);
    const int igp = blockIdx.x * blockDim.y + threadIdx.y;
    double to[4][NW] = {};
    if (ig < p.ncouls && igp < p.ngpown)
        sum_bands<NW>(p, igp, ig, to);
    gpp_add_block<NW>(p, 0, to);
}

GPP_CUDA_ROW(v9, gpp_v9, 32, 8, 32, 8, 0, 0, 0, GPP_CUDA_BY_OCCUPATION, 1);
