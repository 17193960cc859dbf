/* SPDX-License-Identifier: BSD-3-Clause */
/* outliers: medians, spreads and limits by hand; false alarms and finds of generated columns. */
#include "tests/unit/test.h"

#include "ert/core/base/random.h"
#include "ert/ext/fleet/outliers.h"

enum { MOST = 2000 };

static struct ert_outliers_node nodes[MOST];

static void fill(const double *values, size_t n, uint32_t times)
{
    for (size_t i = 0; i < n; i++)
        nodes[i] =
            (struct ert_outliers_node){.value = values[i], .best = values[i], .n = times};
}

/* Median 100; deviations 0 1 1 2 2 3 40 %, their median 2 %: spread 2.9652 %. */
static void median_and_spread_are_known(void **state)
{
    const double values[] = {100, 101, 99, 102, 98, 103, 60};
    fill(values, 7, 3);
    struct ert_outliers about = ert_outliers_judge(nodes, 7, ERT_BETTER_HIGH, 1e-3);
    assert_true(about.median == 100 && about.n == 7);
    assert_close(about.spread, 0.029652, 1e-12);
    assert_close(nodes[6].change, -0.4, 1e-12);
    /* z: 0.4 / (0.029652 * sqrt(1 + pi / 14)) */
    assert_close(nodes[6].z, 0.4 / (0.029652 * sqrt(1 + M_PI / 14)), 1e-9);
    assert_int_equal(nodes[6].verdict, ERT_OUTLIER_SLOW);
    for (int i = 0; i < 6; i++)
        assert_int_equal(nodes[i].verdict, ERT_OUTLIER_NONE);
}

static void times_are_slow_when_long(void **state)
{
    const double values[] = {100, 101, 99, 100.5, 99.5, 200, 50};
    fill(values, 7, 3);
    ert_outliers_judge(nodes, 7, ERT_BETTER_LOW, 1e-3);
    assert_close(nodes[5].change, -0.5, 1e-12);
    assert_int_equal(nodes[5].verdict, ERT_OUTLIER_SLOW);
    assert_int_equal(nodes[6].verdict, ERT_OUTLIER_FAST);
}

/* Tables of the normal distribution and of Student's: t(0.001, 10) = 4.1437, 27.2 nodes. */
static void quantiles_are_those_of_tables(void **state)
{
    assert_close(ert_outliers_quantile(1e-7, 1000000), 5.199338, 1e-6);
    assert_close(ert_outliers_quantile(0.00134989803, 10000), 3, 1e-6);
    assert_close(ert_outliers_quantile(0.001, 27), 4.1437, 5e-3);
}

/* Of 1 and 1000 1000: the sums with 60 digits. */
static void events_are_those_of_poisson(void **state)
{
    assert_true(ert_outliers_poisson(0, 5) == 1);
    assert_true(ert_outliers_poisson(3, 0) == 0);
    assert_close(ert_outliers_poisson(3, 1), 0.08030139707139420, 1e-14);
    assert_close(ert_outliers_poisson(1, 0.001), 9.995001666250083e-4, 1e-14);
    assert_close(ert_outliers_poisson(1100, 1000), 0.0009626304058665572, 1e-12);
    assert_close(ert_outliers_poisson(900, 1000), 0.9993774022157249, 1e-12);
    assert_true(ert_outliers_poisson(1, 1e6) == 1);
    assert_true(ert_outliers_poisson(2000000, 1e6) == 0);
}

/* The spread is 1.4826 %, the noise 0.6 %: what is between nodes is the root of their squares' difference. */
static void repeats_shrink_the_noise_only(void **state)
{
    enum { N = 2001 };
    static struct ert_outliers_node many[N];
    for (size_t i = 0; i < N; i++) {
        double value = 100 + (double)((int)(i % 3) - 1) * (i < N - 1 ? 1 : 0);
        many[i] = (struct ert_outliers_node){value, value, 0.006, 0, 4, 0, 0, 0, 0, 0};
    }
    struct ert_outliers about = ert_outliers_judge(many, N, ERT_BETTER_HIGH, 1e-3);
    double between = 0.014826 * 0.014826 - 0.006 * 0.006;
    double centre = M_PI_2 / N * 0.014826 * 0.014826;
    assert_close(about.spread, 0.014826, 1e-9);
    double quantile = ert_outliers_quantile(1e-3, N);
    assert_close(many[0].limit, quantile * sqrt(between + 0.006 * 0.006 / 4 + centre),
                 1e-9);
    assert_close(about.limit, quantile * sqrt(between + 0.006 * 0.006 + centre), 1e-9);
}

