/* SPDX-License-Identifier: BSD-3-Clause */
/* expected: chains come back with period two, stay bounded, differ from each other. */
#include "tests/unit/test.h"

#include "ert/core/backend/expected.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { N_CHAINS = 20000 };

static bool is_op(enum ert_kernel_id kernel, const char *op)
{
    return strcmp(ert_kernel_row(kernel)->op, op) == 0;
}

/* Elementwise operations have one, dot products and matrices check themselves otherwise. */
static bool has_steps(enum ert_kernel_id kernel)
{
    if (ert_kernel_row(kernel)->kind != ERT_KIND_COMPUTE)
        return false;
    static const char *const ops[] = {"fma", "fma-3reg", "fma-pair", "add", "mul",
                                      "mad", "div",      "rcp",      "sqrt"};
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        if (is_op(kernel, ops[i]))
            return true;
    return false;
}

static void other_kernels_match_nothing(void **state)
{
    for (int k = 0; k < ERT_N_KERNELS; k++) {
        enum ert_kernel_id kernel = (enum ert_kernel_id)k;
        assert_int_equal(!isnan(ert_expected_after(kernel, 1.25, 1)), has_steps(kernel));
    }
}

/* The shortcut of ert_expected_after is right only if every chain has settled long before. */
static void values_have_period_two_after_settling(void **state)
{
    for (int k = 0; k < ERT_N_KERNELS; k++)
        for (uint64_t i = 0; i < N_CHAINS && has_steps((enum ert_kernel_id)k); i++) {
            enum ert_kernel_id kernel = (enum ert_kernel_id)k;
            double start = ert_expected_start(kernel, i);
            double even = ert_expected_after(kernel, start, ERT_EXPECTED_SETTLE - 2);
            double odd = ert_expected_after(kernel, start, ERT_EXPECTED_SETTLE - 1);
            assert_true(even == ert_expected_after(kernel, start, ERT_EXPECTED_SETTLE));
            assert_true(odd == ert_expected_after(kernel, start, ERT_EXPECTED_SETTLE + 1));
            assert_true(even == ert_expected_after(kernel, start, 1000000));
            assert_true(is_op(kernel, "sqrt") || even != odd);
        }
}

/* Normal numbers far from overflow, so that no step takes a slow path. */
static void values_stay_in_their_range(void **state)
{
    for (int k = 0; k < ERT_N_KERNELS; k++)
        for (uint64_t i = 0; i < 1000 && has_steps((enum ert_kernel_id)k); i++) {
            enum ert_kernel_id kernel = (enum ert_kernel_id)k;
            for (uint64_t steps = 0; steps < ERT_EXPECTED_SETTLE; steps++) {
                double x = ert_expected_after(kernel, ert_expected_start(kernel, i), steps);
                if (ert_kernel_row(kernel)->type == ERT_INT32)
                    assert_true(x >= 0 && x < 0x1p32 && x == floor(x));
                else
                    assert_true(x > 0.6 && x < 4);
            }
        }
}

/* What a value of the type can be: the bits below its significand are zero. */
static void values_are_of_the_type(void **state)
{
    static const struct {
        enum ert_type type;
        int bits;
    } types[] = {
        {ERT_FP32, 24},
        {ERT_FP16, 11},
        {ERT_BF16, 8 }
    };
    for (int k = 0; k < ERT_N_KERNELS; k++)
        for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
            for (uint64_t i = 0;
                 i < 1000 && has_steps((enum ert_kernel_id)k) &&
                 ert_kernel_row((enum ert_kernel_id)k)->type == types[t].type;
                 i++) {
                int exponent;
                double x = ert_expected_start((enum ert_kernel_id)k, i);
                double scaled = ldexp(
                    frexp(ert_expected_after((enum ert_kernel_id)k, x, i % 7), &exponent),
                    types[t].bits);
                assert_true(scaled == rint(scaled));
            }
}

/* Of 64-bit and 32-bit types; 16-bit ones have fewer values than chains. */
static void starts_differ(void **state)
{
    for (int k = 0; k < ERT_N_KERNELS; k++)
        for (uint64_t i = 1; i < N_CHAINS && has_steps((enum ert_kernel_id)k); i++) {
            enum ert_kernel_id kernel = (enum ert_kernel_id)k;
            if (ert_type_bytes(ert_kernel_row(kernel)->type) >= 4)
                assert_true(ert_expected_start(kernel, i) !=
                            ert_expected_start(kernel, i - 1));
        }
}

/* By hand: one step of each, from 1.25. */
static void first_step_is_the_formula(void **state)
{
    struct ert_constants o = ert_expected_constants(ERT_KERNEL_fma_fp64);
    assert_true(ert_expected_after(ERT_KERNEL_fma_fp64, 1.25, 1) == fma(o.a, 1.25, o.b));
    assert_true(ert_expected_after(ERT_KERNEL_fma3_fp64, 1.25, 1) == fma(o.a, 1.25, o.b));
    assert_true(ert_expected_after(ERT_KERNEL_mul_fp64, 1.25, 1) == o.a * 1.25);
    o = ert_expected_constants(ERT_KERNEL_add_fp64);
    assert_true(ert_expected_after(ERT_KERNEL_add_fp64, 1.25, 1) == 1.25 + o.b);
    assert_true(o.d == -o.b);
    o = ert_expected_constants(ERT_KERNEL_div_fp32);
    assert_true(ert_expected_after(ERT_KERNEL_div_fp32, 1.25, 1) == (float)o.a / 1.25f);
    assert_true(ert_expected_after(ERT_KERNEL_rcp_fp64, 1.25, 1) == 1 / 1.25);
    o = ert_expected_constants(ERT_KERNEL_sqrt_fp64);
    assert_true(ert_expected_after(ERT_KERNEL_sqrt_fp64, 1.25, 1) == sqrt(o.b - 1.25));
    o = ert_expected_constants(ERT_KERNEL_mad_int32);
    assert_true(ert_expected_after(ERT_KERNEL_mad_int32, 5, 1) ==
                (uint32_t)((uint32_t)o.a * 5u + (uint32_t)o.b));
    assert_true(ert_expected_after(ERT_KERNEL_mad_int32, 5, 2) == 5);
    assert_true(ert_expected_after(ERT_KERNEL_add_int32, 5, 1) == 5 + 0x1p31);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_kernels_match_nothing),
        cmocka_unit_test(values_have_period_two_after_settling),
        cmocka_unit_test(values_stay_in_their_range),
        cmocka_unit_test(values_are_of_the_type),
        cmocka_unit_test(starts_differ),
        cmocka_unit_test(first_step_is_the_formula),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
