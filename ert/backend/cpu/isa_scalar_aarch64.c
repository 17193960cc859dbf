/*
 * Scalar floating point of aarch64, whose FMADD has an operand for each number. 32 registers: 24
 * chains and 4 constants.
 */
#include "ert/backend/cpu/isa.h"

typedef double vec;
typedef float vecf;

enum {
    VEC_BYTES = 0,
    VEC_CHAINS = 24,
    VEC_REGISTERS = 32,
    VEC_CHAINS_ADDMUL = 24,
    VEC_CHAINS_FMAADD = 20,
    VEC_FUSED = 1
};

#define VEC_NAME     scalar_aarch64
#define VEC_TITLE    "scalar"
#define VEC_REGISTER "w"
#define VEC_ADD      "add %0, %0, %1\n"

static bool vec_available(const struct ert_isa *isa)
{
    return isa->neon;
}

static inline vec vec_fma(vec a, vec x, vec b)
{
    return __builtin_fma(a, x, b);
}

static inline vecf vecf_fma(vecf a, vecf x, vecf b)
{
    return __builtin_fmaf(a, x, b);
}

#include "ert/backend/cpu/isa_scalar.inc"
