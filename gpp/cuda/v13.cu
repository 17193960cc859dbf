/*
 * v13: v12, with two igp in a thread.
 *
 * Loads of aqsn and wx and the loop's own instructions are shared by two: fewer issue slots beside the FP64
 * instructions, and twice the independent chains. Up to 168 registers, 12 warps on an SM. Predicted on an
 * H200, si214: 2.45e10 x 17.8 / (16.7e12 / s x 0.88) = 30 ms.
 * Measured: 59 ms (results/h200/gpp): it waits for L2 and for chains in turn; v14 to v16 go on from there.
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

/*
 * 1 / x: rcp.approx.ftz.f64 looks at the upper word and gives 20 bits (relative error e below 2^-19);
 * r (1 + e + e^2) leaves e^3, below 2^-57. Three FP64 instructions, no slow path: x is |w^2 - W2|^2 of
 * energies, far from overflow and from 0 (place_of()).
 */
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
    double d = w - at.wr, e = w + at.wr, b = d * d + at.wi2, c = e * e + at.wi2;
    double bc = b * c, q = reciprocal(bc);
    bool is_first = above(b, at.first);
    double q1 = is_first ? c * q : 0, q2 = is_first || above(at.second, b) ? b * q : 0;
    if (w < 0) { /* the same for the whole block */
        bool cut1 = is_first && above(at.cut1, bc), cut2 = !is_first && above(at.cut2, c);
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

/* sch alone: an empty band has no exchange. */
GPP_DEVICE void add_correlation(const place &at, double w, double mr, double mi, sums &s)
{
    double d = w - at.wr, b = d * d + at.wi2, q = reciprocal(b);
    double q1 = above(b, at.first) ? q : 0, dq = d * q1;
    s.dr += dq * mr;
    s.di += dq * mi;
    s.qr += q1 * mr;
    s.qi += q1 * mi;
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
            finish<NW>(s[i / NW][i % NW], wtilde[i / NW], eps[i / NW], vcoul[i / NW],
                       segment.occ, i % NW, to);
    }
}

/* Above three energies two igp's sums do not fit the registers: one after the other. */
enum { ROWS = 2, MOST_NW = 3 };

template <int NW>
static __global__ void __launch_bounds__(128, NW > 2 ? 2 : 3)
    gpp_v13(const gpp_cuda_arguments p)
{
    constexpr int rows = NW > MOST_NW ? 1 : ROWS;
    const int ig = gpp_column(p, blockIdx.y * blockDim.x + threadIdx.x);
    const int first = (blockIdx.x * blockDim.y + threadIdx.y) * ROWS;
    double to[4][NW] = {};
    for (int igp = first; igp < min(first + ROWS, p.ngpown) && ig < p.ncouls; igp += rows)
        sum_bands<NW, rows>(p, igp, ig, to);
    gpp_add_block<NW>(p, 0, to);
}

GPP_CUDA_ROW(v13, gpp_v13, 32, 4, 32, 4 * ROWS, 0, 0, 0, GPP_CUDA_BY_OCCUPATION, 1);
