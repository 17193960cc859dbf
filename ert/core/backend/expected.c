/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/backend/expected.h"

#include "ert/core/base/random.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/*
 * Why the values repeat at once: starts are in [1.25, 1.5) and even steps lead into [2, 4), where the spacing
 * of floating-point numbers is twice as wide. Odd steps multiply by less than 1, so that their rounding error
 * is at most half a spacing of [1, 2); the next even step makes it less than a whole one (a < 2), that is,
 * half a spacing in [2, 4): it reaches the previous even value exactly.
 */
static const uint64_t start_seed = 0x6f72626974; /* any */
static const double factor = 1.6872348762348763; /* a: any number with a full mantissa */
static const double fma_offset = 0.6180339887498949;
static const double add_offset = 1.1180339887498949;

/* Division stays in [1.25, 1.5) and [2.8, 3.5); square roots converge to a fixed point near 1.56. */
static const double quotient = 4.2426406871192848, radicand = 4.0000152587890625;

/* int_factor: odd, so that it has an inverse modulo 2^32. int_flip: additions toggle the highest bit. */
static const uint32_t int_factor = 0x9e3779b1, int_offset = 0x7f4a7c15;
static const uint32_t int_flip = 0x80000000;

/* Significant bits of a floating-point type that is narrower than double. */
static const int significand_bits[ERT_N_TYPES] = {
    [ERT_FP32] = 24, [ERT_FP16] = 11, [ERT_BF16] = 8};

/* Rounds to nearest even; only for normal numbers, as the chains' values are in every type. */
static double in_type(enum ert_kernel_id kernel, double value)
{
    int exponent, bits = significand_bits[ert_kernel_row(kernel)->type];
    if (bits == 0)
        return value;
    double fraction = frexp(value, &exponent);
    return ldexp(rint(ldexp(fraction, bits)), exponent - bits);
}

static uint32_t inverse(uint32_t odd)
{
    uint32_t x = odd; /* correct in 3 bits; each step doubles them (Newton) */
    for (int i = 0; i < 4; i++)
        x *= 2 - odd * x;
    return x;
}

/*
 * One operation of the kernel in its own type, rounded once (sqrt: twice). Products and sums of the 16-bit
 * types are exact in double, so that rounding afterwards is rounding once; rounding quotients and roots of
 * floats from double is correct (Figueroa, "When is double rounding innocuous?", SIGNUM 30 (1995)). FP32
 * needs fmaf: a product plus a float may need more than 53 bits.
 */
#define STEP(name, ...)                                                                    \
    static double step_##name(enum ert_kernel_id kernel, double x, double scale,           \
                              double offset)                                               \
    {                                                                                      \
        (void)kernel, (void)x, (void)scale, (void)offset;                                  \
        return __VA_ARGS__;                                                                \
    }
STEP(fma, in_type(kernel, fma(scale, x, offset)))
STEP(fma_single, fmaf((float)scale, (float)x, (float)offset))
STEP(fma_self, in_type(kernel, fma(scale, x, x)))
STEP(add, in_type(kernel, x + offset))
STEP(mul, in_type(kernel, scale *x))
STEP(div, in_type(kernel, scale / x))
STEP(sqrt, in_type(kernel, sqrt(in_type(kernel, offset - x))))
STEP(mad, (uint32_t)scale *(uint32_t)x + (uint32_t)offset)
/* Even steps add, odd ones exclusive-or, which is the same, since b and d are the highest bit. */
STEP(add_integer, (uint32_t)x + (uint32_t)offset)
/* No chain of this kind: no result can match. */
STEP(none, NAN)

#define STEPS(step)                                                                        \
    {                                                                                      \
        step_##step, false,                                                                \
        {                                                                                  \
            0                                                                              \
        }                                                                                  \
    }
#define STEPS_OF(even, odd)                                                                \
    {                                                                                      \
        step_none, true,                                                                   \
        {                                                                                  \
            ERT_KERNEL_##even, ERT_KERNEL_##odd                                            \
        }                                                                                  \
    }
#define PRODUCTS       STEPS(none)
#define TILES(numbers) STEPS(none)
#define OWN            STEPS(none)

/* By kernel; all 0 for those that do not compute. */
static const struct {
    double (*step)(enum ert_kernel_id kernel, double x, double scale, double offset);
    bool is_in_turn;
    enum ert_kernel_id of[2]; /* even and odd chains */
} rules[ERT_N_KERNELS] = {
#define ERT_OF_COMPUTE(id, loads, stores, ...) [ERT_KERNEL_##id] = __VA_ARGS__,
#include "ert/core/kernels/kernels.def"
};

enum ert_kernel_id ert_expected_kernel(enum ert_kernel_id kernel, uint64_t chain)
{
    return rules[kernel].is_in_turn ? rules[kernel].of[chain % 2] : kernel;
}

static struct ert_constants float_constants(enum ert_kernel_id kernel)
{
    const char *op = ert_kernel_row(kernel)->op;
    bool is_add = strcmp(op, "add") == 0;
    struct ert_constants constants = {
        .a = in_type(kernel, factor),
        .b = in_type(kernel, is_add ? add_offset : fma_offset)};
    constants.c = in_type(kernel, 1 / constants.a);
    constants.d = in_type(kernel, is_add ? -constants.b : -constants.b / constants.a);
    if (kernel == ERT_KERNEL_fma_fp16 || kernel == ERT_KERNEL_fma_bf16) {
        constants.a = in_type(kernel, factor - 1);
        constants.c = in_type(kernel, 1 / (1 + constants.a) - 1);
    }
    if (strcmp(op, "div") == 0)
        constants.a = constants.c = in_type(kernel, quotient);
    if (strcmp(op, "rcp") == 0)
        constants.a = constants.c = 1;
    if (strcmp(op, "sqrt") == 0)
        constants.b = constants.d = in_type(kernel, radicand);
    return constants;
}

struct ert_constants ert_expected_constants(enum ert_kernel_id kernel)
{
    uint32_t c = inverse(int_factor);
    if (kernel == ERT_KERNEL_add_int32)
        return (struct ert_constants){1, int_flip, 1, int_flip};
    if (kernel == ERT_KERNEL_mad_int32)
        return (struct ert_constants){int_factor, int_offset, c, 0u - int_offset * c};
    return float_constants(kernel);
}

double ert_expected_start(enum ert_kernel_id kernel, uint64_t index)
{
    double unit = ert_random_unit(start_seed, index);
    if (ert_kernel_row(kernel)->type == ERT_INT32)
        return (uint32_t)(0x1p32 * unit);
    double start = in_type(kernel, 1.25 + 0.25 * unit * (1 - 0x1p-20));
    /* A value rounded up to the end of the range would not be on such an constants. */
    return start < 1.5 ? start : 1.25;
}

double ert_expected_after(enum ert_kernel_id kernel, double start, uint64_t steps)
{
    struct ert_constants constants = ert_expected_constants(kernel);
    /* After ERT_EXPECTED_SETTLE steps only the parity matters. */
    uint64_t left = steps <= ERT_EXPECTED_SETTLE ? steps : ERT_EXPECTED_SETTLE + steps % 2;
    double x = start;
    if (!rules[kernel].step)
        return step_none(kernel, x, 0, 0);
    for (uint64_t i = 0; i < left; i++)
        x = rules[kernel].step(kernel, x, i % 2 ? constants.c : constants.a,
                               i % 2 ? constants.d : constants.b);
    return x;
}
