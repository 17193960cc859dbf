/*
 * FEAT_FP16 of Advanced SIMD: 8 halves in each of 32 registers; chains, and what FMLA costs, as in
 * isa_neon.c.
 */
#include "ert/backend/cpu/isa.h"

#include <arm_neon.h>

typedef float16_t scalar_fp16;
typedef float16x8_t vec_fp16;

enum { VEC_BYTES = 16, VEC_CHAINS = 16 };

#define VEC_REGISTER "w"
#define VEC_ADD      "add %0, %0, %1\n"

#include "ert/backend/cpu/kernels_common.inc"

ORBIT(fma_fp16, fp16, vfmaq_f16(b, a, x[i]), vfmaq_f16(d, c, x[i]))
ORBIT(add_fp16, fp16, x[i] + b, x[i] + d)
ORBIT(mul_fp16, fp16, a *x[i], c *x[i])

static bool available(const struct ert_isa *isa)
{
    return isa->neonfp16;
}

const struct ert_cpu_isa ert_cpu_isa_neonfp16 = {
    .name = "neonfp16",
    .available = available,
    .fused = true,
    .vector_bytes = VEC_BYTES,
    .chains = VEC_CHAINS,
    .add_chain = add_chain,
    .kernels =
        {
                  [ERT_KERNEL_fma_fp16] = fma_fp16_sweep,
                  [ERT_KERNEL_add_fp16] = add_fp16_sweep,
                  [ERT_KERNEL_mul_fp16] = mul_fp16_sweep,
                  },
};
