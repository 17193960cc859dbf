/* SPDX-License-Identifier: BSD-3-Clause */
/* clock: what follows the clock is known by physics and by the rounds, and the clock's change is one. */
#include "tests/unit/test.h"

#include "ert/core/base/random.h"
#include "ert/core/ceilings/clock.h"

enum { N = 9, PAIRS = 12 };

static const struct ert_device gpu = {
    .kind = ERT_DEVICE_GPU,
    .n_levels = 4,
    .levels = {{.name = "L1", .kind = ERT_LEVEL_CACHE, .path = ERT_PATH_CACHED},
               {.name = "shared", .kind = ERT_LEVEL_SCRATCHPAD, .path = ERT_PATH_SHARED},
               {.name = "L2", .kind = ERT_LEVEL_CACHE, .path = ERT_PATH_BYPASS_L1},
               {.name = "HBM", .kind = ERT_LEVEL_MEMORY, .path = ERT_PATH_BYPASS_L1}}
};
static const struct ert_device cpu = {
    .kind = ERT_DEVICE_CPU,
    .n_levels = 4,
    .levels = {{.name = "L1", .kind = ERT_LEVEL_CACHE, .path = ERT_PATH_CACHED},
               {.name = "L2", .kind = ERT_LEVEL_CACHE, .path = ERT_PATH_CACHED},
               {.name = "L3", .kind = ERT_LEVEL_CACHE, .path = ERT_PATH_CACHED},
               {.name = "DRAM", .kind = ERT_LEVEL_MEMORY, .path = ERT_PATH_CACHED}}
};

