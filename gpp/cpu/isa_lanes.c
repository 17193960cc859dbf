/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Instruction sets without mask registers, with the compiler's own vectors of VEC_BYTES; masks are vectors of
 * all ones or zeros. local.mk defines VEC_NAME (avx2, sse2, neon), VEC_BYTES, and VEC_FMA: whether the flags
 * allow an FMA that is not a part of the set itself.
 */
#include "gpp/cpu/kernels.h"

#include <math.h>
#include <omp.h>

typedef double vec __attribute__((vector_size(VEC_BYTES)));
typedef long long vec_mask __attribute__((vector_size(VEC_BYTES)));

static inline vec_mask vec_above(vec a, vec b)
{
    return a > b;
}

static inline vec vec_keep(vec_mask mask, vec x)
{
    return (vec)(mask & (vec_mask)x);
}

static inline vec vec_select(vec_mask mask, vec yes, vec no)
{
    return (vec)((mask & (vec_mask)yes) | (~mask & (vec_mask)no));
}

static inline double vec_sum(vec x)
{
    double sum = 0;
    for (size_t i = 0; i < sizeof(vec) / sizeof(double); i++)
        sum += x[i];
    return sum;
}

/* The set has no instruction for it: its table lacks c8 and later versions. */
static inline vec vec_reciprocal(vec x)
{
    return 1 / x;
}

static bool available(const struct ert_isa *isa)
{
    return isa->VEC_NAME && (isa->fma || !VEC_FMA);
}

#include "gpp/cpu/kernels.inc"

GPP_CPU_TABLE(NULL, NULL, NULL, NULL)
