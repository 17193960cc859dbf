/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Access kernels: loads of 1 to 16 bytes, stride bytes from one lane to the next, 0 flops. Only the requested
 * bytes count, so the rate falls below the level's where accesses waste sectors (32 B), lines (128 B) or
 * banks of shared memory (4 B).
 *
 * L2 and device memory: short-lived blocks, as in the stream kernels. A pass loads once from each stride of
 * the set, and the offset within the stride changes from pass to pass: first to another sector, after all
 * sectors to the next bytes of each. So stride / size passes load every byte once, and with a large stride a
 * set of device memory does not shrink into L2.
 *
 * L1 and shared memory: one resident block per SM over a slice of 64 KiB, which fits in both from cc 7.0 on.
 * The block sweeps four quarters of the slice at once, at offsets that are immediates of the loads: a warp's
 * 4 B access takes one clock, that is 4 issue slots for a load, its addition and its address.
 */
#include "ert/core/base/random.h"
#include "ert/ext/cuda/kernel.cuh"
#include "ert/ext/cuda/session.h"

#include <stdlib.h>

enum { SLICE_BYTES = 64 << 10, QUARTERS = 4, QUARTER_BYTES = SLICE_BYTES / QUARTERS };
enum { SLICE_THREADS = 1024, FLAT_THREADS = 256 };
enum { SECTOR_BYTES = 32 };

/* The 32 accesses of a warp, one per lane, must lie within a quarter. */
enum { MAX_STRIDE_BYTES = QUARTER_BYTES / 32 };

static __device__ __forceinline__ unsigned int words_of(unsigned int word)
{
    return word;
}
static __device__ __forceinline__ unsigned int words_of(uint2 words)
{
    return words.x + words.y;
}
static __device__ __forceinline__ unsigned int words_of(uint4 words)
{
    return add_words(words);
}

/* The offset of pass p within each stride; both sizes are powers of two. */
static __device__ __forceinline__ uint32_t offset_of(uint32_t stride_bytes,
                                                     uint32_t access_bytes, uint64_t pass)
{
    const uint32_t phase = (uint32_t)pass & (stride_bytes / access_bytes - 1);
    if (stride_bytes <= SECTOR_BYTES)
        return phase * access_bytes;
    const uint32_t sectors = stride_bytes / SECTOR_BYTES;
    return (phase & (sectors - 1)) * SECTOR_BYTES +
           (phase >> (__ffs(sectors) - 1)) * access_bytes;
}

template <class Word, int U>
static __global__ void __launch_bounds__(FLAT_THREADS)
    strided_flat(struct ert_cuda_arguments arguments)
{
    const uint32_t stride = arguments.stride_bytes;
    const uint64_t first = (uint64_t)blockIdx.x * (FLAT_THREADS * U) + threadIdx.x;
    const char *from = (const char *)arguments.r1 + first * stride +
                       offset_of(stride, sizeof(Word), arguments.first_pass + blockIdx.y);
    Word words[U];
    unsigned int sum = 0;
#pragma unroll
    for (int u = 0; u < U; u++)
        words[u] = load_l2((const Word *)(from + (uint64_t)(u * FLAT_THREADS) * stride));
#pragma unroll
    for (int u = 0; u < U; u++)
        sum += words_of(words[u]);
    add_sum(arguments, sum);
    mark_clock(arguments);
}

/* Steps of a block in one pass: each access of a quarter once; at least one step. */
static __host__ __device__ __forceinline__ uint32_t
kernels_access_steps_of(uint32_t stride_bytes)
{
    const uint32_t n = QUARTER_BYTES / stride_bytes;
    return n > SLICE_THREADS ? n / SLICE_THREADS : 1;
}

template <class Word>
static __device__ __forceinline__ void
sweep_slice(const struct ert_cuda_arguments &arguments, const char *slice)
{
    const unsigned int stride = arguments.stride_bytes;
    unsigned int at = threadIdx.x * stride & (QUARTER_BYTES - 1), sum = 0;
    mark_clock(arguments);
    for (unsigned int n = arguments.passes * kernels_access_steps_of(stride); n > 0; n--) {
#pragma unroll
        for (int q = 0; q < QUARTERS; q++)
            sum += words_of(*(const Word *)(slice + at + q * QUARTER_BYTES));
        at = (at + SLICE_THREADS * stride) & (QUARTER_BYTES - 1);
    }
    add_sum(arguments, sum);
    mark_clock(arguments);
}

