/* SPDX-License-Identifier: BSD-3-Clause */
/* AVX-512F: eight lanes, 32 registers, masks, and vrcp14pd. A selection is a mask of a product, for free. */
#define VEC_NAME avx512

#include "gpp/cpu/kernels.h"

#include <immintrin.h>
#include <math.h>
#include <omp.h>

typedef __m512d vec;
typedef __mmask8 vec_mask;

static inline vec_mask vec_above(vec a, vec b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ);
}

static inline vec vec_keep(vec_mask mask, vec x)
{
    return _mm512_maskz_mov_pd(mask, x);
}

static inline vec vec_select(vec_mask mask, vec yes, vec no)
{
    return _mm512_mask_blend_pd(mask, no, yes);
}

static inline double vec_sum(vec x)
{
    return _mm512_reduce_add_pd(x);
}

/*
 * vrcp14pd has a relative error e below 2^-14 (Intel SDM); r (1 + e)(1 + e^2) leaves e^4 = 2^-56, below half
 * an ulp: 1 / x in four operations, where vdivpd blocks its unit for 16 cycles.
 */
static inline vec vec_reciprocal(vec x)
{
    vec r = _mm512_rcp14_pd(x), e = 1 - x * r, e2 = e * e;
    r = r + r * e;
    return r + r * e2;
}

static bool available(const struct ert_isa *isa)
{
    /* gcc 14 uses AVX-512VL's vinsertf32x4 for strided loads, unrequested; Xeon Phi lacks it. */
    return isa->avx512f && isa->fma &&
           (__GNUC__ < 14 || __builtin_cpu_supports("avx512vl"));
}

#include "gpp/cpu/kernels.inc"

LANES(c8, .skip = 1, .newton = 1)
LANES(c9, .skip = 1, .newton = 1, .units = 1)
LANES(c10, .skip = 1, .newton = 1, .units = 1, .shared = 1)
LANES(c11, .skip = 1, .newton = 1, .units = 1, .shared = 1, .divided = 1)
GPP_CPU_TABLE(c8, c9, c10, c11)
