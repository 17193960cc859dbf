/* NEON: two lanes, FMA. */
#define VEC_BYTES 16
#define VEC_NAME  neon

#include "gpp/cpu/lanes_common.inc"

static bool available(const struct ert_isa *isa)
{
    return isa->neon;
}

#include "gpp/cpu/kernels_plain.inc"

#include "gpp/cpu/kernels_simd.inc"

#include "gpp/cpu/kernels_lanes.inc"

#include "gpp/cpu/kernels_table.inc"
