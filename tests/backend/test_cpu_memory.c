/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cpu_memory: the parts of the OpenMP backend around its arrays: how they are dealt out to threads,
 * the chase of pointers and the number of threads. No time is looked at.
 */
#include "tests/backend/cpu_fixture.h"

#ifndef ERT_WITHOUT_EXTENSIONS
#include "ert/ext/sections/sections.h"
#endif

#include <stdio.h>

/* Prepares, times two regions and verifies after each. */
static struct ert_work run_spec(struct ert_spec spec)
{
    struct ert_work work;
    if (backend->prepare(session, &spec, &work, &error) != ERT_OK)
        fail_msg("%s", error.text);
    for (uint64_t passes = 1; passes <= 200; passes += 199) {
        struct ert_sample sample;
        bool lost;
        assert_int_equal(backend->time(session, passes, &sample, &lost, &error), ERT_OK);
        if (backend->verify(session, &error) != ERT_OK)
            fail_msg("%s", error.text);
    }
    return work;
}

static void refuse(struct ert_spec spec, const char *words)
{
    struct ert_work work;
    assert_int_equal(backend->prepare(session, &spec, &work, &error), ERT_USAGE);
    assert_contains(error.text, words);
}

/* No two threads' arrays overlap, none leaves its region, for any number of sharers. */
static void chunks_lie_apart(void **state)
{
    enum { SLICES = 3, MOST = 7 };
    struct ert_cpu_memory memory;
    assert_int_equal(ert_cpu_memory_open(5000001, SLICES, MOST, &memory, &error), ERT_OK);
    size_t end = memory.slice_bytes * SLICES;
    for (uint32_t n = 1; n <= MOST; n++) {
        size_t share = ert_cpu_memory_share_max(&memory, n);
        uint32_t full = n > SLICES ? (n + SLICES - 1) / SLICES * SLICES : n;
        assert_true(share >= 5000001 / full); /* as if all slices were full */
        size_t elements = share / 3 / 512 * 64;
        for (uint32_t i = 0; i < n; i++) {
            struct ert_cpu_arrays a = ert_cpu_memory_arrays(&memory, i, n, elements, 3);
            assert_true(a.r1 + elements <= a.r2);
            assert_true((const char *)(a.r2 + elements) <= memory.region[0] + end);
            assert_true((const char *)(a.w + elements) <= memory.region[1] + end);
            assert_int_equal((uintptr_t)a.r1 % 4096, 0);
            for (uint32_t j = 0; j < i; j++) {
                struct ert_cpu_arrays b = ert_cpu_memory_arrays(&memory, j, n, elements, 3);
                assert_true(a.r2 + elements <= b.r1 || b.r2 + elements <= a.r1);
                assert_true(a.w + elements <= b.w || b.w + elements <= a.w);
            }
        }
    }
    /* With a slice each, everybody stays in its own. */
    assert_ptr_equal(ert_cpu_memory_arrays(&memory, 2, 2 + 1, 64, 1).r1,
                     ert_cpu_memory_source(&memory, 2));
    assert_ptr_equal(ert_cpu_memory_arrays(&memory, 1, 2, 64, 1).r1,
                     ert_cpu_memory_source(&memory, 1));
    ert_cpu_memory_close(&memory);
}

