/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels of tcgen05, compiled for sm_100a and sm_103a alone: the only way to the full rate of the tensor
 * cores of cc 10.0 and 10.3. Never run on hardware: written from the PTX ISA, checked in machine code.
 *
 * Persistent blocks, one per SM, have a 128 x 256 tile of accumulators in half of the tensor memory, a row in
 * each lane. One thread issues all instructions, which run in order; it waits while the unit's queue is full.
 * One pass is S sweeps over the slices of k, 2*128*256*k flops per instruction. An instruction reads 4 KiB of
 * A and 8 KiB of B in the 128 clocks that it takes at the units' published rate, of every type: 96 of the
 * 128 bytes per clock of shared memory. Bound: the tensor cores' rate per clock, and then the power limit.
 */
#include "ert/ext/cuda/accumulators.cuh"
#include "ert/ext/cuda/operands.cuh"
#include "ert/ext/cuda/tcgen05.h"
#include "ert/ext/cuda/tensor.cuh"

enum {
    TCGEN05_M = 128,
    TCGEN05_N = 256,
    TCGEN05_ROW_BYTES =
        128, /* of a tile's row: four slices of k, the span of the swizzle */
    TCGEN05_SLICE_BYTES = 32, /* k of one instruction, of every type */
    TCGEN05_A_BYTES = TCGEN05_M * TCGEN05_ROW_BYTES,
    TCGEN05_SHARED_BYTES =
        2 * TCGEN05_A_BYTES + TCGEN05_N * TCGEN05_ROW_BYTES + 1024 /* to align */
};

/*
 * An instruction: its products along k, how many slices of k of a row it uses, formats, type of the
 * accumulators, and the other capability that has it.
 */
// clang-format off
#define TCGEN05(name, text, k, slices, format, in, acc_type, also)                         \
    struct name {                                                                          \
        typedef acc_type acc;                                                              \
        enum { K = k, SLICES = slices, CC_ALSO = also };                                   \
        static __device__ __forceinline__ void step(uint32_t d, uint64_t a, uint64_t b)    \
        {                                                                                  \
            const uint32_t instruction = ert_tcgen05_instruction(                          \
                ERT_TCGEN05_##format, ERT_TCGEN05_IN_##in, TCGEN05_M, TCGEN05_N);          \
            asm volatile("{.reg .pred p;\nsetp.eq.u32 p, 0, 0;\n"                          \
                         "tcgen05.mma.cta_group::1." text " [%0], %1, %2, %3, p;}"         \
                         ::"r"(d), "l"(a), "l"(b), "r"(instruction) : "memory");           \
        }                                                                                  \
    };

TCGEN05(t5_bf16, "kind::f16", 16, 4, BF16, FP32, float, 103)
// clang-format on

/*
 * Tensor memory of a block: 128 lanes, a quarter of them for each warp, of 512 columns of 4 bytes. One warp
 * allocates all columns, so that a second block on the SM would wait, and writes their address to `to`.
 */
OWN_CODE void tmem_allocate(uint32_t *to)
{
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], 512;\n"
                 "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::"r"(
                     (uint32_t)__cvta_generic_to_shared(to))
                 : "memory");
}
OWN_CODE void tmem_free(uint32_t at)
{
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, 512;" ::"r"(at));
}

/* Eight columns of the warp's lanes, one lane for each thread. */
enum { COLUMNS = 8 };
#define TMEM_OPERANDS(io, x)                                                               \
    io(x[0]), io(x[1]), io(x[2]), io(x[3]), io(x[4]), io(x[5]), io(x[6]), io(x[7])
OWN_CODE void tmem_store(uint32_t at, const uint32_t (&x)[COLUMNS])
{
    asm volatile("tcgen05.st.sync.aligned.32x32b.x8.b32 [%0], {%1,%2,%3,%4,%5,%6,%7,%8};\n"
                 "tcgen05.wait::st.sync.aligned;" ::"r"(at),
                 TMEM_OPERANDS("r", x)
                 : "memory");
}
OWN_CODE void tmem_load(uint32_t (&x)[COLUMNS], uint32_t at)
{
    asm volatile("tcgen05.ld.sync.aligned.32x32b.x8.b32 {%0,%1,%2,%3,%4,%5,%6,%7}, [%8];\n"
                 "tcgen05.wait::ld.sync.aligned;"
                 : TMEM_OPERANDS("=r", x)
                 : "r"(at)
                 : "memory");
}

/* A barrier of the block that orders accesses to tensor memory, too. */
OWN_CODE void tmem_synchronize(void)
{
    asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
    __syncthreads();
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

/* A barrier in shared memory that completes when all instructions issued before the commit have. */
OWN_CODE void done_start(uint32_t done)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n"
                 "fence.mbarrier_init.release.cluster;" ::"r"(done)
                 : "memory");
}
OWN_CODE void done_commit(uint32_t done)
{
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
                 "[%0];" ::"r"(done)
                 : "memory");
}
OWN_CODE void done_wait(uint32_t done)
{
    asm volatile("{.reg .pred p;\nAGAIN:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n@!p bra AGAIN;\n"
                 "tcgen05.fence::after_thread_sync;}" ::"r"(done)
                 : "memory");
}

