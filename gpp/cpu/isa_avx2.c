/* AVX2 and FMA: four lanes, 16 registers: the sums of two energies do not all fit. */
#define VEC_BYTES 32
#define VEC_NAME  avx2

#include "gpp/cpu/lanes_common.inc"

static bool available(const struct ert_isa *isa)
{
    return isa->avx2 && isa->fma;
}

#include "gpp/cpu/kernels_plain.inc"

#include "gpp/cpu/kernels_simd.inc"

#include "gpp/cpu/kernels_lanes.inc"

#include "gpp/cpu/kernels_table.inc"
