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
 */
#include "ert/core/backend/cycle.h"
#include "ert/ext/cuda/kernel.cuh"
#include "ert/ext/cuda/session.h"

/* The line of a step, as in L1 and L2. DRAM is fetched in halves of a line, so no step helps the next. */
enum { LINE_BYTES = 128 };

/* Iterations of the kernels' loop in a pass; the row's `chains` are the loads. */
enum { TURNS = 8 };

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

/* r1: the chain of slice_vectors 16-byte vectors; w: the address where the walk is. */
static __device__ __forceinline__ uint64_t
begin_walk(const struct ert_cuda_arguments &arguments)
{
    const uint64_t at = *(const uint64_t *)arguments.w;
    mark_clock(arguments);
    return at;
}

static __device__ __forceinline__ void end_walk(const struct ert_cuda_arguments &arguments,
                                                uint64_t at)
{
    mark_clock(arguments);
    *(uint64_t *)arguments.w = at;
}

template <class Load>
static __device__ __forceinline__ void walk(const struct ert_cuda_arguments &arguments)
{
    uint64_t at = begin_walk(arguments);
    for (unsigned int n = arguments.passes * TURNS; n > 0; n--) {
#pragma unroll
        for (int i = 0; i < UNROLLED; i++)
            at = Load::next(at);
    }
    end_walk(arguments, at);
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
    walk<Load>(arguments);
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
    unsigned int at = to + (unsigned int)(begin_walk(arguments) - base);
    for (unsigned int n = arguments.passes * TURNS; n > 0; n--) {
#pragma unroll
        for (int i = 0; i < UNROLLED; i++)
            asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");
    }
    end_walk(arguments, base + (at - to));
}

/*
 * Writes a chain through all lines. It writes whole lines: if L2 has only a part of a line, it fetches the
 * line from memory when the line is loaded.
 */
static __global__ void write_chain(ulonglong2 *chain, struct ert_cycle cycle, uint64_t *at)
{
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    const uint64_t per_line = LINE_BYTES / sizeof *chain, base = (uint64_t)chain;
    for (uint64_t k = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; k < cycle.n;
         k += stride) {
        const uint64_t line = ert_cycle_line(&cycle, k);
        const uint64_t next = base + ert_cycle_line(&cycle, k + 1) * LINE_BYTES;
        for (uint64_t i = 0; i < per_line; i++)
            chain[line * per_line + i] = make_ulonglong2(next, next);
        if (k == 0)
            *at = base + line * LINE_BYTES;
    }
}

/* Loads the chain, so that L2 holds it. */
static __global__ void read_chain(const uint64_t *chain, uint64_t n_lines, uint32_t *sums)
{
    unsigned int sum = 0;
    for (uint64_t i = threadIdx.x; i < n_lines; i += blockDim.x)
        sum += (unsigned int)load_l2(chain + i * (LINE_BYTES / sizeof *chain));
    atomicAdd(sums, sum);
}

static struct ert_cycle cycle_of(const struct ert_session *session)
{
    const uint64_t n = session->n_elements;
    const uint64_t window = *(const uint64_t *)session->row->extra / LINE_BYTES;
    return {n, window && n > window ? window : n, session->options.seed};
}

