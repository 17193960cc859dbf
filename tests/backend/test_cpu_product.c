/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cpu_product: operands and predictions of the dot-product and matrix kernels, against sums over
 * plain matrices. No such instruction is run here.
 */
#include "tests/unit/test.h"

#include "ert/ext/isa/products.h"

#include <math.h>

enum { TILE_BYTES = 1024, LANES = 256 };

static const enum ert_kernel_id kernels[] = {ERT_KERNEL_dot_bf16, ERT_KERNEL_dot_int8,
                                             ERT_KERNEL_amx_bf16, ERT_KERNEL_amx_int8};
enum { N = sizeof kernels / sizeof kernels[0] };

static union {
    int8_t bytes[4 * TILE_BYTES];
    uint16_t halves[2 * TILE_BYTES];
} operands;

static bool is_amx(enum ert_kernel_id kernel)
{
    return kernel == ERT_KERNEL_amx_bf16 || kernel == ERT_KERNEL_amx_int8;
}

static bool is_bf16(enum ert_kernel_id kernel)
{
    return kernel == ERT_KERNEL_amx_bf16 || kernel == ERT_KERNEL_dot_bf16;
}

/* Element i of all four blocks; bfloat16: sign, 8 bits of exponent, 7 of mantissa. */
static double element(enum ert_kernel_id kernel, size_t i)
{
    if (!is_bf16(kernel))
        return operands.bytes[i];
    uint16_t bits = operands.halves[i];
    double value = ldexp(128 + (bits & 0x7f), (bits >> 7 & 0xff) - 134);
    return bits >> 15 ? -value : value;
}

/* Element (row, column) of a right operand of AMX, whose rows interleave groups of 4 byte. */
static double right_element(enum ert_kernel_id kernel, size_t block, size_t row,
                            size_t column)
{
    size_t per_tile = is_bf16(kernel) ? 512 : 1024, group = is_bf16(kernel) ? 2 : 4;
    return element(kernel, block * per_tile + row / group * 16 * group + column * group +
                               row % group);
}

/* What chain `chain` adds to lane `lane` with right operand 2 or 3. */
static double sum(enum ert_kernel_id kernel, size_t left, size_t right, size_t lane)
{
    size_t per_tile = is_bf16(kernel) ? 512 : 1024;
    size_t depth = is_bf16(kernel) ? 2 : 4;
    double total = 0;
    for (size_t k = 0; !is_amx(kernel) && k < depth; k++)
        total += element(kernel, left * per_tile + lane * depth + k) *
                 element(kernel, right * per_tile + lane * depth + k);
    for (size_t k = 0; is_amx(kernel) && k < per_tile / 16; k++)
        total += element(kernel, left * per_tile + lane / 16 * (per_tile / 16) + k) *
                 right_element(kernel, right, k, lane % 16);
    return total;
}

static double wrapped(double value)
{
    return (double)(int32_t)(uint32_t)(int64_t)value;
}

static void steps_add_the_matrix_products(void **state)
{
    for (size_t i = 0; i < N; i++) {
        ert_isa_products.operands(kernels[i], TILE_BYTES, &operands);
        for (size_t chain = 0; chain < 4; chain++)
            for (size_t lane = 0; lane < LANES; lane++) {
                size_t first = 2 + chain / 2 % 2, second = 5 - first;
                double x = ert_isa_products.start(kernels[i], lane), start = x;
                for (uint64_t n = 1; n <= 3; n++) {
                    x += sum(kernels[i], chain % 2, n % 2 ? first : second, lane);
                    x = is_bf16(kernels[i]) ? (double)(float)x : wrapped(x);
                    assert_close(ert_isa_products.after(kernels[i], TILE_BYTES, &operands,
                                                        chain, lane, start, n),
                                 x, 0);
                }
            }
    }
}

/* 2^40 + 1 steps: the sums modulo 2^32, in closed form. */
static void many_steps_wrap(void **state)
{
    ert_isa_products.operands(ERT_KERNEL_dot_int8, TILE_BYTES, &operands);
    double start = ert_isa_products.start(ERT_KERNEL_dot_int8, 7);
    double after = ert_isa_products.after(ERT_KERNEL_dot_int8, TILE_BYTES, &operands, 0, 7,
                                          start, (UINT64_C(1) << 40) + 1);
    assert_close(after, wrapped(start + sum(ERT_KERNEL_dot_int8, 0, 2, 7)), 0);
}

/* All is a multiple of 2^-13 and stays below 2^11: FP32's 24 bits. */
static void bf16_sums_are_exact_in_any_order(void **state)
{
    for (size_t i = 0; i < N; i++) {
        if (!is_bf16(kernels[i]))
            continue;
        ert_isa_products.operands(kernels[i], TILE_BYTES, &operands);
        for (size_t lane = 0; lane < LANES; lane++) {
            double start = ert_isa_products.start(kernels[i], lane);
            double magnitude = fabs(sum(kernels[i], 0, 2, lane));
            assert_true(sum(kernels[i], 0, 2, lane) == -sum(kernels[i], 0, 3, lane));
            assert_true(ldexp(magnitude, 13) == floor(ldexp(magnitude, 13)));
            assert_true(ldexp(start, 13) == floor(ldexp(start, 13)));
            assert_true(start >= 1 && start < 2 && magnitude >= 4);
            assert_true(magnitude + start < 2048);
        }
    }
}

static void operands_are_random_and_never_zero(void **state)
{
    for (size_t i = 0; i < N; i++) {
        size_t per_tile = is_bf16(kernels[i]) ? 512 : 1024, same = 0;
        ert_isa_products.operands(kernels[i], TILE_BYTES, &operands);
        for (size_t k = 0; k < 4 * per_tile; k++) {
            assert_true(element(kernels[i], k) != 0);
            assert_true(k >= 2 * per_tile || element(kernels[i], k) > 0);
            same += k > 0 && element(kernels[i], k) == element(kernels[i], k - 1);
        }
        assert_true(same < 4 * per_tile / 32);
        assert_true(ert_isa_products.start(kernels[i], 0) !=
                    ert_isa_products.start(kernels[i], 1));
    }
}

static bool is_product(int kernel)
{
    return ert_kernel_row((enum ert_kernel_id)kernel)->result == ERT_RESULT_PRODUCTS;
}

static void only_these_kernels_are_products(void **state)
{
    size_t n = 0;
    for (int kernel = 0; kernel < ERT_N_KERNELS; kernel++)
        n += is_product(kernel);
    assert_int_equal(n, N);
    for (size_t i = 0; i < N; i++)
        assert_true(is_product(kernels[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_add_the_matrix_products),
        cmocka_unit_test(many_steps_wrap),
        cmocka_unit_test(bf16_sums_are_exact_in_any_order),
        cmocka_unit_test(operands_are_random_and_never_zero),
        cmocka_unit_test(only_these_kernels_are_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
