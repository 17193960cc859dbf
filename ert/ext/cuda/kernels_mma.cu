/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels of mma.sync, the tensor-core instruction of every architecture since 7.0. One pass is S sweeps over
 * the I x J accumulators of each warp, 2*m*n*k flops per instruction, with no memory access between the first
 * and the last value. Bound: the tensor cores. On cc 9.0 mma.sync reaches two thirds of their rate (FP64:
 * all); only wgmma reaches all of it. The first rows of FP64 and INT8 and the second of FP16 have the only
 * shape of cc 8.0 or 7.5; on an H200 they have two to four fifths of the rate of the later rows. The first of
 * FP16 is for cc 7.0: later ones have no unit for it, and ptxas makes it of other instructions.
 *
 * FP8: cc 8.9 and 12.0 have the instruction. On 9.0 and 10.0 ptxas replaces each by a conversion to FP16, two
 * HMMA and four FADD, so the row shows the rate of mma.sync there, not that of the unit. In such code ptxas
 * also detects that equal operands have equal products: of 15 sweeps in one body it multiplied in two and
 * only added in the others, which "measured" 1305 TFLOP/s on an H200, twice the rate of the FP16 instructions
 * (sm_90 and sm_90a alike). Hence these rows have one sweep per pass, with another A than the previous pass.
 */
#include "ert/ext/cuda/accumulators.cuh"
#include "ert/ext/cuda/tensor.cuh"

/*
 * mma: one warp's matrix product, C = C + A*B with mma.sync (PTX ISA, "Warp level matrix multiply-accumulate
 * instructions"); a struct per shape.
 *
 * Fragments: rows of A and columns of B consist of words along k, of 8 bytes for FP64, else 4. For all shapes
 * here, lane l holds word l%4 + 4*(i/HALVES) of row l/4 + 8*(i%HALVES) of A in a[i], and word l%4 + 4*i of
 * column l/4 of B in b[i].
 */

/*
 * The shape of cc 7.0, m8n8k4, is four products of one instruction, each of two quads of lanes, l%16/4. Lane
 * l holds both words of row l%4 + 4*(l/16) of A in a[], of that column of B in b[]. Of C in FP16 it holds
 * that row, of C in FP32 columns l&2 + (0, 1, 4, 5) of two rows that are two apart.
 */
struct quads_fp16 {
    static __device__ __forceinline__ place of(int lane, int q)
    {
        return {lane % 4 + lane / 16 * 4, q};
    }
};
struct quads_fp32 {
    static __device__ __forceinline__ place of(int lane, int q)
    {
        return {(lane & 1) + (q & 2) + lane / 16 * 4, (q & 4) + (lane & 2)};
    }
};

/* Operands and text of the instruction, by the number of registers of a, b and c. */
#define MMA_4_2_4(in, io)                                                                  \
    : io(c[0]), io(c[1]), io(c[2]), io(c[3])                                               \
    : in(a[0]), in(a[1]), in(a[2]), in(a[3]), in(b[0]), in(b[1])
#define MMA_TEXT_4_2_4 " {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
#define MMA_2_1_4(in, io)                                                                  \
    : io(c[0]), io(c[1]), io(c[2]), io(c[3])                                               \
    : in(a[0]), in(a[1]), in(b[0])
#define MMA_TEXT_2_1_4 " {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
#define MMA_4_2_2(in, io)                                                                  \
    : io(c[0]), io(c[1])                                                                   \
    : in(a[0]), in(a[1]), in(a[2]), in(a[3]), in(b[0]), in(b[1])
#define MMA_TEXT_4_2_2 " {%0,%1},{%2,%3,%4,%5},{%6,%7},{%0,%1};"
#define MMA_2_1_2(in, io)                                                                  \
    : io(c[0]), io(c[1])                                                                   \
    : in(a[0]), in(a[1]), in(b[0])
#define MMA_TEXT_2_1_2 " {%0,%1},{%2,%3},{%4},{%0,%1};"
#define MMA_1_1_2(in, io)                                                                  \
    : io(c[0]), io(c[1])                                                                   \
    : in(a[0]), in(b[0])
#define MMA_TEXT_1_1_2 " {%0,%1},{%2},{%3},{%0,%1};"
#define MMA_2_2_8(in, io)                                                                  \
    : io(c[0]), io(c[1]), io(c[2]), io(c[3]), io(c[4]), io(c[5]), io(c[6]), io(c[7])       \
    : in(a[0]), in(a[1]), in(b[0]), in(b[1])
