/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ert110: the GPU kernels of LBNL's ERT 1.1.0 (ert110.h). They work in place with ordinary accesses: of n
 * threads in all, thread t handles elements t, t + n ..., and runs all passes of the launch without waiting
 * for other threads. 2 accesses per element and F flops in one dependent chain, whose latency only occupancy
 * hides. This binary has one instance per F, and type. Bound: for small F by L2 or device
 * memory, since stores go through L1 to L2; for large F by the units, if the grid is large enough. ERT calls
 * the fastest plateau L1, which on GPUs is L2.
 *
 * The loops are those of ERT, with its index types of 32 bits, and the
 * compiler generates the same code: one load, F/2 operations and one store per element.
 *
 * ERT has an event before the launch and one after the wait for it. The time includes
 * the latency of the launch, some microseconds.
 */
#include "ert/core/base/clock.h"
#include "ert/ext/cuda/kernel.cuh"
#include "ert/ext/cuda/session.h"
#include "ert/ext/ert110/kernels.h"

#include <cuda_fp16.h>

struct fp64 {
    typedef double value;
    enum { FLOPS_PER_STEP = 2 };
};
struct fp32 {
    typedef float value;
    enum { FLOPS_PER_STEP = 2 };
};
struct fp16 {
    typedef half2 value;
    enum { FLOPS_PER_STEP = 4 };
};

template <class V> static __device__ __forceinline__ V make(float x)
{
    return (V)x;
}
template <> __device__ __forceinline__ half2 make<half2>(float x)
{
    return __float2half2_rn(x);
}
/* The compiler decides whether to fuse, as in ERT; it then negates with a separate operation, as there. */
template <class V> static __device__ __forceinline__ V step(V a, V b, V c)
{
    return a * b + c;
}
static __device__ __forceinline__ half2 step(half2 a, half2 b, half2 c)
{
    return __hfma2(a, b, c);
}

/* F flops; if a step has more flops than F, one addition. */
template <class Type, int F>
static __device__ __forceinline__ typename Type::value
chain(typename Type::value first, typename Type::value w, typename Type::value addend)
{
    if constexpr (F < Type::FLOPS_PER_STEP) {
        return w + addend;
    } else {
        typename Type::value x = first;
#pragma unroll
        for (int i = 0; i < F / Type::FLOPS_PER_STEP; i++)
            x = step(x, w, addend);
        return x;
    }
}

/* The kernel of ERT's C++ sources. */
template <class Type, int F>
static __global__ void ert110(struct ert_cuda_arguments arguments)
{
    typedef typename Type::value V;
    V *w = (V *)arguments.w;
    const uint32_t n = (uint32_t)arguments.slice_vectors;
    const uint32_t all = gridDim.x * blockDim.x;
    const uint32_t first = blockIdx.x * blockDim.x + threadIdx.x;
    uint32_t end = first + (n + (all - 1)) / all * all;
    if (end > n)
        end = n;
    const V one = make<V>(1), two = make<V>(2);
    for (uint32_t pass = 0; pass < arguments.passes; pass++)
        for (uint32_t i = first; i < end; i += all)
            w[i] = -chain<Type, F>(one, w[i], two);
}

/* How ERT's kernel is sized, launched, timed and checked. */

/* Elements are handled as words of 4 or 8 bytes, since all elements have the same bits. */
template <class Word> static __global__ void fill(Word *to, uint64_t n, Word word)
{
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        to[i] = word;
}

template <class Word>
static __global__ void mode_compare(const Word *w, uint64_t n, Word word,
                                    struct ert_cuda_finding *finding)
{
    const uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        if (w[i] != word) {
            atomicMin(&finding->first, (unsigned long long)i);
            atomicAdd(&finding->count, 1ull);
        }
}

/* The bits of an element; FP16: of a pair. */
static uint64_t mode_bits_of(const struct ert_session *session)
{
    switch (ert_kernel_row(session->row->kernel)->type) {
    case ERT_FP64:
        return 0xbff0000000000000u;
    case ERT_FP32:
        return 0xbf800000u;
    default:
        return 0xbc00bc00u;
    }
}

static enum ert_status mode_set_elements(struct ert_session *session,
                                         struct ert_error *error)
{
    const uint64_t bits = mode_bits_of(session);
    if (ert_kernel_element_bytes(session->row->kernel) == 8)
        fill<<<ERT_CUDA_CHECK_GRID(session)>>>((uint64_t *)session->target,
                                               session->n_elements, bits);
    else
        fill<<<ERT_CUDA_CHECK_GRID(session)>>>((uint32_t *)session->target,
                                               session->n_elements, (uint32_t)bits);
    SESSION_TRY(cudaGetLastError(), "launch of the fill kernel");
    return ERT_OK;
}

static enum ert_status mode_size(struct ert_session *session, const struct ert_spec *spec,
                                 struct ert_error *error)
{
    const enum ert_kernel_id kernel = session->row->kernel;
    const uint64_t bytes = ert_kernel_element_bytes(kernel);
    const uint64_t n = spec->requested_bytes / bytes;
    const uint64_t all = (uint64_t)spec->blocks * spec->block_threads;
    /* The kernel's indices have 32 bits and go beyond the last element by less than twice the threads. */
    if (n == 0 || all == 0 || all > UINT32_MAX / 2 || n > UINT32_MAX - 2 * all)
        return ert_fail(error, ERT_USAGE,
                        "%s: %s: %u blocks of %u threads for %llu elements, must be at "
                        "least one each, and elements and twice the threads together less "
                        "than 2^32",
                        session->label, ert_kernel_row(kernel)->name, spec->blocks,
                        spec->block_threads, (unsigned long long)n);
    ERT_TRY(ert_cuda_check_region(session, n * bytes, error));
    session->n_elements = n;
    session->work.actual_bytes = n * bytes;
    session->work.bytes_per_pass = 2.0 * (double)(n * bytes);
    session->work.flops_per_pass = (double)n * spec->flops_per_element;
    session->work.blocks = spec->blocks;
    session->work.threads = spec->block_threads;
    session->arguments.w = session->target;
    session->arguments.slice_vectors = n;
    return mode_set_elements(session, error);
}

