/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * decode: what one x86-64 instruction computes in floating point, from its bytes. Valgrind's own
 * representation takes an FMA apart, and its optimizer may merge equal operations: the program's code does
 * neither.
 *
 * What is counted is what Intel's FP_ARITH_INST_RETIRED counts, elements of the register per instruction:
 * add, sub, mul, div, sqrt, min, max, rcp, rsqrt, hadd, hsub, addsub 1; FMA and dot products (dpps, dppd)
 * 2. Comparisons, conversions, rounding, and logic on signs are none. Intel, "Software Developer's Manual",
 * volumes 2 (opcodes) and 3 (events).
 */
#ifndef RFL_VALGRIND_DECODE_H
#define RFL_VALGRIND_DECODE_H

#include <stdbool.h>
#include <stddef.h>

enum rfl_fp_type { RFL_FP64, RFL_FP32, RFL_X87 };   /* X87: the 80-bit unit */
enum rfl_fp_width { RFL_SCALAR, RFL_128, RFL_256 }; /* of the register */

struct rfl_instruction {
    unsigned flops; /* 0: none */
    bool is_fma;
    enum rfl_fp_type type;
    enum rfl_fp_width width;
    bool is_streaming; /* its store is non-temporal */
    bool is_gather;    /* it loads the elements that a mask lets through */
};

/* `size` is the instruction's length; bytes beyond it are not read. */
struct rfl_instruction rfl_decode(const unsigned char *code, size_t size);

#endif
