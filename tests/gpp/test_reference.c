/* SPDX-License-Identifier: BSD-3-Clause */
/* reference: one term of every branch by hand, and sums that do not depend on threads. */
#include "tests/unit/test.h"

#include "gpp/problem.h"

#include <omp.h>

static const struct gpp_sizes one = {1, 1, 1, 1};

/* A single term: W real or complex, E = 0.5, M = (2 - i)(3 + i) = 7 - i, vcoul 2, occ 0.5. */
static struct gpp_result single(double w, double wr, double wi)
{
    struct ert_error error;
    struct gpp_problem p;
    struct gpp_result reference;
    assert_int_equal(gpp_problem_generate(&one, 1, &p, &error), ERT_OK);
    p.wtilde[0] = wr;
    p.wtilde[1] = wi;
    p.eps[0] = 0.5;
    p.eps[1] = 0;
    p.aqsm[0] = 2;
    p.aqsm[1] = 1;
    p.aqsn[0] = 3;
    p.aqsn[1] = 1;
    p.wx[0] = w;
    p.vcoul[0] = 2;
    p.occ[0] = 0.5;
    assert_int_equal(gpp_reference_compute(&p, &reference, &error), ERT_OK);
    gpp_problem_free(&p);
    return reference;
}

static void is(const double pair[2], double real, double imag)
{
    if (!(fabs(pair[0] - real) <= 1e-14 * fabs(real)) ||
        !(fabs(pair[1] - imag) <= 1e-14 * fabs(imag)))
        fail_msg("(%.17g, %.17g), expected (%.17g, %.17g)", pair[0], pair[1], real, imag);
}

static void branches_by_hand(void **state)
{
    /* w = 3, W = 1: b = 4, delw = 0.5; sch = 0.25, ssx = 0.5 / (9 - 1) = 0.0625. */
    struct gpp_result r = single(3, 1, 0);
    is(r.asx[0], 0.0625 * 7, -0.0625);
    is(r.ach[0], 0.25 * 7, -0.25);
    /* w = 1.25, W = 1: b = 0.0625, delw = 4; ssx = -0.5 x 4 / (4 x 4.5) = -1 / 9. */
    r = single(1.25, 1, 0);
    is(r.asx[0], -7. / 9, 1. / 9);
    is(r.ach[0], 0, 0);
    /* w = 0.25, W = 1e-8: b < 0.25 and a = 1.6e-15: both 0. */
    r = single(0.25, 1e-8, 0);
    is(r.asx[0], 0, 0);
    is(r.ach[0], 0, 0);
    /* w = -1.125, W = 1: w^2 - W2 = 0.265625, |ssx| = 3.76 |E|: stays; at -1.0625 it is cut. */
    r = single(-1.125, 1, 0);
    is(r.asx[0], 0.5 / 0.265625 * 7, -0.5 / 0.265625);
    r = single(-1.0625, 1, 0);
    is(r.asx[0], 0, 0);
    is(r.ach[0], -0.5 / 2.0625 * 7, 0.5 / 2.0625);
    /* The same distance at w > 0 is not cut: branch 2 there, delw = 16. */
    r = single(1.0625, 1, 0);
    is(r.asx[0], -0.5 * 16 / (4 * 16.5) * 7, 0.5 * 16 / (4 * 16.5));
    /* W = i, w = 1: d = 1 - i, delw = i (1 + i) / 2 = (-1 + i) / 2; ssx = -0.5 / 2 = -0.25. */
    r = single(1, 0, 1);
    is(r.asx[0], -0.25 * 7, 0.25);
    is(r.ach[0], -0.25 * 7 + 0.25, 0.25 + 0.25 * 7);
}

