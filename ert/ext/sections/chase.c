/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * chase: dependent loads through a random cycle, one cache line per step: the time from a load to the use of
 * its value. One thread, because a chain cannot use a second one.
 *
 * Other contributions to the number: lines are in random order, so that neither the stream nor the
 * instruction-pointer prefetcher helps; a prefetcher of adjacent lines (Intel) only wastes bandwidth that
 * nothing else uses. With 2 MiB pages there is a second-level TLB look-up of some clocks per step in sets
 * beyond about 64 MiB, and page walks beyond 2 to 4 GiB. With small pages, if large ones are refused (the
 * session's notes say so), DRAM's number includes a page walk.
 */
#include "ert/ext/sections/sections.h"

#include "ert/core/base/random.h"

#include <inttypes.h>

/*
 * A keyed bijection of 0 ... 2^bits - 1, applied until the result is below n_lines; it consists of additions,
 * multiplications by odd numbers and x ^= x >> s, which are all bijections. Unlike with Sattolo's shuffle,
 * any step is known without walking to it, as the check needs, and setting up needs no second array and no
 * random reads (31e6 lines: 0.4 s instead of 5).
 */
uint64_t ert_cpu_chase_line(uint64_t seed, uint64_t n_lines, uint64_t step)
{
    int bits = n_lines > 2 ? 64 - __builtin_clzll(n_lines - 1) : 1;
    uint64_t mask = (UINT64_C(1) << bits) - 1, line = step % n_lines;
    do
        for (uint64_t round = 0; round < 3; round++) {
            line = (line + (seed >> (16 * round))) & mask;
            line = line * UINT64_C(0xbf58476d1ce4e5b9) & mask;
            line ^= line >> (bits / 2 + 1);
        }
    while (line >= n_lines);
    return line;
}

static size_t line_bytes(const struct ert_session *session)
{
    uint32_t bytes = session->device.levels[0].line_bytes;
    return bytes ? bytes : 64;
}

static uint64_t n_lines(const struct ert_session *session)
{
    return session->elements * sizeof(double) / line_bytes(session);
}

static void **line_at(const struct ert_session *session, uint32_t thread, uint64_t step)
{
    char *w = (char *)session->parts[thread].sweep.w;
    uint64_t seed = ert_random_u64(session->options.seed, 0);
    return (void **)(w + line_bytes(session) *
                             ert_cpu_chase_line(seed, n_lines(session), step));
}

/*
 * p = *p: one load per step, which depends on the previous one; bound by the level's latency. Inlined, since
 * kernels.def claims a loop in the kernel's own code, and clang would call this function.
 */
static inline __attribute__((always_inline)) void **walk(void **at, uint64_t steps)
{
    enum { UNROLL = 64 };
    for (uint64_t i = 0; i < steps / UNROLL; i++)
#pragma GCC unroll 64
        for (int j = 0; j < UNROLL; j++)
            at = *at;
    for (uint64_t i = 0; i < steps % UNROLL; i++)
        at = *at;
    return at;
}

/* The checksum is the chain's present address. */
static void chase_sweep(struct ert_cpu_sweep *sweep)
{
    void **at = (void **)(uintptr_t)sweep->checksum;
    sweep->checksum = (uintptr_t)walk(at, sweep->passes * ERT_CPU_CHASE_STEPS);
}

/* The bytes of one instance of the largest cache, memory-side ones left out; 0: none is known. */
static uint64_t largest_cache_bytes(const struct ert_device *device)
{
    uint64_t largest = 0;
    for (uint32_t i = 0; i < device->n_levels; i++) {
        const struct ert_level *level = &device->levels[i];
        if (level->kind == ERT_LEVEL_CACHE && !level->memory_side &&
            level->size_bytes > largest)
            largest = level->size_bytes;
    }
    return largest;
}

static void chase_init(struct ert_session *session, uint32_t thread)
{
    uint64_t n = n_lines(session);
    void **start = line_at(session, thread, 0), **at = start;
    for (uint64_t step = 1; step <= n; step++) {
        void **next = line_at(session, thread, step);
        *at = next;
        at = next;
    }
    /*
     * A walk through the whole cycle ends at its start, and loads the lines into the caches. Where no cache
     * holds them all, as many lines of the source take the place of those that it has from being written.
     */
    const volatile double *other = session->parts[thread].sweep.r1;
    if (n * line_bytes(session) <= largest_cache_bytes(&session->device))
        at = walk(start, n);
    else
        for (size_t i = 0; i < session->elements; i += line_bytes(session) / sizeof *other)
            (void)other[i];
    session->parts[thread].sweep.checksum = (uintptr_t)at;
}

static void chase_check(struct ert_session *session, uint32_t thread)
{
    struct ert_cpu_part *part = &session->parts[thread];
    uint64_t steps = part->passes * ERT_CPU_CHASE_STEPS;
    uintptr_t is = (uintptr_t)part->sweep.checksum, first = (uintptr_t)part->sweep.w;
    uintptr_t should = (uintptr_t)line_at(session, thread, steps);
    if (is != should)
        ert_cpu_say_wrong(session, thread,
                          ": after %" PRIu64 " steps of %" PRIu64
                          " lines the chain is at byte %td, should be at %td",
                          steps, n_lines(session), (ptrdiff_t)(is - first),
                          (ptrdiff_t)(should - first));
}

static void chase_count(const struct ert_session *session, struct ert_work *work)
{
    ert_cpu_count_arrays(session, work);
    work->bytes_per_pass = 0;
    work->loads_per_pass = ERT_CPU_CHASE_STEPS;
}

static const struct ert_cpu_variant variants[] = {
    ERT_CPU_OWN_VARIANT("1 thread", sizeof(void *), chase_sweep, NULL), {0}};

const struct ert_cpu_kind ert_cpu_own_chase = {
    .variants = variants,
    .is_one_thread = true,
    .size = ert_cpu_size_arrays,
    .init = chase_init,
    .count = chase_count,
    .check = chase_check,
};
