/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compute kernels of the CUDA cores: chains in registers. Each thread has C independent chains with two
 * alternating pairs of constants (expected.h), and no memory access between the first and the last value. One
 * pass is S steps of every chain, unrolled: C*S operations and three instructions of the loop.
 *
 * Chains start from different run-time values, since the compiler merges equal ones. Constants are run-time
 * values too; otherwise it would fold two steps into one.
 */
#include "ert/core/backend/expected.h"
#include "ert/ext/cuda/kernel.cuh"
#include "ert/ext/cuda/session.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

/* The number of chains that share a register, or a pair: two for the packed types. */
template <class T> struct chain_register {
    enum { LANES = 1 };
};
template <> struct chain_register<__half2> {
    enum { LANES = 2 };
};
template <> struct chain_register<__nv_bfloat162> {
    enum { LANES = 2 };
};
template <> struct chain_register<float2> {
    enum { LANES = 2 };
};

/* The low bits of `bits` as a value of the type. */
template <class T> static __device__ __forceinline__ T of_bits(uint64_t bits)
{
    T value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/*
 * Where a loop keeps its constants: in uniform registers, which all threads share, as far as an instruction
 * can read one of those; or in each thread's own registers, so that an FMA reads two or three registers of
 * its thread. The compiler decides by the origin of the constants: arguments go into uniform registers,
 * values loaded from memory do not.
 */
enum home { UNIFORM, VECTOR };

/* Constant k: a, b, c or d. */
template <class T, enum home HOME>
static __device__ __forceinline__ T constant(const struct ert_cuda_arguments &arguments,
                                             int k)
{
    return of_bits<T>(HOME == UNIFORM ? arguments.bits[k] : arguments.loaded[k]);
}

/* The start value of register i of a thread. All threads together use the start values in turn. */
template <class T, int C>
static __device__ __forceinline__ T first_value(const struct ert_cuda_arguments &arguments,
                                                unsigned int thread, int i)
{
    const unsigned int n = arguments.n_starts / chain_register<T>::LANES;
    return ((const T *)arguments.starts)[(thread * C + i) & (n - 1)];
}

template <class Even, class Odd, class T, enum home HOME, int C, int S>
static __global__ void __launch_bounds__(1024) chains(struct ert_cuda_arguments arguments)
{
    const T a = constant<T, HOME>(arguments, 0);
    const T b = constant<T, HOME>(arguments, 1);
    const T c = constant<T, HOME>(arguments, 2);
    const T d = constant<T, HOME>(arguments, 3);
    const unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;
    T x[C];
#pragma unroll
    for (int i = 0; i < C; i++)
        x[i] = first_value<T, C>(arguments, thread, i);
    mark_clock(arguments);
#pragma unroll 1
    for (unsigned int pass = 0; pass < arguments.passes; pass++) {
#pragma unroll
        for (int s = 0; s < S; s += 2) {
#pragma unroll
            for (int i = 0; i < C; i++)
                x[i] = Even::step(x[i], a, b);
#pragma unroll
            for (int i = 0; i < C; i++)
                x[i] = Odd::step(x[i], c, d);
        }
    }
    mark_clock(arguments);
    /* Register i of all threads is stored contiguously, so that stores are whole lines. */
    T *out = (T *)arguments.w + thread;
#pragma unroll
    for (int i = 0; i < C; i++)
        out[(size_t)i * gridDim.x * blockDim.x] = x[i];
}

/*
 * FP64 and FP32 on the CUDA cores.
 *   fma x = a*x + b; x = c*x + d   2 flops per step
 *   add x = x + b; x = x + d       1
 *   mul x = a*x; x = c*x           1
 *   fma-3reg: fma with separate a, b, c, d for every chain
 * Bound: lanes of the unit per clock. FP32 needs every issue slot of an SM, so the loop's own instructions
 * count: about five slots, two of them for the branch. On an H200, bodies of 512 additions lost 1.06 %, of
 * 1024 0.64 %, of which 0.15 % at the region's ends. Hence bodies have thousands of instructions of 16 bytes;
 * the variants show how many of them the instruction caches of an SM deliver at full rate.
 */

/*
 * FP16 and bfloat16: a register holds two elements, so one instruction does two operations of the row (FMA: 4
 * flops). Bound: every issue slot where an SM has 256 lanes per clock (cc 8.0, 9.0), elsewhere the lanes.
 *   fma x = a*x + x; x = c*x + x   2 flops per element and step; add and mul as above
 *
 * Bfloat16 has a multiply-add from cc 8.0 on, addition and multiplication from 9.0 on (CUDA Math API). Before
 * 9.0 these are FMAs with 1 or -0, so measuring them would repeat the FMA kernel. CUDA 11 has these functions
 * only in code for cc 8.0 and later; older GPUs do not run the rows (cc_least).
 */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define OF_BF16(x, ...) x
#else
#define OF_BF16(x, ...) __VA_ARGS__
#endif

/* One instruction in code for cc 10.x, FFMA2; else two, which do the same. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000 && !defined(__clang__)
#define FMA2(a, b, c) __ffma2_rn(a, b, c)
#else
#define FMA2(a, b, c) make_float2(fmaf(a.x, b.x, c.x), fmaf(a.y, b.y, c.y))
#endif

/* One step of an operation on a type. */
#define STEP(T, ...)                                                                       \
    static __device__ T step(T x, T scale, T offset)                                       \
    {                                                                                      \
        (void)x, (void)scale, (void)offset;                                                \
        return __VA_ARGS__;                                                                \
    }

struct fma_op {
    STEP(double, fma(scale, x, offset))
    STEP(float, fmaf(scale, x, offset))
    STEP(float2, FMA2(scale, x, offset))
    STEP(__half2, __hfma2(x, scale, x))
    STEP(__nv_bfloat162, OF_BF16(x, __hfma2(x, scale, x)))
};
/* The _rn forms are never fused or reordered. */
struct add_op {
    STEP(double, __dadd_rn(x, offset))
    STEP(float, __fadd_rn(x, offset))
    STEP(__half2, __hadd2_rn(x, offset))
    STEP(__nv_bfloat162, OF_BF16(x, __hadd2_rn(x, offset)))
    STEP(uint32_t, x + offset)
};
struct mul_op {
    STEP(double, __dmul_rn(scale, x))
    STEP(float, __fmul_rn(scale, x))
    STEP(__half2, __hmul2_rn(scale, x))
    STEP(__nv_bfloat162, OF_BF16(x, __hmul2_rn(scale, x)))
};

/*
 * Division, reciprocal and square root as `/`, `1 / x` and `sqrt` compile by default: IEEE, rounded to
 * nearest. Each counts as one operation, however many instructions it takes.
 *   div  x = a / x        FP64: MUFU and 8 DFMA or DMUL; FP32: MUFU and 5 FFMA
 *   rcp  x = 1 / x        FP64: MUFU and 5 DFMA; FP32: MUFU, 2 FFMA and an addition
 *   sqrt x = sqrt(b - x)  a subtraction; FP64: MUFU and 8 DFMA or DMUL; FP32: MUFU and 4 FFMA or FMUL
 * Values stay in (0.6, 4), for which the code takes the short path; the tests for the long path are a part of
 * the operation. Bound: FP64 lanes where there are few; elsewhere issue slots, of which an operation takes 10
 * to 20, and the special function unit (MUFU).
 */
struct div_op {
    STEP(double, __ddiv_rn(scale, x))
    STEP(float, __fdiv_rn(scale, x))
};
struct rcp_op {
    STEP(double, __drcp_rn(x))
    STEP(float, __frcp_rn(x))
};
struct sqrt_op {
    STEP(double, __dsqrt_rn(__dsub_rn(offset, x)))
    STEP(float, __fsqrt_rn(__fsub_rn(offset, x)))
};

/*
 * 32-bit integers, and the issue rate of instructions.
 *   mad   x = a*x + b; x = c*x + d   2 ops per step, one IMAD
 *   add   x = x + b; x = x ^ d       1 op per step, alternately an addition and an exclusive or
 *   issue FP32 chains (x = a*x + b; x = c*x + d) alternate with integer chains (x = x + e; x = x ^ e);
 *         1/32 warp instruction per thread, chain and step
 * Bound of mad and add: lanes of the unit per clock. Bound of issue: one instruction per clock and scheduler.
 * FMAs and logic use different pipes. Where a pipe has 16 lanes per scheduler (FP32: cc 7.x, 8.0; integers:
 * all) it takes every second issue slot, so both together fill all slots. The loop's own instructions are not
 * counted.
 */
struct mad_op {
    static __device__ uint32_t step(uint32_t x, uint32_t scale, uint32_t offset)
    {
        x = scale * x + offset;
        /* Generates no code; without it nvcc 13 takes minutes over 1024 of these for cc 10 and later. */
        asm("" : "+r"(x));
        return x;
    }
};
struct xor_op {
    STEP(uint32_t, x ^ offset)
};

/*
 * As chains(), but no two consecutive FMAs share a register: each reads three of 64 bits. The chains'
 * constants are equal, but the loads are volatile, so that the compiler cannot know it.
 */
template <class T, int C, int S>
static __global__ void __launch_bounds__(256)
    chains_apart(struct ert_cuda_arguments arguments)
{
    const unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;
    /* + 0, but computed from the thread: what all threads share would go into uniform registers. */
    const volatile uint64_t *loaded = arguments.loaded + thread / (gridDim.x * blockDim.x);
    T x[C], constants[C][4];
#pragma unroll
    for (int i = 0; i < C; i++) {
        x[i] = first_value<T, C>(arguments, thread, i);
#pragma unroll
        for (int k = 0; k < 4; k++)
            constants[i][k] = of_bits<T>(loaded[k]);
    }
    mark_clock(arguments);
#pragma unroll 1
    for (unsigned int pass = 0; pass < arguments.passes; pass++)
#pragma unroll
        for (int s = 0; s < S; s++)
#pragma unroll
            for (int i = 0; i < C; i++)
                x[i] = fma_op::step(x[i], constants[i][s % 2 * 2],
                                    constants[i][s % 2 * 2 + 1]);
    mark_clock(arguments);
    T *out = (T *)arguments.w + thread;
#pragma unroll
    for (int i = 0; i < C; i++)
        out[(size_t)i * gridDim.x * blockDim.x] = x[i];
}

/* Even chains are floats, odd ones integers: C/2 of each. */
template <int C, int S>
static __global__ void __launch_bounds__(1024) issue(struct ert_cuda_arguments arguments)
{
    const float a = of_bits<float>(arguments.bits[0]);
    const float b = of_bits<float>(arguments.bits[1]);
    const float c = of_bits<float>(arguments.bits[2]);
    const float d = of_bits<float>(arguments.bits[3]);
    const uint32_t e = of_bits<uint32_t>(arguments.bits[4]);
    const unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;
    float x[C / 2];
    uint32_t n[C / 2];
#pragma unroll
    for (int i = 0; i < C / 2; i++) {
        x[i] = first_value<float, C>(arguments, thread, 2 * i);
        n[i] = first_value<uint32_t, C>(arguments, thread, 2 * i + 1);
    }
    mark_clock(arguments);
#pragma unroll 1
    for (unsigned int pass = 0; pass < arguments.passes; pass++) {
#pragma unroll
        for (int s = 0; s < S; s += 2) {
#pragma unroll
            for (int i = 0; i < C / 2; i++) {
                x[i] = fmaf(a, x[i], b);
                n[i] = n[i] + e;
            }
#pragma unroll
            for (int i = 0; i < C / 2; i++) {
                x[i] = fmaf(c, x[i], d);
                n[i] = n[i] ^ e;
            }
        }
    }
    mark_clock(arguments);
    uint32_t *out = (uint32_t *)arguments.w + thread;
    const size_t n_threads = (size_t)gridDim.x * blockDim.x;
#pragma unroll
    for (int i = 0; i < C / 2; i++) {
        out[2 * i * n_threads] = __float_as_uint(x[i]);
        out[(2 * i + 1) * n_threads] = n[i];
    }
}

/* Start values and constants of chains, and their exact final values, bit for bit (expected.h). */

enum { WARP_THREADS = 32, MAX_BLOCK_WARPS = 32 };
/*
 * Shared memory that CUDA reserves in each block from cc 8.0 on (CUDA C++ Programming Guide, compute
 * capabilities), and the largest unit in which it is allocated (cc 7.x; later 128).
 */
enum { RESERVED_BYTES = 1024, UNIT_BYTES = 256 };

/* The bits of a value of the type, below others of 0. */
template <class T> static uint64_t bits_of(double value)
{
    const T typed = static_cast<T>(value);
    uint64_t bits = 0;
    memcpy(&bits, &typed, sizeof typed); /* little endian: the low bytes */
    return bits;
}

/*
 * A register of a thread holds `lanes` chains; register r of all threads is stored contiguously. Chain c of
 * thread t started from starts[(t * n_chains + c) % n_expected].
 */
template <class Word>
static __global__ void chains_check_chains(const void *values, const void *expected,
                                           uint32_t n_expected, uint32_t n_threads,
                                           uint32_t n_chains, uint32_t lanes,
                                           struct ert_cuda_finding *finding)
{
    uint32_t stride = gridDim.x * blockDim.x;
    for (uint32_t t = blockIdx.x * blockDim.x + threadIdx.x; t < n_threads; t += stride)
        for (uint32_t c = 0; c < n_chains; c++) {
            size_t place = ((size_t)(c / lanes) * n_threads + t) * lanes + c % lanes;
            uint32_t start = (t * n_chains + c) % n_expected;
            if (((const Word *)values)[place] == ((const Word *)expected)[start])
                continue;
            atomicMin(&finding->first, (unsigned long long)t * n_chains + c);
            atomicAdd(&finding->count, 1ull);
        }
}

/* Chains of a type: bytes of one, how many share a register, and the bits of a value of the type. */
static const struct chain_type {
    enum ert_type type;
    uint32_t size_bytes, lanes;
    uint64_t (*bits)(double value);
    void (*check)(const void *values, const void *expected, uint32_t n_expected,
                  uint32_t n_threads, uint32_t n_chains, uint32_t lanes,
                  struct ert_cuda_finding *finding);
} types[] = {
    {ERT_FP64,  8, 1, bits_of<double>,        chains_check_chains<uint64_t>},
    {ERT_FP32,  4, 1, bits_of<float>,         chains_check_chains<uint32_t>},
    {ERT_FP16,  2, 2, bits_of<__half>,        chains_check_chains<uint16_t>},
    {ERT_BF16,  2, 2, bits_of<__nv_bfloat16>, chains_check_chains<uint16_t>},
    {ERT_INT32, 4, 1, bits_of<uint32_t>,      chains_check_chains<uint32_t>},
 /* of instructions bits() is of the constants */
    {ERT_INST,  4, 1, bits_of<float>,         chains_check_chains<uint32_t>},
};

/* NULL if there are no chains of the kernel's type. */
static const struct chain_type *type_of(enum ert_kernel_id kernel)
{
    static const struct chain_type pairs = {ERT_FP32, 4, 2, bits_of<float>,
                                            chains_check_chains<uint32_t>};
    if (kernel == ERT_KERNEL_fma2_fp32)
        return &pairs;
    for (const struct chain_type &type : types)
        if (type.type == ert_kernel_row(kernel)->type)
            return &type;
    return NULL;
}

static bool chains_knows(enum ert_kernel_id kernel)
{
    return type_of(kernel) != NULL;
}

static double value_after(enum ert_kernel_id kernel, uint32_t index, uint64_t steps)
{
    enum ert_kernel_id chain = ert_expected_kernel(kernel, index);
    return ert_expected_after(chain, ert_expected_start(chain, index), steps);
}

/* Copies to the device the values of the chains from all start values after `steps` steps. */
static enum ert_status copy_values(struct ert_session *session, uint64_t *to,
                                   uint64_t steps, struct ert_error *error)
{
    enum ert_kernel_id kernel = session->row->kernel;
    uint32_t size_bytes = type_of(kernel)->size_bytes;
    unsigned char values[ERT_CUDA_STARTS * sizeof(uint64_t)];
    for (uint32_t i = 0; i < ERT_CUDA_STARTS; i++) {
        uint64_t bits =
            type_of(ert_expected_kernel(kernel, i))->bits(value_after(kernel, i, steps));
        memcpy(values + i * size_bytes, &bits, size_bytes);
    }
    return ert_cuda_upload(session, to, values, (size_t)ERT_CUDA_STARTS * size_bytes,
                           "copying the chains' values", error);
}

/* Sets the constants, in the arguments and in memory. */
static enum ert_status set_constants(struct ert_session *session, struct ert_error *error)
{
    const struct chain_type *type = type_of(session->row->kernel);
    struct ert_constants constants =
        ert_expected_constants(ert_expected_kernel(session->row->kernel, 0));
    const double values[ERT_CUDA_CONSTANTS] = {constants.a, constants.b, constants.c,
                                               constants.d};
    struct ert_cuda_arguments *arguments = &session->arguments;
    for (uint32_t i = 0; i < ERT_CUDA_CONSTANTS; i++) {
        uint64_t bits = type->bits(values[i]);
        arguments->bits[i] = type->lanes == 2 ? bits << 8 * type->size_bytes | bits : bits;
    }
    arguments->bits[4] = bits_of<uint32_t>(ert_expected_constants(ERT_KERNEL_add_int32).b);
    arguments->loaded = session->constants;
    SESSION_TRY(cudaMemcpyAsync(session->constants, arguments->bits,
                                ERT_CUDA_CONSTANTS * sizeof *session->constants,
                                cudaMemcpyHostToDevice, session->stream),
                "copying the chains' constants");
    return ERT_OK;
}

/*
 * Sets blocks per SM and threads per block for a number of warps per SM: the fewest blocks that divide the
 * warps evenly. Each block takes so much shared memory that no more blocks fit on an SM, so that all SMs get
 * the same number.
 */
static enum ert_status share_warps(struct ert_session *session, uint32_t warps,
                                   uint32_t *blocks, struct ert_error *error)
{
    *blocks = (warps + MAX_BLOCK_WARPS - 1) / MAX_BLOCK_WARPS;
    while (warps % *blocks != 0)
        ++*blocks;
    session->work.threads = warps / *blocks * WARP_THREADS;
    uint64_t share_bytes = (session->shared_per_block_bytes + RESERVED_BYTES) / *blocks /
                           UNIT_BYTES * UNIT_BYTES;
    if (share_bytes <= RESERVED_BYTES)
        return ert_fail(error, ERT_UNAVAILABLE,
                        "%s: %u warps per SM cannot be shared out evenly over few blocks",
                        session->label, warps);
    session->shared_bytes = share_bytes - RESERVED_BYTES;
    return ERT_OK;
}

static enum ert_status chains_size(struct ert_session *session, const struct ert_spec *spec,
                                   struct ert_error *error)
{
    const struct ert_cuda_row *row = session->row;
    const struct ert_kernel *kernel = ert_kernel_row(row->kernel);
    session->blocks_per_sm = row->blocks_per_sm;
    session->work.threads = row->threads;
    if (spec->concurrency)
        ERT_TRY(share_warps(session, spec->concurrency, &session->blocks_per_sm, error));
    session->work.blocks = session->blocks_per_sm * session->n_sms;
    session->n_elements =
        (uint64_t)session->work.blocks * session->work.threads * row->chains;
    session->work.flops_per_pass = (double)session->n_elements * row->steps * kernel->flops;
    if (kernel->type == ERT_INST) /* an instruction of a warp, not of each of its threads */
        session->work.flops_per_pass /= WARP_THREADS;
    session->arguments.w = session->target;
    session->arguments.starts = session->starts;
    session->arguments.n_starts = ERT_CUDA_STARTS;
    ERT_TRY(copy_values(session, session->starts, 0, error));
    return set_constants(session, error);
}

static enum ert_status fits(struct ert_session *session, struct ert_error *error)
{
    const struct ert_cuda_row *row = session->row;
    int held = 0;
    SESSION_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&held, row->function,
                                                              (int)session->work.threads,
                                                              session->shared_bytes),
                "cudaOccupancyMaxActiveBlocksPerMultiprocessor of %s (%s)",
                session->kernel_name, row->name);
    if ((uint32_t)held >= session->blocks_per_sm)
        return ERT_OK;
    return ert_fail(error, ERT_UNAVAILABLE,
                    "%s: %s (%s): %u blocks of %u threads per SM are wanted, it holds %d",
                    session->label, session->kernel_name, row->name, session->blocks_per_sm,
                    session->work.threads, held);
}

