/* SPDX-License-Identifier: BSD-3-Clause */
/* multi_gpu: several planted GPUs are measured side by side, then alone and all at once. */
#include "tests/e2e/pipeline_fixture.h"
#include "tests/unit/ceilings_fixture.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

/* Threads that the host still gives; below 0: any number. The program's own threads come through here. */
static int threads_left = -1;

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                   void *(*start)(void *), void *context)
{
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    void *found = dlsym(RTLD_NEXT, "pthread_create");
    memcpy(&next, &found, sizeof next);
    if (threads_left == 0)
        return EAGAIN;
    threads_left -= threads_left > 0;
    return next(thread, attributes, start, context);
}

static const struct ert_ceiling *find(const struct ert_device_ceilings *device,
                                      const char *name)
{
    for (size_t i = 0; i < n_ceilings(device, ERT_CEILING_MULTI_GPU); i++)
        if (strcmp(ceiling_at(device, ERT_CEILING_MULTI_GPU, i)->name, name) == 0)
            return ceiling_at(device, ERT_CEILING_MULTI_GPU, i);
    return NULL;
}

static void every_gpu_has_its_rates_alone_and_at_once(void **state)
{
    struct rig *rig = run_rig("gpus=3,noise=0.002", "fake", 0);
    assert_int_equal(rig->status, ERT_OK);
    assert_int_equal(rig->ceilings.n_devices, 4);
    for (size_t d = 1; d < 4; d++) {
        const struct ert_device_ceilings *device = &rig->ceilings.devices[d];
        const struct ert_device *about =
            ert_machine_device(&rig->samples.machine, device->device);
        double planted = ert_fake_performance(about, ERT_KERNEL_fma_fp64), sum = 0;
        for (size_t o = 1; o < 4; o++)
            sum += find(&rig->ceilings.devices[o], "fp64-fma")->value;
        const struct ert_ceiling *fma = find(device, "fp64-fma");
        const struct ert_ceiling *load = find(device, "HBM-load");
        assert_non_null(fma);
        assert_non_null(load);
        assert_int_equal(fma->key.count, 3);
        assert_close(fma->value, planted, 0.01);
        assert_close(fma->evidence->alone, planted, 0.01);
        assert_int_equal(fma->unit, ERT_UNIT_FLOP_PER_S);
        assert_close(fma->evidence->aggregate, sum, 1e-12);
        assert_true(load->evidence->lockstep <= load->evidence->aggregate &&
                    load->evidence->lockstep > 0.97 * load->evidence->aggregate);
        assert_close(load->value,
                     ert_fake_level_bandwidth(about, ert_device_level(about, "HBM"),
                                              ERT_KERNEL_load),
                     0.01);
        assert_close(compute_ceiling(device, "fp64-fma")->value, planted, 0.01);
    }
    /* The host is measured by itself. */
    assert_int_equal(n_ceilings(&rig->ceilings.devices[0], ERT_CEILING_MULTI_GPU), 0);
    free_rig(rig);
}

static void one_gpu_has_nothing_to_share(void **state)
{
    struct rig *rig = run_rig("gpus=1", "fake", 0);
    assert_int_equal(rig->status, ERT_OK);
    assert_int_equal(n_ceilings(&rig->ceilings.devices[1], ERT_CEILING_MULTI_GPU), 0);
    free_rig(rig);
}

static void an_interrupt_stops_all_of_them(void **state)
{
    struct rig *rig = run_rig("gpus=3", "fake", 3000);
    assert_int_equal(rig->status, ERT_FAILED);
    assert_string_equal(rig->samples.status, "interrupted");
    for (size_t d = 1; d < 4; d++)
        assert_string_equal(rig->samples.devices[d].status, "interrupted");
    free_rig(rig);
}

static void a_lost_gpu_does_not_stop_the_others(void **state)
{
    struct rig *rig = run_rig("gpus=2,fault=gone,kernel=mul_fp64,after=400", "fake", 0);
    assert_int_equal(rig->status, ERT_FAILED);
    assert_contains(rig->error.text, "does not answer");
    for (size_t d = 1; d < 3; d++)
        assert_true(rig->samples.devices[d].n_points > 0);
    free_rig(rig);
}

/* Two threads measure side by side; of the first task at once one GPU of three gets none. */
static void too_few_threads_end_what_is_at_once(void **state)
{
    for (int left = 0; left < 4; left++) {
        threads_left = left;
        alarm(60);
        struct rig *rig = run_rig("gpus=3", "fake", 0);
        alarm(0);
        threads_left = -1;
        assert_int_equal(rig->status, ERT_OK);
        for (size_t d = 1; d < 4; d++) {
            const struct ert_device_samples *device = &rig->samples.devices[d];
            assert_non_null(compute_ceiling(&rig->ceilings.devices[d], "fp64-fma"));
            for (size_t i = 0; i < device->n_points; i++)
                if (device->points[i].at_once > 1) {
                    assert_int_equal(device->points[i].status, ERT_POINT_SKIPPED);
                    assert_contains(device->points[i].reason,
                                    "cannot start a thread for each of 3");
                }
        }
        free_rig(rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_gpu_has_its_rates_alone_and_at_once),
        cmocka_unit_test(one_gpu_has_nothing_to_share),
        cmocka_unit_test(an_interrupt_stops_all_of_them),
        cmocka_unit_test(a_lost_gpu_does_not_stop_the_others),
        cmocka_unit_test(too_few_threads_end_what_is_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
