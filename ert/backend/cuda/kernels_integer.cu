/*
 * 32-bit integers, and instructions as such. Chains in registers (chains.cuh).
 *   mad   x = a*x + b; x = c*x + d   2 op per step, one IMAD
 *   add   x = x + b; x = x ^ d       1 op per step, an addition and an exclusive or in turn
 *   issue FP32 chains (x = a*x + b; x = c*x + d) and integer chains (x = x + e; x = x ^ e)
 *         in turn; 1/32 warp instruction per thread, chain and step
 * Bound of mad and add: lanes of the unit per clock. Bound of issue: one instruction per
 * clock and scheduler. FMAs and logic go to different pipes, each of which takes every other
 * slot where it has 16 lanes per scheduler (cc 7.x, 8.0: FP32; all: integers), so together
 * they fill all. What the loop needs itself is not counted.
 */
#include "ert/backend/cuda/chains.cuh"

struct mad_op {
    static __device__ uint32_t step(uint32_t x, uint32_t scale, uint32_t offset)
    {
        x = scale * x + offset;
        /* No code: without it nvcc 13 takes minutes over 1024 of these for cc 10 and later. */
        asm("" : "+r"(x));
        return x;
    }
};
struct add_op {
    static __device__ uint32_t step(uint32_t x, uint32_t, uint32_t offset)
    {
        return x + offset;
    }
};
struct xor_op {
    static __device__ uint32_t step(uint32_t x, uint32_t, uint32_t mask)
    {
        return x ^ mask;
    }
};

/* Even chains are floats, odd ones integers: C/2 of each. */
template <int C, int S>
static __global__ void __launch_bounds__(1024) issue(struct ert_cuda_arguments arguments)
{
    const float a = of_bits<float>(arguments.bits[0]);
    const float b = of_bits<float>(arguments.bits[1]);
    const float c = of_bits<float>(arguments.bits[2]);
    const float d = of_bits<float>(arguments.bits[3]);
    const uint32_t e = of_bits<uint32_t>(arguments.bits[4]);
    const unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;
    float x[C / 2];
    uint32_t n[C / 2];
#pragma unroll
    for (int i = 0; i < C / 2; i++) {
        x[i] = first_value<float, C>(arguments, thread, 2 * i);
        n[i] = first_value<uint32_t, C>(arguments, thread, 2 * i + 1);
    }
    mark_clock(arguments);
#pragma unroll 1
    for (unsigned int pass = 0; pass < arguments.passes; pass++) {
#pragma unroll
        for (int s = 0; s < S; s += 2) {
#pragma unroll
            for (int i = 0; i < C / 2; i++) {
                x[i] = fmaf(a, x[i], b);
                n[i] = n[i] + e;
            }
#pragma unroll
            for (int i = 0; i < C / 2; i++) {
                x[i] = fmaf(c, x[i], d);
                n[i] = n[i] ^ e;
            }
        }
    }
    mark_clock(arguments);
    uint32_t *out = (uint32_t *)arguments.w + thread;
    const size_t n_threads = (size_t)gridDim.x * blockDim.x;
#pragma unroll
    for (int i = 0; i < C / 2; i++) {
        out[2 * i * n_threads] = __float_as_uint(x[i]);
        out[(2 * i + 1) * n_threads] = n[i];
    }
}

#define MAD(...) CHAINS(mad_int32, mad_op, mad_op, uint32_t, UNIFORM, "", __VA_ARGS__)
#define ADD(...) CHAINS(add_int32, add_op, xor_op, uint32_t, UNIFORM, "", __VA_ARGS__)
#define ISSUE(blocks, threads, registers, ops)                                             \
    CHAINS_ROW(issue, CHAINS_NAME(blocks, threads, registers, ops), blocks, threads,       \
               registers, (ops) / (registers), issue<registers, (ops) / (registers)>)

static const struct ert_cuda_row rows[] = {
    MAD(4, 256, 8, 512),  MAD(8, 256, 8, 1024),   ADD(4, 256, 8, 512),
    ADD(8, 256, 8, 1024), ISSUE(4, 256, 8, 1024), ISSUE(8, 256, 8, 1024),
};

const struct ert_cuda_rows ert_cuda_integer_rows = {rows, sizeof rows / sizeof rows[0]};
