/* SPDX-License-Identifier: BSD-3-Clause */
/* pipeline: plan, run and fit on the planted machine give the planted numbers back. */
#include "tests/e2e/pipeline_fixture.h"
#include "tests/unit/ceilings_fixture.h"

#include "ert/core/base/alloc.h"
#include "ert/core/fit/evidence.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * The allocation that fails, counted down; 0: none does. Any may leave ENOMEM behind all the same, as glibc
 * does where the heap cannot grow in place. Sanitizers have an allocator of their own, clang no noipa.
 */
static size_t failing;
#if defined __GLIBC__ && !defined __SANITIZE_ADDRESS__ && !defined __clang__
enum { CAN_FAIL = 1 };
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t),
    *__libc_realloc(void *, size_t);

static bool fails(void)
{
    errno = ENOMEM;
    return failing > 0 && --failing == 0;
}

__attribute__((noipa)) void *malloc(size_t size)
{
    return fails() ? NULL : __libc_malloc(size);
}

__attribute__((noipa)) void *calloc(size_t n, size_t size)
{
    return fails() ? NULL : __libc_calloc(n, size);
}

__attribute__((noipa)) void *realloc(void *memory, size_t size)
{
    return fails() ? NULL : __libc_realloc(memory, size);
}
#else
enum { CAN_FAIL = 0 };
#endif

static size_t check_memory(const struct ert_device *device,
                           const struct ert_device_ceilings *found)
{
    size_t n = 0;
    for (uint32_t l = 0; l < device->n_levels; l++)
        for (int k = 0; k < ERT_N_KERNELS; k++) {
            const struct ert_kernel *row = ert_kernel_row((enum ert_kernel_id)k);
            const struct ert_level *level = &device->levels[l];
            bool gpu = device->kind == ERT_DEVICE_GPU;
            char name[32];
            snprintf(name, sizeof name, "%s-%s", level->name, row->op);
            if (row->kind != ERT_KIND_MEMORY ||
                (gpu && !ert_kernel_on_gpu((enum ert_kernel_id)k)) ||
                ((row->limits & ERT_MEMORY_ONLY) && level->kind != ERT_LEVEL_MEMORY) ||
                (gpu && level->path == ERT_PATH_CACHED && row->stores > 0))
                continue;
            const struct ert_ceiling *ceiling = memory_ceiling(found, name);
            if (!ceiling)
                fail_msg("%s: no ceiling %s", device->id, name);
            double planted = ert_fake_level_bandwidth(device, level, (enum ert_kernel_id)k);
            if (fabs(ceiling->value / planted - 1) > 0.01)
                fail_msg("%s: %s is %g, planted %g", device->id, name, ceiling->value,
                         planted);
            assert_true(ceiling->low <= ceiling->value && ceiling->value <= ceiling->high);
            n++;
        }
    return n;
}

static void check_planted(const struct rig *rig)
{
    for (size_t d = 0; d < rig->ceilings.n_devices; d++) {
        const struct ert_device_ceilings *found = &rig->ceilings.devices[d];
        const struct ert_device *device =
            ert_machine_device(&rig->samples.machine, found->device);
        assert_int_equal(check_memory(device, found),
                         n_ceilings(found, ERT_CEILING_MEMORY));
        assert_true(n_ceilings(found, ERT_CEILING_MEMORY) >= 19);
        assert_int_equal(n_ceilings(found, ERT_CEILING_COMPUTE),
                         device->kind == ERT_DEVICE_GPU ? 6 : 10);
        for (size_t i = 0; i < n_ceilings(found, ERT_CEILING_COMPUTE); i++) {
            enum ert_kernel_id id;
            const struct ert_ceiling *ceiling = compute_at(found, i);
            assert_int_equal(ert_kernel_find(ceiling->kernel, &id, NULL), ERT_OK);
            assert_close(ceiling->value, ert_fake_performance(device, id), 0.01);
            assert_string_equal(ceiling->evidence->launch.name, "plain");
        }
    }
}

