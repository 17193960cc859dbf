/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/cuda/tiles.h"

#include <assert.h>
#include <string.h>

/*
 * Bounds. A sweep adds at most k_max products to an accumulator, and the sum of their magnitudes and the
 * start's stays within the integers that accumulators represent exactly:
 *   k_max * most(a) * most(b) + n_starts / 2 <= exact_max
 *   FP64  2^53: operands use 24 bits of 53 (products of longer ones are rounded, in an undocumented order).
 *   FP32 accumulators  2^24: BF16 uses all its 8 bits, FP16 9 of 11, TF32 9.5 of 11.
 *   FP8   2^14: Hopper's sums keep 13 bits below the highest exponent (DeepSeek-AI, "DeepSeek-V3
 *         Technical Report", arXiv:2412.19437, section 3.5.2), so integers are exact up to there;
 *         operands use all 4 bits, with half as many products as the others.
 *         FP6 and FP4 the same.
 *   INT8  2^31; all bits (-128 has no negative in the type).
 * Last, the format: IEEE 754; bfloat16; "FP8 formats", arXiv:2209.05433; "OCP Microscaling Formats".
 * FP16 accumulators represent integers only up to 2^11, which would leave the operands 3 bits. If paired, a
 * sum has one remaining a per sixteen products, 4 * 480, and the magnitudes in one instruction stay below
 * 2^24: 16 * 480 * 1024.
 */
#define NUMBERS_FP64                                                                       \
    {0x800000, 0xffffff, 0}, {0x800000, 0xffffff, 0}, INT64_C(1) << 53, 1 << 20, 16,       \
        false, 11, 52, false
#define NUMBERS_TF32  {360, 720, 0}, {360, 720, 0}, 1 << 24, 1 << 16, 32, false, 8, 23, false
#define NUMBERS_BF16  {128, 255, 1}, {128, 255, 1}, 1 << 24, 1 << 16, 64, false, 8, 7, false
#define NUMBERS_FP16  {256, 511, 0}, {256, 511, 0}, 1 << 24, 1 << 16, 64, false, 5, 10, false
#define NUMBERS_ACC16 {240, 480, 0}, {512, 1023, 0}, 1 << 11, 1 << 7, 64, true, 5, 10, false
#define NUMBERS_FP8   {8, 15, 0}, {8, 15, 0}, 1 << 14, 1 << 10, 64, false, 4, 3, false
#define NUMBERS_E5M2  {4, 7, 1}, {4, 7, 1}, 1 << 14, 1 << 10, 64, false, 5, 2, false
#define NUMBERS_FP6   {4, 7, 1}, {4, 7, 1}, 1 << 14, 1 << 10, 64, false, 3, 2, false
#define NUMBERS_FP4   {2, 3, 0}, {2, 3, 0}, 1 << 14, 1 << 10, 128, false, 2, 1, false
#define NUMBERS_MXFP4 {2, 3, 0}, {2, 3, 0}, 1 << 14, 1 << 10, 192, false, 2, 1, true
#define NUMBERS_INT8                                                                       \
    {1, 127, 0}, {1, 127, 0}, INT64_C(1) << 31, 1 << 20, 128, false, 0, 7, false

/* By kernel; all 0 except for tensor kernels. */
static const struct ert_tiles_numbers table[ERT_N_KERNELS] = {
#define TILES(numbers)                                                                     \
    {                                                                                      \
        NUMBERS_##numbers                                                                  \
    }
#define ERT_KERNEL(...)
#define ERT_KERNEL_TENSOR(id, kind, type, op, flops, loads, stores, formula, purpose,      \
                          result, ...)                                                     \
    [ERT_KERNEL_##id] = result,
#include "ert/core/kernels/kernels.def"
};

const struct ert_tiles_numbers *ert_tiles_numbers(enum ert_kernel_id kernel)
{
    return table[kernel].k_max ? &table[kernel] : NULL;
}

/* A random signed integer of the range: never 0, which would leave a multiplier idle. */
static int32_t random_integer(uint64_t seed, uint32_t row, uint32_t k,
                              const struct ert_tiles_range *range)
{
    uint64_t bits = ert_random_u64(seed, (uint64_t)row << 16 | k);
    uint32_t n = (uint32_t)(range->most - range->least) + 1;
    int32_t magnitude = range->least + (int32_t)((bits >> 32) % n);
    magnitude <<= (bits >> 1 & 0xff) % (range->shifts + 1);
    return bits & 1 ? -magnitude : magnitude;
}

