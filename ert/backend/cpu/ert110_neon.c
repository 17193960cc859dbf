/* ERT's own kernel, as gcc compiles it for aarch64. */
#include "ert/backend/cpu/isa.h"

#define ERT110_NAME  neon
#define ERT110_BYTES 16
#define ERT110_FUSED true
#define VEC_REGISTER "w"
#define VEC_ADD      "add %0, %0, %1\n"

enum { VEC_CHAINS = 1 };

static bool available(const struct ert_isa *isa)
{
    return isa->neon;
}

#include "ert/backend/cpu/ert110_kernels.inc"
