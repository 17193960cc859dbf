/*
 * cuda: every kernel, path and variant of the CUDA backend on every GPU of this machine,
 * with small and odd sets, gives exact results; and misuse gives clear errors. Skips
 * without a device.
 */
#include "tests/unit/test.h"

#include "ert/backend/backend.h"

static struct ert_machine machine;
static const struct ert_backend *const backend = &ert_backend_cuda;

static const struct ert_session_options options = {
    .working_set_max_bytes = 80 << 20, .timeout_s = 60, .seed = 20260101};

static struct ert_session *open_session(const struct ert_device *device,
                                        const struct ert_session_options *with)
{
    struct ert_session *session = NULL;
    struct ert_error error = {0};
    char notes[256];
    if (backend->open(device, with, &session, notes, sizeof notes, &error) != ERT_OK)
        fail_msg("open: %s", error.text);
    assert_string_equal(notes, "");
    return session;
}

/* What one pass is, recomputed from the row and the set that was really taken. */
static void check_work(const struct ert_case *case_, const struct ert_work *work)
{
    const struct ert_kernel *kernel = ert_kernel_row(case_->kernel);
    assert_true(work->blocks > 0 && work->threads > 0);
    if (kernel->class_ == ERT_CLASS_COMPUTE) {
        assert_true(work->bytes_per_pass == 0 && work->working_set_bytes == 0);
        assert_true(work->flops_per_pass >=
                    (double)work->blocks * work->threads * kernel->flops);
        return;
    }
    double arrays = ert_kernel_arrays(case_->kernel);
    double elements = (double)work->working_set_bytes / arrays / 8;
    assert_true(elements == floor(elements) && elements > 0);
    assert_true(work->bytes_per_pass ==
                elements * (double)ert_kernel_bytes_per_element(case_->kernel));
    assert_true(work->flops_per_pass == elements * case_->flops_per_element);
}

/* Prepares, runs and checks one case; regions of 1, 2 and 5 passes after the warm one. */
static void run_case(struct ert_session *session, const struct ert_case *case_,
                     const char *variant)
{
    struct ert_work work;
    struct ert_error error = {0};
    const char *name = ert_kernel_row(case_->kernel)->name;
    if (backend->prepare(session, case_, &work, &error) != ERT_OK)
        fail_msg("prepare %s (%s): %s", name, variant, error.text);
    check_work(case_, &work);
    static const uint64_t passes[] = {1, 2, 5};
    for (size_t i = 0; i < sizeof passes / sizeof passes[0]; i++) {
        struct ert_sample sample;
        bool lost = true;
        if (backend->time(session, passes[i], &sample, &lost, &error) != ERT_OK)
            fail_msg("time %s (%s): %s", name, variant, error.text);
        assert_false(lost);
        assert_true(sample.passes == passes[i]);
        assert_true(sample.time_s > 0);
        if (backend->verify(session, &error) != ERT_OK)
            fail_msg("verify %s (%s): %s", name, variant, error.text);
    }
}

/* Shared memory holds less than the other sets ask for: some 32 and 64 KiB per SM there. */
static uint64_t set_for(const struct ert_device *device, enum ert_path path,
                        uint64_t wanted)
{
    uint64_t most = (uint64_t)device->gpu.n_sms * 66000;
    return path == ERT_PATH_NONE                      ? 0
           : path == ERT_PATH_SHARED && wanted > most ? most
                                                      : wanted;
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
            struct ert_case case_ = {kernel, path, flops, set_for(device, path, sets[s]),
                                     v};
            run_case(session, &case_, variants[v].name);
            if (path == ERT_PATH_NONE)
                break;
        }
    }
}

#define FLOPS(F) F,
static const uint32_t mixed_flops[] = {ERT_MIXED_FLOPS(FLOPS)};

static void all_kernels_give_exact_results(void **state)
{
    (void)state;
    for (uint32_t d = 0; d < machine.n_devices; d++) {
        const struct ert_device *device = &machine.devices[d];
        struct ert_session *session = open_session(device, &options);
        for (int k = 0; k < ERT_N_KERNELS; k++) {
            bool is_mixed = ert_kernel_row(k)->class_ == ERT_CLASS_MIXED;
            for (int path = 0; path < ERT_N_PATHS; path++)
                for (uint32_t f = 0; f < (is_mixed ? ERT_N_MIXED_FLOPS : 1); f++)
                    run_kernel(session, device, k, path,
                               is_mixed ? mixed_flops[f] : ert_kernel_row(k)->flops);
        }
        backend->close(session);
    }
}