static void what_does_not_repeat_is_not_slow(void **state)
{
    double values[20];
    for (int i = 0; i < 20; i++)
        values[i] = 100 + 0.1 * (i - 10);
    values[3] = values[4] = values[5] = 90;
    fill(values, 20, 3);
    nodes[3].best = 100; /* 80 and 100 */
    nodes[4].best = 91;
    nodes[5].n = 1;
    nodes[6].value = nodes[6].best = 90;
    nodes[6].n = 2;
    ert_outliers_judge(nodes, 20, ERT_BETTER_HIGH, 1e-4);
    assert_int_equal(nodes[6].verdict, ERT_OUTLIER_SUSPECT);
    assert_int_equal(nodes[3].verdict, ERT_OUTLIER_TRANSIENT);
    assert_int_equal(nodes[4].verdict, ERT_OUTLIER_SLOW);
    assert_int_equal(nodes[5].verdict, ERT_OUTLIER_SUSPECT);
}

static void the_floor_is_what_can_be_shown(void **state)
{
    double values[100];
    for (int i = 0; i < 100; i++)
        values[i] = 100 + 0.001 * (i - 50);
    values[1] = 98.1;
    values[2] = values[3] = 97.9;
    fill(values, 100, 3);
    nodes[3].detectable = 0.03;
    ert_outliers_judge(nodes, 100, ERT_BETTER_HIGH, 1e-4);
    assert_int_equal(nodes[1].verdict, ERT_OUTLIER_NONE);
    assert_int_equal(nodes[2].verdict, ERT_OUTLIER_SLOW);
    assert_int_equal(nodes[3].verdict, ERT_OUTLIER_NONE);
}

static void few_nodes_have_a_limit_that_is_said(void **state)
{
    const double values[] = {100, 101, 99, 30}, two[] = {100, 30};
    fill(values, 4, 3);
    struct ert_outliers about = ert_outliers_judge(nodes, 4, ERT_BETTER_HIGH, 1e-3);
    assert_close(about.limit, ERT_OUTLIERS_SOUND, 1e-12);
    assert_int_equal(nodes[3].verdict, ERT_OUTLIER_SLOW);
    assert_int_equal(nodes[2].verdict, ERT_OUTLIER_NONE);
    fill(two, 2, 2);
    about = ert_outliers_judge(nodes, 2, ERT_BETTER_HIGH, 1e-3);
    assert_true(about.limit == 1);
    assert_int_equal(nodes[1].verdict, ERT_OUTLIER_NONE);
    about = ert_outliers_judge(nodes, 0, ERT_BETTER_HIGH, 1e-3);
    assert_true(about.n == 0 && about.limit == 1);
}

/* Two firmwares, one 5 % slower: each has its median; of three nodes there is none. */
static void parts_have_their_own_median(void **state)
{
    double values[43];
    for (int i = 0; i < 43; i++)
        values[i] = 100 + 0.1 * (i % 5 - 2);
    for (int i = 30; i < 43; i++)
        values[i] -= 5;
    fill(values, 43, 3);
    for (uint32_t i = 30; i < 43; i++)
        nodes[i].part = i < 40 ? 1 : 2;
    ert_outliers_judge(nodes, 43, ERT_BETTER_HIGH, 1e-3);
    for (int i = 0; i < 43; i++)
        assert_int_equal(nodes[i].verdict, i < 40 ? ERT_OUTLIER_NONE : ERT_OUTLIER_SLOW);
}

/* Box and Muller, "A Note on the Generation of Random Normal Deviates", 1958. */
static double normal(uint64_t seed, uint64_t index)
{
    double radius = sqrt(-2 * log(1 - ert_random_unit(seed, 2 * index)));
    return radius * cos(2 * M_PI * ert_random_unit(seed, 2 * index + 1));
}

