/* SPDX-License-Identifier: BSD-3-Clause */
/* cpu_loaded: one thread follows a chain while the others read, and write back, lines of the source. */
#include "tests/backend/cpu_fixture.h"

#include <stdio.h>

static struct ert_work work;
static struct ert_sample sample;

/* Prepares a chain of 640 lines, runs two windows and verifies after each. */
static void run_kernel(int kernel, uint32_t variant)
{
    struct ert_spec spec = spec_of((enum ert_kernel_id)kernel, 0, 640 * 64, variant);
    bool lost;
    if (backend->prepare(session, &spec, &work, &error) != ERT_OK)
        fail_msg("%s", error.text);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(backend->window(session, 1e-3, &sample, &lost, &error), ERT_OK);
        if (backend->verify(session, &error) != ERT_OK)
            fail_msg("%s, %u: %s", ert_kernel_row(kernel)->name, variant, error.text);
    }
}

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* A generator reads the first double of each of its lines in turn, 256 in a pass, and leaves them. */
static void check_generator(uint32_t thread)
{
    const struct ert_cpu_sweep *sweep = &session->parts[thread].sweep;
    const uint64_t n = sweep->elements / 8, done = session->parts[thread].passes * 256;
    uint64_t sum = 0;
    assert_true(n % 256 == 0 && done > 0);
    for (uint64_t i = 0; i < n; i++) {
        double value;
        ert_cpu_pattern_get(&session->pattern,
                            ert_cpu_first_element(session, thread) + 8 * i, 1, &value);
        sum += bits_of(value) * (done / n + (i < done % n));
        assert_true(bits_of(sweep->r1[8 * i]) == bits_of(value));
    }
    assert_true(sweep->checksum == sum);
}

/* Counted by hand: 256 lines of 64 bytes that are read, and none, half or all of them written. */
static void passes_are_counted_and_right(void **state)
{
    static const double bytes[] = {256 * 64, 256 * 64 * 1.5, 256 * 64 * 2};
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[160];
    for (int k = ERT_KERNEL_loaded_load; k <= ERT_KERNEL_loaded_update; k++) {
        assert_int_equal(list(&device, (enum ert_kernel_id)k, variants, reason), 8);
        for (uint32_t variant = 0; variant < 8; variant++) {
            run_kernel(k, variant);
            assert_int_equal(work.actual_bytes, 640 * 64);
            assert_close(work.loads_per_pass, 4096, 0);
            assert_close(work.bytes_per_pass, bytes[k - ERT_KERNEL_loaded_load], 0);
            assert_int_equal(sample.n_threads, session->n_ordinary);
            for (uint32_t i = 1; i < session->n_threads; i++)
                check_generator(i);
        }
    }
}

/* Generators have lines of their own, which together are the source. */
static void lines_are_of_one_thread(void **state)
{
    run_kernel(ERT_KERNEL_loaded_load, 7);
    for (uint32_t i = 1; i < session->n_threads; i++)
        for (uint32_t j = 1; j < i; j++)
            assert_true(session->parts[i].sweep.r1 >=
                        session->parts[j].sweep.r1 + session->parts[j].sweep.elements);
    assert_true(8 * session->parts[1].sweep.elements * (session->n_threads - 1) >=
                SET_MAX / 2);
}

static void what_is_wrong_is_found(void **state)
{
    run_kernel(ERT_KERNEL_loaded_2to1, 7);
    session->parts[0].passes++;
    assert_int_equal(backend->verify(session, &error), ERT_FAILED);
    assert_contains(error.text, "the chain is at");
    struct ert_spec spec = spec_of(ERT_KERNEL_loaded_load, 0, UINT64_C(1) << 40, 0);
    assert_int_equal(backend->prepare(session, &spec, &work, &error), ERT_USAGE);
    assert_contains(error.text, "must be at most");
}

int main(void)
{
    if (!ert_cpu_isas[0] || backend->discover(&machine, &error) != ERT_OK) {
        printf("1..0 # SKIP no kernels for this CPU: %s\n", error.text);
        return 0;
    }
    device = machine.devices[0];
    options.threads = device.cpu.n_pus_usable < 3 ? device.cpu.n_pus_usable : 3;
    if (options.threads < 2) {
        printf("1..0 # SKIP one CPU\n");
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_are_counted_and_right),
        cmocka_unit_test(lines_are_of_one_thread),
        cmocka_unit_test(what_is_wrong_is_found),
    };
    return cmocka_run_group_tests(tests, open_session, close_session);
}
