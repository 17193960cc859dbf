/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * bands: levels as LBNL ERT 1.1.0 derives them. The expected numbers are what its own Scripts/summary.py
 * printed for the same curve: with the factor of its C++ sources and with that of its C sources.
 */
#include "tests/unit/test.h"

#include "ert/ext/ert110/ert110.h"

#include <math.h>

enum { MOST = 256 };
static double sets[MOST], rates[MOST];

/* Three caches and a memory close to the last; sets of `ramp` elements get half of the rate; a ripple. */
static size_t make_curve(double ramp, double ripple)
{
    size_t i = 0;
    for (uint64_t n = 1; n * 8 <= UINT64_C(1) << 30; i++) {
        double set = 8.0 * (double)n;
        double base = set <= 49152 ? 400 : set <= 2097152 ? 200 : set <= 3e8 ? 90 : 78;
        sets[i] = set;
        rates[i] = base * ((double)n / ((double)n + ramp)) * (1 + ripple * sin((double)i));
        uint64_t next = (uint64_t)(1.1 * (double)n);
        n = next > n ? next : n + 1;
    }
    return i;
}

static void levels_are_ert_s(void **state)
{
    static const double cxx[] = {399.07, 199.61, 90.02, 77.97},
                        c[] = {399.07, 199.61, 87.46};
    double bands[ERT_MAX_BANDS];
    size_t n = make_curve(50, 0.01);
    assert_int_equal(n, 187);
    assert_int_equal(ert_bands_of(rates, n, 1.15, bands), 4);
    for (size_t i = 0; i < 4; i++)
        assert_true(fabs(bands[i] - cxx[i]) < 0.006);
    assert_int_equal(ert_bands_of(rates, n, 1.25, bands), 3);
    for (size_t i = 0; i < 3; i++)
        assert_true(fabs(bands[i] - c[i]) < 0.006);
    assert_true(fabs(ert_bands_weight(sets, rates, n) - 3212.60) < 0.006);
}

/* The fastest set is an early one: it weighs as much as a thousand of the plateau. */
static void the_first_level_leans_to_the_fastest_set(void **state)
{
    static const double expected[] = {415.24, 200.12, 90.10, 77.87};
    double bands[ERT_MAX_BANDS];
    size_t n = make_curve(0, 0.04), n_expected = sizeof expected / sizeof expected[0];
    assert_int_equal(ert_bands_of(rates, n, 1.15, bands), n_expected);
    for (size_t i = 0; i < n_expected; i++)
        assert_true(fabs(bands[i] - expected[i]) < 0.006);
}

static void short_curves(void **state)
{
    static const double flat[] = {7, 7, 7, 7, 7, 7, 7, 7}, three[] = {3, 2, 1};
    double bands[ERT_MAX_BANDS];
    assert_int_equal(ert_bands_of(flat, 0, 1.15, bands), 0);
    assert_int_equal(ert_bands_of(flat, 1, 1.15, bands), 1);
    assert_close(bands[0], 7, 1e-12);
    assert_int_equal(ert_bands_of(flat, 8, 1.15, bands), 1);
    assert_close(bands[0], 7, 1e-12);
    /* too few sets for a level of their own: the fastest alone */
    assert_int_equal(ert_bands_of(three, 3, 1.15, bands), 1);
    assert_close(bands[0], 3, 1e-12);
    assert_true(ert_bands_weight(sets, three, 1) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_are_ert_s),
        cmocka_unit_test(the_first_level_leans_to_the_fastest_set),
        cmocka_unit_test(short_curves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
