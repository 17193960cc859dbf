/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sustained: rates that fall to nine tenths after a while, from the planted machine to the ceilings, their
 * files, verify and the placement of kernels.
 */
#include "tests/e2e/pipeline_fixture.h"

#include "analysis/core/place/place.h"
#include "ert/core/backend/backend.h"
#include "ert/ext/verify/verify.h"

#include <unistd.h>

/* By hand: two settling parts; then 2, 3 and 5 s. */
static void figures_are_of_the_parts_behind_the_settling_ones(void **state)
{
    (void)state;
    struct ert_sustained run = {
        .n_parts = 5,
        .n_settling = 2,
        .parts = {{1, 99, 9e9, 100, 8},
                  {2, 99, 9e9, 100, 8},
                  {4, 10, 3e9, 100, 1},
                  {7, 20, 1e9, 100, 5},
                  {12, 4, 2e9, 100, 4}}
    };
    ert_sustained_conclude(&run);
    assert_close(run.time_s, 10, 1e-15);
    assert_close(run.rate_per_s, 10, 1e-15); /* 20 + 60 + 20 passes */
    assert_close(run.clock_hz, 2e9, 1e-15);
    assert_close(run.clock_low_hz, 1e9, 1e-15);
    assert_int_equal(run.throttle, 5);
    run.n_settling = 0;
    run.parts[3].clock_hz = 0; /* unknown */
    ert_sustained_conclude(&run);
    assert_close(run.time_s, 12, 1e-15);
    assert_close(run.rate_per_s, (2 * 99 + 100) / 12., 1e-15);
    assert_close(run.clock_low_hz, 2e9, 1e-15);
}

static void check_fallen(const struct ert_ceiling *ceiling, double planted)
{
    assert_close(ceiling->value, 0.9 * planted, 1e-9);
    assert_close(ceiling->evidence->burst, planted, 0.01);
    assert_true(ceiling->evidence->burst_low <= ceiling->evidence->burst &&
                ceiling->evidence->burst_high >= ceiling->evidence->burst);
    assert_close(ceiling->evidence->falls_after_s, 0.05, 1e-9);
    assert_true(ceiling->evidence->sustained_s > 0.8); /* it met its power limit */
    assert_close(ceiling->evidence->clock_hz, 1.8e9, 1e-9);
    assert_string_equal(ceiling->evidence->throttle_reasons, "SW power cap");
    assert_close(ceiling->evidence->per_joule, 0.9 * planted / 100, 1e-9);
    assert_close(ert_ceiling_burst(ceiling).value, ceiling->evidence->burst, 0);
}

static void check_short(const struct ert_ceiling *ceiling)
{
    assert_true(ceiling->value > 0 && ceiling->evidence->burst == 0 &&
                ceiling->evidence->sustained_s == 0);
    assert_close(ert_ceiling_burst(ceiling).value, ceiling->value, 0);
}

static void roofs_are_sustained_and_bursts_beside_them(void **state)
{
    (void)state;
    struct rig *rig = run_rig("sustained=0.9", "fake", 0);
    assert_int_equal(rig->status, ERT_OK);
    for (size_t d = 0; d < 2; d++) {
        const struct ert_device_ceilings *device = &rig->ceilings.devices[d];
        const struct ert_device *about =
            ert_machine_device(&rig->samples.machine, device->device);
        check_fallen(compute_ceiling(device, "fp64-fma"),
                     ert_fake_performance(about, ERT_KERNEL_fma_fp64));
        check_fallen(compute_ceiling(device, "fp32-fma"),
                     ert_fake_performance(about, ERT_KERNEL_fma_fp32));
        check_short(compute_ceiling(device, "fp64-add"));
        check_short(memory_ceiling(device, "L1-load"));
    }
    /* HBM: the best pattern, its loads, and whoever's short regions reach what the best sustains. */
    const struct ert_device_ceilings *gpu = &rig->ceilings.devices[1];
    const struct ert_device *about = ert_machine_device(&rig->samples.machine, gpu->device);
    const struct ert_level *hbm = ert_device_level(about, "HBM");
    check_fallen(memory_ceiling(gpu, "HBM-add"),
                 ert_fake_level_bandwidth(about, hbm, ERT_KERNEL_add));
    check_fallen(memory_ceiling(gpu, "HBM-load"),
                 ert_fake_level_bandwidth(about, hbm, ERT_KERNEL_load));
    assert_true(memory_ceiling(gpu, "HBM-add")->is_roof);
    check_short(memory_ceiling(gpu, "HBM-triad")); /* 570 of 594 GB/s */
    check_short(memory_ceiling(&rig->ceilings.devices[0], "DRAM-load"));
    free_rig(rig);
}

/* On a CPU what differs at the same clock is disturbance; points of GPUs have blocks. */
static void a_rate_that_stays_is_one(void **state)
{
    (void)state;
    struct rig *rig = run_rig("noise=0", "fake", 0);
    struct ert_device_samples *device = &rig->samples.devices[1];
    const struct ert_ceiling *cpu = compute_ceiling(&rig->ceilings.devices[0], "fp64-fma");
    check_short(cpu);
    for (size_t i = 0; i < device->n_points; i++)
        device->points[i].work.blocks = 132;
    struct ert_ceilings again;
    ert_fit(&rig->samples, &again);
    const struct ert_ceiling *gpu = compute_ceiling(&again.devices[1], "fp64-fma");
    assert_close(cpu->evidence->power_w, 100, 1e-15);
    assert_true(gpu->evidence->sustained_s > 0 && gpu->evidence->falls_after_s == 0);
    assert_close(gpu->evidence->burst, gpu->value, 1e-9);
    assert_string_equal(gpu->evidence->throttle_reasons, "");
    ert_ceilings_free(&again);
    free_rig(rig);
}

