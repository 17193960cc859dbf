/*
 * rows: the CUDA versions of this build, in the order of versions.def. C++ only.
 */
#ifndef GPP_CUDA_ROWS_H
#define GPP_CUDA_ROWS_H

#include "gpp/versions.h"

struct gpp_cuda_row;

/* The row of a GPU version, built with or without FMA. */
const struct gpp_cuda_row *gpp_cuda_row(enum gpp_version_id version, bool has_fma);

#endif
