/* again and runs: recorded ceilings are measured again and judged; several runs become one record. */
#include "tests/unit/test.h"

#include "ert/backend/fake.h"
#include "ert/ceilings/again.h"
#include "ert/ceilings/fit.h"
#include "ert/ceilings/runs.h"
#include "ert/sweep/plan.h"
#include "ert/sweep/run.h"

#include <stdlib.h>

static struct ert_error error;

/* Runs the planted machine and fits it. */
static void record(const char *plant, uint64_t seed, struct ert_ceilings *ceilings)
{
    struct ert_samples *samples = calloc(1, sizeof *samples);
    const struct ert_run_hooks hooks = {.leaders = ert_fit_leaders};
    setenv("ERT_FAKE", plant, 1);
    ert_config_default(&samples->config);
    samples->config.seed = seed;
    snprintf(samples->config.device, sizeof samples->config.device, "fake");
    assert_int_equal(ert_backend_fake.discover(&samples->machine, &error), ERT_OK);
    assert_int_equal(ert_plan_make(samples, &error), ERT_OK);
    assert_int_equal(ert_run(samples, &hooks, &error), ERT_OK);
    assert_int_equal(ert_fit(samples, ceilings, &error), ERT_OK);
    ert_samples_free(samples);
    free(samples);
}

static struct ert_samples *plan(const struct ert_ceilings *recorded, const char *device,
                                enum ert_status expected)
{
    struct ert_samples *samples = calloc(1, sizeof *samples);
    assert_int_equal(ert_backend_fake.discover(&samples->machine, &error), ERT_OK);
    assert_int_equal(ert_again_plan(recorded, device, samples, &error), expected);
    return samples;
}

/* Measures again under a plant and counts the verdicts. */
static void count_verdicts(const struct ert_ceilings *recorded, const char *plant,
                           double margin, size_t counts[4])
{
    const struct ert_run_hooks hooks = {0};
    struct ert_again_row *rows = NULL;
    size_t n = 0;
    setenv("ERT_FAKE", plant, 1);
    struct ert_samples *samples = plan(recorded, "all", ERT_OK);
    ert_run(samples, &hooks, &error);
    assert_int_equal(ert_again_compare(recorded, samples, margin, &rows, &n, &error),
                     ERT_OK);
    for (int i = 0; i < 4; i++)
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
    (void)state;
    struct ert_ceilings recorded;
    size_t counts[4];
    record("noise=0.005", 1, &recorded);
    count_verdicts(&recorded, "noise=0.005", 0.01, counts);
    assert_int_equal(
        counts[ERT_AGAIN_SLOWER] + counts[ERT_AGAIN_FASTER] + counts[ERT_AGAIN_MISSING], 0);
    ert_ceilings_free(&recorded);
}

/* A clock that fell by a third makes all slower; latencies, where planted, take longer. */
static void a_slower_machine_is_seen(void **state)
{
    (void)state;
    struct ert_ceilings recorded;
    size_t counts[4];
    record("noise=0.005", 1, &recorded);
    count_verdicts(&recorded, "noise=0.005,fault=clock", 0.01, counts);
    assert_int_equal(counts[ERT_AGAIN_SAME] + counts[ERT_AGAIN_FASTER], 0);
    count_verdicts(&recorded, "noise=0.005,fault=clock", 0.9, counts);
    assert_int_equal(counts[ERT_AGAIN_SLOWER], 0); /* the margin counts */
    ert_ceilings_free(&recorded);
}

static void a_failing_kernel_is_missing(void **state)
{
    (void)state;
    struct ert_ceilings recorded;
    size_t counts[4];
    record("noise=0.005", 1, &recorded);
    count_verdicts(&recorded, "noise=0.005,fault=nan,kernel=fma_fp64", 0.01, counts);
    assert_int_equal(counts[ERT_AGAIN_MISSING], 2); /* of the planted CPU and GPU */
    ert_ceilings_free(&recorded);
}

