/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Latency: one thread follows a random cycle through the set, p = *p, one line per step. Each load needs the
 * previous one's value, and nothing else in the loop delays it, so the time per load is the latency of the
 * level. 0 flops.
 *
 * L1 and shared memory belong to one SM: one block runs, and its set is the spec's divided by the number of
 * SMs. L1 is empty at each launch, so all threads of the block first load the set, which takes some
 * microseconds of a region of milliseconds. L2 is warm after the chain is written and read. A walk continues
 * where the last launch ended: a region of 3 ms visits some thousand lines of device memory, and the same
 * lines again would come from L2.
 *
 * The lines of a large set are in so many pages that most steps also miss in the first TLB. A walk in windows
 * of 16 MiB (eight pages of 2 MiB) does not: it separates the latency of memory from that of address
 * translation.
 *
 * If L2 has two partitions, an SM reaches the lines of one faster than those of the other. The lines are then
 * sorted by the time of single loads, and each half gets a chain of its own.
 */
#include "ert/core/backend/cycle.h"
#include "ert/ext/cuda/kernel.cuh"
#include "ert/ext/cuda/session.h"
#include "ert/ext/cuda/split.h"

#include <stdlib.h>
#include <string.h>

/* The line of a step, as in L1 and L2. DRAM is fetched in halves of a line, so no step helps the next. */
enum { LINE_BYTES = 128 };

/* Iterations of the kernels' loop in a pass; the row's `chains` are the loads. */
enum { TURNS = 8 };

/*
 * The current address of a walk, the SM on which it runs, and the SM on which it should run. For a given SM,
 * a grid that reaches all SMs is launched, and the first block on that SM walks.
 */
struct place {
    uint64_t at;
    uint32_t sm, wanted_sm; /* ANY_SM: no SM is required */
    uint32_t n_seen;        /* blocks of this launch that have started */
    uint32_t is_taken;      /* a block walks already */
};
static const uint32_t ANY_SM = ~0U;

/* The lines of a walk in L2: all, or those in the partition near to its SM, or in the far one. */
enum half { BOTH_HALVES, NEAR_HALF, FAR_HALF };

enum { CHASE_THREADS = 256, UNROLLED = 32 };

struct cached {
    static __device__ __forceinline__ uint64_t next(uint64_t at)
    {
        uint64_t to;
        asm volatile("ld.global.u64 %0, [%1];" : "=l"(to) : "l"(at) : "memory");
        return to;
    }
};
struct past_l1 {
    static __device__ __forceinline__ uint64_t next(uint64_t at)
    {
        uint64_t to;
        asm volatile("ld.global.cg.u64 %0, [%1];" : "=l"(to) : "l"(at) : "memory");
        return to;
    }
};

/* Whether this block walks. Called by one thread of each block. */
static __device__ __forceinline__ bool takes(struct place *place)
{
    uint32_t sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    const uint32_t wanted = place->wanted_sm;
    const bool is_it =
        wanted == ANY_SM || (sm == wanted && atomicExch(&place->is_taken, 1) == 0);
    if (is_it)
        place->sm = sm;
    atomicAdd(&place->n_seen, 1);
    return is_it;
}

/* Waits until all blocks have started, and resets the place for the next launch. */
static __device__ __forceinline__ void lets_go(struct place *place)
{
    while (atomicAdd(&place->n_seen, 0) < gridDim.x)
        ;
    place->n_seen = 0;
    place->is_taken = 0;
}

/* Begins a walk if this block walks. r1: the chain of slice_vectors 16-byte vectors; w: the place. */
static __device__ __forceinline__ bool
begin_walk(const struct ert_cuda_arguments &arguments, uint64_t *at)
{
    struct place *place = (struct place *)arguments.w;
    if (!takes(place))
        return false;
    *at = place->at;
    mark_clock(arguments);
    return true;
}

static __device__ __forceinline__ void end_walk(const struct ert_cuda_arguments &arguments,
                                                uint64_t at)
{
    struct place *place = (struct place *)arguments.w;
    mark_clock(arguments);
    place->at = at;
    lets_go(place);
}

