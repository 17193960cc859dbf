/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Memory kernels: flat blocks for L2 and device memory, resident blocks over slices for L1 and shared memory,
 * resident warps for specs with a concurrency; and how all are sized and checked. Per element of 8 bytes:
 *   load   sum += bits(r[i])    8 B, 0 flops   copy  w[i] = r[i]             16 B, 0 flops
 *   store  w[i] = a             8 B, 0 flops   triad w[i] = r1[i] + a*r2[i]  24 B, 2 flops
 *   update w[i] = b - a*w[i]   16 B, 2 flops   add   w[i] = r1[i] + r2[i]    24 B, 1 flop
 * What they leave is checked by ert/core/kernels/results.h, which a kernel that reads w must keep exact.
 */
#include "ert/core/kernels/results.h"
#include "ert/ext/cuda/kernel.cuh"
#include "ert/ext/cuda/session.h"

#include <numeric>
#include <string.h>

/* The arithmetic of one element, and the number of source arrays. */
#define OPERATION(name, n_sources, ...)                                                    \
    struct name {                                                                          \
        static constexpr int sources = n_sources;                                          \
        static __device__ double apply(const struct ert_cuda_arguments &k, double r1,      \
                                       double r2)                                          \
        {                                                                                  \
            (void)k, (void)r1, (void)r2;                                                   \
            return __VA_ARGS__;                                                            \
        }                                                                                  \
    };
OPERATION(copy, 1, r1)
OPERATION(triad, 2, fma(k.a, r2, r1))
OPERATION(add, 2, __dadd_rn(r1, r2))
OPERATION(store, 0, k.a)
OPERATION(update, 1, fma(-k.a, r1, k.b)) /* r1 is w: a kernel without other sources */

/*
 * Flat blocks for L2 and device memory, bypassing L1. Every thread moves V vectors of 16 bytes per array and
 * ends. The grid is (chunks, passes), so that one launch has many passes over a small set, and a large set
 * needs no loop: on the H200 a grid-stride loop of 2048 threads per SM copied 3978 GB/s, one vector per
 * thread 4282 (a loop keeps a thread's loads and stores in step).
 *
 * Loads are ld.global.cg (L2 only): ordinary loads would hit L1, 33 MB in a GPU of 132 SMs. If a set is
 * smaller than the data that all resident blocks hold at once (34 MB at V = 8 and 132 SMs), blocks of several
 * passes load the same lines, and on the H200 some of their requests are merged before L2: at 2 MiB its
 * counters saw 83 % of the loaded bytes, at 32 MiB all. So small sets can have rates above that of L2.
 *
 * Bound: L2 bandwidth for sets within L2, else device memory.
 */

/*
 * Ordinary stores, or evict-first ones (.cs). The latter leave L2 before lines that will be loaded again,
 * which keeps rates flat up to half of L2 (copy of 32 MiB: 8740 instead of 8420 GB/s).
 */
struct usual {
    static __device__ void put(double2 *to, double2 value)
    {
        *to = value;
    }
};
struct evict_first {
    static __device__ void put(double2 *to, double2 value)
    {
        store_evict_first(to, value);
    }
};

/* The first of the thread's V vectors, which are T apart. T: threads per block. */
template <int T, int V> static __device__ __forceinline__ size_t first_vector(void)
{
    return (size_t)blockIdx.x * (T * V) + threadIdx.x;
}

template <int T, int V>
static __global__ void __launch_bounds__(T) load_flat(struct ert_cuda_arguments arguments)
{
    const uint4 *from = (const uint4 *)arguments.r1 + first_vector<T, V>();
    uint4 vectors[V];
    unsigned int sum = 0;
#pragma unroll
    for (int v = 0; v < V; v++)
        vectors[v] = load_l2(from + v * T);
#pragma unroll
    for (int v = 0; v < V; v++)
        sum += add_words(vectors[v]);
    add_sum(arguments, sum);
    mark_clock(arguments);
}

template <class Op, int T, int V, class Store>
static __global__ void __launch_bounds__(T) stream_flat(struct ert_cuda_arguments arguments)
{
    size_t first = first_vector<T, V>();
    double2 r1[V], r2[V];
#pragma unroll
    for (int v = 0; v < V; v++) {
        if (Op::sources > 0)
            r1[v] = load_l2((const double2 *)arguments.r1 + first + v * T);
        if (Op::sources > 1)
            r2[v] = load_l2((const double2 *)arguments.r2 + first + v * T);
    }
#pragma unroll
    for (int v = 0; v < V; v++) {
        double2 result = make_double2(Op::apply(arguments, r1[v].x, r2[v].x),
                                      Op::apply(arguments, r1[v].y, r2[v].y));
        Store::put((double2 *)arguments.w + first + v * T, result);
    }
    mark_clock(arguments);
}

