/* model: attainable performance and ridge points, against numbers worked out by hand. */
#include "tests/unit/test.h"

#include "analysis/model.h"

/* The Opteron X2 of the paper's figure 1: 17.6 GFLOP/s, 15 GB/s; 17.6 / 15 = 1.17333. */
static void opteron_of_the_paper(void **state)
{
    (void)state;
    assert_close(rfl_model_ridge(15e9, 17.6e9), 1.1733333333333333, 1e-15);
    assert_close(rfl_model_attainable(0.25, 15e9, 17.6e9), 3.75e9, 1e-15);
    assert_close(rfl_model_attainable(1, 15e9, 17.6e9), 15e9, 1e-15);
    assert_close(rfl_model_attainable(2, 15e9, 17.6e9), 17.6e9, 1e-15);
    assert_close(rfl_model_attainable(16, 15e9, 17.6e9), 17.6e9, 1e-15);
}

static void both_roofs_meet_at_the_ridge(void **state)
{
    (void)state;
    double ridge = rfl_model_ridge(4.62e12, 33.3e12);
    assert_close(ridge, 7.2077922077922079, 1e-15);
    assert_close(rfl_model_attainable(ridge, 4.62e12, 33.3e12), 33.3e12, 1e-14);
    assert_true(rfl_model_attainable(ridge * 0.99, 4.62e12, 33.3e12) < 33.3e12);
}

static void zero_is_a_value_and_nonsense_is_nan(void **state)
{
    (void)state;
    assert_true(rfl_model_attainable(0, 15e9, 17.6e9) == 0);
    assert_true(isnan(rfl_model_attainable(-1, 15e9, 17.6e9)));
    assert_true(isnan(rfl_model_attainable(NAN, 15e9, 17.6e9)));
    assert_true(isnan(rfl_model_attainable(1, NAN, 17.6e9)));
    assert_true(isnan(rfl_model_attainable(1, 15e9, NAN)));
    assert_true(isnan(rfl_model_ridge(0, 17.6e9)));
    assert_true(isnan(rfl_model_ridge(15e9, 0)));
    assert_true(isnan(rfl_model_ridge(15e9, NAN)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opteron_of_the_paper),
        cmocka_unit_test(both_roofs_meet_at_the_ridge),
        cmocka_unit_test(zero_is_a_value_and_nonsense_is_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