static enum ert_status chains_clear(struct ert_session *session, struct ert_error *error)
{
    SESSION_TRY(
        cudaMemsetAsync(session->target, 0xff,
                        session->n_elements * type_of(session->row->kernel)->size_bytes,
                        session->stream),
        "cudaMemsetAsync of the chains' results");
    return ERT_OK;
}

static enum ert_status chains_verify(struct ert_session *session, struct ert_error *error)
{
    const struct ert_cuda_row *row = session->row;
    const struct chain_type *type = type_of(row->kernel);
    uint64_t steps = session->last_passes * row->steps;
    struct ert_cuda_finding finding;
    ERT_TRY(copy_values(session, session->expected, steps, error));
    ERT_TRY(ert_cuda_reset_finding(session, error));
    type->check<<<ERT_CUDA_CHECK_GRID(session)>>>(
        session->target, session->expected, ERT_CUDA_STARTS,
        session->work.blocks * session->work.threads, row->chains, type->lanes,
        session->finding);
    ERT_TRY(ert_cuda_read_finding(session, &finding, error));
    if (finding.count == 0)
        return ERT_OK;
    return ert_fail(
        error, ERT_FAILED,
        "%s: %s (%s): after %llu steps chain %llu does not hold %.17g; %llu of %llu "
        "chains are wrong",
        session->label, session->kernel_name, row->name, (unsigned long long)steps,
        finding.first, value_after(row->kernel, finding.first % ERT_CUDA_STARTS, steps),
        finding.count, (unsigned long long)session->n_elements);
}

