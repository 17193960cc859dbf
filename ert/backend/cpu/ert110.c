#include "ert/backend/cpu/ert110.h"

#include "ert/backend/cpu/session.h"
#include "ert/backend/ert110.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t ert_cpu_ert110_variants(const struct ert_device *device, enum ert_kernel_id kernel,
                               struct ert_variant variants[ERT_MAX_VARIANTS])
{
    const struct ert_cpu_isa *isas[ERT_MAX_VARIANTS];
    size_t n = ert_cpu_usable_isas(device, kernel, isas);
    for (size_t i = 0; i < 2 * n; i++) {
        const char *isa = isas[i / 2]->name;
        variants[i] = (struct ert_variant){0};
        snprintf(variants[i].isa, sizeof variants[i].isa, "%s", isa);
        snprintf(variants[i].name, sizeof variants[i].name, "%s%s", isa,
                 i % 2 ? ", 2 passes at once" : "");
    }
    return 2 * n;
}

enum ert_status ert_cpu_ert110_function(const struct ert_cpu_isa *isa,
                                        const struct ert_spec *spec,
                                        ert_cpu_kernel **function, struct ert_error *error)
{
    uint32_t flops = spec->flops_per_element;
    if (flops == 0 || (flops & (flops - 1)) != 0 || flops >> ERT_N_MIXED_FLOPS)
        return ert_fail(error, ERT_USAGE,
                        "cpu: %s: %u flops per element, must be a power of two up to %u",
                        ert_kernel_row(spec->kernel)->name, flops,
                        1u << (ERT_N_MIXED_FLOPS - 1));
    *function = isa->ert110->functions[spec->kernel - ERT_KERNEL_ert_fp64]
                                      [spec->variant % 2][__builtin_ctz(flops)];
    return ERT_OK;
}

static enum ert_status find_kernel(struct ert_session *session, const struct ert_spec *spec,
                                   struct ert_error *error)
{
    const struct ert_cpu_isa *isas[ERT_MAX_VARIANTS];
    const char *name = ert_kernel_row(spec->kernel)->name;
    size_t n = 2 * ert_cpu_usable_isas(&session->device, spec->kernel, isas);
    if (spec->variant >= n)
        return ert_fail(error, ERT_USAGE, "cpu: %s: variant %u of %zu", name, spec->variant,
                        n);
    session->isa = isas[spec->variant / 2];
    return ert_cpu_ert110_function(session->isa, spec, &session->kernel, error);
}

/* Elements of each thread's part, as ERT rounds it: down to ERT_ALIGN bytes. */
static uint64_t most_elements(const struct ert_session *session, size_t element_bytes)
{
    const struct ert_session_options *options = &session->options;
    uint64_t part = options->ert110.bytes / session->n_threads;
    if (part == 0)
        return 0; /* not opened for ert110 cases */
    return part / options->ert110.align_bytes * options->ert110.align_bytes / element_bytes;
}

static enum ert_status size_part(struct ert_session *session, const struct ert_spec *spec,
                                 struct ert_error *error)
{
    const char *name = ert_kernel_row(spec->kernel)->name;
    size_t element_bytes = ert_kernel_ert110_bytes(spec->kernel);
    uint64_t n = spec->requested_bytes / element_bytes / session->n_threads;
    uint64_t most = most_elements(session, element_bytes);
    if (n == 0 || n > most)
        return ert_fail(error, ERT_USAGE,
                        "cpu: %s: %" PRIu64
                        " elements for each of %u threads, must be 1 to "
                        "%" PRIu64 ", for which the session was opened",
                        name, n, session->n_threads, most);
    session->elements = (size_t)n;
    return ERT_OK;
}

/* malloc's own place where ERT takes that: accesses of 32 and 64 bytes then cross lines. */
static enum ert_status take_buffer(struct ert_session *session, struct ert_error *error)
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

enum ert_status ert_cpu_ert110_prepare(struct ert_session *session,
                                       const struct ert_spec *spec, struct ert_work *work,
                                       struct ert_error *error)
{
    uint32_t n = spec->concurrency ? spec->concurrency : session->n_ordinary;
    ERT_TRY(find_kernel(session, spec, error));
    if (n > session->n_planned)
        return ert_fail(error, ERT_USAGE,
                        "cpu: %s: %u threads, must be at most %u, for which the session "
                        "was opened",
                        ert_kernel_row(spec->kernel)->name, n, session->n_planned);
    ert_cpu_team_choose(session->team, n, NULL);
    session->arrays = &session->memory;
    session->n_threads = n;
    ERT_TRY(size_part(session, spec, error));
    ERT_TRY(take_buffer(session, error));
    size_t element_bytes = ert_kernel_ert110_bytes(spec->kernel);
    double elements = (double)session->elements * n;
    *work =
        (struct ert_work){.actual_bytes = (uint64_t)session->elements * n * element_bytes,
                          .bytes_per_pass = 2 * elements * (double)element_bytes,
                          .flops_per_pass = elements * spec->flops_per_element,
                          .threads = n};
    return ERT_OK;
}

static bool is_single(const struct ert_session *session)
{
    return ert_kernel_row(session->spec.kernel)->type == ERT_FP32;
}

/*
 * As in ERT, threads touch all of their parts first, from the beginning on: pages that a set in the
 * middle touched before would lie elsewhere in memory.
 */
void ert_cpu_ert110_init(struct ert_session *session, uint32_t thread)
{
    struct ert_cpu_part *part = &session->parts[thread];
    enum ert_kernel_id kernel = session->spec.kernel;
    double start = ert110_rule(kernel).start;
    size_t bytes = ert_kernel_ert110_bytes(kernel);
    void *at = session->ert110.bytes + most_elements(session, bytes) * bytes * thread;
    part->sweep = (struct ert_cpu_sweep){.w = at, .elements = session->elements};
    part->calls.n = 0;
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

void ert_cpu_ert110_check(struct ert_session *session, uint32_t thread)
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
    bool overflowed = part->calls.n > ERT_CPU_MOST_RUNS;
    part->wrong = overflowed || i < session->elements;
    if (overflowed)
        snprintf(part->message, sizeof part->message,
                 "%s: the calls of the kernel changed their passes more than %d times: too "
                 "often to be checked",
                 ert_kernel_row(kernel)->name, ERT_CPU_MOST_RUNS);
    else if (part->wrong)
        snprintf(part->message, sizeof part->message,
                 "%s (%s): thread %u, element %zu of %zu after %" PRIu64
                 " passes: %.17g, should be %.17g",
                 ert_kernel_row(kernel)->name, session->isa->name, thread, i,
                 session->elements, session->parts[thread].passes,
                 is_single(session) ? (double)singles[i] : doubles[i], should);
}
