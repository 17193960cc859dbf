/*
 * Memory kernels of resident blocks: each sweeps its own slice of an array again and again.
 * For L1 and shared memory, where the set must stay on its SM, and for updates of L2 sets,
 * where passes must not overtake each other and one launch per pass would cost more than
 * the accesses.
 *
 * Slices are multiples of what one step of a block touches, so that every step is full.
 * Offsets move with every step and wrap at the slice's end by a run-time compare: a kernel
 * with constant addresses "measured" 256 TB/s of shared memory, because the compiler took
 * the loads out of the loop. A wrap, instead of a loop per pass, keeps loads in flight from
 * one pass to the next.
 *
 * Bound: one 16-byte load of a warp (512 B) takes 4 clocks of an SM's 128 B per clock of L1
 * or shared memory, which leaves 16 issue slots for it and its arithmetic.
 */
#include "ert/backend/cuda/device.cuh"

/*
 * The sum of n_vectors vectors, passes times: T threads, U loads of each in flight, the
 * loop unrolled R times. slice: in global memory by ordinary loads, which L1 may serve, or
 * in shared memory. Shapes decide here: at full occupancy L1 gave 94 % of 128 B per clock
 * on the H200, with these 99 %.
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

/* Shared memory, filled from r first: sum += bits(s[i]), 8 B per element. */
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
 * Shared memory: s[i] = a, 8 B per element. Poisoned before, and summed after the passes,
 * since nothing outside the block can look at it. asm volatile: every store is done, none
 * merged. The other loops are not unrolled: the timed one is the kernel's longest.
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
 * L2: w[i] = b - a*w[i] in place, past L1, 16 B and 2 flop per element. Each thread comes
 * back to its own elements, so that program order alone keeps the passes apart.
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

#define SLICES(kernel, path, name, walk, T, U, ...)                                        \
    {                                                                                      \
        ERT_KERNEL_##kernel, ERT_PATH_##path, 0, name, walk, T, 1, U, 0, 0,                \
            (const void *)__VA_ARGS__                                                      \
    }

/* Blocks per SM x threads per block x vectors per thread and step. */
static const struct ert_cuda_row rows[] = {
    SLICES(load, CACHED, "1x256x8", ERT_CUDA_SLICES, 256, 8, load_l1<256, 8, 2>),
    SLICES(load, CACHED, "1x512x8", ERT_CUDA_SLICES, 512, 8, load_l1<512, 8, 2>),
    SLICES(load, SHARED, "1x512x4", ERT_CUDA_SHARED, 512, 4, load_shared<512, 4, 1>),
    SLICES(load, SHARED, "1x1024x4", ERT_CUDA_SHARED, 1024, 4, load_shared<1024, 4, 4>),
    SLICES(store, SHARED, "1x512", ERT_CUDA_SHARED, 512, 1, store_shared<512>),
    SLICES(update, BYPASS_L1, "slices 1x512x4", ERT_CUDA_SLICES, 512, 4,
           update_slices<512, 4>),
};

const struct ert_cuda_rows ert_cuda_slice_rows = {rows, sizeof rows / sizeof rows[0]};
