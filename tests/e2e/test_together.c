/* together: several planted GPUs are measured side by side, then alone and all at once. */
#include "tests/e2e/pipeline_fixture.h"

static const struct ert_extra *find(const struct ert_device_ceilings *device,
                                    const char *name)
{
    for (size_t i = 0; i < device->n_extra[ERT_EXTRA_TOGETHER]; i++)
        if (strcmp(device->extra[ERT_EXTRA_TOGETHER][i].common.name, name) == 0)
            return &device->extra[ERT_EXTRA_TOGETHER][i];
    return NULL;
}

static void every_gpu_has_its_rates_alone_and_at_once(void **state)
{
    (void)state;
    struct rig *rig = run_rig("gpus=3,noise=0.002", "fake", 0);
    assert_int_equal(rig->status, ERT_OK);
    assert_int_equal(rig->ceilings.n_devices, 4);
    for (size_t d = 1; d < 4; d++) {
        const struct ert_device_ceilings *device = &rig->ceilings.devices[d];
        const struct ert_device *about =
            ert_machine_device(&rig->samples.machine, device->device);
        double planted = ert_fake_performance(about, ERT_KERNEL_fma_fp64);
        const struct ert_extra *fma = find(device, "fp64-fma");
        const struct ert_extra *load = find(device, "HBM-load");
        assert_non_null(fma);
        assert_non_null(load);
        assert_int_equal(fma->count, 3);
        assert_close(fma->common.value, planted, 0.01);
        assert_close(fma->alone, planted, 0.01);
        assert_string_equal(fma->operation, "flop/s");
        assert_close(load->common.value,
                     ert_fake_level_bandwidth(about, ert_device_level(about, "HBM"),
                                              ERT_KERNEL_load),
                     0.01);
        assert_close(compute_ceiling(device, "fp64-fma")->common.value, planted, 0.01);
    }
    /* The host is measured by itself. */
    assert_int_equal(rig->ceilings.devices[0].n_extra[ERT_EXTRA_TOGETHER], 0);
    free_rig(rig);
}

static void one_gpu_has_nothing_to_share(void **state)
{
    (void)state;
    struct rig *rig = run_rig("gpus=1", "fake", 0);
    assert_int_equal(rig->status, ERT_OK);
    assert_int_equal(rig->ceilings.devices[1].n_extra[ERT_EXTRA_TOGETHER], 0);
    free_rig(rig);
}

static void an_interrupt_stops_all_of_them(void **state)
{
    (void)state;
    struct rig *rig = run_rig("gpus=3", "fake", 3000);
    assert_int_equal(rig->status, ERT_FAILED);
    assert_string_equal(rig->samples.status, "interrupted");
    for (size_t d = 1; d < 4; d++)
        assert_string_equal(rig->samples.devices[d].status, "interrupted");
    free_rig(rig);
}

static void a_lost_gpu_does_not_stop_the_others(void **state)
{
    (void)state;
    struct rig *rig = run_rig("gpus=2,fault=gone,kernel=mul_fp64,after=400", "fake", 0);
    assert_int_equal(rig->status, ERT_FAILED);
    assert_contains(rig->error.text, "does not answer");
    for (size_t d = 1; d < 3; d++)
        assert_true(rig->samples.devices[d].n_points > 0);
    free_rig(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_gpu_has_its_rates_alone_and_at_once),
        cmocka_unit_test(one_gpu_has_nothing_to_share),
        cmocka_unit_test(an_interrupt_stops_all_of_them),
        cmocka_unit_test(a_lost_gpu_does_not_stop_the_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