template <class Word>
static __global__ void __launch_bounds__(SLICE_THREADS, 1)
    strided_l1(struct ert_cuda_arguments arguments)
{
    sweep_slice<Word>(arguments,
                      (const char *)arguments.r1 + blockIdx.x * (size_t)SLICE_BYTES);
}

template <class Word>
static __global__ void __launch_bounds__(SLICE_THREADS)
    strided_shared(struct ert_cuda_arguments arguments)
{
    extern __shared__ uint4 shared[];
    const uint4 *source =
        (const uint4 *)arguments.r1 + blockIdx.x * arguments.slice_vectors;
    for (unsigned int i = threadIdx.x; i < arguments.slice_vectors; i += SLICE_THREADS)
        shared[i] = source[i];
    __syncthreads();
    sweep_slice<Word>(arguments, (const char *)shared);
}

/* The sum of the words of the access at a byte of the source stream. */
static __device__ unsigned int expected_words(uint64_t seed, uint64_t byte,
                                              uint32_t access_bytes)
{
    unsigned int sum = 0;
    for (uint64_t i = byte / 8; i < (byte + access_bytes + 7) / 8; i++) {
        const double value = ert_random_unit(seed, i);
        const uint64_t bits = (uint64_t)__double_as_longlong(value) >> byte % 8 * 8;
        sum +=
            (unsigned int)(access_bytes < 4 ? bits & ((1u << 8 * access_bytes) - 1) : bits);
        if (access_bytes >= 8)
            sum += (unsigned int)(bits >> 32);
    }
    return sum;
}

/* The correct sum of `passes` passes over n strides. phases: the number of different offsets. */
static __global__ void sum_strided(uint64_t n, uint32_t stride_bytes, uint32_t access_bytes,
                                   uint32_t phases, uint64_t passes, uint64_t seed,
                                   struct ert_cuda_finding *finding)
{
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    unsigned int sum = 0;
    for (uint32_t phase = 0; phase < phases; phase++) {
        const uint32_t times = (uint32_t)(passes / phases + (phase < passes % phases));
        const uint32_t offset = offset_of(stride_bytes, access_bytes, phase);
        for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; times && i < n;
             i += step)
            sum += times * expected_words(seed, i * stride_bytes + offset, access_bytes);
    }
    atomicAdd(&finding->sum, sum);
}

static uint32_t access_bytes(const struct ert_cuda_row *row)
{
    return (uint32_t)strtoul(row->name, NULL, 10);
}

static enum ert_status take_stride(struct ert_session *session, const struct ert_spec *spec,
                                   struct ert_error *error)
{
    const uint32_t stride = spec->stride_bytes, least = access_bytes(session->row);
    if (stride < least || stride > MAX_STRIDE_BYTES || (stride & (stride - 1)) != 0)
        return ert_fail(
            error, ERT_FAILED,
            "%s: strided (%s): a stride of %u bytes, must be a power of two from "
            "%u to %d",
            session->label, session->row->name, stride, least, MAX_STRIDE_BYTES);
    session->arguments.stride_bytes = stride;
    session->arguments.r1 = session->sources;
    session->work.threads = session->row->threads;
    return ERT_OK;
}

static enum ert_status size_flat(struct ert_session *session, const struct ert_spec *spec,
                                 struct ert_error *error)
{
    ERT_TRY(take_stride(session, spec, error));
    const uint64_t per_block = (uint64_t)session->row->threads * session->row->vectors;
    const uint64_t block_bytes = per_block * spec->stride_bytes;
    uint64_t n_blocks = spec->requested_bytes / block_bytes;
    n_blocks = n_blocks ? n_blocks : 1;
    ERT_TRY(ert_cuda_check_region(session, n_blocks * block_bytes, error));
    session->n_elements = n_blocks * per_block;
    session->work.blocks = (uint32_t)n_blocks;
    session->work.actual_bytes = n_blocks * block_bytes;
    session->work.bytes_per_pass = (double)session->n_elements * access_bytes(session->row);
    return ERT_OK;
}

