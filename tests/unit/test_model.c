/* SPDX-License-Identifier: BSD-3-Clause */
/* model: attainable performance and ridge points, against numbers worked out by hand. */
#include "tests/unit/test.h"

#include "analysis/core/place/model.h"

/* The Opteron X2 of the paper's figure 1: 17.6 GFLOP/s, 15 GB/s; 17.6 / 15 = 1.17333. */
static void opteron_of_the_paper(void **state)
{
    assert_close(rfl_model_ridge(15e9, 17.6e9), 1.1733333333333333, 1e-15);
    assert_close(rfl_model_attainable(0.25, 15e9, 17.6e9), 3.75e9, 1e-15);
    assert_close(rfl_model_attainable(1, 15e9, 17.6e9), 15e9, 1e-15);
    assert_close(rfl_model_attainable(2, 15e9, 17.6e9), 17.6e9, 1e-15);
    assert_close(rfl_model_attainable(16, 15e9, 17.6e9), 17.6e9, 1e-15);
}

static void both_roofs_meet_at_the_ridge(void **state)
{
    double ridge = rfl_model_ridge(4.62e12, 33.3e12);
    assert_close(ridge, 7.2077922077922079, 1e-15);
    assert_close(rfl_model_attainable(ridge, 4.62e12, 33.3e12), 33.3e12, 1e-14);
    assert_true(rfl_model_attainable(ridge * 0.99, 4.62e12, 33.3e12) < 33.3e12);
}

static void zero_is_a_value_and_nonsense_is_nan(void **state)
{
    assert_true(rfl_model_attainable(0, 15e9, 17.6e9) == 0);
    assert_true(isnan(rfl_model_attainable(-1, 15e9, 17.6e9)));
    assert_true(isnan(rfl_model_attainable(NAN, 15e9, 17.6e9)));
    assert_true(isnan(rfl_model_attainable(1, NAN, 17.6e9)));
    assert_true(isnan(rfl_model_attainable(1, 15e9, NAN)));
    assert_true(isnan(rfl_model_ridge(0, 17.6e9)));
    assert_true(isnan(rfl_model_ridge(15e9, 0)));
    assert_true(isnan(rfl_model_ridge(15e9, NAN)));
}

/* arXiv:2008.11326: (2 x 0.58 + 0.42) / 2 = 0.79 of 6.71 TFLOP/s. */
static void a_mix_of_fma(void **state)
{
    assert_close(rfl_model_mix(6.71e12, 0.58), 5.3009e12, 1e-15);
    assert_close(rfl_model_mix(6.71e12, 0), 3.355e12, 1e-15);
    assert_close(rfl_model_mix(6.71e12, 1), 6.71e12, 1e-15);
    assert_true(isnan(rfl_model_mix(6.71e12, 1.01)) && isnan(rfl_model_mix(6.71e12, -0.1)));
    assert_true(isnan(rfl_model_mix(6.71e12, NAN)) && isnan(rfl_model_mix(-1, 0.5)));
}

/*
 * Zen 5, per clock and 512-bit lane: 2 FMA; 2 FMA and 2 additions, 6 flop; 4 additions and
 * multiplications. At a share of 1/4 four instructions are 5 flop in a clock; at 3/4 the FMAs take a
 * clock and a half for 7.
 */
static void a_mix_on_units_of_their_own(void **state)
{
    assert_close(rfl_model_units(4, 6, 4, 1), 4, 1e-15);
    assert_close(rfl_model_units(4, 6, 4, 0.5), 6, 1e-15);
    assert_close(rfl_model_units(4, 6, 4, 0), 4, 1e-15);
    assert_close(rfl_model_units(4, 6, 4, 0.25), 5, 1e-15);
    assert_close(rfl_model_units(4, 6, 4, 0.75), 7 / 1.5, 1e-15);
    /* Without the mix's own peak the time is linear from 0 to 1. */
    assert_close(rfl_model_units(4, 0, 4, 0.5), 4, 1e-15);
    /* Units that are shared, or not measured: as rfl_model_mix. */
    assert_true(rfl_model_units(4, 3, 2, 0.3) == rfl_model_mix(4, 0.3));
    assert_true(rfl_model_units(4, 0, 0, 0.3) == rfl_model_mix(4, 0.3));
    assert_true(isnan(rfl_model_units(4, 6, 4, NAN)) && isnan(rfl_model_units(4, 6, 4, 2)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opteron_of_the_paper),
        cmocka_unit_test(both_roofs_meet_at_the_ridge),
        cmocka_unit_test(zero_is_a_value_and_nonsense_is_nan),
        cmocka_unit_test(a_mix_of_fma),
        cmocka_unit_test(a_mix_on_units_of_their_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
