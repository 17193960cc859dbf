/*
 * AVX2 and FMA: 16 registers of 32 bytes. 12 chains and 4 constants; 12 exceed the 8 to 10
 * that two FMA units of latency 4 or 5 need.
 */
#include "ert/backend/cpu/isa.h"

#include <immintrin.h>

typedef __m256d vec;
typedef __m256 vecf;
typedef uint64_t vecu __attribute__((vector_size(32), may_alias));

enum {
    VEC_BYTES = 32,
    VEC_CHAINS = 12,
    VEC_REGISTERS = 16,
    VEC_CHAINS_ADDMUL = 14,
    VEC_CHAINS_FMAADD = 12,
    VEC_MIXED = 12,
    VEC_FUSED = 1
};

#define VEC_NAME     avx2
#define VEC_REGISTER "x"
#define VEC_ADD      "add %1, %0\n"

static bool vec_available(const struct ert_isa *isa)
{
    return isa->avx2 && isa->fma;
}

static inline vec vec_fma(vec a, vec x, vec b)
{
    return _mm256_fmadd_pd(a, x, b);
}

static inline vecf vecf_fma(vecf a, vecf x, vecf b)
{
    return _mm256_fmadd_ps(a, x, b);
}

static inline vec vec_sqrt(vec x)
{
    return _mm256_sqrt_pd(x);
}

static inline vecf vecf_sqrt(vecf x)
{
    return _mm256_sqrt_ps(x);
}

/* b - a*x */
static inline vec vec_fnma(vec a, vec x, vec b)
{
    return _mm256_fnmadd_pd(a, x, b);
}

static inline vecu vec_xor3(vecu a, vecu b, vecu c)
{
    return a ^ b ^ c;
}

static inline void vec_stream(vec *to, vec x)
{
    _mm256_stream_pd((double *)to, x);
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
