/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The atomics section, and its kernels on CPUs: relaxed additions to 64-bit counters in memory by all
 * threads, which do not use the old value: what is attained by counters of one thread each, of pairs of
 * neighbouring threads, and by one counter of all threads. Bound by the latency of a locked addition in L1,
 * and where threads share a counter by the transfers of its cache line. GPUs: cuda/kernels_atomic.cu.
 */
#include "ert/core/backend/cpu/session.h"
#include "ert/core/fit/extras.h"
#include "ert/core/sweep/plan.h"
#include "ert/core/sweep/section.h"

#include <inttypes.h>
#include <stdatomic.h>

/* Additions of one pass and thread: some 10 us alone, 100 where threads share a counter. */
enum { STEPS = 2048, UNROLL = 16 };

/* The first thread of those that share the thread's counter. */
static uint32_t atomics_first(const struct ert_session *session, uint32_t thread)
{
    const enum ert_kernel_id kernel = session->spec.kernel;
    return kernel == ERT_KERNEL_atomic_one    ? 0
           : kernel == ERT_KERNEL_atomic_pair ? thread / 2 * 2
                                              : thread;
}

/* Compilers for any aarch64 call a function, or loop: before ARMv8.1 no such instruction is there. */
#ifdef __aarch64__
#include <sys/auxv.h>
#ifdef __clang__
#define WITH_ATOMICS __attribute__((target("lse")))
#else
#define WITH_ATOMICS __attribute__((target("+lse")))
#endif
static bool atomics_are_there(const struct ert_isa *isa)
{
    (void)isa;
    return getauxval(AT_HWCAP) & HWCAP_ATOMICS;
}
#else
#define WITH_ATOMICS
#define atomics_are_there NULL
#endif

WITH_ATOMICS static void atomics_sweep(struct ert_cpu_sweep *sweep)
{
    _Atomic uint64_t *counter = sweep->chains;
    const uint64_t n = sweep->passes * (STEPS / UNROLL); /* not to be loaded again */
    for (uint64_t i = 0; i < n; i++)
#pragma GCC unroll 16
        for (int j = 0; j < UNROLL; j++)
            atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

/* A thread's memory for chains of registers is in cache lines that no other thread uses. */
static void atomics_init(struct ert_session *session, uint32_t thread)
{
    const uint32_t first = atomics_first(session, thread);
    session->parts[thread].sweep.chains = session->parts[first].chains;
    if (first == thread)
        atomic_init((_Atomic uint64_t *)session->parts[thread].chains, 0);
}

static void atomics_count(const struct ert_session *session, struct ert_work *work)
{
    work->flops_per_pass = (double)STEPS * session->n_threads;
}

static void atomics_check(struct ert_session *session, uint32_t thread)
{
    const uint32_t first = atomics_first(session, thread);
    uint64_t is = *(const uint64_t *)session->parts[first].chains, should = 0;
    for (uint32_t i = 0; i < session->n_threads; i++)
        if (atomics_first(session, i) == first)
            should += session->parts[i].passes * STEPS;
    if (is != should)
        ert_cpu_say_wrong(session, thread,
                          ": the counter is %" PRIu64 ", should be %" PRIu64, is, should);
}

static const struct ert_cpu_variant variants[] = {
    ERT_CPU_OWN_VARIANT("8 B", sizeof(uint64_t), atomics_sweep, atomics_are_there), {0}};

#define KIND(id)                                                                           \
    const struct ert_cpu_kind ert_cpu_own_##id = {.variants = variants,                    \
                                                  .init = atomics_init,                    \
                                                  .count = atomics_count,                  \
                                                  .check = atomics_check}
KIND(atomic_own);
KIND(atomic_pair);
KIND(atomic_one);

static void atomics_plan(struct ert_planner *planner)
{
    const bool is_gpu = planner->device->kind == ERT_DEVICE_GPU;
    for (int k = ERT_KERNEL_atomic_own; k <= ERT_KERNEL_atomic_smem_one; k++) {
        const struct ert_spec spec = ert_planner_spec((enum ert_kernel_id)k, NULL);
        if ((is_gpu ? ert_kernel_on_gpu : ert_kernel_on_cpu)(spec.kernel) &&
            planner->config->kernels[k])
            ert_planner_add_case(planner, ERT_SECTION_ATOMICS, &spec, ERT_FIRST_WAY, "",
                                 "%s", ert_kernel_row(spec.kernel)->op);
    }
}

static void atomics_fit(struct ert_extras *extras, const struct ert_point *point)
{
    ert_extras_add_point(extras, ERT_CEILING_ATOMIC, point, NULL, "%s",
                         ert_kernel_row(point->spec.kernel)->op);
}

const struct ert_section_row ert_section_atomics = {
    .cases_are_ceilings = true, .plan = atomics_plan, .fit = atomics_fit};
