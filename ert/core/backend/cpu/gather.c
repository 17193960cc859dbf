/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gather: loads through an array of indices, as for sparse matrices and meshes, which show how much of a
 * level's bandwidth random access to elements gets. r holds the values, W the indices: a random permutation
 * of the thread's own elements, made by prepare(). 8 bytes of value and 4 or 8 of index per element count,
 * not their lines.
 *
 * sum[i % 8] ^= r[index[i]]: eight sums, which the checksum rotates by different numbers of bytes, so that
 * another order of elements, as without the indices, gives another checksum. Bound by the load ports in L1
 * (an index and a value per element, with any instruction), then by lines of which one element is used.
 */
#include "ert/core/backend/cpu/session.h"
#include "ert/core/base/random.h"

enum { SUMS = 8, TURN = 8 }; /* TURN: bits of rotation between neighbouring sums */

typedef uint64_t value __attribute__((may_alias));
typedef uint32_t index_i32 __attribute__((may_alias));
typedef uint64_t index_i64 __attribute__((may_alias));

static uint64_t gather_fold(const uint64_t sums[SUMS])
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < SUMS; i++)
        sum ^= ert_cpu_turned(sums[i], TURN * i);
    return sum;
}

/* Keeps an index in a register, so that its load is an instruction of its own. */
#define INDEX(i) __asm__("" : "+r"(i))