/* Whether this is the one thread of its warp that issues: ptxas then knows that all operands are uniform. */
OWN_CODE bool is_issuer(void)
{
    uint32_t is;
    asm volatile("{.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;}"
                 : "=r"(is));
    return is;
}

/* One pass: S sweeps (odd) of all slices, with A and the A of the other sign in turn. */
template <class Op, int S>
static __device__ __forceinline__ void run_pass(uint32_t d, uint64_t a, uint64_t next_a,
                                                uint64_t b)
{
#pragma unroll
    for (int s = 0; s < S; s++)
#pragma unroll
        for (int k = 0; k < Op::SLICES; k++)
            Op::step(d, (s % 2 ? next_a : a) + k * (TCGEN05_SLICE_BYTES / 16),
                     b + k * (TCGEN05_SLICE_BYTES / 16));
}

template <class Op, int S>
static __device__ __forceinline__ void
run_passes(const struct ert_cuda_arguments &arguments)
{
    __shared__ uint32_t allocated;
    __shared__ uint64_t completed;
    const uint32_t done = (uint32_t)__cvta_generic_to_shared(&completed);
    const unsigned int warp = threadIdx.x / 32, passes = arguments.passes;
    const unsigned int first = (blockIdx.x * TCGEN05_M + threadIdx.x) * TCGEN05_N;
    uint8_t *shared = shared_room();
    uint32_t x[COLUMNS];
    if (warp == 0)
        tmem_allocate(&allocated);
    if (threadIdx.x == 0)
        done_start(done);
    load_swizzled(shared, arguments.r1, 2 * TCGEN05_M);
    load_swizzled(shared + 2 * TCGEN05_A_BYTES, arguments.r2, TCGEN05_N);
    publish_shared();
    tmem_synchronize();
    const uint32_t tmem = allocated, own = tmem + (warp * 32 << 16);
#pragma unroll 1
    for (int n = 0; n < TCGEN05_N; n += COLUMNS) {
#pragma unroll
        for (int i = 0; i < COLUMNS; i++) {
            auto start =
                (typename Op::acc)ert_tiles_start(first + n + i, arguments.n_starts);
            memcpy(&x[i], &start, sizeof start);
        }
        tmem_store(own + n, x);
    }
    tmem_synchronize();
    mark_clock(arguments);
    if (warp == 0 && is_issuer()) {
        const uint64_t a = ert_tcgen05_matrix((uint32_t)__cvta_generic_to_shared(shared));
        const uint64_t minus_a = a + TCGEN05_A_BYTES / 16,
                       b = minus_a + TCGEN05_A_BYTES / 16;
#pragma unroll 1
        for (unsigned int pair = 0; pair < passes / 2; pair++) {
            run_pass<Op, S>(tmem, a, minus_a, b);
            run_pass<Op, S>(tmem, minus_a, a, b);
        }
        if (passes % 2)
            run_pass<Op, S>(tmem, a, minus_a, b);
        done_commit(done);
    }
    done_wait(done);
    mark_clock(arguments);
#pragma unroll 1
    for (int n = 0; n < TCGEN05_N; n += COLUMNS) {
        tmem_load(x, own + n);
#pragma unroll
        for (int i = 0; i < COLUMNS; i++)
            ((uint32_t *)arguments.w)[first + n + i] = x[i];
    }
    tmem_synchronize();
    if (warp == 0)
        tmem_free(tmem);
}

template <class Op, int S>
static __global__ void __launch_bounds__(TCGEN05_M)
    tcgen05_kernel(struct ert_cuda_arguments arguments)
{
    static_assert(S % 2 == 1, "a pass must leave the other sign");
    if constexpr (own_cc == 100 || (own_cc == 103 && Op::CC_ALSO == 103))
        run_passes<Op, S>(arguments);
}

// clang-format off
/* The kernels' shape, from the same constants. */
template <class Op, int S>
static constexpr struct ert_cuda_shape tcgen05_shape = {
    100, true, TCGEN05_M, TCGEN05_M, TCGEN05_N, Op::K * Op::SLICES, S, TCGEN05_ROW_BYTES,
    sizeof(typename Op::acc), TCGEN05_SHARED_BYTES, 0, Op::CC_ALSO};

/* Sweeps of a pass: odd, of about 28 instructions. */
#define KERNEL(kernel, s)                                                                  \
    ERT_CUDA_KERNEL(tcgen05_##kernel, {ERT_KERNEL_tcgen05_##kernel, ERT_PATH_NONE, 0,      \
                    "m128n256, one thread issues", ert_cuda_tensor_kind(), TCGEN05_M, 1,   \
                    0, t5_##kernel::SLICES, s, (const void *)tcgen05_kernel<t5_##kernel, s>, \
                    0, false, &tcgen05_shape<t5_##kernel, s>})
KERNEL(bf16, 7)
// clang-format on
