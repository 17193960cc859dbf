/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * isa_vectors: the FP64 and FP32 kernels of one instruction set. ert/local.mk compiles this file once
 * for each, with its flags and -DISA_name. The sections below define an instruction set: its registers, how
 * many chains they hold besides four constants, and the operations that C has no operator for.
 */
#include "ert/core/backend/cpu/isa.h"

#if defined ISA_AVX512 || defined ISA_AVX2 || defined ISA_SSE2
#include <immintrin.h>
#elif defined ISA_NEON
#include <arm_neon.h>
#elif defined ISA_SVE
#include <arm_sve.h>
#endif

#if defined ISA_AVX512
/*
 * Only AVX-512F, so that Knights Landing can run it, too. 24 chains exceed the 8 that two FMA units of
 * latency 4 need (6 on KNL: 12).
 */
#define VEC_NAME           avx512
#define VEC_REGISTER       "v"
#define VEC_AVAILABLE(isa) (isa)->avx512f
#define VEC_FUSED          1
#define X86(operation)     _mm512_##operation
typedef __m512d vec;
typedef __m512 vecf;
enum {
    VEC_BYTES = 64,
    VEC_CHAINS = 24,
    VEC_REGISTERS = 32,
    VEC_CHAINS_ADDMUL = 24,
    VEC_CHAINS_FMAADD = 20
};

#elif defined ISA_AVX2
/* 12 chains exceed the 8 to 10 that two FMA units of latency 4 or 5 need. */
#define VEC_NAME           avx2
#define VEC_REGISTER       "x"
#define VEC_AVAILABLE(isa) (isa)->avx2 && (isa)->fma
#define VEC_FUSED          1
#define X86(operation)     _mm256_##operation
typedef __m256d vec;
typedef __m256 vecf;
enum {
    VEC_BYTES = 32,
    VEC_CHAINS = 12,
    VEC_REGISTERS = 16,
    VEC_CHAINS_ADDMUL = 14,
    VEC_CHAINS_FMAADD = 12
};

#elif defined ISA_SSE2
/*
 * SSE2, which every x86-64 has: two-operand instructions, no fused multiply-add. Kernels that need one
 * multiply and subtract instead (two roundings; update's numbers are exact either
 * variant), and there is no FMA peak.
 */
#define VEC_NAME           sse2
#define VEC_REGISTER       "x"
#define VEC_AVAILABLE(isa) (isa)->sse2
#define VEC_FUSED          0
#define X86(operation)     _mm_##operation
typedef __m128d vec;
typedef __m128 vecf;
enum {
    VEC_BYTES = 16,
    VEC_CHAINS = 12,
    VEC_REGISTERS = 16,
    VEC_CHAINS_ADDMUL = 14,
    VEC_CHAINS_FMAADD = 12
};

#elif defined ISA_NEON
/*
 * Advanced SIMD of aarch64. Four FMA pipes of latency 4 need 16 chains (Neoverse V1, V2, which also have
 * SVE). FMLA overwrites its addend, so x = a*x + b is a move and an FMLA; cores that cannot eliminate the
 * move by renaming stay below their FMA peak. With 16 chains gcc 12 has 2 loads and 2 stores of spilled
 * registers per 64 FMLA, with 24 chains 17 of each per 96, with 15 none.
 */
#define VEC_NAME           neon
#define VEC_REGISTER       "w"
#define VEC_AVAILABLE(isa) (isa)->neon
#define VEC_FUSED          1
typedef float64x2_t vec;
typedef float32x4_t vecf;
enum {
    VEC_BYTES = 16,
    VEC_CHAINS = 15,
    VEC_REGISTERS = 32,
    VEC_CHAINS_ADDMUL = 16,
    VEC_CHAINS_FMAADD = 14
};

#elif defined ISA_SVE
/*
 * SVE, with a table for each length that processors have (Neoverse V2: 128 bits, V1: 256, A64FX: 512; ISA_SVE
 * is the length): chains are arrays of registers, which C allows only for registers of known length. FMAD
 * overwrites a factor, so that the FMA kernels need no moves.
 */
