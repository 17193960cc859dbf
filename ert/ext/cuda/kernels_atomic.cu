/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomic additions of 1 by all threads, none of which uses the old value (PTX red), in L2 and in shared
 * memory: to counters of each thread's own, to one of all (in shared memory: of a block), and to 256, as a
 * histogram of bytes. In L2 a thread has several, in turn: with one, additions to a line wait for each other
 * (an H200: 0.58e12 a second).
 *
 * In a histogram each thread visits all counters in the order x = 5 x + c modulo 256, from a random start and
 * with a random odd c of its own, so that a pass adds to all counters alike (Hull and Dobell 1962), and the
 * lanes of a warp meet anew at each step, as those of random data.
 *
 * Counters of 32 bits, as histogram codes have: 64 bits in shared memory are a loop of compare-and-swap. Each
 * lane's addition counts. Addresses depend on run-time values: where the compiler sees that a warp's are the
 * same, it makes one addition of 32 of them.
 *
 * Bound: the adders of L2 and of each SM's shared memory; on one address their turns.
 */
#include "ert/core/base/random.h"
#include "ert/ext/cuda/kernel.cuh"
#include "ert/ext/cuda/session.h"

#include <stdlib.h>
#include <string.h>

/* Additions of a thread in a pass; counters of a histogram. FP32 counts exactly to 2^24. */
enum { STEPS = 256, UNROLLED = 16, BINS = 256, FP32_PASSES = (1 << 24) / STEPS };

#define MEMORY(name, Address, letter, addition)                                            \
    struct name {                                                                          \
        static constexpr bool is_shared = sizeof(Address) == 4;                            \
        static __device__ __forceinline__ void add(uint64_t base, uint32_t counter)        \
        {                                                                                  \
            const Address at = (Address)base + 4 * (Address)counter;                       \
            asm volatile("red." addition ";" ::letter(at) : "memory");                     \
        }                                                                                  \
    };
MEMORY(in_l2, uint64_t, "l", "global.add.u32 [%0], 1")
MEMORY(in_l2_fp32, uint64_t, "l", "global.add.f32 [%0], 0f3f800000")
MEMORY(in_shared, uint32_t, "r", "shared.add.u32 [%0], 1")

/*
 * slice_vectors: counters in a block's shared memory, which it adds to its own in w at the end; bits[0]: 0
 * for one counter, else ~0; bits[1]: passes before the counters were cleared.
 */
template <class Memory, bool is_histogram, int own>
static __global__ void __launch_bounds__(1024) atomic(struct ert_cuda_arguments arguments)
{
    extern __shared__ uint32_t counters[];
    const uint32_t n_own = (uint32_t)arguments.slice_vectors;
    const uint32_t apart = gridDim.x * blockDim.x;
    const uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;
    const uint64_t base = Memory::is_shared ? (uint64_t)__cvta_generic_to_shared(counters)
                                            : (uint64_t)arguments.w;
    uint32_t at = (Memory::is_shared ? threadIdx.x : thread) & (uint32_t)arguments.bits[0];
    uint32_t step = 0;
    if (is_histogram) {
        const uint64_t random = ert_random_u64(0, thread);
        at = (uint32_t)random % BINS;
        step = (uint32_t)(random >> 32) | 1;
    }
    for (uint32_t i = threadIdx.x; i < n_own; i += blockDim.x)
        counters[i] = 0;
    __syncthreads();
    mark_clock(arguments);
    for (uint32_t n = arguments.passes * (STEPS / UNROLLED); n > 0; n--) {
#pragma unroll
        for (int i = 0; i < UNROLLED; i++) {
            Memory::add(base, at + i % own * apart);
            if (is_histogram)
                at = (5 * at + step) % BINS;
        }
    }
    mark_clock(arguments);
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < n_own; i += blockDim.x)
        ((uint32_t *)arguments.w)[blockIdx.x * n_own + i] += counters[i];
}

static enum ert_status kernels_atomic_clear(struct ert_session *session,
                                            struct ert_error *error)
{
    SESSION_TRY(cudaMemsetAsync(session->target, 0, session->n_elements * sizeof(uint32_t),
                                session->stream),
                "cudaMemsetAsync of the counters");
    session->arguments.bits[1] = session->passes_done;
    return ERT_OK;
}

