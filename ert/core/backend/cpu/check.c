/* SPDX-License-Identifier: BSD-3-Clause */
/* check: the correct results of each kernel, by index from the pattern, never from arrays that it read. */
#include "ert/core/backend/cpu/compute.h"
#include "ert/core/backend/cpu/session.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROW = ERT_CPU_PATTERN_ROW };

static uint64_t cpu_check_bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t xor_of(const double *values, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum ^= cpu_check_bits_of(values[i]);
    return sum;
}

void ert_cpu_fill_source(const struct ert_session *session,
                         const struct ert_cpu_memory *memory, uint32_t slice)
{
    double *source = ert_cpu_memory_source(memory, slice);
    size_t count = ert_cpu_memory_slice_elements(memory), first = slice * count;
    uint64_t *sums = memory->prefix + first / ERT_CPU_PREFIX + 1;
    for (size_t i = 0; i < count; i += ROW) {
        double row[ROW];
        ert_cpu_pattern_get(&session->pattern, first + i, ROW, row);
        sums[i / ERT_CPU_PREFIX] ^= xor_of(row, ROW);
        memcpy(source + i, row, sizeof row);
    }
}

void ert_cpu_say_wrong(struct ert_session *session, uint32_t thread, const char *format,
                       ...)
{
    struct ert_cpu_part *part = &session->parts[thread];
    part->wrong = true;
    int n =
        snprintf(part->message, sizeof part->message, "%s (%s), thread %u",
                 ert_kernel_row(session->spec.kernel)->name, session->variant_name, thread);
    ERT_FORMAT(part->message + n, sizeof part->message - (size_t)n, format);
}

static void wrong_value(struct ert_session *session, uint32_t thread, const char *what,
                        size_t index, double is, double should)
{
    ert_cpu_say_wrong(session, thread,
                      ", %s %zu after %" PRIu64 " passes: %.17g, should be %.17g", what,
                      index, session->parts[thread].passes, is, should);
}

/* The index of a thread's first number in the chains: no two threads have the same. */
static uint64_t first_number(const struct ert_session *session, uint32_t thread)
{
    return (uint64_t)thread * ert_cpu_compute_lanes(session->isa, session->spec.kernel);
}

static void init_chains(struct ert_session *session, uint32_t thread)
{
    struct ert_cpu_part *part = &session->parts[thread];
    ert_cpu_compute_start(session->isa, session->spec.kernel, first_number(session, thread),
                          &part->sweep, part->operands);
}

static void count_chains(const struct ert_session *session, struct ert_work *work)
{
    work->flops_per_pass =
        ert_cpu_compute_operations(session->isa, session->spec.kernel) * session->n_threads;
}

static void cpu_check_check_chains(struct ert_session *session, uint32_t thread)
{
    const struct ert_cpu_part *part = &session->parts[thread];
    struct ert_cpu_wrong wrong;
    if (!ert_cpu_compute_check(session->isa, session->spec.kernel,
                               first_number(session, thread), &part->sweep, part->passes,
                               &wrong))
        wrong_value(session, thread, "chain", wrong.index, wrong.is, wrong.should);
}

const struct ert_cpu_kind ert_cpu_of_chains = {
    .init = init_chains, .count = count_chains, .check = cpu_check_check_chains};

/*
 * The index in the pattern of the first element of the thread's n-th source (1, 2). A w that is read starts
 * as if it were the last of the `loads` sources.
 */
static uint64_t pattern_index(const struct ert_session *session, uint32_t thread,
                              uint32_t n)
{
    const struct ert_cpu_sweep *sweep = &session->parts[thread].sweep;
    return ert_cpu_first_element(session, thread) +
           (n - 1) * (uint64_t)(sweep->r2 - sweep->r1);
}

