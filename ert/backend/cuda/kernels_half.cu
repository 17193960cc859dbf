/*
 * FP16 and bfloat16 on the CUDA cores: chains in registers (chains.cuh), two elements to a
 * register, so one instruction is two operations of the row (FMA: 4 flop).
 *   fma x = a*x + x; x = c*x + x   2 flop per element and step
 *   add x = x + b; x = x + d       1
 *   mul x = a*x; x = c*x           1
 * Bound: where the lanes are 256 per SM and clock (cc 8.0, 9.0) every issue slot, as FP32
 * is (kernels_compute.cu); else the lanes.
 *
 * Bfloat16 has a multiply-add from cc 8.0, addition and multiplication from 9.0 on (CUDA
 * Math API; before, they are FMAs with 1 or -0, which would be measured twice).
 */
#include "ert/backend/cuda/chains.cuh"

/* The _rn forms are never fused. */
static __device__ __half2 multiply_add(__half2 x, __half2 scale, __half2 offset)
{
    return __hfma2(x, scale, offset);
}

static __device__ __half2 add(__half2 x, __half2 y)
{
    return __hadd2_rn(x, y);
}

static __device__ __half2 multiply(__half2 x, __half2 y)
{
    return __hmul2_rn(x, y);
}

/* CUDA 11 has those of bfloat16 from cc 8.0 on only. On older GPUs nothing runs them: rows.cu. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
static __device__ __nv_bfloat162 multiply_add(__nv_bfloat162 x, __nv_bfloat162,
                                              __nv_bfloat162)
{
    return x;
}
static __device__ __nv_bfloat162 add(__nv_bfloat162 x, __nv_bfloat162)
{
    return x;
}
static __device__ __nv_bfloat162 multiply(__nv_bfloat162 x, __nv_bfloat162)
{
    return x;
}
#else
static __device__ __nv_bfloat162 multiply_add(__nv_bfloat162 x, __nv_bfloat162 scale,
                                              __nv_bfloat162 offset)
{
    return __hfma2(x, scale, offset);
}
static __device__ __nv_bfloat162 add(__nv_bfloat162 x, __nv_bfloat162 y)
{
    return __hadd2_rn(x, y);
}
static __device__ __nv_bfloat162 multiply(__nv_bfloat162 x, __nv_bfloat162 y)
{
    return __hmul2_rn(x, y);
}
#endif

struct fma_op {
    template <class T> static __device__ T step(T x, T scale, T)
    {
        return multiply_add(x, scale, x);
    }
};
struct add_op {
    template <class T> static __device__ T step(T x, T, T offset)
    {
        return add(x, offset);
    }
};
struct mul_op {
    template <class T> static __device__ T step(T x, T scale, T)
    {
        return multiply(scale, x);
    }
};

/*
 * The compiler alternates between the two pipes that have these operations, HFMA2 (HADD2, HMUL2)
 * and HFMA2.MMA; additions and multiplications only where their constants are in vector registers.
 *
 * A full-rate FMA leaves no clock for reading twice from one bank of registers (even and odd ones).
 * With three different registers, or two of one bank, the same loop gave anything from 87 to
 * 111 TFLOP/s on an H200, as registers were allotted. So the FMA adds x itself, and its shapes are
 * those for which no instruction has its two registers in one bank.
 */
#define FP16(op, home, ...)                                                                \
    CHAINS(op##_fp16, op##_op, op##_op, __half2, home, "", __VA_ARGS__)
#define BF16(op, home, ...)                                                                \
    CHAINS(op##_bf16, op##_op, op##_op, __nv_bfloat162, home, "", __VA_ARGS__)
#define FMA_SHAPES(TYPE)                                                                   \
    TYPE(fma, UNIFORM, 4, 256, 12, 528), TYPE(fma, UNIFORM, 8, 256, 8, 512)
#define SHAPES(TYPE, op)                                                                   \
    TYPE(op, VECTOR, 4, 256, 16, 512), TYPE(op, VECTOR, 4, 256, 16, 1024)

static const struct ert_cuda_row rows[] = {
    FMA_SHAPES(FP16), SHAPES(FP16, add), SHAPES(FP16, mul),
    FMA_SHAPES(BF16), SHAPES(BF16, add), SHAPES(BF16, mul),
};

const struct ert_cuda_rows ert_cuda_half_rows = {rows, sizeof rows / sizeof rows[0]};
