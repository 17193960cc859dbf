/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * extensions: extensions for single kernels. local.mk compiles this file once for each, with its
 * flags and -DISA_name. Chains and four constants or operands fill the registers, as in isa_vectors.c.
 */
#include "ert/ext/isa/products.h"

#ifdef __aarch64__
#include <arm_neon.h>
#define VEC_REGISTER "w"
#else
#include <immintrin.h>
#define VEC_REGISTER "v"
#endif

#if defined ISA_AVX512FP16
/* 32 halves in each of 32 registers. */
#define VEC_NAME avx512fp16
enum { VEC_BYTES = 64, VEC_CHAINS = 24 };
__extension__ typedef _Float16 scalar_fp16;
typedef scalar_fp16 vec_fp16 __attribute__((vector_size(64), may_alias));

static inline vec_fp16 fma_of(vec_fp16 a, vec_fp16 x, vec_fp16 b)
{
    return (vec_fp16)_mm512_fmadd_ph((__m512h)a, (__m512h)x, (__m512h)b);
}

#elif defined ISA_NEONFP16
/* FEAT_FP16: 8 halves in each of 32 registers; chains for four pipes of latency 4, FMLA: isa_vectors.c. */
#define VEC_NAME neonfp16
enum { VEC_BYTES = 16, VEC_CHAINS = 16 };
typedef float16_t scalar_fp16;
typedef float16x8_t vec_fp16;

static inline vec_fp16 fma_of(vec_fp16 a, vec_fp16 x, vec_fp16 b)
{
    return vfmaq_f16(b, a, x);
}

#elif defined ISA_AVX512BF16
/* VDPBF16PS adds two products of bfloat16 to each of 16 floats. */
#define VEC_NAME avx512bf16
#define DOT(X)   X(dot_bf16, __m512, __m512bh, _mm512_dpbf16_ps)
enum { VEC_BYTES = 64, VEC_CHAINS = 24 };

#elif defined ISA_AVX512VNNI
/* VPDPBUSD adds four products of unsigned and signed bytes to each of 16 32-bit integers, modulo 2^32. */
#define VEC_NAME avx512vnni
#define DOT(X)   X(dot_int8, __m512i, __m512i, _mm512_dpbusd_epi32)
enum { VEC_BYTES = 64, VEC_CHAINS = 24 };

#elif defined ISA_AVXVNNI
/* The same in VEX encoding, for processors without AVX-512: 16 registers of 32 bytes. */
#define VEC_NAME avxvnni
#define DOT(X)   X(dot_int8, __m256i, __m256i, _mm256_dpbusd_avx_epi32)
enum { VEC_BYTES = 32, VEC_CHAINS = 12 };
#undef VEC_REGISTER
#define VEC_REGISTER "x"

#elif defined ISA_NEONDOT
/* FEAT_DotProd: SDOT adds four products of bytes to each of 4 32-bit integers, modulo 2^32. */
#define VEC_NAME neondot
#define DOT(X)   X(dot_int8, int32x4_t, int8x16_t, vdotq_s32)
enum { VEC_BYTES = 16, VEC_CHAINS = 24 };
#endif

#include "ert/core/backend/cpu/kernels_common.inc"

/*
 * A kernel of dot products: chain i adds left[i % 2] . right[0 or 1]. The right operand alternates with every
 * step and with every second chain, so that both are in use at any time (products.h). `operand` is the
 * operands' vector type, dot(x, l, r) is x + l . r.
 */
#define PRODUCT(kernel, vector, operand, dot)                                              \
    static void kernel##_sweep(struct ert_cpu_sweep *sweep)                                \
    {                                                                                      \
        vector x[VEC_CHAINS];                                                              \
        const operand *operands = sweep->operands;                                         \
        const operand left[] = {operands[0], operands[1]};                                 \
        const operand right[] = {operands[2], operands[3]};                                \
        CHAINS(vector, VEC_CHAINS, dot(x[i], left[i % 2], right[i / 2 % 2]),               \
               dot(x[i], left[i % 2], right[(i / 2 + 1) % 2]))                             \
    }

#define VARIANT(id) [ERT_KERNEL_##id] = ERT_CPU_ONE_VARIANT(.kernel = id##_sweep),
#ifdef DOT
#define OF_DOT(id, ...) VARIANT(id)
#define VARIANTS        DOT(OF_DOT)
#define IS_FUSED        false
#define VALUES          &ert_isa_products
DOT(PRODUCT)
#else
#define VARIANTS VARIANT(fma_fp16) VARIANT(add_fp16) VARIANT(mul_fp16)
#define IS_FUSED true
#define VALUES   NULL
CHAIN_SWEEP(fma_fp16, fp16, fma_of(a, x[i], x[i]), fma_of(c, x[i], x[i]))
CHAIN_SWEEP(add_fp16, fp16, x[i] + b, x[i] + d)
CHAIN_SWEEP(mul_fp16, fp16, a *x[i], c *x[i])
#endif

static bool isa_extensions_available(const struct ert_isa *isa)
{
    return isa->VEC_NAME;
}

const struct ert_cpu_isa TABLE_NAME(VEC_NAME) = {
    .name = STRING(VEC_NAME),
    .available = isa_extensions_available,
    .fused = IS_FUSED,
    .vector_bytes = VEC_BYTES,
    .chains = VEC_CHAINS,
    .products = VALUES,
    .add_chain = add_chain,
    .variants = {VARIANTS},
};
