/*
 * FP64 and FP32 on the CUDA cores, chains in registers (chains.cuh).
 *   fma x = a*x + b; x = c*x + d   2 flop per step
 *   add x = x + b; x = x + d       1
 *   mul x = a*x; x = c*x           1
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
#define FP32_VECTOR(op, ...)                                                               \
    CHAINS(op##_fp32, op##_op, op##_op, float, VECTOR, ", vector constants", __VA_ARGS__)

/*
 * Each kernel's rows ascend in what an SM must hold: 1024 threads on cc 7.5, 1536 on 8.6
 * and 8.9, else 2048 (whose registers are then 32 per thread).
 */
#define FP64_SHAPES(op) FP64(op, 2, 256, 8, 256), FP64(op, 4, 256, 8, 256)
#define FP32_SHAPES(op)                                                                    \
    FP32(op, 4, 256, 8, 512), FP32(op, 4, 256, 8, 2048), FP32(op, 6, 256, 8, 2048),        \
        FP32(op, 8, 256, 8, 1024), FP32(op, 8, 256, 8, 2048), FP32(op, 2, 1024, 8, 2048),  \
        FP32(op, 8, 256, 8, 4096)

static const struct ert_cuda_row rows[] = {
    FP64_SHAPES(fma),
    FP64_SHAPES(add),
    FP64_SHAPES(mul),
    FP32_SHAPES(add),
    FP32_SHAPES(mul),
    /* Only an FMA reads three registers; longer runs of one pair of constants reread fewer. */
    FP32(fma, 1, 512, 16, 2048),
    FP32(fma, 4, 256, 16, 2048),
    FP32_VECTOR(fma, 4, 256, 8, 512),
    FP32_VECTOR(fma, 4, 256, 16, 2048),
    FP32_SHAPES(fma),
    FP32(fma, 8, 256, 4, 2048),
    FP32(fma, 8, 256, 16, 2048),
    FP32_VECTOR(fma, 8, 256, 8, 2048),
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