/* The element of B in row k, column n. */
static int32_t number_of_b(const struct ert_tiles_numbers *numbers, uint64_t seed,
                           uint32_t k, uint32_t n)
{
    if (!numbers->is_paired || k % 2 == 0)
        return random_integer(seed, n, k, &numbers->b);
    /* What remains of a pair: 1 or -1 once in sixteen products, so that each slice matters; else 0. */
    int32_t rest = k % 16 != 1                                         ? 0
                   : ert_random_u64(seed, k * UINT64_C(65536) + n) & 1 ? 1
                                                                       : -1;
    return rest - random_integer(seed, n, k - 1, &numbers->b);
}

void ert_tiles_fill(enum ert_kernel_id kernel, enum ert_tiles_kind kind, uint64_t seed,
                    uint32_t m, uint32_t n, uint32_t k, int32_t *a, int32_t *b,
                    int64_t *products)
{
    const struct ert_tiles_numbers *numbers = ert_tiles_numbers(kernel);
    const uint64_t b_seed =
        seed ^ UINT64_C(0x5a5a5a5a5a5a5a5a); /* another stream than A's */
    const bool is_zero = kind == ERT_TILES_ZERO;
    assert(numbers && k <= numbers->k_max && m < 65536 && n < 65536 && k < 65536);
    for (uint32_t i = 0; i < m * k; i++) {
        uint32_t at = numbers->is_paired ? i % k & ~1u : i % k;
        a[i] = is_zero ? 0 : random_integer(seed, i / k, at, &numbers->a);
    }
    for (uint32_t i = 0; i < n * k; i++)
        b[i] = is_zero ? 0 : number_of_b(numbers, b_seed, i % k, i / k);
    for (uint32_t i = 0; i < m * n; i++) {
        const int32_t *row = a + (size_t)(i / n) * k, *column = b + (size_t)(i % n) * k;
        int64_t sum = 0;
        for (uint32_t l = 0; l < k; l++)
            sum += (int64_t)row[l] * column[l];
        products[i] = sum;
    }
}

/* The bits of an integer in a small format: sign, exponent with its bias, mantissa_bits of fraction. */
static uint32_t float_bits(int32_t value, int exponent_bits, int mantissa_bits)
{
    uint32_t magnitude = (uint32_t)(value < 0 ? -value : value);
    uint32_t sign = (value < 0 ? 1u : 0u) << (exponent_bits + mantissa_bits);
    int exponent = 0;
    if (magnitude == 0)
        return 0;
    while (magnitude >> (exponent + 1))
        exponent++;
    uint32_t fraction = magnitude ^ (1u << exponent);
    int shift = mantissa_bits - exponent;
    assert(shift >= 0 || (fraction & ((1u << -shift) - 1)) == 0);
    fraction = shift >= 0 ? fraction << shift : fraction >> -shift;
    uint32_t biased = (uint32_t)(exponent + (1 << (exponent_bits - 1)) - 1);
    return sign | biased << mantissa_bits | fraction;
}

void ert_tiles_encode(enum ert_kernel_id kernel, int32_t value, void *row, uint32_t k)
{
    const struct ert_tiles_numbers *numbers = &table[kernel];
    const size_t bytes = ert_type_bytes(ert_kernel_row(kernel)->type);
    const int exponent = (int)numbers->exponent_bits,
              fraction = (int)numbers->fraction_bits;
    const double wide = (double)value;
    uint8_t *to = (uint8_t *)row + k * bytes;
    if (bytes == sizeof wide) {
        memcpy(to, &wide, sizeof wide);
        return;
    }
    uint32_t bits = exponent ? float_bits(value, exponent, fraction) : (uint32_t)value;
    const uint32_t n_bits = (uint32_t)(1 + exponent + fraction);
    if (n_bits >= 8) {
        memcpy(to, &bits, bytes); /* little endian: the low ones */
        return;
    }
    uint32_t at = numbers->is_packed ? k * n_bits : k / 16 * 128 + k % 16 * n_bits;
    for (uint32_t i = at; i < at + n_bits; i++)
        ((uint8_t *)row)[i / 8] |= (uint8_t)((bits >> (i - at) & 1) << i % 8);
}
