/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ert110: the arithmetic of LBNL ERT's own kernel, shared by the backends that run it: its
 * constants, and what an element is after some passes. It runs nothing.
 *
 * ERT 1.1.0 has two sets of sources (https://bitbucket.org/berkeleylab/cs-roofline-toolkit): those in
 * C, to 2019 (Drivers/driver1.c, Kernels/kernel1.c), and those in C++ after (driver1.cxx, kernel1.h).
 * In the first, values grow and are infinite after some passes from 4 flops per element on; in the
 * second each pass gives -1 from -1.
 */
#ifndef ERT_BACKEND_ERT110_H
#define ERT_BACKEND_ERT110_H

#include "ert/kernels/kernel.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* x = first; F/2 times x = x*w + addend; w = x or, with `negates`, -x. F = 1: x = w + addend. */
struct ert110_rule {
    double start; /* every element before the first pass */
    double first, addend;
    double decay; /* what the addend is multiplied with after each pass of one call */
    bool negates;
};

/*
 * Passes of one call from which on its rate hardly depends on how many they are. gcc makes two passes
 * one sweep, but not the last two of a call: 1.6 passes a sweep of 8 passes, 1.98 of 256, 2 at most.
 */
enum { ERT110_CALL = 256 };

/* The rule of an ert110 kernel. */
struct ert110_rule ert110_rule(enum ert_kernel_id kernel);

/*
 * What an element of FP64 that was `value` is after one call of so many passes; flops: per element.
 * is_fused: with fused multiply-adds. Exact to the bit where the device rounds as IEEE 754 says.
 */
double ert110_after(enum ert_kernel_id kernel, uint32_t flops, double value,
                    uint64_t passes, bool is_fused);

#ifdef __cplusplus
}
#endif
#endif
