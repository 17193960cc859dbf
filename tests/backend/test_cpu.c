/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cpu: the OpenMP backend through its table: every case is prepared, timed, counted and
 * verified on this machine; wrong results, wrong requests, refused pinning and missing
 * memory are reported. Nothing here looks at how long something took.
 */
#include "tests/backend/cpu_fixture.h"

#include <math.h>

/* Prepares, times some regions and verifies after each. */
static struct ert_work run_spec(struct ert_spec spec)
{
    static const uint64_t regions[] = {1, 2, 61};
    const char *name = ert_kernel_row(spec.kernel)->name;
    struct ert_work work;
    if (backend->prepare(session, &spec, &work, &error) != ERT_OK)
        fail_msg("%s, %d bytes: %s", name, (int)spec.requested_bytes, error.text);
    for (size_t i = 0; i < 3; i++) {
        struct ert_sample sample;
        bool lost = true;
        assert_int_equal(backend->time(session, regions[i], &sample, &lost, &error),
                         ERT_OK);
        assert_false(lost);
        assert_true(sample.time_s > 0 && sample.clock_hz > 0);
        assert_int_equal(sample.passes, regions[i]);
        if (backend->verify(session, &error) != ERT_OK)
            fail_msg("%s, %d bytes: %s", name, (int)spec.requested_bytes, error.text);
    }
    return work;
}

/* What the threads did adds up to the rates of the sample. */
static void check_threads(const struct ert_sample *sample)
{
    double sum = 0, least = INFINITY;
    uint32_t n = sample->n_threads;
    assert_int_equal(n, device.cpu.n_cores_usable > 1 ? device.cpu.n_cores_usable : 0);
    for (uint32_t i = 0; i < n; i++) {
        assert_true(sample->thread_passes[i] >= (double)sample->passes);
        sum += sample->thread_passes[i];
        least = fmin(least, sample->thread_passes[i]);
    }
    if (n == 0)
        return;
    assert_close(sample->rate_per_s, sum / n / sample->time_s, 1e-9 * sample->rate_per_s);
    assert_close(sample->lockstep_per_s, least / sample->time_s, 1e-9 * sample->rate_per_s);
}

/* Counted by hand from the formulas, per element: bytes of the set, bytes moved, and flops. */
static const struct {
    enum ert_kernel_id kernel;
    uint32_t set, bytes, flops;
} memory_counts[] = {
    {ERT_KERNEL_load,         8,  8,  0}, /* r */
    {ERT_KERNEL_store,        8,  8,  0}, /* w = a */
    {ERT_KERNEL_store_nt,     8,  8,  0},
    {ERT_KERNEL_copy,         16, 16, 0}, /* w = r */
    {ERT_KERNEL_update,       8,  16, 2}, /* w = b - a*w, in place */
    {ERT_KERNEL_triad,        24, 24, 2}, /* w = r1 + a*r2 */
    {ERT_KERNEL_add,          24, 24, 1}, /* w = r1 + r2 */
    {ERT_KERNEL_load2_store1, 24, 24, 0}, /* w = r1 */
};

/* Each thread has whole multiples of each array, of 64 elements: the rest of the set is left out. */
static void check_work(struct ert_spec spec, const struct ert_work *work)
{
    size_t i = 0, n = sizeof memory_counts / sizeof memory_counts[0];
    while (i < n && memory_counts[i].kernel != spec.kernel)
        i++;
    if (i == n)
        fail_msg("%s is not counted here", ert_kernel_row(spec.kernel)->name);
    uint64_t threads = device.cpu.n_cores_usable;
    uint64_t step_bytes = 64 * memory_counts[i].set * threads;
    uint64_t set_bytes = spec.requested_bytes / step_bytes * step_bytes;
    double elements = (double)set_bytes / memory_counts[i].set;
    size_t set = ert_kernel_set_bytes_per_element(spec.kernel);
    if (set != memory_counts[i].set)
        fail_msg("%s: its set has %zu bytes per element, should be %u: ERT_READS_TARGET?",
                 ert_kernel_row(spec.kernel)->name, set, memory_counts[i].set);
    uint32_t flops = memory_counts[i].flops;
    if (session->variant && session->variant->rotated) /* moves what it would compute */
        flops = 0;
    assert_int_equal(work->actual_bytes, set_bytes);
    assert_close(work->bytes_per_pass, elements * memory_counts[i].bytes, 0);
    assert_close(work->flops_per_pass, elements * flops, 0);
    assert_int_equal(work->threads, threads);
}