static void quiet_machine_gives_planted_numbers(void **state)
{
    struct rig *rig = run_rig("noise=0,outliers=0", "fake", 0);
    assert_int_equal(rig->status, ERT_OK);
    assert_string_equal(rig->samples.status, "complete");
    /* The first; the next is seconds away, however many rounds there are. */
    assert_int_equal(rig->n_checkpoints, 1);
    assert_int_equal(rig->ceilings.n_devices, 2);
    check_planted(rig);
    for (size_t d = 0; d < rig->ceilings.n_devices; d++)
        assert_true(rig->ceilings.devices[d].valid);
    for (size_t d = 0; d < 2; d++)
        assert_int_equal(rig->ceilings.devices[d].n_unattributed, 0);
    free_rig(rig);
}

/*
 * Nor do they make the run invalid: other samples differ by at most 2 %, outliers move a ceiling only
 * from a quarter of its samples on, and up to a width of 20 % it is settled. With 1000 seeds no main
 * ceiling was wider than 2.4 %.
 */
static void noise_and_outliers_do_not_move_them(void **state)
{
    struct rig *rig = run_rig("noise=0.01,outliers=0.1", "fake", 0);
    assert_int_equal(rig->status, ERT_OK);
    check_planted(rig);
    for (size_t d = 0; d < rig->ceilings.n_devices; d++) {
        assert_string_equal(rig->ceilings.devices[d].warnings, "");
        assert_true(rig->ceilings.devices[d].valid);
    }
    free_rig(rig);
}

/* Where four of five samples are outliers, nobody knows what the machine attains, and most is not settled. */
static void many_outliers_unsettle_most(void **state)
{
    struct rig *rig = run_rig("noise=0.01,outliers=0.8", "fake", 0);
    assert_int_equal(rig->status, ERT_OK);
    for (size_t d = 0; d < rig->ceilings.n_devices; d++) {
        const struct ert_device_ceilings *device = &rig->ceilings.devices[d];
        assert_true(10 * ert_settled_count_open(device) > 8 * ert_ceilings_main(device).n);
    }
    free_rig(rig);
}

/* A capacity is where the plateau ends: within a step of the sweep of the planted one. */
static void capacities_are_found(void **state)
{
    struct rig *rig = run_rig("noise=0.005,outliers=0.02", "fake0", 0);
    static const struct {
        const char *name;
        double bytes;
    } expected[] = {
        {"L1-load", 4 * 32768.0  },
        {"L2-load", 4 * 1048576.0},
        {"L3-load", 33554432.0   }
    };
    for (size_t i = 0; i < 3; i++) {
        const struct ert_ceiling *ceiling =
            memory_ceiling(&rig->ceilings.devices[0], expected[i].name);
        assert_non_null(ceiling);
        assert_close(ceiling->evidence->capacity_measured_bytes, expected[i].bytes, 0.27);
    }
    free_rig(rig);
}

static void rows_not_measured_say_why(void **state)
{
    struct rig *rig = run_rig("noise=0", "fake1", 0);
    const struct ert_device_ceilings *found = &rig->ceilings.devices[0];
    assert_null(memory_ceiling(found, "L1-store"));
    bool named = false;
    for (size_t i = 0; i < found->n_not_measured; i++)
        if (strcmp(found->not_measured[i].name, "L1-store") == 0) {
            assert_contains(found->not_measured[i].reason, "write-through");
            named = true;
        }
    assert_true(named);
    free_rig(rig);
}

