/*
 * FP16 and bfloat16 on the CUDA cores: chains in registers (chains.cuh), two elements to a
 * register, so one instruction is two operations of the row (FMA: 4 flop).
 *   fma x = a*x + b; x = c*x + d   2 flop per element and step
 *   add x = x + b; x = x + d       1
 *   mul x = a*x; x = c*x           1
 * Bound: where the lanes are 256 per SM and clock (cc 8.0, 9.0) every issue slot, as FP32
 * is (kernels_compute.cu); else the lanes.
 *
 * Bfloat16 has a multiply-add from cc 8.0, addition and multiplication from 9.0 on (CUDA
 * Math API; before, they are FMAs with 1 or -0, which would be measured twice).
 */
#include "ert/backend/cuda/chains.cuh"

static __device__ __half2 multiply_add(__half2 scale, __half2 x, __half2 offset)
{
    return __hfma2(scale, x, offset);
}

/* CUDA declares bfloat16's from cc 8.0 on. On older GPUs nothing runs it: rows.cu. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
static __device__ __nv_bfloat162 multiply_add(__nv_bfloat162, __nv_bfloat162 x,
                                              __nv_bfloat162)
{
    return x;
}
#else
static __device__ __nv_bfloat162 multiply_add(__nv_bfloat162 scale, __nv_bfloat162 x,
                                              __nv_bfloat162 offset)
{
    return __hfma2(scale, x, offset);
}
#endif

struct fma_op {
    template <class T> static __device__ T step(T x, T scale, T offset)
    {
        return multiply_add(scale, x, offset);
    }
};
/* The _rn forms are never fused. */
struct add_op {
    template <class T> static __device__ T step(T x, T, T offset)
    {
        return __hadd2_rn(x, offset);
    }
};
struct mul_op {
    template <class T> static __device__ T step(T x, T scale, T)
    {
        return __hmul2_rn(scale, x);
    }
};

/*
 * In vector registers, constants let the compiler alternate between the two pipes that have
 * these operations, HFMA2 (HADD2, HMUL2) and HFMA2.MMA, which has no uniform operands.
 */
#define FP16(op, ...) CHAINS(op##_fp16, op##_op, op##_op, __half2, VECTOR, "", __VA_ARGS__)
#define BF16(op, ...)                                                                      \
    CHAINS(op##_bf16, op##_op, op##_op, __nv_bfloat162, VECTOR, "", __VA_ARGS__)
#define SHAPES(TYPE, op)                                                                   \
    TYPE(op, 4, 256, 8, 512), TYPE(op, 4, 256, 8, 2048), TYPE(op, 6, 256, 8, 2048),        \
        TYPE(op, 8, 256, 8, 1024), TYPE(op, 8, 256, 8, 2048), TYPE(op, 8, 256, 8, 4096)

static const struct ert_cuda_row rows[] = {
    SHAPES(FP16, fma), SHAPES(FP16, add), SHAPES(FP16, mul),
    SHAPES(BF16, fma), SHAPES(BF16, add), SHAPES(BF16, mul),
};

const struct ert_cuda_rows ert_cuda_half_rows = {rows, sizeof rows / sizeof rows[0]};
