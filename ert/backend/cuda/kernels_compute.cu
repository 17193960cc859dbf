/*
 * The compute kernels: C independent chains per thread in registers, two alternating pairs
 * of constants (orbit.h), no memory between the first and the last value. One pass is S
 * steps of every chain, unrolled: C*S arithmetic instructions and three of loop.
 *   fma x = a*x + b; x = c*x + d   2 flop per step
 *   add x = x + b; x = x + d       1
 *   mul x = a*x; x = c*x           1
 * Bound: lanes of the unit per clock. FP32 needs every issue slot of an SM, so the loop's
 * own instructions count: hence bodies of several hundred, which still fit the instruction
 * cache. Chains start from different run-time values: the compiler merges equal ones.
 */
#include "ert/backend/cuda/device.cuh"

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

template <class Op, class T, int C, int S>
static __global__ void __launch_bounds__(1024) chains(struct ert_cuda_arguments arguments)
{
    const T a = arguments.a, b = arguments.b, c = arguments.c, d = arguments.d;
    const unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;
    T x[C];
#pragma unroll
    for (int i = 0; i < C; i++)
        x[i] = arguments.starts[(thread * C + i) & (arguments.n_starts - 1)];
    mark_clock(arguments);
#pragma unroll 1
    for (unsigned int pass = 0; pass < arguments.passes; pass++) {
#pragma unroll
        for (int s = 0; s < S; s += 2) {
#pragma unroll
            for (int i = 0; i < C; i++)
                x[i] = Op::step(x[i], a, b);
#pragma unroll
            for (int i = 0; i < C; i++)
                x[i] = Op::step(x[i], c, d);
        }
    }
    mark_clock(arguments);
    /* Chain i of all threads lies together, so that the stores are whole lines. */
    T *out = (T *)arguments.w + thread;
#pragma unroll
    for (int i = 0; i < C; i++)
        out[(size_t)i * gridDim.x * blockDim.x] = x[i];
}

#define CHAINS(op, type, element, name, blocks, threads, n_chains, n_steps)                \
    {                                                                                      \
        ERT_KERNEL_##op##_##type, ERT_PATH_NONE, 0, name, ERT_CUDA_REGISTERS, threads,     \
            blocks, 0, n_chains, n_steps,                                                  \
            (const void *)chains<op##_op, element, n_chains, n_steps>                      \
    }

/*
 * Blocks per SM x threads, chains per thread, arithmetic instructions of the body. The
 * first of each kernel fits the 1024 threads that an SM of cc 7.5 holds.
 */
static const struct ert_cuda_row rows[] = {
#define FP64(op)                                                                           \
    CHAINS(op, fp64, double, "2x256, 8 chains, 256 ops", 2, 256, 8, 32),                   \
        CHAINS(op, fp64, double, "4x256, 8 chains, 256 ops", 4, 256, 8, 32)
#define FP32(op)                                                                           \
    CHAINS(op, fp32, float, "4x256, 8 chains, 512 ops", 4, 256, 8, 64),                    \
        CHAINS(op, fp32, float, "8x256, 8 chains, 512 ops", 8, 256, 8, 64),                \
        CHAINS(op, fp32, float, "8x256, 8 chains, 1024 ops", 8, 256, 8, 128)
    FP64(fma), FP64(add), FP64(mul), FP32(fma), FP32(add), FP32(mul),
};

const struct ert_cuda_rows ert_cuda_compute_rows = {rows, sizeof rows / sizeof rows[0]};
