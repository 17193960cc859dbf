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

/* Links one of `parts` parts of the first thread's chain; returns its first line. */
static void **chase_link(struct ert_session *session, uint32_t part, uint32_t parts)
{
    const uint64_t n = n_lines(session), end = n * (part + 1) / parts;
    uint64_t step = n * part / parts;
    void **const first = line_at(session, 0, step), **at = first;
    while (step < end) {
        void **next = line_at(session, 0, ++step);
        *at = next;
        at = next;
    }
    return first;
}

static void chase_init(struct ert_session *session, uint32_t thread)
{
    uint64_t n = n_lines(session);
    void **at = chase_link(session, thread, 1);
    /*
     * A walk through the whole cycle ends at its start, and loads the lines into the caches. Where no cache
     * holds them all, as many lines of the source take the place of those that it has from being written.
     */
    const volatile double *other = session->parts[thread].sweep.r1;
    if (n * line_bytes(session) <= largest_cache_bytes(&session->device))
        at = walk(at, n);
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

/* Under load the first thread has the chain; others read eight bytes of R's lines, or write them back. */
enum { LINES = 256 /* of a pass */, LINE = ERT_CPU_LINE / sizeof(double) };

/* What others wait after a line, in clocks: 64 cores draw 1 % of a memory with 4096, and all with 32. */
static const uint64_t paces[] = {4096, 512, 256, 128, 64, 32, 16, 0};

static void loaded_sweep(struct ert_cpu_sweep *sweep)
{
    const uint64_t n = sweep->elements / (LINES * LINE);
    const uint64_t written = (uint64_t)sweep->constants[0]; /* of two lines */
    if (!sweep->operands) {
        chase_sweep(sweep);
        return;
    }
    for (uint64_t pass = 0; pass < sweep->passes; pass++) {
        const double *line = sweep->r1 + (sweep->first_pass + pass) % n * LINES * LINE;
        for (uint64_t i = 0; i < LINES; i++, line += LINE) {
            volatile uint64_t *at = (volatile uint64_t *)(uintptr_t)line;
            const uint64_t bits = *at;
            sweep->checksum += bits;
            if (i % 2 < written)
                *at = bits;
            for (uint64_t clocks = sweep->steps; clocks > 0; clocks--)
                __asm__ volatile("" : "+r"(clocks));
        }
    }
}

/* The chain is as that of one thread, and the others share R as if they were all. */
static enum ert_status loaded_size(struct ert_session *session, struct ert_error *error)
{
    const uint32_t n = session->n_threads;
    session->n_threads = 1;
    enum ert_status status = ert_cpu_size_arrays(session, error);
    session->n_threads = n;
    return status;
}

static void loaded_init(struct ert_session *session, uint32_t thread)
{
    struct ert_cpu_sweep *sweep = &session->parts[thread].sweep;
    const uint32_t n = session->n_threads - 1;
    ert_cpu_team_barrier(session->team); /* until the first thread has the chain's place */
    sweep->checksum = (uintptr_t)chase_link(session, thread, n + 1);
    if (thread == 0)
        return;
    const size_t passes =
        ert_cpu_memory_share_max(session->arrays, n) / sizeof(double) / (LINES * LINE);
    sweep->elements = passes * LINES * LINE;
    sweep->r1 =
        ert_cpu_memory_arrays(session->arrays, thread - 1, n, sweep->elements, 1).r1;
    sweep->operands = session;
    sweep->passes = passes;
    loaded_sweep(sweep); /* what caches have of the chain goes */
    sweep->checksum = 0;
    sweep->steps = paces[session->spec.variant];
    sweep->constants[0] = session->spec.kernel - ERT_KERNEL_loaded_load;
}

/* That the others read each line, and leave it as it is, is the test's (test_cpu_loaded.c). */
static void loaded_check(struct ert_session *session, uint32_t thread)
{
    if (thread == 0)
        chase_check(session, thread);
}

static void loaded_count(const struct ert_session *session, struct ert_work *work)
{
    work->actual_bytes = session->elements * sizeof(double);
    work->loads_per_pass = ERT_CPU_CHASE_STEPS;
    work->bytes_per_pass =
        LINES * ERT_CPU_LINE * (1 + (session->spec.kernel - ERT_KERNEL_loaded_load) / 2.);
}

#define PACE(clocks)                                                                       \
    ERT_CPU_OWN_VARIANT("a line in " #clocks " clocks", sizeof(void *), loaded_sweep, NULL)
static const struct ert_cpu_variant paced[] = {PACE(4096), PACE(512), PACE(256),
                                               PACE(128),  PACE(64),  PACE(32),
                                               PACE(16),   PACE(0),   {0}};
#define UNDER_LOAD(id)                                                                     \
    const struct ert_cpu_kind ert_cpu_own_##id = {                                         \
        paced, false, loaded_size, loaded_init, loaded_count, loaded_check, NULL, NULL, 0}
UNDER_LOAD(loaded_load);
UNDER_LOAD(loaded_2to1);
UNDER_LOAD(loaded_update);
