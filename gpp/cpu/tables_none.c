/* An architecture that no kernels were built for: the engine says so. */
#include "gpp/cpu/kernels.h"

const struct gpp_cpu_table *const gpp_cpu_tables[] = {NULL};