/* One allocation of thousands fails: the choice is the same or none. Steps of a prime, to be quick. */
static void candidates_without_memory_are_an_error(void **state)
{
    struct rig *rig = run_rig("noise=0.01,outliers=0", "fake", 0);
    const struct ert_device_samples *samples = &rig->samples.devices[0];
    const struct ert_device *device =
        ert_machine_device(&rig->samples.machine, samples->device);
    bool *all = calloc(samples->n_points, sizeof *all), *some;
    some = calloc(samples->n_points, sizeof *some);
    size_t n_failed = 0, at = 1;
    struct ert_error error = {0};
    assert_int_equal(ert_fit_candidates(device, samples, 3, all, &error), ERT_OK);
    for (; CAN_FAIL; at += 97) {
        failing = at;
        enum ert_status status = ert_fit_candidates(device, samples, 3, some, &error);
        if (failing > 0)
            break; /* there are no more */
        n_failed += status != ERT_OK;
        if (status == ERT_OK && memcmp(all, some, samples->n_points * sizeof *all) != 0)
            fail_msg("allocation %zu: another choice", at);
    }
    failing = 0;
    assert_true(!CAN_FAIL || n_failed > 10);
    assert_true(!CAN_FAIL || strcmp(error.text, "no memory to choose the points that "
                                                "decide the ceilings") == 0);
    free(all);
    free(some);
    free_rig(rig);
}

