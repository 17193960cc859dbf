/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels of tcgen05, compiled for sm_100a and sm_103a alone: the only way to the full rate of the tensor
 * cores of cc 10.0 and 10.3. Written from the PTX ISA without such a GPU (ERT_UNTRIED).
 *
 * Persistent blocks, one per SM, have a 128 x 256 tile of accumulators in half of the tensor memory, a row in
 * each lane. One thread issues all instructions, which run in order; it waits while the unit's queue is full.
 * A pass is about 28 instructions of 2*128*256*k flops, sweeps over slices of k of 32 bytes. Each reads 4 KiB
 * of A and 8 KiB of B in the 128 clocks that it takes at the units' published rate, of every type: 96 of the
 * 128 bytes per clock of shared memory. Bound: the tensor cores' rate per clock, and then the power limit.
 * The slices of 48 bytes of cc 10.3's FP4 would need 144 bytes per clock: shared memory bounds them, at 8/9.
 */
#include "ert/ext/cuda/accumulators.cuh"
#include "ert/ext/cuda/operands.cuh"
#include "ert/ext/cuda/tcgen05.h"
#include "ert/ext/cuda/tensor.cuh"

enum {
    TCGEN05_M = 128,
    TCGEN05_N = 256,
    TCGEN05_ROW_BYTES = 128, /* of a tile's row: the span of the swizzle */
    TCGEN05_A_BYTES = TCGEN05_M * TCGEN05_ROW_BYTES,
    TCGEN05_SHARED_BYTES =
        2 * TCGEN05_A_BYTES + TCGEN05_N * TCGEN05_ROW_BYTES + 1024 /* to align */
};

/*
 * Tensor memory of a block: 128 lanes, a quarter of them for each warp, of 512 columns of 4 bytes. The first
 * 256 are accumulators. Scales of A and B, a column for 32 rows or more, all 1, fill the others.
 */
enum { TMEM_COLUMNS = 512, TMEM_SCALES_A = 256, TMEM_SCALES_B = 384 };

/* One warp takes all columns, so that a second block on the SM would wait; their address to shared memory. */
OWN_CODE void tmem_allocate(uint32_t *to)
{
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;\n"
                 "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::"r"(
                     (uint32_t)__cvta_generic_to_shared(to)),
                 "n"((int)TMEM_COLUMNS)
                 : "memory");
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

/* Whether this is the one thread of its warp that issues: ptxas then knows that all operands are uniform. */
OWN_CODE bool is_issuer(void)
{
    uint32_t is;
    asm volatile("{.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;}"
                 : "=r"(is));
    return is;
}

/* One pass: S sweeps (odd) of all slices, with A and the A of the other sign in turn. */
template <class Op>
static __device__ __forceinline__ void run_pass(uint32_t d, uint64_t a, uint64_t next_a,
                                                uint64_t b)
{
    static_assert(Op::SWEEPS % 2 == 1, "a pass must leave the other sign");
#pragma unroll
    for (int s = 0; s < Op::SWEEPS; s++)
#pragma unroll
        for (int k = 0; k < Op::SLICES; k++)
            Op::step(d, (s % 2 ? next_a : a) + k * (Op::SLICE_BYTES / 16),
                     b + k * (Op::SLICE_BYTES / 16));
}

template <class Op>
static __device__ __forceinline__ void
run_passes(const struct ert_cuda_arguments &arguments)
{
    __shared__ uint32_t allocated;
    __shared__ uint64_t completed; /* an mbarrier: when all instructions issued have */
    const uint32_t done = (uint32_t)__cvta_generic_to_shared(&completed);
    const unsigned int warp = threadIdx.x / 32, passes = arguments.passes;
    const unsigned int first = (blockIdx.x * TCGEN05_M + threadIdx.x) * TCGEN05_N;
    uint8_t *shared = shared_room();
    uint32_t x[COLUMNS];
    if (warp == 0)
        tmem_allocate(&allocated);
    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n"
                     "fence.mbarrier_init.release.cluster;" ::"r"(done)
                     : "memory");
    load_swizzled(shared, arguments.r1, 2 * TCGEN05_M);
    load_swizzled(shared + 2 * TCGEN05_A_BYTES, arguments.r2, TCGEN05_N);
    publish_shared();
    tmem_synchronize();
    const uint32_t tmem = allocated, own = tmem + (warp * 32 << 16);
#pragma unroll 1
    for (int n = 0; n < TMEM_COLUMNS; n += COLUMNS) {
#pragma unroll
        for (int i = 0; i < COLUMNS; i++) {
            auto start =
                (typename Op::acc)ert_tiles_start(first + n + i, arguments.n_starts);
            memcpy(&x[i], &start, sizeof start);
            x[i] = n < TMEM_SCALES_A ? x[i] : Op::SCALES;
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
            run_pass<Op>(tmem, a, minus_a, b);
            run_pass<Op>(tmem, minus_a, a, b);
        }
        if (passes % 2)
            run_pass<Op>(tmem, a, minus_a, b);
        asm volatile(
            "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
            "[%0];" ::"r"(done)
            : "memory");
    }
    asm volatile("{.reg .pred p;\nAGAIN:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n@!p bra AGAIN;\n"
                 "tcgen05.fence::after_thread_sync;}" ::"r"(done)
                 : "memory");
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
        asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(tmem),
                     "n"((int)TMEM_COLUMNS));
}