static void init_arrays(struct ert_session *session, uint32_t thread)
{
    const struct ert_kernel *row = ert_kernel_row(session->spec.kernel);
    double *w = session->parts[thread].sweep.w;
    if (ERT_READS_TARGET(row->result))
        ert_cpu_pattern_get(&session->pattern, pattern_index(session, thread, row->loads),
                            session->elements, w);
    else if (row->stores > 0)
        for (size_t i = 0; i < session->elements; i++)
            w[i] = NAN; /* no kernel writes it */
}

/* The inputs for computing a row of results. */
struct expect {
    struct ert_passes passes;
    double r1[ROW], r2[ROW], w[ROW]; /* r1, r2: in the last pass; w: before the first */
};

/* Variants without arithmetic rotate each group of vectors by one in every pass. */
static void expect_moved(const struct ert_session *session, const struct expect *in,
                         double *w)
{
    size_t lanes = session->isa->vector_bytes / sizeof(double);
    size_t rotated = session->variant->rotated, group = rotated * lanes;
    size_t by = in->passes.n % rotated * lanes;
    for (size_t i = 0; i < ROW; i += group) {
        memcpy(w + i, in->w + i + by, (group - by) * sizeof *w);
        memcpy(w + i + group - by, in->w + i, by * sizeof *w);
    }
}

/*
 * Each function fills a whole row, even if a chunk's last row is only used in part: loops of constant length
 * are vectorized at -O2.
 */
