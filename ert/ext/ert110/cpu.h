/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu: what a session of the CPU backend keeps for ERT's kernels. */
#ifndef ERT_ERT110_CPU_H
#define ERT_ERT110_CPU_H

#include "ert/core/backend/cpu/session.h"

/* session->own; NULL in a session that was not opened for this mode. */
struct ert110_cpu {
    char *bytes;   /* the buffer: malloc; NULL before the first spec */
    bool is_fresh; /* not touched yet */
};

#endif
