/* SPDX-License-Identifier: BSD-3-Clause */
/* ert110: ERT's sweep on the planted machine: its rates come back under ERT's labels. */
#include "tests/e2e/pipeline_fixture.h"
#include "tests/unit/ceilings_fixture.h"

#include "ert/ext/ert110/ert110.h"
#include "ert/ext/verify/verify.h"

#include <math.h>
#include <unistd.h>

/* Points that were measured when samples were first kept. */
static size_t n_kept;

static enum ert_status keep(const struct ert_samples *samples, void *context,
                            struct ert_error *error)
{
    (void)context;
    (void)error;
    if (n_kept > 0)
        return ERT_OK;
    for (size_t i = 0; i < samples->devices[0].n_points; i++)
        n_kept += samples->devices[0].points[i].n_samples > 0;
    return ERT_OK;
}

static struct rig *run_ert110(const char *plant, const char *device)
{
    struct rig *rig = calloc(1, sizeof *rig);
    assert_non_null(rig);
    setenv("ERT_FAKE", plant, 1);
    ert_config_default(&rig->samples.config);
    ert110_preset(&rig->samples.config, NULL, NULL);
    struct ert110_options *own = ert110_own_options(&rig->samples.config);
    own->n_launches = 2;
    own->launches[0] = (struct ert110_launch){64, 128};
    own->launches[1] = (struct ert110_launch){32, 256};
    snprintf(rig->samples.config.remarks[0], sizeof rig->samples.config.remarks[0],
             "not applied: ERT_X");
    rig->samples.config.n_remarks = 1;
    snprintf(rig->samples.config.device, sizeof rig->samples.config.device, "%s", device);
    assert_int_equal(ert_backend_fake.discover(&rig->samples.machine, &rig->error), ERT_OK);
    assert_int_equal(ert_plan_make(&rig->samples, &rig->error), ERT_OK);
    const struct ert_run_hooks hooks = {
        .candidates = ert_fit_candidates, .checkpoint = keep, .stop = &rig->stop};
    n_kept = 0;
    assert_int_equal(ert_run(&rig->samples, &hooks, &rig->error), ERT_OK);
    ert_fit(&rig->samples, &rig->ceilings);
    return rig;
}

/* ERT's one round can take minutes. */
static void samples_are_kept_before_the_round_ends(void **state)
{
    struct rig *rig = run_ert110("noise=0", "fake0");
    assert_true(n_kept > 0 && n_kept < rig->samples.devices[0].n_points / 2);
    free_rig(rig);
}

static void check_level(const struct rig *rig, size_t index, const char *label,
                        const char *planted)
{
    const struct ert_ceiling *ceiling = memory_at(&rig->ceilings.devices[0], index);
    const struct ert_device *device =
        ert_machine_device(&rig->samples.machine, rig->ceilings.devices[0].device);
    double rate = ert_fake_level_bandwidth(device, ert_device_level(device, planted),
                                           ERT_KERNEL_ert_fp64);
    assert_string_equal(ceiling->key.level, label);
    assert_string_equal(ceiling->key.pattern, "update");
    assert_string_equal(ceiling->kernel, "ert_fp64");
    assert_close(ceiling->value, rate, 0.02);
    assert_true(ceiling->low <= ceiling->value * 1.001 &&
                ceiling->high >= ceiling->value * 0.999);
    assert_non_null(ert_device_level(
        ert_machine_device(rig->ceilings.machine, rig->ceilings.devices[0].device), label));
}

static void planted_cpus_come_back(void **state)
{
    struct rig *rig = run_ert110("noise=0.005", "fake0");
    const struct ert_device_ceilings *device = &rig->ceilings.devices[0];
    assert_string_equal(rig->ceilings.mode, ERT110_MODE);
    assert_int_equal(n_ceilings(device, ERT_CEILING_MEMORY), 4);
    check_level(rig, 0, "L1", "L1");
    check_level(rig, 1, "L2", "L2");
    check_level(rig, 2, "L3", "L3");
    check_level(rig, 3, "DRAM", "DRAM");
    assert_int_equal(n_ceilings(device, ERT_CEILING_COMPUTE), 1);
    assert_string_equal(compute_at(device, 0)->name, "fp64-fma");
    assert_close(compute_at(device, 0)->value, 200e9, 0.01);
    assert_string_equal(rig->ceilings.machine->notes[rig->ceilings.machine->n_notes - 1],
                        "not applied: ERT_X");
    free_rig(rig);
}