/* 8 bytes per load. Each node holds the address of the next one. */
template <class Load, bool warms>
static __global__ void __launch_bounds__(CHASE_THREADS)
    chase_global(struct ert_cuda_arguments arguments)
{
    const uint64_t base = (uint64_t)arguments.r1;
    unsigned int sum = 0;
    const uint64_t end = base + arguments.slice_vectors * ERT_CUDA_VECTOR_BYTES;
    for (uint64_t line = base + threadIdx.x * LINE_BYTES; warms && line < end;
         line += CHASE_THREADS * LINE_BYTES)
        sum += (unsigned int)Load::next(line);
    if (warms)
        add_sum(arguments, sum); /* so that the compiler keeps the loads */
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    uint64_t at;
    if (!begin_walk(arguments, &at))
        return;
    for (unsigned int n = arguments.passes * TURNS; n > 0; n--) {
#pragma unroll
        for (int i = 0; i < UNROLLED; i++)
            at = Load::next(at);
    }
    end_walk(arguments, at);
}

/* The same in shared memory, into which each launch copies the chain first. */
static __global__ void __launch_bounds__(CHASE_THREADS)
    chase_shared(struct ert_cuda_arguments arguments)
{
    extern __shared__ unsigned char shared[];
    const unsigned char *chain = (const unsigned char *)arguments.r1;
    const uint64_t base = (uint64_t)chain;
    const unsigned int to = (unsigned int)__cvta_generic_to_shared(shared);
    for (unsigned int i = threadIdx.x * LINE_BYTES;
         i < arguments.slice_vectors * ERT_CUDA_VECTOR_BYTES;
         i += CHASE_THREADS * LINE_BYTES)
        *(unsigned int *)(shared + i) =
            to + (unsigned int)(*(uint64_t *)(chain + i) - base);
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    uint64_t begin;
    if (!begin_walk(arguments, &begin))
        return;
    unsigned int at = to + (unsigned int)(begin - base);
    for (unsigned int n = arguments.passes * TURNS; n > 0; n--) {
#pragma unroll
        for (int i = 0; i < UNROLLED; i++)
            asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");
    }
    end_walk(arguments, base + (at - to));
}

/* Loads of each line: the fastest counts, without refreshes of DRAM or accesses of others. */
enum { REPEATS = 8 };

/*
 * Cycles of one load of each line, by one thread, which reads the clock again when the value has arrived. It
 * loads all lines one after the other, REPEATS times: from the first round on a line is in L2.
 */
static __global__ void time_lines(const char *lines, uint32_t n_lines, uint32_t *cycles,
                                  struct place *place)
{
    if (!takes(place))
        return;
    for (uint32_t i = 0; i < n_lines; i++)
        cycles[i] = ~0u;
    for (int repeat = 0; repeat < REPEATS; repeat++)
        for (uint32_t i = 0; i < n_lines; i++) {
            /* "+": no output may share the address's register, and CUDA 11 does not support "=&". */
            uint32_t begin = 0, end = 0, value = 0;
            asm volatile("mov.u32 %0, %%clock;\n\t"
                         "ld.global.cg.u32 %1, [%3];\n\t"
                         "xor.b32 %1, %1, %0;\n\t" /* waits for the value */
                         "mov.u32 %2, %%clock;"
                         : "+r"(begin), "+r"(value), "+r"(end)
                         : "l"(lines + (size_t)i * LINE_BYTES)
                         : "memory");
            uint32_t took = end - begin;
            if (value == begin) /* never true, since lines are not zero; keeps the load */
                took = 0;
            if (took < cycles[i])
                cycles[i] = took;
        }
    lets_go(place);
}

/* Lines that are sorted into halves of L2: 512 KiB; timing them one by one takes some 10 ms. */
enum { HALF_LINES = 4096 };

/* The properties in which walks by one kernel differ. */
struct walk {
    uint64_t window_bytes; /* of the windows of a walk; 0: no windows */
    enum half half;
};

static const struct walk *walk_of(const struct ert_session *session)
{
    return (const struct walk *)session->row->extra;
}

static bool is_half(const struct ert_session *session)
{
    return walk_of(session)->half != BOTH_HALVES;
}

/*
 * Writes a chain through all lines, or through those in `chosen`. It writes whole lines: if L2 has only a
 * part of a line, it fetches the line from memory when the line is loaded.
 */
