/* SPDX-License-Identifier: BSD-3-Clause */
/* again and runs: recorded ceilings are measured again and judged; several runs become one record. */
#include "tests/unit/ceilings_fixture.h"
#include "tests/unit/test.h"

#include "ert/cli/results.h"
#include "ert/core/fit/fit.h"
#include "ert/core/sweep/plan.h"
#include "ert/core/sweep/run.h"
#include "ert/ext/verify/verify.h"
#include "ert/fake/fake.h"

#include <stdlib.h>

static struct ert_error error;

/* Runs the planted machine and fits it. */
static void record(const char *plant, uint64_t seed, struct ert_ceilings *ceilings)
{
    struct ert_samples *samples = calloc(1, sizeof *samples);
    const struct ert_run_hooks hooks = {.candidates = ert_fit_candidates};
    setenv("ERT_FAKE", plant, 1);
    ert_config_default(&samples->config);
    samples->config.seed = seed;
    snprintf(samples->config.device, sizeof samples->config.device, "fake");
    assert_int_equal(ert_backend_fake.discover(&samples->machine, &error), ERT_OK);
    assert_int_equal(ert_plan_make(samples, &error), ERT_OK);
    assert_int_equal(ert_run(samples, &hooks, &error), ERT_OK);
    ert_fit(samples, ceilings);
    ert_samples_free(samples);
    free(samples);
}

static double budget_s; /* 0: none */

static struct ert_samples *plan(const struct ert_ceilings *recorded, const char *device,
                                struct ert_verify_row **rows, size_t *n,
                                enum ert_status expected)
{
    struct ert_samples *samples = calloc(1, sizeof *samples);
    assert_int_equal(ert_backend_fake.discover(&samples->machine, &error), ERT_OK);
    assert_int_equal(
        ert_verify_plan(recorded, device, NULL, budget_s, samples, rows, n, &error),
        expected);
    return samples;
}

/* Measures again under a plant and counts the verdicts. */
static void count_verdicts(const struct ert_ceilings *recorded, const char *plant,
                           double margin, size_t counts[ERT_N_VERIFY])
{
    const struct ert_run_hooks hooks = {0};
    struct ert_verify_row *rows = NULL;
    size_t n = 0;
    setenv("ERT_FAKE", plant, 1);
    struct ert_samples *samples = plan(recorded, "all", &rows, &n, ERT_OK);
    ert_run(samples, &hooks, &error);
    ert_verify_compare(rows, n, samples, margin);
    for (int i = 0; i < ERT_N_VERIFY; i++)
        counts[i] = 0;
    for (size_t i = 0; i < n; i++)
        counts[rows[i].verdict]++;
    assert_true(n > 40);
    free(rows);
    ert_samples_free(samples);
    free(samples);
}

static void the_same_machine_is_the_same(void **state)
{
    struct ert_ceilings recorded;
    size_t counts[ERT_N_VERIFY];
    record("noise=0.005", 1, &recorded);
    count_verdicts(&recorded, "noise=0.005", 0.01, counts);
    assert_int_equal(counts[ERT_VERIFY_SLOWER] + counts[ERT_VERIFY_FASTER] +
                         counts[ERT_VERIFY_MISSING],
                     0);
    ert_ceilings_free(&recorded);
}

/* All is slower by a third; latencies, where planted, take longer. */
static void a_slower_machine_is_seen(void **state)
{
    struct ert_ceilings recorded;
    size_t counts[ERT_N_VERIFY];
    record("noise=0.005", 1, &recorded);
    count_verdicts(&recorded, "noise=0.005,slower=0.35", 0.01, counts);
    assert_int_equal(counts[ERT_VERIFY_SAME] + counts[ERT_VERIFY_FASTER], 0);
    count_verdicts(&recorded, "noise=0.005,slower=0.35", 0.9, counts);
    assert_int_equal(counts[ERT_VERIFY_SLOWER], 0); /* the margin counts */
    ert_ceilings_free(&recorded);
}

