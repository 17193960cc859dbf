/* The tables of an aarch64 build. */
#include "gpp/cpu/kernels.h"

extern const struct gpp_cpu_table gpp_cpu_neon_fma, gpp_cpu_neon_nofma;

const struct gpp_cpu_table *const gpp_cpu_tables[] = {&gpp_cpu_neon_fma,
                                                      &gpp_cpu_neon_nofma, NULL};