#define VEC_NAME_(bits)    sve##bits
#define VEC_NAME_OF(bits)  VEC_NAME_(bits)
#define VEC_NAME           VEC_NAME_OF(ISA_SVE)
#define VEC_REGISTER       "w"
#define VEC_AVAILABLE(isa) (isa)->VEC_NAME
#define VEC_FUSED          1
typedef svfloat64_t vec __attribute__((arm_sve_vector_bits(ISA_SVE)));
typedef svfloat32_t vecf __attribute__((arm_sve_vector_bits(ISA_SVE)));
enum {
    VEC_BYTES = ISA_SVE / 8,
    VEC_CHAINS = 24,
    VEC_REGISTERS = 32,
    VEC_CHAINS_ADDMUL = 24,
    VEC_CHAINS_FMAADD = 20
};

#else
/*
 * One number at a time: the most that code without vectorization can reach. Compute kernels only: the access
 * kernels measure memory with one number at a time.
 */
#define VEC_TITLE "scalar"
#define IS_SCALAR
typedef double vec;
typedef float vecf;
#if defined ISA_SCALAR_FMA
/* FMA3, and the other operations in AVX's three-operand form, as compilers generate for such CPUs. */
#define VEC_NAME           scalar_fma
#define VEC_REGISTER       "x"
#define VEC_AVAILABLE(isa) (isa)->avx && (isa)->fma
#define VEC_FUSED          1
#elif defined ISA_SCALAR_SSE2
#define VEC_NAME           scalar_sse2
#define VEC_REGISTER       "x"
#define VEC_AVAILABLE(isa) (isa)->sse2 && !(isa)->fma
#define VEC_FUSED          0
#else
/* aarch64, whose FMADD has four operands. */
#define VEC_NAME           scalar_aarch64
#define VEC_REGISTER       "w"
#define VEC_AVAILABLE(isa) (isa)->neon
#define VEC_FUSED          1
#endif
enum {
    VEC_BYTES = 0,
#ifdef ISA_SCALAR_AARCH64
    VEC_CHAINS = 24,
    VEC_REGISTERS = 32,
    VEC_CHAINS_ADDMUL = 24,
    VEC_CHAINS_FMAADD = 20
#else
    VEC_CHAINS = 12,
    VEC_REGISTERS = 16,
    VEC_CHAINS_ADDMUL = 14,
    VEC_CHAINS_FMAADD = 12
#endif
};
#endif

#if defined ISA_NEON
#define FMA(x, y, z)  vfmaq_f64(z, x, y)
#define FMAF(x, y, z) vfmaq_f32(z, x, y)
#define FNMA(x, y, z) vfmsq_f64(z, x, y)
#define SQRT(x)       vsqrtq_f64(x)
#define SQRTF(x)      vsqrtq_f32(x)
#elif defined ISA_SVE
#define FMA(x, y, z)  svmad_f64_x(svptrue_b64(), x, y, z)
#define FMAF(x, y, z) svmad_f32_x(svptrue_b32(), x, y, z)
#define FNMA(x, y, z) svmsb_f64_x(svptrue_b64(), x, y, z)
#define SQRT(x)       svsqrt_f64_x(svptrue_b64(), x)
#define SQRTF(x)      svsqrt_f32_x(svptrue_b32(), x)
#elif defined IS_SCALAR
#define FMA(x, y, z)  __builtin_fma(x, y, z)
#define FMAF(x, y, z) __builtin_fmaf(x, y, z)
#define SQRT(x)       __builtin_sqrt(x) /* the instruction, with -fno-math-errno */
#define SQRTF(x)      __builtin_sqrtf(x)
#else
#define FMA(x, y, z)  X86(fmadd_pd)(x, y, z)
#define FMAF(x, y, z) X86(fmadd_ps)(x, y, z)
#define FNMA(x, y, z) X86(fnmadd_pd)(x, y, z)
#define SQRT(x)       X86(sqrt_pd)(x)
#define SQRTF(x)      X86(sqrt_ps)(x)
#endif
#if !VEC_FUSED
#undef FMA
#undef FMAF
#undef FNMA
#define FMA(x, y, z)  ((x) * (y) + (z))
#define FMAF(x, y, z) ((x) * (y) + (z))
#define FNMA(x, y, z) ((z) - (x) * (y))
#endif