/* Counts chains as registers, which hold two 16-bit numbers each. */
static void chains_describe(const struct ert_cuda_row *row, struct ert_code *code)
{
    code->chains /= type_of(row->kernel)->lanes;
}

static const struct ert_cuda_kind registers_kind = {
    .size = chains_size,
    .verify = chains_verify,
    .fits = fits,
    .clear = chains_clear,
    .knows = chains_knows,
    .describe = chains_describe,
    .starts_afresh = true,
};

/*
 * Blocks per SM, threads, registers of chains per thread, operations of the loop's body. The first variant of
 * each kernel fits within the 1024 threads that an SM of cc 7.5 holds.
 */
#define ROW(kernel, cc, name, takes_warps, blocks, threads, n_chains, n_steps, ...)        \
    {                                                                                      \
        ERT_KERNEL_##kernel, ERT_PATH_NONE, 0, name, &registers_kind, threads, blocks, 0,  \
            n_chains, n_steps, (const void *)__VA_ARGS__, cc, takes_warps                  \
    }
#define NAME(blocks, threads, registers, ops)                                              \
#blocks "x" #threads ", " #registers " chains, " #ops " ops"
#define CHAINS(kernel, cc, Even, Odd, T, HOME, blocks, threads, registers, ops)            \
    ROW(kernel, cc, NAME(blocks, threads, registers, ops), false, blocks, threads,         \
        registers *chain_register<T>::LANES, (ops) / (registers),                          \
        chains<Even, Odd, T, HOME, registers, (ops) / (registers)>)