/* What the time was too short for is not missing: the main rooflines are never cut. */
static void a_budget_leaves_rows_open(void **state)
{
    struct ert_ceilings recorded;
    size_t counts[ERT_N_VERIFY];
    record("noise=0", 1, &recorded);
    budget_s = 1e-9;
    count_verdicts(&recorded, "noise=0", 0.01, counts);
    budget_s = 0;
    assert_int_equal(counts[ERT_VERIFY_MISSING] + counts[ERT_VERIFY_SLOWER], 0);
    assert_int_equal(counts[ERT_VERIFY_SAME], 0); /* each was measured once */
    assert_true(counts[ERT_VERIFY_CANNOT_TELL] > 0);
    ert_ceilings_free(&recorded);
}

static void a_failing_kernel_is_missing(void **state)
{
    struct ert_ceilings recorded;
    size_t counts[ERT_N_VERIFY];
    record("noise=0.005", 1, &recorded);
    count_verdicts(&recorded, "noise=0.005,fault=nan,kernel=fma_fp64", 0.01, counts);
    assert_int_equal(counts[ERT_VERIFY_MISSING], 2); /* of the planted CPU and GPU */
    ert_ceilings_free(&recorded);
}

/* Plans what needs more samples, as `ert verify` does. */
static struct ert_samples *plan_more(struct ert_verify_row *rows, size_t n,
                                     const struct ert_samples *samples)
{
    struct ert_samples *more = calloc(1, sizeof *more);
    assert_non_null(more);
    more->config = samples->config;
    more->config.rounds = ERT_VERIFY_MORE_ROUNDS;
    more->config.seed++;
    ert_verify_plan_more(rows, n, samples, more);
    return more;
}

/*
 * What could not run at the first look is asked once more: judged when it then runs, missing with the second
 * reason when it does not. A kernel that gave a wrong result is not asked again.
 */
static void what_could_not_run_is_asked_again(void **state)
{
    const struct ert_run_hooks hooks = {0};
    static const struct {
        enum ert_point_status first;
        bool runs_then, is_asked;
        enum ert_verify_verdict verdict;
    } cases[] = {
        {ERT_POINT_SKIPPED, true,  true,  ERT_VERIFY_SAME   },
        {ERT_POINT_SKIPPED, false, true,  ERT_VERIFY_MISSING},
        {ERT_POINT_FAILED,  true,  false, ERT_VERIFY_MISSING},
    };
    struct ert_ceilings recorded;
    record("noise=0.001", 1, &recorded);
    setenv("ERT_FAKE", "noise=0.001,seed=2", 1);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct ert_verify_row *rows = NULL;
        size_t n = 0, last;
        struct ert_samples *samples = plan(&recorded, "all", &rows, &n, ERT_OK), *more;
        ert_run(samples, &hooks, &error);
        for (last = 0; last < n && strcmp(rows[last].name, "L1-latency") != 0; last++)
            ;
        assert_true(last < n);
        struct ert_point *point =
            &samples->devices[rows[last].device_index].points[rows[last].point];
        point->status = cases[c].first;
        point->n_samples = 0;
        snprintf(point->reason, sizeof point->reason, "planted");
        ert_verify_compare(rows, n, samples, 0.01);
        assert_int_equal(rows[last].verdict, ERT_VERIFY_MISSING);
        more = plan_more(rows, n, samples);
        assert_int_equal(rows[last].is_measured_more, cases[c].is_asked);
        if (more->n_devices > 0)
            ert_run(more, &hooks, &error);
        for (size_t d = 0; !cases[c].runs_then && d < more->n_devices; d++)
            for (size_t i = 0; i < more->devices[d].n_points; i++) {
                more->devices[d].points[i].status = ERT_POINT_SKIPPED;
                more->devices[d].points[i].n_samples = 0;
            }
        assert_int_equal(ert_verify_confirm(rows, n, samples, more, 0.01, &error), ERT_OK);
        assert_int_equal(rows[last].verdict, cases[c].verdict);
        assert_int_equal(rows[last].is_confirmed, cases[c].is_asked && !cases[c].runs_then);
        assert_int_equal(*rows[last].reason != '\0',
                         !cases[c].runs_then || !cases[c].is_asked);
        ert_samples_free(more);
        free(more);
        free(rows);
        ert_samples_free(samples);
        free(samples);
    }
    ert_ceilings_free(&recorded);
}