/*
 * Resident blocks: each sweeps its own slice of an array repeatedly. For L1 and shared memory, where the set
 * must stay on its SM, and for updates of L2 sets, where passes must not overtake each other and one launch
 * per pass would take longer than the accesses.
 *
 * Slices are multiples of what one step of a block accesses, so that every step is complete. Offsets change
 * with every step and wrap at the slice's end by a run-time comparison: a kernel with constant addresses
 * "measured" 256 TB/s of shared memory, because the compiler moved the loads out of the loop. Wrapping,
 * instead of a loop per pass, keeps loads in flight from one pass to the next.
 *
 * Bound: one 16-byte load of a warp (512 B) takes 4 clocks at an SM's 128 B per clock of L1 or shared memory,
 * which leaves 16 issue slots for the load and its arithmetic.
 */

/*
 * The sum of n_vectors vectors, `passes` times. T: threads; U: loads of each in flight; R: unrolling of the
 * loop. slice: in global memory with ordinary loads, which may hit L1, or in shared memory. The shape
 * matters: at full occupancy L1 gave 94 % of 128 B per clock on the H200, with these shapes 99 %.
 */
template <int T, int U, int R>
static __device__ __forceinline__ unsigned int
sum_slice(const uint4 *slice, unsigned int n_vectors, unsigned int passes)
{
    unsigned int first = threadIdx.x, sum = 0;
#pragma unroll R
    for (unsigned int n = passes * (n_vectors / (T * U)); n > 0; n--) {
        uint4 vectors[U];
#pragma unroll
        for (int u = 0; u < U; u++)
            vectors[u] = (slice + first)[u * T];
#pragma unroll
        for (int u = 0; u < U; u++)
            sum += add_words(vectors[u]);
        first += T * U;
        first = first >= n_vectors ? first - n_vectors : first;
    }
    return sum;
}

/* L1: sum += bits(r[i]), 8 B per element. */
template <int T, int U, int R>
static __global__ void __launch_bounds__(T, 1) load_l1(struct ert_cuda_arguments arguments)
{
    const uint4 *slice = (const uint4 *)arguments.r1 + blockIdx.x * arguments.slice_vectors;
    mark_clock(arguments);
    add_sum(arguments,
            sum_slice<T, U, R>(slice, arguments.slice_vectors, arguments.passes));
    mark_clock(arguments);
}

/* Shared memory, first filled from r: sum += bits(s[i]), 8 B per element. */
template <int T, int U, int R>
static __global__ void __launch_bounds__(T) load_shared(struct ert_cuda_arguments arguments)
{
    extern __shared__ uint4 shared[];
    const uint4 *source =
        (const uint4 *)arguments.r1 + blockIdx.x * arguments.slice_vectors;
    for (unsigned int i = threadIdx.x; i < arguments.slice_vectors; i += T)
        shared[i] = source[i];
    __syncthreads();
    mark_clock(arguments);
    add_sum(arguments,
            sum_slice<T, U, R>(shared, arguments.slice_vectors, arguments.passes));
    mark_clock(arguments);
}

/*
 * Shared memory: s[i] = a, 8 B per element. The block fills s with ones before the passes and sums it up
 * after them, since only the block can read it. asm volatile, so that no store is left out or merged. The
 * other loops are not unrolled: the timed one must be the kernel's longest.
 */
template <int T>
static __global__ void __launch_bounds__(T)
    store_shared(struct ert_cuda_arguments arguments)
{
    extern __shared__ uint4 shared[];
    const unsigned int base = (unsigned int)__cvta_generic_to_shared(shared);
    const unsigned int n_vectors = arguments.slice_vectors;
    const double value = arguments.a;
    unsigned int first = threadIdx.x, sum = 0;
#pragma unroll 1
    for (unsigned int i = threadIdx.x; i < n_vectors; i += T)
        shared[i] = make_uint4(~0u, ~0u, ~0u, ~0u);
    __syncthreads();
    mark_clock(arguments);
#pragma unroll 4
    for (unsigned int n = arguments.passes * (n_vectors / T); n > 0; n--) {
        asm volatile(
            "st.shared.v2.f64 [%0], {%1, %1};" ::"r"(base + first * ERT_CUDA_VECTOR_BYTES),
            "d"(value)
            : "memory");
        first += T;
        first = first >= n_vectors ? first - n_vectors : first;
    }
    mark_clock(arguments);
#pragma unroll 1
    for (unsigned int i = threadIdx.x; i < n_vectors; i += T)
        sum += add_words(shared[i]);
    add_sum(arguments, sum);
}

