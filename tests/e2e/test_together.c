/* together: several planted GPUs are measured side by side, then alone and all at once. */
#include "tests/unit/test.h"

#include "ert/backend/fake.h"
#include "ert/ceilings/fit.h"
#include "ert/sweep/plan.h"
#include "ert/sweep/run.h"

#include <stdlib.h>

struct rig {
    struct ert_samples samples;
    struct ert_ceilings ceilings;
    struct ert_error error;
    enum ert_status status;
    volatile bool stop;
    int stop_after, n_progress, n_inside, n_overlaps;
};

/* Hooks of different devices never run at the same time. */
static void on_progress(const struct ert_progress *state, void *context)
{
    struct rig *rig = context;
    (void)state;
    rig->n_overlaps += ++rig->n_inside > 1;
    if (++rig->n_progress == rig->stop_after)
        rig->stop = true;
    rig->n_inside--;
}

static struct rig *run_rig(const char *plant, int stop_after)
{
    struct rig *rig = calloc(1, sizeof *rig);
    assert_non_null(rig);
    setenv("ERT_FAKE", plant, 1);
    ert_config_default(&rig->samples.config);
    snprintf(rig->samples.config.device, sizeof rig->samples.config.device, "fake");
    assert_int_equal(ert_backend_fake.discover(&rig->samples.machine, &rig->error), ERT_OK);
    assert_int_equal(ert_plan_make(&rig->samples, &rig->error), ERT_OK);
    rig->stop_after = stop_after;
    const struct ert_run_hooks hooks = {.progress = on_progress,
                                        .leaders = ert_fit_leaders,
                                        .context = rig,
                                        .stop = &rig->stop};
    rig->status = ert_run(&rig->samples, &hooks, &rig->error);
    struct ert_error fit_error = {0};
    assert_int_equal(ert_fit(&rig->samples, &rig->ceilings, &fit_error), ERT_OK);
    return rig;
}

static void free_rig(struct rig *rig)
{
    ert_ceilings_free(&rig->ceilings);
    ert_samples_free(&rig->samples);
    free(rig);
}

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
    struct rig *rig = run_rig("gpus=3,noise=0.002", 0);
    assert_int_equal(rig->status, ERT_OK);
    assert_int_equal(rig->n_overlaps, 0);
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
        assert_close(ert_ceilings_compute(device, "fp64-fma")->common.value, planted, 0.01);
    }
    /* The host is measured by itself. */
    assert_int_equal(rig->ceilings.devices[0].n_extra[ERT_EXTRA_TOGETHER], 0);
    free_rig(rig);
}

static void one_gpu_has_nothing_to_share(void **state)
{
    (void)state;
    struct rig *rig = run_rig("gpus=1", 0);
    assert_int_equal(rig->status, ERT_OK);
    assert_int_equal(rig->ceilings.devices[1].n_extra[ERT_EXTRA_TOGETHER], 0);
    free_rig(rig);
}

static void an_interrupt_stops_all_of_them(void **state)
{
    (void)state;
    struct rig *rig = run_rig("gpus=3", 3000);
    assert_int_equal(rig->status, ERT_FAILED);
    assert_string_equal(rig->samples.status, "interrupted");
    for (size_t d = 1; d < 4; d++)
        assert_string_equal(rig->samples.devices[d].status, "interrupted");
    free_rig(rig);
}

static void a_lost_gpu_does_not_stop_the_others(void **state)
{
    (void)state;
    struct rig *rig = run_rig("gpus=2,fault=gone,kernel=mul_fp64,after=400", 0);
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
