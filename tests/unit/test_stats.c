/* SPDX-License-Identifier: BSD-3-Clause */
/* stats: hand-computed order statistics. */
#include "tests/unit/test.h"

#include "ert/core/stats/stats.h"

static void median_of_odd_and_even(void **state)
{
    const double odd[] = {5, 1, 3}, even[] = {4, 1, 3, 2}, one[] = {7};
    assert_true(ert_stats_median(odd, 3) == 3);
    assert_true(ert_stats_median(even, 4) == 2.5);
    assert_true(ert_stats_median(one, 1) == 7);
    assert_true(isnan(ert_stats_median(odd, 0)));
}

/* R: quantile(c(1,2,4,8,16), c(0,.05,.25,.9,1), type=7) gives 1, 1.2, 2, 12.8, 16. */
static void quantiles_are_type_seven(void **state)
{
    const double values[] = {16, 1, 8, 2, 4};
    assert_true(ert_stats_quantile(values, 5, 0) == 1);
    assert_close(ert_stats_quantile(values, 5, 0.05), 1.2, 1e-15);
    assert_close(ert_stats_quantile(values, 5, 0.25), 2, 1e-15);
    assert_close(ert_stats_quantile(values, 5, 0.9), 12.8, 1e-15);
    assert_true(ert_stats_quantile(values, 5, 1) == 16);
}

/* R: mad(c(1,1,2,2,4,6,9)) gives 1.4826. */
static void mad_is_scaled(void **state)
{
    const double values[] = {1, 1, 2, 2, 4, 6, 9}, one[] = {3};
    assert_close(ert_stats_mad(values, 7), 1.4826, 1e-12);
    assert_true(ert_stats_mad(one, 1) == 0);
}

static void the_input_stays_as_it_was(void **state)
{
    double values[] = {3, 1, 2};
    ert_stats_median(values, 3);
    assert_true(values[0] == 3 && values[1] == 1 && values[2] == 2);
}

/* Ranks by hand: r = 1 for 19 samples (18/20 = 90 %), r = 2 for 39, r = 5 for 101. */
static void interval_promises_ninety_percent(void **state)
{
    double values[101], low, high;
    for (int i = 0; i <= 100; i++)
        values[i] = 101 - i;
    ert_stats_interval(values, 101, &low, &high);
    assert_true(low == 5 && high == 97);
    ert_stats_interval(values, 39, &low, &high);
    assert_true(low == 64 && high == 100);
    ert_stats_interval(values, 38, &low, &high);
    assert_true(low == 64 && high == 101);
    ert_stats_interval(values, 1, &low, &high);
    assert_true(low == 101 && high == 101);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(median_of_odd_and_even),
        cmocka_unit_test(quantiles_are_type_seven),
        cmocka_unit_test(mad_is_scaled),
        cmocka_unit_test(the_input_stays_as_it_was),
        cmocka_unit_test(interval_promises_ninety_percent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