#define MMA_TEXT_2_2_8                                                                     \
    " {%0,%1,%2,%3,%4,%5,%6,%7},{%8,%9},{%10,%11},{%0,%1,%2,%3,%4,%5,%6,%7};"
#define MMA_2_2_4(in, io)                                                                  \
    : io(c[0]), io(c[1]), io(c[2]), io(c[3])                                               \
    : in(a[0]), in(a[1]), in(b[0]), in(b[1])
#define MMA_TEXT_2_2_4 " {%0,%1,%2,%3},{%4,%5},{%6,%7},{%0,%1,%2,%3};"
#define MMA_8_4_4(in, io)                                                                  \
    : io(c[0]), io(c[1]), io(c[2]), io(c[3])                                               \
    : in(a[0]), in(a[1]), in(a[2]), in(a[3]), in(a[4]), in(a[5]), in(a[6]), in(a[7]),      \
      in(b[0]), in(b[1]), in(b[2]), in(b[3])
#define MMA_TEXT_8_4_4                                                                     \
    " {%0,%1,%2,%3},{%4,%5,%6,%7,%8,%9,%10,%11},{%12,%13,%14,%15},{%0,%1,%2,%3};"

/*
 * An instruction: the least architecture that has it, the types of a word and of an accumulator and their
 * constraints in asm, rows and products, registers of a, b and c; threads of a product, words of k, and the
 * layout of c.
 */
#define MMA(name, text, cc, word_type, acc_type, in, io, m, k, na, nb, nc)                 \
    MMA_OF(name, text, cc, word_type, acc_type, in, io, m, k, na, nb, nc, 32, 4 * nb,      \
           by_rows<m / 8>)
