/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ert110: what the kernels of LBNL's ERT 1.1.0 share with the backends that run them.
 *
 * ERT 1.1.0 has two sets of sources (https://bitbucket.org/berkeleylab/cs-roofline-toolkit): in C until 2019,
 * then in C++ (driver1.cxx, kernel1.h). The kernels are those of the latter: x = 1; F/2 times x = x*w + 2;
 * w = -x; for one flop w = -(w + 2). Each pass turns -1 into -1.
 */
#ifndef ERT_BACKEND_ERT110_H
#define ERT_BACKEND_ERT110_H

#include "ert/core/backend/backend.h"

#include <stdbool.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of a session, and of a file of ceilings: the memory that all threads share. */
struct ert110_memory {
    uint64_t bytes;       /* ERT_MEMORY_MAX */
    uint32_t align_bytes; /* ERT_ALIGN: parts are multiples of it; a power of two */
    bool is_aligned; /* the buffer, to that, as -DERT_INTEL does; else it is malloc's */
};

static inline struct ert110_memory ert110_memory_of(const struct ert_mode_data *data)
{
    struct ert110_memory memory;
    memcpy(&memory, data, sizeof memory);
    return memory;
}

/* Every element before and after each pass. */
enum { ERT110_VALUE = -1 };

/*
 * Passes per call from which on the rate hardly depends on their number. gcc merges two passes into one
 * sweep, except the last two of a call: 1.6 passes per sweep in a call of 8, 1.98 in one of 256, at most 2.
 */
enum { ERT110_CALL = 256 };

#ifdef __cplusplus
}
#endif
#endif