/* steps: counters of the threads that share a memory; 0: `chains` each. extra: not NULL in shared memory. */
static enum ert_status kernels_atomic_size(struct ert_session *session,
                                           const struct ert_spec *, struct ert_error *error)
{
    const struct ert_cuda_row *row = session->row;
    const bool is_shared = row->extra;
    const uint32_t blocks = row->blocks_per_sm * session->n_sms;
    const uint32_t threads = is_shared ? row->threads : row->threads * blocks;
    const uint32_t n = row->steps ? row->steps : threads * row->chains;
    session->n_elements = (uint64_t)n * (is_shared ? blocks : 1);
    ERT_TRY(ert_cuda_check_region(session, session->n_elements * sizeof(uint32_t), error));
    session->arguments.w = session->target;
    session->arguments.slice_vectors = is_shared ? n : 0;
    session->arguments.bits[0] = row->steps == 1 ? 0 : UINT32_MAX;
    session->shared_bytes = session->arguments.slice_vectors * sizeof(uint32_t);
    session->work.blocks = blocks;
    session->work.threads = row->threads;
    session->work.flops_per_pass = (double)STEPS * row->threads * blocks;
    session->pass_steps = STEPS;
    return kernels_atomic_clear(session, error);
}

/* Every addition since the counters were cleared arrived; modulo 2^32. */
static enum ert_status kernels_atomic_verify(struct ert_session *session,
                                             struct ert_error *error)
{
    const uint64_t n = session->n_elements;
    const bool is_fp32 = session->row->kind->clear;
    const uint64_t passes = session->passes_done - session->arguments.bits[1];
    const uint64_t should =
        passes * STEPS * session->work.blocks * session->work.threads / n;
    const float single = (float)should;
    uint32_t bits = (uint32_t)should;
    if (is_fp32)
        memcpy(&bits, &single, sizeof bits);
    uint32_t *found = (uint32_t *)malloc(n * sizeof *found);
    cudaError_t code = found ? cudaMemcpy(found, session->target, n * sizeof *found,
                                          cudaMemcpyDeviceToHost)
                             : cudaErrorMemoryAllocation;
    uint64_t i = 0;
    while (code == cudaSuccess && i < n && found[i] == bits)
        i++;
    enum ert_status status = ERT_OK;
    if (code == cudaSuccess && i < n)
        status = ert_fail(error, ERT_FAILED, "%s: %s: counter %llu is %#x, should be %#x",
                          session->label, session->kernel_name, (unsigned long long)i,
                          found[i], bits);
    free(found);
    SESSION_TRY(code, "reading %llu counters", (unsigned long long)n);
    return status;
}

static void kernels_atomic_describe(const struct ert_cuda_row *, struct ert_code *code)
{
    code->chains = 0;
    code->vector_bytes = sizeof(uint32_t);
}

#define COUNTERS(most, clears)                                                             \
    .size = kernels_atomic_size, .verify = kernels_atomic_verify, .max_passes = most,      \
    .clear = clears, .describe = kernels_atomic_describe, .starts_afresh = most > 0
static const struct ert_cuda_kind integers = {COUNTERS(0, NULL)};
static const struct ert_cuda_kind singles = {COUNTERS(FP32_PASSES, kernels_atomic_clear)};
static const char shared[] = "shared memory";

#define ATOMIC(id, kind, name, T, own, counters, extra, ...)                               \
    ERT_CUDA_KERNEL(id,                                                                    \
                    {ERT_KERNEL_##id, ERT_PATH_NONE, 0, name, &kind, T, 1, UNROLLED, own,  \
                     counters, (const void *)atomic<__VA_ARGS__, own>, 0, false, extra})
/* A pass of one address takes 6 ms with 256 threads per SM, more than enough for its adder. */
ATOMIC(atomic_l2_own, integers, "1x1024, 16 each", 1024, 16, 0, NULL, in_l2, false)
ATOMIC(atomic_l2_fp32, singles, "1x1024, 16 each", 1024, 16, 0, NULL, in_l2_fp32, false)
ATOMIC(atomic_l2_few, integers, "1x256", 256, 1, BINS, NULL, in_l2, true)
ATOMIC(atomic_l2_one, integers, "1x256", 256, 1, 1, NULL, in_l2, false)
ATOMIC(atomic_smem_own, integers, "1x1024", 1024, 1, 0, shared, in_shared, false)
ATOMIC(atomic_smem_few, integers, "1x1024", 1024, 1, BINS, shared, in_shared, true)
ATOMIC(atomic_smem_one, integers, "1x1024", 1024, 1, 1, shared, in_shared, false)
