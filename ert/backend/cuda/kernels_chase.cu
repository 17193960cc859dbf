/*
 * Latency: one thread follows a random cycle through the set, p = *p, one line a step. Each load
 * needs the one before it, so the time per load is the way to the level and back; nothing else is
 * in the loop that could not run meanwhile. 0 flop.
 *
 * L1 and shared memory are of one SM: one block runs, and its set is the case's over the number of
 * SMs. A launch finds L1 empty, so all threads of the block load the set first, some microseconds
 * of a region of milliseconds. L2 is warmed when the chain is written. A walk goes on where the
 * last launch ended: a region of 3 ms sees some thousand lines of device memory, and the same ones
 * again would come from L2.
 *
 * The lines of a large set lie in so many pages that most steps miss the first TLB too. The walk
 * in windows of 16 MiB (eight pages of 2 MiB) does not: it tells the memory from the translation.
 */
#include "ert/backend/cuda/device.cuh"
#include "ert/backend/cuda/kinds.h"
#include "ert/backend/cycle.h"

/* A step's line: that of L1 and L2; DRAM is fetched in halves of it, so no step helps the next. */
enum { LINE_BYTES = 128 };
enum {
    UNROLLED = 32,
    UNROLLED_PER_PASS = 8,
    LOADS_PER_PASS = UNROLLED * UNROLLED_PER_PASS
};
enum { CHASE_THREADS = 256 };
enum { WINDOW_BYTES = 16 << 20 };

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

/* What the kernels share: r1 is the chain, *w where the walk stands, slice_vectors its 16-byte vectors. */
static __device__ __forceinline__ uint64_t *
place(const struct ert_cuda_arguments &arguments)
{
    return (uint64_t *)arguments.w;
}

/* 8 B per load. Nodes hold the address of the next one. */
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
    uint64_t at = *place(arguments);
    mark_clock(arguments);
    for (unsigned int n = arguments.passes * UNROLLED_PER_PASS; n > 0; n--) {
#pragma unroll
        for (int i = 0; i < UNROLLED; i++)
            at = Load::next(at);
    }
    mark_clock(arguments);
    *place(arguments) = at;
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
    unsigned int at = to + (unsigned int)(*place(arguments) - base);
    mark_clock(arguments);
    for (unsigned int n = arguments.passes * UNROLLED_PER_PASS; n > 0; n--) {
#pragma unroll
        for (int i = 0; i < UNROLLED; i++)
            asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");
    }
    mark_clock(arguments);
    *place(arguments) = base + (at - to);
}

/* Whole lines are written: a line of which L2 knows a part is fetched from memory when read. */
static __global__ void write_chain(ulonglong2 *chain, struct ert_cycle cycle,
                                   uint64_t *place)
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
            *place = base + line * LINE_BYTES;
    }
}

/* One block, as the chase: an L2 of two partitions then has the lines where this SM looks. */
static __global__ void read_chain(const uint64_t *chain, uint64_t n_lines, uint32_t *sums)
{
    unsigned int sum = 0;
    for (uint64_t i = threadIdx.x; i < n_lines; i += blockDim.x)
        sum += (unsigned int)past_l1::next((uint64_t)chain + i * LINE_BYTES);
    atomicAdd(sums, sum);
}

#define CHASE(path, name, ...)                                                             \
    {                                                                                      \
        ERT_KERNEL_chase, ERT_PATH_##path, 0, name, ERT_CUDA_CHASE, CHASE_THREADS, 0, 0,   \
            LOADS_PER_PASS, 0, (const void *)__VA_ARGS__                                   \
    }

static const struct ert_cuda_row rows[] = {
    CHASE(CACHED, "1 thread", chase_global<cached, true>),
    CHASE(SHARED, "1 thread", chase_shared),
    CHASE(BYPASS_L1, "1 thread", chase_global<past_l1, false>),
    CHASE(BYPASS_L1, "1 thread, windows of 16 MiB", chase_global<past_l1, false>),
};
static const struct ert_cuda_row *const windowed = &rows[3];

