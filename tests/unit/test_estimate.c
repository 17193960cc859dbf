/* SPDX-License-Identifier: BSD-3-Clause */
/* estimate and differ: known answers, and error rates over simulated verdicts. */
#include "tests/unit/test.h"

#include "ert/core/base/random.h"
#include "ert/core/stats/differ.h"

#include <math.h>

static void the_fastest_alone_does_not_count(void **state)
{
    const double values[] = {5, 1, 100, 4, 3};
    double many[20];
    for (int i = 0; i < 20; i++)
        many[i] = 20 - i;
    assert_true(ert_estimate_of(values, 5, ERT_BETTER_HIGH) == 5);
    assert_true(ert_estimate_of(values, 5, ERT_BETTER_LOW) == 3);
    assert_true(ert_estimate_of(values, 1, ERT_BETTER_HIGH) == 5);
    assert_true(ert_estimate_of(values, 2, ERT_BETTER_HIGH) == 1);
    assert_true(ert_estimate_of(values, 2, ERT_BETTER_LOW) == 5);
    assert_true(ert_estimate_of(many, 20, ERT_BETTER_HIGH) ==
                15); /* three quarters are not above */
    assert_true(ert_estimate_of(many, 20, ERT_BETTER_LOW) == 6);
    assert_true(isnan(ert_estimate_of(values, 0, ERT_BETTER_HIGH)));
    assert_true(values[2] == 100); /* the input stays as it was */
}

/*
 * By hand: of three samples 1, 2, 3 the second is the estimate. Drawn three times with putting back,
 * the second smallest is 1 in 7 of 27, 2 in 13, 3 in 7 cases: 90 % reach from 1 to 3.
 */
static void the_bootstrap_is_exact(void **state)
{
    const double values[] = {3, 1, 2};
    struct ert_estimate estimate = ert_estimate_make(values, 3, ERT_BETTER_HIGH);
    assert_true(estimate.value == 2 && estimate.low == 1 && estimate.high == 3);
    assert_close(estimate.error, 1 / 3.29, 1e-12);
    estimate = ert_estimate_make(values, 3, ERT_BETTER_LOW);
    assert_true(estimate.value == 2 && estimate.low == 1 && estimate.high == 3);
    estimate = ert_estimate_make(values, 1, ERT_BETTER_HIGH);
    assert_true(estimate.value == 3 && estimate.low == 3 && estimate.high == 3);
    assert_true(estimate.error == 0);
}

/* Of 1, 2, 3, 4 three are drawn in four ways; their second smallest is 2, 2, 3, 3. */
static void fewer_of_many(void **state)
{
    const double values[] = {4, 1, 3, 2};
    assert_close(ert_estimate_of_fewer(values, 4, 3, ERT_BETTER_HIGH), 2.5, 1e-12);
    assert_close(ert_estimate_of_fewer(values, 4, 4, ERT_BETTER_HIGH), 3, 1e-12);
    assert_close(ert_estimate_of_fewer(values, 4, 1, ERT_BETTER_HIGH), 2.5, 1e-12);
    assert_close(ert_estimate_of_fewer(values, 4, 2, ERT_BETTER_LOW), 10. / 3, 1e-12);
}

static void drift_is_between_halves(void **state)
{
    const double values[] = {1, 1, 1, 9, 2, 2, 2};
    struct ert_drift drift;
    assert_false(ert_drift_of(values, 5, ERT_BETTER_HIGH, &drift));
    assert_true(ert_drift_of(values, 7, ERT_BETTER_HIGH, &drift));
    assert_close(drift.drift, log(2), 1e-12);
    assert_true(drift.halves == 0);
    /* one drift of ln 1.1 at no scatter: ln(1.1)^2 / 0.455 / 2 is the variance of a run */
    const struct ert_drift drifts[] = {
        {log(1.1), 0, 0},
        {log(0.9), 0, 0},
        {5,        0, 0},
        {-0.001,   0, 0},
        {0.1,      0, 0}
    };
    assert_close(ert_differ_between(drifts, 1), log(1.1) / sqrt(2 * 0.455), 1e-12);
    assert_close(ert_differ_between(drifts, 5), 0.1 / sqrt(2 * 0.455), 1e-12);
    const struct ert_drift quiet = {0.001, 0.05, 0.02};
    assert_close(ert_differ_between(&quiet, 1), 0.02, 1e-12);
    assert_close(ert_differ_between(&quiet, 0), ERT_DIFFER_LEAST_BETWEEN, 1e-12);
    /* three runs of 3 % where the device's ceilings have 1 %: (2 * 9 + 4 * 1) / 6 */
    assert_close(ert_differ_between_runs(0.03, 3, 0.01), 0.01 * sqrt(22. / 6), 1e-12);
}