/* ERT's accesses see all caches of a GPU; its last label is DRAM, whatever the memory. */
static void planted_gpus_come_back(void **state)
{
    struct rig *rig = run_ert110("noise=0.005", "fake1");
    assert_int_equal(n_ceilings(&rig->ceilings.devices[0], ERT_CEILING_MEMORY), 3);
    check_level(rig, 0, "L1", "L1");
    check_level(rig, 1, "L2", "L2");
    check_level(rig, 2, "DRAM", "HBM");
    assert_close(compute_at(&rig->ceilings.devices[0], 0)->value, 8000e9, 0.01);
    assert_string_equal(compute_at(&rig->ceilings.devices[0], 0)->key.unit, "core");
    free_rig(rig);
}

/* Byte/s of the fastest set of the point's launch and flop count. */
static double fastest(const struct ert_device_samples *device,
                      const struct ert_point *point)
{
    double most = 0;
    for (size_t i = 0; i < device->n_points; i++) {
        const struct ert_point *other = &device->points[i];
        if (other->spec.flops_per_element == point->spec.flops_per_element &&
            other->spec.kernel == point->spec.kernel &&
            other->spec.blocks == point->spec.blocks)
            most = fmax(most, ert_point_bandwidth(other, &other->samples[0]));
    }
    return most;
}

/* As many passes as ERT would do, or by doubling 2 ms of 256 at least, or as fast as any set. */
static void regions_end_in_time(void **state)
{
    struct rig *rig = run_ert110("noise=0", "fake1");
    const struct ert_device_samples *device = &rig->samples.devices[0];
    size_t n_fewer = 0;
    for (size_t i = 0; i < device->n_points; i++) {
        const struct ert_point *point = &device->points[i];
        assert_int_equal(point->n_samples, 1);
        assert_int_equal(point->samples[0].passes, point->passes);
        assert_true(point->passes <= point->most_passes &&
                    point->most_passes % point->passes == 0);
        if (point->passes == point->most_passes)
            continue;
        n_fewer++;
        if (point->passes < 256) {
            assert_true(point->samples[0].time_s >= 2e-3);
            assert_true(ert_point_bandwidth(point, &point->samples[0]) >
                        0.95 * fastest(device, point));
            continue;
        }
        assert_true(point->samples[0].time_s < 4.1e-3 || point->passes < 512);
    }
    assert_true(n_fewer > 0 && n_fewer < device->n_points);
    free_rig(rig);
}

/* Writes the ceilings, reads them and measures them again under a plant: how many have the verdict. */
static size_t count_again(const struct ert_ceilings *ceilings, const char *plant,
                          enum ert_verify_verdict verdict, size_t *n)
{
    char file[] = "/tmp/ert-ert110-XXXXXX";
    struct ert_ceilings read = {0};
    struct ert_samples *samples = calloc(1, sizeof *samples);
    struct ert_verify_row *list = NULL;
    struct ert_error error = {0};
    const struct ert_run_hooks hooks = {0};
    size_t count = 0;
    int fd = mkstemp(file);
    assert_true(fd >= 0 && samples);
    close(fd);
    assert_int_equal(ert_ceilings_write(file, ceilings, &error), ERT_OK);
    assert_int_equal(ert_ceilings_read(file, &read, &error), ERT_OK);
    unlink(file);
    setenv("ERT_FAKE", plant, 1);
    assert_int_equal(ert_backend_fake.discover(&samples->machine, &error), ERT_OK);
    if (ert_verify_plan(&read, "all", NULL, 0, samples, &list, n, &error) != ERT_OK)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < samples->devices[0].n_points; i++)
        assert_true(samples->devices[0].points[i].most_passes > 0);
    ert_run(samples, &hooks, &error);
    ert_verify_compare(list, *n, samples, 0.01);
    for (size_t i = 0; i < *n; i++)
        count += list[i].verdict == verdict;
    free(list);
    ert_samples_free(samples);
    free(samples);
    ert_ceilings_free(&read);
    return count;
}