/*
 * L2: w[i] = b - a*w[i] in place, bypassing L1, 16 B and 2 flops per element. Each thread always handles the
 * same elements, so that program order alone separates the passes.
 */
template <int T, int U>
static __global__ void __launch_bounds__(T)
    update_slices(struct ert_cuda_arguments arguments)
{
    const unsigned int n_vectors = arguments.slice_vectors;
    double2 *slice = (double2 *)arguments.w + (size_t)blockIdx.x * n_vectors;
    mark_clock(arguments);
    for (unsigned int pass = 0; pass < arguments.passes; pass++) {
        for (unsigned int i = threadIdx.x; i < n_vectors; i += T * U) {
            double2 w[U];
#pragma unroll
            for (int u = 0; u < U; u++)
                w[u] = load_l2(slice + i + u * T);
#pragma unroll
            for (int u = 0; u < U; u++)
                slice[i + u * T] = make_double2(fma(-arguments.a, w[u].x, arguments.b),
                                                fma(-arguments.a, w[u].y, arguments.b));
        }
    }
    mark_clock(arguments);
}

/*
 * Resident warps: as many warps per SM as the spec requests (ert_spec.concurrency), each thread with
 * 2^variant 16-byte vectors of each array at once. They show the bandwidth of a level as a function of
 * parallelism, which is bound by bytes in flight over latency (Little's law) while there are few, then by the
 * level's bandwidth.
 *
 * One block per SM, or two above 32 warps, sweeps its slice of the arrays in a loop. The short-lived blocks
 * of the stream kernels would not keep a given number of warps in flight. The loop is not unrolled, and
 * instructions issue in order, so a step's loads wait until the previous step's values are used. The bound of
 * 1024 threads leaves 64 registers; with its own choice of 32, the compiler used the first of eight vectors
 * before it loaded the last. Eight vectors in 64 warps are more than the registers of an SM can hold: such a
 * spec is not available.
 */

/*
 * L1: slices are rings, with a power of two as their size. If a slice is smaller than what the threads of a
 * large spec access in one step, they go around it within the step.
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

/* L2 and device memory: slices of whole steps, bypassing L1. */
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

/* How specs are sized and checked. */

/* Arrays that are only read; the target is not. */
static uint32_t sources_of(const struct ert_cuda_row *row)
{
    return ert_kernel_arrays(row->kernel) - ert_kernel_row(row->kernel)->stores;
}

static enum ert_status check_capacity(const struct ert_session *session, uint64_t set_bytes,
                                      uint64_t slice_bytes, struct ert_error *error)
{
    const struct ert_cuda_row *row = session->row;
    const struct ert_kernel *kernel = ert_kernel_row(row->kernel);
    uint32_t n_sources = sources_of(row);
    uint32_t n_most = n_sources > kernel->stores ? n_sources : kernel->stores;
    ERT_TRY(ert_cuda_check_region(
        session, set_bytes / ert_kernel_arrays(row->kernel) * n_most, error));
    /* Kernels of resident blocks keep offsets within a slice, plus a step, in 32 bits. */
    if (row->blocks_per_sm && slice_bytes > UINT32_MAX / 2)
        return ert_fail(error, ERT_FAILED,
                        "%s: %s, set of %llu bytes: slices of %llu bytes, at most %u",
                        session->label, kernel->name, (unsigned long long)set_bytes,
                        (unsigned long long)slice_bytes, UINT32_MAX / 2);
    if (row->path == ERT_PATH_SHARED && slice_bytes > session->shared_per_block_bytes)
        return ert_fail(
            error, ERT_FAILED,
            "%s: %s, set of %llu bytes: needs %llu bytes of shared memory per block, "
            "%llu are available",
            session->label, kernel->name, (unsigned long long)set_bytes,
            (unsigned long long)slice_bytes,
            (unsigned long long)session->shared_per_block_bytes);
    return ERT_OK;
}

