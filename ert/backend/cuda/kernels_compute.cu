/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Compute kernels of the CUDA cores: chains in registers. C independent chains per thread, two alternating
 * pairs of constants (orbit.h), no memory between the first and the last value. One pass is S steps of every
 * chain, unrolled: C*S operations and three instructions of loop.
 *
 * Chains start from different run-time values: the compiler merges equal ones. Constants are run-time
 * values too, or it would fold two steps into one.
 */
#include "ert/backend/cuda/kernel.cuh"
#include "ert/backend/cuda/session.h"
#include "ert/backend/orbit.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

/* Chains that share a register: two of 16 bits, as the types of two say. */
template <class T> struct chain_register {
    enum { LANES = 1 };
};
template <> struct chain_register<__half2> {
    enum { LANES = 2 };
};
template <> struct chain_register<__nv_bfloat162> {
    enum { LANES = 2 };
};

/* The low bits as a value of the type. */
template <class T> static __device__ __forceinline__ T of_bits(uint64_t bits)
{
    T value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/*
 * Where a loop has its constants: in registers that all threads share, as far as an
 * instruction can read one of those; or in each thread's own. An FMA then reads two or three
 * registers of its thread. The compiler decides by how they come: words of the arguments go
 * into uniform registers, what is loaded from memory does not.
 */
enum home { UNIFORM, VECTOR };

/* Constant k: a, b, c or d. */
template <class T, enum home HOME>
static __device__ __forceinline__ T constant(const struct ert_cuda_arguments &arguments,
                                             int k)
{
    return of_bits<T>(HOME == UNIFORM ? arguments.bits[k] : arguments.loaded[k]);
}

/* Register i of a thread: all threads' share the starts out. */
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
    /* Register i of all threads lies together, so that the stores are whole lines. */
    T *out = (T *)arguments.w + thread;
#pragma unroll
    for (int i = 0; i < C; i++)
        out[(size_t)i * gridDim.x * blockDim.x] = x[i];
}

/*
 * FP64 and FP32 on the CUDA cores.
 *   fma x = a*x + b; x = c*x + d   2 flop per step
 *   add x = x + b; x = x + d       1
 *   mul x = a*x; x = c*x           1
 *   fma-3reg: fma with a, b, c, d of its own for every chain
 * Bound: lanes of the unit per clock. FP32 needs every issue slot of an SM, so what the
 * loop itself needs counts: about five slots, of which two are the branch's (seen on an
 * H200: 1.06 % lost with bodies of 512 additions, 0.64 % with 1024, of it 0.15 % the
 * region's ends). Hence bodies of thousands, of 16 bytes each; how much of that the
 * instruction caches of an SM deliver at full rate is what the variants ask.
 */

/*
 * FP16 and bfloat16: two elements to a register, so one instruction is two operations of the row (FMA: 4
 * flop). Bound: where the lanes are 256 per SM and clock (cc 8.0, 9.0) every issue slot; else the lanes.
 *   fma x = a*x + x; x = c*x + x   2 flop per element and step; add and mul as above
 *
 * Bfloat16 has a multiply-add from cc 8.0, addition and multiplication from 9.0 on (CUDA Math API; before,
 * they are FMAs with 1 or -0, which would be measured twice). CUDA 11 has them in code for cc 8.0 and later
 * only; on older GPUs nothing runs them (cc_least).
 */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define OF_BF16(x, ...) x
#else
#define OF_BF16(x, ...) __VA_ARGS__
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
 * Division, reciprocal and square root as `/`, `1 / x` and `sqrt` compile by default: IEEE,
 * rounded to nearest. One operation counts 1, whatever
 * the instructions behind it.
 *   div  x = a / x        FP64: MUFU and 8 DFMA or DMUL; FP32: MUFU and 5 FFMA
 *   rcp  x = 1 / x        FP64: MUFU and 5 DFMA; FP32: MUFU, 2 FFMA and an addition
 *   sqrt x = sqrt(b - x)  a subtraction; FP64: MUFU and 8 DFMA or DMUL; FP32: MUFU and 4
 *                         FFMA or FMUL
 * Values stay in (0.6, 4), where the short path is taken; the tests for the long one belong
 * to the operation. Bound: FP64 lanes where there are few; else issue slots, of which an
 * operation takes 10 to 20, and the special function unit (MUFU).
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
 * 32-bit integers, and instructions as such.
 *   mad   x = a*x + b; x = c*x + d   2 op per step, one IMAD
 *   add   x = x + b; x = x ^ d       1 op per step, an addition and an exclusive or in turn
 *   issue FP32 chains (x = a*x + b; x = c*x + d) and integer chains (x = x + e; x = x ^ e)
 *         in turn; 1/32 warp instruction per thread, chain and step
 * Bound of mad and add: lanes of the unit per clock. Bound of issue: one instruction per
 * clock and scheduler. FMAs and logic go to different pipes, each of which takes every other
 * slot where it has 16 lanes per scheduler (cc 7.x, 8.0: FP32; all: integers), so together
 * they fill all. What the loop needs itself is not counted.
 */
