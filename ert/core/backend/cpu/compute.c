/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/backend/cpu/compute.h"

#include "ert/core/backend/expected.h"
#include "ert/core/base/random.h"

#include <math.h>
#include <string.h>

static const uint64_t operand_seed = 0x6f706572616e64, start_seed = 0x646f74; /* any */

enum {
    LANE_BYTES = 4,  /* of an accumulator, and of each operand of one group of products */
    TILE_LANES = 16, /* accumulators in a row of a tile, groups in a row of an operand */
    BLOCKS = 4
};

bool ert_product_has(enum ert_kernel_id kernel)
{
    return ert_kernel_row(kernel)->result == ERT_RESULT_PRODUCTS;
}

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

void ert_product_operands(enum ert_kernel_id kernel, size_t block_bytes, void *operands)
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

double ert_product_start(enum ert_kernel_id kernel, uint64_t index)
{
    uint64_t random = ert_random_u64(start_seed, index);
    if (is_integer(kernel))
        return (int32_t)random;
    return 1 + (double)(random % 8192) * 0x1p-13;
}

static double compute_value_of(enum ert_kernel_id kernel, const void *block, size_t i)
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
static double compute_group(enum ert_kernel_id kernel, const void *left, size_t l,
                            const void *right, size_t r)
{
    size_t n = LANE_BYTES / ert_type_bytes(ert_kernel_row(kernel)->type);
    double sum = 0;
    for (size_t j = 0; j < n; j++)
        sum +=
            compute_value_of(kernel, left, l + j) * compute_value_of(kernel, right, r + j);
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
        return compute_group(kernel, left, lane * n, right, lane * n);
    size_t row = lane / TILE_LANES, column = lane % TILE_LANES;
    double sum = 0;
    for (size_t k = 0; k < TILE_LANES; k++)
        sum += compute_group(kernel, left, (row * TILE_LANES + k) * n, right,
                             (k * TILE_LANES + column) * n);
    return sum;
}