static __global__ void write_chain(ulonglong2 *chain, struct ert_cycle cycle,
                                   const uint32_t *chosen, uint64_t *at)
{
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    const uint64_t per_line = LINE_BYTES / sizeof *chain, base = (uint64_t)chain;
    for (uint64_t k = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; k < cycle.n;
         k += stride) {
        uint64_t line = ert_cycle_line(&cycle, k), after = ert_cycle_line(&cycle, k + 1);
        line = chosen ? chosen[line] : line;
        after = chosen ? chosen[after] : after;
        const uint64_t next = base + after * LINE_BYTES;
        for (uint64_t i = 0; i < per_line; i++)
            chain[line * per_line + i] = make_ulonglong2(next, next);
        if (k == 0)
            *at = base + line * LINE_BYTES;
    }
}

/* Loads the chain on the SM of the walk: an L2 of two partitions then holds the lines where that SM looks. */
static __global__ void read_chain(const uint64_t *chain, uint64_t n_lines,
                                  const uint32_t *chosen, uint32_t *sums,
                                  struct place *place)
{
    __shared__ bool is_it;
    if (threadIdx.x == 0)
        is_it = takes(place);
    __syncthreads();
    if (!is_it)
        return;
    unsigned int sum = 0;
    for (uint64_t i = threadIdx.x; i < n_lines; i += blockDim.x)
        sum += (unsigned int)load_l2(chain + (chosen ? chosen[i] : i) *
                                                 (LINE_BYTES / sizeof *chain));
    atomicAdd(sums, sum);
    if (threadIdx.x == 0)
        lets_go(place);
}

static struct ert_cycle cycle_of(const struct ert_session *session)
{
    const uint64_t n = session->n_elements;
    const uint64_t window = walk_of(session)->window_bytes / LINE_BYTES;
    return {n, window && n > window ? window : n, session->options.seed};
}

/* The list of the chosen lines, which follows the lines themselves. */
static uint32_t *chosen_lines(const struct ert_session *session)
{
    return (uint32_t *)((char *)session->target + HALF_LINES * LINE_BYTES);
}

/* The number of blocks that reach every SM: the GPU distributes blocks breadth first. */
static uint32_t blocks_for_all_sms(const struct ert_session *session)
{
    return 4 * session->n_sms;
}

static enum ert_status write_place(struct ert_session *session, uint32_t wanted_sm,
                                   struct ert_error *error)
{
    const struct place place = {0, ANY_SM, wanted_sm, 0, 0};
    return ert_cuda_upload(session, session->starts, &place, sizeof place,
                           "writing where the chase begins", error);
}

static enum ert_status read_place(struct ert_session *session, struct place *place,
                                  struct ert_error *error)
{
    SESSION_TRY(session, error,
                cudaMemcpy(place, session->starts, sizeof *place, cudaMemcpyDeviceToHost),
                "reading where the chase stands");
    if (place->wanted_sm == ANY_SM || place->sm == place->wanted_sm)
        return ERT_OK;
    return ert_fail(error, ERT_FAILED, "%s: chase (%s): no block of %u came to SM %u",
                    session->label, session->row->name, blocks_for_all_sms(session),
                    place->wanted_sm);
}

/* Times the lines once, from an SM. */
static enum ert_status time_once(struct ert_session *session, uint32_t n_lines, uint32_t sm,
                                 uint32_t *cycles, struct ert_error *error)
{
    uint32_t *on_device = chosen_lines(session);
    struct place place;
    ERT_TRY(write_place(session, sm, error));
    time_lines<<<blocks_for_all_sms(session), 1, 0, session->stream>>>(
        (const char *)session->target, n_lines, on_device, (struct place *)session->starts);
    SESSION_TRY(session, error, cudaGetLastError(), "timing %u lines of L2", n_lines);
    ERT_TRY(ert_cuda_wait(session, "timing lines of L2", NULL, error));
    ERT_TRY(read_place(session, &place, error));
    SESSION_TRY(
        session, error,
        cudaMemcpy(cycles, on_device, sizeof *cycles * n_lines, cudaMemcpyDeviceToHost),
        "reading the times of %u lines of L2", n_lines);
    return ERT_OK;
}

/* SMs to try: those midway between the partitions see one group (a third of an H200's, in one range). */
enum { TRIES = 12 };

