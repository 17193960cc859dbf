/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * decode: finds the floating-point operations of one x86-64 instruction from its bytes. Valgrind's own
 * representation splits an FMA, and its optimizer may merge equal operations; the program's code has neither.
 *
 * It counts as Intel's FP_ARITH_INST_RETIRED does, per element of the register: add, sub, mul, div, sqrt,
 * min, max, rcp, rsqrt, hadd, hsub, addsub 1; FMA and dot products (dpps, dppd) 2. Comparisons, conversions,
 * rounding, and logic on signs do not count. Intel, "Software Developer's Manual", volumes 2 (opcodes) and 3
 * (events).
 */
#ifndef RFL_VALGRIND_DECODE_H
#define RFL_VALGRIND_DECODE_H

#include <stdbool.h>
#include <stddef.h>

enum rfl_fp_type { RFL_FP64, RFL_FP32, RFL_X87 };   /* X87: the 80-bit unit */
enum rfl_fp_width { RFL_SCALAR, RFL_128, RFL_256 }; /* of the register */

struct rfl_instruction {
    unsigned flops;           /* 0: none */
    bool is_fma, is_division; /* is_division: or a square root */
    enum rfl_fp_type type;
    enum rfl_fp_width width;
    bool is_streaming; /* its store is non-temporal */
    bool is_gather;    /* it loads only the elements that a mask selects */
};

/* size: the instruction's length; bytes after it are not read. */
struct rfl_instruction rfl_decode(const unsigned char *code, size_t size);

#endif