static enum ert_status write_and_warm(struct ert_session *session, struct ert_error *error)
{
    write_chain<<<ERT_CUDA_CHECK_GRID(session)>>>((ulonglong2 *)session->target,
                                                  cycle_of(session), session->starts);
    SESSION_TRY(cudaGetLastError(), "writing a chain of %llu lines",
                (unsigned long long)session->n_elements);
    read_chain<<<1, 1024, 0, session->stream>>>((const uint64_t *)session->target,
                                                session->n_elements, session->sums);
    SESSION_TRY(cudaGetLastError(), "reading a chain of %llu lines",
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
    session->n_elements = n_lines ? n_lines : 1;
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
    session->work.bytes_per_pass =
        row->steps ? row->steps : row->chains * (double)sizeof(uint64_t);
    session->work.blocks = 1 + (session->n_sms - 1) * row->vectors / 64;
    session->shared_bytes = row->path == ERT_PATH_SHARED ? chain_bytes : 0;
    session->work.threads = row->threads;
    session->pass_steps = TURNS;
    session->arguments.r1 = session->target;
    session->arguments.w = (double *)session->starts;
    session->arguments.slice_vectors = chain_bytes / ERT_CUDA_VECTOR_BYTES;
    session->arguments.bits[0] = chain_bytes <= session->l2_bytes;
    return write_and_warm(session, error);
}

/*
 * Under load: the first block walks past L1; the warps of the others, a block on an SM, read the set, and
 * write `written` of two vectors back, until it has ended: this, what they moved, its time are words.
 */
enum { WARP = 32, TOGETHER = 8, TURN = 64 };
enum { ENDED = 16, MOVED = 32, UNUSED = 40, TIME_NS = 48, N_WORDS };
static const uint64_t end = UINT64_C(1) << 62;

/* n vectors of each lane. */
template <int written, int n>
static __device__ __forceinline__ void move(uint4 *at, unsigned int &sum)
{
    uint4 vectors[n];
    for (int j = 0; j < n; j++)
        vectors[j] = load_l2(at + j * WARP);
    for (int j = 0; j < n; j++)
        if (j % 2 < written)
            at[j * WARP] = vectors[j];
        else /* a use, without which ptxas leaves the load out */
            sum ^= vectors[j].x ^ vectors[j].y ^ vectors[j].z ^ vectors[j].w;
}

/*
 * A set in L2, in turns of TURN vectors of a lane: what is read goes round the SMs; what is written stays in
 * its block's slice, since a line that another half of the GPU owned last costs more (H200: 7.1e12 instead of
 * 8.7e12 byte/s). Slices that are only read would in part not come from L2.
 */
template <int written>
static __device__ unsigned long long move_in_l2(const struct ert_cuda_arguments &arguments,
                                                unsigned int &sum)
{
    constexpr int n = written == 2 ? TOGETHER / 2 : TOGETHER;
    const volatile uint64_t *words = (const volatile uint64_t *)arguments.w;
    const unsigned int warps = blockDim.x / WARP, warp = threadIdx.x / WARP;
    const unsigned int blocks = gridDim.x - 1, block = blockIdx.x - 1;
    const uint64_t all = arguments.slice_vectors, step = n * WARP, turn = TURN * WARP;
    const uint64_t slice = max(all / blocks / step, (uint64_t)1) * step;
    const uint64_t n_turns = max(all / turn, (uint64_t)1);
    uint4 *data = (uint4 *)arguments.r1 + threadIdx.x % WARP;
    uint64_t at = warp * step % slice, chunk = block * warps + warp;
    unsigned long long moved = 0;
    for (; !words[ENDED]; chunk += blocks * warps, moved += TURN) {
        uint4 *to = data + (written == 2 ? block * slice : chunk % n_turns * turn);
#pragma unroll 1
        for (int i = 0; i < TURN; i += n) {
            move<written, n>(to + (written == 2 ? at : i * WARP), sum);
            at += warps * step;
            while (at >= slice)
                at -= slice;
        }
    }
    return moved;
}

/*
 * A set in memory, in order: `group` warps take a ticket for the next vectors, the one after the next while
 * they move these. Warps on their own ways drift apart: an H200 then updates 4.08e12 instead of 4.24e12
 * byte/s, and loads 3 % more than its memory gives, since L2 has lines of other warps' last way.
 */
template <int written, int group>
static __device__ unsigned long long
move_in_memory(const struct ert_cuda_arguments &arguments, unsigned int &sum)
{
    __shared__ uint64_t tickets[2][WARP];
    unsigned long long *next = (unsigned long long *)arguments.w + ENDED;
    const unsigned int lane = threadIdx.x % (group * WARP),
                       of = threadIdx.x / (group * WARP);
    const uint64_t step = TOGETHER * group * WARP;
    const uint64_t n = max(arguments.slice_vectors / step, (uint64_t)1);
    uint4 *data = (uint4 *)arguments.r1 + lane / WARP * (TOGETHER * WARP) + lane % WARP;
    uint64_t ticket = 0, after = lane == 0 ? atomicAdd(next, 1ull) : 0;
    unsigned long long moved = 0;
    for (unsigned int k = 0;; k++, moved += TOGETHER) {
        if (lane == 0)
            tickets[k % 2][of] = after;
        asm volatile("bar.sync %0, %1;" ::"r"(of), "n"(group * WARP) : "memory");
        ticket = tickets[k % 2][of];
        if (ticket >= end)
            return moved;
        if (lane == 0)
            after = atomicAdd(next, 1ull);
        move<written, TOGETHER>(data + ticket % n * step, sum);
    }
}

/* bits[0]: whether the set is in L2. A turn under way at the end counts half. */
template <int written>
static __global__ void __launch_bounds__(1024)
    chase_loaded(struct ert_cuda_arguments arguments)
{
    volatile uint64_t *words = (volatile uint64_t *)arguments.w;
    uint64_t begin_ns, end_ns;
    unsigned long long moved = 0, half = TOGETHER / 2;
    unsigned int sum = 0;
    if (blockIdx.x > 0 && arguments.bits[0]) {
        moved = move_in_l2<written>(arguments, sum);
        half = TURN / 2;
    } else if (blockIdx.x > 0) {
        moved = move_in_memory < written, written == 2 ? 4 : 16 > (arguments, sum);
    }
    if (moved > 0 && (threadIdx.x % WARP == 0 || sum == 0x5eed))
        atomicAdd((unsigned long long *)&words[threadIdx.x % WARP ? UNUSED : MOVED],
                  moved - half);
    if (blockIdx.x > 0 || threadIdx.x > 0)
        return;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin_ns)::"memory");
    walk<past_l1>(arguments);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(end_ns)::"memory");
    words[TIME_NS] = end_ns - begin_ns;
    atomicAdd((unsigned long long *)&words[ENDED], end);
}

