/*
 * FP64 and FP32 on the CUDA cores, chains in registers (chains.cuh).
 *   fma x = a*x + b; x = c*x + d   2 flop per step
 *   add x = x + b; x = x + d       1
 *   mul x = a*x; x = c*x           1
 *   fma-3reg: fma with a, b, c, d of its own for every chain
 * Bound: lanes of the unit per clock. FP32 needs every issue slot of an SM, so what the
 * loop itself needs counts: about five slots, of which two are the branch's (seen on an
 * H200: 1.06 % lost with bodies of 512 additions, 0.64 % with 1024, of it 0.15 % the
 * region's ends). Hence bodies of thousands, of 16 bytes each; how much of that the
 * instruction caches of an SM deliver at full rate is what the variants ask.
 */
#include "ert/backend/cuda/chains.cuh"

struct fma_op {
    static __device__ double step(double x, double scale, double offset)
    {
        return fma(scale, x, offset);
    }
    static __device__ float step(float x, float scale, float offset)
    {
        return fmaf(scale, x, offset);
    }
};
/* The _rn forms are never fused or reordered. */
struct add_op {
    static __device__ double step(double x, double, double offset)
    {
        return __dadd_rn(x, offset);
    }
    static __device__ float step(float x, float, float offset)
    {
        return __fadd_rn(x, offset);
    }
};
struct mul_op {
    static __device__ double step(double x, double scale, double)
    {
        return __dmul_rn(scale, x);
    }
    static __device__ float step(float x, float scale, float)
    {
        return __fmul_rn(scale, x);
    }
};

#define FP64(op, ...) CHAINS(op##_fp64, op##_op, op##_op, double, UNIFORM, "", __VA_ARGS__)
#define FP32(op, ...) CHAINS(op##_fp32, op##_op, op##_op, float, UNIFORM, "", __VA_ARGS__)

/*
 * As chains(), but no two FMAs in a row share a register: each reads three of 64 bits. Their constants
 * are equal, but the compiler cannot know: volatile loads.
 */
template <class T, int C, int S>
static __global__ void __launch_bounds__(256)
    chains_apart(struct ert_cuda_arguments arguments)
{
    const unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;
    /* + 0, of the thread's own: what is the same for all threads would go into uniform registers. */
    const volatile uint64_t *loaded = arguments.loaded + thread / (gridDim.x * blockDim.x);
    T x[C], constants[C][4];
#pragma unroll
    for (int i = 0; i < C; i++) {
        x[i] = first_value<T, C>(arguments, thread, i);
#pragma unroll
        for (int k = 0; k < 4; k++)
            constants[i][k] = of_bits<T>(loaded[k]);
    }
    mark_clock(arguments);
#pragma unroll 1
    for (unsigned int pass = 0; pass < arguments.passes; pass++)
#pragma unroll
        for (int s = 0; s < S; s++)
#pragma unroll
            for (int i = 0; i < C; i++)
                x[i] = fma_op::step(x[i], constants[i][s % 2 * 2],
                                    constants[i][s % 2 * 2 + 1]);
    mark_clock(arguments);
    T *out = (T *)arguments.w + thread;
#pragma unroll
    for (int i = 0; i < C; i++)
        out[(size_t)i * gridDim.x * blockDim.x] = x[i];
}

/*
 * Blocks per SM, threads, chains, operations of the body; the first of each kernel fits the
 * 1024 threads that an SM of cc 7.5 holds. Only an FMA reads three registers, so longer runs
 * of one pair of constants, with fewer chains, reread fewer: on the H200 4 chains of 512
 * steps gave 99.4 % of the limit, 8 chains of 128 steps 98.9 %. Constants in vector
 * registers and bodies of 4096 (the instruction cache) were slower.
 */
static const struct ert_cuda_row rows[] = {
    CHAINS_ROW(fma3_fp64, CHAINS_NAME(2, 256, 8, 256), 2, 256, 8, 32,
               chains_apart<double, 8, 32>),
    FP64(fma, 2, 256, 8, 256),
    FP64(add, 2, 256, 8, 256),
    FP64(mul, 2, 256, 8, 256),
    FP32(fma, 4, 256, 8, 2048),
    FP32(fma, 8, 256, 4, 2048),
    FP32(add, 4, 256, 8, 2048),
    FP32(add, 8, 256, 8, 2048),
    FP32(mul, 4, 256, 8, 2048),
    FP32(mul, 8, 256, 8, 2048),
};

const struct ert_cuda_rows ert_cuda_compute_rows = {rows, sizeof rows / sizeof rows[0]};

/*
 * For cases with a concurrency, whose warps per SM take the place of the shape: so many
 * chains, that is operations a warp can have in flight. Bodies of 256 fit every instruction
 * cache.
 */
#define ILP(kernel, op, T, n)                                                              \
    CHAINS_ROW(kernel, "ilp " #n, 1, 32, n, 256 / n, chains<op, op, T, UNIFORM, n, 256 / n>)
#define ILPS(kernel, op, T)                                                                \
    ILP(kernel, op, T, 1), ILP(kernel, op, T, 2), ILP(kernel, op, T, 4),                   \
        ILP(kernel, op, T, 8)

static const struct ert_cuda_row concurrency_rows[] = {
    ILPS(fma_fp64, fma_op, double),
    ILPS(add_fp64, add_op, double),
    ILPS(fma_fp32, fma_op, float),
};

const struct ert_cuda_rows ert_cuda_compute_concurrency_rows = {
    concurrency_rows, sizeof concurrency_rows / sizeof concurrency_rows[0]};
