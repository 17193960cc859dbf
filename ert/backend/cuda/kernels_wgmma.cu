/*
 * The kernels of wgmma, compiled for sm_90a alone: the only way to the full rate of cc 9.0's tensor
 * cores. Persistent blocks, one per SM, of two warpgroups with a 64 x 256 tile of accumulators each;
 * one pass is S sweeps over the slices of k, 2*64*256*k flop per instruction. An instruction reads
 * 8 KiB of B in the 128 clocks that it takes, 64 of the 128 bytes per clock of shared memory. Bound:
 * the tensor cores' rate per clock, and then the power limit, which decides the clock.
 *
 * Tried on an H200, all within 0.4 % of each other per clock (99 % of the units' rate): A in shared
 * memory too, 1 and 3 warpgroups, 2 blocks per SM, 3 to 15 sweeps per pass, no group in flight
 * between two passes.
 */
#include "ert/backend/cuda/tensor.h"
#include "ert/backend/cuda/wgmma.cuh"

/* Warpgroups of a block, and sweeps of a pass: odd. */
enum { GROUPS = 2, SWEEPS = 7 };

/* Groups of instructions in flight beside the newest: the next pass is issued while one runs. */
enum { PENDING = 1 };

/* Index of the warpgroup's first accumulator on the device, and the warp's first row in its tile. */
static __device__ __forceinline__ unsigned int first_accumulator(void)
{
    return (blockIdx.x * blockDim.x + threadIdx.x) / 128 * (WGMMA_M * WGMMA_N);
}
static __device__ __forceinline__ int first_row(void)
{
    return threadIdx.x % 128 / 32 * 16;
}

/*
 * Copies n_rows rows of 128 bytes into shared memory, swizzled: the 16-byte piece p of row r lies at
 * piece p ^ (r % 8), so that eight rows of one column are in different banks.
 */
static __device__ __forceinline__ void load_swizzled(void *to, const void *from, int n_rows)
{
    for (int i = threadIdx.x; i < n_rows * 8; i += blockDim.x)
        ((uint4 *)to)[i / 8 * 8 + (i % 8 ^ (i / 8 % 8))] = ((const uint4 *)from)[i];
}

/* A of all slices, in registers: word l%4 + 4*(i/2) of row l/4 + 8*(i%2) of the warp's rows. */
template <int SLICES>
static __device__ __forceinline__ void load_fragments(uint32_t (&a)[SLICES][4],
                                                      const void *rows)
{
    const int lane = threadIdx.x % 32, row = first_row() + lane / 4;
#pragma unroll
    for (int k = 0; k < SLICES; k++)
#pragma unroll
        for (int i = 0; i < 4; i++)
            a[k][i] = ((const uint32_t *)
                           rows)[(row + 8 * (i % 2)) * 32 + 8 * k + lane % 4 + 4 * (i / 2)];
}

/* The block's shared memory from where its swizzle begins anew: a multiple of 1024 bytes. */
static __device__ __forceinline__ uint8_t *shared_room(void)
{
    extern __shared__ uint8_t room[];
    return room + (1024 - (uint32_t)__cvta_generic_to_shared(room) % 1024) % 1024;
}

/* What threads wrote to shared memory becomes visible to the asynchronous reads of wgmma. */
static __device__ __forceinline__ void publish_shared(void)
{
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
}

/* One pass: S sweeps (odd) of all slices, A and the other sign's in turn. */
template <class Op, int S>
static __device__ __forceinline__ void
run_pass(typename Op::acc (&d)[Op::N_ACC], const uint32_t (&a)[Op::SLICES][4],
         const uint32_t (&next_a)[Op::SLICES][4], uint64_t b)
{
    wgmma_fence();
#pragma unroll
    for (int s = 0; s < S; s++)
#pragma unroll
        for (int k = 0; k < Op::SLICES; k++)
            Op::step(d, (s % 2 ? next_a : a)[k], b + k * (WGMMA_SLICE_BYTES / 16));
    wgmma_commit();
    wgmma_wait<PENDING>();
}

/* Passes of both signs one after the other: registers cannot be swapped under instructions in flight. */
template <class Op, int S>
static __global__ void __launch_bounds__(GROUPS * 128)
    wgmma_kernel(struct ert_cuda_arguments arguments)
{
    uint8_t *shared = shared_room();
    const uint64_t b = wgmma_descriptor((uint32_t)__cvta_generic_to_shared(shared));
    const unsigned int passes = arguments.passes;
    uint32_t a[Op::SLICES][4], minus_a[Op::SLICES][4];
    typename Op::acc d[Op::N_ACC];
    load_swizzled(shared, arguments.r2, WGMMA_N);
    load_fragments(a, arguments.r1);
    load_fragments(minus_a, (const uint8_t *)arguments.r1 + WGMMA_A_BYTES);
    set_starts<2>(d, first_accumulator(), first_row(), 0, WGMMA_N, arguments.n_starts);
    publish_shared();
    mark_clock(arguments);
#pragma unroll 1
    for (unsigned int pair = 0; pair < passes / 2; pair++) {
        run_pass<Op, S>(d, a, minus_a, b);
        run_pass<Op, S>(d, minus_a, a, b);
    }
    if (passes % 2)
        run_pass<Op, S>(d, a, minus_a, b);
    wgmma_wait<0>();
    mark_clock(arguments);
    store_results<2>(d, arguments.w, first_accumulator(), first_row(), 0, WGMMA_N);
}

/* Its shape, from the same constants. */
template <class Op, int S> constexpr struct ert_cuda_shape wgmma_shape(void)
{
    constexpr uint32_t bytes = sizeof(typename Op::acc) / elements_of<typename Op::acc>;
    static_assert(S % 2 == 1, "a pass must leave the other sign");
    return {90,      true,
            128,     WGMMA_M,
            WGMMA_N, Op::K * Op::SLICES,
            S,       WGMMA_ROW_BYTES,
            bytes,   WGMMA_SHARED_BYTES};
}

#define ROW(kernel)                                                                        \
    {ERT_KERNEL_wgmma_##kernel,                                                            \
     ERT_PATH_NONE,                                                                        \
     0,                                                                                    \
     "m64n256, 2 warpgroups, A in registers",                                              \
     ERT_CUDA_TENSOR,                                                                      \
     GROUPS * 128,                                                                         \
     1,                                                                                    \
     0,                                                                                    \
     wg_##kernel::SLICES,                                                                  \
     SWEEPS,                                                                               \
     (const void *)wgmma_kernel<wg_##kernel, SWEEPS>},
#define SHAPE(kernel) wgmma_shape<wg_##kernel, SWEEPS>(),
#define ROWS(X)       X(tf32) X(bf16) X(fp16) X(fp16_acc16) X(fp8) X(int8)

static const struct ert_cuda_row rows[] = {ROWS(ROW)};
static const struct ert_cuda_shape shapes[] = {ROWS(SHAPE)};

const struct ert_cuda_rows ert_cuda_wgmma_rows = {rows, sizeof rows / sizeof rows[0]};
const struct ert_cuda_tensor_rows ert_cuda_wgmma = {&ert_cuda_wgmma_rows, shapes};
