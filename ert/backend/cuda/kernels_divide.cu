/*
 * Division, reciprocal and square root as `/`, `1 / x` and `sqrt` compile by default: IEEE,
 * rounded to nearest. Chains in registers (chains.cuh); one operation counts 1, whatever
 * the instructions behind it.
 *   div  x = a / x        FP64: MUFU and 8 DFMA or DMUL; FP32: MUFU and 5 FFMA
 *   rcp  x = 1 / x        FP64: MUFU and 5 DFMA; FP32: MUFU, 2 FFMA and an addition
 *   sqrt x = sqrt(b - x)  a subtraction; FP64: MUFU and 8 DFMA or DMUL; FP32: MUFU and 4
 *                         FFMA or FMUL
 * Values stay in (0.6, 4), where the short path is taken; the tests for the long one belong
 * to the operation. Bound: FP64 lanes where there are few; else issue slots, of which an
 * operation takes 10 to 20, and the special function unit (MUFU).
 */
#include "ert/backend/cuda/chains.cuh"

struct div_op {
    static __device__ double step(double x, double numerator, double)
    {
        return __ddiv_rn(numerator, x);
    }
    static __device__ float step(float x, float numerator, float)
    {
        return __fdiv_rn(numerator, x);
    }
};
struct rcp_op {
    static __device__ double step(double x, double, double)
    {
        return __drcp_rn(x);
    }
    static __device__ float step(float x, float, float)
    {
        return __frcp_rn(x);
    }
};
struct sqrt_op {
    static __device__ double step(double x, double, double minuend)
    {
        return __dsqrt_rn(__dsub_rn(minuend, x));
    }
    static __device__ float step(float x, float, float minuend)
    {
        return __fsqrt_rn(__fsub_rn(minuend, x));
    }
};

#define FP64(op, ...) CHAINS(op##_fp64, op##_op, op##_op, double, UNIFORM, "", __VA_ARGS__)
#define FP32(op, ...) CHAINS(op##_fp32, op##_op, op##_op, float, UNIFORM, "", __VA_ARGS__)
/* A branch around the long path ends every operation, so warps hide the latency. */
#define SHAPES(SHAPE, op)                                                                  \
    SHAPE(op, 4, 256, 2, 32), SHAPE(op, 4, 256, 4, 32), SHAPE(op, 6, 256, 2, 32),          \
        SHAPE(op, 8, 256, 1, 32), SHAPE(op, 8, 256, 2, 32)

static const struct ert_cuda_row rows[] = {
    SHAPES(FP64, div), SHAPES(FP64, rcp), SHAPES(FP64, sqrt),
    SHAPES(FP32, div), SHAPES(FP32, rcp), SHAPES(FP32, sqrt),
};

const struct ert_cuda_rows ert_cuda_divide_rows = {rows, sizeof rows / sizeof rows[0]};
