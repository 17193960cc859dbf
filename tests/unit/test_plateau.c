/* SPDX-License-Identifier: BSD-3-Clause */
/* plateau: planted curves, and the curves that are known to fool ERT 1.1.0. */
#include "tests/unit/test.h"

#include "ert/core/base/random.h"
#include "ert/core/stats/plateau.h"

enum { MAX = 16 };

/* Sizes of 3 points per octave from 4 KiB on. */
static void make_sizes(double *sizes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sizes[i] = 4096 * exp2((double)i / 3);
}

static void three_steps(void **state)
{
    double sizes[30], rates[30];
    struct ert_plateau found[MAX];
    make_sizes(sizes, 30);
    for (int i = 0; i < 30; i++)
        rates[i] = (i < 10   ? 400
                    : i < 20 ? 200
                             : 30) *
                   (1 + 0.01 * ert_random_unit(1, (uint64_t)i));
    assert_int_equal(ert_plateau_find(sizes, rates, 30, 0.01, found, MAX), 3);
    assert_int_equal(found[0].first, 0);
    assert_int_equal(found[0].last, 9);
    assert_int_equal(found[1].first, 10);
    assert_int_equal(found[1].last, 19);
    assert_int_equal(found[2].first, 20);
    assert_int_equal(found[2].last, 29);
    assert_close(found[0].rate, 402, 0.01);
    assert_close(found[2].rate, 30.15, 0.01);
}

/* One sample 8 % too fast moved ERT's L1 from 400 to 431. */
static void a_spike_changes_nothing(void **state)
{
    double sizes[20], rates[20];
    struct ert_plateau found[MAX];
    make_sizes(sizes, 20);
    for (int i = 0; i < 20; i++)
        rates[i] = i < 10 ? 400 : 100;
    rates[4] *= 1.08;
    assert_int_equal(ert_plateau_find(sizes, rates, 20, 0.01, found, MAX), 2);
    assert_true(found[0].rate == 400);
    assert_int_equal(found[0].first, 0);
    assert_int_equal(found[0].last, 9);
}

/* L3 = 24 and DRAM = 20 came out of ERT as one "DRAM 22.0". */
static void close_levels_stay_apart(void **state)
{
    double sizes[20], rates[20];
    struct ert_plateau found[MAX];
    make_sizes(sizes, 20);
    for (int i = 0; i < 20; i++)
        rates[i] = i < 10 ? 24 : 20;
    assert_int_equal(ert_plateau_find(sizes, rates, 20, 0.01, found, MAX), 2);
    assert_true(found[0].rate == 24);
    assert_true(found[1].rate == 20);
}

/* A smooth roll-off has no plateau, wherever it is cut. */
static void a_slope_is_no_plateau(void **state)
{
    double sizes[24], rates[24];
    struct ert_plateau found[MAX];
    make_sizes(sizes, 24);
    for (int i = 0; i < 24; i++)
        rates[i] = 1000 * exp2(-i / 6.0);
    assert_int_equal(ert_plateau_find(sizes, rates, 24, 0.01, found, MAX), 0);
}

static void the_way_between_two_levels_is_not_part_of_them(void **state)
{
    double sizes[24], rates[24];
    struct ert_plateau found[MAX];
    make_sizes(sizes, 24);
    for (int i = 0; i < 24; i++)
        rates[i] = i < 10 ? 400 : 100;
    rates[10] = 300;
    rates[11] = 200;
    assert_int_equal(ert_plateau_find(sizes, rates, 24, 0.01, found, MAX), 2);
    assert_int_equal(found[0].last, 9);
    assert_int_equal(found[1].first, 12);
}

/* 8 % of noise on each rate: a quiet curve's tolerances would cut it to pieces. */
static void a_noisy_curve_keeps_its_plateaus(void **state)
{
    double sizes[30], rates[30];
    struct ert_plateau found[MAX];
    make_sizes(sizes, 30);
    for (int i = 0; i < 30; i++)
        rates[i] =
            (i < 15 ? 400 : 150) * (1 + 0.16 * (ert_random_unit(3, (uint64_t)i) - 0.5));
    assert_int_equal(ert_plateau_find(sizes, rates, 30, 0.05, found, MAX), 2);
    assert_close(found[0].rate, 400, 0.03);
    assert_close(found[1].rate, 150, 0.03);
}

static void few_points_have_none(void **state)
{
    double sizes[3], rates[3] = {5, 5, 5};
    struct ert_plateau found[MAX];
    make_sizes(sizes, 3);
    assert_int_equal(ert_plateau_find(sizes, rates, 0, 0.01, found, MAX), 0);
    assert_int_equal(ert_plateau_find(sizes, rates, 2, 0.01, found, MAX), 0);
    assert_int_equal(ert_plateau_find(sizes, rates, 3, 0.01, found, MAX),
                     0); /* 2/3 of an octave */
    sizes[2] = 4 * sizes[0];
    assert_int_equal(ert_plateau_find(sizes, rates, 3, 0.01, found, MAX), 1);
}

/* Nor has a curve with a rate that no logarithm has: it was read from memory that nobody wrote. */
static void rates_of_zero_have_none(void **state)
{
    static const double bad[] = {0, -1, NAN, INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        double sizes[12], rates[12];
        struct ert_plateau found[MAX];
        make_sizes(sizes, 12);
        for (int k = 0; k < 12; k++)
            rates[k] = 100;
        assert_int_equal(ert_plateau_find(sizes, rates, 12, 0.01, found, MAX), 1);
        rates[11] = bad[i];
        assert_int_equal(ert_plateau_find(sizes, rates, 12, 0.01, found, MAX), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_steps),
        cmocka_unit_test(a_spike_changes_nothing),
        cmocka_unit_test(close_levels_stay_apart),
        cmocka_unit_test(a_slope_is_no_plateau),
        cmocka_unit_test(the_way_between_two_levels_is_not_part_of_them),
        cmocka_unit_test(a_noisy_curve_keeps_its_plateaus),
        cmocka_unit_test(few_points_have_none),
        cmocka_unit_test(rates_of_zero_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
