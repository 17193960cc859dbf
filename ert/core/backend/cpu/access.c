/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * access: loads of 4, 8 and 16 bytes, stride_bytes apart, which show how much of a level's bandwidth sparse
 * and narrow accesses get. Each pass begins a line later than the previous one, so that all lines of the set
 * are used in turn: otherwise a stride of 64 lines would use one line in 64, and a cache before the level
 * would hold these.
 */
#include "ert/core/backend/cpu/session.h"

#include <inttypes.h>
#include <string.h>

enum { LINE = 64, LANES = 4 }; /* bytes; independent sums */

/*
 * After each pass the checksum is multiplied by ODD, and the pass's sum, with its halves combined by XOR, is
 * added. One wrong element changes the sums of one phase by 2^t times an odd number, t at most 31: their
 * weights, powers of ODD, add up to a multiple of 2^33 only after as many passes of that phase. Rotating the
 * checksum by a bit, as the vector kernels do, would cancel errors after each 16 passes of one of eight
 * phases. Any number that is 5 modulo 8 would do; this one is from Steele and Vigna, "Computationally easy,
 * spectrally good multipliers for congruential pseudorandom number generators", arXiv:2001.05304.
 */
static const uint64_t ODD = UINT64_C(0xd1342543de82ef95);

typedef uint64_t pair __attribute__((vector_size(16), may_alias));
typedef uint64_t word __attribute__((may_alias));
typedef uint32_t half __attribute__((may_alias));

/* The offset of a pass's first load, in bytes. */
static size_t phase_of(uint64_t pass, size_t stride_bytes)
{
    size_t lines = stride_bytes / LINE;
    return lines > 1 ? pass % lines * LINE : 0;
}

/* The same for the next pass, without a division. */
static inline size_t next_phase(size_t phase, size_t stride_bytes)
{
    phase += LINE;
    return phase / LINE < stride_bytes / LINE ? phase : 0;
}

/* Loads of a pass: as many as lie within the set at any phase. */
static size_t loads_of(size_t elements, size_t stride_bytes)
{
    return elements * sizeof(double) / stride_bytes;
}

static inline uint64_t fold_half(half sum)
{
    return sum;
}

static inline uint64_t fold_word(word sum)
{
    return sum;
}

static inline uint64_t fold_pair(pair sum)
{
    return sum[0] ^ sum[1];
}

/* Keeps a sum in its own register; otherwise gcc packs two loads into a vector with a shuffle. */
#define ALONE(sum) __asm__("" : "+r"(sum))
#define AS_IS(sum) (void)(sum)

/* The load of lane j in a round. */
#define ADD(type, j, hold)                                                                 \
    do {                                                                                   \
        sums[j] ^= *(const type *)(at + (j)*stride);                                       \
        hold(sums[j]);                                                                     \
    } while (0)

/*
 * sum ^= r[i * stride]: one load and its address arithmetic; bound by the load ports if lines are used fully,
 * else by the rate of lines. gcc 12 -O2 on x86-64: a round is four xor with memory operands, at 0, s, 2s and
 * 3s from one register, and an addition. A Sapphire-Rapids-class core does 2.1 such loads of 8 bytes per
 * clock, 2.5 of 16 bytes; eight per round are no faster.
 */
#define SWEEP(type, hold)                                                                  \
    static void type##_sweep(struct ert_cpu_sweep *sweep)                                  \
    {                                                                                      \
        const size_t stride = sweep->stride_bytes;                                         \
        const size_t n = loads_of(sweep->elements, stride);                                \
        size_t phase = phase_of(sweep->first_pass, stride);                                \
        for (uint64_t p = 0; p < sweep->passes; p++) {                                     \
            const char *at = (const char *)sweep->r1 + phase;                              \
            type sums[LANES] = {0};                                                        \
            size_t i = 0;                                                                  \
            for (; i + LANES <= n; i += LANES, at += LANES * stride) {                     \
                ADD(type, 0, hold);                                                        \
                ADD(type, 1, hold);                                                        \
                ADD(type, 2, hold);                                                        \
                ADD(type, 3, hold);                                                        \
            }                                                                              \
            for (; i < n; i++, at += stride)                                               \
                sums[0] ^= *(const type *)at;                                              \
            uint64_t sum = fold_##type(sums[0] ^ sums[1] ^ sums[2] ^ sums[3]);             \
            sweep->checksum = sweep->checksum * ODD + (sum ^ sum >> 32);                   \
            phase = next_phase(phase, stride);                                             \
            __asm__ volatile("" : : : "memory"); /* the next pass reads again */           \
        }                                                                                  \
    }