/* The source region holds the arrays in succession; results go to the target region. */
static void set_arguments(struct ert_session *session)
{
    const struct ert_cuda_row *row = session->row;
    struct ert_cuda_arguments *arguments = &session->arguments;
    arguments->r1 = sources_of(row) ? session->sources : session->target;
    arguments->r2 = session->sources + session->n_elements;
    arguments->w = session->target;
    arguments->a = ERT_READS_TARGET(ert_kernel_row(row->kernel)->result) ? ERT_TARGET_A
                                                                         : ert_cuda_scalar;
    arguments->b = ERT_TARGET_B;
}

/* Sets the actual set: the requested one, rounded down to whole steps of all blocks, but at least one. */
static enum ert_status memory_size(struct ert_session *session, const struct ert_spec *spec,
                                   struct ert_error *error)
{
    const struct ert_cuda_row *row = session->row;
    const uint32_t arrays = ert_kernel_arrays(row->kernel);
    const uint64_t resident = (uint64_t)row->blocks_per_sm * session->n_sms;
    const uint64_t block_bytes =
        (uint64_t)row->threads * row->vectors * ERT_CUDA_VECTOR_BYTES;
    const uint64_t sweep_bytes = (resident ? resident : 1) * block_bytes * arrays;
    const uint64_t n_sweeps = spec->requested_bytes / sweep_bytes;
    const uint64_t set_bytes = (n_sweeps ? n_sweeps : 1) * sweep_bytes;
    const uint64_t array_bytes = set_bytes / arrays;
    const uint64_t blocks = resident ? resident : array_bytes / block_bytes;
    const uint32_t flops = row->flops ? row->flops : ert_kernel_row(row->kernel)->flops;
    ERT_TRY(check_capacity(session, set_bytes, array_bytes / blocks, error));
    session->n_elements = array_bytes / sizeof(double);
    session->work.actual_bytes = set_bytes;
    session->work.bytes_per_pass =
        (double)session->n_elements * ert_kernel_bytes_per_element(row->kernel);
    session->work.flops_per_pass = (double)session->n_elements * flops;
    session->work.blocks = (uint32_t)blocks;
    session->work.threads = row->threads;
    set_arguments(session);
    if (resident) {
        session->arguments.slice_vectors = array_bytes / ERT_CUDA_VECTOR_BYTES / blocks;
        session->pass_steps = session->arguments.slice_vectors / row->threads;
    }
    if (row->path == ERT_PATH_SHARED)
        session->shared_bytes = array_bytes / blocks;
    return ERT_OK;
}

enum { WARP = 32, MAX_BLOCK_WARPS = 32 };

/* Sets the blocks for the concurrency's warps; an SM must hold them all at once. */
static enum ert_status shape_blocks(struct ert_session *session, uint32_t warps,
                                    struct ert_error *error)
{
    const struct ert_cuda_row *row = session->row;
    const uint32_t blocks = warps > MAX_BLOCK_WARPS ? 2 : 1;
    int most = 0;
    session->work.threads = warps / blocks * WARP;
    session->work.blocks = session->n_sms * blocks;
    if (warps % blocks == 0 && warps / blocks <= MAX_BLOCK_WARPS)
        SESSION_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                        &most, row->function, (int)session->work.threads, 0),
                    "cudaOccupancyMaxActiveBlocksPerMultiprocessor of %s (%s)",
                    session->kernel_name, row->name);
    if (most >= (int)blocks)
        return ERT_OK;
    return ert_fail(
        error, ERT_UNAVAILABLE,
        "%s: %s (%s): an SM cannot hold %u warps in one block, or in two of the "
        "same size",
        session->label, session->kernel_name, row->name, warps);
}

/* The requested slice, rounded down: for rings to a power of two, else to whole steps. */
static uint64_t round_slice(const struct ert_cuda_row *row, uint64_t step_vectors,
                            uint64_t asked_vectors)
{
    if (row->path != ERT_PATH_CACHED)
        return (asked_vectors > step_vectors ? asked_vectors / step_vectors : 1) *
               step_vectors;
    uint64_t ring = 1;
    while (2 * ring <= asked_vectors)
        ring *= 2;
    return ring;
}

