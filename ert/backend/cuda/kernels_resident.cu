/*
 * Memory kernels of as many warps per SM as a case asks for (ert_case.concurrency), each thread
 * with so many 16-byte vectors of each array at once (2 to the power of its variant): how much of a level's
 * bandwidth how much parallelism buys. Bytes in flight over latency is the bound of the few
 * (Little's law), the level's bandwidth that of the many. Per element of 8 bytes:
 *   load  sum += bits(r[i])  8 B, 0 flop    copy  w[i] = r[i]            16 B, 0 flop
 *                                           triad w[i] = r1[i] + a*r2[i] 24 B, 2 flop
 *
 * One block per SM, or two above 32 warps, sweeps its slice of the arrays. A loop, not the short
 * blocks of the stream kernels: those keep the number of warps in flight to themselves. It is not
 * unrolled, and instructions issue in order: a step's loads wait for the last one's use. The bounds
 * of 1024 threads leave 64 registers: with the compiler's own choice of 32 it used the first of
 * eight vectors before it loaded the last. Eight of them in 64 warps are more than the
 * registers of an SM can hold: such a case is not available.
 */
#include "ert/backend/cuda/device.cuh"
#include "ert/backend/cuda/session.h"

/*
 * L1: slices of a power of two are rings: the many threads of large cases go round them in one
 * step, where the slice is less than what they touch.
 */
template <int U>
static __global__ void __launch_bounds__(1024, 1)
    load_ring(struct ert_cuda_arguments arguments)
{
    const char *slice =
        (const char *)((const uint4 *)arguments.r1 + blockIdx.x * arguments.slice_vectors);
    const unsigned int mask = arguments.slice_vectors * ERT_CUDA_VECTOR_BYTES - 1;
    const unsigned int step_bytes = blockDim.x * ERT_CUDA_VECTOR_BYTES;
    unsigned int at = threadIdx.x * ERT_CUDA_VECTOR_BYTES, sum = 0;
    mark_clock(arguments);
#pragma unroll 1
    for (unsigned int n = arguments.passes * arguments.steps; n > 0; n--) {
        uint4 vectors[U];
#pragma unroll
        for (int u = 0; u < U; u++)
            vectors[u] = *(const uint4 *)(slice + ((at + u * step_bytes) & mask));
#pragma unroll
        for (int u = 0; u < U; u++)
            sum += add_words(vectors[u]);
        at += U * step_bytes;
    }
    add_sum(arguments, sum);
    mark_clock(arguments);
}

/* L2 and device memory: slices of whole steps, past L1. */
template <int U>
static __global__ void __launch_bounds__(1024, 1)
    load_resident(struct ert_cuda_arguments arguments)
{
    const uint4 *slice = (const uint4 *)arguments.r1 + blockIdx.x * arguments.slice_vectors;
    const unsigned int n_vectors = arguments.slice_vectors, n_threads = blockDim.x;
    unsigned int first = threadIdx.x, sum = 0;
    mark_clock(arguments);
#pragma unroll 1
    for (unsigned int n = arguments.passes * arguments.steps; n > 0; n--) {
        uint4 vectors[U];
#pragma unroll
        for (int u = 0; u < U; u++)
            vectors[u] = load_l2(slice + first + u * n_threads);
#pragma unroll
        for (int u = 0; u < U; u++)
            sum += add_words(vectors[u]);
        first += U * n_threads;
        first = first >= n_vectors ? first - n_vectors : first;
    }
    add_sum(arguments, sum);
    mark_clock(arguments);
}

struct copy {
    static constexpr int sources = 1;
    static __device__ double apply(const struct ert_cuda_arguments &, double r1, double)
    {
        return r1;
    }
};
struct triad {
    static constexpr int sources = 2;
    static __device__ double apply(const struct ert_cuda_arguments &k, double r1, double r2)
    {
        return fma(k.a, r2, r1);
    }
};

