/* SPDX-License-Identifier: BSD-3-Clause */
/* schedule: what is measured next, in a table of situations. Nothing is measured, and no time passes. */
#include "tests/unit/test.h"

#include "ert/core/sweep/schedule.h"

enum { MOST = 16, MOST_STEPS = 1024 };

/* A case, and what its samples will say. */
struct given {
    enum ert_kernel_id kernel;
    uint64_t set_bytes; /* 0: a compute kernel */
    uint32_t variant;
    double rate;         /* of each sample */
    bool is_candidate;   /* decides a ceiling */
    size_t converged_at; /* samples from which on its interval is narrow; 0: never */
};

static struct ert_point points[MOST];
static struct ert_device_samples device = {.points = points};
static struct ert_config config;
static const struct ert_level dram = {
    .name = "DRAM", .kind = ERT_LEVEL_MEMORY, .path = ERT_PATH_CACHED, .count = 1};
static struct ert_device about;
static struct ert_schedule schedule;

/* The cases that were measured, in their order. */
static struct {
    size_t n, n_left;
    struct {
        enum ert_stage stage;
        uint64_t round;
        size_t index;
        bool is_checked;
    } rows[MOST_STEPS];
    bool is_cut;
} seen;

static void open_schedule(const struct given *given, size_t n, enum ert_device_kind kind)
{
    struct ert_error error;
    memset(points, 0, sizeof points);
    memset(&seen, 0, sizeof seen);
    about = (struct ert_device){.kind = kind, .n_levels = 1, .levels = {dram}};
    device.n_points = n;
    for (size_t i = 0; i < n; i++) {
        bool is_sweep = given[i].set_bytes > 0;
        points[i].section = is_sweep ? ERT_SECTION_LEVELS : ERT_SECTION_COMPUTE;
        points[i].spec =
            (struct ert_spec){.kernel = given[i].kernel,
                              .path = is_sweep ? ERT_PATH_CACHED : ERT_PATH_NONE,
                              .requested_bytes = given[i].set_bytes,
                              .variant = given[i].variant};
    }
    assert_int_equal(ert_schedule_open(&schedule, &config, &about, &device, &error),
                     ERT_OK);
    for (size_t i = 0; i < n; i++)
        schedule.chosen[i] = true;
}

/* Walks to the end; each sample takes as long. */
static void walk(const struct given *given, size_t n, enum ert_device_kind kind,
                 double sample_s)
{
    struct ert_step step = {.kind = ERT_STEP_ESTIMATE};
    double elapsed_s = 0;
    open_schedule(given, n, kind);
    while (step.kind != ERT_STEP_END) {
        step = ert_schedule_next(&schedule, step.next, elapsed_s);
        const size_t i = step.index;
        if (step.kind == ERT_STEP_MEASURE) {
            assert_true(seen.n < MOST_STEPS);
            seen.rows[seen.n].stage = step.next.stage;
            seen.rows[seen.n].round = step.next.round;
            seen.rows[seen.n].is_checked = step.is_checked;
            seen.rows[seen.n++].index = i;
            points[i].status = ERT_POINT_MEASURED;
            points[i].n_samples += step.n_samples;
            schedule.turns[i].fastest = given[i].rate;
            elapsed_s += sample_s * step.n_samples;
        }
        if (step.kind == ERT_STEP_LEAVE) {
            points[i].status = ERT_POINT_SKIPPED;
            seen.n_left++;
        }
        for (size_t k = 0; k < n && step.kind == ERT_STEP_ESTIMATE; k++)
            if (given[k].converged_at && points[k].n_samples >= given[k].converged_at)
                schedule.turns[k].width = 0.001;
        for (size_t k = 0; k < n && step.kind == ERT_STEP_SELECT; k++)
            schedule.chosen[k] = given[k].is_candidate;
    }
    seen.is_cut = step.next.is_cut;
    ert_schedule_close(&schedule);
}

static size_t count(enum ert_stage stage, size_t index)
{
    size_t n = 0;
    for (size_t i = 0; i < seen.n; i++)
        n += seen.rows[i].stage == stage && seen.rows[i].index == index;
    return n;
}

static int reset(void **state)
{
    ert_config_default(&config);
    config.budget_s = 0;
    return 0;
}

