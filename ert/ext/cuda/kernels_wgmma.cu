/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels of wgmma, compiled for sm_90a alone: the only way to the full rate of cc 9.0's tensor cores.
 * Persistent blocks, one per SM, consist of two warpgroups with a 64 x 256 tile of accumulators each. One
 * pass is S sweeps over the slices of k, 2*64*256*k flops per instruction. An instruction reads 8 KiB of B in
 * the 128 clocks that it takes, 64 of the 128 bytes per clock of shared memory. Bound: the tensor cores' rate
 * per clock, and then the power limit, which determines the clock.
 *
 * These alternatives were within 0.4 % of each other per clock on an H200 (99 % of the units' rate): A in
 * shared memory too, 1 and 3 warpgroups, 2 blocks per SM, 3 to 15 sweeps per pass, no group in flight between
 * two passes.
 */
#include "ert/ext/cuda/accumulators.cuh"
#include "ert/ext/cuda/operands.cuh"
#include "ert/ext/cuda/tensor.cuh"

/*
 * wgmma: a warpgroup's matrix product, C = C + A*B with wgmma.mma_async (PTX ISA, "Asynchronous warpgroup
 * level matrix multiply-accumulate instructions"); a struct per type: A in registers, B in shared memory.
 * Device code for sm_90a only.
 */

enum {
    WGMMA_M = 64,
    WGMMA_N = 256,
    WGMMA_ROW_BYTES = 128,  /* of a tile's row: four slices of k, the span of the swizzle */
    WGMMA_SLICE_BYTES = 32, /* k of one instruction, of every type */
    WGMMA_A_BYTES = WGMMA_M * WGMMA_ROW_BYTES,
    WGMMA_B_BYTES = WGMMA_N * WGMMA_ROW_BYTES,
    WGMMA_SHARED_BYTES = WGMMA_B_BYTES + 1024 /* to align */
};

/* The 64 or 128 registers of an accumulator, as operands and as text. */
#define WGMMA_8(io, d, i)                                                                  \
    io(d[i]), io(d[i + 1]), io(d[i + 2]), io(d[i + 3]), io(d[i + 4]), io(d[i + 5]),        \
        io(d[i + 6]), io(d[i + 7])
#define WGMMA_64(io, d, i)                                                                 \
    WGMMA_8(io, d, i), WGMMA_8(io, d, i + 8), WGMMA_8(io, d, i + 16),                      \
        WGMMA_8(io, d, i + 24), WGMMA_8(io, d, i + 32), WGMMA_8(io, d, i + 40),            \
        WGMMA_8(io, d, i + 48), WGMMA_8(io, d, i + 56)
#define WGMMA_OPERANDS_64(io, d)  WGMMA_64(io, d, 0)
#define WGMMA_OPERANDS_128(io, d) WGMMA_64(io, d, 0), WGMMA_64(io, d, 64)
#define WGMMA_FIRST_64                                                                     \
    "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,"   \
    "%23,%24,%25,%26,%27,%28,%29,%30,%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43," \
    "%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define WGMMA_TEXT_64 "{" WGMMA_FIRST_64 "}, "
#define WGMMA_TEXT_128                                                                     \
    "{" WGMMA_FIRST_64 ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79," \
    "%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,"     \
    "%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,"     \
    "%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127}, "
#define WGMMA_INPUTS_64  "{%64,%65,%66,%67}, %68"
#define WGMMA_INPUTS_128 "{%128,%129,%130,%131}, %132"

/*
 * An instruction: its products along k, how many slices of k of a row it uses, type and operands of the
 * accumulators, and the words after the predicate (scale and transposition).
 */
