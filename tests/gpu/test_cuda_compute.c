/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cuda_compute: every kernel of the CUDA cores, in every variant and with every concurrency,
 * has exactly the expected values; a wrong constant is caught. Skips without a device.
 */
#include "tests/gpu/cuda_fixture.h"

#include "tests/gpu/tamper.h"

static struct ert_spec spec_of(enum ert_kernel_id kernel, uint32_t variant)
{
    return (struct ert_spec){.kernel = kernel,
                             .path = ERT_PATH_NONE,
                             .flops_per_element = ert_kernel_row(kernel)->flops,
                             .variant = variant};
}

/* Of a kernel of the CUDA cores; tensor kernels have tests of their own. */
static size_t list(const struct ert_device *device, enum ert_kernel_id kernel,
                   struct ert_variant variants[ERT_MAX_VARIANTS])
{
    const struct ert_kernel *row = ert_kernel_row(kernel);
    char reason[256];
    if (row->kind != ERT_KIND_COMPUTE || *row->unit != '\0')
        return 0;
    return backend->variants(device, &options, kernel, ERT_PATH_NONE, variants, reason,
                             sizeof reason);
}

static void all_compute_kernels_give_exact_results(void **state)
{
    for (uint32_t d = 0; d < machine.n_devices; d++) {
        struct ert_session *session = open_session(&machine.devices[d], &options);
        for (int k = 0; k < ERT_N_KERNELS; k++) {
            struct ert_variant variants[ERT_MAX_VARIANTS];
            size_t n = list(&machine.devices[d], k, variants);
            for (uint32_t v = 0; v < n; v++) {
                struct ert_spec spec = spec_of(k, v);
                run_spec(session, &spec, variants[v].name);
            }
        }
        backend->close(session);
    }
}

static const enum ert_kernel_id concurrent[] = {ERT_KERNEL_fma_fp64, ERT_KERNEL_add_fp64,
                                                ERT_KERNEL_fma_fp32};

static void check_concurrency(struct ert_session *session, enum ert_kernel_id kernel,
                              uint32_t warps, uint32_t variant)
{
    struct ert_spec spec = spec_of(kernel, variant);
    struct ert_work work;
    struct ert_error error = {0};
    spec.concurrency = warps;
    run_spec(session, &spec, "concurrency");
    assert_int_equal(backend->prepare(session, &spec, &work, &error), ERT_OK);
    assert_int_equal(work.blocks * work.threads, machine.devices[0].gpu.n_sms * warps * 32);
    double operations =
        work.flops_per_pass / spec.flops_per_element / ((double)work.blocks * work.threads);
    assert_true(fmod(operations, 1 << variant) == 0);
}

/* One block, several of equal size, a full SM: exact results, and the warps that were asked. */
static void concurrency_sets_the_warps(void **state)
{
    static const uint32_t warps[] = {1, 3, 32, 33, 48, 64};
    uint32_t most = machine.devices[0].gpu.max_threads_per_sm / 32;
    struct ert_session *session = open_session(&machine.devices[0], &options);
    for (size_t k = 0; k < sizeof concurrent / sizeof concurrent[0]; k++)
        for (size_t w = 0; w < sizeof warps / sizeof warps[0] && warps[w] <= most; w++)
            for (uint32_t variant = 0; variant < 4; variant++)
                check_concurrency(session, concurrent[k], warps[w], variant);
    backend->close(session);
}

static void concurrency_that_cannot_be_is_refused(void **state)
{
    const struct ert_device *device = &machine.devices[0];
    struct ert_session *session = open_session(device, &options);
    struct ert_error error = {0};
    struct ert_work work;
    struct ert_spec spec = spec_of(ERT_KERNEL_fma_fp64, 0);
    spec.concurrency = device->gpu.max_threads_per_sm / 32 + 2;
    assert_int_equal(backend->prepare(session, &spec, &work, &error), ERT_UNAVAILABLE);
    assert_contains(error.text, "per SM");
    spec.concurrency = 37; /* a prime: 37 blocks of a warp are more than an SM takes */
    assert_int_equal(backend->prepare(session, &spec, &work, &error), ERT_UNAVAILABLE);
    spec.concurrency = 1;
    spec.variant = 4;
    assert_int_equal(backend->prepare(session, &spec, &work, &error), ERT_FAILED);
    assert_contains(error.text, "no variant 4");
    spec.variant = 0;
    spec.kernel = ERT_KERNEL_rcp_fp32;
    assert_int_equal(backend->prepare(session, &spec, &work, &error), ERT_FAILED);
    assert_contains(error.text, "rcp_fp32");
    backend->close(session);
}

/* The constant that the kernel's even steps use, by tamper.h's index. */
static uint32_t used_constant(enum ert_kernel_id kernel)
{
    const char *op = ert_kernel_row(kernel)->op;
    return strcmp(op, "add") == 0 || strcmp(op, "sqrt") == 0 ? 1 : 0;
}

/* Runs the case with constant k spoilt: the check must see it. */
static void check_caught(struct ert_session *session, const struct ert_spec *spec,
                         uint32_t k, const char *variant)
{
    struct ert_error error = {0};
    struct ert_work work;
    struct ert_sample sample;
    bool lost = true;
    assert_int_equal(backend->prepare(session, spec, &work, &error), ERT_OK);
    assert_true(ert_test_tamper(session, k));
    assert_int_equal(backend->time(session, 3, &sample, &lost, &error), ERT_OK);
    if (backend->verify(session, &error) == ERT_OK)
        fail_msg("%s (%s): not caught", ert_kernel_row(spec->kernel)->name, variant);
    assert_contains(error.text, "chains are wrong");
}

static void wrong_constants_are_caught(void **state)
{
    struct ert_session *session = open_session(&machine.devices[0], &options);
    for (int k = 0; k < ERT_N_KERNELS; k++) {
        struct ert_variant variants[ERT_MAX_VARIANTS];
        size_t n = list(&machine.devices[0], k, variants);
        bool has_constants = strcmp(ert_kernel_row(k)->op, "rcp") != 0;
        for (uint32_t v = 0; v < n && has_constants; v++) {
            struct ert_spec spec = spec_of(k, v);
            check_caught(session, &spec, used_constant(k), variants[v].name);
        }
    }
    struct ert_spec spec = spec_of(ERT_KERNEL_issue, 0);
    check_caught(session, &spec, 4, "its integer chains");
    backend->close(session);
}

int main(void)
{
    int exit_code;
    if (!discover(&exit_code))
        return exit_code;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_compute_kernels_give_exact_results),
        cmocka_unit_test(concurrency_sets_the_warps),
        cmocka_unit_test(concurrency_that_cannot_be_is_refused),
        cmocka_unit_test(wrong_constants_are_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
