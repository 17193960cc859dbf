/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * products: operands and start values of kernels of dot products and matrices, and the exact values, bit for
 * bit, of their accumulators (FP32, or INT32 of bytes) after n steps.
 *
 * Four blocks of operands of the kernel's type: two left ones (bytes: 1 to 127, so that it does not matter
 * which instructions take them as unsigned) and two right ones, all random. Chain i adds left[i % 2] .
 * right[(i / 2 + s) % 2] in step s = 0, 1 ...
 *
 * Bytes: sums modulo 2^32 are exact, so that every step counts. bfloat16: the second right operand is the
 * first one's negative, so that sums stay bounded, and all values are multiples of 2^-13 below 2^11, so that
 * sums are exact in FP32 in any order and with any number of roundings. After an odd number of steps the
 * result depends on every operand.
 */
#ifndef ERT_EXT_ISA_PRODUCTS_H
#define ERT_EXT_ISA_PRODUCTS_H

#include "ert/core/backend/cpu/isa.h"

extern const struct ert_cpu_products ert_isa_products;

#endif