static void files_keep_all_of_it(void **state)
{
    (void)state;
    struct rig *rig = run_rig("sustained=0.9", "fake1", 0);
    struct ert_samples *read = calloc(1, sizeof *read);
    struct ert_ceilings again = {0};
    char file[] = "/tmp/ert-sustained-XXXXXX";
    close(mkstemp(file));
    assert_int_equal(ert_samples_write(file, &rig->samples, &rig->error), ERT_OK);
    if (ert_samples_read(file, read, &rig->error) != ERT_OK)
        fail_msg("%s", rig->error.text);
    size_t n = 0;
    for (size_t i = 0; i < read->devices[0].n_points; i++) {
        const struct ert_sustained *was = &rig->samples.devices[0].points[i].sustained;
        const struct ert_sustained *is = &read->devices[0].points[i].sustained;
        n += was->n_parts > 0;
        assert_int_equal(is->n_parts, was->n_parts);
        assert_int_equal(is->n_settling, was->n_settling);
        assert_int_equal(is->throttle, was->throttle);
        assert_close(is->began_unix_s, was->began_unix_s, 1e-15);
        assert_true(was->n_parts == 0 || was->began_unix_s > 1e9);
        for (uint32_t p = 0; p < was->n_parts; p++) {
            assert_close(is->parts[p].end_s, was->parts[p].end_s, 1e-15);
            assert_int_equal(is->parts[p].throttle, was->parts[p].throttle);
        }
    }
    assert_int_equal(n, 5); /* fp64-fma, fp32-fma, HBM-add, HBM-load, HBM-latency */
    ert_fit(read, &again);
    check_fallen(compute_ceiling(&again.devices[0], "fp64-fma"), 8000e9);
    ert_ceilings_free(&again);
    assert_int_equal(ert_ceilings_write(file, &rig->ceilings, &rig->error), ERT_OK);
    assert_int_equal(ert_ceilings_read(file, &again, &rig->error), ERT_OK);
    check_fallen(compute_ceiling(&again.devices[0], "fp64-fma"), 8000e9);
    ert_ceilings_free(&again);
    unlink(file);
    ert_samples_free(read);
    free(read);
    free_rig(rig);
}

/* verify measures short regions: they are compared with what short regions showed. */
static void verify_compares_bursts(void **state)
{
    (void)state;
    struct rig *rig = run_rig("sustained=0.9,noise=0.001", "fake1", 0);
    struct ert_samples *samples = calloc(1, sizeof *samples);
    struct ert_verify_row *rows = NULL;
    const struct ert_run_hooks hooks = {0};
    size_t n = 0;
    samples->machine = rig->samples.machine;
    assert_int_equal(
        ert_verify_plan(&rig->ceilings, "all", NULL, 0, samples, &rows, &n, &rig->error),
        ERT_OK);
    assert_int_equal(ert_run(samples, &hooks, &rig->error), ERT_OK);
    ert_verify_compare(rows, n, samples, 0.01);
    for (size_t i = 0; i < n; i++)
        assert_true(rows[i].verdict == ERT_VERIFY_SAME ||
                    rows[i].verdict == ERT_VERIFY_CANNOT_TELL);
    free(rows);
    ert_samples_free(samples);
    free(samples);
    free_rig(rig);
}

/* 8 TFLOP/s for 50 ms, then 7.2: 40 ms of work at the first, 72 ms at the second. */
static void short_kernels_are_placed_under_the_burst(void **state)
{
    (void)state;
    struct rig *rig = run_rig("sustained=0.9,noise=0", "fake1", 0);
    static struct rfl_roofs roofs;
    struct rfl_roofs_options options = {.clock_hz = 0};
    struct rfl_points points = {0};
    struct rfl_point *point;
    struct rfl_placement placement;
    assert_int_equal(rfl_roofs_make(&rig->ceilings, 0, &options, &roofs, &rig->error),
                     ERT_OK);
    point = rfl_points_add(&points, "kernel");
    assert_int_equal(rfl_points_work(point, "fp64", "", 0.32e12, 1, ""), ERT_OK);
    point->time_s = 0.04;
    rfl_place(point, &roofs, &placement);
    assert_close(placement.fraction, 1, 1e-6);
    assert_contains(placement.advice, "burst");
    point->time_s = 0.08;
    rfl_place(point, &roofs, &placement);
    assert_close(placement.fraction, 0.32 / 7.2 / 0.08, 1e-6);
    assert_contains(placement.advice, "sustained");
    /* At a known clock there is one roof. */
    options.clock_hz = 1.8e9;
    assert_int_equal(rfl_roofs_make(&rig->ceilings, 0, &options, &roofs, &rig->error),
                     ERT_OK);
    point->time_s = 0.04;
    rfl_place(point, &roofs, &placement);
    assert_close(placement.fraction, 0.32 / 7.2 / 0.04, 1e-6);
    rfl_points_free(&points);
    free_rig(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_of_the_parts_behind_the_settling_ones),
        cmocka_unit_test(roofs_are_sustained_and_bursts_beside_them),
        cmocka_unit_test(a_rate_that_stays_is_one),
        cmocka_unit_test(files_keep_all_of_it),
        cmocka_unit_test(verify_compares_bursts),
        cmocka_unit_test(short_kernels_are_placed_under_the_burst),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
