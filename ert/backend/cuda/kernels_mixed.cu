/*
 * The mixed kernel, the roofline itself: x = w[i]; F/2 times x = b - a*x; w[i] = x, in
 * place, past L1. 16 B and F flop per element of 8 bytes; F = 1 is one subtraction, x = b -
 * x. One instance per F in this one binary. With a = b = 1 the value goes forth and back
 * between w and 1 - w, exactly. Bound: device memory (or L2) for small F, the FP64 lanes
 * for large F.
 */
#include "ert/backend/cuda/device.cuh"

enum { THREADS = 256 };

/*
 * V: vectors per thread; with two elements each, 2*V independent chains hide the latency.
 */
template <int F, int V>
static __device__ __forceinline__ void compute(double2 x[V], double a, double b)
{
    if constexpr (F == 1) {
#pragma unroll
        for (int v = 0; v < V; v++)
            x[v] = make_double2(__dsub_rn(b, x[v].x), __dsub_rn(b, x[v].y));
    } else {
        /* Bodies of at most 16 steps keep big F within the instruction cache. */
#pragma unroll 16
        for (int i = 0; i < F / 2; i++) {
#pragma unroll
            for (int v = 0; v < V; v++)
                x[v] = make_double2(fma(-a, x[v].x, b), fma(-a, x[v].y, b));
        }
    }
}

template <int F, int V>
static __global__ void __launch_bounds__(THREADS) mixed(struct ert_cuda_arguments arguments)
{
    double2 *w = (double2 *)arguments.w + (size_t)blockIdx.x * (THREADS * V) + threadIdx.x;
    double2 x[V];
#pragma unroll
    for (int v = 0; v < V; v++)
        x[v] = load_l2(w + v * THREADS);
    compute<F, V>(x, arguments.a, arguments.b);
#pragma unroll
    for (int v = 0; v < V; v++)
        w[v * THREADS] = x[v];
    mark_clock(arguments);
}

/* One vector per thread is best where memory bounds, two where the FP64 lanes do. */
#define ROW(F, V)                                                                          \
    {                                                                                      \
        ERT_KERNEL_mixed_fp64, ERT_PATH_BYPASS_L1, F, "256x" #V, ERT_CUDA_FLAT_IN_PLACE,   \
            THREADS, 0, V, 0, 0, (const void *)mixed<F, V>                                 \
    }
#define ROWS(F) ROW(F, 1), ROW(F, 2),

static const struct ert_cuda_row rows[] = {ERT_MIXED_FLOPS(ROWS)};

const struct ert_cuda_rows ert_cuda_mixed_rows = {rows, sizeof rows / sizeof rows[0]};