/* 3 KiB per thread is the smallest set of three arrays; odd sizes round down. */
static void memory_cases_are_counted_and_right(void **state)
{
    const uint64_t sizes[] = {3072 * (uint64_t)device.cpu.n_cores_usable, 40000, 100001,
                              SET_MAX};
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[160];
    for (int kernel = 0; kernel < ERT_N_KERNELS; kernel++) {
        if (ert_kernel_row(kernel)->kind != ERT_KIND_MEMORY)
            continue;
        size_t n = list(&device, kernel, variants, reason);
        for (uint32_t i = 0; i < n * 4; i++) {
            struct ert_spec spec =
                spec_of(kernel, ert_kernel_row(kernel)->flops, sizes[i % 4], i / 4);
            if (spec.requested_bytes < sizes[0])
                continue;
            struct ert_work work = run_spec(spec);
            check_work(spec, &work);
        }
    }
}

/*
 * Chains of a table, and bytes of one: registers of its instruction set; of AMX tiles. Then the chains of
 * the addmul and of the fmaadd kernels.
 */
static const struct {
    const char *isa;
    uint32_t chains, bytes, addmul, fmaadd;
} chain_counts[] = {
    {"avx512",     24, 64,            24, 20},
    {"avx2",       12, 32,            14, 12},
    {"sse2",       12, 16,            14, 12},
    {"neon",       15, 16,            16, 14},
    {"sve512",     24, 64,            24, 20},
    {"sve256",     24, 32,            24, 20},
    {"sve128",     24, 16,            24, 20},
    {"avx512fp16", 24, 64,            0,  0 },
    {"avx512bf16", 24, 64,            0,  0 },
    {"avx512vnni", 24, 64,            0,  0 },
    {"avxvnni",    12, 32,            0,  0 },
    {"amx",        4,  1024,          0,  0 },
    {"neonfp16",   16, 16,            0,  0 },
    {"neondot",    24, 16,            0,  0 },
    {"library",    1,  512 * 512 * 8, 0,  0 },
    {"general",    4,  3 * 8,         0,  0 }, /* two sums and what was loaded */
};

/* Bytes of a chain's number, operations of a step on it, and steps of a pass. */
static const struct {
    enum ert_kernel_id kernel;
    uint32_t bytes;
    double operations;
    uint32_t steps;
} step_counts[] = {
    {ERT_KERNEL_fma_fp64,    8, 2,       256 },
    {ERT_KERNEL_add_fp64,    8, 1,       256 },
    {ERT_KERNEL_mul_fp64,    8, 1,       256 },
    {ERT_KERNEL_addmul_fp64, 8, 1,       256 },
    {ERT_KERNEL_addmul_fp32, 4, 1,       256 },
    {ERT_KERNEL_fmaadd_fp64, 8, 1.5,     256 }, /* an FMA and an addition in turn */
    {ERT_KERNEL_fmaadd_fp32, 4, 1.5,     256 },
    {ERT_KERNEL_div_fp64,    8, 1,       16  },
    {ERT_KERNEL_sqrt_fp64,   8, 1,       16  },
    {ERT_KERNEL_fma_fp32,    4, 2,       256 },
    {ERT_KERNEL_add_fp32,    4, 1,       256 },
    {ERT_KERNEL_mul_fp32,    4, 1,       256 },
    {ERT_KERNEL_div_fp32,    4, 1,       16  },
    {ERT_KERNEL_sqrt_fp32,   4, 1,       16  },
    {ERT_KERNEL_fma_fp16,    2, 2,       256 },
    {ERT_KERNEL_add_fp16,    2, 1,       256 },
    {ERT_KERNEL_mul_fp16,    2, 1,       256 },
#ifndef ERT_WITHOUT_EXTENSIONS
    {ERT_KERNEL_dot_bf16,    4, 2 * 2,   256 }, /* two products, each added */
    {ERT_KERNEL_dot_int8,    4, 4 * 2,   256 },
    {ERT_KERNEL_amx_bf16,    4, 32 * 2,  16  }, /* rows of 64 bytes: 32 products */
    {ERT_KERNEL_amx_int8,    4, 64 * 2,  16  },
    {ERT_KERNEL_blas_fp64,   8, 512 * 2, 4   }, /* rows of 512 products */
    {ERT_KERNEL_blas_fp32,   8, 512 * 2, 4   }, /* as many numbers */
    {ERT_KERNEL_issue,       8, 1,       1024},
#endif
};

