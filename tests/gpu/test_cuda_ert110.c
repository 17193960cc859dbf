/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cuda_ert110: ERT's own kernels leave exactly what the rule of their sources says, for odd sets,
 * launches and passes. Skips without a device.
 */
#include "tests/gpu/gpu_fixture.h"

#include "ert/ext/ert110/kernels.h"

enum { MEMORY = 8 << 20 };

static struct ert_session *open_session(void)
{
    const struct ert110_memory memory = {.bytes = MEMORY, .align_bytes = 32};
    struct ert_session_options options = {
        .working_set_max_bytes = MEMORY, .timeout_s = 60, .seed = 1};
    memcpy(&options.mode, &memory, sizeof memory);
    struct ert_session *session = NULL;
    struct ert_error error = {0};
    char notes[256];
    if (backend->open(&machine.devices[0], &options, &session, notes, sizeof notes,
                      &error) != ERT_OK)
        fail_msg("open: %s", error.text);
    return session;
}

static void check_spec(struct ert_session *session, const struct ert_spec *spec)
{
    static const uint64_t passes[] = {1, 2, 5};
    const char *name = ert_kernel_row(spec->kernel)->name;
    struct ert_error error = {0};
    struct ert_work work;
    if (backend->prepare(session, spec, &work, &error) != ERT_OK)
        fail_msg("%s, %u flops: %s", name, spec->flops_per_element, error.text);
    assert_true(work.actual_bytes == spec->requested_bytes);
    assert_true(work.bytes_per_pass == 2.0 * (double)work.actual_bytes);
    assert_true(work.blocks == spec->blocks && work.threads == spec->block_threads);
    for (size_t i = 0; i < sizeof passes / sizeof passes[0]; i++) {
        struct ert_sample sample;
        bool lost = true;
        if (backend->time(session, passes[i], &sample, &lost, &error) != ERT_OK ||
            backend->verify(session, &error) != ERT_OK)
            fail_msg("%s, %u flops, %llu byte, %u x %u: %s", name, spec->flops_per_element,
                     (unsigned long long)spec->requested_bytes, spec->blocks,
                     spec->block_threads, error.text);
        assert_true(sample.time_s > 0 && sample.passes == passes[i] && !lost);
    }
}

/* Fewer elements than threads, one more than a whole turn of all, and all of the memory. */
static void check_kernel(struct ert_session *session, enum ert_kernel_id kernel)
{
    static const uint32_t launches[][2] = {
        {1,   32 },
        {7,   96 },
        {264, 256}
    };
    static const uint32_t flops[] = {1, 2, 8, 256};
    for (size_t f = 0; f < sizeof flops / sizeof flops[0]; f++)
        for (size_t l = 0; l < sizeof launches / sizeof launches[0]; l++) {
            const uint64_t threads = launches[l][0] * launches[l][1];
            const uint64_t bytes = ert_kernel_element_bytes(kernel);
            const uint64_t sets[] = {bytes, (threads + 1) * bytes, MEMORY};
            for (size_t s = 0; s < sizeof sets / sizeof sets[0]; s++) {
                const struct ert_spec spec = {.kernel = kernel,
                                              .path = ERT_PATH_CACHED,
                                              .requested_bytes = sets[s],
                                              .flops_per_element = flops[f],
                                              .blocks = launches[l][0],
                                              .block_threads = launches[l][1]};
                if (ert_kernel_row(kernel)->type != ERT_FP16 || flops[f] > 1)
                    check_spec(session, &spec);
            }
        }
}

static void all_of_them_do_as_their_sources(void **state)
{
    struct ert_session *session = open_session();
    for (int k = 0; k < ERT_N_KERNELS; k++)
        if (ert_kernel_row((enum ert_kernel_id)k)->kind == ERT_KIND_MODE)
            check_kernel(session, (enum ert_kernel_id)k);
    backend->close(session);
}

static void launches_that_cannot_be_are_refused(void **state)
{
    struct ert_session *session = open_session();
    struct ert_error error = {0};
    struct ert_work work;
    struct ert_spec spec = {.kernel = ERT_KERNEL_ert_fp64,
                            .path = ERT_PATH_CACHED,
                            .requested_bytes = 4096,
                            .flops_per_element = 2,
                            .block_threads = 32};
    assert_int_equal(backend->prepare(session, &spec, &work, &error), ERT_USAGE);
    assert_contains(error.text, "0 blocks of 32 threads");
    /* The kernel's 32-bit index would wrap. */
    spec.kernel = ERT_KERNEL_ert_fp32;
    spec.requested_bytes = (UINT64_C(1) << 34) - 4;
    spec.blocks = 2048;
    assert_int_equal(backend->prepare(session, &spec, &work, &error), ERT_USAGE);
    assert_contains(error.text, "2048 blocks of 32 threads for 4294967295 elements");
    backend->close(session);
}

int main(void)
{
    int exit_code;
    if (!discover(&exit_code))
        return exit_code;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_them_do_as_their_sources),
        cmocka_unit_test(launches_that_cannot_be_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
