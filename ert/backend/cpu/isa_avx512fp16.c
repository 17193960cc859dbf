/*
 * AVX512-FP16: 32 halves in each of 32 registers; chains as in isa_avx512.c.
 */
#include "ert/backend/cpu/isa.h"

#include <immintrin.h>

__extension__ typedef _Float16 scalar_fp16;
typedef scalar_fp16 vec_fp16 __attribute__((vector_size(64), may_alias));

enum { VEC_BYTES = 64, VEC_CHAINS = 24 };

#define VEC_REGISTER "v"
#define VEC_ADD      "add %1, %0\n"

#include "ert/backend/cpu/kernels_common.inc"

static inline vec_fp16 fma_of(vec_fp16 a, vec_fp16 x, vec_fp16 b)
{
    return (vec_fp16)_mm512_fmadd_ph((__m512h)a, (__m512h)x, (__m512h)b);
}

ORBIT(fma_fp16, fp16, fma_of(a, x[i], b), fma_of(c, x[i], d))
ORBIT(add_fp16, fp16, x[i] + b, x[i] + d)
ORBIT(mul_fp16, fp16, a *x[i], c *x[i])

static bool available(const struct ert_isa *isa)
{
    return isa->avx512fp16;
}

const struct ert_cpu_isa ert_cpu_isa_avx512fp16 = {
    .name = "avx512fp16",
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
