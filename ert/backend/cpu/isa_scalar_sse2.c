/*
 * Scalar SSE2, of processors without FMA: with it isa_scalar_fma.c stands here. 16 registers: 12
 * chains and 4 constants.
 */
#include "ert/backend/cpu/isa.h"

typedef double vec;
typedef float vecf;

enum {
    VEC_BYTES = 0,
    VEC_CHAINS = 12,
    VEC_REGISTERS = 16,
    VEC_CHAINS_ADDMUL = 14,
    VEC_CHAINS_FMAADD = 12,
    VEC_FUSED = 0
};

#define VEC_NAME     scalar_sse2
#define VEC_TITLE    "scalar"
#define VEC_REGISTER "x"
#define VEC_ADD      "add %1, %0\n"

static bool vec_available(const struct ert_isa *isa)
{
    return isa->sse2 && !isa->fma;
}

static inline vec vec_fma(vec a, vec x, vec b)
{
    return a * x + b;
}

static inline vecf vecf_fma(vecf a, vecf x, vecf b)
{
    return a * x + b;
}

#include "ert/backend/cpu/isa_scalar.inc"
