/* ERT's own kernel, as gcc -march=native compiles it on x86-64 with AVX2, also where there is AVX-512. */
#include "ert/backend/cpu/isa.h"

#define ERT110_NAME  avx2
#define ERT110_BYTES 32
#define ERT110_FUSED true
#define VEC_REGISTER "x"
#define VEC_ADD      "add %1, %0\n"

enum { VEC_CHAINS = 1 };

static bool available(const struct ert_isa *isa)
{
    return isa->avx2 && isa->fma;
}

#include "ert/backend/cpu/ert110_kernels.inc"
