/*
 * AVX-VNNI: VPDPBUSD in VEX encoding for processors without AVX-512. 12 chains and 4 operands in
 * 16 registers of 32 bytes.
 */
#include "ert/backend/cpu/isa.h"

#include <immintrin.h>

enum { VEC_BYTES = 32, VEC_CHAINS = 12 };

#define VEC_REGISTER "x"
#define VEC_ADD      "add %1, %0\n"

#include "ert/backend/cpu/kernels_common.inc"

PRODUCT(dot_int8, __m256i, __m256i, _mm256_dpbusd_avx_epi32)

static bool available(const struct ert_isa *isa)
{
    return isa->avxvnni;
}

const struct ert_cpu_isa ert_cpu_isa_avxvnni = {
    .name = "avxvnni",
    .available = available,
    .vector_bytes = VEC_BYTES,
    .chains = VEC_CHAINS,
    .add_chain = add_chain,
    .kernels = {[ERT_KERNEL_dot_int8] = dot_int8_sweep},
};