template <class Op>
static __global__ void __launch_bounds__(TCGEN05_M)
    tcgen05_kernel(struct ert_cuda_arguments arguments)
{
    if constexpr (own_cc != 0 && (own_cc == Op::CC || own_cc == Op::CC_ALSO))
        run_passes<Op>(arguments);
}

/*
 * An instruction: the capabilities that have it, type of the accumulators, kind, operands after the first
 * four, products along k, slices of k of a row, and of its descriptor (tcgen05.h) format, sum, scale; scales.
 */
// clang-format off
#define TCGEN05(name, cc, also, acc_type, kind, more, k, slices, format, sum, scale, scales) \
    struct t5_##name {                                                                     \
        typedef acc_type acc;                                                              \
        enum { CC = cc, CC_ALSO = also, K = k, SLICES = slices, SWEEPS = 28 / slices | 1,  \
               SLICE_BYTES = k == 96 ? 48 : 32, SCALES = scales };                         \
        static __device__ __forceinline__ void step(uint32_t d, uint64_t a, uint64_t b)    \
        {                                                                                  \
            asm volatile("{.reg .pred p;\nsetp.eq.u32 p, 0, 0;\n"                          \
                         "tcgen05.mma.cta_group::1.kind::" kind " [%0], %1, %2, %3" more   \
                         ", p;}" ::"r"(d), "l"(a), "l"(b),                                 \
                         "r"(ert_tcgen05_instruction(format, sum, scale, k, TCGEN05_M, TCGEN05_N)), \
                         "r"(d + TMEM_SCALES_A), "r"(d + TMEM_SCALES_B) : "memory");       \
        }                                                                                  \
    };                                                                                     \
    static constexpr struct ert_cuda_shape tcgen05_shape_##name = {                        \
        cc, true, TCGEN05_M, TCGEN05_M, TCGEN05_N, k * slices, t5_##name::SWEEPS,          \
        TCGEN05_ROW_BYTES, sizeof(acc_type), TCGEN05_SHARED_BYTES, 0, also};

/* UE8M0 is an exponent with a bias of 127, UE4M3 as E4M3 with one of 7. */
#define MX ", [%4], [%5]"
#define F4 "mxf4.block_scale"
#define NV "mxf4nvf4.block_scale.scale_vec::4X"
TCGEN05(tf32,      100, 103, float, "tf32",                "",  8, 4, 2, 1, 0, 0)
TCGEN05(bf16,      100, 103, float, "f16",                 "", 16, 4, 1, 1, 0, 0)
TCGEN05(fp16,      100, 103, float, "f16",                 "", 16, 4, 0, 1, 0, 0)
TCGEN05(fp8,       100, 103, float, "f8f6f4",              "", 32, 2, 0, 1, 0, 0)
TCGEN05(e5m2,      100, 103, float, "f8f6f4",              "", 32, 2, 1, 1, 0, 0)
TCGEN05(fp6,       100, 103, float, "f8f6f4",              "", 32, 2, 4, 1, 0, 0)
TCGEN05(fp4,       100, 103, float, "f8f6f4",              "", 32, 4, 5, 1, 0, 0)
TCGEN05(mxfp8,     100, 103, float, "mxf8f6f4.block_scale", MX, 32, 2, 0, 0, 1, 0x7f7f7f7f)
TCGEN05(mxfp4,     100, 103, float, F4,                    MX, 64, 2, 1, 0, 1, 0x7f7f7f7f)
TCGEN05(mxfp4_k96, 103, 0,   float, F4,                    MX, 96, 2, 1, 0, 1, 0x7f7f7f7f)
TCGEN05(nvfp4,     100, 103, float, NV,                    MX, 64, 2, 1, 0, 0, 0x38383838)
TCGEN05(nvfp4_k96, 103, 0,   float, NV,                    MX, 96, 2, 1, 0, 0, 0x38383838)
TCGEN05(int8,      100, 0,   int,   "i8",                  "", 32, 4, 1, 2, 0, 0)

#define ROW(kernel, name, shape)                                                           \
    {ERT_KERNEL_tcgen05_##kernel, ERT_PATH_NONE, 0, shape ", one thread issues",           \
     ert_cuda_tensor_kind(), TCGEN05_M, 1, 0, t5_##name::SLICES, t5_##name::SWEEPS,        \
     (const void *)tcgen05_kernel<t5_##name>, 0, false, &tcgen05_shape_##name}
#define KERNEL(kernel) ERT_CUDA_KERNEL(tcgen05_##kernel, ROW(kernel, kernel, "m128n256"))
#define KERNEL_K96(kernel)                                                                 \
    ERT_CUDA_KERNEL(tcgen05_##kernel, ROW(kernel, kernel, "m128n256"),                     \
                    ROW(kernel, kernel##_k96, "m128n256k96"))
KERNEL(tf32) KERNEL(bf16) KERNEL(fp16) KERNEL(fp8) KERNEL(e5m2) KERNEL(fp6) KERNEL(fp4) KERNEL(mxfp8)
KERNEL_K96(mxfp4) KERNEL_K96(nvfp4) KERNEL(int8)
    // clang-format on
