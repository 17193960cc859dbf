/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ert110: the sets and trials of ERT 1.1.0. What its own programs printed is the known answer: of the C
 * sources with 4096 bytes, ERT_ALIGN 64, and of those in C++ with a larger least number of trials.
 */
#include "tests/unit/test.h"

#include "ert/core/sweep/plan.h"
#include "ert/ext/ert110/ert110.h"

enum { MOST = 4096 };
static struct ert110_set sets[MOST];

static size_t sets_of(uint64_t memory_bytes, uint64_t set_min, uint64_t trials_min,
                      double growth, enum ert_kernel_id kernel, uint32_t threads)
{
    struct ert_config config = {.name = ""};
    struct ert110_options ert110 = ert110_options_of(&config);
    ert110.memory.bytes = memory_bytes;
    ert110.set_min = set_min;
    ert110.trials_min = trials_min;
    ert110.growth = growth;
    return ert110_sets(&ert110, kernel, threads, sets, MOST);
}

/* The least last number: 1, 2 <= 3; 1, 2, 3 ... grow by one at least; from 10 on by a tenth. */
static void least_trials(void **state)
{
    size_t n = sets_of(1 << 30, 1, 1, 1.1, ERT_KERNEL_ert_fp64, 1);
    assert_int_equal(n, 187);
    assert_true(sets[0].elements == 1 && sets[0].trials == 1 << 27);
    assert_true(sets[9].elements == 10 && sets[10].elements == 11);
    assert_true(sets[n - 1].elements <= 1 << 27 && sets[n - 1].trials == 1);
    n = sets_of(4096, 100, 3, 1.1, ERT_KERNEL_ert_fp64, 1);
    assert_int_equal(n, 18);
    assert_int_equal(sets[0].trials, 4);
    assert_int_equal(sets[17].trials, 2);
}

/* Parts are rounded down to ERT_ALIGN; elements of FP32 are half as large, FP16 go in pairs. */
static void threads_and_types(void **state)
{
    size_t n = sets_of(1000, 1, 1, 2, ERT_KERNEL_ert_fp64, 3); /* 320 bytes, 40 */
    assert_int_equal(n, 6);
    assert_true(sets[5].elements == 32 && sets[0].trials == 32);
    n = sets_of(1000, 1, 1, 2, ERT_KERNEL_ert_fp32, 3);
    assert_int_equal(n, 7);
    n = sets_of(1000, 1, 1, 2, ERT_KERNEL_ert_fp16, 3);
    assert_int_equal(n, 7);
    assert_int_equal(sets_of(100, 64, 1, 1.1, ERT_KERNEL_ert_fp64, 1), 0);
    assert_int_equal(sets_of(40, 1, 1, 1.1, ERT_KERNEL_ert_fp64, 1), 0); /* less than 64 */
}

static struct ert_samples *plan(const char *device, uint32_t n_threads)
{
    struct ert_samples *samples = calloc(1, sizeof *samples);
    struct ert_error error = {0};
    assert_non_null(samples);
    setenv("ERT_FAKE", "noise=0", 1);
    ert_config_default(&samples->config);
    ert110_preset(&samples->config, NULL, NULL);
    snprintf(samples->config.device, sizeof samples->config.device, "%s", device);
    struct ert110_options *own = ert110_own_options(&samples->config);
    own->n_launches = n_threads;
    for (uint32_t i = 0; i < n_threads; i++)
        own->launches[i].threads = 2u << (2 * i);
    assert_int_equal(ert_backend_fake.discover(&samples->machine, &error), ERT_OK);
    if (ert_plan_make(samples, &error) != ERT_OK)
        fail_msg("%s", error.text);
    return samples;
}

static void drop(struct ert_samples *samples)
{
    ert_samples_free(samples);
    free(samples);
}

