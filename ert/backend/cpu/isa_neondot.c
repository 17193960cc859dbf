/*
 * FEAT_DotProd of Advanced SIMD: SDOT adds four products of bytes to each of 4 32-bit integers,
 * modulo 2^32. 24 chains and 4 operands in 32 registers.
 */
#include "ert/backend/cpu/isa.h"

#include <arm_neon.h>

enum { VEC_BYTES = 16, VEC_CHAINS = 24 };

#define VEC_REGISTER "w"
#define VEC_ADD      "add %0, %0, %1\n"

#include "ert/backend/cpu/kernels_common.inc"

PRODUCT(dot_int8, int32x4_t, int8x16_t, vdotq_s32)

static bool available(const struct ert_isa *isa)
{
    return isa->neondot;
}

const struct ert_cpu_isa ert_cpu_isa_neondot = {
    .name = "neondot",
    .available = available,
    .vector_bytes = VEC_BYTES,
    .chains = VEC_CHAINS,
    .add_chain = add_chain,
    .kernels = {[ERT_KERNEL_dot_int8] = dot_int8_sweep},
};
