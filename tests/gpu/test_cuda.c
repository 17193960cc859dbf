/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cuda: every memory kernel, path and variant of the CUDA backend on every GPU of this
 * machine, with small and odd sets, gives exact results; and misuse gives clear errors. Skips
 * without a device.
 */
#include "tests/gpu/cuda_fixture.h"

/* Shared memory holds less than the other sets ask for: some 32 and 64 KiB per SM there. */
static uint64_t set_for(const struct ert_device *device, enum ert_path path,
                        uint64_t wanted)
{
    uint64_t most = (uint64_t)device->gpu.n_sms * 66000;
    return path == ERT_PATH_SHARED && wanted > most ? most : wanted;
}

static void run_kernel(struct ert_session *session, const struct ert_device *device,
                       enum ert_kernel_id kernel, enum ert_path path, uint32_t flops)
{
    static const uint64_t sets[] = {1, 100003, 5000011, 29360135};
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[256];
    size_t n =
        backend->variants(device, &options, kernel, path, variants, reason, sizeof reason);
    for (uint32_t v = 0; v < n; v++) {
        for (size_t s = 0; s < sizeof sets / sizeof sets[0]; s++) {
            struct ert_spec spec = {.kernel = kernel,
                                    .path = path,
                                    .requested_bytes = set_for(device, path, sets[s]),
                                    .flops_per_element = flops,
                                    .variant = v};
            run_spec(session, &spec, variants[v].name);
        }
    }
}

static void all_memory_kernels_give_exact_results(void **state)
{
    for (uint32_t d = 0; d < machine.n_devices; d++) {
        const struct ert_device *device = &machine.devices[d];
        struct ert_session *session = open_session(device, &options);
        for (int k = 0; k < ERT_N_KERNELS; k++) {
            if (ert_kernel_row(k)->kind != ERT_KIND_MEMORY)
                continue; /* other classes have programs of their own */
            for (int path = 0; path < ERT_N_PATHS; path++)
                run_kernel(session, device, k, path, ert_kernel_row(k)->flops);
        }
        backend->close(session);
    }
}

static void devices_are_described(void **state)
{
    assert_true(machine.n_devices > 0);
    for (uint32_t d = 0; d < machine.n_devices; d++) {
        const struct ert_device *device = &machine.devices[d];
        assert_int_equal(device->kind, ERT_DEVICE_GPU);
        assert_string_equal(device->backend, "cuda");
        assert_true(strlen(device->name) > 0);
        assert_true(device->gpu.n_sms > 0 && device->gpu.cc_major >= 7);
        assert_true(device->boost_hz > 1e8 && device->boost_hz < 1e10);
        assert_true(device->gpu.memory_bytes > 1e9);
        assert_non_null(ert_device_level(device, "L1"));
        assert_non_null(ert_device_level(device, "shared"));
        assert_non_null(ert_device_level(device, "L2"));
        assert_int_equal(device->levels[device->n_levels - 1].kind, ERT_LEVEL_MEMORY);
    }
}

static void misuse_gives_clear_errors(void **state)
{
    const struct ert_device *device = &machine.devices[0];
    struct ert_session *session = open_session(device, &options);
    struct ert_error error = {0};
    struct ert_work work;
    struct ert_sample sample;
    bool lost = true;

    assert_int_equal(backend->time(session, 1, &sample, &lost, &error), ERT_FAILED);
    assert_contains(error.text, "no case is prepared");
    assert_int_equal(backend->verify(session, &error), ERT_FAILED);

    struct ert_spec spec = {.kernel = ERT_KERNEL_load,
                            .path = ERT_PATH_BYPASS_L1,
                            .requested_bytes = UINT64_C(1) << 50};
    assert_int_equal(backend->prepare(session, &spec, &work, &error), ERT_UNAVAILABLE);
    assert_contains(error.text, "1125899906842624");
    assert_contains(error.text, "available");

    spec = (struct ert_spec){.kernel = ERT_KERNEL_load,
                             .path = ERT_PATH_SHARED,
                             .requested_bytes = device->gpu.n_sms * UINT64_C(262144)};
    assert_int_equal(backend->prepare(session, &spec, &work, &error), ERT_FAILED);
    assert_contains(error.text, "shared memory");

    spec = (struct ert_spec){
        .kernel = ERT_KERNEL_copy, .path = ERT_PATH_CACHED, .requested_bytes = 1 << 20};
    assert_int_equal(backend->prepare(session, &spec, &work, &error), ERT_FAILED);
    assert_contains(error.text, "copy");

    spec = (struct ert_spec){
        .kernel = ERT_KERNEL_copy, .path = ERT_PATH_BYPASS_L1, .requested_bytes = 1 << 20};
    assert_int_equal(backend->prepare(session, &spec, &work, &error), ERT_OK);
    assert_int_equal(backend->time(session, 0, &sample, &lost, &error), ERT_FAILED);
    assert_contains(error.text, "0 passes");
    assert_false(lost);
    backend->close(session);
}