static inline vec vec_fma(vec a, vec x, vec b)
{
    return FMA(a, x, b);
}

static inline vecf vecf_fma(vecf a, vecf x, vecf b)
{
    return FMAF(a, x, b);
}

static inline vec vec_sqrt(vec x)
{
    return SQRT(x);
}

static inline vecf vecf_sqrt(vecf x)
{
    return SQRTF(x);
}

#include "ert/core/backend/cpu/kernels_common.inc"

#ifndef IS_SCALAR
#ifdef ISA_SVE
typedef svuint64_t vecu __attribute__((arm_sve_vector_bits(ISA_SVE), may_alias));
#else
typedef uint64_t vecu __attribute__((vector_size(VEC_BYTES), may_alias));
#endif

/* b - a*x */
static inline vec vec_fnma(vec a, vec x, vec b)
{
    return FNMA(a, x, b);
}

#ifdef ISA_AVX512
/* One operation per two loads: a quarter faster in L1 than one vpaddq per load. */
static inline vecu vec_xor3(vecu a, vecu b, vecu c)
{
    return (vecu)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, 0x96);
}
#else
static inline vecu vec_xor3(vecu a, vecu b, vecu c)
{
    return a ^ b ^ c;
}
#endif

#ifdef ISA_NEON
/* The non-temporal STNP stores only pairs: here the halves of one vector. */
static inline void vec_stream(vec *to, vec x)
{
    double low = x[0], high = x[1];
    __asm__ volatile("stnp %d1, %d2, [%0]" : : "r"(to), "w"(low), "w"(high) : "memory");
}

#elif defined ISA_SVE
static inline void vec_stream(vec *to, vec x)
{
    svstnt1_f64(svptrue_b64(), (double *)to, x);
}
#else
static inline void vec_stream(vec *to, vec x)
{
    X86(stream_pd)((double *)to, x);
}
#endif

/* Waits for non-temporal stores. */
#ifdef __aarch64__
#define FENCE() __asm__ volatile("dmb ishst" : : : "memory")
#else
#define FENCE() _mm_sfence()
#endif
static inline void vec_fence(void)
{
    FENCE();
}

#include "ert/core/backend/cpu/kernels_memory.inc"
#endif

/*
 * The compute kernels of FP64 and FP32. Bound by the FMA, add and multiply units, or by the divider, which
 * also computes square roots.
 *
 * gcc 12's code for an iteration (objdump): 4 * VEC_CHAINS operations of the row, and before each square root
 * a subtraction; add $1, cmp, jne. With two-operand instructions there are 52 to 83 moves more per 48
 * divisions or square roots, which take at least 3 clocks each and hide them.
 */

typedef vec vec_fp64;
typedef vecf vec_fp32;
typedef double scalar_fp64;
typedef float scalar_fp32;

CHAIN_SWEEP(fma_fp64, fp64, vec_fma(a, x[i], b), vec_fma(c, x[i], d))
CHAIN_SWEEP(add_fp64, fp64, x[i] + b, x[i] + d)
CHAIN_SWEEP(mul_fp64, fp64, a *x[i], c *x[i])
CHAIN_SWEEP(div_fp64, fp64, a / x[i], c / x[i])
CHAIN_SWEEP(sqrt_fp64, fp64, vec_sqrt(b - x[i]), vec_sqrt(d - x[i]))
CHAIN_SWEEP(fma_fp32, fp32, vecf_fma(a, x[i], b), vecf_fma(c, x[i], d))
CHAIN_SWEEP(add_fp32, fp32, x[i] + b, x[i] + d)
CHAIN_SWEEP(mul_fp32, fp32, a *x[i], c *x[i])
CHAIN_SWEEP(div_fp32, fp32, a / x[i], c / x[i])
CHAIN_SWEEP(sqrt_fp32, fp32, vecf_sqrt(b - x[i]), vecf_sqrt(d - x[i]))

