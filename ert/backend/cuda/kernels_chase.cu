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
 *
 * Where L2 has two partitions, lines of one are nearer to an SM than those of the other: they are
 * sorted by the time of single loads, and each half gets a chain of its own.
 */
#include "ert/backend/cuda/chase.h"
#include "ert/backend/cuda/device.cuh"

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

/* What the kernels share: r1 is the chain of slice_vectors 16-byte vectors, w the place. */
static __device__ __forceinline__ void
begin_walk(const struct ert_cuda_arguments &arguments, uint64_t *at)
{
    struct ert_cuda_place *place = (struct ert_cuda_place *)arguments.w;
    uint32_t sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    place->sm = sm;
    *at = place->at;
    mark_clock(arguments);
}

static __device__ __forceinline__ void end_walk(const struct ert_cuda_arguments &arguments,
                                                uint64_t at)
{
    mark_clock(arguments);
    ((struct ert_cuda_place *)arguments.w)->at = at;
}

/* 8 B per load. Nodes hold the address of the next one. */
template <class Load, bool warms>
static __global__ void __launch_bounds__(CHASE_THREADS)
    chase_global(struct ert_cuda_arguments arguments)
{
    const uint64_t base = (uint64_t)arguments.r1;
    unsigned int sum = 0;
    const uint64_t end = base + arguments.slice_vectors * ERT_CUDA_VECTOR_BYTES;
    for (uint64_t line = base + threadIdx.x * ERT_CUDA_LINE_BYTES; warms && line < end;
         line += CHASE_THREADS * ERT_CUDA_LINE_BYTES)
        sum += (unsigned int)Load::next(line);
    if (warms)
        add_sum(arguments, sum); /* so that the compiler keeps the loads */
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    uint64_t at;
    begin_walk(arguments, &at);
    for (unsigned int n = arguments.passes * ERT_CUDA_CHASE_TURNS; n > 0; n--) {
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
    for (unsigned int i = threadIdx.x * ERT_CUDA_LINE_BYTES;
         i < arguments.slice_vectors * ERT_CUDA_VECTOR_BYTES;
         i += CHASE_THREADS * ERT_CUDA_LINE_BYTES)
        *(unsigned int *)(shared + i) =
            to + (unsigned int)(*(uint64_t *)(chain + i) - base);
    __syncthreads();
    if (threadIdx.x != 0)
        return;
    uint64_t begin;
    begin_walk(arguments, &begin);
    unsigned int at = to + (unsigned int)(begin - base);
    for (unsigned int n = arguments.passes * ERT_CUDA_CHASE_TURNS; n > 0; n--) {
#pragma unroll
        for (int i = 0; i < UNROLLED; i++)
            asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");
    }
    end_walk(arguments, base + (at - to));
}

#define CHASE(path, name, ...)                                                             \
    {                                                                                      \
        ERT_KERNEL_chase, ERT_PATH_##path, 0, name, ERT_CUDA_CHASE, CHASE_THREADS, 0, 0,   \
            UNROLLED *ERT_CUDA_CHASE_TURNS, 0, (const void *)__VA_ARGS__                   \
    }

/* In the order of enum ert_cuda_chase_row. */
static const struct ert_cuda_row rows[] = {
    CHASE(CACHED, "1 thread", chase_global<cached, true>),
    CHASE(SHARED, "1 thread", chase_shared),
    CHASE(BYPASS_L1, "1 thread", chase_global<past_l1, false>),
    CHASE(BYPASS_L1, "1 thread, windows of 16 MiB", chase_global<past_l1, false>),
    CHASE(BYPASS_L1, "1 thread, near half", chase_global<past_l1, false>),
    CHASE(BYPASS_L1, "1 thread, far half", chase_global<past_l1, false>),
};
const struct ert_cuda_rows ert_cuda_chase_rows = {rows, sizeof rows / sizeof rows[0]};
