/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ert110: the arithmetic of LBNL ERT's own kernel, shared by the backends that run it: its constants, and
 * the value of an element after some passes. It runs nothing.
 *
 * ERT 1.1.0 has two sets of sources (https://bitbucket.org/berkeleylab/cs-roofline-toolkit): in C until 2019
 * (Drivers/driver1.c, Kernels/kernel1.c), then in C++ (driver1.cxx, kernel1.h). With the former, values grow
 * to infinity within some passes if there are 4 or more flops per element; with the latter each pass turns
 * -1 into -1.
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

/* x = first; F/2 times x = x*w + addend; w = x or, with `negates`, -x. F = 1: x = w + addend. */
struct ert110_rule {
    double start; /* every element before the first pass */
    double first, addend;
    double decay; /* factor of the addend after each pass of one call */
    bool negates;
};

/*
 * Passes per call from which on the rate hardly depends on their number. gcc merges two passes into one
 * sweep, except the last two of a call: 1.6 passes per sweep in a call of 8, 1.98 in one of 256, at most 2.
 */
enum { ERT110_CALL = 256 };

/* The rule of an ert110 kernel. */
struct ert110_rule ert110_rule(enum ert_kernel_id kernel);

/*
 * The value of an FP64 element that was `value` after one call of `passes` passes; flops: per element;
 * is_fused: with fused multiply-adds. Exact to the bit if the device rounds as IEEE 754 requires.
 */
double ert110_after(enum ert_kernel_id kernel, uint32_t flops, double value,
                    uint64_t passes, bool is_fused);

#ifdef __cplusplus
}
#endif
#endif
