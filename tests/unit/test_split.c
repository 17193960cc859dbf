/* SPDX-License-Identifier: BSD-3-Clause */
/* split: two groups are found, and one group is not cut. */
#include "tests/unit/test.h"

#include "ert/core/base/random.h"
#include "ert/ext/cuda/split.h"

enum { N = 2000 };

/* About normal, by the sum of twelve uniform numbers: mean and deviation as given. */
static uint32_t normal(uint64_t i, double mean, double deviation)
{
    double sum = -6;
    for (uint64_t k = 0; k < 12; k++)
        sum += ert_random_unit(42, 12 * i + k);
    return (uint32_t)(mean + deviation * sum);
}

static void two_partitions_are_told_apart(void **state)
{
    (void)state;
    uint32_t values[N];
    struct ert_split split;
    for (uint64_t i = 0; i < N; i++) /* near and far lines, mixed */
        values[i] = i % 5 < 2 ? normal(i, 210, 12) : normal(i, 300, 12);
    ert_split_values(values, N, &split);
    assert_true(split.has_two);
    assert_close(split.means[0], 210, 0.01);
    assert_close(split.means[1], 300, 0.01);
    assert_in_range(split.n[0], 795, 805);
    assert_int_equal(split.n[0] + split.n[1], N);
    assert_in_range(split.last_low, 240, 270);
    for (uint64_t i = 0; i < N; i++) /* hardly apart, as from an H200's SM 124 */
        values[i] = normal(i, i % 2 ? 267 : 300, 7.5);
    ert_split_values(values, N, &split);
    assert_true(split.has_two);
    assert_close(split.explained, 0.83, 0.02);
}

static void one_group_is_not_cut(void **state)
{
    (void)state;
    uint32_t values[N];
    struct ert_split split;
    for (uint64_t i = 0; i < N; i++)
        values[i] = normal(i, 250, 40);
    ert_split_values(values, N, &split);
    assert_false(split.has_two);
    assert_close(split.explained, 0.64, 0.05);
    for (uint64_t i = 0; i < N; i++)
        values[i] = (uint32_t)(200 + i % 100);
    ert_split_values(values, N, &split);
    assert_false(split.has_two);
    assert_close(split.explained, 0.75, 0.02);
}

/* A few slow lines are no partition; nor is a gap of a few per cent. */
static void outliers_and_small_gaps_are_no_groups(void **state)
{
    (void)state;
    uint32_t values[N];
    struct ert_split split;
    for (uint64_t i = 0; i < N; i++)
        values[i] = i % 50 == 0 ? 900 : normal(i, 250, 5);
    ert_split_values(values, N, &split);
    assert_false(split.has_two);
    assert_int_equal(split.n[1], N / 50);
    for (uint64_t i = 0; i < N; i++)
        values[i] = i % 2 ? 250 : 260;
    ert_split_values(values, N, &split);
    assert_false(split.has_two);
    assert_close(split.explained, 1, 1e-12);
}

static void few_values_are_one_group(void **state)
{
    (void)state;
    uint32_t values[] = {7, 7, 7};
    struct ert_split split;
    ert_split_values(values, 0, &split);
    assert_false(split.has_two);
    assert_int_equal(split.n[0] + split.n[1], 0);
    ert_split_values(values, 1, &split);
    assert_false(split.has_two);
    ert_split_values(values, 3, &split);
    assert_false(split.has_two);
    assert_close(split.means[0], 7, 0);
    assert_int_equal(split.n[0], 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_partitions_are_told_apart),
        cmocka_unit_test(one_group_is_not_cut),
        cmocka_unit_test(outliers_and_small_gaps_are_no_groups),
        cmocka_unit_test(few_values_are_one_group),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