/*
 * Writes the indices of the half's lines to chosen_lines(), sets n_elements to their number, and *sm to the
 * SM to which the half is near or far: the first of TRIES SMs across the device that sees two groups.
 * cycles[2 * n_lines]: scratch. ERT_UNAVAILABLE if none sees two.
 */
static enum ert_status choose_half(struct ert_session *session, uint32_t n_lines,
                                   uint32_t *cycles, uint32_t *sm, struct ert_error *error)
{
    uint32_t *sorted = cycles + n_lines;
    struct ert_split split = {};
    for (uint32_t i = 0; i < TRIES && !split.has_two; i++) {
        *sm = i * session->n_sms / TRIES;
        ERT_TRY(time_once(session, n_lines, *sm, cycles, error));
        memcpy(sorted, cycles, sizeof *cycles * n_lines);
        ert_split_values(sorted, n_lines, &split);
    }
    if (!split.has_two)
        return ert_fail(
            error, ERT_UNAVAILABLE,
            "%s: chase (%s): loads of %u lines of L2 take %u to %u cycles in one "
            "group: no two partitions are seen",
            session->label, session->row->name, n_lines, sorted[0], sorted[n_lines - 1]);
    const bool is_far = walk_of(session)->half == FAR_HALF;
    session->n_elements = 0;
    for (uint32_t i = 0; i < n_lines; i++)
        if ((cycles[i] > split.last_low) == is_far)
            sorted[session->n_elements++] = i;
    return ert_cuda_upload(session, chosen_lines(session), sorted,
                           sizeof *sorted * session->n_elements,
                           "writing the chosen lines of L2", error);
}

static enum ert_status choose_lines(struct ert_session *session, uint32_t *sm,
                                    struct ert_error *error)
{
    int l2_bytes = 0;
    const uint64_t set_bytes = session->n_elements * LINE_BYTES;
    const uint64_t most = HALF_LINES;
    const uint32_t n = (uint32_t)(session->n_elements < most ? session->n_elements : most);
    SESSION_TRY(session, error,
                cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, session->ordinal),
                "cudaDeviceGetAttribute(L2)");
    if (set_bytes > (uint64_t)l2_bytes)
        return ert_fail(error, ERT_UNAVAILABLE,
                        "%s: chase (%s): %llu bytes do not stay in the %d bytes of L2",
                        session->label, session->row->name, (unsigned long long)set_bytes,
                        l2_bytes);
    ERT_TRY(ert_cuda_check_region(session, HALF_LINES * (LINE_BYTES + sizeof(uint32_t)),
                                  error));
    SESSION_TRY(session, error,
                cudaMemsetAsync(session->target, 0x5a, n * LINE_BYTES, session->stream),
                "cudaMemsetAsync of %u lines", n);
    uint32_t *cycles = (uint32_t *)malloc(2 * sizeof *cycles * n);
    if (!cycles)
        return ert_fail(error, ERT_FAILED, "%s: no memory for %u lines", session->label, n);
    enum ert_status status = choose_half(session, n, cycles, sm, error);
    free(cycles);
    return status;
}

static enum ert_status write_and_warm(struct ert_session *session, struct ert_error *error)
{
    const uint32_t *chosen = is_half(session) ? chosen_lines(session) : NULL;
    write_chain<<<ERT_CUDA_CHECK_GRID(session)>>>(
        (ulonglong2 *)session->target, cycle_of(session), chosen, session->starts);
    SESSION_TRY(session, error, cudaGetLastError(), "writing a chain of %llu lines",
                (unsigned long long)session->n_elements);
    read_chain<<<session->work.blocks, 1024, 0, session->stream>>>(
        (const uint64_t *)session->target, session->n_elements, chosen, session->sums,
        (struct place *)session->starts);
    SESSION_TRY(session, error, cudaGetLastError(), "reading a chain of %llu lines",
                (unsigned long long)session->n_elements);
    return ERT_OK;
}