static void huge_plasmons_take_branch_two(void **state)
{
    /* W = 512, w = 512.75: b = 0.5625 > 0.25, a = 466033 >= 250000; delw = 512 / 0.75. */
    struct gpp_result r = single(512.75, 512, 0);
    double delw = 512 / 0.75;
    is(r.ach[0], 0, 0);
    is(r.asx[0], -0.5 * delw / (4 * (delw + 0.5)) * 7, 0.5 * delw / (4 * (delw + 0.5)));
}

static void threads_do_not_change_it(void **state)
{
    struct ert_error error;
    struct gpp_problem p;
    struct gpp_result a, b;
    const struct gpp_sizes sizes = {29, 7, 53, 3};
    assert_int_equal(gpp_problem_generate(&sizes, 1, &p, &error), ERT_OK);
    omp_set_num_threads(1);
    assert_int_equal(gpp_reference_compute(&p, &a, &error), ERT_OK);
    omp_set_num_threads(3);
    assert_int_equal(gpp_reference_compute(&p, &b, &error), ERT_OK);
    assert_memory_equal(&a, &b, sizeof a);
    gpp_problem_free(&p);
}

/* Rows one by one add up to the whole. */
static void parts_add_up(void **state)
{
    struct ert_error error;
    struct gpp_problem p, part;
    struct gpp_result whole, some;
    struct gpp_result sum = {{{0}}, {{0}}};
    const struct gpp_sizes sizes = {11, 7, 13, 2};
    assert_int_equal(gpp_problem_generate(&sizes, 1, &p, &error), ERT_OK);
    assert_int_equal(gpp_reference_compute(&p, &whole, &error), ERT_OK);
    for (size_t first = 0; first < 2; first++) {
        size_t count = first == 0 ? 4 : 3;
        assert_int_equal(gpp_problem_rows(&p, first, 2, count, &part, &error), ERT_OK);
        assert_int_equal(gpp_reference_compute(&part, &some, &error), ERT_OK);
        for (size_t i = 0; i < 4; i++) {
            (&sum.asx[0][0])[i] += (&some.asx[0][0])[i];
            (&sum.ach[0][0])[i] += (&some.ach[0][0])[i];
        }
        gpp_problem_free(&part);
    }
    assert_true(gpp_result_error(&sum, &whole, 2) < 1e-13);
    gpp_problem_free(&p);
}

/* Inputs that are finite, and whose products are not. */
static void sums_that_are_not_finite_are_refused(void **state)
{
    struct ert_error error;
    struct gpp_problem p;
    struct gpp_result reference;
    const struct gpp_sizes sizes = {3, 2, 5, 2};
    assert_int_equal(gpp_problem_generate(&sizes, 1, &p, &error), ERT_OK);
    p.aqsn[0] = p.aqsm[0] = 1e200;
    assert_int_equal(gpp_reference_compute(&p, &reference, &error), ERT_USAGE);
    assert_non_null(strstr(error.text, "not finite"));
    gpp_problem_free(&p);
}

static void errors_are_the_largest(void **state)
{
    struct gpp_result a =
                          {
                              {{3, 4}, {1, 0}},
                              {{1, 1}, {0, 0}}
    },
                      b = a;
    assert_true(gpp_result_error(&a, &b, 2) == 0);
    a.asx[0][1] += 5e-3;
    assert_close(gpp_result_error(&a, &b, 2), 1e-3, 1e-9);
    a.ach[1][0] = 1e-300; /* a reference of 0 wants 0 */
    assert_true(isinf(gpp_result_error(&a, &b, 2)));
    assert_close(gpp_result_error(&a, &b, 1), 1e-3, 1e-9);
    a.asx[1][0] = NAN;
    assert_true(isnan(gpp_result_error(&a, &b, 2)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(branches_by_hand),
        cmocka_unit_test(huge_plasmons_take_branch_two),
        cmocka_unit_test(threads_do_not_change_it),
        cmocka_unit_test(parts_add_up),
        cmocka_unit_test(sums_that_are_not_finite_are_refused),
        cmocka_unit_test(errors_are_the_largest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