static void another_machine_is_refused(void **state)
{
    struct ert_ceilings recorded;
    struct ert_samples *samples;
    struct ert_verify_row *rows;
    size_t n;
    record("noise=0", 1, &recorded);
    samples = plan(&recorded, "fake9", &rows, &n, ERT_USAGE);
    free(rows);
    assert_contains(error.text, "'fake9'");
    free(samples);
    setenv("ERT_FAKE", "gpus=0", 1);
    samples = plan(&recorded, "all", &rows, &n, ERT_FAILED);
    free(rows);
    assert_contains(error.text, "no device 'fake1'");
    ert_samples_free(samples);
    free(samples);
    snprintf(recorded.machine->devices[0].name, sizeof recorded.machine->devices[0].name,
             "another CPU");
    samples = plan(&recorded, "fake1", &rows, &n, ERT_UNAVAILABLE);
    free(rows);
    ert_samples_free(samples);
    free(samples);
    setenv("ERT_FAKE", "gpus=1", 1);
    samples = plan(&recorded, "all", &rows, &n, ERT_USAGE);
    free(rows);
    assert_contains(error.text, "'another CPU', this one is 'planted CPU'");
    ert_samples_free(samples);
    free(samples);
    ert_ceilings_free(&recorded);
}

/* By hand: values 1, 5, 3 with intervals of 10 %. */
static void runs_merge_into_their_median_and_range(void **state)
{
    static const double values[] = {1, 5, 3};
    struct ert_ceilings runs[3];
    for (size_t i = 0; i < 3; i++) {
        record("noise=0", 1, &runs[i]);
        struct ert_ceiling *ceiling = compute_at(&runs[i].devices[0], 0);
        ceiling->value = values[i];
        ceiling->low = 0.9 * values[i];
        ceiling->high = ceiling->evidence->best = 1.1 * values[i];
        /* The clock, and so the peak, was another in each: 50, 100 and 30 %. */
        ceiling->fraction_of_theory = i == 0 ? 0.5 : i == 1 ? 1.0 : 0.3;
        ceiling->theory = values[i] / ceiling->fraction_of_theory;
        ceiling->evidence->clock_hz = values[i] * 1e9;
        ceiling->evidence->rounds[0] = values[i];
        ceiling->confidence = i == 2 ? ERT_CONFIDENCE_LOW : ERT_CONFIDENCE_HIGH;
        snprintf(ceiling->evidence->warning, sizeof ceiling->evidence->warning, "run %zu",
                 i + 1);
        /* The best pattern of the first level: the first in run 0, the second in the others. */
        struct ert_ceiling *memory = memory_at(&runs[i].devices[0], 0);
        assert_string_equal(memory[0].key.level, memory[1].key.level);
        memory[0].value = 5e12;
        memory[1].value = i == 0 ? 4e12 : 6e12;
        memory[0].is_roof = i == 0;
        memory[1].is_roof = i != 0;
    }
    runs[1].devices[1].valid = false;
    /* the last one is missing in one run */
    keep_ceilings(&runs[2].devices[0], ERT_CEILING_COMPUTE,
                  n_ceilings(&runs[2].devices[0], ERT_CEILING_COMPUTE) - 1);
    ert_runs_merge(runs, 3);
    const struct ert_device_ceilings *device = &runs[0].devices[0];
    const struct ert_ceiling *ceiling = compute_at(device, 0);
    assert_close(ceiling->value, 3, 1e-12);
    /* all else is the middle run's: its clock, configuration, confidence, rounds */
    assert_close(ceiling->evidence->clock_hz, 3e9, 1e-12);
    assert_close(ceiling->evidence->rounds[0], 3, 1e-12);
    assert_int_equal(ceiling->confidence, ERT_CONFIDENCE_LOW);
    assert_string_equal(ceiling->evidence->warning, "run 3");
    assert_true(ceiling->low <= 1 && ceiling->high >= 5);
    /* the standard deviation of ln 1, 5, 3 is 0.82, diluted by steadier ceilings */
    assert_true(ceiling->evidence->between > 0.4);
    /* roofs are marked anew: the pattern that was faster in two of three runs */
    assert_false(memory_at(device, 0)->is_roof);
    assert_true(memory_at(device, 1)->is_roof);
    assert_close(ceiling->evidence->best, 5.5, 1e-12);
    assert_close(ceiling->fraction_of_theory, 0.5, 1e-12);
    assert_close(ceiling->theory, 6, 1e-12);
    assert_int_equal(ceiling->evidence->n_runs, 3);
    assert_close(ceiling->evidence->runs_low, 1, 1e-12);
    assert_close(ceiling->evidence->runs_high, 5, 1e-12);
    assert_int_equal(
        compute_at(device, n_ceilings(device, ERT_CEILING_COMPUTE) - 1)->evidence->n_runs,
        2);
    assert_true(device->valid);
    assert_false(runs[0].devices[1].valid);
    const char *name;
    assert_close(ert_runs_spread(device, &name), 4.0 / 3, 1e-12);
    assert_string_equal(name, ceiling->name);
    for (size_t i = 0; i < 3; i++)
        ert_ceilings_free(&runs[i]);
}