#define WGMMA(name, text, k, slices, acc_type, io, n, scales)                              \
    struct name {                                                                          \
        typedef acc_type acc;                                                              \
        enum { N_ACC = n, K = k, SLICES = slices };                                        \
        static __device__ __forceinline__ void step(acc (&d)[n], const uint32_t (&a)[4],   \
                                                    uint64_t b)                            \
        {                                                                                  \
            asm volatile("{.reg .pred p;\nsetp.eq.u32 p, 0, 0;\n"                          \
                         "wgmma.mma_async.sync.aligned." text                              \
                         " " WGMMA_TEXT_##n WGMMA_INPUTS_##n ", p" scales ";}"             \
                         : WGMMA_OPERANDS_##n(io, d)                                       \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));            \
        }                                                                                  \
    };

// clang-format off
WGMMA(wg_tf32,       "m64n256k8.f32.tf32.tf32",  8,  4, float,    "+f", 128, ", 1, 1")
WGMMA(wg_bf16,       "m64n256k16.f32.bf16.bf16", 16, 4, float,    "+f", 128, ", 1, 1, 0")
WGMMA(wg_fp16,       "m64n256k16.f32.f16.f16",   16, 4, float,    "+f", 128, ", 1, 1, 0")
WGMMA(wg_fp16_acc16, "m64n256k16.f16.f16.f16",   16, 4, uint32_t, "+r", 64,  ", 1, 1, 0")
WGMMA(wg_fp8,        "m64n256k32.f32.e4m3.e4m3", 32, 2, float,    "+f", 128, ", 1, 1")
WGMMA(wg_int8,       "m64n256k32.s32.s8.s8",     32, 4, int,      "+r", 128, "")
// clang-format on

/*
 * The descriptor of a tile in shared memory with k along its rows of 128 bytes, swizzled (PTX ISA, "Matrix
 * descriptor format"): address / 16 in bits 0-13, 1024 bytes / 16 from one group of 8 rows to the next in
 * bits 32-45, 1 (128-byte swizzle) in bits 62-63. The leading offset is unused here.
 */
OWN_CODE uint64_t wgmma_descriptor(uint32_t address)
{
    return (uint64_t)1 << 62 | (uint64_t)(1024 / 16) << 32 | (uint64_t)1 << 16 |
           (address & 0x3ffff) / 16;
}

template <int PENDING> static __device__ __forceinline__ void wgmma_wait(void)
{
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
}

/* Warpgroups of a block, and sweeps of a pass: odd. */
enum { GROUPS = 2, SWEEPS = 7 };

/* Groups of instructions in flight besides the newest: the next pass is issued while one runs. */
enum { PENDING = 1 };

/* Index of the warpgroup's first accumulator on the device, and the warp's first row in its tile. */
OWN_CODE unsigned int first_accumulator(void)
{
    return (blockIdx.x * blockDim.x + threadIdx.x) / 128 * (WGMMA_M * WGMMA_N);
}
OWN_CODE int first_row(void)
{
    return threadIdx.x % 128 / 32 * 16;
}

/* Loads A of all slices into registers: word l%4 + 4*(i/2) of row l/4 + 8*(i%2) of the warp's rows. */
template <int SLICES>
static __device__ __forceinline__ void
kernels_wgmma_load_fragments(uint32_t (&a)[SLICES][4], const void *rows)
{
    const int lane = threadIdx.x % 32, row = first_row() + lane / 4;
#pragma unroll
    for (int k = 0; k < SLICES; k++)
#pragma unroll
        for (int i = 0; i < 4; i++)
            a[k][i] = ((const uint32_t *)
                           rows)[(row + 8 * (i % 2)) * 32 + 8 * k + lane % 4 + 4 * (i / 2)];
}

/* One pass: S sweeps (odd) of all slices, with A and the A of the other sign in turn. */
template <class Op, int S>
static __device__ __forceinline__ void
run_pass(typename Op::acc (&d)[Op::N_ACC], const uint32_t (&a)[Op::SLICES][4],
         const uint32_t (&next_a)[Op::SLICES][4], uint64_t b)
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int s = 0; s < S; s++)
#pragma unroll
        for (int k = 0; k < Op::SLICES; k++)
            Op::step(d, (s % 2 ? next_a : a)[k], b + k * (WGMMA_SLICE_BYTES / 16));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    wgmma_wait<PENDING>();
}

/* Two calls, one per sign: registers cannot be swapped while instructions that read them are in flight. */
template <class Op, int S>
static __device__ __forceinline__ void
run_passes(const struct ert_cuda_arguments &arguments)
{
    uint8_t *shared = shared_room();
    const uint64_t b = wgmma_descriptor((uint32_t)__cvta_generic_to_shared(shared));
    const unsigned int passes = arguments.passes;
    uint32_t a[Op::SLICES][4], minus_a[Op::SLICES][4];
    typename Op::acc d[Op::N_ACC];
    load_swizzled(shared, arguments.r2, WGMMA_N);
    kernels_wgmma_load_fragments(a, arguments.r1);
    kernels_wgmma_load_fragments(minus_a, (const uint8_t *)arguments.r1 + WGMMA_A_BYTES);
    set_starts<by_rows<2>>(d, first_accumulator(), first_row(), 0, WGMMA_N,
                           arguments.n_starts);
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
    store_results<by_rows<2>>(d, arguments.w, first_accumulator(), first_row(), 0, WGMMA_N);
}

template <class Op, int S>
static __global__ void __launch_bounds__(GROUPS * 128)
    wgmma_kernel(struct ert_cuda_arguments arguments)
{
    static_assert(S % 2 == 1, "a pass must leave the other sign");
    if constexpr (own_cc == 90)
        run_passes<Op, S>(arguments);
}

// clang-format off
/* The kernels' shape, from the same constants. */
template <class Op>
static constexpr struct ert_cuda_shape wgmma_shape = {
    90, true, 128, WGMMA_M, WGMMA_N, Op::K * Op::SLICES, SWEEPS, WGMMA_ROW_BYTES,
    sizeof(typename Op::acc) / elements_of<typename Op::acc>, WGMMA_SHARED_BYTES};

#define KERNEL(kernel)                                                                     \
    ERT_CUDA_KERNEL(wgmma_##kernel,                                                        \
                    {ERT_KERNEL_wgmma_##kernel, ERT_PATH_NONE, 0,                          \
                     "m64n256, 2 warpgroups, A in registers", ert_cuda_tensor_kind(),      \
                     GROUPS * 128, 1, 0, wg_##kernel::SLICES, SWEEPS,                      \
                     (const void *)wgmma_kernel<wg_##kernel, SWEEPS>, 0, false,            \
                     &wgmma_shape<wg_##kernel>})
KERNEL(tf32) KERNEL(bf16) KERNEL(fp16) KERNEL(fp16_acc16) KERNEL(fp8) KERNEL(int8)
    // clang-format on