/* The fit of a whole file ends the program, as all that has no samples to lose. */
static void a_fit_without_memory_is_none(void **state)
{
    struct rig *rig = run_rig("noise=0.01,outliers=0", "fake", 0);
    size_t n_failed = 0;
    int status = 0;
    for (size_t at = 1; CAN_FAIL && WEXITSTATUS(status) != 3; at += 97) {
        pid_t child = fork();
        if (child == 0) {
            struct ert_ceilings fit;
            assert_non_null(freopen("/dev/null", "w", stderr));
            failing = at;
            ert_fit(&rig->samples, &fit);
            if (failing > 0)
                _exit(3);
            bool is_same = true;
            for (size_t d = 0; d < fit.n_devices; d++) {
                const struct ert_device_ceilings *a = &rig->ceilings.devices[d],
                                                 *b = &fit.devices[d];
                is_same = is_same &&
                          n_ceilings(a, ERT_CEILING_MEMORY) ==
                              n_ceilings(b, ERT_CEILING_MEMORY) &&
                          n_ceilings(a, ERT_CEILING_COMPUTE) ==
                              n_ceilings(b, ERT_CEILING_COMPUTE);
                for (size_t i = 0; i < n_ceilings(b, ERT_CEILING_MEMORY) && is_same; i++)
                    is_same = memory_at(a, i)->value == memory_at(b, i)->value;
            }
            _exit(is_same ? 0 : 4);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        if (WEXITSTATUS(status) == 4)
            fail_msg("allocation %zu: other ceilings", at);
        n_failed += WEXITSTATUS(status) == 1;
    }
    assert_true(!CAN_FAIL || n_failed > 10);
    free_rig(rig);
}

/* Two wanted sizes that round to the same sweeps are measured once, and the other says why. */
static void equal_sets_are_measured_once(void **state)
{
    struct ert_samples *samples = calloc(1, sizeof *samples);
    struct ert_error error = {0};
    setenv("ERT_FAKE", "noise=0", 1);
    ert_config_default(&samples->config);
    snprintf(samples->config.device, sizeof samples->config.device, "fake0");
    assert_int_equal(ert_backend_fake.discover(&samples->machine, &error), ERT_OK);
    assert_int_equal(ert_plan_make(samples, &error), ERT_OK);
    struct ert_point *points = samples->devices[0].points;
    assert_int_equal(points[0].spec.kernel, points[1].spec.kernel);
    points[1].spec.requested_bytes = points[0].spec.requested_bytes + 1;
    const struct ert_run_hooks hooks = {.candidates = ert_fit_candidates};
    assert_int_equal(ert_run(samples, &hooks, &error), ERT_OK);
    size_t skipped = 0;
    for (size_t i = 0; i < samples->devices[0].n_points; i++)
        if (points[i].status == ERT_POINT_SKIPPED) {
            assert_true(i < 2);
            assert_contains(points[i].reason, "same set");
            assert_int_equal(points[i].n_samples, 0);
            skipped++;
        }
    assert_int_equal(skipped, 1);
    ert_samples_free(samples);
    free(samples);
}

/* One thread of four cores reaches one L1: with four of them counted, L2 would be called L1. */
static void fewer_threads_reach_fewer_caches(void **state)
{
    struct ert_samples *samples = calloc(1, sizeof *samples);
    struct ert_error error = {0};
    ert_config_default(&samples->config);
    snprintf(samples->config.device, sizeof samples->config.device, "fake0");
    samples->config.threads = 1;
    assert_int_equal(ert_backend_fake.discover(&samples->machine, &error), ERT_OK);
    assert_int_equal(ert_plan_make(samples, &error), ERT_OK);
    const struct ert_device *device = &samples->devices[0].context.device;
    assert_int_equal(ert_device_level(&samples->machine.devices[0], "L1")->count, 4);
    assert_int_equal(ert_device_level(device, "L1")->count, 1);
    assert_int_equal(ert_device_level(device, "L2")->count, 1);
    assert_int_equal(ert_device_level(device, "L3")->count, 1);
    assert_true(samples->devices[0].points[0].spec.requested_bytes <= 32768 / 4);
    ert_samples_free(samples);
    free(samples);
}

static void unknown_device_lists_what_is_there(void **state)
{
    struct ert_samples *samples = calloc(1, sizeof *samples);
    struct ert_error error = {0};
    ert_config_default(&samples->config);
    snprintf(samples->config.device, sizeof samples->config.device, "gpu7");
    assert_int_equal(ert_backend_fake.discover(&samples->machine, &error), ERT_OK);
    assert_int_equal(ert_plan_make(samples, &error), ERT_UNAVAILABLE);
    assert_contains(error.text, "'gpu7'");
    assert_contains(error.text, "fake0, fake1");
    free(samples);
}

static void samples_file_gives_the_same_fit(void **state)
{
    struct rig *rig = run_rig("noise=0.02", "fake", 0);
    char file[] = "/tmp/ert-samples-XXXXXX";
    int descriptor = mkstemp(file);
    assert_true(descriptor >= 0);
    close(descriptor);
    assert_int_equal(ert_samples_write(file, &rig->samples, &rig->error), ERT_OK);
    struct ert_samples *again = calloc(1, sizeof *again);
    struct ert_ceilings fit;
    struct ert_error error = {0};
    if (ert_samples_read(file, again, &error) != ERT_OK)
        fail_msg("%s", error.text);
    ert_fit(again, &fit);
    for (size_t d = 0; d < fit.n_devices; d++) {
        const struct ert_device_ceilings *a = &fit.devices[d],
                                         *b = &rig->ceilings.devices[d];
        assert_int_equal(n_ceilings(a, ERT_CEILING_MEMORY),
                         n_ceilings(b, ERT_CEILING_MEMORY));
        for (size_t i = 0; i < n_ceilings(a, ERT_CEILING_MEMORY); i++) {
            assert_string_equal(memory_at(a, i)->name, memory_at(b, i)->name);
            assert_true(memory_at(a, i)->value == memory_at(b, i)->value);
            assert_true(memory_at(a, i)->low == memory_at(b, i)->low);
        }
    }
    ert_ceilings_free(&fit);
    ert_samples_free(again);
    free(again);
    unlink(file);
    free_rig(rig);
}

/* As in ert's main(). */
static void *json_memory(size_t size)
{
    return ert_calloc(size, 1);
}

int main(void)
{
    cJSON_InitHooks(&(cJSON_Hooks){json_memory, free});
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quiet_machine_gives_planted_numbers),
        cmocka_unit_test(noise_and_outliers_do_not_move_them),
        cmocka_unit_test(many_outliers_unsettle_most),
        cmocka_unit_test(capacities_are_found),
        cmocka_unit_test(rows_not_measured_say_why),
        cmocka_unit_test(candidates_without_memory_are_an_error),
        cmocka_unit_test(a_fit_without_memory_is_none),
        cmocka_unit_test(equal_sets_are_measured_once),
        cmocka_unit_test(fewer_threads_reach_fewer_caches),
        cmocka_unit_test(unknown_device_lists_what_is_there),
        cmocka_unit_test(samples_file_gives_the_same_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