SWEEP(half, ALONE)
SWEEP(word, ALONE)
SWEEP(pair, AS_IS)

/*
 * Element `index` and the next one, from the pattern. If loads are dense, a row is computed once for all of
 * them: values[] holds row `*row`.
 */
static const double *element(const struct ert_session *session, uint64_t index,
                             bool is_dense, uint64_t *row,
                             double values[ERT_CPU_PATTERN_ROW])
{
    uint64_t in_row = index % ERT_CPU_PATTERN_ROW;
    if (!is_dense) {
        ert_cpu_pattern_get(&session->pattern, index, 2, values);
        return values;
    }
    if (*row != index / ERT_CPU_PATTERN_ROW)
        ert_cpu_pattern_get(&session->pattern, index - in_row, ERT_CPU_PATTERN_ROW, values);
    *row = index / ERT_CPU_PATTERN_ROW;
    return values + in_row;
}

/* XOR of the values that a pass loads at a phase. No load spans two rows, since loads are aligned. */
static uint64_t phase_sum(const struct ert_session *session, uint32_t thread, size_t phase)
{
    size_t stride = session->spec.stride_bytes;
    size_t bytes = session->variant->access_bytes, n = loads_of(session->elements, stride);
    uint64_t first = ert_cpu_first_element(session, thread), sum = 0, row = UINT64_MAX;
    double values[ERT_CPU_PATTERN_ROW];
    for (size_t i = 0; i < n; i++) {
        size_t at = phase + i * stride;
        const double *two =
            element(session, first + at / sizeof(double), stride <= 4 * LINE, &row, values);
        uint64_t parts[2] = {0};
        memcpy(parts, (const char *)two + at % sizeof(double), bytes);
        sum ^= parts[0] ^ parts[1];
    }
    return sum;
}

static enum ert_status access_size(struct ert_session *session, struct ert_error *error)
{
    ERT_TRY(ert_cpu_size_arrays(session, error));
    const char *name = ert_kernel_row(session->spec.kernel)->name;
    size_t stride = session->spec.stride_bytes, bytes = session->variant->access_bytes;
    size_t share = session->elements * sizeof(double);
    if (stride < bytes || stride % bytes != 0 || stride > share)
        return ert_fail(
            error, ERT_USAGE,
            "cpu: %s (%s): stride of %zu bytes, must be a multiple of %zu and at "
            "most a thread's share of the set, %zu",
            name, session->variant->name, stride, bytes, share);
    return ERT_OK;
}

static uint64_t power_of_odd(uint64_t exponent)
{
    uint64_t power = 1;
    for (uint64_t i = 0; i < exponent; i++)
        power *= ODD;
    return power;
}

/* After n passes the sum of pass p has been multiplied n - 1 - p times. */
static void access_check(struct ert_session *session, uint32_t thread)
{
    struct ert_cpu_part *part = &session->parts[thread];
    size_t stride = session->spec.stride_bytes;
    size_t n_phases = stride / LINE > 1 ? stride / LINE : 1;
    uint64_t should = 0, n = part->passes, step = power_of_odd(n_phases);
    for (size_t phase = 0; phase < n_phases && phase < n; phase++) {
        uint64_t sum = phase_sum(session, thread, phase_of(phase, stride));
        uint64_t power = power_of_odd((n - 1 - phase) % n_phases), weight = 0;
        for (uint64_t p = phase; p < n; p += n_phases, power *= step)
            weight += power;
        should += weight * (sum ^ sum >> 32);
    }
    if (part->sweep.checksum != should)
        ert_cpu_say_wrong(session, thread,
                          ": stride %zu B: checksum after %" PRIu64 " passes: %016" PRIx64
                          ", should be %016" PRIx64,
                          stride, n, part->sweep.checksum, should);
}

static void access_count(const struct ert_session *session, struct ert_work *work)
{
    ert_cpu_count_arrays(session, work);
    work->bytes_per_pass = (double)loads_of(session->elements, session->spec.stride_bytes) *
                           (double)session->variant->access_bytes * session->n_threads;
}

static const struct ert_cpu_variant variants[] = {
    ERT_CPU_OWN_VARIANT("8 B", 8, word_sweep, NULL),
    ERT_CPU_OWN_VARIANT("4 B", 4, half_sweep, NULL),
    ERT_CPU_OWN_VARIANT("16 B", 16, pair_sweep, NULL),
    {0}};

const struct ert_cpu_kind ert_cpu_own_strided = {.variants = variants,
                                                 .size = access_size,
                                                 .count = access_count,
                                                 .check = access_check};