/* One element; without INDEX(sum) compilers would make a vector of the sums, with inserts. */
#define ONE(j)                                                                             \
    do {                                                                                   \
        uint64_t i_##j = at[j];                                                            \
        INDEX(i_##j);                                                                      \
        sum_##j ^= values[i_##j];                                                          \
        INDEX(sum_##j);                                                                    \
    } while (0)

/* The passes of a variant: an iteration of the loop handles 8 elements of `at`, or 32 if `turn` does. */
#define PASSES(name, Index, attributes, begin, turn, per_turn, end)                        \
    attributes static void name(struct ert_cpu_sweep *sweep)                               \
    {                                                                                      \
        const value *values = (const value *)sweep->r1;                                    \
        for (uint64_t p = 0; p < sweep->passes; p++) {                                     \
            const Index *at = (const Index *)sweep->w, *stop = at + sweep->elements;       \
            uint64_t sums[SUMS];                                                           \
            begin;                                                                         \
            for (; at != stop; at += (per_turn))                                           \
                turn;                                                                      \
            end;                                                                           \
            sweep->checksum = ert_cpu_turned(sweep->checksum ^ gather_fold(sums), 1);      \
            __asm__ volatile("" : : : "memory"); /* the next pass reads again */           \
        }                                                                                  \
    }

#define BEGIN_ONE                                                                          \
    uint64_t sum_0 = 0, sum_1 = 0, sum_2 = 0, sum_3 = 0, sum_4 = 0, sum_5 = 0, sum_6 = 0,  \
             sum_7 = 0
#define TURN_ONE                                                                           \
    {                                                                                      \
        ONE(0);                                                                            \
        ONE(1);                                                                            \
        ONE(2);                                                                            \
        ONE(3);                                                                            \
        ONE(4);                                                                            \
        ONE(5);                                                                            \
        ONE(6);                                                                            \
        ONE(7);                                                                            \
    }
#define END_ONE                                                                            \
    sums[0] = sum_0, sums[1] = sum_1, sums[2] = sum_2, sums[3] = sum_3, sums[4] = sum_4,   \
    sums[5] = sum_5, sums[6] = sum_6, sums[7] = sum_7
PASSES(one_i32, index_i32, , BEGIN_ONE, TURN_ONE, SUMS, END_ONE)
PASSES(one_i64, index_i64, , BEGIN_ONE, TURN_ONE, SUMS, END_ONE)

#ifdef __x86_64__
#include <immintrin.h>

#define HAS(isa_name)                                                                      \
    static bool has_##isa_name(const struct ert_isa *isa)                                  \
    {                                                                                      \
        return isa->isa_name;                                                              \
    }
HAS(avx2)
HAS(avx512f)

/* 8 elements are two vectors of AVX2 and one of AVX-512; an iteration has four times as many. */
#define LOAD_128(from)   _mm_loadu_si128((const __m128i *)(from))
#define LOAD_256(from)   _mm256_loadu_si256((const __m256i *)(from))
#define LOAD_512(from)   _mm512_loadu_si512(from)
#define AVX2_i32(from)   _mm256_i32gather_epi64((const long long *)values, LOAD_128(from), 8)
#define AVX2_i64(from)   _mm256_i64gather_epi64((const long long *)values, LOAD_256(from), 8)
#define AVX512_i32(from) _mm512_i32gather_epi64(LOAD_256(from), values, 8)
#define AVX512_i64(from) _mm512_i64gather_epi64(LOAD_512(from), values, 8)

#define BEGIN_AVX2 __m256i low = _mm256_setzero_si256(), high = low
#define TURN_AVX2(of)                                                                      \
    _Pragma("GCC unroll 4") for (int k = 0; k < 32; k += SUMS)                             \
    {                                                                                      \
        low = _mm256_xor_si256(low, of(at + k));                                           \
        high = _mm256_xor_si256(high, of(at + k + 4));                                     \
    }
#define END_AVX2                                                                           \
    _mm256_storeu_si256((__m256i *)sums, low);                                             \
    _mm256_storeu_si256((__m256i *)(sums + 4), high)
#define BEGIN_AVX512 __m512i sum = _mm512_setzero_si512()
#define TURN_AVX512(of)                                                                    \
    _Pragma("GCC unroll 4") for (int k = 0; k < 32; k += SUMS) sum =                       \
        _mm512_xor_si512(sum, of(at + k));
#define END_AVX512    _mm512_storeu_si512(sums, sum)
#define FOR(isa_name) __attribute__((target(isa_name)))

PASSES(avx2_i32, index_i32, FOR("avx2"), BEGIN_AVX2, TURN_AVX2(AVX2_i32), 32, END_AVX2)
PASSES(avx2_i64, index_i64, FOR("avx2"), BEGIN_AVX2, TURN_AVX2(AVX2_i64), 32, END_AVX2)
PASSES(avx512_i32, index_i32, FOR("avx512f"), BEGIN_AVX512, TURN_AVX512(AVX512_i32), 32,
       END_AVX512)
PASSES(avx512_i64, index_i64, FOR("avx512f"), BEGIN_AVX512, TURN_AVX512(AVX512_i64), 32,
       END_AVX512)

#define VECTOR_WAYS(type)                                                                  \
    ERT_CPU_OWN_VARIANT("avx512", 64, avx512_##type, has_avx512f),                         \
        ERT_CPU_OWN_VARIANT("avx2", 32, avx2_##type, has_avx2),
#else
#define VECTOR_WAYS(type)
#endif

static uint64_t gather_index_of(const struct ert_session *session, uint64_t i)
{
    return ert_cpu_chase_line(ert_random_u64(session->options.seed, 1), session->elements,
                              i);
}

static bool has_short_indices(const struct ert_session *session)
{
    return ert_kernel_row(session->spec.kernel)->index_bytes == sizeof(index_i32);
}

/* Vector gathers treat indices as signed. */
static enum ert_status gather_size(struct ert_session *session, struct ert_error *error)
{
    ERT_TRY(ert_cpu_size_arrays(session, error));
    if (!has_short_indices(session) || session->elements <= INT32_MAX)
        return ERT_OK;
    return ert_fail(error, ERT_UNAVAILABLE,
                    "cpu: %s: %zu elements for each thread, indices of 4 bytes reach %d",
                    ert_kernel_row(session->spec.kernel)->name, session->elements,
                    INT32_MAX);
}

static void gather_init(struct ert_session *session, uint32_t thread)
{
    index_i32 *shorts = (index_i32 *)session->parts[thread].sweep.w;
    index_i64 *longs = (index_i64 *)session->parts[thread].sweep.w;
    for (size_t i = 0; i < session->elements; i++)
        if (has_short_indices(session))
            shorts[i] = (uint32_t)gather_index_of(session, i);
        else
            longs[i] = gather_index_of(session, i);
}

static void gather_check(struct ert_session *session, uint32_t thread)
{
    uint64_t first = ert_cpu_first_element(session, thread), sums[SUMS] = {0};
    for (size_t i = 0; i < session->elements; i++) {
        value bits;
        ert_cpu_pattern_get(&session->pattern, first + gather_index_of(session, i), 1,
                            (double *)&bits);
        sums[i % SUMS] ^= bits;
    }
    ert_cpu_check_sum(
        session, thread,
        ert_cpu_checksum_after(gather_fold(sums), session->parts[thread].passes));
}

#define KERNEL(type)                                                                       \
    static const struct ert_cpu_variant ways_##type[] = {                                  \
        VECTOR_WAYS(type) ERT_CPU_OWN_VARIANT("one at a time", 8, one_##type, NULL), {0}}; \
    const struct ert_cpu_kind ert_cpu_own_gather_##type = {                                \
        .variants = ways_##type,                                                           \
        .size = gather_size,                                                               \
        .init = gather_init,                                                               \
        .count = ert_cpu_count_arrays,                                                     \
        .check = gather_check,                                                             \
    };
KERNEL(i32)
KERNEL(i64)