/* 2, 8 and 32 threads on a machine of 8 hardware threads; nine flop counts. */
static void a_plan_for_cpus(void **state)
{
    struct ert_samples *samples = plan("fake0", 3);
    const struct ert_device_samples *device = &samples->devices[0];
    size_t n2 = sets_of(1 << 30, 1, 1, 1.1, ERT_KERNEL_ert_fp64, 2);
    size_t n8 = sets_of(1 << 30, 1, 1, 1.1, ERT_KERNEL_ert_fp64, 8);
    assert_int_equal(device->n_points, 9 * (n2 + n8));
    assert_int_equal(device->n_not_measured, 1);
    assert_string_equal(device->not_measured[0].name, "ert_fp64, 32 threads");
    assert_contains(device->not_measured[0].reason, "8 hardware threads");
    const struct ert_point *point =
        &device->points[n2 * 9 + n8 + 3]; /* 8 threads, 2 flops */
    assert_int_equal(point->section, ERT_SECTION_ert110);
    assert_int_equal(point->spec.concurrency, 8);
    assert_int_equal(point->spec.flops_per_element, 2);
    assert_int_equal(point->spec.requested_bytes, 8 * 8 * 4);
    assert_int_equal(point->most_passes, 1 << 22); /* 2^24 / 4 */
    drop(samples);
}

/* 16 SMs of 2048 threads, in blocks of 64 to 1024. */
static void a_plan_for_gpus(void **state)
{
    struct ert_samples *samples = plan("fake1", 0);
    const struct ert_device_samples *device = &samples->devices[0];
    size_t n = sets_of(1 << 30, 1, 1, 1.1, ERT_KERNEL_ert_fp64, 1);
    assert_int_equal(device->n_points, 5 * 9 * n);
    for (size_t i = 0; i < 5; i++) {
        const struct ert_spec *spec = &device->points[i * 9 * n].spec;
        assert_int_equal(spec->blocks * spec->block_threads, 16 * 2048);
        assert_int_equal(spec->block_threads, 64u << i);
    }
    drop(samples);
}

static void it_stands_alone(void **state)
{
    struct ert_samples *samples = plan("fake0", 0);
    struct ert_error error = {0};
    samples->config.sections[ERT_SECTION_LATENCY] = true;
    ert_samples_free(samples);
    assert_int_equal(ert_plan_make(samples, &error), ERT_USAGE);
    assert_contains(error.text, "ert110 and latency");
    drop(samples);
}

/* Sets that a plan cannot hold are no shorter sweep: without its end there is no DRAM. */
static void too_many_sets_are_refused(void **state)
{
    struct ert_samples *samples = plan("fake0", 0);
    struct ert_error error = {0};
    ert110_own_options(&samples->config)->growth = 1.001;
    ert_samples_free(samples);
    assert_int_equal(ert_plan_make(samples, &error), ERT_USAGE);
    assert_contains(error.text, "ert110_growth: 1.001: 4096 sets or more to 1073741824");
    drop(samples);
}

/* 100 bytes: one thread has a part of 64, two have none. */
static void parts_without_a_set_are_not_measured(void **state)
{
    struct ert_samples *samples = plan("fake0", 2);
    struct ert_error error = {0};
    ert110_own_options(&samples->config)->launches[0].threads = 1;
    ert110_own_options(&samples->config)->launches[1].threads = 2;
    ert110_own_options(&samples->config)->memory.bytes = 100;
    ert_samples_free(samples);
    assert_int_equal(ert_plan_make(samples, &error), ERT_OK);
    assert_int_equal(samples->devices[0].n_points, 9 * 8);
    assert_int_equal(samples->devices[0].n_not_measured, 1);
    assert_string_equal(samples->devices[0].not_measured[0].name, "ert_fp64");
    assert_contains(samples->devices[0].not_measured[0].reason, "no set fits");
    drop(samples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least_trials),
        cmocka_unit_test(threads_and_types),
        cmocka_unit_test(a_plan_for_cpus),
        cmocka_unit_test(a_plan_for_gpus),
        cmocka_unit_test(it_stands_alone),
        cmocka_unit_test(too_many_sets_are_refused),
        cmocka_unit_test(parts_without_a_set_are_not_measured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
