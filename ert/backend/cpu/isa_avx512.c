/*
 * AVX-512F and nothing beyond it, so that Knights Landing runs it too. 32 registers of 64
 * bytes: 24 chains and 4 constants; 24 exceed the 8 that two FMA units of latency 4 need (6
 * on KNL: 12).
 */
#include "ert/backend/cpu/isa.h"

#include <immintrin.h>

typedef __m512d vec;
typedef __m512 vecf;
typedef uint64_t vecu __attribute__((vector_size(64), may_alias));

enum {
    VEC_BYTES = 64,
    VEC_CHAINS = 24,
    VEC_REGISTERS = 32,
    VEC_CHAINS_ADDMUL = 24,
    VEC_CHAINS_FMAADD = 20,
    VEC_MIXED = 16,
    VEC_FUSED = 1
};

#define VEC_NAME     avx512
#define VEC_REGISTER "v"
#define VEC_ADD      "add %1, %0\n"

static bool vec_available(const struct ert_isa *isa)
{
    return isa->avx512f;
}

static inline vec vec_fma(vec a, vec x, vec b)
{
    return _mm512_fmadd_pd(a, x, b);
}

static inline vecf vecf_fma(vecf a, vecf x, vecf b)
{
    return _mm512_fmadd_ps(a, x, b);
}

static inline vec vec_sqrt(vec x)
{
    return _mm512_sqrt_pd(x);
}

static inline vecf vecf_sqrt(vecf x)
{
    return _mm512_sqrt_ps(x);
}

/* b - a*x */
static inline vec vec_fnma(vec a, vec x, vec b)
{
    return _mm512_fnmadd_pd(a, x, b);
}

/* One operation for two loads: a quarter faster in L1 than one vpaddq for each. */
static inline vecu vec_xor3(vecu a, vecu b, vecu c)
{
    return (vecu)_mm512_ternarylogic_epi64((__m512i)a, (__m512i)b, (__m512i)c, 0x96);
}

static inline void vec_stream(vec *to, vec x)
{
    _mm512_stream_pd((double *)to, x);
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