/* The first and the last set of a curve come before those between; what stores after what loads. */
static const struct given curves[] = {
    {ERT_KERNEL_copy,     1 << 20, 0, 1, false, 0},
    {ERT_KERNEL_copy,     2 << 20, 0, 1, false, 0},
    {ERT_KERNEL_copy,     3 << 20, 0, 1, false, 0},
    {ERT_KERNEL_load,     1 << 20, 0, 1, false, 0},
    {ERT_KERNEL_load,     2 << 20, 0, 1, false, 0},
    {ERT_KERNEL_load,     3 << 20, 0, 1, false, 0},
    {ERT_KERNEL_fma_fp64, 0,       0, 1, false, 0},
};
enum { N_CURVES = sizeof curves / sizeof curves[0] };
static const enum ert_priority of_curves[N_CURVES] = {
    ERT_PRIORITY_CEILINGS, ERT_PRIORITY_BETWEEN, ERT_PRIORITY_CEILINGS, ERT_PRIORITY_MAIN,
    ERT_PRIORITY_BETWEEN,  ERT_PRIORITY_MAIN,    ERT_PRIORITY_MAIN};

static void what_matters_is_explored_first(void **state)
{
    config.rounds = ERT_ENOUGH_SAMPLES + 1;
    walk(curves, N_CURVES, ERT_DEVICE_CPU, 0);
    for (size_t i = 0; i < seen.n; i++)
        assert_false(seen.rows[i].is_checked);
    for (size_t i = 1; i < N_CURVES; i++)
        assert_true(of_curves[seen.rows[i - 1].index] <= of_curves[seen.rows[i].index]);
    for (size_t i = 0; i < N_CURVES; i++)
        assert_int_equal(count(ERT_STAGE_EXPLORE, i), config.rounds);
    assert_false(seen.is_cut);
}

/* Exploring gets 60 % of a budget in samples; the main roofline is measured in any case. */
static void a_short_budget_cuts_what_matters_least(void **state)
{
    config.budget_s = 4;
    walk(curves, N_CURVES, ERT_DEVICE_CPU, 1);
    assert_int_equal(seen.n, 3);
    for (size_t i = 0; i < N_CURVES; i++)
        assert_int_equal(count(ERT_STAGE_EXPLORE, i), of_curves[i] == ERT_PRIORITY_MAIN);
    assert_true(seen.is_cut);
    config.budget_s = 7;
    walk(curves, N_CURVES, ERT_DEVICE_CPU, 1);
    assert_int_equal(seen.n, 5);
    config.budget_s = 4;
    config.candidate_rounds = 0; /* nothing follows: exploring may take all of it */
    walk(curves, N_CURVES, ERT_DEVICE_CPU, 1);
    assert_int_equal(seen.n, 5);
}

#ifndef ERT_WITHOUT_EXTENSIONS /* the kernels of tensor cores are an extension's */
/* A GPU, so that no candidate comes before others. */
static void candidates_are_measured_until_they_converge(void **state)
{
    static const struct given given[] = {
        {ERT_KERNEL_fma_fp64, 0,                 0, 1, true,  7},
        {ERT_KERNEL_add_fp64, 0,                 0, 1, true,  0},
        {ERT_KERNEL_add_fp32, 0,                 0, 1, false, 0},
        {ERT_KERNEL_mma_fp64, 0,                 0, 1, true,  0},
        {ERT_KERNEL_load,     UINT64_C(1) << 40, 0, 1, true,  0}, /* costly */
    };
    config.rounds = 3;
    config.candidate_rounds = 12;
    walk(given, sizeof given / sizeof given[0], ERT_DEVICE_GPU, 0);
    assert_int_equal(count(ERT_STAGE_CANDIDATES, 0), 4);
    assert_int_equal(count(ERT_STAGE_CANDIDATES, 1), 12);
    assert_int_equal(count(ERT_STAGE_CANDIDATES, 2), 0);
    assert_int_equal(points[3].n_samples, 3 + 2 * 12); /* a tensor kernel: two each */
    assert_int_equal(count(ERT_STAGE_EXPLORE, 4), 1);
    assert_int_equal(count(ERT_STAGE_CANDIDATES, 4), 4); /* rounds 3, 6, 9 and 12 */
    assert_int_equal(count(ERT_STAGE_MAIN, 1), 0);
    for (size_t i = 0; i < seen.n; i++)
        if (seen.rows[i].stage == ERT_STAGE_EXPLORE)
            assert_false(seen.rows[i].is_checked);
        else if (seen.rows[i].round == 11)
            assert_true(seen.rows[i].is_checked);
}

#endif

