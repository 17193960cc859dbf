/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ert110: LBNL ERT's own kernel on CPUs: where its elements are and their correct values. ERT allocates one
 * buffer with malloc, which begins 16 bytes after a page boundary and requests no large pages, and gives each
 * thread a part of the same size, however few of its elements a set uses.
 */
#include "ert/core/backend/cpu/session.h"
#include "ert/ext/ert110/kernels.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The elements of each thread's part, rounded down to ERT_ALIGN bytes, as in ERT. */
static uint64_t most_elements(const struct ert_session *session, size_t element_bytes)
{
    const struct ert_session_options *options = &session->options;
    uint64_t part = options->ert110.bytes / session->n_threads;
    if (part == 0)
        return 0; /* not opened for ert110 specs */
    return part / options->ert110.align_bytes * options->ert110.align_bytes / element_bytes;
}

/* Uses malloc's own alignment where ERT does: accesses of 32 and 64 bytes then cross lines. */
static enum ert_status cpu_ert110_take_buffer(struct ert_session *session,
                                              struct ert_error *error)
{
    const struct ert_session_options *options = &session->options;
    size_t size = (size_t)options->ert110.bytes, align = options->ert110.align_bytes;
    session->ert110.is_fresh = !session->ert110.bytes;
    if (session->ert110.bytes)
        return ERT_OK;
    session->ert110.bytes = options->ert110.is_aligned
                                ? aligned_alloc(align, (size + align - 1) / align * align)
                                : malloc(size);
    if (!session->ert110.bytes)
        return ert_fail(error, ERT_UNAVAILABLE, "cpu: no memory for ERT's %zu bytes", size);
    return ERT_OK;
}

static enum ert_status cpu_ert110_size(struct ert_session *session, struct ert_error *error)
{
    const struct ert_spec *spec = &session->spec;
    size_t element_bytes = ert_kernel_ert110_bytes(spec->kernel);
    uint64_t n = spec->requested_bytes / element_bytes / session->n_threads;
    uint64_t most = most_elements(session, element_bytes);
    if (n == 0 || n > most)
        return ert_fail(error, ERT_USAGE,
                        "cpu: %s: %" PRIu64
                        " elements for each of %u threads, must be 1 to "
                        "%" PRIu64 ", for which the session was opened",
                        ert_kernel_row(spec->kernel)->name, n, session->n_threads, most);
    session->elements = (size_t)n;
    session->arrays = NULL;
    return cpu_ert110_take_buffer(session, error);
}

static bool is_single(const struct ert_session *session)
{
    return ert_kernel_row(session->spec.kernel)->type == ERT_FP32;
}

/*
 * As in ERT, threads first touch all of their parts in order: pages that a set in the middle had touched
 * before would be elsewhere in memory.
 */
static void cpu_ert110_init(struct ert_session *session, uint32_t thread)
{
    enum ert_kernel_id kernel = session->spec.kernel;
    double start = ert110_rule(kernel).start;
    size_t bytes = ert_kernel_ert110_bytes(kernel);
    void *at = session->ert110.bytes + most_elements(session, bytes) * bytes * thread;
    session->parts[thread].sweep.w = at;
    size_t n = session->ert110.is_fresh ? most_elements(session, bytes) : session->elements;
    for (size_t i = 0; i < n; i++)
        if (is_single(session))
            ((float *)at)[i] = (float)start;
        else
            ((double *)at)[i] = start;
}

void ert_cpu_ert110_count(struct ert_cpu_ert110_calls *calls, uint64_t passes)
{
    if (calls->n > 0 && calls->n <= ERT_CPU_MOST_RUNS &&
        calls->runs[calls->n - 1].passes == passes) {
        calls->runs[calls->n - 1].calls++;
    } else if (calls->n < ERT_CPU_MOST_RUNS) {
        calls->runs[calls->n].passes = passes;
        calls->runs[calls->n++].calls = 1;
    } else {
        calls->n = ERT_CPU_MOST_RUNS + 1;
    }
}

static void cpu_ert110_check(struct ert_session *session, uint32_t thread)
{
    struct ert_cpu_part *part = &session->parts[thread];
    enum ert_kernel_id kernel = session->spec.kernel;
    double should = ert110_rule(kernel).start;
    const double *doubles = part->sweep.w;
    const float *singles = (const float *)part->sweep.w;
    for (uint32_t i = 0; i < part->calls.n && i < ERT_CPU_MOST_RUNS; i++)
        for (uint64_t call = 0; call < part->calls.runs[i].calls; call++)
            should = ert110_after(kernel, session->spec.flops_per_element, should,
                                  part->calls.runs[i].passes, session->isa->fused);
    size_t i = 0;
    while (i < session->elements &&
           (is_single(session) ? (double)singles[i] : doubles[i]) == should)
        i++;
    if (part->calls.n > ERT_CPU_MOST_RUNS)
        ert_cpu_say_wrong(
            session, thread,
            ": the calls of the kernel changed their passes more than %d times: too "
            "often to be checked",
            ERT_CPU_MOST_RUNS);
    else if (i < session->elements)
        ert_cpu_say_wrong(session, thread,
                          ", element %zu of %zu after %" PRIu64
                          " passes: %.17g, should be %.17g",
                          i, session->elements, part->passes,
                          is_single(session) ? (double)singles[i] : doubles[i], should);
}

const struct ert_cpu_kind ert_cpu_of_ert110 = {.size = cpu_ert110_size,
                                               .init = cpu_ert110_init,
                                               .count = ert_cpu_count_arrays,
                                               .check = cpu_ert110_check};
