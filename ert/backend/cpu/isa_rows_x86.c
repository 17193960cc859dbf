/* The instruction sets that an x86-64 build has kernels for. */
#include "ert/backend/cpu/isa.h"

const struct ert_cpu_isa *const ert_cpu_isas[] = {&ert_cpu_isa_avx512, &ert_cpu_isa_avx2,
                                                  &ert_cpu_isa_sse2, NULL};