static void they_are_measured_again(void **state)
{
    static const struct {
        const char *device;
        size_t n;
    } rows[] = {
        {"fake0", 5},
        {"fake1", 4}
    };
    for (size_t i = 0; i < 2; i++) {
        size_t n = 0;
        struct rig *rig = run_ert110("noise=0.005", rows[i].device);
        /* Its intervals are of the sets of a plateau: too wide to say that all are the same. */
        assert_int_equal(count_again(&rig->ceilings, "noise=0.005", ERT_VERIFY_SLOWER, &n),
                         0);
        assert_int_equal(n, rows[i].n);
        assert_int_equal(
            count_again(&rig->ceilings, "noise=0.005,fault=clock", ERT_VERIFY_SLOWER, &n),
            rows[i].n);
        free_rig(rig);
    }
}

/* With one flop count the fastest set of all may also be the one that stands for L1. */
static void one_set_may_be_two_ceilings(void **state)
{
    size_t n = 0;
    struct rig *rig = run_ert110("noise=0.005", "fake0");
    struct ert_device_ceilings *device = &rig->ceilings.devices[0];
    struct ert_evidence *peak = compute_at(device, 0)->evidence;
    const struct ert_evidence *level = memory_at(device, 0)->evidence;
    peak->requested_bytes = level->requested_bytes;
    peak->launch = level->launch;
    peak->flops_per_element = level->flops_per_element;
    peak->most_passes = level->most_passes;
    assert_int_equal(count_again(&rig->ceilings, "noise=0.005", ERT_VERIFY_MISSING, &n), 0);
    assert_int_equal(n, 5);
    free_rig(rig);
}

/* What all share, the memory, is part of the way back too. */
static void the_memory_is_kept(void **state)
{
    struct ert_config again;
    struct ert_ceilings ceilings = {.n_devices = 0};
    const struct ert110_memory memory = {
        .bytes = 3 << 20, .align_bytes = 32, .is_aligned = true};
    ert110_memory_write(&memory, ceilings.mode_data, sizeof ceilings.mode_data);
    ert_config_default(&again);
    assert_int_equal(ert110_preset(&again, &ceilings, NULL), ERT_OK);
    assert_memory_equal(&ert110_own_options(&again)->memory, &memory, sizeof memory);
    assert_true(again.sections[ERT_SECTION_ert110]);
}

static void no_memory_that_cannot_be(void **state)
{
    static const char *const rows[][2] = {
        {"{\"bytes\": 1, \"align_bytes\": 48",    "48, must be a power of two"},
        {"{\"bytes\": 1, \"align_bytes\": 8192",  "8192"                      },
        {"{\"bytes\": 1e14, \"align_bytes\": 64", "mode_data: bytes: 1"       },
        {"{\"bytes\": 0.5, \"align_bytes\": 64",  "mode_data: bytes: 0.5"     },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct ert_config config;
        struct ert_ceilings ceilings = {.n_devices = 0};
        struct ert_error error;
        snprintf(ceilings.mode_data, sizeof ceilings.mode_data,
                 "%s, \"is_aligned\": 0, \"copies\": 0}", rows[i][0]);
        ert_config_default(&config);
        assert_int_equal(ert110_preset(&config, &ceilings, &error), ERT_USAGE);
        assert_contains(error.text, rows[i][1]);
    }
}