/* Where runs differ by 30 %, what fell by a third is no news: nobody can tell. */
static void what_runs_differ_by_counts(void **state)
{
    struct ert_ceilings recorded;
    size_t counts[ERT_N_VERIFY];
    record("noise=0.001", 1, &recorded);
    for (size_t d = 0; d < recorded.n_devices; d++) {
        for (size_t i = 0; i < n_ceilings(&recorded.devices[d], ERT_CEILING_COMPUTE); i++) {
            compute_at(&recorded.devices[d], i)->evidence->n_runs = 2;
            compute_at(&recorded.devices[d], i)->evidence->between = 0.3;
        }
    }
    count_verdicts(&recorded, "noise=0.001,slower=0.35", 0.01, counts);
    assert_int_equal(counts[ERT_VERIFY_CANNOT_TELL],
                     n_ceilings(&recorded.devices[0], ERT_CEILING_COMPUTE) +
                         n_ceilings(&recorded.devices[1], ERT_CEILING_COMPUTE));
    assert_int_equal(counts[ERT_VERIFY_SAME], 0);
    ert_ceilings_free(&recorded);
}

/* Measures again, twice where it must be, as `ert verify` does; the rows are the caller's. */
static struct ert_verify_row *verify(const struct ert_ceilings *recorded, const char *plant,
                                     size_t *n, struct ert_samples **samples)
{
    const struct ert_run_hooks hooks = {0};
    struct ert_verify_row *rows = NULL;
    setenv("ERT_FAKE", plant, 1);
    *samples = plan(recorded, "all", &rows, n, ERT_OK);
    ert_run(*samples, &hooks, &error);
    ert_verify_compare(rows, *n, *samples, 0.01);
    struct ert_samples *more = plan_more(rows, *n, *samples);
    if (more->n_devices > 0)
        ert_run(more, &hooks, &error);
    assert_int_equal(ert_verify_confirm(rows, *n, *samples, more, 0.01, &error), ERT_OK);
    ert_samples_free(more);
    free(more);
    return rows;
}

