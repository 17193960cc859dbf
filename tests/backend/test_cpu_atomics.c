/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_atomics: which threads share a counter, and that every addition arrives. */
#include "tests/backend/cpu_fixture.h"

#include <stdio.h>

/* The threads that share a counter, one after the other. */
static const struct {
    enum ert_kernel_id kernel;
    uint32_t n;
} kernels[] = {
    {ERT_KERNEL_atomic_own,  1         },
    {ERT_KERNEL_atomic_pair, 2         },
    {ERT_KERNEL_atomic_one,  UINT32_MAX},
};

/* Prepares, times two regions and a window, and verifies after each. */
static void run_kernel(enum ert_kernel_id kernel)
{
    struct ert_spec spec = spec_of(kernel, 1, 0, 0);
    struct ert_work work;
    struct ert_sample sample;
    bool lost;
    if (backend->prepare(session, &spec, &work, &error) != ERT_OK)
        fail_msg("%s", error.text);
    assert_int_equal(work.threads, session->n_ordinary);
    assert_int_equal(work.actual_bytes, 0);
    assert_close(work.bytes_per_pass, 0, 0);
    assert_close(work.flops_per_pass, 2048.0 * session->n_ordinary, 0);
    for (uint64_t passes = 1; passes <= 20; passes += 19) {
        assert_int_equal(backend->time(session, passes, &sample, &lost, &error), ERT_OK);
        if (backend->verify(session, &error) != ERT_OK)
            fail_msg("%s", error.text);
    }
    assert_int_equal(backend->window(session, 1e-3, &sample, &lost, &error), ERT_OK);
    if (backend->verify(session, &error) != ERT_OK)
        fail_msg("%s", error.text);
}

static const char *counter_of(uint32_t thread)
{
    return session->parts[thread].sweep.chains;
}

static void counters_are_shared_as_the_row_says(void **state)
{
    for (size_t k = 0; k < ERT_LENGTH(kernels); k++) {
        run_kernel(kernels[k].kernel);
        for (uint32_t i = 0; i < session->n_threads; i++)
            for (uint32_t j = 0; j < i; j++)
                if (i / kernels[k].n == j / kernels[k].n)
                    assert_ptr_equal(counter_of(i), counter_of(j));
                else
                    assert_true(counter_of(i) - counter_of(j) >= 128 ||
                                counter_of(j) - counter_of(i) >= 128);
    }
}

static void a_lost_addition_is_found(void **state)
{
    for (size_t k = 0; k < ERT_LENGTH(kernels); k++) {
        run_kernel(kernels[k].kernel);
        --*(uint64_t *)session->parts[session->n_threads - 1].sweep.chains;
        assert_int_equal(backend->verify(session, &error), ERT_FAILED);
        assert_contains(error.text, ert_kernel_row(kernels[k].kernel)->name);
        assert_contains(error.text, "the counter is");
    }
}

int main(void)
{
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[160];
    if (!ert_cpu_isas[0] || backend->discover(&machine, &error) != ERT_OK) {
        printf("1..0 # SKIP no kernels for this CPU: %s\n", error.text);
        return 0;
    }
    device = machine.devices[0];
    options.threads = device.cpu.n_pus_usable < 3 ? device.cpu.n_pus_usable : 3;
    if (list(&device, ERT_KERNEL_atomic_one, variants, reason) == 0) {
        printf("1..0 # SKIP %s\n", reason);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counters_are_shared_as_the_row_says),
        cmocka_unit_test(a_lost_addition_is_found),
    };
    return cmocka_run_group_tests(tests, open_session, close_session);
}