#define ERT_OF_MEMORY(id, ...)                                                             \
    static void expect_##id(const struct expect *in, double *restrict w)                   \
    {                                                                                      \
        const struct ert_passes passes = in->passes;                                       \
        for (size_t i = 0; i < ROW; i++)                                                   \
            w[i] = ert_element(ERT_KERNEL_##id, &passes, in->r1[i], in->r2[i], in->w[i]);  \
    }
#define ERT_KERNEL_GPU(...)
#include "ert/core/kernels/kernels.def"

static void (*const expected[ERT_N_KERNELS])(const struct expect *in, double *w) = {
#define ERT_OF_MEMORY(id, ...) [ERT_KERNEL_##id] = expect_##id,
#define ERT_KERNEL_GPU(...)
#include "ert/core/kernels/kernels.def"
};

/* Gets elements i ... i + count - 1 of a thread's sources, and of the start of a w that is read. */
static void get_arrays(const struct ert_session *session, uint32_t thread, size_t i,
                       size_t count, struct expect *in)
{
    const struct ert_kernel *row = ert_kernel_row(session->spec.kernel);
    const bool is_exchanged = in->passes.is_exchanged;
    double *const sources[] = {is_exchanged ? in->r2 : in->r1,
                               is_exchanged ? in->r1 : in->r2};
    for (uint32_t n = 1; n <= row->loads; n++)
        ert_cpu_pattern_get(
            &session->pattern, pattern_index(session, thread, n) + i, count,
            ERT_READS_TARGET(row->result) && n == row->loads ? in->w : sources[n - 1]);
}

static void cpu_check_check_target(struct ert_session *session, uint32_t thread)
{
    const struct ert_kernel *row = ert_kernel_row(session->spec.kernel);
    const struct ert_cpu_sweep *sweep = &session->parts[thread].sweep;
    const double *w = sweep->w;
    uint64_t n = session->parts[thread].passes;
    struct expect in = {
        .passes = ert_passes_of(
            row->result, n,
            ert_cpu_scalar(sweep, row->loads, ERT_READS_TARGET(row->result), n - 1))};
    double should[ROW];
    for (size_t i = 0; i < session->elements; i += ROW) {
        size_t count = session->elements - i < ROW ? session->elements - i : ROW;
        get_arrays(session, thread, i, count, &in);
        if (session->variant->rotated)
            expect_moved(session, &in, should);
        else
            expected[session->spec.kernel](&in, should);
        if (memcmp(w + i, should, count * sizeof should[0]) == 0)
            continue;
        size_t j = 0;
        while (cpu_check_bits_of(w[i + j]) == cpu_check_bits_of(should[j]))
            j++;
        wrong_value(session, thread, "element", i + j, w[i + j], should[j]);
        return;
    }
}

/* The value rotated to the left. */
static uint64_t check_turned(uint64_t value, uint64_t by)
{
    return value << by % 64 | value >> (-by % 64);
}

/* The XOR of `sum` rotated by 1 ... n. That of all 64 is all ones or all zeros, so two such rounds cancel. */
static uint64_t check_sum_after(uint64_t sum, uint64_t n)
{
    uint64_t checksum = 0;
    for (uint64_t i = 1; i <= n % 128; i++)
        checksum ^= check_turned(sum, i);
    return checksum;
}

/* XOR of the elements of R before `end`. */
static uint64_t sum_before(const struct ert_session *session, uint64_t end)
{
    uint64_t tail = end % ERT_CPU_PREFIX;
    double rest[ERT_CPU_PREFIX];
    ert_cpu_pattern_get(&session->pattern, end - tail, tail, rest);
    return session->arrays->prefix[end / ERT_CPU_PREFIX] ^ xor_of(rest, tail);
}

/* XOR of the bits of `count` elements of R from `first` on. */
static uint64_t source_sum(const struct ert_session *session, uint64_t first,
                           uint64_t count)
{
    return sum_before(session, first) ^ sum_before(session, first + count);
}

/* XOR of the elements of r1 and of r2 that enter the checksum, into sums[]. */
static void folded_sums(const struct ert_session *session, uint32_t thread,
                        uint64_t sums[2])
{
    struct expect in = {0};
    sums[0] = sums[1] = 0;
    for (size_t i = 0; i < session->elements; i += ERT_CPU_MULTIPLE) {
        get_arrays(session, thread, i, ERT_CPU_FOLD_COUNT, &in);
        sums[0] ^= xor_of(in.r1, ERT_CPU_FOLD_COUNT);
        sums[1] ^= xor_of(in.r2, ERT_CPU_FOLD_COUNT);
    }
}

/* If r1 and r2 exchange roles, even passes (0, 2 ...) fold r2, odd ones r1; load has only r1. */
static uint64_t folded_checksum(const struct ert_session *session, uint32_t thread)
{
    uint64_t sums[2], checksum = 0, passes = session->parts[thread].passes;
    bool changes = ERT_EXCHANGES(ert_kernel_row(session->spec.kernel)->result);
    folded_sums(session, thread, sums);
    for (uint64_t p = passes - passes % 128; p < passes; p++)
        checksum = check_turned(checksum ^ sums[changes && p % 2 == 0], 1);
    return checksum;
}

static void check_sum(struct ert_session *session, uint32_t thread, uint64_t should)
{
    const struct ert_cpu_part *part = &session->parts[thread];
    uint64_t is = part->sweep.checksum;
    if (is != should)
        ert_cpu_say_wrong(session, thread,
                          ": checksum of %zu elements after %" PRIu64 " passes: %016" PRIx64
                          ", should be %016" PRIx64,
                          session->elements, part->passes, is, should);
}

static void check_arrays(struct ert_session *session, uint32_t thread)
{
    const struct ert_kernel *row = ert_kernel_row(session->spec.kernel);
    uint64_t first = ert_cpu_first_element(session, thread);
    if (row->stores > 0)
        cpu_check_check_target(session, thread);
    if (!ERT_SUMS_UP(row->result))
        return;
    check_sum(session, thread,
              session->variant->folds
                  ? folded_checksum(session, thread)
                  : check_sum_after(source_sum(session, first, session->elements),
                                    session->parts[thread].passes));
}

const struct ert_cpu_kind ert_cpu_of_arrays = {.size = ert_cpu_size_arrays,
                                               .init = init_arrays,
                                               .count = ert_cpu_count_arrays,
                                               .check = check_arrays};