/* Main ceilings that allow no verdict get more samples, turn by turn; the others do not, nor when they do. */
static void uncertain_main_ones_go_on(void **state)
{
    struct ert_ceilings recorded;
    struct ert_samples *samples, *more;
    size_t n, n_main = 0, n_before;
    record("noise=0.1", 1, &recorded);
    struct ert_verify_row *rows = verify(&recorded, "noise=0.1", &n, &samples);
    for (size_t i = 0; i < n; i++) {
        assert_true(rows[i].is_confirmed || !rows[i].is_main ||
                    rows[i].verdict == ERT_VERIFY_SAME);
        assert_string_equal(rows[i].reason, "");
        n_main += rows[i].is_main && ert_verify_is_open(&rows[i]);
    }
    assert_true(n_main > 2);
    more = plan_more(rows, n, samples);
    size_t n_planned = 0;
    for (size_t d = 0; d < more->n_devices; d++)
        n_planned += more->devices[d].n_points;
    assert_int_equal(n_planned, n_main);
    const struct ert_run_hooks hooks = {0};
    ert_run(more, &hooks, &error);
    size_t first = 0;
    while (!rows[first].is_measured_more)
        first++;
    const struct ert_point *point =
        &samples->devices[rows[first].device_index].points[rows[first].point];
    n_before = point->n_samples;
    double before = rows[first].differ.detectable;
    assert_int_equal(ert_verify_confirm(rows, n, samples, more, 0.01, &error), ERT_OK);
    assert_int_equal(point->n_samples, n_before + ERT_VERIFY_MORE_ROUNDS);
    assert_true(rows[first].differ.detectable < before);
    ert_samples_free(more);
    free(more);
    more = plan_more(rows, n, samples);
    for (size_t i = 0; i < n; i++)
        assert_false(rows[i].is_measured_more && rows[i].verdict == ERT_VERIFY_SAME);
    ert_samples_free(more);
    free(more);
    ert_samples_free(samples);
    free(samples);
    free(rows);
    ert_ceilings_free(&recorded);
}

/*
 * A small table of error rates; results/error-rates has the large one. Six verifications of 68 ceilings
 * each: none of an unchanged machine is slower, nine of ten of one slower by 5 % are, and of one that is
 * slower by 2 % at most one in a hundred is called the same to less than that.
 */
static void error_rates_are_kept(void **state)
{
    static const double slower[] = {0, 0.02, 0.05};
    struct ert_ceilings recorded;
    size_t n_wrong = 0, n_all = 0;
    record("noise=0.01,outliers=0.1", 1, &recorded);
    for (size_t s = 0; s < 3; s++)
        for (int seed = 1; seed <= 6; seed++) {
            char text[96];
            size_t n, counts[ERT_N_VERIFY] = {0};
            struct ert_samples *samples;
            snprintf(text, sizeof text, "noise=0.01,outliers=0.1,seed=%d,slower=%g", seed,
                     slower[s]);
            struct ert_verify_row *rows = verify(&recorded, text, &n, &samples);
            for (size_t i = 0; i < n; i++) {
                counts[rows[i].verdict]++;
                n_wrong += rows[i].verdict == ERT_VERIFY_SAME &&
                           rows[i].differ.excluded < slower[s];
            }
            n_all += n;
            assert_int_equal(counts[ERT_VERIFY_FASTER] + counts[ERT_VERIFY_MISSING], 0);
            if (s == 0)
                assert_int_equal(counts[ERT_VERIFY_SLOWER], 0);
            if (s == 2)
                assert_true(counts[ERT_VERIFY_SLOWER] > 9 * n / 10);
            free(rows);
            ert_samples_free(samples);
            free(samples);
        }
    assert_true(n_wrong <= n_all / 100);
    ert_ceilings_free(&recorded);
}

