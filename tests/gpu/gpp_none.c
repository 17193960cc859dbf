/* SPDX-License-Identifier: BSD-3-Clause */
/* gpp_none: what test_gpp links with in a build without CUDA, in which it skips. */
#include "gpp/versions.h"

const struct gpp_engine gpp_engine_cuda = {NULL, NULL, NULL};
