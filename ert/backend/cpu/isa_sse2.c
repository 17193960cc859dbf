/*
 * SSE2, which every x86-64 has: 16 registers of 16 bytes, two-operand instructions, no
 * fused multiply-add: what needs one multiplies and subtracts (two roundings; the mixed and
 * update kernels' numbers are exact either way), and the FMA peak is not offered.
 */
#include "ert/backend/cpu/isa.h"

#include <emmintrin.h>

typedef __m128d vec;
typedef __m128 vecf;
typedef uint64_t vecu __attribute__((vector_size(16), may_alias));

enum {
    VEC_BYTES = 16,
    VEC_CHAINS = 12,
    VEC_REGISTERS = 16,
    VEC_CHAINS_ADDMUL = 14,
    VEC_CHAINS_FMAADD = 12,
    VEC_MIXED = 10,
    VEC_FUSED = 0
};

#define VEC_NAME     sse2
#define VEC_REGISTER "x"
#define VEC_ADD      "add %1, %0\n"

static bool vec_available(const struct ert_isa *isa)
{
    return isa->sse2;
}

static inline vec vec_fma(vec a, vec x, vec b)
{
    return a * x + b;
}

static inline vecf vecf_fma(vecf a, vecf x, vecf b)
{
    return a * x + b;
}

static inline vec vec_sqrt(vec x)
{
    return _mm_sqrt_pd(x);
}

static inline vecf vecf_sqrt(vecf x)
{
    return _mm_sqrt_ps(x);
}

/* b - a*x */
static inline vec vec_fnma(vec a, vec x, vec b)
{
    return b - a * x;
}

static inline vecu vec_xor3(vecu a, vecu b, vecu c)
{
    return a ^ b ^ c;
}

static inline void vec_stream(vec *to, vec x)
{
    _mm_stream_pd((double *)to, x);
}

static inline void vec_fence(void)
{
    _mm_sfence();
}

#include "ert/backend/cpu/kernels_common.inc"

#include "ert/backend/cpu/kernels_memory.inc"

#include "ert/backend/cpu/kernels_mixed.inc"

#include "ert/backend/cpu/kernels_compute.inc"

#include "ert/backend/cpu/kernels_table.inc"