/*
 * A clock that wanders by 1.5 % hides nothing of 5 %, and is no alarm; what follows one that is 5 % lower is
 * slower, and its change stands beside it. results/error-rates has the large table.
 */
static void a_lower_clock_is_slower_and_said(void **state)
{
    static const struct {
        const char *plant;
        bool is_compute_slow, is_memory_slow;
        double clock;
    } rows[] = {
        {"",             false, false, 0    },
        {",clock=0.95",  true,  false, -0.05},
        {",slower=0.05", true,  true,  0    },
    };
    struct ert_ceilings recorded;
    record("clock-wander=0.015,seed=1000", 1, &recorded);
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++)
        for (int seed = 1; seed <= 3; seed++) {
            char text[96];
            size_t n;
            struct ert_samples *samples;
            snprintf(text, sizeof text, "clock-wander=0.015,seed=%d%s", seed,
                     rows[r].plant);
            struct ert_verify_row *list = verify(&recorded, text, &n, &samples);
            for (size_t i = 0; i < n; i++) {
                bool is_memory = strncmp(list[i].name, "HBM", 3) == 0 ||
                                 strncmp(list[i].name, "DRAM", 4) == 0,
                     is_compute = strstr(list[i].operation, "flop/s") != NULL;
                assert_int_not_equal(list[i].verdict, ERT_VERIFY_FASTER);
                if (is_compute || is_memory)
                    assert_int_equal(list[i].verdict == ERT_VERIFY_SLOWER,
                                     is_memory ? rows[r].is_memory_slow
                                               : rows[r].is_compute_slow);
                if (is_compute)
                    assert_true(fabs(list[i].clock_change - rows[r].clock) < 0.02);
            }
            free(list);
            ert_samples_free(samples);
            free(samples);
        }
    ert_ceilings_free(&recorded);
}

/* A GPU clock moves by a step or two with what runs on it; one that falls by more is a slower card. */
static void a_boost_clock_is_not_a_slower_card(void **state)
{
    struct ert_ceilings recorded;
    record("noise=0.002", 1, &recorded);
    for (int step = 1; step <= 2; step++) {
        struct ert_samples *samples;
        size_t n, n_seen[2] = {0};
        char text[64];
        snprintf(text, sizeof text, "noise=0.002,clock=%g", step == 1 ? 0.985 : 0.97);
        struct ert_verify_row *list = verify(&recorded, text, &n, &samples);
        for (size_t i = 0; i < n; i++) {
            bool is_gpu = samples->devices[list[i].device_index].context.device.kind ==
                          ERT_DEVICE_GPU;
            if (list[i].recorded->kind != ERT_CEILING_COMPUTE || list[i].is_sustained)
                continue;
            assert_int_equal(list[i].verdict == ERT_VERIFY_SLOWER, !is_gpu || step == 2);
            n_seen[is_gpu]++;
        }
        assert_true(n_seen[0] > 0 && n_seen[1] > 0);
        free(list);
        ert_samples_free(samples);
        free(samples);
    }
    ert_ceilings_free(&recorded);
}

/* A thread that is kept waiting for a whole region is no missing ceiling: it is asked again. */
static void waiting_is_not_missing(void **state)
{
#define BUSY "noise=0.01,outliers=0.1,cpus=64,steal=0.1"
    static const char *const recorded_plants[] = {BUSY ",seed=1000", BUSY ",seed=1001",
                                                  BUSY ",seed=1002"};
    for (size_t r = 0; r < 3; r++) {
        struct ert_ceilings recorded;
        size_t n;
        struct ert_samples *samples;
        record(recorded_plants[r], 1, &recorded);
        struct ert_verify_row *rows = verify(&recorded, BUSY ",seed=1", &n, &samples);
        for (size_t i = 0; i < n; i++)
            if (rows[i].verdict == ERT_VERIFY_MISSING ||
                rows[i].verdict == ERT_VERIFY_SLOWER)
                fail_msg("%zu: %s: %s", r, rows[i].name, rows[i].reason);
        assert_int_equal(n_ceilings(&recorded.devices[0], ERT_CEILING_LATENCY), 4);
        free(rows);
        ert_samples_free(samples);
        free(samples);
        ert_ceilings_free(&recorded);
    }
#undef BUSY
}

