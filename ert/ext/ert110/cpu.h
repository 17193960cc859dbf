/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu: what a session of the CPU backend keeps for ERT's kernels. */
#ifndef ERT_ERT110_CPU_H
#define ERT_ERT110_CPU_H

#include "ert/core/backend/cpu/session.h"

/*
 * A thread's calls of the kernel since prepare(), as runs of `calls` calls with `passes` passes each: the
 * check needs them, since each call starts with the first addend again. n is ERT110_MOST_RUNS + 1 when the
 * list is full.
 */
enum { ERT110_MOST_RUNS = 1024 };
struct ert110_calls {
    uint32_t n;
    struct {
        uint64_t passes, calls;
    } runs[ERT110_MOST_RUNS];
};

/* session->own; NULL in a session that was not opened for this mode. */
struct ert110_cpu {
    char *bytes;                /* the buffer: malloc; NULL before the first spec */
    bool is_fresh;              /* not touched yet */
    struct ert110_calls *calls; /* of each planned thread */
};

#endif