/* Operations of one thread's pass. */
static double operations_by_hand(const struct ert_cpu_isa *isa, enum ert_kernel_id kernel)
{
    size_t i = 0, n = sizeof chain_counts / sizeof chain_counts[0];
    size_t k = 0, n_kernels = sizeof step_counts / sizeof step_counts[0];
    while (i < n && strcmp(chain_counts[i].isa, isa->name) != 0)
        i++;
    while (k < n_kernels && step_counts[k].kernel != kernel)
        k++;
    bool is_scalar =
        strcmp(isa->name, "scalar") == 0; /* as many chains as it has registers */
    if (k == n_kernels || (i == n && !is_scalar))
        fail_msg("%s of %s is not counted here", ert_kernel_row(kernel)->name, isa->name);
    bool is_addmul = kernel == ERT_KERNEL_addmul_fp64 || kernel == ERT_KERNEL_addmul_fp32;
    bool is_fmaadd = kernel == ERT_KERNEL_fmaadd_fp64 || kernel == ERT_KERNEL_fmaadd_fp32;
    if (is_scalar)
        return (double)(is_addmul   ? isa->addmul_chains
                        : is_fmaadd ? isa->fmaadd_chains
                                    : isa->chains) *
               step_counts[k].operations * step_counts[k].steps;
    uint32_t chains = is_addmul   ? chain_counts[i].addmul
                      : is_fmaadd ? chain_counts[i].fmaadd
                                  : chain_counts[i].chains;
    uint32_t numbers = chains * chain_counts[i].bytes / step_counts[k].bytes;
    return (double)numbers * step_counts[k].operations * step_counts[k].steps;
}