double ert_product_after(enum ert_kernel_id kernel, size_t block_bytes,
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

/*
 * A pass takes 0.3 to 4 us: the clock is measured between passes, because a core raises it again some
 * microseconds after its last wide operation (time.c). Slow operations need fewer steps.
 */
static const char *const slow_operations[] = {"div", "sqrt", "amx"};
enum { STEPS = 256, SLOW_STEPS = 16 };

/* Reads and writes a chain's numbers in memory, only as needed for the kernels' exact values. */
#define NUMBER(name, type)                                                                 \
    static double get_##name(const void *place)                                            \
    {                                                                                      \
        type value;                                                                        \
        memcpy(&value, place, sizeof value);                                               \
        return (double)value;                                                              \
    }                                                                                      \
    static void put_##name(void *place, double value)                                      \
    {                                                                                      \
        type number = (type)value;                                                         \
        memcpy(place, &number, sizeof number);                                             \
    }
NUMBER(fp64, double)
NUMBER(fp32, float)
NUMBER(int32, int32_t)

/* IEEE binary16; infinities and NaNs become numbers of 2^16 or more, which no correct value is. */
static double get_fp16(const void *place)
{
    uint16_t bits;
    memcpy(&bits, place, sizeof bits);
    int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
    double value =
        exponent == 0 ? ldexp(fraction, -24) : ldexp(1024 + fraction, exponent - 25);
    return bits >> 15 ? -value : value;
}

/* For normal numbers only. */
static void put_fp16(void *place, double value)
{
    int exponent;
    double fraction = frexp(fabs(value), &exponent); /* in [1/2, 1) */
    uint16_t bits = (uint16_t)((exponent + 14) << 10 | ((int)ldexp(fraction, 11) & 0x3ff));
    bits |= value < 0 ? 0x8000 : 0;
    memcpy(place, &bits, sizeof bits);
}

/* By the kernel's type: sums of bfloat16 are FP32, those of bytes 32-bit integers. */
static const struct number {
    size_t bytes;
    double (*get)(const void *place);
    void (*put)(void *place, double value);
} numbers[ERT_N_TYPES] = {
    [ERT_FP64] = {8, get_fp64,  put_fp64 },
      [ERT_FP32] = {4, get_fp32,  put_fp32 },
    [ERT_FP16] = {2, get_fp16,  put_fp16 },
      [ERT_BF16] = {4, get_fp32,  put_fp32 },
    [ERT_INT8] = {4, get_int32, put_int32},
};

static const struct number *compute_number_of(enum ert_kernel_id kernel)
{
    return &numbers[ert_kernel_row(kernel)->type];
}

/* The number of numbers in one chain. */
static size_t chain_lanes(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel)
{
    return isa->vector_bytes ? isa->vector_bytes / compute_number_of(kernel)->bytes : 1;
}

size_t ert_cpu_chains(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel)
{
    if (ert_expected_kernel(kernel, 0) == kernel)
        return isa->chains;
    return ert_kernel_row(kernel)->flops > 1 ? isa->fmaadd_chains : isa->addmul_chains;
}

size_t ert_cpu_chains_bytes(const struct ert_cpu_isa *isa)
{
    size_t chains = isa->chains > isa->addmul_chains ? isa->chains : isa->addmul_chains;
    return chains * (isa->vector_bytes ? isa->vector_bytes : sizeof(double));
}

size_t ert_cpu_compute_lanes(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel)
{
    return ert_cpu_chains(isa, kernel) * chain_lanes(isa, kernel);
}

/* Steps of each chain in any pass but the first (isa.h), some microseconds; a multiple of 4. */
static uint64_t compute_steps_of(enum ert_kernel_id kernel)
{
    for (size_t i = 0; i < sizeof slow_operations / sizeof slow_operations[0]; i++)
        if (strcmp(ert_kernel_row(kernel)->op, slow_operations[i]) == 0)
            return SLOW_STEPS;
    return STEPS;
}

double ert_cpu_compute_operations(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel)
{
    const struct ert_kernel *row = ert_kernel_row(kernel);
    size_t depth =
        isa->lane_operand_bytes ? isa->lane_operand_bytes / ert_type_bytes(row->type) : 1;
    /* Such a kernel does three operations per two elements (kernels.def). */
    double flops = ert_expected_kernel(kernel, 0) != kernel && row->flops > 1
                       ? row->flops / 2.
                       : row->flops;
    return (double)(ert_cpu_compute_lanes(isa, kernel) * compute_steps_of(kernel) * depth) *
           flops;
}

static double start_of(enum ert_kernel_id kernel, uint64_t index)
{
    return ert_product_has(kernel) ? ert_product_start(kernel, index)
                                   : ert_expected_start(kernel, index);
}

/* For kernels that alternate two operations: the even chains' last constant, and what odd ones add. */
static void put_operands(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel,
                         const struct ert_constants *even, char *operands)
{
    const struct number *number = compute_number_of(kernel);
    size_t lanes = chain_lanes(isa, kernel);
    bool is_fma = ert_kernel_row(kernel)->flops > 1;
    double added = ert_expected_constants(ert_expected_kernel(kernel, 1)).b;
    for (size_t i = 0; i < lanes; i++) {
        number->put(operands + i * number->bytes, is_fma ? even->d : even->c);
        number->put(operands + (lanes + i) * number->bytes, added);
    }
}

void ert_cpu_compute_start(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel,
                           uint64_t first, struct ert_cpu_sweep *sweep, void *operands)
{
    const struct number *number = compute_number_of(kernel);
    char *chains = sweep->chains;
    struct ert_constants constants = ert_expected_constants(ert_expected_kernel(kernel, 0));
    if (ert_product_has(kernel))
        ert_product_operands(kernel, isa->vector_bytes, operands);
    else if (ert_expected_kernel(kernel, 0) != kernel)
        put_operands(isa, kernel, &constants, operands);
    sweep->operands = operands;
    sweep->steps = compute_steps_of(kernel);
    sweep->constants[0] = constants.a;
    sweep->constants[1] = constants.b;
    sweep->constants[2] = constants.c;
    sweep->constants[3] = constants.d;
    for (size_t i = 0; i < ert_cpu_compute_lanes(isa, kernel); i++)
        number->put(chains + i * number->bytes, start_of(kernel, first + i));
}

/* The correct value of number i. */
static double expected(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel,
                       uint64_t first, const struct ert_cpu_sweep *sweep, uint64_t steps,
                       size_t i)
{
    double start = start_of(kernel, first + i);
    size_t lanes = chain_lanes(isa, kernel);
    if (!ert_product_has(kernel))
        return ert_expected_after(ert_expected_kernel(kernel, i / lanes), start, steps);
    return ert_product_after(kernel, isa->vector_bytes, sweep->operands, i / lanes,
                             i % lanes, start, steps);
}

bool ert_cpu_compute_check(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel,
                           uint64_t first, const struct ert_cpu_sweep *sweep,
                           uint64_t passes, struct ert_cpu_wrong *wrong)
{
    const struct number *number = compute_number_of(kernel);
    const char *chains = sweep->chains;
    uint64_t steps = passes ? 1 + passes * compute_steps_of(kernel) : 0;
    for (size_t i = 0; i < ert_cpu_compute_lanes(isa, kernel); i++) {
        double is = number->get(chains + i * number->bytes);
        double should = expected(isa, kernel, first, sweep, steps, i);
        if (memcmp(&is, &should, sizeof is) != 0) {
            *wrong = (struct ert_cpu_wrong){i, is, should};
            return false;
        }
    }
    return true;
}
