/* ERT's own kernel, as gcc -march=native compiles it on x86-64 with AVX2, also where there is AVX-512. */
#include "ert/backend/cpu/isa.h"

#define CLASSIC_NAME  avx2
#define CLASSIC_BYTES 32
#define CLASSIC_FUSED true
#define VEC_REGISTER  "x"
#define VEC_ADD       "add %1, %0\n"

enum { VEC_CHAINS = 1 };

static bool available(const struct ert_isa *isa)
{
    return isa->avx2 && isa->fma;
}

#include "ert/backend/cpu/kernels_classic.inc"
