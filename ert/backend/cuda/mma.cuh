/*
 * mma: one warp's matrix product, C = C + A*B with mma.sync (PTX ISA, "Warp level matrix multiply-
 * accumulate instructions"), a struct per shape. Device code only.
 *
 * Fragments: rows of A and columns of B lie as words along k, 8 bytes for FP64, else 4. Lane l holds
 * word l%4 + 4*(i/HALVES) of row l/4 + 8*(i%HALVES) of A as a[i], word l%4 + 4*i of column l/4 of B
 * as b[i]: the same for all shapes here.
 */
#ifndef ERT_BACKEND_CUDA_MMA_CUH
#define ERT_BACKEND_CUDA_MMA_CUH

#include "ert/backend/cuda/tensor.cuh"

/* Operands and text by registers of a, b and c. */
#define MMA_4_2_4(in, io)                                                                  \
    : io(c[0]), io(c[1]), io(c[2]), io(c[3])                                               \
    : in(a[0]), in(a[1]), in(a[2]), in(a[3]), in(b[0]), in(b[1])
#define MMA_TEXT_4_2_4 " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
#define MMA_2_1_4(in, io)                                                                  \
    : io(c[0]), io(c[1]), io(c[2]), io(c[3])                                               \
    : in(a[0]), in(a[1]), in(b[0])
#define MMA_TEXT_2_1_4 " {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
#define MMA_4_2_2(in, io)                                                                  \
    : io(c[0]), io(c[1])                                                                   \
    : in(a[0]), in(a[1]), in(a[2]), in(a[3]), in(b[0]), in(b[1])
#define MMA_TEXT_4_2_2 " {%0,%1},{%2,%3,%4,%5},{%6,%7},{%0,%1};"
#define MMA_2_1_2(in, io)                                                                  \
    : io(c[0]), io(c[1])                                                                   \
    : in(a[0]), in(a[1]), in(b[0])
#define MMA_TEXT_2_1_2 " {%0,%1},{%2,%3},{%4},{%0,%1};"
#define MMA_1_1_2(in, io)                                                                  \
    : io(c[0]), io(c[1])                                                                   \
    : in(a[0]), in(b[0])
#define MMA_TEXT_1_1_2 " {%0,%1},{%2},{%3},{%0,%1};"
#define MMA_8_4_4(in, io)                                                                  \
    : io(c[0]), io(c[1]), io(c[2]), io(c[3])                                               \
    : in(a[0]), in(a[1]), in(a[2]), in(a[3]), in(a[4]), in(a[5]), in(a[6]), in(a[7]),      \
      in(b[0]), in(b[1]), in(b[2]), in(b[3])
#define MMA_TEXT_8_4_4                                                                     \
    " {%0,%1,%2,%3},{%4,%5,%6,%7,%8,%9,%10,%11},{%12,%13,%14,%15},{%0,%1,%2,%3};"

/*
 * An instruction: the least architecture that has it, the types of a word and of an accumulator and
 * their constraints in asm, rows and products, registers of a, b and c.
 */
#define MMA(name, text, cc, word_type, acc_type, in, io, m, k, na, nb, nc)                 \
    struct name {                                                                          \
        typedef word_type word;                                                            \
        typedef acc_type acc;                                                              \
        enum { CC = cc, M = m, N = 8, K = k, NA = na, NB = nb, NC = nc };                  \
        static __device__ __forceinline__ void step(acc (&c)[nc], const word (&a)[na],     \
                                                    const word (&b)[nb])                   \
        {                                                                                  \
            asm volatile("mma.sync.aligned." text MMA_TEXT_##na##_##nb##_##nc              \
                             MMA_##na##_##nb##_##nc(in, io));                              \
        }                                                                                  \
    };

// clang-format off
MMA(fp64_m8n8k4,   "m8n8k4.row.col.f64.f64.f64.f64",      80, double,   double, "d", "+d", 8,  4,  1, 1, 2)
MMA(fp64_m16n8k16, "m16n8k16.row.col.f64.f64.f64.f64",    90, double,   double, "d", "+d", 16, 16, 8, 4, 4)
MMA(tf32_m16n8k8,  "m16n8k8.row.col.f32.tf32.tf32.f32",   80, uint32_t, float,  "r", "+f", 16, 8,  4, 2, 4)
MMA(bf16_m16n8k16, "m16n8k16.row.col.f32.bf16.bf16.f32",  80, uint32_t, float,  "r", "+f", 16, 16, 4, 2, 4)
MMA(fp16_m16n8k8,  "m16n8k8.row.col.f32.f16.f16.f32",     75, uint32_t, float,  "r", "+f", 16, 8,  2, 1, 4)
MMA(fp16_m16n8k16, "m16n8k16.row.col.f32.f16.f16.f32",    80, uint32_t, float,  "r", "+f", 16, 16, 4, 2, 4)
MMA(acc16_m16n8k8, "m16n8k8.row.col.f16.f16.f16.f16",  75, uint32_t, uint32_t, "r", "+r", 16, 8,  2, 1, 2)
MMA(acc16_m16n8k16, "m16n8k16.row.col.f16.f16.f16.f16", 80, uint32_t, uint32_t, "r", "+r", 16, 16, 4, 2, 2)
MMA(fp8_m16n8k32,  "m16n8k32.row.col.f32.e4m3.e4m3.f32",  89, uint32_t, float,  "r", "+f", 16, 32, 4, 2, 4)
MMA(int8_m8n8k16,  "m8n8k16.row.col.s32.s8.s8.s32",       75, uint32_t, int,    "r", "+r", 8,  16, 1, 1, 2)
MMA(int8_m16n8k32, "m16n8k32.row.col.s32.s8.s8.s32",      80, uint32_t, int,    "r", "+r", 16, 32, 4, 2, 4)
// clang-format on

#endif