#ifndef ERT_WITHOUT_EXTENSIONS
/* Every line once, back at the start, and no step that comes often: nothing to prefetch. */
static void a_cycle_visits_every_line_at_random(void **state)
{
    static const uint64_t sizes[] = {1, 2, 3, 8, 384, 1000, 4096, 4097};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        uint64_t n = sizes[s];
        static uint16_t visits[4097], steps[2 * 4097];
        memset(visits, 0, sizeof visits);
        memset(steps, 0, sizeof steps);
        for (uint64_t i = 0; i < n; i++) {
            uint64_t line = ert_cpu_chase_line(7, n, i);
            uint64_t next = ert_cpu_chase_line(7, n, i + 1);
            assert_true(line < n);
            visits[line]++;
            steps[n + next - line]++;
        }
        uint16_t most = 0;
        for (uint64_t i = 0; i < n; i++)
            assert_int_equal(visits[i], 1);
        for (uint64_t i = 0; i < 2 * n; i++)
            most = steps[i] > most ? steps[i] : most;
        assert_true(most <= 8 + n / 40);
        assert_int_equal(ert_cpu_chase_line(7, n, n), ert_cpu_chase_line(7, n, 0));
    }
    assert_true(ert_cpu_chase_line(7, 4096, 5) != ert_cpu_chase_line(8, 4096, 5));
}

static void a_chase_is_counted_and_right(void **state)
{
    static const uint64_t sizes[] = {512, 24576, 100001, SET_MAX};
    for (size_t i = 0; i < 4; i++) {
        struct ert_spec spec = spec_of(ERT_KERNEL_chase, 0, sizes[i], 0);
        struct ert_work work = run_spec(spec);
        assert_int_equal(work.threads, 1);
        assert_int_equal(work.actual_bytes, sizes[i] / 512 * 512);
        assert_close(work.loads_per_pass, ERT_CPU_CHASE_STEPS, 0);
        assert_close(work.bytes_per_pass, 0, 0);
    }
    /* Another cycle among the same lines: one pointer more than the shortest way back. */
    struct ert_cpu_sweep *sweep = &session->parts[0].sweep;
    *(void **)sweep->w = sweep->w;
    struct ert_sample sample;
    bool lost;
    assert_int_equal(backend->time(session, 100, &sample, &lost, &error), ERT_OK);
    assert_int_equal(backend->verify(session, &error), ERT_FAILED);
    assert_contains(error.text, "the chain is at byte 0");
}
#endif

/* Any number of threads up to what the session has; the same set, cut differently. */
static void cases_choose_their_threads(void **state)
{
    static const enum ert_kernel_id kernels[] = {ERT_KERNEL_load, ERT_KERNEL_triad,
                                                 ERT_KERNEL_update, ERT_KERNEL_add_fp64};
    uint32_t most = session->n_planned;
    for (size_t k = 0; k < 4; k++)
        for (uint32_t n = most; n >= 1; n--) {
            const struct ert_kernel *row = ert_kernel_row(kernels[k]);
            bool computes = row->kind == ERT_KIND_COMPUTE;
            struct ert_spec spec =
                spec_of(kernels[k], row->flops, computes ? 0 : SET_MAX, 0);
            spec.concurrency = n;
            struct ert_work work = run_spec(spec);
            assert_int_equal(work.threads, n);
            assert_int_equal(session->n_threads, n);
        }
    struct ert_spec spec = spec_of(ERT_KERNEL_load, 0, SET_MAX, 0);
    assert_int_equal(run_spec(spec).threads, session->n_ordinary);
    spec.concurrency = most + 1;
    refuse(spec, "must be at most");
}

