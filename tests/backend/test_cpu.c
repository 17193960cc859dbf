/*
 * cpu: the OpenMP backend through its table: every case is prepared, timed, counted and
 * verified on this machine; wrong results, wrong requests, refused pinning and missing
 * memory are reported. Nothing here looks at how long something took.
 */
#include "tests/backend/cpu_fixture.h"

#include "ert/backend/cpu/compute.h"

/* Prepares, times some regions and verifies after each. */
static struct ert_work run_case(struct ert_case case_)
{
    static const uint64_t regions[] = {1, 2, 61};
    const char *name = ert_kernel_row(case_.kernel)->name;
    struct ert_work work;
    if (backend->prepare(session, &case_, &work, &error) != ERT_OK)
        fail_msg("%s, %d bytes: %s", name, (int)case_.working_set_bytes, error.text);
    for (size_t i = 0; i < 3; i++) {
        struct ert_sample sample;
        bool lost = true;
        assert_int_equal(backend->time(session, regions[i], &sample, &lost, &error),
                         ERT_OK);
        assert_false(lost);
        assert_true(sample.time_s > 0 && sample.clock_hz > 0);
        assert_int_equal(sample.passes, regions[i]);
        if (backend->verify(session, &error) != ERT_OK)
            fail_msg("%s, %d bytes: %s", name, (int)case_.working_set_bytes, error.text);
    }
    return work;
}

static void check_work(struct ert_case case_, const struct ert_work *work)
{
    uint32_t arrays = ert_kernel_arrays(case_.kernel);
    double elements = (double)work->working_set_bytes / arrays / 8;
    assert_true(work->working_set_bytes <= case_.working_set_bytes);
    assert_true(work->working_set_bytes > 0);
    assert_close(work->bytes_per_pass,
                 elements * (double)ert_kernel_bytes_per_element(case_.kernel), 0);
    assert_close(work->flops_per_pass, elements * case_.flops_per_element, 0);
    assert_int_equal(work->threads, device.cpu.n_cores_usable);
}

/* 3 KiB per thread is the smallest set of three arrays; odd sizes round down. */
static void memory_cases_are_counted_and_right(void **state)
{
    (void)state;
    const uint64_t sizes[] = {3072 * (uint64_t)device.cpu.n_cores_usable, 40000, 100001,
                              SET_MAX};
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[160];
    for (int kernel = 0; kernel < ERT_N_KERNELS; kernel++) {
        if (ert_kernel_row(kernel)->class_ != ERT_CLASS_MEMORY)
            continue;
        size_t n = list(&device, kernel, variants, reason);
        for (uint32_t i = 0; i < n * 4; i++) {
            struct ert_case case_ =
                case_of(kernel, ert_kernel_row(kernel)->flops, sizes[i % 4], i / 4);
            if (case_.working_set_bytes < sizes[0])
                continue;
            struct ert_work work = run_case(case_);
            check_work(case_, &work);
        }
    }
}

static void mixed_cases_are_counted_and_right(void **state)
{
    (void)state;
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[160];
    size_t n = list(&device, ERT_KERNEL_mixed_fp64, variants, reason);
    for (uint32_t variant = 0; variant < n; variant++)
        for (uint32_t flops = 1; flops <= 1024; flops *= 2) {
            struct ert_case case_ =
                case_of(ERT_KERNEL_mixed_fp64, flops, SET_MAX / 3, variant);
            struct ert_work work = run_case(case_);
            check_work(case_, &work);
        }
}

static void compute_cases_are_counted_and_right(void **state)
{
    (void)state;
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[160];
    for (int kernel = 0; kernel < ERT_N_KERNELS; kernel++) {
        const struct ert_kernel *row = ert_kernel_row(kernel);
        if (row->class_ != ERT_CLASS_COMPUTE)
            continue;
        size_t n = list(&device, kernel, variants, reason);
        for (uint32_t variant = 0; variant < n; variant++) {
            struct ert_work work = run_case(case_of(kernel, row->flops, 0, variant));
            assert_close(work.flops_per_pass,
                         ert_cpu_compute_operations(session->isa, kernel) *
                             device.cpu.n_cores_usable,
                         0);
            assert_int_equal(work.working_set_bytes, 0);
        }
    }
}

static void assert_found(const char *words)
{
    assert_int_equal(backend->verify(session, &error), ERT_FAILED);
    assert_contains(error.text, "wrong result");
    assert_contains(error.text, words);
}

static void a_wrong_element_is_named(void **state)
{
    (void)state;
    for (int kernel = 0; kernel < ERT_N_KERNELS; kernel++) {
        const struct ert_kernel *row = ert_kernel_row(kernel);
        if (row->class_ == ERT_CLASS_COMPUTE || row->stores == 0 ||
            row->class_ == ERT_CLASS_CLASSIC) /* test_cpu_classic.c */
            continue;
        run_case(
            case_of(kernel, row->class_ == ERT_CLASS_MIXED ? 4 : row->flops, 200000, 0));
        struct ert_cpu_sweep *sweep = &session->parts[session->n_threads - 1].sweep;
        sweep->w[sweep->elements - 1] *= 1 + 0x1p-52;
        sweep->w[sweep->elements - 1] += 0x1p-40;
        char words[32];
        snprintf(words, sizeof words, "element %zu after", sweep->elements - 1);
        assert_found(words);
        assert_contains(error.text, row->name);
    }
}

