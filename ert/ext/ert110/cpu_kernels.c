/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ert110_kernels: what ERT 1.1.0 runs on CPUs (ert/ext/ert110/kernels.h). ert/local.mk compiles this file
 * once for each instruction set, with its flags and -DISA_name. In place, 2 accesses of one element and F
 * flops in one dependent chain; bound by the chain's latency, since a core can only overlap successive
 * vectors.
 *
 * The loops are those that gcc 12 makes of ERT at -O3: one vector per iteration, at any alignment. From gcc 8
 * on it does two passes at once (-floop-unroll-and-jam): an element is loaded once, goes through both, and is
 * stored once, so that ERT counts twice the bytes that move; but the last one or two passes of a call are
 * done one by one, so that 4 passes are three sweeps. Other compilers do one pass after the other. Both forms
 * are written out here and do not depend on this program's compiler, which may only fuse multiplications and
 * additions (-ffp-contract=fast), as in ERT. An element is loaded once, into a register (PLACE): as a memory
 * operand of two operations, as with gcc -O2, it cost 14 % of L1's rate at 4 flops, since half of the
 * accesses cross a line.
 */
#include "ert/core/backend/cpu/isa.h"
#include "ert/ext/ert110/kernels.h"

#if defined ISA_AVX512
/* As gcc -mprefer-vector-width=512 or icc -xMIC-AVX512 compile it; AVX-512F alone. */
#define ERT110_NAME           avx512
#define ERT110_BYTES          64
#define ERT110_FUSED          true
#define ERT110_AVAILABLE(isa) (isa)->avx512f
#define VEC_REGISTER          "v"

#elif defined ISA_AVX2
/* As gcc -march=native compiles it on x86-64 with AVX2, also with AVX-512. */
#define ERT110_NAME           avx2
#define ERT110_BYTES          32
#define ERT110_FUSED          true
#define ERT110_AVAILABLE(isa) (isa)->avx2 && (isa)->fma
#define VEC_REGISTER          "x"

#elif defined ISA_SSE2
/* As gcc compiles it for x86-64 without -march. */
#define ERT110_NAME           sse2
#define ERT110_BYTES          16
#define ERT110_FUSED          false
#define ERT110_AVAILABLE(isa) (isa)->sse2
#define VEC_REGISTER          "x"

#elif defined ISA_NEON
/* As gcc compiles it for aarch64. */
#define ERT110_NAME           neon
#define ERT110_BYTES          16
#define ERT110_FUSED          true
#define ERT110_AVAILABLE(isa) (isa)->neon
#define VEC_REGISTER          "w"
#endif

enum { VEC_CHAINS = 1 };

static bool ert110_kernels_available(const struct ert_isa *isa)
{
    return ERT110_AVAILABLE(isa);
}

#include "ert/core/backend/cpu/kernels_common.inc"

typedef double vec_fp64 __attribute__((vector_size(ERT110_BYTES), aligned(8), may_alias));
typedef float vec_fp32 __attribute__((vector_size(ERT110_BYTES), aligned(4), may_alias));
typedef double one_fp64;
typedef float one_fp32;

/* The result of a pass for an element, or for a vector of them. */
#define PASS(T)                                                                            \
    INLINE T pass_of_##T(T w, T first, T addend, unsigned flops)                           \
    {                                                                                      \
        T x = first;                                                                       \
        if (flops == 1)                                                                    \
            x = w + addend;                                                                \
        _Pragma("GCC unroll 512") for (unsigned k = 0; k < flops / 2; k++) x =             \
            x * w + addend;                                                                \
        return -x;                                                                         \
    }
PASS(vec_fp64)
PASS(vec_fp32)
PASS(one_fp64)
PASS(one_fp32)

/* at_once passes over all whole T from `at` on; less than one T remains. */
#define SWEEP(T, flops, at_once)                                                           \
    {                                                                                      \
        const T zero = {0}, all = first + zero, now = addend + zero;                       \
        T *place = (T *)at, *const stop =                                                  \
                                place + (size_t)(end - at) / (sizeof(T) / sizeof *at);     \
        for (; place != stop; place++) {                                                   \
            T w = *place;                                                                  \
            if (flops > 2)                                                                 \
                PLACE(w);                                                                  \
            w = pass_of_##T(w, all, now, flops);                                           \
            if (at_once == 2)                                                              \
                w = pass_of_##T(w, all, now, flops);                                       \
            *place = w;                                                                    \
        }                                                                                  \
        at = (void *)stop;                                                                 \
    }