/* Abramowitz and Stegun, table 26.10. */
static void student_is_as_in_tables(void **state)
{
    assert_close(ert_differ_student(0.05, 1), 6.3137515, 1e-7);
    assert_close(ert_differ_student(0.025, 10), 2.2281389, 1e-7);
    assert_close(ert_differ_student(0.0005, 5), 6.8688266, 1e-7);
    assert_close(ert_differ_student(1e-5, 20), 5.54284, 1e-6);
    assert_close(ert_differ_student(0.01, 1e6), 2.3263479, 1e-5);
    assert_close(ert_differ_student_above(0, 7), 0.5, 1e-12);
    assert_close(ert_differ_student_above(-2.2281389, 10), 0.975, 1e-7);
}

static struct ert_differ values(double a, double b, double error, double margin,
                                enum ert_better better)
{
    const struct ert_differ_side then = {.value = a, .error = error, .n_samples = 2000},
                                 now = {.value = b, .error = error, .n_samples = 2000};
    return ert_differ(&then, &now, better, margin);
}

static void verdicts_by_hand(void **state)
{
    static const struct {
        double now, error, margin;
        enum ert_better better;
        enum ert_differ_verdict verdict;
    } rows[] = {
        {100,  1e-3, 0.01, ERT_BETTER_HIGH, ERT_DIFFER_SAME       },
        {99.6, 1e-3, 0.01, ERT_BETTER_HIGH, ERT_DIFFER_SAME       },
        {99.2, 1e-3, 0.01, ERT_BETTER_HIGH, ERT_DIFFER_SAME       },
 /* likely, but not shown */
        {98.8, 2e-3, 0,    ERT_BETTER_HIGH, ERT_DIFFER_CANNOT_TELL},
        {98.5, 1e-3, 0.01, ERT_BETTER_HIGH, ERT_DIFFER_SLOWER     },
        {98.5, 1e-3, 0.03, ERT_BETTER_HIGH, ERT_DIFFER_SAME       },
        {98.5, 1e-3, 0.01, ERT_BETTER_LOW,  ERT_DIFFER_FASTER     },
        {102,  1e-3, 0.01, ERT_BETTER_LOW,  ERT_DIFFER_SLOWER     },
        {102,  1e-3, 0.01, ERT_BETTER_HIGH, ERT_DIFFER_FASTER     },
        {101,  1e-3, 0.02, ERT_BETTER_HIGH, ERT_DIFFER_SAME       },
 /* -61 %, and numbers that know nothing */
        {39,   0.2,  0.01, ERT_BETTER_HIGH, ERT_DIFFER_CANNOT_TELL},
        {39,   0.05, 0.01, ERT_BETTER_HIGH, ERT_DIFFER_SLOWER     },
 /* nothing that falls well makes up for too wide an error */
        {110,  0.1,  0.01, ERT_BETTER_HIGH, ERT_DIFFER_CANNOT_TELL},
        {100,  1e-3, 0,    ERT_BETTER_HIGH, ERT_DIFFER_SAME       },
        {0,    1e-3, 0.01, ERT_BETTER_HIGH, ERT_DIFFER_CANNOT_TELL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ert_differ differ =
            values(100, rows[i].now, rows[i].error, rows[i].margin, rows[i].better);
        if (differ.verdict != rows[i].verdict)
            fail_msg("row %zu: %d, must be %d", i, differ.verdict, rows[i].verdict);
    }
    /* error 0.2 % and between runs 0.14 %: 4.27 and 1.64 of 0.245 % are found with 95 % */
    struct ert_differ differ = values(100, 98, M_SQRT2 * 1e-3, 0.001, ERT_BETTER_HIGH);
    assert_close(differ.change, -0.02, 1e-12);
    assert_close(differ.error, sqrt(4e-6 + 2e-6), 1e-9);
    assert_close(differ.detectable, 1 - exp(-(4.2649 + 1.6449) * differ.error), 0.01);
    /* error 5 %: 2.33 times 7.1 excludes 15 %, which is enough on a virtual machine only */
    struct ert_differ_side side = {.value = 100, .error = 0.05, .n_samples = 2000};
    differ = ert_differ(&side, &side, ERT_BETTER_HIGH, 0.01);
    assert_int_equal(differ.verdict, ERT_DIFFER_CANNOT_TELL);
    assert_close(differ.excluded, 0.152, 0.01);
    side.excluded = ERT_DIFFER_EXCLUDED_SHARED;
    differ = ert_differ(&side, &side, ERT_BETTER_HIGH, 0.01);
    assert_int_equal(differ.verdict, ERT_DIFFER_SAME);
}

/* Whatever of a side is not a number, or infinite, there is no verdict. */
static void what_is_not_finite_shows_nothing(void **state)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY, 0, -1};
    double rounds[] = {100, 101, 99, 100, 100.5, 99.5, 100, 101};
    const size_t n = sizeof rounds / sizeof rounds[0];
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        for (int side = 0; side < 2; side++)
            for (int member = 0; member < 4; member++) {
                struct ert_differ_side sides[2] = {
                    {.rounds = rounds, .n = n},
                    {.rounds = rounds, .n = n}
                };
                double all[8];
                if (bad[i] <= 0 && member > 1)
                    continue; /* an error and a difference of 0 are numbers */
                for (size_t k = 0; k < n; k++)
                    all[k] = bad[i];
                sides[side].n = member == 0 ? n : 0;
                sides[side].rounds = all;
                sides[side].value = member == 1 ? bad[i] : 100;
                sides[side].error = member == 2 ? bad[i] : 0.01;
                sides[side].between = member == 3 ? bad[i] : 0.001;
                struct ert_differ differ =
                    ert_differ(&sides[0], &sides[1], ERT_BETTER_HIGH, 0.05);
                assert_int_equal(differ.verdict, ERT_DIFFER_CANNOT_TELL);
                assert_true(differ.detectable == 1 && differ.change == 0);
            }
}

