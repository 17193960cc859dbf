/* classic: ERT's sweep on the planted machine: its rates come back under ERT's labels. */
#include "tests/e2e/pipeline_fixture.h"

#include "ert/ceilings/fit_classic.h"

#include <unistd.h>

static struct rig *run_classic(const char *plant, const char *device)
{
    struct rig *rig = calloc(1, sizeof *rig);
    struct ert_error error = {0};
    assert_non_null(rig);
    setenv("ERT_FAKE", plant, 1);
    ert_config_default(&rig->samples.config);
    ert_config_classic(&rig->samples.config);
    rig->samples.config.classic.n_shapes = 2;
    rig->samples.config.classic.shapes[0] = (struct ert_classic_shape){64, 128};
    rig->samples.config.classic.shapes[1] = (struct ert_classic_shape){32, 256};
    snprintf(rig->samples.config.remarks[0], sizeof rig->samples.config.remarks[0],
             "ERT_X: not applied");
    rig->samples.config.n_remarks = 1;
    snprintf(rig->samples.config.device, sizeof rig->samples.config.device, "%s", device);
    assert_int_equal(ert_backend_fake.discover(&rig->samples.machine, &rig->error), ERT_OK);
    assert_int_equal(ert_plan_make(&rig->samples, &rig->error), ERT_OK);
    const struct ert_run_hooks hooks = {.leaders = ert_fit_leaders, .stop = &rig->stop};
    assert_int_equal(ert_run(&rig->samples, &hooks, &rig->error), ERT_OK);
    assert_int_equal(ert_fit(&rig->samples, &rig->ceilings, &error), ERT_OK);
    return rig;
}

static void check_level(const struct rig *rig, size_t index, const char *label,
                        const char *planted)
{
    const struct ert_memory_ceiling *ceiling = &rig->ceilings.devices[0].memory[index];
    const struct ert_device *device =
        ert_machine_device(&rig->samples.machine, rig->ceilings.devices[0].device);
    double rate = ert_fake_level_bandwidth(device, ert_device_level(device, planted),
                                           ERT_KERNEL_ert_fp64);
    assert_string_equal(ceiling->level, label);
    assert_string_equal(ceiling->pattern, "update");
    assert_string_equal(ceiling->common.kernel, "ert_fp64");
    assert_close(ceiling->common.value, rate, 0.02);
    assert_true(ceiling->common.low <= ceiling->common.value * 1.001 &&
                ceiling->common.high >= ceiling->common.value * 0.999);
    assert_true(ceiling->plateau_bytes[0] < ceiling->plateau_bytes[1]);
    assert_non_null(ert_device_level(
        ert_machine_device(rig->ceilings.machine, rig->ceilings.devices[0].device), label));
}

static void planted_cpus_come_back(void **state)
{
    (void)state;
    struct rig *rig = run_classic("noise=0.005", "fake0");
    const struct ert_device_ceilings *device = &rig->ceilings.devices[0];
    assert_string_equal(rig->ceilings.mode, ERT_CLASSIC_MODE);
    assert_int_equal(device->n_memory, 4);
    check_level(rig, 0, "L1", "L1");
    check_level(rig, 1, "L2", "L2");
    check_level(rig, 2, "L3", "L3");
    check_level(rig, 3, "DRAM", "DRAM");
    assert_int_equal(device->n_compute, 1);
    assert_string_equal(device->compute[0].common.name, "fp64-fma");
    assert_close(device->compute[0].common.value, 200e9, 0.01);
    assert_int_equal(device->n_curve, rig->samples.devices[0].n_points);
    assert_string_equal(rig->ceilings.machine->notes[rig->ceilings.machine->n_notes - 1],
                        "ERT_X: not applied");
    free_rig(rig);
}

/* ERT's accesses see all caches of a GPU; its last label is DRAM, whatever the memory. */
static void planted_gpus_come_back(void **state)
{
    (void)state;
    struct rig *rig = run_classic("noise=0.005", "fake1");
    assert_int_equal(rig->ceilings.devices[0].n_memory, 3);
    check_level(rig, 0, "L1", "L1");
    check_level(rig, 1, "L2", "L2");
    check_level(rig, 2, "DRAM", "HBM");
    assert_close(rig->ceilings.devices[0].compute[0].common.value, 8000e9, 0.01);
    assert_string_equal(rig->ceilings.devices[0].compute[0].unit, "core");
    free_rig(rig);
}

/* As many passes as ERT would do, or what 2 ms hold: by halves of its number, 256 at least. */
static void regions_end_in_time(void **state)
{
    (void)state;
    struct rig *rig = run_classic("noise=0", "fake1");
    const struct ert_device_samples *device = &rig->samples.devices[0];
    size_t n_fewer = 0;
    for (size_t i = 0; i < device->n_points; i++) {
        const struct ert_point *point = &device->points[i];
        assert_int_equal(point->n_samples, 1);
        assert_int_equal(point->samples[0].passes, point->passes);
        assert_true(point->passes <= point->trials && point->trials % point->passes == 0);
        if (point->passes == point->trials)
            continue;
        n_fewer++;
        assert_true(point->passes >= 256);
        assert_true(point->samples[0].time_s < 4.1e-3 || point->passes < 512);
    }
    assert_true(n_fewer > 0 && n_fewer < device->n_points);
    free_rig(rig);
}

/* What is written is what is read, and fits the same. */
static void files_keep_it(void **state)
{
    (void)state;
    char file[] = "/tmp/ert-classic-XXXXXX";
    struct rig *rig = run_classic("noise=0", "fake0");
    struct ert_samples *read = calloc(1, sizeof *read);
    struct ert_ceilings again = {0}, written = {0};
    struct ert_error error = {0};
    assert_true(mkstemp(file) >= 0);
    assert_int_equal(ert_samples_write(file, &rig->samples, &error), ERT_OK);
    if (ert_samples_read(file, read, &error) != ERT_OK)
        fail_msg("%s", error.text);
    assert_int_equal(read->devices[0].points[5].trials,
                     rig->samples.devices[0].points[5].trials);
    assert_int_equal(ert_fit(read, &again, &error), ERT_OK);
    assert_int_equal(again.devices[0].n_memory, rig->ceilings.devices[0].n_memory);
    assert_close(again.devices[0].memory[1].common.value,
                 rig->ceilings.devices[0].memory[1].common.value, 1e-12);
    assert_int_equal(ert_ceilings_write(file, &again, &error), ERT_OK);
    if (ert_ceilings_read(file, &written, &error) != ERT_OK)
        fail_msg("%s", error.text);
    assert_string_equal(written.mode, ERT_CLASSIC_MODE);
    unlink(file);
    ert_ceilings_free(&written);
    ert_ceilings_free(&again);
    ert_samples_free(read);
    free(read);
    free_rig(rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_cpus_come_back),
        cmocka_unit_test(planted_gpus_come_back),
        cmocka_unit_test(regions_end_in_time),
        cmocka_unit_test(files_keep_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