static enum ert_status size_warps(struct ert_session *session, const struct ert_spec *spec,
                                  struct ert_error *error)
{
    const struct ert_cuda_row *row = session->row;
    const struct ert_kernel *kernel = ert_kernel_row(row->kernel);
    struct ert_cuda_arguments *arguments = &session->arguments;
    struct ert_work *work = &session->work;
    ERT_TRY(shape_blocks(session, spec->concurrency, error));
    const uint32_t arrays = ert_kernel_arrays(row->kernel);
    const uint64_t step_vectors = (uint64_t)work->threads * row->vectors;
    const uint64_t asked = spec->requested_bytes / arrays / work->blocks;
    arguments->slice_vectors =
        round_slice(row, step_vectors, asked / ERT_CUDA_VECTOR_BYTES);
    /* They sweep a slice a whole number of times: once if it is a multiple of the step. */
    arguments->steps = (uint32_t)(arguments->slice_vectors /
                                  std::gcd(arguments->slice_vectors, step_vectors));
    session->pass_steps = arguments->steps;
    const uint64_t array_bytes =
        work->blocks * arguments->slice_vectors * ERT_CUDA_VECTOR_BYTES;
    ERT_TRY(ert_cuda_check_region(session, array_bytes * kernel->loads, error));
    session->n_elements = array_bytes / sizeof(double);
    const double moved = (double)work->blocks * arguments->steps * step_vectors *
                         ERT_CUDA_VECTOR_BYTES / sizeof(double);
    work->actual_bytes = array_bytes * arrays;
    work->bytes_per_pass = moved * ert_kernel_bytes_per_element(row->kernel);
    work->flops_per_pass = moved * kernel->flops;
    set_arguments(session);
    return ERT_OK;
}

/* The sum modulo 2^32 of the 32-bit words of the first n elements of the source region. */
static __global__ void sum_expected(uint64_t n, uint64_t seed,
                                    struct ert_cuda_finding *finding)
{
    uint64_t stride = (uint64_t)gridDim.x * blockDim.x;
    unsigned int sum = 0;
    for (uint64_t i = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        double value = ert_element_start(seed, i);
        sum += (unsigned int)__double2loint(value) + (unsigned int)__double2hiint(value);
    }
    atomicAdd(&finding->sum, sum);
}

/* Checks the stored elements, or the sum of the loaded bits, `times` times the set in each pass. */
static enum ert_status verify_times(struct ert_session *session, uint64_t times,
                                    struct ert_error *error)
{
    if (ert_kernel_row(session->row->kernel)->stores > 0)
        return ert_cuda_verify_target(session, false, error);
    ERT_TRY(ert_cuda_reset_finding(session, error));
    sum_expected<<<ERT_CUDA_CHECK_GRID(session)>>>(session->n_elements,
                                                   session->options.seed, session->finding);
    return ert_cuda_verify_sums(session, (uint32_t)(times * session->passes_done), error);
}

static enum ert_status memory_verify(struct ert_session *session, struct ert_error *error)
{
    return verify_times(session, 1, error);
}

static enum ert_status verify_warps(struct ert_session *session, struct ert_error *error)
{
    const struct ert_cuda_arguments *arguments = &session->arguments;
    return verify_times(session,
                        (uint64_t)arguments->steps * session->work.threads *
                            session->row->vectors / arguments->slice_vectors,
                        error);
}

/* Stores to shared memory: each launch adds the sum of the stored elements once, after its passes. */
static enum ert_status verify_shared(struct ert_session *session, struct ert_error *error)
{
    if (ert_kernel_row(session->row->kernel)->stores == 0)
        return memory_verify(session, error);
    uint32_t words[2];
    memcpy(words, &session->arguments.a, sizeof words);
    return ert_cuda_compare_sums(session,
                                 (words[0] + words[1]) * (uint32_t)session->n_elements *
                                     (uint32_t)session->launches_done,
                                 error);
}

static void describe_in_place(const struct ert_cuda_row *, struct ert_code *code)
{
    code->is_flat = code->is_launched_per_pass = true;
}

/* One short-lived block per chunk of each pass: grid (chunks, passes), no loop. */
static const struct ert_cuda_kind flat = {
    .size = memory_size,
    .verify = memory_verify,
    .max_passes = ERT_CUDA_MAX_GRID_Y,
    .passes_in_grid = true,
};

/* As flat, but a pass must end before the next one begins: one launch each. */
static const struct ert_cuda_kind in_place = {
    .size = memory_size,
    .verify = memory_verify,
    .max_passes = 1,
    .describe = describe_in_place,
};

/* Resident blocks, each of which sweeps its own slice repeatedly; and the same in shared memory. */
static const struct ert_cuda_kind slices = {
    .size = memory_size,
    .verify = memory_verify,
};
static const struct ert_cuda_kind shared_slices = {
    .size = memory_size,
    .verify = verify_shared,
    .has_own_target = true,
};

/* Resident blocks of as many warps as the spec requests. */
static const struct ert_cuda_kind warps = {
    .size = size_warps,
    .verify = verify_warps,
};