/* One kernel slower is one kernel called slower, with its level's roof among them. */
static void one_slower_kernel_is_named(void **state)
{
    struct ert_ceilings recorded;
    struct ert_samples *samples;
    size_t n, n_slower = 0;
    record("noise=0.002", 1, &recorded);
    struct ert_verify_row *rows =
        verify(&recorded, "noise=0.002,seed=3,slower=triad:0.05", &n, &samples);
    for (size_t i = 0; i < n; i++) {
        bool is_triad = strcmp(rows[i].recorded->kernel, "triad") == 0;
        if (is_triad != (rows[i].verdict == ERT_VERIFY_SLOWER))
            fail_msg("%s %s: verdict %d", rows[i].device, rows[i].name, rows[i].verdict);
        n_slower += is_triad;
        assert_true(!is_triad || rows[i].is_confirmed);
        assert_true(!is_triad || rows[i].n_samples > ERT_VERIFY_ROUNDS);
        assert_true(rows[i].differ.detectable > 0.005 && rows[i].differ.detectable < 0.03);
    }
    assert_true(n_slower > 3);
    /* Nor is it while its threads wait for their CPUs. */
    for (size_t d = 0; d < samples->n_devices; d++)
        for (size_t i = 0; i < samples->devices[d].n_points; i++)
            for (size_t k = 0; k < samples->devices[d].points[i].n_samples; k++)
                samples->devices[d].points[i].samples[k].waited = 0.5;
    ert_verify_compare(rows, n, samples, 0.01);
    for (size_t i = 0; i < n; i++) {
        assert_int_not_equal(rows[i].verdict, ERT_VERIFY_SLOWER);
        if (strcmp(rows[i].recorded->kernel, "triad") == 0)
            assert_non_null(strstr(rows[i].reason, "threads waited for a CPU in"));
    }
    /* On a disturbed device nothing is called slower, and main ceilings are open. */
    const struct ert_device *cpu = &samples->devices[0].context.device;
    ert_verify_disturbed(rows, n, cpu, ERT_REACH_ALL, "steal 13 %");
    for (size_t i = 0; i < n; i++) {
        bool is_here = strcmp(rows[i].device, cpu->id) == 0;
        assert_true(!is_here || rows[i].verdict != ERT_VERIFY_SLOWER);
        assert_int_equal(is_here && rows[i].is_main, ert_verify_is_open(&rows[i]));
        if (is_here && rows[i].is_main)
            assert_string_equal(rows[i].reason, "disturbed: steal 13 %");
    }
    free(rows);
    ert_samples_free(samples);
    free(samples);
    ert_ceilings_free(&recorded);
}

/* What is slower in a virtual machine's CPU may be used by other guests: nobody can tell. */
static void other_guests_may_use_a_vm(void **state)
{
    struct ert_ceilings recorded;
    struct ert_samples *samples;
    size_t n, n_shared = 0, n_own = 0;
    record("noise=0.002", 1, &recorded);
    struct ert_verify_row *rows =
        verify(&recorded, "noise=0.002,seed=3,slower=0.1", &n, &samples);
    struct ert_device cpu = samples->devices[0].context.device,
                      gpu = samples->devices[1].context.device;
    assert_int_equal(cpu.kind, ERT_DEVICE_CPU);
    ert_verify_shared(rows, n, &cpu); /* of bare metal */
    for (size_t i = 0; i < n; i++)
        assert_int_equal(rows[i].verdict, ERT_VERIFY_SLOWER);
    snprintf(cpu.cpu.hypervisor, sizeof cpu.cpu.hypervisor, "KVM");
    ert_verify_shared(rows, n, &gpu);
    ert_verify_shared(rows, n, &cpu);
    for (size_t i = 0; i < n; i++) {
        bool is_of_all = strcmp(rows[i].device, cpu.id) == 0;
        assert_int_equal(rows[i].verdict,
                         is_of_all ? ERT_VERIFY_CANNOT_TELL : ERT_VERIFY_SLOWER);
        assert_int_equal(ert_verify_is_open(&rows[i]), is_of_all);
        n_shared += is_of_all;
        n_own += !is_of_all;
        if (is_of_all)
            assert_contains(rows[i].reason, "other guests of this host (KVM) may use ");
    }
    assert_true(n_shared > 10 && n_own > 10);
    free(rows);
    ert_samples_free(samples);
    free(samples);
    ert_ceilings_free(&recorded);
}