static void compute_cases_are_counted_and_right(void **state)
{
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[160];
    for (int kernel = 0; kernel < ERT_N_KERNELS; kernel++) {
        const struct ert_kernel *row = ert_kernel_row(kernel);
        if (row->kind != ERT_KIND_COMPUTE)
            continue;
        size_t n = list(&device, kernel, variants, reason);
        for (uint32_t variant = 0; variant < n; variant++) {
            struct ert_work work = run_spec(spec_of(kernel, row->flops, 0, variant));
            assert_close(
                work.flops_per_pass,
                operations_by_hand(session->isa, kernel) * device.cpu.n_cores_usable, 0);
            assert_int_equal(work.actual_bytes, 0);
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
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[160];
    for (int kernel = 0; kernel < ERT_N_KERNELS; kernel++) {
        const struct ert_kernel *row = ert_kernel_row(kernel);
        if (row->kind == ERT_KIND_COMPUTE || row->stores == 0 ||
            row->kind == ERT_KIND_MODE) /* test_cpu_ert110.c */
            continue;
        size_t n = list(&device, kernel, variants, reason);
        for (uint32_t i = 0; i < n; i++) {
            run_spec(spec_of(kernel, row->flops, 200000, i));
            struct ert_cpu_sweep *sweep = &session->parts[session->n_threads - 1].sweep;
            sweep->w[sweep->elements - 1] *= 1 + 0x1p-52;
            sweep->w[sweep->elements - 1] += 0x1p-40;
            char words[32];
            snprintf(words, sizeof words, "element %zu after", sweep->elements - 1);
            assert_found(words);
            assert_contains(error.text, row->name);
            assert_contains(error.text, variants[i].name);
        }
    }
}

static void a_wrong_source_or_chain_is_found(void **state)
{
    static const enum ert_kernel_id summing[] = {ERT_KERNEL_load, ERT_KERNEL_load2_store1};
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[160];
    for (size_t k = 0; k < 2; k++) {
        size_t n = list(&device, summing[k], variants, reason);
        for (uint32_t i = 0; i < n; i++) {
            run_spec(spec_of(summing[k], 0, 100000, i));
            double *source = ert_cpu_memory_source(&session->memory, 0), kept = source[67];
            struct ert_sample sample;
            bool lost;
            uint64_t before = session->parts[0].passes, changed;
            source[67] = 0.5; /* which load2_store1 sums up in every other pass */
            /* The same change in 64 passes, or 32 of them, is turned once round, and cancels. */
            do {
                assert_int_equal(backend->time(session, 1, &sample, &lost, &error), ERT_OK);
                changed = (session->parts[0].passes - before) % 64;
            } while (changed < 2 || changed > 62);
            assert_found("checksum");
            assert_contains(error.text, variants[i].name);
            source[67] = kept;
        }
    }
    run_spec(spec_of(ERT_KERNEL_mul_fp32, 1, 0, 0));
    ((float *)session->parts[0].chains)[9] += 0x1p-20F;
    assert_found("chain 9 ");
}

/* What a pass more or less would leave is not what verify expects. */
static void a_skipped_pass_is_found(void **state)
{
    static const enum ert_kernel_id counting[] = {
        ERT_KERNEL_load,     ERT_KERNEL_store, ERT_KERNEL_update,
        ERT_KERNEL_store_nt, ERT_KERNEL_triad, ERT_KERNEL_load2_store1};
    struct ert_variant variants[ERT_MAX_VARIANTS];
    char reason[160];
    for (size_t k = 0; k < sizeof counting / sizeof counting[0]; k++) {
        size_t n = list(&device, counting[k], variants, reason);
        for (uint32_t i = 0; i < n; i++) {
            run_spec(spec_of(counting[k], ert_kernel_row(counting[k])->flops, 100000, i));
            session->parts[0].passes++;
            assert_found(ert_kernel_row(counting[k])->name);
        }
    }
}

/* In a window each thread does as many passes as it can: the results say how many those were. */
static void windows_are_counted_thread_by_thread(void **state)
{
    static const enum ert_kernel_id kernels[] = {ERT_KERNEL_load, ERT_KERNEL_store,
                                                 ERT_KERNEL_update, ERT_KERNEL_load2_store1,
                                                 ERT_KERNEL_fma_fp64};
    static const double windows_s[] = {1e-6, 3e-4, 2e-3};
    struct ert_sample sample;
    bool lost = true;
    for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; k++) {
        run_spec(spec_of(kernels[k], ert_kernel_row(kernels[k])->flops, 100001, 0));
        for (size_t i = 0; i < 3; i++) {
            uint64_t before = session->parts[0].passes;
            assert_int_equal(backend->window(session, windows_s[i], &sample, &lost, &error),
                             ERT_OK);
            assert_false(lost);
            assert_true(sample.time_s >= windows_s[i] && sample.clock_hz > 0);
            assert_true(sample.waited >= 0 && sample.waited <= 1);
            assert_true(sample.steal >= 0 && sample.steal <= 1);
            check_threads(&sample);
            /* Warm passes, and those past the end, are not counted. */
            assert_true(session->window_passes[0] >= 0 &&
                        session->window_passes[0] <
                            (double)(session->parts[0].passes - before));
            if (backend->verify(session, &error) != ERT_OK)
                fail_msg("%s: %s", ert_kernel_row(kernels[k])->name, error.text);
        }
        /* The chains of compute kernels come by the same values again and again. */
        session->parts[session->n_threads - 1].passes++;
        if (kernels[k] != ERT_KERNEL_fma_fp64)
            assert_found(ert_kernel_row(kernels[k])->name);
    }
    assert_int_equal(backend->window(session, 0, &sample, &lost, &error), ERT_USAGE);
}

/* A thread that was put aside during its first pass does not say how long a pass takes. */
static void a_pass_is_as_long_as_the_fastest_thread_s(void **state)
{
    run_spec(spec_of(ERT_KERNEL_load, 0, 50000, 0));
    for (uint32_t i = 0; i < session->n_threads; i++) {
        session->parts[i].begin_s = 5;
        session->parts[i].end_s = i == 0 ? 5 + 0x1p-20 : 5 + 0x1p-8;
    }
    assert_close(ert_cpu_fastest_time_s(session), 0x1p-20, 0);
}

/* A machine that is watched names its CPUs; what it sees is between nothing and all. */
static void the_machine_is_watched(void **state)
{
    struct ert_observation seen;
    assert_int_equal(backend->observe(session, &seen, &error), ERT_OK);
    assert_int_equal(seen.n_cpus, device.cpu.n_cores_usable);
    assert_true(seen.lost >= 0 && seen.lost <= 1 && seen.time_s > 0);
    assert_true(seen.longest_gap_s > 0);
    for (uint32_t i = 0; i < seen.n_cpus; i++)
        for (uint32_t j = 0; j < i; j++)
            assert_true(seen.cpus[i] != seen.cpus[j]);
    run_spec(spec_of(ERT_KERNEL_load, 0, 50000, 0)); /* all threads work again */
    assert_int_equal(session->n_threads, device.cpu.n_cores_usable);
}

static void refuse(struct ert_spec spec, const char *words)
{
    struct ert_work work;
    assert_int_equal(backend->prepare(session, &spec, &work, &error), ERT_USAGE);
    assert_contains(error.text, words);
}

static void impossible_cases_are_refused(void **state)
{
    refuse(spec_of(ERT_KERNEL_triad, 2, 0, 0),
           "triad: working set of 0 bytes, must be at least");
    refuse(spec_of(ERT_KERNEL_load, 0, SET_MAX + 1, 0), "must be at most 1048576");
    refuse(spec_of(ERT_KERNEL_load, 0, SET_MAX, 16), "variant 16");
    struct ert_sample sample;
    bool lost;
    assert_int_equal(backend->time(session, 1, &sample, &lost, &error), ERT_FAILED);
    assert_contains(error.text, "nothing is prepared");
    assert_int_equal(backend->verify(session, &error), ERT_FAILED);
    run_spec(spec_of(ERT_KERNEL_load, 0, SET_MAX, 0));
    assert_int_equal(backend->time(session, 0, &sample, &lost, &error), ERT_USAGE);
}

/* 10^10 passes would take hours. */
static void a_long_region_is_given_up(void **state)
{
    static volatile bool stop;
    struct ert_sample sample;
    bool lost;
    run_spec(spec_of(ERT_KERNEL_copy, 0, SET_MAX, 0));
    session->options.timeout_s = 1e-3;
    assert_int_equal(backend->time(session, 10000000000, &sample, &lost, &error),
                     ERT_FAILED);
    assert_contains(error.text, "must take at most 0.001 s");
    assert_false(lost);
    assert_int_equal(backend->verify(session, &error), ERT_FAILED);
    session->options.timeout_s = 60;
    run_spec(spec_of(ERT_KERNEL_copy, 0, SET_MAX, 0));
    session->options.timeout_s = 1e-3;
    assert_int_equal(backend->window(session, 3600, &sample, &lost, &error), ERT_FAILED);
    assert_contains(error.text, "must take at most 0.001 s");
    session->options.timeout_s = 60;
    run_spec(spec_of(ERT_KERNEL_copy, 0, SET_MAX, 0));
    stop = true;
    session->options.stop = &stop;
    assert_int_equal(backend->time(session, 10000000000, &sample, &lost, &error),
                     ERT_FAILED);
    assert_contains(error.text, "interrupted");
    session->options.stop = NULL;
}

int main(void)
{
    int exit_code;
    if (no_cpu(&exit_code))
        return exit_code;
    const struct CMUnitTest tests[] = {
        SESSION(memory_cases_are_counted_and_right),
        SESSION(compute_cases_are_counted_and_right),
        SESSION(a_wrong_element_is_named),
        SESSION(a_wrong_source_or_chain_is_found),
        SESSION(a_skipped_pass_is_found),
        SESSION(windows_are_counted_thread_by_thread),
        SESSION(a_pass_is_as_long_as_the_fastest_thread_s),
        SESSION(the_machine_is_watched),
        SESSION(impossible_cases_are_refused),
        SESSION(a_long_region_is_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
