/*
 * v14: v13, with poles in units of Im W.
 *
 * x = (w - Re W) / Im W gives 1 / (w - W) = (x + i) / (Im W (x^2 + 1)), so that x M -+ i M comes before the
 * reciprocal and a pole needs two sums, not four: 9 FP64 instructions for 10, half the registers of sums, a
 * shorter chain. Each pole has its own reciprocal: as many instructions as one for both, and they overlap.
 */
#include "gpp/cuda/kernel.cuh"

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

GPP_DEVICE void add(const place &at, double w, double mr, double mi, sums &s)
{
    double d = w * at.scale - at.shift, b = d * d + 1, q1 = reciprocal(b);
    double e = w * at.scale + at.shift, c = e * e + 1, q2 = reciprocal(c);
    double fr = d * mr - mi, fi = d * mi + mr, sr = e * mr + mi, si = e * mi - mr;
    bool is_first = above(b, at.first);
    q1 = is_first ? q1 : 0;
    q2 = is_first || above(at.second, b) ? q2 : 0;
    if (w < 0) { /* the same for the whole block */
        bool cut1 = is_first && above(at.cut1, b * c),
             cut2 = !is_first && above(at.cut2, c);
        q2 = cut1 ? q1 : cut2 ? 0 : q2;
        sr = cut1 ? fr : sr;
        si = cut1 ? fi : si;
    }
    s.fr += q1 * fr;
    s.fi += q1 * fi;
    s.sr += q2 * sr;
    s.si += q2 * si;
}

/* sch alone: an empty band has no exchange. */
GPP_DEVICE void add_correlation(const place &at, double w, double mr, double mi, sums &s)
{
    double d = w * at.scale - at.shift, b = d * d + 1, q1 = reciprocal(b);
    q1 = above(b, at.first) ? q1 : 0;
    s.fr += q1 * (d * mr - mi);
    s.fi += q1 * (d * mi + mr);
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

/* Places of one thread: ROWS igp share each load of aqsn and wx. */
template <int NW, int ROWS>
GPP_DEVICE void sum_bands(const gpp_cuda_arguments &p, int first_igp, int ig,
                          double to[4][NW])
{
    double2 wtilde[ROWS], eps[ROWS];
    const double2 *m[ROWS];
    place at[ROWS];
    double vcoul[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const bool is_there =
            first_igp + r < p.ngpown; /* the last one twice, with weight 0 */
        const int igp = is_there ? first_igp + r : first_igp;
        const size_t from = (size_t)igp * p.ncouls + ig;
        wtilde[r] = p.wtilde[from];
        eps[r] = p.eps[from];
        vcoul[r] = is_there ? p.vcoul[igp] : 0;
        m[r] = p.aqsm + (size_t)igp * p.nbands;
        at[r] = place_of(wtilde[r]);
    }
    for (int k = 0; k < p.n_segments; k++) {
        const gpp_cuda_segment segment = p.segments[k];
        sums s[ROWS][NW] = {};
        for (int n = segment.first; n < segment.end && segment.occ != 0; n++) {
            const double2 g = p.aqsn[(size_t)n * p.ncouls + ig];
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                const double2 a = m[r][n];
                const double mr = a.x * g.x + a.y * g.y, mi = a.x * g.y - a.y * g.x;
#pragma unroll
                for (int iw = 0; iw < NW; iw++)
                    add(at[r], p.wx[n * NW + iw], mr, mi, s[r][iw]);
            }
        }
        for (int n = segment.first; n < segment.end && segment.occ == 0; n++) {
            const double2 g = p.aqsn[(size_t)n * p.ncouls + ig];
#pragma unroll
            for (int r = 0; r < ROWS; r++) {
                const double2 a = m[r][n];
                const double mr = a.x * g.x + a.y * g.y, mi = a.x * g.y - a.y * g.x;
#pragma unroll
                for (int iw = 0; iw < NW; iw++)
                    add_correlation(at[r], p.wx[n * NW + iw], mr, mi, s[r][iw]);
            }
        }
#pragma unroll
        for (int i = 0; i < ROWS * NW; i++)
            finish<NW>(s[i / NW][i % NW], wtilde[i / NW], eps[i / NW], at[i / NW].scale,
                       vcoul[i / NW], segment.occ, i % NW, to);
    }
}

/* Above two energies two igp's sums do not fit the registers of 16 warps: one after the other. */
enum { ROWS = 2, MOST_NW = 2 };

template <int NW>
static __global__ void __launch_bounds__(128, NW > 4 ? 3 : 4)
    gpp_v14(const gpp_cuda_arguments p)
{
    constexpr int rows = NW > MOST_NW ? 1 : ROWS;
    const int ig = gpp_column(p, blockIdx.y * blockDim.x + threadIdx.x);
    const int first = (blockIdx.x * blockDim.y + threadIdx.y) * ROWS;
    double to[4][NW] = {};
    for (int igp = first; igp < min(first + ROWS, p.ngpown) && ig < p.ncouls; igp += rows)
        sum_bands<NW, rows>(p, igp, ig, to);
    gpp_add_block<NW>(p, 0, to);
}

GPP_CUDA_ROW(v14, gpp_v14, 32, 4, 32, 4 * ROWS, 0, 0, 0, GPP_CUDA_BY_OCCUPATION, 1);