/* Polls without a pause, as the driver's own wait does; ends when the device hangs, as all waits here. */
static enum ert_status spin(struct ert_session *session, struct ert_error *error)
{
    const double begin_s = ert_clock_now_s();
    for (;;) {
        cudaError_t code = cudaStreamQuery(session->stream);
        if (code == cudaSuccess)
            return ERT_OK;
        if (code != cudaErrorNotReady)
            return ert_cuda_session_fail(session, error, code, "ERT's kernel");
        if (ert_clock_now_s() - begin_s <= session->options.timeout_s &&
            !(session->options.stop && *session->options.stop))
            continue;
        session->is_lost = !(session->options.stop && *session->options.stop);
        return ert_fail(
            error, ERT_FAILED, "%s: %s: %s", session->label, session->kernel_name,
            session->is_lost ? "did not end in time, the device hangs" : "interrupted");
    }
}

static enum ert_status launch(struct ert_session *session, struct ert_error *error)
{
    void *parameters[] = {&session->arguments};
    cudaError_t code =
        cudaLaunchKernel(session->row->function, dim3(session->work.blocks),
                         dim3(session->work.threads), parameters, 0, session->stream);
    SESSION_TRY(code, "launch of %s, %u blocks of %u threads", session->kernel_name,
                session->work.blocks, session->work.threads);
    return spin(session, error);
}

static enum ert_status mode_run(struct ert_session *session, uint64_t passes,
                                struct ert_error *error)
{
    float time_ms = 0;
    session->arguments.passes = (uint32_t)passes;
    ERT_TRY(spin(session, error));
    SESSION_TRY(cudaEventRecord(session->begin, session->stream),
                "cudaEventRecord before a launch");
    ERT_TRY(launch(session, error));
    SESSION_TRY(cudaEventRecord(session->end, session->stream),
                "cudaEventRecord after a launch");
    SESSION_TRY(cudaEventSynchronize(session->end), "cudaEventSynchronize");
    SESSION_TRY(cudaEventElapsedTime(&time_ms, session->begin, session->end),
                "cudaEventElapsedTime");
    session->own_time_s = time_ms * 1e-3;
    return ERT_OK;
}

static enum ert_status mode_verify(struct ert_session *session, struct ert_error *error)
{
    struct ert_cuda_finding finding;
    const uint64_t bits = mode_bits_of(session);
    ERT_TRY(ert_cuda_reset_finding(session, error));
    if (ert_kernel_element_bytes(session->row->kernel) == 8)
        mode_compare<<<ERT_CUDA_CHECK_GRID(session)>>>(
            (const uint64_t *)session->target, session->n_elements, bits, session->finding);
    else
        mode_compare<<<ERT_CUDA_CHECK_GRID(session)>>>((const uint32_t *)session->target,
                                                       session->n_elements, (uint32_t)bits,
                                                       session->finding);
    ERT_TRY(ert_cuda_read_finding(session, &finding, error));
    if (finding.count == 0)
        return ERT_OK;
    return ert_fail(error, ERT_FAILED,
                    "%s: %s, %u flops per element: after %llu passes %llu of %llu elements "
                    "are not %d, the first is w[%llu]",
                    session->label, session->kernel_name, session->row->flops,
                    (unsigned long long)session->passes_done, finding.count,
                    (unsigned long long)session->n_elements, ERT110_VALUE, finding.first);
}

static void mode_describe(const struct ert_cuda_row *row, struct ert_code *code)
{
    code->vector_bytes = (uint32_t)ert_kernel_element_bytes(row->kernel);
    code->flops = row->flops;
    code->passes = 1;
}

static const struct ert_cuda_kind kind = {
    .size = mode_size,
    .verify = mode_verify,
    .run = mode_run,
    .describe = mode_describe,
    .has_own_target = true,
    .has_own_split = true,
    .times_itself = true,
};

/* threads: of the variant in listings; the spec sets the real launch shape. */
#define ROW(kernel, F, ...)                                                                \
    {ERT_KERNEL_##kernel,      ERT_PATH_CACHED, F, "ERT's", &kind, 256, 0, 1, 0, 0,        \
     (const void *)__VA_ARGS__},
#define ROW_FP64(F) ROW(ert_fp64, F, ert110<fp64, F>)
#define ROW_FP32(F) ROW(ert_fp32, F, ert110<fp32, F>)
#define ROW_FP16(F) ROW(ert_fp16, F, ert110<fp16, F>)
ERT_CUDA_KERNEL(ert_fp64, ERT_MIXED_FLOPS(ROW_FP64))
ERT_CUDA_KERNEL(ert_fp32, ERT_MIXED_FLOPS(ROW_FP32))
/* ERT's FP16 kernel does nothing for 1 flop: there is no such row. */
ERT_CUDA_KERNEL(ert_fp16,
                ROW_FP16(2) ROW_FP16(4) ROW_FP16(8) ROW_FP16(16) ROW_FP16(32) ROW_FP16(64)
                    ROW_FP16(128) ROW_FP16(256) ROW_FP16(512) ROW_FP16(1024))