/* All passes of a call. */
#define ERT110(name, type)                                                                 \
    INLINE void name##_passes(struct ert_cpu_sweep *sweep, unsigned flops,                 \
                              unsigned at_once)                                            \
    {                                                                                      \
        one_##type *const base = (one_##type *)sweep->w, *const end =                      \
                                                             base + sweep->elements;       \
        const one_##type first = 1, addend = 2;                                            \
        for (uint64_t left = sweep->passes; left > 0;) {                                   \
            one_##type *at = base;                                                         \
            if (at_once == 2 && left > 2) {                                                \
                SWEEP(vec_##type, flops, 2)                                                \
                SWEEP(one_##type, flops, 2)                                                \
                left -= 2;                                                                 \
            } else {                                                                       \
                SWEEP(vec_##type, flops, 1)                                                \
                SWEEP(one_##type, flops, 1)                                                \
                left--;                                                                    \
            }                                                                              \
            __asm__ volatile("" : : : "memory");                                           \
        }                                                                                  \
    }

ERT110(ert_fp64, fp64)
ERT110(ert_fp32, fp32)

/* Starting with 1, 2 flops reduce to the addition of 1 flop: gcc would merge both functions into one. */
#if __has_attribute(no_icf)
#define OF_ITS_OWN __attribute__((no_icf))
#else
#define OF_ITS_OWN
#endif

#define INSTANCE(name, flops, at_once)                                                     \
    OF_ITS_OWN static void name##_##flops##_##at_once##_sweep(struct ert_cpu_sweep *sweep) \
    {                                                                                      \
        name##_passes(sweep, flops, at_once);                                              \
    }
#define INSTANCES(flops)                                                                   \
    INSTANCE(ert_fp64, flops, 1)                                                           \
    INSTANCE(ert_fp64, flops, 2)                                                           \
    INSTANCE(ert_fp32, flops, 1)                                                           \
    INSTANCE(ert_fp32, flops, 2)
ERT_MIXED_FLOPS(INSTANCES)

#define OF_FP64_1(flops) ert_fp64_##flops##_1_sweep,
#define OF_FP64_2(flops) ert_fp64_##flops##_2_sweep,
#define OF_FP32_1(flops) ert_fp32_##flops##_1_sweep,
#define OF_FP32_2(flops) ert_fp32_##flops##_2_sweep,
#define VARIANT(title, functions, at_once)                                                 \
    {                                                                                      \
        .name = title, .by_flops = functions, .passes = at_once                            \
    }
#define VARIANTS(name, ONE, TWO)                                                           \
    static ert_cpu_kernel *const name##_1[] = {ERT_MIXED_FLOPS(ONE)};                      \
    static ert_cpu_kernel *const name##_2[] = {ERT_MIXED_FLOPS(TWO)};                      \
    static const struct ert_cpu_variant name##_variants[] = {                              \
        VARIANT("", name##_1, 1), VARIANT("2 passes at once", name##_2, 2), {0}};
VARIANTS(ert_fp64, OF_FP64_1, OF_FP64_2)
VARIANTS(ert_fp32, OF_FP32_1, OF_FP32_2)

#define TABLE_OF_(name) TABLE_NAME(ert110_##name)
#define TABLE_OF(name)  TABLE_OF_(name)

const struct ert_cpu_isa TABLE_OF(ERT110_NAME) = {
    .name = STRING(ERT110_NAME),
    .available = ert110_kernels_available,
    .fused = ERT110_FUSED,
    .vector_bytes = ERT110_BYTES,
    .add_chain = add_chain,
    .variants = {[ERT_KERNEL_ert_fp64] = ert_fp64_variants,
                 [ERT_KERNEL_ert_fp32] = ert_fp32_variants},
};
