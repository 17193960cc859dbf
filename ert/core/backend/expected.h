/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * expected: start values and constants for the compute kernels, and the exact values, bit for bit, of the
 * chains after n steps. It runs no kernel.
 *
 * A chain alternates two operations, x = a*x + b and x = c*x + d with c = 1/a and d = -b/a, so that its value
 * returns to where it was: the operands keep random mantissas (zeros and powers of two would draw less power
 * and hold higher clocks), nothing overflows, and after a few steps the rounded values repeat with period
 * two. So the value after any number of steps is known exactly, and a chain that was merged, skipped or
 * shortened is detected.
 */
#ifndef ERT_BACKEND_EXPECTED_H
#define ERT_BACKEND_EXPECTED_H

#include "ert/core/kernels/kernel.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Even steps use a and b, odd steps c and d. All values are exact in the kernel's type (INT32: modulo 2^32,
 * unsigned). fma of the 16-bit types: a*x + x and c*x + x, since on Hopper an FMA of two registers runs at
 * full rate, one of three only if their banks happen to differ. div and rcp: a / x, c / x. sqrt: sqrt(b - x),
 * sqrt(d - x); its chains converge to one fixed point. add_int32: odd steps are x ^ d, or the compiler would
 * add b + d first; both are the highest bit, for which addition and exclusive or are the same.
 */
struct ert_constants {
    double a, b, c, d;
};

/*
 * The kernel whose operation the chain (vector) `chain` of a kernel follows. addmul and fmaadd: mul and fma
 * for even chains, add for odd ones; issue: fma and integer add; all others: the kernel itself.
 */
enum ert_kernel_id ert_expected_kernel(enum ert_kernel_id kernel, uint64_t chain);

/* The constants of a compute kernel, one of those that ert_expected_kernel() returns. */
struct ert_constants ert_expected_constants(enum ert_kernel_id kernel);

/*
 * The start value of chain `index`: random, in [1.25, 1.5) or any 32-bit integer, so that the values have
 * period two within ERT_EXPECTED_SETTLE steps.
 */
enum { ERT_EXPECTED_SETTLE = 64 };
double ert_expected_start(enum ert_kernel_id kernel, uint64_t index);

/*
 * The value, in the kernel's own type, of a chain that started at `start` after `steps` steps, for fma, add,
 * mul, mad, div, rcp and sqrt of every type. NAN for dot products and tensor kernels, which are checked in
 * other ways, and for kernels that alternate two others.
 */
double ert_expected_after(enum ert_kernel_id kernel, double start, uint64_t steps);

#ifdef __cplusplus
}
#endif
#endif
