/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ert110: LBNL ERT's own kernel on CPUs: where its elements are and their correct values. ERT allocates one
 * buffer with malloc, which begins 16 bytes after a page boundary and requests no large pages, and gives each
 * thread a part of the same size, however few of its elements a set uses.
 */
#include "ert/core/backend/cpu/session.h"
#include "ert/core/base/units.h"
#include "ert/ext/ert110/kernels.h"

#include <inttypes.h>
#include <stdlib.h>

/* session->own; NULL in a session that was not opened for this mode. */
struct ert110_cpu {
    char *bytes;   /* the buffer: malloc; NULL before the first spec */
    bool is_fresh; /* not touched yet */
};

/* The elements of each thread's part, rounded down to ERT_ALIGN bytes, as in ERT. */
static uint64_t most_elements(const struct ert_session *session, size_t element_bytes)
{
    const struct ert110_memory memory = ert110_memory_of(&session->options.mode);
    uint64_t part = memory.bytes / session->n_threads;
    if (part == 0)
        return 0; /* not opened for this mode */
    return part / memory.align_bytes * memory.align_bytes / element_bytes;
}

/* ERT's threads touch the whole buffer for the first spec. */
static enum ert_status cpu_ert110_open(struct ert_session *session, struct ert_error *error)
{
    const struct ert110_memory memory = ert110_memory_of(&session->options.mode);
    const struct ert_cpu *cpu = &session->device.cpu;
    uint64_t most = cpu->memory_available_bytes, limit = cpu->memory_limit_bytes;
    if (memory.bytes == 0 || session->own)
        return ERT_OK;
    if (limit && (!most || limit < most))
        most = limit;
    if (most && memory.bytes > most)
        return ert_fail(error, ERT_UNAVAILABLE, "cpu: ERT's memory is %s, there are %s",
                        ert_units_capacity(memory.bytes).text,
                        ert_units_capacity(most).text);
    session->own = calloc(1, sizeof(struct ert110_cpu));
    return session->own ? ERT_OK : ert_fail(error, ERT_FAILED, "cpu: no memory");
}

static void cpu_ert110_close(struct ert_session *session)
{
    struct ert110_cpu *own = session->own;
    if (!own)
        return;
    free(own->bytes);
    free(own);
    session->own = NULL;
}

/* Uses malloc's own alignment where ERT does: accesses of 32 and 64 bytes then cross lines. */
static enum ert_status cpu_ert110_take_buffer(struct ert_session *session,
                                              struct ert_error *error)
{
    const struct ert110_memory memory = ert110_memory_of(&session->options.mode);
    struct ert110_cpu *own = session->own;
    size_t size = (size_t)memory.bytes, align = memory.align_bytes;
    own->is_fresh = !own->bytes;
    if (own->bytes)
        return ERT_OK;
    own->bytes = memory.is_aligned
                     ? aligned_alloc(align, (size + align - 1) / align * align)
                     : malloc(size);
    if (!own->bytes)
        return ert_fail(error, ERT_UNAVAILABLE, "cpu: no memory for ERT's %zu bytes", size);
    return ERT_OK;
}

static enum ert_status cpu_ert110_size(struct ert_session *session, struct ert_error *error)
{
    const struct ert_spec *spec = &session->spec;
    size_t element_bytes = ert_kernel_element_bytes(spec->kernel);
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
    size_t bytes = ert_kernel_element_bytes(kernel);
    struct ert110_cpu *own = session->own;
    void *at = own->bytes + most_elements(session, bytes) * bytes * thread;
    session->parts[thread].sweep.w = at;
    size_t n = own->is_fresh ? most_elements(session, bytes) : session->elements;
    for (size_t i = 0; i < n; i++)
        if (is_single(session))
            ((float *)at)[i] = ERT110_VALUE;
        else
            ((double *)at)[i] = ERT110_VALUE;
}

static void cpu_ert110_check(struct ert_session *session, uint32_t thread)
{
    struct ert_cpu_part *part = &session->parts[thread];
    const double *doubles = part->sweep.w;
    const float *singles = (const float *)part->sweep.w;
    size_t i = 0;
    while (i < session->elements &&
           (is_single(session) ? (double)singles[i] : doubles[i]) == ERT110_VALUE)
        i++;
    if (i < session->elements)
        ert_cpu_say_wrong(
            session, thread,
            ", element %zu of %zu after %" PRIu64 " passes: %.17g, should be %d", i,
            session->elements, part->passes,
            is_single(session) ? (double)singles[i] : doubles[i], ERT110_VALUE);
}

#define KIND(kernel)                                                                       \
    const struct ert_cpu_kind ert_cpu_own_##kernel = {.size = cpu_ert110_size,             \
                                                      .init = cpu_ert110_init,             \
                                                      .count = ert_cpu_count_arrays,       \
                                                      .check = cpu_ert110_check,           \
                                                      .open = cpu_ert110_open,             \
                                                      .close = cpu_ert110_close,           \
                                                      .call_passes = ERT110_CALL};
KIND(ert_fp64)
KIND(ert_fp32)
