/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ert110: ERT's own kernel on this CPU: every instruction set, type, flop count and number of passes at
 * once leaves what the arithmetic of ert110.h says, and a wrong element is found.
 */
#include "tests/backend/cpu_fixture.h"

#include "ert/ext/ert110/kernels.h"

enum { ERT110_BYTES = (1 << 19) + 1000 };

static const enum ert_kernel_id kernels[] = {ERT_KERNEL_ert_fp64, ERT_KERNEL_ert_fp32};

static struct ert_work run_spec(const struct ert_spec *spec, uint64_t passes)
{
    struct ert_work work;
    struct ert_sample sample;
    bool lost;
    if (backend->prepare(session, spec, &work, &error) != ERT_OK ||
        backend->time(session, passes, &sample, &lost, &error) != ERT_OK ||
        backend->verify(session, &error) != ERT_OK)
        fail_msg("%s, %u flops, %llu bytes, %llu passes: %s",
                 ert_kernel_row(spec->kernel)->name, spec->flops_per_element,
                 (unsigned long long)spec->requested_bytes, (unsigned long long)passes,
                 error.text);
    return work;
}

static void every_instance_does_what_its_row_says(void **state)
{
    for (size_t k = 0; k < 2; k++) {
        struct ert_variant variants[ERT_MAX_VARIANTS];
        char reason[160];
        size_t n = list(&device, kernels[k], variants, reason);
        assert_true(n > 0 && n % 2 == 0);
        assert_contains(variants[1].name, "2 passes at once");
        for (uint32_t v = 0; v < n; v++)
            for (uint32_t flops = 1; flops <= 1024; flops *= 2) {
                struct ert_spec spec = spec_of(kernels[k], flops, 8 * 1237, v);
                spec.concurrency = 1;
                struct ert_work work = run_spec(&spec, 7);
                size_t elements = kernels[k] == ERT_KERNEL_ert_fp32 ? 2474 : 1237;
                assert_int_equal(work.actual_bytes, 8 * 1237);
                assert_close(work.bytes_per_pass, 16 * 1237, 0);
                assert_close(work.flops_per_pass, (double)elements * flops, 0);
            }
    }
}

/* Less than a vector, one element, all that there is; odd and even passes, and many. */
static void odd_sets_and_passes(void **state)
{
    static const uint64_t elements[] = {1, 2, 3, 5, 31, 4096, 65536};
    static const uint64_t passes[] = {1, 2, 3, 1000};
    for (size_t e = 0; e < 7; e++)
        for (size_t p = 0; p < 4; p++)
            for (uint32_t v = 0; v < 2; v++) {
                struct ert_spec spec = spec_of(ERT_KERNEL_ert_fp64, 2, 8 * elements[e], v);
                spec.concurrency = 1;
                run_spec(&spec, passes[p]);
            }
}

/* Each thread has its part of the buffer, which ERT rounds down to ERT_ALIGN. */
static void threads_have_parts(void **state)
{
    uint32_t n = options.max_threads;
    struct ert_spec spec = spec_of(ERT_KERNEL_ert_fp64, 4, (uint64_t)n * 8 * 100, 1);
    spec.concurrency = n;
    struct ert_work work = run_spec(&spec, 5);
    char text[64];
    assert_int_equal(work.threads, n);
    assert_int_equal(work.actual_bytes, n * 800);
    char *first = (char *)session->parts[0].sweep.w,
         *last = (char *)session->parts[n - 1].sweep.w;
    assert_int_equal(last - first, (n - 1) * (ERT110_BYTES / n / 64 * 64));
    spec.requested_bytes = ERT110_BYTES + 8 * n;
    assert_int_equal(backend->prepare(session, &spec, &work, &error), ERT_USAGE);
    snprintf(text, sizeof text, "must be 1 to %u", ERT110_BYTES / n / 64 * 8);
    assert_contains(error.text, text);
    spec.flops_per_element = 3;
    assert_int_equal(backend->prepare(session, &spec, &work, &error), ERT_USAGE);
    assert_contains(error.text, "power of two up to 1024");
}

/* Who only looks at the machine code may hold a file's flop count, which nobody has run. */
static void no_code_of_other_flops(void **state)
{
    static const uint32_t flops[] = {0, 3, 2048, 4096, UINT32_MAX};
    for (size_t i = 0; i < sizeof flops / sizeof flops[0]; i++) {
        struct ert_code code;
        struct ert_spec spec = spec_of(ERT_KERNEL_ert_fp64, flops[i], 8000, 1);
        assert_int_equal(backend->code(&device, &spec, &code, &error), ERT_USAGE);
        assert_contains(error.text, "power of two up to 1024");
    }
}

static void a_wrong_element_is_found(void **state)
{
    for (size_t k = 0; k < 2; k++) {
        struct ert_spec spec = spec_of(kernels[k], 2, 8000, 0);
        spec.concurrency = 1;
        run_spec(&spec, 3);
        session->parts[0].sweep.w[499] *= 1 + 0x1p-10;
        assert_int_equal(backend->verify(session, &error), ERT_FAILED);
        assert_contains(error.text, ert_kernel_row(kernels[k])->name);
    }
}

static void other_sessions_have_no_buffer(void **state)
{
    struct ert_work work;
    struct ert_spec spec = spec_of(ERT_KERNEL_ert_fp64, 2, 8000, 0);
    session->options.mode = (struct ert_mode_data){{0}};
    assert_int_equal(backend->prepare(session, &spec, &work, &error), ERT_USAGE);
    assert_contains(error.text, "must be 1 to 0, for which the session was opened");
}

int main(void)
{
    int exit_code;
    if (no_cpu(&exit_code))
        return exit_code;
    const struct ert110_memory memory = {.bytes = ERT110_BYTES, .align_bytes = 64};
    memcpy(&options.mode, &memory, sizeof memory);
    options.max_threads = device.cpu.n_pus_usable < 3 ? device.cpu.n_pus_usable : 3;
    const struct CMUnitTest tests[] = {
        SESSION(every_instance_does_what_its_row_says),
        SESSION(odd_sets_and_passes),
        SESSION(threads_have_parts),
        cmocka_unit_test(no_code_of_other_flops),
        SESSION(a_wrong_element_is_found),
        SESSION(other_sessions_have_no_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