#define MMA_OF(name, text, cc, word_type, acc_type, in, io, m, k, na, nb, nc, threads,     \
               words, places)                                                              \
    struct name {                                                                          \
        typedef word_type word;                                                            \
        typedef acc_type acc;                                                              \
        typedef places layout;                                                             \
        enum { CC = cc, M = m, N = 8, K = k, NA = na, NB = nb, NC = nc };                  \
        enum { THREADS = threads, WORDS = words, CC_UNIT = threads < 32 ? 72 : 0 };        \
        static __device__ __forceinline__ void step(acc (&c)[nc], const word (&a)[na],     \
                                                    const word (&b)[nb])                   \
        {                                                                                  \
            asm volatile("mma.sync.aligned." text MMA_TEXT_##na##_##nb##_##nc              \
                             MMA_##na##_##nb##_##nc(in, io));                              \
        }                                                                                  \
    };

// clang-format off
MMA(fp64_m8n8k4,   "m8n8k4.row.col.f64.f64.f64.f64",      80, double,   double, "d", "+d", 8,  4,  1, 1, 2)
MMA(fp64_m16n8k16, "m16n8k16.row.col.f64.f64.f64.f64",    90, double,   double, "d", "+d", 16, 16, 8, 4, 4)
MMA(tf32_m16n8k8,  "m16n8k8.row.col.f32.tf32.tf32.f32",   80, uint32_t, float,  "r", "+f", 16, 8,  4, 2, 4)
MMA(bf16_m16n8k16, "m16n8k16.row.col.f32.bf16.bf16.f32",  80, uint32_t, float,  "r", "+f", 16, 16, 4, 2, 4)
MMA_OF(fp16_m8n8k4, "m8n8k4.row.col.f32.f16.f16.f32",     70, uint32_t, float,  "r", "+f", 8,  4,  2, 2, 8,
       8, 2, quads_fp32)
MMA(fp16_m16n8k8,  "m16n8k8.row.col.f32.f16.f16.f32",     75, uint32_t, float,  "r", "+f", 16, 8,  2, 1, 4)
MMA(fp16_m16n8k16, "m16n8k16.row.col.f32.f16.f16.f32",    80, uint32_t, float,  "r", "+f", 16, 16, 4, 2, 4)
MMA_OF(acc16_m8n8k4, "m8n8k4.row.col.f16.f16.f16.f16", 70, uint32_t, uint32_t, "r", "+r", 8,  4,  2, 2, 4,
       8, 2, quads_fp16)
MMA(acc16_m16n8k8, "m16n8k8.row.col.f16.f16.f16.f16",  75, uint32_t, uint32_t, "r", "+r", 16, 8,  2, 1, 2)
MMA(acc16_m16n8k16, "m16n8k16.row.col.f16.f16.f16.f16", 80, uint32_t, uint32_t, "r", "+r", 16, 16, 4, 2, 2)
MMA(fp8_m16n8k32,  "m16n8k32.row.col.f32.e4m3.e4m3.f32",  89, uint32_t, float,  "r", "+f", 16, 32, 4, 2, 4)
MMA(int8_m8n8k16,  "m8n8k16.row.col.s32.s8.s8.s32",       75, uint32_t, int,    "r", "+r", 8,  16, 1, 1, 2)
MMA(int8_m16n8k32, "m16n8k32.row.col.s32.s8.s8.s32",      80, uint32_t, int,    "r", "+r", 16, 32, 4, 2, 4)
// clang-format on

#ifdef __CUDA_ARCH__
static constexpr int code_arch = __CUDA_ARCH__ / 10;
#else
static constexpr int code_arch = 0;
#endif

/* mma.sync of FP8 needs PTX ISA 8.4, which CUDA 12.4 introduced; clang 18 and later generate it. */
#if defined(__CUDACC_VER_MAJOR__) &&                                                       \
    100 * __CUDACC_VER_MAJOR__ + __CUDACC_VER_MINOR__ < 1204
static constexpr bool knows_fp8 = false;
#else
static constexpr bool knows_fp8 = true;
#endif
template <class Op> static constexpr bool is_known = true;
template <> constexpr bool is_known<fp8_m16n8k32> = knows_fp8;

/* Loads N fragments of R words per lane, of pieces of 8 * HALVES rows (columns of B). */
template <class Op, int HALVES, int N, int R, class Word>
static __device__ __forceinline__ void kernels_mma_load_fragments(Word (&x)[N][R],
                                                                  const Word *rows)
{
    const int lane = threadIdx.x % 32;
    constexpr bool by_quads = Op::THREADS < 32;
    const int row = by_quads ? lane % 4 + lane / 16 * 4 : lane / 4,
              word = by_quads ? 0 : lane % 4;
#pragma unroll
    for (int i = 0; i < N; i++)
#pragma unroll
        for (int r = 0; r < R; r++)
            x[i][r] = rows[(8 * (i * HALVES + r % HALVES) + row) * Op::WORDS + word +
                           (by_quads ? 1 : 4) * (r / HALVES)];
}

/* One instruction on each accumulator. */
template <class Op, int I, int J>
static __device__ __forceinline__ void sweep(typename Op::acc (&c)[I][J][Op::NC],
                                             const typename Op::word (&a)[I][Op::NA],
                                             const typename Op::word (&b)[J][Op::NB])
{
#pragma unroll
    for (int i = 0; i < I; i++)
#pragma unroll
        for (int j = 0; j < J; j++)
            Op::step(c[i][j], a[i], b[j]);
}

template <int N, int R, class Word>
static __device__ __forceinline__ void swap_fragments(Word (&x)[N][R], Word (&y)[N][R])
{
#pragma unroll
    for (int i = 0; i < N; i++)
#pragma unroll
        for (int r = 0; r < R; r++) {
            Word kept = x[i][r];
            x[i][r] = y[i][r];
            y[i][r] = kept;
        }
}

/* The fragments stay in registers, as in a matrix product, where each A meets J columns and each B I rows. */
template <class Op, int I, int J, int S>
static __device__ __forceinline__ void
run_passes(const struct ert_cuda_arguments &arguments)
{
    constexpr int halves = Op::M / 8, columns = J * Op::N, in_warp = 32 / Op::THREADS;
    const unsigned int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const unsigned int first =
        (warp * in_warp + threadIdx.x / 4 % in_warp) * (I * Op::M * columns);
    const typename Op::word *rows = (const typename Op::word *)arguments.r1;
    typename Op::word a[I][Op::NA], minus_a[I][Op::NA], b[J][Op::NB];
    typename Op::acc c[I][J][Op::NC];
    kernels_mma_load_fragments<Op, halves>(a, rows);
    kernels_mma_load_fragments<Op, halves>(minus_a, rows + I * Op::M * Op::WORDS);
    kernels_mma_load_fragments<Op, 1>(b, (const typename Op::word *)arguments.r2);
#pragma unroll
    for (int t = 0; t < I * J; t++)
        set_starts<typename Op::layout>(c[t / J][t % J], first, t / J * Op::M,
                                        t % J * Op::N, columns, arguments.n_starts);
    mark_clock(arguments);
#pragma unroll 1
    for (unsigned int pass = 0; pass < arguments.passes; pass++) {
#pragma unroll
        for (int s = 0; s < S; s++)
            sweep<Op, I, J>(c, s % 2 ? minus_a : a, b);
        swap_fragments(a, minus_a); /* S is odd: the next pass begins with the other sign */
    }
    mark_clock(arguments);
#pragma unroll
    for (int t = 0; t < I * J; t++)
        store_results<typename Op::layout>(c[t / J][t % J], arguments.w, first,
                                           t / J * Op::M, t % J * Op::N, columns);
}

/* Empty in code for architectures that lack the instruction: tensor.cu does not offer it there. */
template <class Op, int I, int J, int S, int THREADS>
static __global__ void __launch_bounds__(THREADS)
    mma_kernel(struct ert_cuda_arguments arguments)
{
    static_assert(S % 2 == 1, "a pass must leave the other sign");
    if constexpr (code_arch >= Op::CC && is_known<Op>)
        run_passes<Op, I, J, S>(arguments);
}

// clang-format off
/* The kernel's shape, from the same constants. */
template <class Op, int I, int J, int S>
static constexpr struct ert_cuda_shape mma_shape = {
    Op::CC, false, Op::THREADS, I * Op::M, J * Op::N, Op::K, S, Op::WORDS * sizeof(typename Op::word),
    sizeof(typename Op::acc) / elements_of<typename Op::acc>, 0, Op::CC_UNIT};

#define ROW(kernel, op, name, blocks, threads, i, j, s)                                    \
    {                                                                                      \
        ERT_KERNEL_mma_##kernel, ERT_PATH_NONE, 0, name, ert_cuda_tensor_kind(), threads,  \
            blocks, 0, (i) * (j), s,                                                       \
            is_known<op> ? (const void *)mma_kernel<op, i, j, s, threads> : NULL, 0,       \
            false, &mma_shape<op, i, j, s>                                                 \
    }

/* Instruction, name, blocks per SM, threads, I, J, S; ascending in cc, then in size. */
ERT_CUDA_KERNEL(mma_fp64,
    ROW(fp64,       fp64_m8n8k4,    "m8n8k4, 4x256, 2x4 tiles",   4, 256, 2, 4, 15),
    ROW(fp64,       fp64_m16n8k16,  "m16n8k16, 2x256, 1x4 tiles", 2, 256, 1, 4, 15))
ERT_CUDA_KERNEL(mma_tf32,
    ROW(tf32,       tf32_m16n8k8,   "m16n8k8, 2x256, 4x4 tiles",  2, 256, 4, 4, 15))
ERT_CUDA_KERNEL(mma_bf16,
    ROW(bf16,       bf16_m16n8k16,  "m16n8k16, 1x256, 4x8 tiles", 1, 256, 4, 8, 15))
ERT_CUDA_KERNEL(mma_fp16,
    ROW(fp16,       fp16_m8n8k4,    "m8n8k4, 2x256, 2x4 tiles",   2, 256, 2, 4, 15),
    ROW(fp16,       fp16_m16n8k8,   "m16n8k8, 2x256, 2x4 tiles",  2, 256, 2, 4, 15),
    ROW(fp16,       fp16_m16n8k16,  "m16n8k16, 1x256, 4x8 tiles", 1, 256, 4, 8, 15))
ERT_CUDA_KERNEL(mma_fp16_acc16,
    ROW(fp16_acc16, acc16_m8n8k4,   "m8n8k4, 2x256, 4x4 tiles",   2, 256, 4, 4, 15),
    ROW(fp16_acc16, acc16_m16n8k8,  "m16n8k8, 2x256, 2x4 tiles",  2, 256, 2, 4, 15),
    ROW(fp16_acc16, acc16_m16n8k16, "m16n8k16, 1x256, 4x8 tiles", 1, 256, 4, 8, 15))
ERT_CUDA_KERNEL(mma_fp8,
    ROW(fp8,        fp8_m16n8k32,   "m16n8k32, 2x256, 2x4 tiles", 2, 256, 2, 4, 1),
    ROW(fp8,        fp8_m16n8k32,   "m16n8k32, 1x256, 2x8 tiles", 1, 256, 2, 8, 1))
ERT_CUDA_KERNEL(mma_int8,
    ROW(int8,       int8_m8n8k16,   "m8n8k16, 2x256, 2x4 tiles",  2, 256, 2, 4, 15),
    ROW(int8,       int8_m16n8k32,  "m16n8k32, 1x256, 4x4 tiles", 1, 256, 4, 4, 15))
// clang-format on
