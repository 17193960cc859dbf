/*
 * product: operands and start values of the dot-product and matrix kernels, and what their
 * accumulators must hold after n steps, bit for bit: orbit.h's counterpart. It runs no kernel.
 *
 * Four blocks of operands of the kernel's type: two left ones (bytes: 1 to 127, so that it does not
 * matter who takes them as unsigned) and two right ones, all random. Chain i adds left[i % 2] .
 * right[(i / 2 + s) % 2] in step s = 0, 1 ...
 *
 * Bytes: sums modulo 2^32 are exact, so that every step counts. bfloat16: the second right operand
 * is the first one's negative, so that sums stay bounded, and all values are multiples of 2^-13
 * below 2^11, so that sums are exact in FP32 in any order and with any number of roundings. After
 * an odd number of steps every operand has left its trace.
 */
#ifndef ERT_BACKEND_CPU_PRODUCT_H
#define ERT_BACKEND_CPU_PRODUCT_H

#include "ert/kernels/kernel.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the kernel is of this kind. */
bool ert_product_has(enum ert_kernel_id kernel);

/* Writes the four blocks, left, left, right, right, of block_bytes each. */
void ert_product_operands(enum ert_kernel_id kernel, size_t block_bytes, void *operands);

/* The start value of accumulator `index` (FP32, or INT32 of bytes). */
double ert_product_start(enum ert_kernel_id kernel, uint64_t index);

/* What accumulator `lane` of chain `chain` holds after `steps` steps from `start`. */
double ert_product_after(enum ert_kernel_id kernel, size_t block_bytes,
                         const void *operands, size_t chain, size_t lane, double start,
                         uint64_t steps);

#endif