/* A file of a node's cores and its GPU, whose blocks have more threads than there are cores. */
static void a_gpus_threads_are_no_cores(void **state)
{
    struct ert_config config;
    struct ert_device_ceilings *devices = calloc(2, sizeof *devices);
    assert_non_null(devices);
    const struct ert_ceilings ceilings = {.n_devices = 2, .devices = devices};
    add_ceiling(&devices[0], ERT_CEILING_COMPUTE, "")->evidence->launch.threads = 8;
    for (int i = 0; i < 2; i++) {
        struct ert_ceiling *ceiling =
            add_ceiling(&devices[1], i ? ERT_CEILING_MEMORY : ERT_CEILING_COMPUTE, "");
        ceiling->evidence->launch.threads = i ? 512 : 1024;
        ceiling->evidence->blocks = 64;
    }
    ert_config_default(&config);
    assert_int_equal(ert110_preset(&config, &ceilings, NULL), ERT_OK);
    assert_int_equal(ert110_own_options(&config)->n_launches, 1);
    assert_int_equal(ert110_own_options(&config)->launches[0].threads, 8);
    for (int i = 0; i < 2; i++)
        ert_device_ceilings_free(&devices[i]);
    free(devices);
}

/* By hand: rising to 100 at 4, a plateau, a level of 50 to 64; 48 to 52 and 99 also lie on the flank. */
static void the_flank_is_no_plateau(void **state)
{
    double sets[] = {1, 2, 3, 4, 8, 16, 32, 64};
    double rates[] = {20, 49, 94, 100, 99, 75, 51, 49};
    struct ert_sample sample = {.time_s = 1, .passes = 1};
    struct ert_point point = {.n_samples = 1, .samples = &sample};
    const struct ert_point *points[8];
    const struct ert110_series series = {points, 8, sets, rates, 0};
    for (size_t i = 0; i < 8; i++)
        points[i] = &point;
    struct ert110_plateau top = ert110_series_plateau(&series, 99.2);
    assert_true(top.nearest == 4 && top.n_samples == 2);
    assert_true(top.low == 99 && top.high == 100);
    struct ert110_plateau low = ert110_series_plateau(&series, 50.5);
    assert_true(low.nearest == 6 && low.n_samples == 2);
    assert_true(low.low == 49 && low.high == 51);
    struct ert110_plateau none = ert110_series_plateau(&series, 66);
    assert_true(none.n_samples == 0 && none.low == 66 && none.nearest == 5);
}

/* What is written is what is read, and fits the same. */
static void files_keep_it(void **state)
{
    char file[] = "/tmp/ert-ert110-XXXXXX";
    struct rig *rig = run_ert110("noise=0", "fake0");
    struct ert_samples *read = calloc(1, sizeof *read);
    struct ert_ceilings again = {0}, written = {0};
    struct ert_error error = {0};
    assert_true(mkstemp(file) >= 0);
    assert_int_equal(ert_samples_write(file, &rig->samples, &error), ERT_OK);
    if (ert_samples_read(file, read, &error) != ERT_OK)
        fail_msg("%s", error.text);
    assert_int_equal(read->devices[0].points[5].most_passes,
                     rig->samples.devices[0].points[5].most_passes);
    ert_fit(read, &again);
    assert_int_equal(n_ceilings(&again.devices[0], ERT_CEILING_MEMORY),
                     n_ceilings(&rig->ceilings.devices[0], ERT_CEILING_MEMORY));
    assert_close(memory_at(&again.devices[0], 1)->value,
                 memory_at(&rig->ceilings.devices[0], 1)->value, 1e-12);
    assert_int_equal(ert_ceilings_write(file, &again, &error), ERT_OK);
    if (ert_ceilings_read(file, &written, &error) != ERT_OK)
        fail_msg("%s", error.text);
    assert_string_equal(written.mode, ERT110_MODE);
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
        cmocka_unit_test(samples_are_kept_before_the_round_ends),
        cmocka_unit_test(regions_end_in_time),
        cmocka_unit_test(files_keep_it),
        cmocka_unit_test(they_are_measured_again),
        cmocka_unit_test(the_memory_is_kept),
        cmocka_unit_test(no_memory_that_cannot_be),
        cmocka_unit_test(one_set_may_be_two_ceilings),
        cmocka_unit_test(a_gpus_threads_are_no_cores),
        cmocka_unit_test(the_flank_is_no_plateau),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