/* Flat rows: threads per block x vectors per thread; the shapes that were best for L2 and for memory. */
#define ROW(kernel, path, F, name, kind, T, blocks, V, ...)                                \
    {                                                                                      \
        ERT_KERNEL_##kernel, ERT_PATH_##path, F, name, &kind, T, blocks, V, 0, 0,          \
            (const void *)__VA_ARGS__                                                      \
    }
#define LOAD(name, T, V) ROW(load, BYPASS_L1, 0, name, flat, T, 0, V, load_flat<T, V>)
#define STREAM(op, name, kind, T, V, Store)                                                \
    ROW(op, BYPASS_L1, 0, name, kind, T, 0, V, stream_flat<op, T, V, Store>)
#define SLICES(kernel, path, name, kind, T, U, ...)                                        \
    ROW(kernel, path, 0, name, kind, T, 1, U, __VA_ARGS__)
/* The spec sets threads and blocks. The variant-th row of a kernel moves 2^variant vectors. */
#define WARPS(kernel, path, U, ...)                                                        \
    {                                                                                      \
        ERT_KERNEL_##kernel, ERT_PATH_##path, 0, #U " vectors", &warps, 32, 1, U, 0, 0,    \
            (const void *)__VA_ARGS__, 0, true                                             \
    }
/* One vector per thread is best where memory is the bound, two where the FP64 lanes are. */

// clang-format off
ERT_CUDA_KERNEL(load,
    LOAD("256x4", 256, 4), LOAD("128x8", 128, 8), LOAD("128x16", 128, 16),
    SLICES(load, CACHED, "1x256x8", slices, 256, 8, load_l1<256, 8, 2>),
    SLICES(load, CACHED, "1x512x8", slices, 512, 8, load_l1<512, 8, 2>),
    SLICES(load, SHARED, "1x512x4", shared_slices, 512, 4, load_shared<512, 4, 1>),
    SLICES(load, SHARED, "1x1024x4", shared_slices, 1024, 4, load_shared<1024, 4, 4>),
    WARPS(load, CACHED, 1, load_ring<1>), WARPS(load, CACHED, 2, load_ring<2>),
    WARPS(load, CACHED, 4, load_ring<4>), WARPS(load, CACHED, 8, load_ring<8>),
    WARPS(load, BYPASS_L1, 1, load_resident<1>), WARPS(load, BYPASS_L1, 2, load_resident<2>),
    WARPS(load, BYPASS_L1, 4, load_resident<4>), WARPS(load, BYPASS_L1, 8, load_resident<8>))
ERT_CUDA_KERNEL(store,
    STREAM(store, "256x1", flat, 256, 1, usual), STREAM(store, "1024x4", flat, 1024, 4, usual),
    SLICES(store, SHARED, "1x512", shared_slices, 512, 1, store_shared<512>))
ERT_CUDA_KERNEL(copy,
    STREAM(copy, "256x1 st.cs", flat, 256, 1, evict_first),
    STREAM(copy, "128x1 st.cs", flat, 128, 1, evict_first),
    STREAM(copy, "1024x4 st.cs", flat, 1024, 4, evict_first),
    WARPS(copy, BYPASS_L1, 1, stream_resident<copy, 1>),
    WARPS(copy, BYPASS_L1, 2, stream_resident<copy, 2>),
    WARPS(copy, BYPASS_L1, 4, stream_resident<copy, 4>),
    WARPS(copy, BYPASS_L1, 8, stream_resident<copy, 8>))
/* No row of 8: eight vectors of each of two arrays and their results need more than 64 registers. */
ERT_CUDA_KERNEL(triad,
    STREAM(triad, "256x1 st.cs", flat, 256, 1, evict_first),
    STREAM(triad, "1024x1 st.cs", flat, 1024, 1, evict_first),
    WARPS(triad, BYPASS_L1, 1, stream_resident<triad, 1>),
    WARPS(triad, BYPASS_L1, 2, stream_resident<triad, 2>),
    WARPS(triad, BYPASS_L1, 4, stream_resident<triad, 4>))
ERT_CUDA_KERNEL(add,
    STREAM(add, "256x1 st.cs", flat, 256, 1, evict_first),
    STREAM(add, "1024x1 st.cs", flat, 1024, 1, evict_first))
ERT_CUDA_KERNEL(update,
    STREAM(update, "256x1", in_place, 256, 1, usual),
    SLICES(update, BYPASS_L1, "slices 1x512x4", slices, 512, 4, update_slices<512, 4>))
// clang-format on
