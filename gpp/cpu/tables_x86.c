/* The tables of an x86-64 build: with contraction before without. */
#include "gpp/cpu/kernels.h"

extern const struct gpp_cpu_table gpp_cpu_avx512_fma, gpp_cpu_avx512_nofma,
    gpp_cpu_avx2_fma, gpp_cpu_avx2_nofma, gpp_cpu_sse2_fma, gpp_cpu_sse2_nofma;

const struct gpp_cpu_table *const gpp_cpu_tables[] = {&gpp_cpu_avx512_fma,
                                                      &gpp_cpu_avx512_nofma,
                                                      &gpp_cpu_avx2_fma,
                                                      &gpp_cpu_avx2_nofma,
                                                      &gpp_cpu_sse2_fma,
                                                      &gpp_cpu_sse2_nofma,
                                                      NULL};
