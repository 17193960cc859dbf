/* SPDX-License-Identifier: BSD-3-Clause */
/* rounds: each pair once, nobody twice in a round, and byes. */
#include "tests/unit/test.h"

#include "ert/ext/fleet/links.h"

enum { MAX = 33 };

/* Counts how often each pair and each bye comes in all rounds; fails where a round is no matching. */
static void count_pairs(uint32_t n, uint64_t seed, unsigned met[MAX][MAX], unsigned *byes)
{
    struct ert_pair_rounds rounds;
    uint32_t partner[MAX];
    ert_pair_rounds_make(n, UINT32_MAX, seed, &rounds);
    assert_int_equal(rounds.n_rounds, ert_pair_rounds_all(n));
    for (uint32_t r = 0; r < rounds.n_rounds; r++) {
        ert_pair_rounds_partners(&rounds, r, partner);
        for (uint32_t i = 0; i < n; i++) {
            if (partner[i] == ERT_PAIR_NONE) {
                byes[i]++;
                continue;
            }
            assert_true(partner[i] < n && partner[i] != i);
            assert_int_equal(partner[partner[i]], i);
            met[i][partner[i]]++;
        }
    }
    ert_pair_rounds_free(&rounds);
}

static void each_pair_meets_once(void **state)
{
    static const uint32_t sizes[] = {2, 3, 4, 5, 16, 31, 32, 33};
    for (size_t s = 0; s < ERT_LENGTH(sizes); s++) {
        unsigned met[MAX][MAX] = {{0}}, byes[MAX] = {0};
        uint32_t n = sizes[s];
        count_pairs(n, s, met, byes);
        for (uint32_t i = 0; i < n; i++) {
            assert_int_equal(byes[i], n % 2); /* odd: each host rests once */
            for (uint32_t j = 0; j < n; j++)
                assert_int_equal(met[i][j], i != j);
        }
    }
}

static void fewer_than_two_hosts_have_no_round(void **state)
{
    for (uint32_t n = 0; n < 2; n++) {
        struct ert_pair_rounds rounds;
        ert_pair_rounds_make(n, 7, 1, &rounds);
        assert_int_equal(rounds.n_rounds, 0);
        ert_pair_rounds_free(&rounds);
        assert_int_equal(ert_pair_rounds_default(n), 0);
    }
    assert_int_equal(ert_pair_rounds_default(2000), 1999);
    assert_int_equal(ert_pair_rounds_default(1999), 1999);
    assert_int_equal(ert_pair_rounds_default(2001), ERT_PAIR_MATCHINGS);
}

/* Two rounds of 10,000 hosts: matchings that share no pair, others by another seed, the same by the same. */
static void matchings_of_many_hosts_are_random_and_distinct(void **state)
{
    enum { N = 10000 };
    struct ert_pair_rounds rounds[3];
    uint32_t *partner[4];
    for (int i = 0; i < 3; i++)
        ert_pair_rounds_make(N, 2, i == 2 ? 8 : 7, &rounds[i]);
    assert_int_equal(rounds[0].n_rounds, 2);
    const struct ert_pair_rounds *from[] = {&rounds[0], &rounds[0], &rounds[1], &rounds[2]};
    for (int i = 0; i < 4; i++) {
        partner[i] = malloc(N * sizeof **partner);
        ert_pair_rounds_partners(from[i], i == 1, partner[i]);
    }
    unsigned same_by_seed = 0, neighbours = 0;
    for (uint32_t i = 0; i < N; i++) {
        assert_true(partner[0][i] < N && partner[0][partner[0][i]] == i);
        assert_true(partner[0][i] != partner[1][i]);
        assert_int_equal(partner[0][i], partner[2][i]);
        same_by_seed += partner[0][i] == partner[3][i];
        neighbours += partner[0][i] == i + 1;
    }
    assert_true(same_by_seed < 20 && neighbours < 20); /* 1 on the mean, each */
    for (int i = 0; i < 4; i++)
        free(partner[i]);
    for (int i = 0; i < 3; i++)
        ert_pair_rounds_free(&rounds[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_pair_meets_once),
        cmocka_unit_test(fewer_than_two_hosts_have_no_round),
        cmocka_unit_test(matchings_of_many_hosts_are_random_and_distinct),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