template <class Op, int U>
static __global__ void __launch_bounds__(1024, 1)
    stream_resident(struct ert_cuda_arguments arguments)
{
    const size_t begin = blockIdx.x * arguments.slice_vectors;
    const double2 *from1 = (const double2 *)arguments.r1 + begin;
    const double2 *from2 = (const double2 *)arguments.r2 + begin;
    double2 *to = (double2 *)arguments.w + begin;
    const unsigned int n_vectors = arguments.slice_vectors, n_threads = blockDim.x;
    unsigned int first = threadIdx.x;
    mark_clock(arguments);
#pragma unroll 1
    for (unsigned int n = arguments.passes * arguments.steps; n > 0; n--) {
        double2 r1[U], r2[U];
#pragma unroll
        for (int u = 0; u < U; u++) {
            r1[u] = load_l2(from1 + first + u * n_threads);
            if (Op::sources > 1)
                r2[u] = load_l2(from2 + first + u * n_threads);
        }
#pragma unroll
        for (int u = 0; u < U; u++)
            store_evict_first(to + first + u * n_threads,
                              make_double2(Op::apply(arguments, r1[u].x, r2[u].x),
                                           Op::apply(arguments, r1[u].y, r2[u].y)));
        first += U * n_threads;
        first = first >= n_vectors ? first - n_vectors : first;
    }
    mark_clock(arguments);
}

#define RESIDENT(kernel, path, U, ...)                                                     \
    {                                                                                      \
        ERT_KERNEL_##kernel, ERT_PATH_##path, 0, #U " vectors", ERT_CUDA_RESIDENT, 32, 1,  \
            U, 0, 0, (const void *)__VA_ARGS__                                             \
    }

/* Threads and blocks are the case's. Of each kernel the variant-th row moves 2^variant vectors. */
static const struct ert_cuda_row rows[] = {
    RESIDENT(load, CACHED, 1, load_ring<1>),
    RESIDENT(load, CACHED, 2, load_ring<2>),
    RESIDENT(load, CACHED, 4, load_ring<4>),
    RESIDENT(load, CACHED, 8, load_ring<8>),
    RESIDENT(load, BYPASS_L1, 1, load_resident<1>),
    RESIDENT(load, BYPASS_L1, 2, load_resident<2>),
    RESIDENT(load, BYPASS_L1, 4, load_resident<4>),
    RESIDENT(load, BYPASS_L1, 8, load_resident<8>),
    RESIDENT(copy, BYPASS_L1, 1, stream_resident<copy, 1>),
    RESIDENT(copy, BYPASS_L1, 2, stream_resident<copy, 2>),
    RESIDENT(copy, BYPASS_L1, 4, stream_resident<copy, 4>),
    RESIDENT(copy, BYPASS_L1, 8, stream_resident<copy, 8>),
    /* Of two arrays eight vectors each, with the sums of them, are more than 64 registers. */
    RESIDENT(triad, BYPASS_L1, 1, stream_resident<triad, 1>),
    RESIDENT(triad, BYPASS_L1, 2, stream_resident<triad, 2>),
    RESIDENT(triad, BYPASS_L1, 4, stream_resident<triad, 4>),
};

const struct ert_cuda_rows ert_cuda_resident_rows = {rows, sizeof rows / sizeof rows[0]};

enum { WARP = 32, MAX_BLOCK_WARPS = 32 };

/* Blocks of the concurrency's warps, which an SM must hold all at once. */
static enum ert_status shape_blocks(struct ert_session *session, uint32_t warps,
                                    struct ert_error *error)
{
    const struct ert_cuda_row *row = session->row;
    const uint32_t blocks = warps > MAX_BLOCK_WARPS ? 2 : 1;
    int most = 0;
    session->work.threads = warps / blocks * WARP;
    session->work.blocks = session->n_sms * blocks;
    if (warps % blocks == 0 && warps / blocks <= MAX_BLOCK_WARPS)
        SESSION_TRY(session, error,
                    cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                        &most, row->function, (int)session->work.threads, 0),
                    "cudaOccupancyMaxActiveBlocksPerMultiprocessor of %s (%s)",
                    ert_kernel_row(row->kernel)->name, row->name);
    if (most >= (int)blocks)
        return ERT_OK;
    return ert_fail(
        error, ERT_UNAVAILABLE,
        "%s: %s (%s): an SM cannot hold %u warps in one block, or in two of the "
        "same size",
        session->label, ert_kernel_row(row->kernel)->name, row->name, warps);
}