static enum ert_status kernels_chase_size(struct ert_session *session,
                                          const struct ert_spec *spec,
                                          struct ert_error *error)
{
    const struct ert_cuda_row *row = session->row;
    const uint32_t n_sets = row->path == ERT_PATH_BYPASS_L1 ? 1 : session->n_sms;
    const uint64_t n_lines = spec->requested_bytes / n_sets / LINE_BYTES;
    uint32_t sm = ANY_SM;
    session->n_elements = n_lines ? n_lines : 1;
    if (is_half(session))
        ERT_TRY(choose_lines(session, &sm, error));
    ERT_TRY(write_place(session, sm, error));
    const uint64_t chain_bytes = session->n_elements * LINE_BYTES;
    if (row->path == ERT_PATH_SHARED && chain_bytes > session->shared_per_block_bytes)
        return ert_fail(
            error, ERT_FAILED,
            "%s: chase, %llu bytes of shared memory per block, %llu are available",
            session->label, (unsigned long long)chain_bytes,
            (unsigned long long)session->shared_per_block_bytes);
    ERT_TRY(ert_cuda_check_region(session, chain_bytes, error));
    session->work.actual_bytes = chain_bytes * n_sets;
    session->work.loads_per_pass = row->chains;
    session->work.bytes_per_pass = row->chains * (double)sizeof(uint64_t);
    session->work.blocks = sm == ANY_SM ? 1 : blocks_for_all_sms(session);
    session->shared_bytes = row->path == ERT_PATH_SHARED ? chain_bytes : 0;
    session->work.threads = row->threads;
    session->pass_steps = TURNS;
    session->arguments.r1 = session->target;
    session->arguments.w = (double *)session->starts;
    session->arguments.slice_vectors = chain_bytes / ERT_CUDA_VECTOR_BYTES;
    return write_and_warm(session, error);
}

/* Checks that the walk is at the address that the host computes. */
static enum ert_status kernels_chase_verify(struct ert_session *session,
                                            struct ert_error *error)
{
    const struct ert_cycle cycle = cycle_of(session);
    const uint64_t steps = session->passes_done * session->row->chains;
    const uint64_t node = ert_cycle_line(&cycle, steps);
    uint32_t line = 0;
    struct place place;
    ERT_TRY(read_place(session, &place, error));
    if (is_half(session))
        SESSION_TRY(session, error,
                    cudaMemcpy(&line, chosen_lines(session) + node, sizeof line,
                               cudaMemcpyDeviceToHost),
                    "reading a chosen line");
    const uint64_t at = place.at - (uint64_t)session->target;
    const uint64_t wanted = (is_half(session) ? line : node) * LINE_BYTES;
    if (at == wanted)
        return ERT_OK;
    return ert_fail(
        error, ERT_FAILED,
        "%s: chase (%s), %llu lines: after %llu loads at byte %llu, should be %llu",
        session->label, session->row->name, (unsigned long long)cycle.n,
        (unsigned long long)steps, (unsigned long long)at, (unsigned long long)wanted);
}

static void kernels_chase_describe(const struct ert_cuda_row *row, struct ert_code *code)
{
    code->chains = 0;
    code->vectors = 1;
    code->vector_bytes = row->path == ERT_PATH_SHARED ? 4 : 8; /* of a pointer */
}

/* One thread that follows a chain. chains: loads of a pass. */
static const struct ert_cuda_kind kind = {
    .size = kernels_chase_size,
    .verify = kernels_chase_verify,
    .describe = kernels_chase_describe,
};

static const struct walk whole = {0, BOTH_HALVES}, in_windows = {16 << 20, BOTH_HALVES},
                         near_half = {0, NEAR_HALF}, far_half = {0, FAR_HALF};

#define CHASE(path, name, walk, ...)                                                       \
    {                                                                                      \
        ERT_KERNEL_chase, ERT_PATH_##path, 0, name, &kind, CHASE_THREADS, 0, 0,            \
            UNROLLED *TURNS, 0, (const void *)__VA_ARGS__, 0, false, &walk                 \
    }
ERT_CUDA_KERNEL(chase, CHASE(CACHED, "1 thread", whole, chase_global<cached, true>),
                CHASE(SHARED, "1 thread", whole, chase_shared),
                CHASE(BYPASS_L1, "1 thread", whole, chase_global<past_l1, false>),
                CHASE(BYPASS_L1, "1 thread, windows of 16 MiB", in_windows,
                      chase_global<past_l1, false>),
                CHASE(BYPASS_L1, "1 thread, near half", near_half,
                      chase_global<past_l1, false>),
                CHASE(BYPASS_L1, "1 thread, far half", far_half,
                      chase_global<past_l1, false>))
