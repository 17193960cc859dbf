/* ERT's own kernel, as gcc compiles it for x86-64 without -march. */
#include "ert/backend/cpu/isa.h"

#define ERT110_NAME  sse2
#define ERT110_BYTES 16
#define ERT110_FUSED false
#define VEC_REGISTER "x"
#define VEC_ADD      "add %1, %0\n"

enum { VEC_CHAINS = 1 };

static bool available(const struct ert_isa *isa)
{
    return isa->sse2;
}

#include "ert/backend/cpu/ert110_kernels.inc"