/* The wanted slice rounded down: to a power of two for rings, else to whole steps; one at least. */
static uint64_t round_slice(const struct ert_cuda_row *row, uint64_t step_vectors,
                            uint64_t wanted_vectors)
{
    if (row->path != ERT_PATH_CACHED)
        return (wanted_vectors > step_vectors ? wanted_vectors / step_vectors : 1) *
               step_vectors;
    uint64_t ring = 1;
    while (2 * ring <= wanted_vectors)
        ring *= 2;
    return ring;
}

/* Steps that sweep a slice a whole number of times: once where it is a multiple of the step. */
static uint64_t steps_of(uint64_t slice_vectors, uint64_t step_vectors)
{
    uint64_t a = slice_vectors, b = step_vectors;
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return slice_vectors / a;
}

static enum ert_status size(struct ert_session *session, const struct ert_case *case_,
                            struct ert_error *error)
{
    const struct ert_cuda_row *row = session->row;
    const struct ert_kernel *kernel = ert_kernel_row(row->kernel);
    struct ert_cuda_arguments *arguments = &session->arguments;
    struct ert_work *work = &session->work;
    ERT_TRY(shape_blocks(session, case_->concurrency, error));
    const uint32_t arrays = ert_kernel_arrays(row->kernel);
    const uint64_t step_vectors = (uint64_t)work->threads * row->vectors;
    const uint64_t wanted = case_->working_set_bytes / arrays / work->blocks;
    arguments->slice_vectors =
        round_slice(row, step_vectors, wanted / ERT_CUDA_VECTOR_BYTES);
    arguments->steps = (uint32_t)steps_of(arguments->slice_vectors, step_vectors);
    const uint64_t array_bytes =
        work->blocks * arguments->slice_vectors * ERT_CUDA_VECTOR_BYTES;
    ERT_TRY(ert_cuda_check_region(session, array_bytes * kernel->loads, error));
    session->n_elements = array_bytes / sizeof(double);
    const double moved = (double)work->blocks * arguments->steps * step_vectors *
                         ERT_CUDA_VECTOR_BYTES / sizeof(double);
    work->working_set_bytes = array_bytes * arrays;
    work->bytes_per_pass = moved * ert_kernel_bytes_per_element(row->kernel);
    work->flops_per_pass = moved * kernel->flops;
    arguments->r1 = session->sources;
    arguments->r2 = session->sources + session->n_elements;
    arguments->w = session->target;
    arguments->a = ert_cuda_scalar;
    return ERT_OK;
}

static uint64_t max_passes(const struct ert_session *session)
{
    return UINT32_MAX / session->arguments.steps;
}

static enum ert_status verify(struct ert_session *session, struct ert_error *error)
{
    if (ert_kernel_row(session->row->kernel)->stores > 0)
        return ert_cuda_verify_target(session, error);
    struct ert_cuda_finding finding;
    const struct ert_cuda_arguments *arguments = &session->arguments;
    const uint64_t times = (uint64_t)arguments->steps * session->work.threads *
                           session->row->vectors / arguments->slice_vectors;
    ERT_TRY(ert_cuda_reset_finding(session, error));
    ERT_TRY(ert_cuda_sum_source(session, session->n_elements, error));
    ERT_TRY(ert_cuda_read_finding(session, &finding, error));
    return ert_cuda_compare_sums(
        session, finding.sum * (uint32_t)(times * session->passes_done), error);
}

const struct ert_cuda_kind *ert_cuda_resident_kind(void)
{
    static const struct ert_cuda_kind kind = {size,  max_passes, false, NULL,
                                              false, false,      verify};
    return &kind;
}