static void a_wrong_source_or_chain_is_found(void **state)
{
    (void)state;
    run_case(case_of(ERT_KERNEL_load, 0, 100000, 0));
    double *source = ert_cpu_memory_source(&session->memory, 0), kept = source[77];
    struct ert_sample sample;
    bool lost;
    source[77] = 0.5;
    assert_int_equal(backend->time(session, 1, &sample, &lost, &error), ERT_OK);
    assert_found("checksum");
    source[77] = kept;
    run_case(case_of(ERT_KERNEL_mul_fp32, 1, 0, 0));
    ((float *)session->parts[0].chains)[9] += 0x1p-20F;
    assert_found("chain 9 ");
}

/* What a pass more or less would leave is not what verify expects. */
static void a_skipped_pass_is_found(void **state)
{
    (void)state;
    static const enum ert_kernel_id counting[] = {ERT_KERNEL_load,   ERT_KERNEL_store,
                                                  ERT_KERNEL_update, ERT_KERNEL_store_nt,
                                                  ERT_KERNEL_triad,  ERT_KERNEL_mix21_copy};
    for (size_t i = 0; i < sizeof counting / sizeof counting[0]; i++) {
        run_case(case_of(counting[i], ert_kernel_row(counting[i])->flops, 100000, 0));
        session->passes++;
        assert_found(ert_kernel_row(counting[i])->name);
    }
}

static void refuse(struct ert_case case_, const char *words)
{
    struct ert_work work;
    assert_int_equal(backend->prepare(session, &case_, &work, &error), ERT_USAGE);
    assert_contains(error.text, words);
}

static void impossible_cases_are_refused(void **state)
{
    (void)state;
    refuse(case_of(ERT_KERNEL_triad, 2, 0, 0),
           "triad: working set of 0 bytes, must be at least");
    refuse(case_of(ERT_KERNEL_load, 0, SET_MAX + 1, 0), "must be at most 1048576");
    refuse(case_of(ERT_KERNEL_load, 0, SET_MAX, 7), "variant 7");
    refuse(case_of(ERT_KERNEL_mixed_fp64, 3, SET_MAX, 0), "3 flops per element");
    refuse(case_of(ERT_KERNEL_mixed_fp64, 2048, SET_MAX, 0), "up to 1024");
    struct ert_sample sample;
    bool lost;
    assert_int_equal(backend->time(session, 1, &sample, &lost, &error), ERT_FAILED);
    assert_contains(error.text, "nothing is prepared");
    assert_int_equal(backend->verify(session, &error), ERT_FAILED);
    run_case(case_of(ERT_KERNEL_load, 0, SET_MAX, 0));
    assert_int_equal(backend->time(session, 0, &sample, &lost, &error), ERT_USAGE);
}

/* 10^10 passes would take hours. */
static void a_long_region_is_given_up(void **state)
{
    (void)state;
    static volatile bool stop;
    struct ert_sample sample;
    bool lost;
    run_case(case_of(ERT_KERNEL_copy, 0, SET_MAX, 0));
    session->options.timeout_s = 1e-3;
    assert_int_equal(backend->time(session, 10000000000, &sample, &lost, &error),
                     ERT_FAILED);
    assert_contains(error.text, "must take at most 0.001 s");
    assert_false(lost);
    assert_int_equal(backend->verify(session, &error), ERT_FAILED);
    session->options.timeout_s = 60;
    run_case(case_of(ERT_KERNEL_copy, 0, SET_MAX, 0));
    stop = true;
    session->options.stop = &stop;
    assert_int_equal(backend->time(session, 10000000000, &sample, &lost, &error),
                     ERT_FAILED);
    assert_contains(error.text, "interrupted");
    session->options.stop = NULL;
}

int main(void)
{
    if (!ert_cpu_isas[0]) {
        printf("1..0 # SKIP this build has no kernels for this CPU architecture\n");
        return 0;
    }
    if (backend->discover(&machine, &error) != ERT_OK) {
        printf("Bail out! %s\n", error.text);
        return 1;
    }
    device = machine.devices[0];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(memory_cases_are_counted_and_right, open_session,
                                        close_session),
        cmocka_unit_test_setup_teardown(mixed_cases_are_counted_and_right, open_session,
                                        close_session),
        cmocka_unit_test_setup_teardown(compute_cases_are_counted_and_right, open_session,
                                        close_session),
        cmocka_unit_test_setup_teardown(a_wrong_element_is_named, open_session,
                                        close_session),
        cmocka_unit_test_setup_teardown(a_wrong_source_or_chain_is_found, open_session,
                                        close_session),
        cmocka_unit_test_setup_teardown(a_skipped_pass_is_found, open_session,
                                        close_session),
        cmocka_unit_test_setup_teardown(impossible_cases_are_refused, open_session,
                                        close_session),
        cmocka_unit_test_setup_teardown(a_long_region_is_given_up, open_session,
                                        close_session),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