const struct ert_cuda_rows ert_cuda_chase_rows = {rows, sizeof rows / sizeof rows[0]};

static struct ert_cycle cycle_of(const struct ert_session *session)
{
    const uint64_t n = session->n_elements, window = WINDOW_BYTES / LINE_BYTES;
    bool has_windows = session->row == windowed && n > window;
    return {n, has_windows ? window : n, session->options.seed};
}

static enum ert_status write_and_warm(struct ert_session *session, struct ert_error *error)
{
    enum { THREADS = 256, BLOCKS_PER_SM = 8 };
    write_chain<<<session->n_sms * BLOCKS_PER_SM, THREADS, 0, session->stream>>>(
        (ulonglong2 *)session->target, cycle_of(session), session->starts);
    SESSION_TRY(session, error, cudaGetLastError(), "writing a chain of %llu lines",
                (unsigned long long)session->n_elements);
    read_chain<<<1, 1024, 0, session->stream>>>((const uint64_t *)session->target,
                                                session->n_elements, session->sums);
    SESSION_TRY(session, error, cudaGetLastError(), "reading a chain of %llu lines",
                (unsigned long long)session->n_elements);
    return ERT_OK;
}

static enum ert_status size(struct ert_session *session, const struct ert_case *case_,
                            struct ert_error *error)
{
    const struct ert_cuda_row *row = session->row;
    const uint32_t n_sets = row->path == ERT_PATH_BYPASS_L1 ? 1 : session->n_sms;
    const uint64_t n_lines = case_->working_set_bytes / n_sets / LINE_BYTES;
    session->n_elements = n_lines ? n_lines : 1;
    const uint64_t chain_bytes = session->n_elements * LINE_BYTES;
    if (row->path == ERT_PATH_SHARED && chain_bytes > session->shared_per_block_bytes)
        return ert_fail(
            error, ERT_FAILED,
            "%s: chase, %llu bytes of shared memory per block, %llu are available",
            session->label, (unsigned long long)chain_bytes,
            (unsigned long long)session->shared_per_block_bytes);
    ERT_TRY(ert_cuda_check_region(session, chain_bytes, error));
    session->work.working_set_bytes = chain_bytes * n_sets;
    session->work.loads_per_pass = row->chains;
    session->work.bytes_per_pass = row->chains * (double)sizeof(uint64_t);
    session->work.blocks = 1;
    session->shared_bytes = row->path == ERT_PATH_SHARED ? chain_bytes : 0;
    session->work.threads = row->threads;
    session->arguments.r1 = session->target;
    session->arguments.w = (double *)session->starts;
    session->arguments.slice_vectors = chain_bytes / ERT_CUDA_VECTOR_BYTES;
    return write_and_warm(session, error);
}

static uint64_t max_passes(const struct ert_session *)
{
    return UINT32_MAX / UNROLLED_PER_PASS;
}

/* The walk must stand where the host computes it to be. */
static enum ert_status verify(struct ert_session *session, struct ert_error *error)
{
    const struct ert_cycle cycle = cycle_of(session);
    const uint64_t steps = session->passes_done * session->row->chains;
    const uint64_t wanted = ert_cycle_line(&cycle, steps) * LINE_BYTES;
    uint64_t at = 0;
    SESSION_TRY(session, error,
                cudaMemcpy(&at, session->starts, sizeof at, cudaMemcpyDeviceToHost),
                "reading where the chase stands");
    at -= (uint64_t)session->target;
    if (at == wanted)
        return ERT_OK;
    return ert_fail(
        error, ERT_FAILED,
        "%s: chase (%s), %llu lines: after %llu loads at byte %llu, should be %llu",
        session->label, session->row->name, (unsigned long long)cycle.n,
        (unsigned long long)steps, (unsigned long long)at, (unsigned long long)wanted);
}

const struct ert_cuda_kind ert_cuda_chase_kind = {size, max_passes, false,
                                                  NULL, false,      verify};