/* On CPUs; the case that is faster at a set is what `verify` judges. */
static void what_verify_judges_comes_first_and_longest(void **state)
{
    static const struct given given[] = {
        {ERT_KERNEL_add_fp64, 0,       0, 1, true, 0},
        {ERT_KERNEL_copy,     1 << 20, 0, 3, true, 0},
        {ERT_KERNEL_triad,    1 << 20, 0, 2, true, 0},
        {ERT_KERNEL_fma_fp64, 0,       0, 1, true, 0},
    };
    config.candidate_rounds = 4;
    walk(given, 4, ERT_DEVICE_CPU, 0);
    static const size_t judged[] = {0, 1, 0, 1};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(count(ERT_STAGE_JUDGED, i), 4 * judged[i]);
        assert_int_equal(count(ERT_STAGE_CANDIDATES, i), 4);
        assert_int_equal(count(ERT_STAGE_MAIN, i), 12 * judged[i]);
    }
    for (size_t i = 1; i < seen.n; i++)
        if (seen.rows[i].stage == ERT_STAGE_JUDGED)
            assert_true(seen.rows[i - 1].stage != ERT_STAGE_CANDIDATES ||
                        seen.rows[i - 1].round < seen.rows[i].round);
}

/* Between sets of all variants only the one that was faster at the nearest; in later rounds no slower one. */
static void slower_variants_are_left_out(void **state)
{
    static const struct given given[] = {
        {ERT_KERNEL_load, 4 << 20, 0, 1, false, 0},
        {ERT_KERNEL_load, 4 << 20, 1, 2, false, 0},
        {ERT_KERNEL_load, 5 << 20, 0, 1, false, 0},
        {ERT_KERNEL_load, 5 << 20, 1, 2, false, 0},
        {ERT_KERNEL_load, 9 << 20, 0, 2, false, 0},
        {ERT_KERNEL_load, 9 << 20, 1, 1, false, 0},
    };
    walk(given, 6, ERT_DEVICE_CPU, 0);
    assert_int_equal(seen.n_left, 1);
    assert_int_equal(points[2].status, ERT_POINT_SKIPPED);
    assert_int_equal(count(ERT_STAGE_EXPLORE, 0), 1);
    assert_int_equal(count(ERT_STAGE_EXPLORE, 1), config.rounds);
    assert_int_equal(count(ERT_STAGE_EXPLORE, 5), 1);
    config.candidate_rounds = 0; /* `verify`: each case is a ceiling */
    walk(given, 6, ERT_DEVICE_CPU, 0);
    assert_int_equal(seen.n, 6 * config.rounds);
}

/* What failed, or was skipped, has no further turn; of no cases nothing is measured. */
static void what_cannot_be_measured_is_left(void **state)
{
    open_schedule(curves, N_CURVES, ERT_DEVICE_CPU);
    for (size_t i = 0; i < N_CURVES; i++)
        points[i].status = i % 2 ? ERT_POINT_FAILED : ERT_POINT_SKIPPED;
    struct ert_step step = {.kind = ERT_STEP_ESTIMATE};
    while (step.kind != ERT_STEP_END) {
        step = ert_schedule_next(&schedule, step.next, 0);
        assert_int_not_equal(step.kind, ERT_STEP_MEASURE);
    }
    assert_false(step.next.is_cut);
    ert_schedule_close(&schedule);
    walk(curves, 0, ERT_DEVICE_CPU, 0);
    assert_int_equal(seen.n, 0);
}

/* As when `verify` measures one ceiling: no order, and no priority. */
static void one_case_is_a_plan(void **state)
{
    static const struct given given = {ERT_KERNEL_copy, UINT64_C(1) << 40, 0, 1, false, 0};
    config.candidate_rounds = 0;
    walk(&given, 1, ERT_DEVICE_CPU, 0);
    assert_int_equal(seen.n, config.rounds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_matters_is_explored_first, reset),
        cmocka_unit_test_setup(a_short_budget_cuts_what_matters_least, reset),
#ifndef ERT_WITHOUT_EXTENSIONS
        cmocka_unit_test_setup(candidates_are_measured_until_they_converge, reset),
#endif
        cmocka_unit_test_setup(what_verify_judges_comes_first_and_longest, reset),
        cmocka_unit_test_setup(slower_variants_are_left_out, reset),
        cmocka_unit_test_setup(what_cannot_be_measured_is_left, reset),
        cmocka_unit_test_setup(one_case_is_a_plan, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
