/* SPDX-License-Identifier: BSD-3-Clause */
/* cycle: every cycle visits every line once, whatever its length, and looks random. */
#include "tests/unit/test.h"

#include "ert/core/backend/cycle.h"

/* Fails unless the walk of n nodes visits each line of its windows once. */
static void assert_visits_all(uint64_t n, uint64_t window, uint64_t seed)
{
    const struct ert_cycle cycle = {n, window, seed};
    unsigned char *seen = calloc(n, 1);
    assert_non_null(seen);
    for (uint64_t k = 0; k < n; k++) {
        uint64_t line = ert_cycle_line(&cycle, k);
        assert_true(line < n);
        assert_int_equal(line / window, k / window);
        assert_int_equal(seen[line]++, 0);
    }
    free(seen);
}

static void every_line_is_visited_once(void **state)
{
    static const uint64_t sizes[] = {1, 2, 3, 4, 5, 16, 17, 1023, 1024, 1025, 70001};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (uint64_t seed = 0; seed < 4; seed++)
            assert_visits_all(sizes[i], sizes[i], 1000 * seed);
}

static void windows_are_visited_one_after_the_other(void **state)
{
    assert_visits_all(1000, 64, 7); /* the last window holds 40 lines */
    assert_visits_all(64, 64, 7);
    assert_visits_all(100, 1, 7);
}

static void walks_go_round(void **state)
{
    const struct ert_cycle cycle = {1001, 1001, 3};
    for (uint64_t k = 0; k < 1001; k++)
        assert_int_equal(ert_cycle_line(&cycle, k),
                         ert_cycle_line(&cycle, k + 1001 * UINT64_C(1000000007)));
}

/*
 * A prefetcher of neighbours has nothing to find: of 2^16 steps few lead to the next line or back,
 * and the mean distance is a third of the set, as of two random points on a line.
 */
static void steps_are_long(void **state)
{
    const uint64_t n = 65536;
    const struct ert_cycle cycle = {n, n, 20260101};
    double sum = 0;
    uint64_t near = 0;
    for (uint64_t k = 0; k < n; k++) {
        double step =
            (double)ert_cycle_line(&cycle, k + 1) - (double)ert_cycle_line(&cycle, k);
        near += fabs(step) < 2;
        sum += fabs(step);
    }
    assert_in_range(near, 0, 12); /* 2 expected */
    assert_close(sum / (double)n, (double)n / 3, 0.02);
}

static void seeds_give_other_walks(void **state)
{
    uint64_t same = 0;
    for (uint64_t k = 0; k < 4096; k++)
        same += ert_cycle_permute(4096, 1, k) == ert_cycle_permute(4096, 2, k);
    assert_in_range(same, 0, 12); /* 1 expected */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_line_is_visited_once),
        cmocka_unit_test(windows_are_visited_one_after_the_other),
        cmocka_unit_test(walks_go_round),
        cmocka_unit_test(steps_are_long),
        cmocka_unit_test(seeds_give_other_walks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
