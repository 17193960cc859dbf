/* SSE2: two lanes, no FMA: both contractions give the same code. */
#define VEC_BYTES 16
#define VEC_NAME  sse2

#include "gpp/cpu/lanes_common.inc"

static bool available(const struct ert_isa *isa)
{
    return isa->sse2;
}

#include "gpp/cpu/kernels_plain.inc"

#include "gpp/cpu/kernels_simd.inc"

#include "gpp/cpu/kernels_lanes.inc"

#include "gpp/cpu/kernels_table.inc"