static enum ert_status size_slices(struct ert_session *session, const struct ert_spec *spec,
                                   struct ert_error *error)
{
    ERT_TRY(take_stride(session, spec, error));
    const uint64_t set_bytes = (uint64_t)session->n_sms * SLICE_BYTES;
    ERT_TRY(ert_cuda_check_region(session, set_bytes, error));
    session->n_elements = set_bytes / spec->stride_bytes;
    session->arguments.slice_vectors = SLICE_BYTES / ERT_CUDA_VECTOR_BYTES;
    session->pass_steps = kernels_access_steps_of(spec->stride_bytes);
    session->shared_bytes = session->row->path == ERT_PATH_SHARED ? SLICE_BYTES : 0;
    session->work.blocks = session->n_sms;
    session->work.actual_bytes = set_bytes;
    session->work.bytes_per_pass = (double)session->n_sms * SLICE_THREADS * QUARTERS *
                                   kernels_access_steps_of(spec->stride_bytes) *
                                   access_bytes(session->row);
    return ERT_OK;
}

static enum ert_status kernels_access_verify(struct ert_session *session, uint32_t phases,
                                             uint64_t passes, struct ert_error *error)
{
    ERT_TRY(ert_cuda_reset_finding(session, error));
    sum_strided<<<ERT_CUDA_CHECK_GRID(session)>>>(
        session->n_elements, session->arguments.stride_bytes, access_bytes(session->row),
        phases, passes, session->options.seed, session->finding);
    return ert_cuda_verify_sums(session, 1, error);
}

static enum ert_status verify_flat(struct ert_session *session, struct ert_error *error)
{
    return kernels_access_verify(
        session, session->arguments.stride_bytes / access_bytes(session->row),
        session->passes_done, error);
}

/* All threads load in each step: in a quarter with fewer accesses, each is loaded several times. */
static enum ert_status verify_slices(struct ert_session *session, struct ert_error *error)
{
    const uint64_t per_quarter = QUARTER_BYTES / session->arguments.stride_bytes;
    const uint64_t times = SLICE_THREADS *
                           kernels_access_steps_of(session->arguments.stride_bytes) /
                           per_quarter;
    return kernels_access_verify(session, 1, session->passes_done * times, error);
}

static void kernels_access_describe(const struct ert_cuda_row *row, struct ert_code *code)
{
    code->vectors = 1;
    code->vector_bytes = access_bytes(row);
}

static const struct ert_cuda_kind flat = {
    .size = size_flat,
    .verify = verify_flat,
    .max_passes = ERT_CUDA_MAX_GRID_Y,
    .describe = kernels_access_describe,
    .passes_in_grid = true,
};
static const struct ert_cuda_kind slices = {
    .size = size_slices,
    .verify = verify_slices,
    .describe = kernels_access_describe,
};

#define ROW(path, name, kind, T, blocks, U, ...)                                           \
    {                                                                                      \
        ERT_KERNEL_strided, ERT_PATH_##path, 0, name, &kind, T, blocks, U, 0, 0,           \
            (const void *)__VA_ARGS__                                                      \
    }
#define FLAT(name, Word, U)                                                                \
    ROW(BYPASS_L1, name, flat, FLAT_THREADS, 0, U, strided_flat<Word, U>)
#define SLICES(path, kernel)                                                               \
    ROW(path, "4 B", slices, SLICE_THREADS, 1, QUARTERS, kernel<unsigned int>),            \
        ROW(path, "8 B", slices, SLICE_THREADS, 1, QUARTERS, kernel<uint2>),               \
        ROW(path, "16 B", slices, SLICE_THREADS, 1, QUARTERS, kernel<uint4>),              \
        ROW(path, "1 B", slices, SLICE_THREADS, 1, QUARTERS, kernel<unsigned char>),       \
        ROW(path, "2 B", slices, SLICE_THREADS, 1, QUARTERS, kernel<unsigned short>)

/* A variant's name begins with the bytes of one access; U: loads in flight per thread. */
ERT_CUDA_KERNEL(strided, FLAT("4 B", unsigned int, 16), FLAT("8 B", uint2, 16),
                FLAT("16 B", uint4, 8), FLAT("1 B", unsigned char, 16),
                FLAT("2 B", unsigned short, 16), SLICES(CACHED, strided_l1),
                SLICES(SHARED, strided_shared))