struct mad_op {
    static __device__ uint32_t step(uint32_t x, uint32_t scale, uint32_t offset)
    {
        x = scale * x + offset;
        /* No code: without it nvcc 13 takes minutes over 1024 of these for cc 10 and later. */
        asm("" : "+r"(x));
        return x;
    }
};
struct xor_op {
    STEP(uint32_t, x ^ offset)
};

/*
 * As chains(), but no two FMAs in a row share a register: each reads three of 64 bits. Their constants
 * are equal, but the compiler cannot know: volatile loads.
 */
template <class T, int C, int S>
static __global__ void __launch_bounds__(256)
    chains_apart(struct ert_cuda_arguments arguments)
{
    const unsigned int thread = blockIdx.x * blockDim.x + threadIdx.x;
    /* + 0, of the thread's own: what is the same for all threads would go into uniform registers. */
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

/* Start values and constants of chains, and what they must hold afterwards, bit for bit (orbit.h). */

enum { WARP_THREADS = 32, MAX_BLOCK_WARPS = 32 };
/*
 * Shared memory that CUDA takes of each block from cc 8.0 on (CUDA C++ Programming Guide,
 * compute capabilities), and the largest unit in which it is given out (cc 7.x; 128 later).
 */
enum { RESERVED_BYTES = 1024, UNIT_BYTES = 256 };

static uint64_t fp64_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t fp32_bits(double value)
{
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return bits;
}

/* By memory: in CUDA 11 hosts have no __half_as_ushort() and its like. */
static uint64_t fp16_bits(double value)
{
    const __half half = __double2half(value);
    uint16_t bits;
    memcpy(&bits, &half, sizeof bits);
    return bits;
}

static uint64_t bf16_bits(double value)
{
    const __nv_bfloat16 brief = __double2bfloat16(value);
    uint16_t bits;
    memcpy(&bits, &brief, sizeof bits);
    return bits;
}

static uint64_t int32_bits(double value)
{
    return (uint32_t)value;
}

/*
 * A register of thread t holds `lanes` chains; register r of all threads lies together.
 * Chain c of thread t started from starts[(t * n_chains + c) % n_expected].
 */
template <class Word>
static __global__ void check_chains(const void *values, const void *expected,
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

/* A type's chains: bytes of one, how many share a register; bits of a value of the type. */
static const struct chain_type {
    enum ert_type type;
    uint32_t size_bytes, lanes;
    uint64_t (*bits)(double value);
    void (*check)(const void *values, const void *expected, uint32_t n_expected,
                  uint32_t n_threads, uint32_t n_chains, uint32_t lanes,
                  struct ert_cuda_finding *finding);
} types[] = {
    {ERT_FP64,  8, 1, fp64_bits,  check_chains<uint64_t>},
    {ERT_FP32,  4, 1, fp32_bits,  check_chains<uint32_t>},
    {ERT_FP16,  2, 2, fp16_bits,  check_chains<uint16_t>},
    {ERT_BF16,  2, 2, bf16_bits,  check_chains<uint16_t>},
    {ERT_INT32, 4, 1, int32_bits, check_chains<uint32_t>},
    {ERT_INST,  4, 1, fp32_bits,  check_chains<uint32_t>}, /* bits: of its constants */
};

/* NULL where chains of the kernel's type are not known. */
static const struct chain_type *type_of(enum ert_kernel_id kernel)
{
    for (const struct chain_type &type : types)
        if (type.type == ert_kernel_row(kernel)->type)
            return &type;
    return NULL;
}

static bool knows(enum ert_kernel_id kernel)
{
    return type_of(kernel) != NULL;
}

static double value_after(enum ert_kernel_id kernel, uint32_t index, uint64_t steps)
{
    enum ert_kernel_id orbit = ert_orbit_of(kernel, index);
    return ert_orbit_after(orbit, ert_orbit_start(orbit, index), steps);
}

/* Copies what the chains from all starts hold after so many steps. */
static enum ert_status copy_values(struct ert_session *session, uint64_t *to,
                                   uint64_t steps, struct ert_error *error)
{
    enum ert_kernel_id kernel = session->row->kernel;
    uint32_t size_bytes = type_of(kernel)->size_bytes;
    unsigned char values[ERT_CUDA_STARTS * sizeof(uint64_t)];
    for (uint32_t i = 0; i < ERT_CUDA_STARTS; i++) {
        uint64_t bits =
            type_of(ert_orbit_of(kernel, i))->bits(value_after(kernel, i, steps));
        memcpy(values + i * size_bytes, &bits,
               size_bytes); /* little endian: the low ones */
    }
    return ert_cuda_upload(session, to, values, (size_t)ERT_CUDA_STARTS * size_bytes,
                           "copying the chains' values", error);
}

/* Sets the constants, in both of their homes. */
static enum ert_status set_constants(struct ert_session *session, struct ert_error *error)
{
    const struct chain_type *type = type_of(session->row->kernel);
    struct ert_orbit orbit = ert_orbit_constants(ert_orbit_of(session->row->kernel, 0));
    const double values[ERT_CUDA_CONSTANTS] = {orbit.a, orbit.b, orbit.c, orbit.d};
    struct ert_cuda_arguments *arguments = &session->arguments;
    for (uint32_t i = 0; i < ERT_CUDA_CONSTANTS; i++) {
        uint64_t bits = type->bits(values[i]);
        arguments->bits[i] = type->lanes == 2 ? bits << 16 | bits : bits;
    }
    arguments->bits[4] = int32_bits(ert_orbit_constants(ERT_KERNEL_add_int32).b);
    arguments->loaded = session->constants;
    SESSION_TRY(session, error,
                cudaMemcpyAsync(session->constants, arguments->bits,
                                ERT_CUDA_CONSTANTS * sizeof *session->constants,
                                cudaMemcpyHostToDevice, session->stream),
                "copying the chains' constants");
    return ERT_OK;
}

/*
 * Blocks per SM and their threads for so many warps per SM: as few blocks as can share them
 * evenly. Each takes so much shared memory that an SM holds no more of them, so that all
 * SMs get the same number.
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

static enum ert_status size(struct ert_session *session, const struct ert_spec *spec,
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
    if (kernel->type == ERT_INST) /* of a warp, not of each of its threads */
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
    SESSION_TRY(session, error,
                cudaOccupancyMaxActiveBlocksPerMultiprocessor(&held, row->function,
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

static enum ert_status clear(struct ert_session *session, struct ert_error *error)
{
    SESSION_TRY(
        session, error,
        cudaMemsetAsync(session->target, 0xff,
                        session->n_elements * type_of(session->row->kernel)->size_bytes,
                        session->stream),
        "cudaMemsetAsync of the chains' results");
    return ERT_OK;
}

static enum ert_status verify(struct ert_session *session, struct ert_error *error)
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

/* Two 16-bit numbers to a register: so many chains of registers. */
static void describe(const struct ert_cuda_row *row, struct ert_code *code)
{
    code->chains /= type_of(row->kernel)->lanes;
}

static const struct ert_cuda_kind registers_kind = {
    .size = size,
    .verify = verify,
    .fits = fits,
    .clear = clear,
    .knows = knows,
    .describe = describe,
    .starts_afresh = true,
};

/*
 * Blocks per SM, threads, registers of chains per thread, operations of the loop's body; the first of each
 * kernel fits the 1024 threads that an SM of cc 7.5 holds.
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
 * For cases with a concurrency, whose warps per SM take the place of the shape: so many
 * chains, that is operations a warp can have in flight. Bodies of 256 fit every instruction
 * cache.
 */
#define ILP(kernel, op, T, n)                                                              \
    ROW(kernel, 0, "ilp " #n, true, 1, 32, n, 256 / n,                                     \
        chains<op, op, T, UNIFORM, n, 256 / n>)
#define ILPS(kernel, op, T)                                                                \
    ILP(kernel, op, T, 1), ILP(kernel, op, T, 2), ILP(kernel, op, T, 4),                   \
        ILP(kernel, op, T, 8)

/*
 * Only an FMA reads three registers, so longer runs of one pair of constants, with fewer chains, reread
 * fewer: on the H200 4 chains of 512 steps gave 99.4 % of the limit, 8 chains of 128 steps 98.9 %.
 * Constants in vector registers and bodies of 4096 (the instruction cache) were slower.
 */
ERT_CUDA_KERNEL(fma_fp64, FP64(fma, 2, 256, 8, 256), ILPS(fma_fp64, fma_op, double))
ERT_CUDA_KERNEL(add_fp64, FP64(add, 2, 256, 8, 256), ILPS(add_fp64, add_op, double))
ERT_CUDA_KERNEL(mul_fp64, FP64(mul, 2, 256, 8, 256))
ERT_CUDA_KERNEL(fma3_fp64, ROW(fma3_fp64, 0, NAME(2, 256, 8, 256), false, 2, 256, 8, 32,
                               chains_apart<double, 8, 32>))
ERT_CUDA_KERNEL(fma_fp32, FP32(fma, 4, 256, 8, 2048), FP32(fma, 8, 256, 4, 2048),
                ILPS(fma_fp32, fma_op, float))
ERT_CUDA_KERNEL(add_fp32, FP32(add, 4, 256, 8, 2048), FP32(add, 8, 256, 8, 2048))
ERT_CUDA_KERNEL(mul_fp32, FP32(mul, 4, 256, 8, 2048), FP32(mul, 8, 256, 8, 2048))

/*
 * The compiler alternates between the two pipes that have these operations, HFMA2 (HADD2, HMUL2)
 * and HFMA2.MMA; additions and multiplications only where their constants are in vector registers.
 *
 * A full-rate FMA leaves no clock for reading twice from one bank of registers (even and odd ones).
 * With three different registers, or two of one bank, the same loop gave anything from 87 to
 * 111 TFLOP/s on an H200, as registers were allotted. So the FMA adds x itself, and its shapes are
 * those for which no instruction has its two registers in one bank.
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

/* A branch around the long path ends every operation, so warps hide the latency. */
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