/* This machine's first node and package, named: the results and the pages' place are right. */
static void arrays_lie_where_the_case_says(void **state)
{
    static const enum ert_kernel_id kernels[] = {ERT_KERNEL_load, ERT_KERNEL_triad,
                                                 ERT_KERNEL_store};
    uint32_t node = device.cpu.n_numa ? device.cpu.numa[0].os_index : 0;
    for (size_t k = 0; k < 3; k++)
        for (uint32_t from = 0; from <= 1; from++) {
            struct ert_spec spec =
                spec_of(kernels[k], ert_kernel_row(kernels[k])->flops, 3 * SET_MAX, 0);
            struct ert_work work;
            spec.from = from;
            spec.to = 1 + node;
            if (backend->prepare(session, &spec, &work, &error) == ERT_UNAVAILABLE) {
                printf("# cannot be tried here: %s\n", error.text);
                return;
            }
            run_spec(spec);
            const struct ert_cpu_memory *memory = &session->place.memory;
            assert_ptr_equal(session->arrays, memory);
            uint32_t nodes[1024];
            assert_in_range(memory->n_slices, 1, 1024);
            for (uint32_t i = 0; i < memory->n_slices; i++)
                nodes[i] = node;
            assert_int_equal(ert_cpu_place_check(memory, nodes, &error), ERT_OK);
            nodes[0] = node + 1; /* of the first thread's slice alone */
            assert_int_equal(ert_cpu_place_check(memory, nodes, &error), ERT_UNAVAILABLE);
            assert_contains(error.text, " of 128 pages");
            for (uint32_t i = 0; i < memory->n_slices; i++)
                nodes[i] = node + 1;
            assert_int_equal(ert_cpu_place_check(memory, nodes, &error), ERT_UNAVAILABLE);
            assert_contains(error.text, "0 of 128 pages");
        }
    /* An ordinary case goes back to the session's own arrays and threads. */
    run_spec(spec_of(ERT_KERNEL_load, 0, SET_MAX, 0));
    assert_ptr_equal(session->arrays, &session->memory);
    assert_int_equal(session->n_threads, session->n_ordinary);
}

static void impossible_places_are_refused(void **state)
{
    struct ert_spec spec = spec_of(ERT_KERNEL_load, 0, SET_MAX, 0);
    struct ert_work work;
    spec.to = spec.concurrency = 1;
    refuse(spec, "exclude each other");
    spec.concurrency = 0;
    spec.from = 1000;
    assert_int_equal(backend->prepare(session, &spec, &work, &error), ERT_UNAVAILABLE);
    assert_contains(error.text, "is on package 999");
    spec.from = 1;
    spec.to = 1 + 1023;
    assert_int_equal(backend->prepare(session, &spec, &work, &error), ERT_UNAVAILABLE);
    assert_contains(error.text, "NUMA node 1023");
    spec.to = 1 + 5000;
    assert_int_equal(backend->prepare(session, &spec, &work, &error), ERT_UNAVAILABLE);
    assert_contains(error.text, "must be below");
    assert_null(session->place.memory.map[0]);
    run_spec(spec_of(ERT_KERNEL_load, 0, SET_MAX, 0));
}

/* Its parts cover the time, and the results are right. */
static void a_case_is_sustained(void **state)
{
    struct ert_spec spec = spec_of(ERT_KERNEL_load, 0, 100000, 0);
    struct ert_work work;
    struct ert_sustained run;
    assert_int_equal(backend->prepare(session, &spec, &work, &error), ERT_OK);
    if (backend->sustain(session, 0.01, 0, &run, &error) != ERT_OK)
        fail_msg("%s", error.text);
    assert_true(run.n_parts >= 4 && run.n_parts <= ERT_MAX_PARTS);
    assert_int_equal(run.n_settling, run.n_parts / 4);
    assert_true(run.rate_per_s > 0 && run.time_s > 0);
    assert_close(run.power_w, 0, 0);
    assert_int_equal(backend->verify(session, &error), ERT_OK);
}

int main(void)
{
    int exit_code;
    if (no_cpu(&exit_code))
        return exit_code;
    options.threads = device.cpu.n_pus_usable > 1 ? device.cpu.n_pus_usable - 1 : 1;
    options.max_threads = device.cpu.n_pus_usable;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_lie_apart),
#ifndef ERT_WITHOUT_EXTENSIONS
        cmocka_unit_test(a_cycle_visits_every_line_at_random),
        cmocka_unit_test(a_chase_is_counted_and_right),
#endif
        cmocka_unit_test(cases_choose_their_threads),
        cmocka_unit_test(arrays_lie_where_the_case_says),
        cmocka_unit_test(impossible_places_are_refused),
        cmocka_unit_test(a_case_is_sustained),
    };
    return cmocka_run_group_tests(tests, open_session, close_session);
}
