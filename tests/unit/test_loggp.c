/* SPDX-License-Identifier: BSD-3-Clause */
/* loggp: parameters that are known come back from times made of them. */
#include "tests/unit/test.h"

#include "ert/net/loggp.h"

static const struct ert_loggp known = {1.2e-6, 0.3e-6, 0.45e-6, 4e-11, 0};

static size_t make(const struct ert_loggp *loggp, struct ert_loggp_point *points)
{
    static const double messages[] = {1, 7, 64}, sizes[] = {8, 1000, 65536, 4194304};
    size_t n = 0;
    for (size_t m = 0; m < ERT_LENGTH(messages); m++)
        for (size_t s = 0; s < ERT_LENGTH(sizes); s++)
            points[n++] = (struct ert_loggp_point){
                messages[m], sizes[s], ert_loggp_time(loggp, messages[m], sizes[s])};
    return n;
}

static void known_parameters_come_back(void **state)
{
    (void)state;
    struct ert_loggp_point points[12];
    struct ert_loggp found;
    assert_true(ert_loggp_fit(points, make(&known, points), known.overhead_s, &found));
    assert_close(found.latency_s, known.latency_s, 1e-6);
    assert_close(found.overhead_s, known.overhead_s, 0);
    assert_close(found.gap_s, known.gap_s, 1e-6);
    assert_close(found.gap_per_byte_s, known.gap_per_byte_s, 1e-6);
    assert_true(found.error < 1e-6);
}

/* By hand: 2 (1.2 + 0.6) + 63 * 0.45 us + 64 * 1000 * 40 ps = 3.6 + 28.35 + 2.56 us. */
static void the_model_is_the_papers(void **state)
{
    (void)state;
    assert_close(ert_loggp_time(&known, 64, 1000), 34.51e-6, 1e-12);
    assert_close(ert_loggp_time(&known, 1, 0), 3.6e-6, 1e-12);
}

/* Each time off by 3 % up or down, in turn: the parameters by no more than that, and the error says so. */
static void noise_stays_noise(void **state)
{
    (void)state;
    struct ert_loggp_point points[12];
    struct ert_loggp found;
    size_t n = make(&known, points);
    for (size_t i = 0; i < n; i++)
        points[i].time_s *= i % 2 ? 1.03 : 0.97;
    assert_true(ert_loggp_fit(points, n, known.overhead_s, &found));
    assert_close(found.gap_per_byte_s, known.gap_per_byte_s, 0.06);
    assert_close(found.gap_s, known.gap_s, 0.15);
    assert_true(found.error > 0.01 && found.error < 0.04);
}

/* A small message that takes no longer than the overhead twice: L comes out negative, and stays so. */
static void nothing_is_clamped(void **state)
{
    (void)state;
    struct ert_loggp_point points[12];
    struct ert_loggp found;
    assert_true(ert_loggp_fit(points, make(&known, points), 1e-6, &found));
    assert_close(found.latency_s, 1.8e-6 - 2e-6, 1e-4);
}

static void too_little_is_refused(void **state)
{
    (void)state;
    struct ert_loggp_point points[12];
    struct ert_loggp found;
    size_t n = make(&known, points);
    assert_false(ert_loggp_fit(points, 2, 0, &found));
    assert_false(ert_loggp_fit(points, 0, 0, &found));
    for (size_t i = 0; i < n; i++)
        points[i].messages = 1; /* g cannot be told */
    assert_false(ert_loggp_fit(points, n, 0, &found));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_parameters_come_back),
        cmocka_unit_test(the_model_is_the_papers),
        cmocka_unit_test(noise_stays_noise),
        cmocka_unit_test(nothing_is_clamped),
        cmocka_unit_test(too_little_is_refused),
    };
    return cmocka_run_group_tests_name("loggp", tests, NULL, NULL);
}