static void physics_say_what_may_follow(void **state)
{
    (void)state;
    static const struct {
        const struct ert_device *device;
        const char *level;
        bool may;
    } rows[] = {
        {&gpu, "",       true },
        {&gpu, "L1",     true },
        {&gpu, "shared", true },
        {&gpu, "L2",     false},
        {&gpu, "HBM",    false},
        {&gpu, "h2d",    false},
        {&cpu, "",       true },
        {&cpu, "L1",     true },
        {&cpu, "L2",     true },
        {&cpu, "L3",     false},
        {&cpu, "DRAM",   false},
        {&cpu, "MCDRAM", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (ert_clock_may_follow(rows[i].device, rows[i].level) != rows[i].may)
            fail_msg("row %zu: '%s'", i, rows[i].level);
    assert_string_equal(ert_clock_name(&gpu), "SM clock");
    assert_string_equal(ert_clock_name(&cpu), "core clock");
}

static void a_cycle_is_a_cycle(void **state)
{
    (void)state;
    const double rates[] = {400, 380}, times[] = {10, 8}, clocks[] = {2, 1.9},
                 slow[] = {2, 2.5};
    double per_cycle[2];
    ert_clock_per_cycle(rates, clocks, 2, ERT_BETTER_HIGH, per_cycle);
    assert_close(per_cycle[0], 200, 1e-12);
    assert_close(per_cycle[1], 200, 1e-12);
    ert_clock_per_cycle(times, slow, 2, ERT_BETTER_LOW, per_cycle);
    assert_close(per_cycle[0], 20, 1e-12);
    assert_close(per_cycle[1], 20, 1e-12);
}

/* A planted device: PAIRS ceilings, two runs of N rounds. Shares of 1. */
struct plant {
    double noise;       /* of each rate */
    double wander;      /* of the clock of each round */
    double held[2];     /* the clock then and now */
    double clock_noise; /* of what is read of the clock, and no rate knows */
    double step;        /* a clock comes in steps of this; 0: in none */
    double exponent;    /* rates are the clock to this power */
    double slower;      /* all rates now */
    bool is_time;
};

static double rates[PAIRS][2][N], clocks[PAIRS][2][N];
static struct ert_clock_pair pairs[PAIRS];

static double even(uint64_t *i)
{
    return 2 * ert_random_unit(7, (*i)++) - 1;
}

static struct ert_clock_change judge(const struct plant *plant)
{
    uint64_t lot = 0;
    for (size_t p = 0; p < PAIRS; p++) {
        pairs[p] = (struct ert_clock_pair){.better = plant->is_time ? ERT_BETTER_LOW
                                                                    : ERT_BETTER_HIGH,
                                           .may_follow = true};
        for (int s = 0; s < 2; s++) {
            pairs[p].sides[s] = (struct ert_clock_side){
                .rounds = rates[p][s], .clocks_hz = clocks[p][s], .n = N};
            for (size_t i = 0; i < N; i++) {
                double clock = plant->held[s] * (1 + plant->wander * even(&lot));
                if (plant->step > 0)
                    clock = plant->step * round(clock / plant->step);
                double rate = pow(clock, plant->exponent) *
                              (1 + plant->noise * even(&lot)) * (s ? 1 - plant->slower : 1);
                clocks[p][s][i] = 2e9 * clock * (1 + plant->clock_noise * even(&lot));
                rates[p][s][i] = plant->is_time ? 1e-9 / rate : 1e12 * rate;
            }
        }
    }
    return ert_clock_judge(pairs, PAIRS, 0.01);
}

static size_t count_follow(void)
{
    size_t n = 0;
    for (size_t p = 0; p < PAIRS; p++)
        n += pairs[p].follows;
    return n;
}

static void rounds_say_what_follows(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        struct plant plant;
        bool follow;
        enum ert_differ_verdict verdict; /* of the clock, where any follow */
    } rows[] = {
        {"a clock that wanders",
         {0.002, 0.01, {1, 1}, 0, 0, 1, 0, false},
         true,                                                                            ERT_DIFFER_SAME  },
        {"in steps, as NVIDIA's",
         {0.002, 0.007, {1, 1}, 0, 0.0075, 1, 0, false},
         true,                                                                            ERT_DIFFER_SAME  },
        {"and of times",                   {0.002, 0.01, {1, 1}, 0, 0, 1, 0, true}, true, ERT_DIFFER_SAME  },
        {"a clock that stands still",
         {0.002, 0, {1, 1}, 0, 0, 1, 0, false},
         false,                                                                           ERT_DIFFER_SAME  },
        {"5 % lower now",
         {0.002, 0, {1, 0.95}, 0, 0, 1, 0, false},
         true,                                                                            ERT_DIFFER_SLOWER},
        {"5 % lower, and slower by 3 %",
         {0.002, 0, {1, 0.95}, 0, 0, 1, 0.03, false},
         true,                                                                            ERT_DIFFER_SLOWER},
        {"5 % higher now",
         {0.002, 0, {1, 1.05}, 0, 0, 1, 0, true},
         true,                                                                            ERT_DIFFER_FASTER},
        {"slower by 3 % while it wanders",
         {0.002, 0.01, {1, 1}, 0, 0, 1, 0.03, false},
         true,                                                                            ERT_DIFFER_SAME  },
        {"rates that do not follow",
         {0.002, 0.01, {1, 1}, 0, 0, 0, 0, false},
         false,                                                                           ERT_DIFFER_SAME  },
        {"nor a clock 5 % lower",
         {0.002, 0, {1, 0.95}, 0, 0, 0, 0, false},
         false,                                                                           ERT_DIFFER_SAME  },
        {"a clock that is badly known",
         {0.002, 0.002, {1, 1}, 0.02, 0, 1, 0, false},
         false,                                                                           ERT_DIFFER_SAME  },
        {"noise that drowns it",
         {0.05, 0.002, {1, 1}, 0, 0, 1, 0, false},
         false,                                                                           ERT_DIFFER_SAME  },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ert_clock_change change = judge(&rows[i].plant);
        size_t n = count_follow();
        if (n != (rows[i].follow ? PAIRS : 0) || n != change.n)
            fail_msg("%s: %zu follow", rows[i].what, n);
        if (n == 0)
            continue;
        struct ert_differ differ =
            ert_differ(&change.sides[0], &change.sides[1], ERT_BETTER_HIGH, 0.01);
        if (differ.verdict != rows[i].verdict)
            fail_msg("%s: verdict %d", rows[i].what, differ.verdict);
        assert_true(fabs(differ.change - (rows[i].plant.held[1] - 1)) < 0.005);
        assert_true(fabs(change.sides[0].value / 2e9 - 1) < 0.005);
    }
}

/* One that the power limit alone slows down stays a slower rate; one whose clock is not known well, too. */
static void some_are_left_out(void **state)
{
    (void)state;
    const struct plant plant = {
        0.002, 0.003, {1, 1},
          0, 0, 1, 0, false
    };
    judge(&plant);
    assert_int_equal(count_follow(), PAIRS);
    for (size_t i = 0; i < N; i++) {
        clocks[3][1][i] *= 0.9;
        rates[3][1][i] *= 0.9;
    }
    pairs[5].sides[0].clocks_hz = NULL;
    pairs[7].may_follow = false;
    pairs[9].sides[1].n = 3;
    for (size_t i = 0; i + 1 < N; i++) /* a reading that is noise */
        clocks[1][1][i] *= i % 2 ? 1.02 : 0.98;
    for (size_t i = 0; i < N; i++) /* a reading that never moves is none of the region's */
        clocks[11][0][i] = clocks[11][1][i] = 2e9;
    struct ert_clock_change change = ert_clock_judge(pairs, PAIRS, 0.01);
    for (size_t p = 0; p < PAIRS; p++)
        assert_int_equal(pairs[p].follows, p % 2 == 0);
    assert_int_equal(change.n, 6);
    pairs[2].sides[1].n = 0; /* as where a second sample could not be taken */
    clocks[4][1][0] = 0;
    change = ert_clock_change_of(pairs, PAIRS);
    assert_int_equal(change.n, 4);
    assert_true(change.sides[1].error < 0.01 && change.sides[1].value > 1e9);
    change = ert_clock_judge(pairs, 0, 0.01);
    assert_int_equal(change.n, 0);
}

/* What runs differ by is less per cycle: by drift, and of several runs without what their clocks do. */
static void what_runs_differ_by_is_per_cycle(void **state)
{
    (void)state;
    const struct plant plant = {
        0.0005, 0.01, {1, 1},
          0, 0, 1, 0, false
    };
    struct ert_clock_change change = judge(&plant);
    assert_true(pairs[0].sides[0].between >= ERT_DIFFER_LEAST_BETWEEN);
    assert_true(pairs[0].sides[0].between < 0.0015);
    double clock = change.sides[0].error;
    assert_true(clock > 0.005 && clock < 0.0065); /* 1 % even is 0.577 % */
    pairs[0].sides[0].n_runs = 3;
    pairs[0].sides[0].between = 0.01;
    ert_clock_judge(pairs, PAIRS, 0.01);
    assert_close(pairs[0].sides[0].between, sqrt(1e-4 - clock * clock), 1e-9);
}

/* Where some follow, the drift that others share is without the clock's; several runs know better. */
static void the_clock_is_no_drift_of_others(void **state)
{
    (void)state;
    const struct plant plant = {
        0.0005, 0.01, {1, 1},
          0, 0, 1, 0, false
    };
    judge(&plant);
    uint64_t lot = 5000;
    for (size_t p = 1; p <= 2; p++) {
        pairs[p].may_follow = false;
        snprintf(pairs[p].group, sizeof pairs[p].group, "L2");
        for (int s = 0; s < 2; s++) {
            for (size_t i = 0; i < N; i++)
                rates[p][s][i] = 1e12 * (1 + 0.0005 * even(&lot));
            pairs[p].sides[s].between = 0.02;
            pairs[p].sides[s].n_runs = p == 2 ? 3 : 0;
        }
    }
    ert_clock_judge(pairs, PAIRS, 0.01);
    for (int s = 0; s < 2; s++) {
        assert_true(pairs[1].sides[s].between < 0.0015);
        assert_close(pairs[2].sides[s].between, 0.02, 1e-12);
    }
    pairs[1].sides[0].between = 0.02; /* none follows: it stays as it is */
    for (size_t p = 0; p < PAIRS; p++)
        pairs[p].may_follow = false;
    ert_clock_judge(pairs, PAIRS, 0.01);
    assert_close(pairs[1].sides[0].between, 0.02, 1e-12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(physics_say_what_may_follow),
        cmocka_unit_test(a_cycle_is_a_cycle),
        cmocka_unit_test(rounds_say_what_follows),
        cmocka_unit_test(some_are_left_out),
        cmocka_unit_test(what_runs_differ_by_is_per_cycle),
        cmocka_unit_test(the_clock_is_no_drift_of_others),
    };
    return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