/* A set that no GPU holds: the session opens with what fits and says so. */
static void too_little_memory_is_noted(void **state)
{
    struct ert_session_options big = options;
    big.working_set_max_bytes = UINT64_C(1) << 50;
    struct ert_session *session = NULL;
    struct ert_error error = {0};
    char notes[256];
    if (backend->open(&machine.devices[0], &big, &session, notes, sizeof notes, &error) !=
        ERT_OK)
        fail_msg("open: %s", error.text);
    assert_contains(notes, "are free");
    backend->close(session);
}

/* A stop that is set already: the region is given up, and the device is not lost. */
static void stop_gives_up(void **state)
{
    static volatile bool stop;
    struct ert_session_options stoppable = options;
    stoppable.stop = &stop;
    stop = false;
    struct ert_session *session = open_session(&machine.devices[0], &stoppable);
    struct ert_spec spec = {
        .kernel = ERT_KERNEL_fma_fp64, .path = ERT_PATH_NONE, .flops_per_element = 2};
    struct ert_error error = {0};
    struct ert_work work;
    struct ert_sample sample;
    bool lost = true;
    assert_int_equal(backend->prepare(session, &spec, &work, &error), ERT_OK);
    stop = true;
    assert_int_equal(backend->time(session, 20000, &sample, &lost, &error), ERT_FAILED);
    assert_contains(error.text, "interrupted");
    assert_false(lost);
    backend->close(session);
}

/* A region that takes longer than the timeout is a hang, and the device counts as lost. */
static void timeout_is_a_lost_device(void **state)
{
    struct ert_session_options hasty = options;
    struct ert_session *session = open_session(&machine.devices[0], &hasty);
    backend->close(session);
    hasty.timeout_s = 0.02;
    session = open_session(&machine.devices[0], &hasty);
    struct ert_spec spec = {
        .kernel = ERT_KERNEL_fma_fp64, .path = ERT_PATH_NONE, .flops_per_element = 2};
    struct ert_error error = {0};
    struct ert_work work;
    struct ert_sample sample;
    bool lost = false;
    assert_int_equal(backend->prepare(session, &spec, &work, &error), ERT_OK);
    assert_int_equal(backend->time(session, 1, &sample, &lost, &error), ERT_OK);
    assert_int_equal(backend->time(session, 500000, &sample, &lost, &error), ERT_FAILED);
    assert_contains(error.text, "did not end within 0.02 s");
    assert_true(lost);
    assert_int_equal(backend->time(session, 1, &sample, &lost, &error), ERT_FAILED);
    assert_true(lost);
    assert_int_equal(backend->window(session, 0.01, &sample, &lost, &error), ERT_FAILED);
    assert_contains(error.text, "lost by an earlier error");
    assert_true(lost);
    backend->close(session);
}

int main(void)
{
    int exit_code;
    if (!discover(&exit_code))
        return exit_code;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_are_described),
        cmocka_unit_test(all_memory_kernels_give_exact_results),
        cmocka_unit_test(misuse_gives_clear_errors),
        cmocka_unit_test(too_little_memory_is_noted),
        cmocka_unit_test(stop_gives_up),
        cmocka_unit_test(
            timeout_is_a_lost_device), /* last: leaves the device busy for a while */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
