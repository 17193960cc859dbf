/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/isa/products.h"

#include "ert/core/base/random.h"

#include <string.h>

static const uint64_t operand_seed = 0x6f706572616e64, start_seed = 0x646f74; /* any */

enum {
    LANE_BYTES = 4,  /* of an accumulator, and of each operand of one group of products */
    TILE_LANES = 16, /* accumulators in a row of a tile, groups in a row of an operand */
    BLOCKS = 4
};

static bool is_integer(enum ert_kernel_id kernel)
{
    return ert_kernel_row(kernel)->type == ERT_INT8;
}

/* Element i of block b; right ones have a random sign. */
static int8_t byte_at(size_t b, size_t i)
{
    uint64_t random = ert_random_u64(operand_seed + b, i);
    int8_t value = (int8_t)(1 + random % 127);
    return b >= 2 && random >> 63 ? (int8_t)-value : value;
}

/* Seven random bits of mantissa; left ones are in [2, 4), right ones in [1, 2) and (-2, -1]. */
static uint16_t bf16_at(size_t b, size_t i)
{
    uint64_t random = ert_random_u64(operand_seed + (b < 2 ? b : 2), i);
    uint16_t sign_and_exponent = b < 2 ? 0x4000 : b == 2 ? 0x3f80 : 0xbf80;
    return sign_and_exponent | (random & 0x7f);
}

static void products_operands(enum ert_kernel_id kernel, size_t block_bytes, void *operands)
{
    int8_t *bytes = operands;
    uint16_t *halves = operands;
    size_t n = block_bytes / ert_type_bytes(ert_kernel_row(kernel)->type);
    for (size_t i = 0; i < BLOCKS * n; i++)
        if (is_integer(kernel))
            bytes[i] = byte_at(i / n, i % n);
        else
            halves[i] = bf16_at(i / n, i % n);
}

static double products_start(enum ert_kernel_id kernel, uint64_t index)
{
    uint64_t random = ert_random_u64(start_seed, index);
    if (is_integer(kernel))
        return (int32_t)random;
    return 1 + (double)(random % 8192) * 0x1p-13;
}

static double products_value_of(enum ert_kernel_id kernel, const void *block, size_t i)
{
    const int8_t *bytes = block;
    const uint16_t *halves = block;
    if (is_integer(kernel))
        return bytes[i];
    uint32_t bits = (uint32_t)halves[i] << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* One group: the sum of products of 4 bytes of each operand, from elements l and r on. */
static double products_group(enum ert_kernel_id kernel, const void *left, size_t l,
                             const void *right, size_t r)
{
    size_t n = LANE_BYTES / ert_type_bytes(ert_kernel_row(kernel)->type);
    double sum = 0;
    for (size_t j = 0; j < n; j++)
        sum += products_value_of(kernel, left, l + j) *
               products_value_of(kernel, right, r + j);
    return sum;
}

/*
 * What one step adds to a lane. Lane (m, n) of a tile: row m of the left operand times column n of the right
 * one, whose rows have groups of 4 bytes for each column (Intel SDM, TDPBF16PS, TDPBSSD).
 */
static double sum_of(enum ert_kernel_id kernel, const void *left, const void *right,
                     size_t lane)
{
    size_t n = LANE_BYTES / ert_type_bytes(ert_kernel_row(kernel)->type);
    if (strcmp(ert_kernel_row(kernel)->op, "dot") == 0)
        return products_group(kernel, left, lane * n, right, lane * n);
    size_t row = lane / TILE_LANES, column = lane % TILE_LANES;
    double sum = 0;
    for (size_t k = 0; k < TILE_LANES; k++)
        sum += products_group(kernel, left, (row * TILE_LANES + k) * n, right,
                              (k * TILE_LANES + column) * n);
    return sum;
}

static double products_after(enum ert_kernel_id kernel, size_t block_bytes,
                             const void *operands, size_t chain, size_t lane, double start,
                             uint64_t steps)
{
    const char *blocks = operands;
    const char *left = blocks + chain % 2 * block_bytes;
    const char *even = blocks + (2 + chain / 2 % 2) * block_bytes;
    const char *odd = blocks + (2 + (chain / 2 + 1) % 2) * block_bytes;
    double even_sum = sum_of(kernel, left, even, lane);
    if (is_integer(kernel)) {
        double odd_sum = sum_of(kernel, left, odd, lane);
        uint32_t sum = (uint32_t)(int32_t)start;
        sum += (uint32_t)(steps - steps / 2) * (uint32_t)(int32_t)even_sum;
        sum += (uint32_t)(steps / 2) * (uint32_t)(int32_t)odd_sum;
        return (int32_t)sum;
    }
    return start + (steps % 2 ? even_sum : 0);
}

const struct ert_cpu_products ert_isa_products = {
    .operands = products_operands,
    .start = products_start,
    .after = products_after,
};
