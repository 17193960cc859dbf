/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * check: the correct results of each kernel, computed by index from the pattern and never from the arrays
 * that the kernel read.
 */
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

static void init_arrays(struct ert_session *session, uint32_t thread)
{
    const struct ert_kernel *row = ert_kernel_row(session->spec.kernel);
    double *w = session->parts[thread].sweep.w;
    if (row->result == ERT_RESULT_IN_PLACE)
        ert_cpu_pattern_get(&session->pattern, ert_cpu_first_element(session, thread),
                            session->elements, w);
    else if (row->stores > 0)
        for (size_t i = 0; i < session->elements; i++)
            w[i] = NAN; /* no kernel writes it */
}

/* The inputs for computing a row of results. */
struct expect {
    uint64_t passes;
    uint32_t flops;        /* per element */
    double a;              /* the scalar of the last pass (kernels_memory.inc) */
    size_t lanes, rotated; /* elements of a vector; vectors that rotate, or 0 */
    double r1[ROW], r2[ROW];
};

/*
 * Updates in place: b - a*w adds a unit per operation; with one flop it alternates between two values. A
 * variant without arithmetic rotates each group of vectors by one in every pass.
 */
static void expect_in_place(const struct expect *in, double *w)
{
    size_t group = in->rotated * in->lanes;
    size_t by = group ? in->passes % in->rotated * in->lanes : 0;
    bool flipped = in->flops == 1 && in->passes % 2;
    double sum = (double)(in->passes * (in->flops / 2)) * ERT_CPU_PATTERN_UNIT;
    for (size_t i = 0; !group && i < ROW; i++)
        w[i] = in->r1[i] + sum;
    for (size_t i = 0; group && i < ROW; i++)
        w[i] = in->r1[i / group * group + (i + by) % group];
    for (size_t i = 0; flipped && i < ROW; i++)
        w[i] = 1 - in->r1[i];
}

/*
 * Each function fills a whole row, even if a chunk's last row is only used in part: loops of constant length
 * are vectorized at -O2. All values are exact, so that fusing does not matter.
 */
#define FMA(x, y, z) (x) * (y) + (z)
#define SUM
#define IN_TURN ELEMENTS
#define ELEMENTS(element)                                                                  \
    for (size_t i = 0; i < ROW; i++) {                                                     \
        const double r1 = in->r1[i], r2 = in->r2[i], a = in->a;                            \
        (void)r1, (void)r2, (void)a;                                                       \
        w[i] = element;                                                                    \
    }
#define IN_PLACE expect_in_place(in, w);
#define ERT_OF_MEMORY(id, loads, stores, ...)                                              \
    static void expect_##id(const struct expect *in, double *w)                            \
    {                                                                                      \
        (void)in, (void)w;                                                                 \
        __VA_ARGS__                                                                        \
    }
#define ERT_KERNEL_OWN(...)
#define ERT_KERNEL_GPU(...)
#include "ert/core/kernels/kernels.def"

static void (*const expected[ERT_N_KERNELS])(const struct expect *in, double *w) = {
#define ERT_OF_MEMORY(id, ...) [ERT_KERNEL_##id] = expect_##id,
#define ERT_KERNEL_OWN(...)
#define ERT_KERNEL_GPU(...)
#include "ert/core/kernels/kernels.def"
};

/* Gets elements i ... i + count - 1 of both source arrays of a thread; is_turned: exchanged. */
static void get_sources(const struct ert_session *session, uint32_t thread, size_t i,
                        size_t count, bool is_turned, struct expect *in)
{
    const struct ert_cpu_sweep *sweep = &session->parts[thread].sweep;
    uint64_t first = ert_cpu_first_element(session, thread) + i;
    ert_cpu_pattern_get(&session->pattern, first, count, is_turned ? in->r2 : in->r1);
    if (ert_kernel_row(session->spec.kernel)->loads > 1)
        ert_cpu_pattern_get(&session->pattern, first + (size_t)(sweep->r2 - sweep->r1),
                            count, is_turned ? in->r1 : in->r2);
}

static void cpu_check_check_target(struct ert_session *session, uint32_t thread)
{
    const struct ert_kernel *row = ert_kernel_row(session->spec.kernel);
    const double *w = session->parts[thread].sweep.w;
    struct expect in = {.passes = session->parts[thread].passes,
                        .flops = row->flops,
                        .lanes = session->isa->vector_bytes / sizeof(double),
                        .rotated = session->variant->rotated};
    bool is_turned = row->result == ERT_RESULT_IN_TURN && in.passes % 2 == 0;
    in.a = row->loads == 0 ? (double)in.passes : 2.0 + (double)((in.passes - 1) % 2);
    double should[ROW];
    for (size_t i = 0; i < session->elements; i += ROW) {
        size_t count = session->elements - i < ROW ? session->elements - i : ROW;
        get_sources(session, thread, i, count, is_turned, &in);
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

uint64_t ert_cpu_turned(uint64_t value, uint64_t by)
{
    return value << by % 64 | value >> (-by % 64);
}

/*
 * The XOR of `sum` rotated by 1 ... n. The XOR of all 64 rotations is all ones or all zeros, so that two such
 * rounds cancel.
 */
uint64_t ert_cpu_checksum_after(uint64_t sum, uint64_t n)
{
    uint64_t checksum = 0;
    for (uint64_t i = 1; i <= n % 128; i++)
        checksum ^= ert_cpu_turned(sum, i);
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
        get_sources(session, thread, i, ERT_CPU_FOLD_COUNT, false, &in);
        sums[0] ^= xor_of(in.r1, ERT_CPU_FOLD_COUNT);
        sums[1] ^= xor_of(in.r2, ERT_CPU_FOLD_COUNT);
    }
}

/* If r1 and r2 exchange roles, even passes (0, 2 ...) fold r2, odd ones r1; load has only r1. */
static uint64_t folded_checksum(const struct ert_session *session, uint32_t thread)
{
    uint64_t sums[2], checksum = 0, passes = session->parts[thread].passes;
    bool changes = ert_kernel_row(session->spec.kernel)->result == ERT_RESULT_IN_TURN;
    folded_sums(session, thread, sums);
    for (uint64_t p = passes - passes % 128; p < passes; p++)
        checksum = ert_cpu_turned(checksum ^ sums[changes && p % 2 == 0], 1);
    return checksum;
}

void ert_cpu_check_sum(struct ert_session *session, uint32_t thread, uint64_t should)
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
    if (row->result != ERT_RESULT_SUM && row->result != ERT_RESULT_IN_TURN)
        return;
    ert_cpu_check_sum(
        session, thread,
        session->variant->folds
            ? folded_checksum(session, thread)
            : ert_cpu_checksum_after(source_sum(session, first, session->elements),
                                     session->parts[thread].passes));
}

const struct ert_cpu_kind ert_cpu_of_arrays = {.size = ert_cpu_size_arrays,
                                               .init = init_arrays,
                                               .count = ert_cpu_count_arrays,
                                               .check = check_arrays};
