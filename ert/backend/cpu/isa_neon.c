/*
 * Advanced SIMD of aarch64: 32 registers of 16 bytes. 16 chains are what four FMA pipes of latency
 * 4 need (Neoverse V1, V2). FMLA overwrites its addend, so x = a*x + b is a move and an FMLA; cores
 * that cannot rename the move away stay below their FMA peak here. With 24 chains gcc 12 ran out of
 * registers: 17 loads, 17 stores and 125 moves for 96 FMLA instead of 2, 2 and 66 for 64.
 */
#include "ert/backend/cpu/isa.h"

#include <arm_neon.h>

typedef float64x2_t vec;
typedef float32x4_t vecf;
typedef uint64_t vecu __attribute__((vector_size(16), may_alias));

enum {
    VEC_BYTES = 16,
    VEC_CHAINS = 16,
    VEC_REGISTERS = 32,
    VEC_CHAINS_ADDMUL = 16,
    VEC_CHAINS_FMAADD = 14,
    VEC_MIXED = 24,
    VEC_FUSED = 1
};

#define VEC_NAME     neon
#define VEC_REGISTER "w"
#define VEC_ADD      "add %0, %0, %1\n"

static bool vec_available(const struct ert_isa *isa)
{
    return isa->neon;
}

static inline vec vec_fma(vec a, vec x, vec b)
{
    return vfmaq_f64(b, a, x);
}

static inline vecf vecf_fma(vecf a, vecf x, vecf b)
{
    return vfmaq_f32(b, a, x);
}

static inline vec vec_sqrt(vec x)
{
    return vsqrtq_f64(x);
}

static inline vecf vecf_sqrt(vecf x)
{
    return vsqrtq_f32(x);
}

/* b - a*x */
static inline vec vec_fnma(vec a, vec x, vec b)
{
    return vfmsq_f64(b, a, x);
}

static inline vecu vec_xor3(vecu a, vecu b, vecu c)
{
    return a ^ b ^ c;
}

/* STNP, the non-temporal hint, stores pairs only; the halves of one vector make a pair. */
static inline void vec_stream(vec *to, vec x)
{
    double low = x[0], high = x[1];
    __asm__ volatile("stnp %d1, %d2, [%0]" : : "r"(to), "w"(low), "w"(high) : "memory");
}

static inline void vec_fence(void)
{
    __asm__ volatile("dmb ishst" : : : "memory");
}

#include "ert/backend/cpu/kernels_common.inc"

#include "ert/backend/cpu/kernels_memory.inc"

#include "ert/backend/cpu/kernels_mixed.inc"

#include "ert/backend/cpu/kernels_compute.inc"

#include "ert/backend/cpu/kernels_table.inc"
