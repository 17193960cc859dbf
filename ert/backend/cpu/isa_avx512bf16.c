/*
 * AVX512-BF16: VDPBF16PS adds two products of bfloat16 to each of 16 floats. 24 chains and 4
 * operands in 32 registers.
 */
#include "ert/backend/cpu/isa.h"

#include <immintrin.h>

enum { VEC_BYTES = 64, VEC_CHAINS = 24 };

#define VEC_REGISTER "v"
#define VEC_ADD      "add %1, %0\n"

#include "ert/backend/cpu/kernels_common.inc"

PRODUCT(dot_bf16, __m512, __m512bh, _mm512_dpbf16_ps)

static bool available(const struct ert_isa *isa)
{
    return isa->avx512bf16;
}

const struct ert_cpu_isa ert_cpu_isa_avx512bf16 = {
    .name = "avx512bf16",
    .available = available,
    .vector_bytes = VEC_BYTES,
    .chains = VEC_CHAINS,
    .add_chain = add_chain,
    .kernels = {[ERT_KERNEL_dot_bf16] = dot_bf16_sweep},
};