#define FP64(op, ...) CHAINS(op##_fp64, 0, op##_op, op##_op, double, UNIFORM, __VA_ARGS__)
#define FP32(op, ...) CHAINS(op##_fp32, 0, op##_op, op##_op, float, UNIFORM, __VA_ARGS__)
#define FP16(op, cc, home, ...)                                                            \
    CHAINS(op##_fp16, 0, op##_op, op##_op, __half2, home, __VA_ARGS__)
#define BF16(op, cc, home, ...)                                                            \
    CHAINS(op##_bf16, cc, op##_op, op##_op, __nv_bfloat162, home, __VA_ARGS__)

/*
 * For specs with a concurrency, whose warps per SM determine the launch shape: n chains, that is operations
 * that a warp can have in flight. Bodies of 256 operations fit every instruction cache.
 */
#define ILP(kernel, op, T, n)                                                              \
    ROW(kernel, 0, "ilp " #n, true, 1, 32, n, 256 / n,                                     \
        chains<op, op, T, UNIFORM, n, 256 / n>)
#define ILPS(kernel, op, T)                                                                \
    ILP(kernel, op, T, 1), ILP(kernel, op, T, 2), ILP(kernel, op, T, 4),                   \
        ILP(kernel, op, T, 8)

/*
 * Only an FMA reads three registers. With fewer chains, more consecutive FMAs use the same pair of constants,
 * so registers are read less often: on the H200 4 chains of 512 steps reached 99.4 % of the limit, 8 chains
 * of 128 steps 98.9 %. Constants in vector registers and bodies of 4096 (the instruction cache) were slower.
 */
ERT_CUDA_KERNEL(fma_fp64, FP64(fma, 2, 256, 8, 256), ILPS(fma_fp64, fma_op, double))
ERT_CUDA_KERNEL(add_fp64, FP64(add, 2, 256, 8, 256), ILPS(add_fp64, add_op, double))
ERT_CUDA_KERNEL(mul_fp64, FP64(mul, 2, 256, 8, 256))
ERT_CUDA_KERNEL(fma3_fp64, ROW(fma3_fp64, 0, NAME(2, 256, 8, 256), false, 2, 256, 8, 32,
                               chains_apart<double, 8, 32>))
ERT_CUDA_KERNEL(fma_fp32, FP32(fma, 4, 256, 8, 2048), FP32(fma, 8, 256, 4, 2048),
                ILPS(fma_fp32, fma_op, float))
ERT_CUDA_KERNEL(fma2_fp32,
                CHAINS(fma2_fp32, 100, fma_op, fma_op, float2, UNIFORM, 4, 256, 8, 2048))
ERT_CUDA_KERNEL(add_fp32, FP32(add, 4, 256, 8, 2048), FP32(add, 8, 256, 8, 2048))
ERT_CUDA_KERNEL(mul_fp32, FP32(mul, 4, 256, 8, 2048), FP32(mul, 8, 256, 8, 2048))

/*
 * The compiler alternates between the two pipes that have these operations, HFMA2 (HADD2, HMUL2) and
 * HFMA2.MMA; additions and multiplications only if their constants are in vector registers.
 *
 * An FMA at full rate leaves no clock to read twice from one bank of registers (even and odd ones). With
 * three different registers, or two of one bank, the same loop reached between 87 and 111 TFLOP/s on an H200,
 * depending on the allocation of registers. So the FMA adds x itself, and has only shapes for which no
 * instruction has its two registers in one bank.
 */
#define FMA_SHAPES(TYPE)                                                                   \
    TYPE(fma, 80, UNIFORM, 4, 256, 12, 528), TYPE(fma, 80, UNIFORM, 8, 256, 8, 512)
#define SHAPES(TYPE, op)                                                                   \
    TYPE(op, 90, VECTOR, 4, 256, 16, 512), TYPE(op, 90, VECTOR, 4, 256, 16, 1024)
ERT_CUDA_KERNEL(fma_fp16, FMA_SHAPES(FP16))
ERT_CUDA_KERNEL(add_fp16, SHAPES(FP16, add))
ERT_CUDA_KERNEL(mul_fp16, SHAPES(FP16, mul))
ERT_CUDA_KERNEL(fma_bf16, FMA_SHAPES(BF16))
ERT_CUDA_KERNEL(add_bf16, SHAPES(BF16, add))
ERT_CUDA_KERNEL(mul_bf16, SHAPES(BF16, mul))

/* Every operation ends with a branch around the long path, so other warps hide the latency. */
#define DIVISIONS(TYPE, op) TYPE(op, 4, 256, 2, 32), TYPE(op, 8, 256, 1, 32)
ERT_CUDA_KERNEL(div_fp64, DIVISIONS(FP64, div))
ERT_CUDA_KERNEL(rcp_fp64, DIVISIONS(FP64, rcp))
ERT_CUDA_KERNEL(sqrt_fp64, DIVISIONS(FP64, sqrt))
ERT_CUDA_KERNEL(div_fp32, DIVISIONS(FP32, div))
ERT_CUDA_KERNEL(rcp_fp32, DIVISIONS(FP32, rcp))
ERT_CUDA_KERNEL(sqrt_fp32, DIVISIONS(FP32, sqrt))

/* cc 6.x multiplies 32-bit integers in three instructions of 16 bits. */
#define MAD(...) CHAINS(mad_int32, 70, mad_op, mad_op, uint32_t, UNIFORM, __VA_ARGS__)
#define ADD(...) CHAINS(add_int32, 0, add_op, xor_op, uint32_t, UNIFORM, __VA_ARGS__)
#define ISSUE(blocks, threads, registers, ops)                                             \
    ROW(issue, 0, NAME(blocks, threads, registers, ops), false, blocks, threads,           \
        registers, (ops) / (registers), issue<registers, (ops) / (registers)>)
ERT_CUDA_KERNEL(mad_int32, MAD(4, 256, 8, 512), MAD(8, 256, 8, 1024))
ERT_CUDA_KERNEL(add_int32, ADD(4, 256, 8, 512), ADD(8, 256, 8, 1024))
ERT_CUDA_KERNEL(issue, ISSUE(4, 256, 8, 1024), ISSUE(8, 256, 8, 1024))