/* Checks that the walk is at the address that the host computes. */
static enum ert_status kernels_chase_verify(struct ert_session *session,
                                            struct ert_error *error)
{
    const struct ert_cycle cycle = cycle_of(session);
    const uint64_t steps = session->passes_done * session->row->chains;
    const uint64_t wanted = ert_cycle_line(&cycle, steps) * LINE_BYTES;
    uint64_t at;
    SESSION_TRY(cudaMemcpy(&at, session->starts, sizeof at, cudaMemcpyDeviceToHost),
                "reading where the chase is");
    at -= (uint64_t)session->target;
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

static enum ert_status loaded_run(struct ert_session *session, uint64_t passes,
                                  struct ert_error *error)
{
    uint64_t words[N_WORDS] = {0};
    void *parameters[] = {&session->arguments};
    session->arguments.passes = (uint32_t)passes;
    ERT_TRY(ert_cuda_upload(session, session->starts + ENDED, words,
                            sizeof words - ENDED * sizeof *words, "clearing", error));
    SESSION_TRY(cudaLaunchKernel(session->row->function, dim3(session->work.blocks),
                                 dim3(session->work.threads), parameters, 0,
                                 session->stream),
                "launch of %s", session->kernel_name);
    ERT_TRY(ert_cuda_wait(session, session->kernel_name, NULL, error));
    SESSION_TRY(cudaMemcpy(words, session->starts, sizeof words, cudaMemcpyDeviceToHost),
                "reading what moved in %s", session->kernel_name);
    session->own_time_s = 1e-9 * (double)words[TIME_NS];
    session->own_passes[0] = (double)passes;
    session->own_passes[1] = (double)words[MOVED];
    return ERT_OK;
}

/* One thread that follows a chain. chains: loads of a pass. */
static const struct ert_cuda_kind kind = {
    .size = kernels_chase_size,
    .verify = kernels_chase_verify,
    .describe = kernels_chase_describe,
};

/* steps: bytes that others move when each lane of a warp moves a vector, their pass; vectors: of 64 SMs those
 * that do. */
static const struct ert_cuda_kind under_load = {
    .size = kernels_chase_size,
    .verify = kernels_chase_verify,
    .run = loaded_run,
    .describe = kernels_chase_describe,
    .times_itself = true,
};

/* Bytes of the windows of a walk; 0: no windows. */
static const uint64_t whole = 0, in_windows = 16 << 20;

#define CHASE(path, name, walk, ...)                                                       \
    {                                                                                      \
        ERT_KERNEL_chase, ERT_PATH_##path, 0, name, &kind, CHASE_THREADS, 0, 0,            \
            UNROLLED *TURNS, 0, (const void *)__VA_ARGS__, 0, false, &walk                 \
    }
ERT_CUDA_KERNEL(chase, CHASE(CACHED, "1 thread", whole, chase_global<cached, true>),
                CHASE(SHARED, "1 thread", whole, chase_shared),
                CHASE(BYPASS_L1, "1 thread", whole, chase_global<past_l1, false>),
                CHASE(BYPASS_L1, "1 thread, windows of 16 MiB", in_windows,
                      chase_global<past_l1, false>))

/*
 * An H200's HBM needs a third of the SMs, its L2 most of them. Threads, groups and vectors together: the best
 * of those that were tried there.
 */
#define LOADED(id, written, sms)                                                           \
    {                                                                                      \
        ERT_KERNEL_##id, ERT_PATH_BYPASS_L1, 0, #sms " of 64 SMs", &under_load,            \
            (written) == 2 ? 512 : 1024, 0, sms, UNROLLED *TURNS,                          \
            WARP *ERT_CUDA_VECTOR_BYTES *(2 + (written)) / 2,                              \
            (const void *)chase_loaded<written>, 0, false, &in_windows                     \
    }
#define LOADS(id, n)                                                                       \
    ERT_CUDA_KERNEL(id, LOADED(id, n, 0), LOADED(id, n, 4), LOADED(id, n, 8),              \
                    LOADED(id, n, 12), LOADED(id, n, 16), LOADED(id, n, 24),               \
                    LOADED(id, n, 32), LOADED(id, n, 64))
LOADS(loaded_load, 0)
LOADS(loaded_2to1, 1)
LOADS(loaded_update, 2)