/* A link is measured from one device; the other one may be where it leads, or where it begins. */
static void links_know_their_other_end(void **state)
{
    static const struct {
        const char *from, *to;
        uint32_t far_end;
    } links[] = {
        {"gpu0", "gpu2", 3},
        {"gpu2", "gpu0", 3},
        {"host", "gpu0", 0},
        {"gpu0", "host", 0},
    };
    struct ert_samples *samples = calloc(1, sizeof *samples);
    struct ert_machine *machine = &samples->machine;
    struct ert_device_ceilings *ceilings = calloc(1, sizeof *ceilings);
    const struct ert_ceilings recorded = {
        .machine = machine, .n_devices = 1, .devices = ceilings};
    for (int i = 0; i < 3; i++) {
        struct ert_device *gpu = &machine->devices[machine->n_devices++];
        gpu->kind = ERT_DEVICE_GPU;
        gpu->gpu.ordinal = i;
        snprintf(gpu->id, sizeof gpu->id, "gpu%d", i);
        snprintf(gpu->backend, sizeof gpu->backend, "fake");
    }
    snprintf(ceilings->device, sizeof ceilings->device, "gpu0");
    for (uint32_t i = 0; i < 4; i++) {
        struct ert_ceiling *extra = add_ceiling(ceilings, ERT_CEILING_LINK, "");
        extra->evidence->n_samples = i;
        snprintf(extra->kernel, sizeof extra->kernel, "load");
        snprintf(extra->key.from, sizeof extra->key.from, "%s", links[i].from);
        snprintf(extra->key.to, sizeof extra->key.to, "%s", links[i].to);
    }
    struct ert_verify_row *rows;
    size_t n;
    assert_int_equal(ert_verify_plan(&recorded, "all", NULL, 0, samples, &rows, &n, &error),
                     ERT_OK);
    assert_int_equal(n, 4);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(samples->devices[0].points[rows[i].point].spec.to,
                         links[rows[i].recorded->evidence->n_samples].far_end);
    free(rows);
    free(ceilings);
    ert_samples_free(samples);
    free(samples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_know_their_other_end),
        cmocka_unit_test(the_same_machine_is_the_same),
        cmocka_unit_test(a_slower_machine_is_seen),
        cmocka_unit_test(a_budget_leaves_rows_open),
        cmocka_unit_test(a_failing_kernel_is_missing),
        cmocka_unit_test(what_could_not_run_is_asked_again),
        cmocka_unit_test(another_machine_is_refused),
        cmocka_unit_test(runs_merge_into_their_median_and_range),
        cmocka_unit_test(what_runs_differ_by_counts),
        cmocka_unit_test(uncertain_main_ones_go_on),
        cmocka_unit_test(error_rates_are_kept),
        cmocka_unit_test(a_lower_clock_is_slower_and_said),
        cmocka_unit_test(a_boost_clock_is_not_a_slower_card),
        cmocka_unit_test(waiting_is_not_missing),
        cmocka_unit_test(one_slower_kernel_is_named),
        cmocka_unit_test(other_guests_may_use_a_vm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
