/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gather: loads through an array of indices that bypass L1, sum += bits(r[index[i]]): the part of the
 * bandwidth of L2 and device memory, which move sectors of 32 bytes, that random access to elements of 8
 * bytes gets. size() writes the indices, a random permutation of the set's elements (cycle.h), to the target
 * region. 8 bytes of value and 4 or 8 of index per element count; 0 flops.
 *
 * Short-lived blocks, as in the stream kernels: a thread loads its indices, 16 bytes at once, V elements in
 * all, and then all its values. In the sum each value of a 16-byte vector of indices has a different weight,
 * so that elements in another order, as without the indices, give another sum.
 */
#include "ert/core/backend/cycle.h"
#include "ert/ext/cuda/kernel.cuh"
#include "ert/ext/cuda/session.h"

enum { THREADS = 256 };

/* Index j of a 16-byte vector of indices. */
static __device__ __forceinline__ uint64_t kernels_gather_index_of(uint4 vector, uint32_t,
                                                                   int j)
{
    return j == 0 ? vector.x : j == 1 ? vector.y : j == 2 ? vector.z : vector.w;
}
static __device__ __forceinline__ uint64_t kernels_gather_index_of(uint4 vector, uint64_t,
                                                                   int j)
{
    return j == 0 ? vector.x | (uint64_t)vector.y << 32
                  : vector.z | (uint64_t)vector.w << 32;
}

template <class Index, int V>
static __global__ void __launch_bounds__(THREADS)
    gather(struct ert_cuda_arguments arguments)
{
    constexpr int per_vector = 16 / sizeof(Index), n = V / per_vector;
    const uint4 *from =
        (const uint4 *)arguments.w + (size_t)blockIdx.x * (THREADS * n) + threadIdx.x;
    const uint2 *values = (const uint2 *)arguments.r1;
    uint4 indices[n];
    uint2 words[V];
    unsigned int sum = 0;
#pragma unroll
    for (int k = 0; k < n; k++)
        indices[k] = load_l2(from + k * THREADS);
#pragma unroll
    for (int i = 0; i < V; i++)
        words[i] = load_l2(values + kernels_gather_index_of(indices[i / per_vector],
                                                            Index(), i % per_vector));
#pragma unroll
    for (int i = 0; i < V; i++)
        sum += (words[i].x + words[i].y) * (2 * (i % per_vector) + 1);
    add_sum(arguments, sum);
    mark_clock(arguments);
}

template <class Index>
static __global__ void write_indices(Index *indices, uint64_t n, uint64_t seed)
{
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        indices[i] = (Index)ert_cycle_permute(n, seed, i);
}

/* The correct sum of one pass. */
static __global__ void sum_gathered(uint64_t n, uint32_t per_vector, uint64_t source_seed,
                                    uint64_t index_seed, struct ert_cuda_finding *finding)
{
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    unsigned int sum = 0;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        const double value =
            ert_random_unit(source_seed, ert_cycle_permute(n, index_seed, i));
        sum += ((unsigned int)__double2loint(value) + (unsigned int)__double2hiint(value)) *
               (2 * (unsigned int)(i % per_vector) + 1);
    }
    atomicAdd(&finding->sum, sum);
}

static uint64_t index_seed(const struct ert_session *session)
{
    return session->options.seed + 2;
}

static uint32_t index_bytes(const struct ert_session *session)
{
    return ert_kernel_row(session->row->kernel)->index_bytes;
}

static enum ert_status kernels_gather_size(struct ert_session *session,
                                           const struct ert_spec *spec,
                                           struct ert_error *error)
{
    const struct ert_cuda_row *row = session->row;
    const uint64_t per_block = (uint64_t)row->threads * row->vectors;
    const uint64_t block_bytes = per_block * ert_kernel_set_bytes_per_element(row->kernel);
    uint64_t n_blocks = spec->requested_bytes / block_bytes;
    n_blocks = n_blocks ? n_blocks : 1;
    const uint64_t n = n_blocks * per_block;
    ERT_TRY(ert_cuda_check_region(session, n * sizeof(double), error));
    if (index_bytes(session) == 4 && n > UINT32_MAX)
        return ert_fail(
            error, ERT_UNAVAILABLE, "%s: %s: %llu elements, indices of 4 bytes reach %u",
            session->label, session->kernel_name, (unsigned long long)n, UINT32_MAX);
    session->n_elements = n;
    session->work.blocks = (uint32_t)n_blocks;
    session->work.threads = row->threads;
    session->work.actual_bytes = n_blocks * block_bytes;
    session->work.bytes_per_pass = (double)n * ert_kernel_bytes_per_element(row->kernel);
    session->arguments.r1 = session->sources;
    session->arguments.w = session->target;
    if (index_bytes(session) == 4)
        write_indices<<<ERT_CUDA_CHECK_GRID(session)>>>((uint32_t *)session->target, n,
                                                        index_seed(session));
    else
        write_indices<<<ERT_CUDA_CHECK_GRID(session)>>>((uint64_t *)session->target, n,
                                                        index_seed(session));
    SESSION_TRY(session, error, cudaGetLastError(), "writing %llu indices",
                (unsigned long long)n);
    return ERT_OK;
}

static enum ert_status kernels_gather_verify(struct ert_session *session,
                                             struct ert_error *error)
{
    ERT_TRY(ert_cuda_reset_finding(session, error));
    sum_gathered<<<ERT_CUDA_CHECK_GRID(session)>>>(
        session->n_elements, 16 / index_bytes(session), session->options.seed,
        index_seed(session), session->finding);
    return ert_cuda_verify_sums(session, (uint32_t)session->passes_done, error);
}

static void kernels_gather_describe(const struct ert_cuda_row *, struct ert_code *code)
{
    code->vector_bytes = sizeof(double); /* of one load */
}

static const struct ert_cuda_kind kind = {
    .size = kernels_gather_size,
    .verify = kernels_gather_verify,
    .max_passes = ERT_CUDA_MAX_GRID_Y,
    .describe = kernels_gather_describe,
    .passes_in_grid = true,
};

/* A variant's name: threads per block x elements per thread. */
#define ROW(type, Index, V)                                                                \
    {                                                                                      \
        ERT_KERNEL_gather_##type, ERT_PATH_BYPASS_L1, 0, "256x" #V, &kind, THREADS, 0, V,  \
            0, 0, (const void *)gather<Index, V>                                           \
    }
ERT_CUDA_KERNEL(gather_i32, ROW(i32, uint32_t, 8), ROW(i32, uint32_t, 4))
ERT_CUDA_KERNEL(gather_i64, ROW(i64, uint64_t, 8), ROW(i64, uint64_t, 4))