/*
 * Chains that alternate two operations (ert_expected_kernel()): even ones multiply, or multiply and add; odd
 * ones add e, then subtract it (in the other order gcc 12 needs moves). So separate adders and multipliers
 * work at once. If registers cannot hold the chains and all constants, the last constant of the even chains'
 * odd steps is a memory operand; if all constants were, two loads per clock would be the limit.
 *
 * addmul: two adders and two multipliers of 3 clocks need 12 chains at best, and more if the scheduling is
 * not perfect (Zen 5, AVX2: 11.4 operations per ns with 12 chains, 13.0 with 14). fmaadd would need 16 with
 * FMAs of 4 clocks, which do not fit into 16 registers with the constants: there it reaches three quarters.
 */
#define IN_TURN_SWEEP(kernel, type, n, even, odd)                                          \
    static void kernel##_sweep(struct ert_cpu_sweep *sweep)                                \
    {                                                                                      \
        vec_##type x[n], zero = {0}, *operands = sweep->operands;                          \
        const vec_##type a = (scalar_##type)sweep->constants[0] - zero;                    \
        const vec_##type b = (scalar_##type)sweep->constants[1] - zero;                    \
        const vec_##type c = (scalar_##type)sweep->constants[2] - zero;                    \
        const vec_##type e = operands[1];                                                  \
        (void)b, (void)c;                                                                  \
        CHAINS(vec_##type, n, i % 2 ? (vec_##type)(x[i] + e) : (vec_##type)(even),         \
               i % 2 ? (vec_##type)(x[i] - e) : (vec_##type)(odd))                         \
    }

#define FROM_MEMORY(type)                                                                  \
    INLINE vec_##type from_memory_##type(vec_##type *operand)                              \
    {                                                                                      \
        if (VEC_REGISTERS < 32)                                                            \
            __asm__ volatile("" : "+m"(*operand));                                         \
        return *operand;                                                                   \
    }
FROM_MEMORY(fp64)
FROM_MEMORY(fp32)

IN_TURN_SWEEP(addmul_fp64, fp64, VEC_CHAINS_ADDMUL, x[i] * a,
              x[i] * from_memory_fp64(operands))
IN_TURN_SWEEP(addmul_fp32, fp32, VEC_CHAINS_ADDMUL, x[i] * a,
              x[i] * from_memory_fp32(operands))
IN_TURN_SWEEP(fmaadd_fp64, fp64, VEC_CHAINS_FMAADD, vec_fma(a, x[i], b),
              vec_fma(c, x[i], from_memory_fp64(operands)))
IN_TURN_SWEEP(fmaadd_fp32, fp32, VEC_CHAINS_FMAADD, vecf_fma(a, x[i], b),
              vecf_fma(c, x[i], from_memory_fp32(operands)))

/*
 * The table. A row of kernels.def without a function does not compile. Other files have the rows of
 * extensions; the scalar tables have compute kernels only.
 */
#ifndef VEC_TITLE
#define VEC_TITLE STRING(VEC_NAME)
#endif

static bool vec_available(const struct ert_isa *isa)
{
    return VEC_AVAILABLE(isa);
}

#define ERT_OF_COMPUTE(id, ...)                                                            \
    [ERT_KERNEL_##id] = ERT_CPU_ONE_VARIANT(.kernel = id##_sweep),
#ifndef IS_SCALAR
#define ERT_OF_MEMORY(id, ...) [ERT_KERNEL_##id] = id##_variants,
#endif

const struct ert_cpu_isa TABLE_NAME(VEC_NAME) = {
    .name = VEC_TITLE,
    .available = vec_available,
    .fused = VEC_FUSED,
    .vector_bytes = VEC_BYTES,
    .chains = VEC_CHAINS,
    .addmul_chains = VEC_CHAINS_ADDMUL,
    .fmaadd_chains = VEC_CHAINS_FMAADD,
    .add_chain = add_chain,
    .variants =
        {
#define ERT_KERNEL_EXTENSION(...)
#define ERT_KERNEL_CPU_EXTENSION(...)
#define ERT_KERNEL_GPU(...)
#include "ert/core/kernels/kernels.def"
        },
};