/* Of small groups the chance is kept, too: at most twice 1 in 1000, over 200,000 nodes. */
static void sound_nodes_are_called_slow_as_rarely_as_promised(void **state)
{
    static const size_t sizes[] = {3, 4, 5, 6, 8, 12, 20, 50, 200};
    uint64_t index = 0;
    for (size_t s = 0; s < ERT_LENGTH(sizes); s++) {
        size_t n_slow = 0, n_all = 0;
        while (n_all < 200000) {
            for (size_t i = 0; i < sizes[s]; i++) {
                double value = 100 * (1 + 0.01 * normal(7, index++));
                nodes[i] =
                    (struct ert_outliers_node){.value = value, .best = value, .n = 3};
            }
            ert_outliers_judge(nodes, sizes[s], ERT_BETTER_HIGH, 1e-3);
            for (size_t i = 0; i < sizes[s]; i++)
                n_slow += nodes[i].verdict == ERT_OUTLIER_SLOW;
            n_all += sizes[s];
        }
        if (n_slow > 2 * n_all / 1000)
            fail_msg("%zu nodes: %zu of %zu", sizes[s], n_slow, n_all);
    }
}

/* Student's t with 5 degrees of freedom, as a normal one over the root of a mean of five squares. */
static double t5(uint64_t seed, uint64_t index)
{
    double squares = 0;
    for (uint64_t i = 1; i <= 5; i++)
        squares += normal(seed, 6 * index + i) * normal(seed, 6 * index + i);
    return normal(seed, 6 * index) / sqrt(squares / 5);
}

static void a_heavy_side_is_called_a_tail(void **state)
{
    size_t heavy[2] = {0};
    for (uint64_t column = 0; column < 40; column++)
        for (int is_heavy = 0; is_heavy < 2; is_heavy++) {
            for (uint64_t i = 0; i < MOST; i++) {
                uint64_t index = column * MOST + i;
                double value =
                    100 * (1 + 0.005 * (is_heavy ? t5(3, index) : normal(5, index)));
                nodes[i] =
                    (struct ert_outliers_node){.value = value, .best = value, .n = 3};
            }
            /* Isolated bad nodes are no shoulder. */
            for (int i = 0; i < 20; i++)
                nodes[i].value = nodes[i].best = 95;
            heavy[is_heavy] +=
                ert_outliers_judge(nodes, MOST, ERT_BETTER_HIGH, 1e-6).is_heavy;
            assert_int_equal(nodes[0].verdict,
                             is_heavy ? ERT_OUTLIER_TAIL : ERT_OUTLIER_SLOW);
        }
    assert_int_equal(heavy[0], 0);
    assert_int_equal(heavy[1], 40);
}

/* One node 1 % slow is no shoulder, and no tail of sound nodes is longer than sound GPUs differ. */
static void a_tail_excuses_no_node_that_is_half_as_fast(void **state)
{
    double values[60] = {100, 100.2, 99.8, 100.1, 98.85, 50};
    fill(values, 6, 3);
    assert_false(ert_outliers_judge(nodes, 6, ERT_BETTER_HIGH, 1e-6).is_heavy);
    assert_int_equal(nodes[5].verdict, ERT_OUTLIER_SLOW);
    for (int i = 0; i < 60; i++)
        values[i] = i < 6 ? 50 : i < 9 ? 98.7 : 100 + 0.1 * (i % 9 - 4);
    fill(values, 60, 3);
    struct ert_outliers about = ert_outliers_judge(nodes, 60, ERT_BETTER_HIGH, 1e-6);
    assert_true(about.is_heavy && about.tail_limit == ERT_OUTLIERS_SOUND);
    assert_int_equal(nodes[0].verdict, ERT_OUTLIER_SLOW);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(median_and_spread_are_known),
        cmocka_unit_test(times_are_slow_when_long),
        cmocka_unit_test(quantiles_are_those_of_tables),
        cmocka_unit_test(events_are_those_of_poisson),
        cmocka_unit_test(repeats_shrink_the_noise_only),
        cmocka_unit_test(what_does_not_repeat_is_not_slow),
        cmocka_unit_test(the_floor_is_what_can_be_shown),
        cmocka_unit_test(few_nodes_have_a_limit_that_is_said),
        cmocka_unit_test(parts_have_their_own_median),
        cmocka_unit_test(sound_nodes_are_called_slow_as_rarely_as_promised),
        cmocka_unit_test(a_heavy_side_is_called_a_tail),
        cmocka_unit_test(a_tail_excuses_no_node_that_is_half_as_fast),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
