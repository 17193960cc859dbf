/*
 * AVX512-VNNI: VPDPBUSD adds four products of unsigned and signed bytes to each of 16 32-bit
 * integers, modulo 2^32. 24 chains and 4 operands in 32 registers.
 */
#include "ert/backend/cpu/isa.h"

#include <immintrin.h>

enum { VEC_BYTES = 64, VEC_CHAINS = 24 };

#define VEC_REGISTER "v"
#define VEC_ADD      "add %1, %0\n"

#include "ert/backend/cpu/kernels_common.inc"

PRODUCT(dot_int8, __m512i, __m512i, _mm512_dpbusd_epi32)

static bool available(const struct ert_isa *isa)
{
    return isa->avx512vnni;
}

const struct ert_cpu_isa ert_cpu_isa_avx512vnni = {
    .name = "avx512vnni",
    .available = available,
    .vector_bytes = VEC_BYTES,
    .chains = VEC_CHAINS,
    .add_chain = add_chain,
    .kernels = {[ERT_KERNEL_dot_int8] = dot_int8_sweep},
};