static void another_machine_is_refused(void **state)
{
    (void)state;
    struct ert_ceilings recorded;
    struct ert_samples *samples;
    record("noise=0", 1, &recorded);
    samples = plan(&recorded, "fake9", ERT_USAGE);
    assert_contains(error.text, "'fake9'");
    free(samples);
    setenv("ERT_FAKE", "gpus=0", 1);
    samples = plan(&recorded, "all", ERT_UNAVAILABLE);
    assert_contains(error.text, "no device 'fake1'");
    ert_samples_free(samples);
    free(samples);
    setenv("ERT_FAKE", "gpus=1", 1);
    snprintf(recorded.machine->devices[0].name, sizeof recorded.machine->devices[0].name,
             "another CPU");
    samples = plan(&recorded, "all", ERT_USAGE);
    assert_contains(error.text, "'another CPU', this one is 'planted CPU'");
    ert_samples_free(samples);
    free(samples);
    ert_ceilings_free(&recorded);
}

/* By hand: values 1, 5, 3 with intervals of 10 %. */
static void runs_merge_into_their_median_and_range(void **state)
{
    (void)state;
    static const double values[] = {1, 5, 3};
    struct ert_ceilings runs[3];
    for (size_t i = 0; i < 3; i++) {
        record("noise=0", 1, &runs[i]);
        struct ert_ceiling *ceiling = &runs[i].devices[0].compute[0].common;
        ceiling->value = values[i];
        ceiling->low = 0.9 * values[i];
        ceiling->high = ceiling->best = 1.1 * values[i];
        /* The clock, and so the peak, was another in each: 50, 100 and 30 %. */
        ceiling->fraction_of_theory = i == 0 ? 0.5 : i == 1 ? 1.0 : 0.3;
        ceiling->theory = values[i] / ceiling->fraction_of_theory;
    }
    runs[1].devices[1].trusted = false;
    runs[2].devices[0].n_compute--; /* the last one is missing in one run */
    assert_int_equal(ert_runs_merge(runs, 3, &error), ERT_OK);
    const struct ert_device_ceilings *device = &runs[0].devices[0];
    const struct ert_ceiling *ceiling = &device->compute[0].common;
    assert_close(ceiling->value, 3, 1e-12);
    assert_close(ceiling->low, 0.9, 1e-12);
    assert_close(ceiling->high, 5.5, 1e-12);
    assert_close(ceiling->best, 5.5, 1e-12);
    assert_close(ceiling->fraction_of_theory, 0.5, 1e-12);
    assert_close(ceiling->theory, 6, 1e-12);
    assert_int_equal(ceiling->n_runs, 3);
    assert_close(ceiling->runs_low, 1, 1e-12);
    assert_close(ceiling->runs_high, 5, 1e-12);
    assert_int_equal(device->compute[device->n_compute - 1].common.n_runs, 2);
    assert_true(device->trusted);
    assert_false(runs[0].devices[1].trusted);
    const char *name;
    assert_close(ert_runs_spread(device, &name), 4.0 / 3, 1e-12);
    assert_string_equal(name, ceiling->name);
    for (size_t i = 0; i < 3; i++)
        ert_ceilings_free(&runs[i]);
}

/* What the runs saw is normal, even where it is wider than the interval. */
static void the_range_of_runs_is_normal(void **state)
{
    (void)state;
    struct ert_ceilings recorded;
    size_t counts[4];
    record("noise=0.001", 1, &recorded);
    for (size_t d = 0; d < recorded.n_devices; d++) {
        for (size_t i = 0; i < recorded.devices[d].n_compute; i++) {
            recorded.devices[d].compute[i].common.n_runs = 2;
            recorded.devices[d].compute[i].common.runs_high = 1e15;
            recorded.devices[d].compute[i].common.runs_low = 1;
        }
        recorded.devices[d].n_memory = d == 0 ? recorded.devices[d].n_memory : 10;
    }
    count_verdicts(&recorded, "noise=0.001,fault=clock", 0.01, counts);
    assert_int_equal(counts[ERT_AGAIN_SAME],
                     recorded.devices[0].n_compute + recorded.devices[1].n_compute);
    ert_ceilings_free(&recorded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_machine_is_the_same),
        cmocka_unit_test(a_slower_machine_is_seen),
        cmocka_unit_test(a_failing_kernel_is_missing),
        cmocka_unit_test(another_machine_is_refused),
        cmocka_unit_test(runs_merge_into_their_median_and_range),
        cmocka_unit_test(the_range_of_runs_is_normal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