static void few_rounds_show_nothing(void **state)
{
    static const double once[] = {54.4},
                        often[] = {54.9, 51.4, 54.8, 51.5, 51.4, 51.6, 51.4};
    const struct ert_differ_side one = {.rounds = once, .n = 1, .between = 1e-3},
                                 few = {.rounds = often + 4, .n = 3, .between = 1e-3},
                                 many = {.rounds = often, .n = 7, .between = 1e-3};
    const struct ert_differ_side *const pairs[][2] = {
        {&one,  &many},
        {&many, &one },
        {&one,  &one },
        {&few,  &many},
        {&many, &few }
    };
    for (int i = 0; i < 5; i++) {
        struct ert_differ differ =
            ert_differ(pairs[i][0], pairs[i][1], ERT_BETTER_HIGH, 0.01);
        assert_int_equal(differ.verdict, ERT_DIFFER_CANNOT_TELL);
        assert_close(differ.detectable, 1, 0);
    }
}

/* Uniform noise and 10 % of samples 40 % too slow, of a machine slower by a share. */
struct machine {
    uint64_t n;
    double noise, slower;
};

static void take(struct machine *machine, double *rates, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double noise = machine->noise * (2 * ert_random_unit(11, machine->n) - 1);
        bool outlier = ert_random_unit(11, machine->n + 1) < 0.1;
        machine->n += 2;
        rates[i] = (1 - machine->slower) / (1 + noise) / (outlier ? 1.4 : 1);
    }
}

/* Returns how many were called the same though they are slower by more than that excludes. */
static int count(double noise, double slower, int n_verdicts, int counts[ERT_N_DIFFER])
{
    enum { THEN = 17, NOW = 25 };
    struct machine machine = {.noise = noise};
    int n_wrong = 0;
    for (int i = 0; i < ERT_N_DIFFER; i++)
        counts[i] = 0;
    for (int i = 0; i < n_verdicts; i++) {
        double then[THEN], now[NOW];
        machine.slower = 0;
        take(&machine, then, THEN);
        machine.slower = slower;
        take(&machine, now, NOW);
        const struct ert_differ_side a = {.rounds = then, .n = THEN},
                                     b = {.rounds = now, .n = NOW};
        const struct ert_differ differ = ert_differ(&a, &b, ERT_BETTER_HIGH, 0.01);
        counts[differ.verdict]++;
        n_wrong += differ.verdict == ERT_DIFFER_SAME && differ.excluded < slower;
    }
    return n_wrong;
}

/* The bounds are those of the header, and of the docs: 1 in 1000, and 95 %. */
static void error_rates_are_as_stated(void **state)
{
    int counts[ERT_N_DIFFER];
    count(0.002, 0, 5000, counts);
    assert_true(counts[ERT_DIFFER_SLOWER] + counts[ERT_DIFFER_FASTER] == 0);
    assert_true(counts[ERT_DIFFER_SAME] > 4900);
    count(0.01, 0, 10000, counts);
    assert_true(counts[ERT_DIFFER_SLOWER] <= 1 && counts[ERT_DIFFER_FASTER] <= 2);
    count(0.05, 0, 5000, counts);
    assert_true(counts[ERT_DIFFER_SLOWER] <= 5);
    count(0.002, 0.03, 2000, counts); /* a quiet GPU */
    assert_true(counts[ERT_DIFFER_SLOWER] >= 1900);
    count(0.01, 0.05, 2000, counts);
    assert_true(counts[ERT_DIFFER_SLOWER] >= 1990);
    for (double slower = 0.01; slower < 0.1; slower += 0.02)
        assert_true(count(0.01, slower, 2000, counts) <= 20);
    assert_true(count(0.03, 0.05, 2000, counts) <= 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fastest_alone_does_not_count),
        cmocka_unit_test(the_bootstrap_is_exact),
        cmocka_unit_test(fewer_of_many),
        cmocka_unit_test(drift_is_between_halves),
        cmocka_unit_test(student_is_as_in_tables),
        cmocka_unit_test(verdicts_by_hand),
        cmocka_unit_test(what_is_not_finite_shows_nothing),
        cmocka_unit_test(few_rounds_show_nothing),
        cmocka_unit_test(error_rates_are_as_stated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
