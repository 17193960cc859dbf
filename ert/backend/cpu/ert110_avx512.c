/* ERT's own kernel, as gcc -mprefer-vector-width=512 or icc -xMIC-AVX512 compile it; AVX-512F alone. */
#include "ert/backend/cpu/isa.h"

#define ERT110_NAME  avx512
#define ERT110_BYTES 64
#define ERT110_FUSED true
#define VEC_REGISTER "v"
#define VEC_ADD      "add %1, %0\n"

enum { VEC_CHAINS = 1 };

static bool available(const struct ert_isa *isa)
{
    return isa->avx512f;
}

#include "ert/backend/cpu/ert110_kernels.inc"