static void devices_are_described(void **state)
{
    (void)state;
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
    (void)state;
    const struct ert_device *device = &machine.devices[0];
    struct ert_session *session = open_session(device, &options);
    struct ert_error error = {0};
    struct ert_work work;
    struct ert_sample sample;
    bool lost = true;

    assert_int_equal(backend->time(session, 1, &sample, &lost, &error), ERT_FAILED);
    assert_contains(error.text, "no case is prepared");
    assert_int_equal(backend->verify(session, &error), ERT_FAILED);

    struct ert_case case_ = {ERT_KERNEL_load, ERT_PATH_BYPASS_L1, 0, UINT64_C(1) << 50, 0};
    assert_int_equal(backend->prepare(session, &case_, &work, &error), ERT_UNAVAILABLE);
    assert_contains(error.text, "1125899906842624");
    assert_contains(error.text, "available");

    case_ = (struct ert_case){ERT_KERNEL_load, ERT_PATH_SHARED, 0,
                              device->gpu.n_sms * UINT64_C(262144), 0};
    assert_int_equal(backend->prepare(session, &case_, &work, &error), ERT_FAILED);
    assert_contains(error.text, "shared memory");

    case_ = (struct ert_case){ERT_KERNEL_copy, ERT_PATH_CACHED, 0, 1 << 20, 0};
    assert_int_equal(backend->prepare(session, &case_, &work, &error), ERT_FAILED);
    assert_contains(error.text, "copy");

    case_ = (struct ert_case){ERT_KERNEL_copy, ERT_PATH_BYPASS_L1, 0, 1 << 20, 0};
    assert_int_equal(backend->prepare(session, &case_, &work, &error), ERT_OK);
    assert_int_equal(backend->time(session, 0, &sample, &lost, &error), ERT_FAILED);
    assert_contains(error.text, "0 passes");
    assert_false(lost);
    backend->close(session);
}

/* A set that no GPU holds: the session opens with what fits and says so. */
static void too_little_memory_is_noted(void **state)
{
    (void)state;
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
    (void)state;
    static volatile bool stop;
    struct ert_session_options stoppable = options;
    stoppable.stop = &stop;
    stop = false;
    struct ert_session *session = open_session(&machine.devices[0], &stoppable);
    struct ert_case case_ = {ERT_KERNEL_fma_fp64, ERT_PATH_NONE, 2, 0, 0};
    struct ert_error error = {0};
    struct ert_work work;
    struct ert_sample sample;
    bool lost = true;
    assert_int_equal(backend->prepare(session, &case_, &work, &error), ERT_OK);
    stop = true;
    assert_int_equal(backend->time(session, 20000, &sample, &lost, &error), ERT_FAILED);
    assert_contains(error.text, "interrupted");
    assert_false(lost);
    backend->close(session);
}

/* A region that takes longer than the timeout is a hang, and the device counts as lost. */
static void timeout_is_a_lost_device(void **state)
{
    (void)state;
    struct ert_session_options hasty = options;
    struct ert_session *session = open_session(&machine.devices[0], &hasty);
    backend->close(session);
    hasty.timeout_s = 0.02;
    session = open_session(&machine.devices[0], &hasty);
    struct ert_case case_ = {ERT_KERNEL_fma_fp64, ERT_PATH_NONE, 2, 0, 0};
    struct ert_error error = {0};
    struct ert_work work;
    struct ert_sample sample;
    bool lost = false;
    assert_int_equal(backend->prepare(session, &case_, &work, &error), ERT_OK);
    assert_int_equal(backend->time(session, 500000, &sample, &lost, &error), ERT_FAILED);
    assert_contains(error.text, "did not end within 0.02 s");
    assert_true(lost);
    assert_int_equal(backend->time(session, 1, &sample, &lost, &error), ERT_FAILED);
    assert_true(lost);
    backend->close(session);
}

int main(void)
{
    char reason[256];
    const char *why = backend->unavailable(reason, sizeof reason);
    if (why) {
        printf("1..0 # SKIP %s\n", why);
        return 0;
    }
    struct ert_error error = {0};
    if (backend->discover(&machine, &error) != ERT_OK) {
        printf("1..1\nnot ok 1 - discover: %s\n", error.text);
        return 1;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_are_described),
        cmocka_unit_test(all_kernels_give_exact_results),
        cmocka_unit_test(misuse_gives_clear_errors),
        cmocka_unit_test(too_little_memory_is_noted),
        cmocka_unit_test(stop_gives_up),
        cmocka_unit_test(
            timeout_is_a_lost_device), /* last: leaves the device busy for a while */
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
