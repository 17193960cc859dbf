/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * orbit: start values and constants for the compute kernels, and what the chains must hold after n
 * steps, bit for bit. It runs no kernel.
 *
 * A chain alternates two operations, x = a*x + b and x = c*x + d with c = 1/a and d = -b/a, so that
 * its value returns to where it was: the operands keep random mantissas (zeros and powers of two
 * would draw less power and hold higher clocks), nothing overflows, and after a few steps the
 * rounded values repeat with period two. So any step count can be predicted exactly, and a chain
 * that was merged, skipped or shortened is seen.
 */
#ifndef ERT_BACKEND_ORBIT_H
#define ERT_BACKEND_ORBIT_H

#include "ert/kernels/kernel.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Even steps use a and b, odd steps c and d. Values are those of the kernel's type exactly (INT32:
 * modulo 2^32, unsigned). fma of the 16-bit types: a*x + x and c*x + x, since on Hopper an FMA of
 * two registers runs at full rate, of three only where their banks happen to differ. div and rcp:
 * a / x, c / x. sqrt: sqrt(b - x), sqrt(d - x); its chains fall to one fixed point. add_int32: odd
 * steps are x ^ d instead, or the compiler would add b + d first;
 * both are the highest bit, with which addition and exclusive or are the same.
 */
struct ert_orbit {
    double a, b, c, d;
};

/*
 * The kernel whose orbit chain (vector) `chain` of a kernel follows: of addmul and fmaadd even chains
 * those of mul and fma, odd ones of add, of issue fma and integer add; of all others the kernel itself.
 */
enum ert_kernel_id ert_orbit_of(enum ert_kernel_id kernel, uint64_t chain);

/* The constants of a compute kernel, one of those that ert_orbit_of() returns. */
struct ert_orbit ert_orbit_constants(enum ert_kernel_id kernel);

/*
 * The start value of chain `index`: in [1, 2), different for each index, chosen so that the orbit
 * has period two within ERT_ORBIT_SETTLE steps.
 */
enum { ERT_ORBIT_SETTLE = 64 };
double ert_orbit_start(enum ert_kernel_id kernel, uint64_t index);

/*
 * The value of a chain that started at `start` after `steps` steps, in the kernel's own type. fma,
 * add, mul, mad, div, rcp and sqrt of every type are such chains; dot products and tensor kernels check
 * themselves otherwise, and any step of theirs, or of two kernels in turn, gives NAN here.
 */
double ert_orbit_after(enum ert_kernel_id kernel, double start, uint64_t steps);

#ifdef __cplusplus
}
#endif
#endif
