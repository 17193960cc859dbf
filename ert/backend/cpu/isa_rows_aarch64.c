/* The instruction sets that an aarch64 build has kernels for. */
#include "ert/backend/cpu/isa.h"

const struct ert_cpu_isa *const ert_cpu_isas[] = {&ert_cpu_isa_neon, NULL};
