/*
 * chains: the compute kernels' one loop. C independent chains per thread in registers, two
 * alternating pairs of constants (orbit.h), no memory between the first and the last value.
 * One pass is S steps of every chain, unrolled: C*S operations and three instructions of
 * loop. Device code only.
 *
 * Chains start from different run-time values: the compiler merges equal ones. Constants
 * are run-time values too, or it would fold two steps into one.
 */
#ifndef ERT_BACKEND_CUDA_CHAINS_CUH
#define ERT_BACKEND_CUDA_CHAINS_CUH

#include "ert/backend/cuda/device.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <string.h>

/*
 * How a register of LANES chains is made: of values, one or two; or of a constant's bits, as
 * the host found them in the kernel's own type (of 16 bits: one value in either half).
 */
template <class T> struct chain_register;

template <> struct chain_register<double> {
    enum { LANES = 1 };
    static __device__ double of_values(double value, double)
    {
        return value;
    }
    static __device__ double of_bits(uint64_t bits)
    {
        return __longlong_as_double((long long)bits);
    }
};

template <> struct chain_register<float> {
    enum { LANES = 1 };
    static __device__ float of_values(double value, double)
    {
        return (float)value;
    }
    static __device__ float of_bits(uint64_t bits)
    {
        return __uint_as_float((unsigned int)bits);
    }
};

template <> struct chain_register<uint32_t> {
    enum { LANES = 1 };
    static __device__ uint32_t of_values(double value, double)
    {
        return (uint32_t)value;
    }
    static __device__ uint32_t of_bits(uint64_t bits)
    {
        return (uint32_t)bits;
    }
};

template <> struct chain_register<__half2> {
    enum { LANES = 2 };
    static __device__ __half2 of_values(double low, double high)
    {
        return __halves2half2(__double2half(low), __double2half(high));
    }
    static __device__ __half2 of_bits(uint64_t bits)
    {
        __half2 value;
        memcpy(&value, &bits, sizeof value); /* one word: halves would be packed again */
        return value;
    }
};

template <> struct chain_register<__nv_bfloat162> {
    enum { LANES = 2 };
    static __device__ __nv_bfloat162 of_values(double low, double high)
    {
        return __halves2bfloat162(__double2bfloat16(low), __double2bfloat16(high));
    }
    static __device__ __nv_bfloat162 of_bits(uint64_t bits)
    {
        __nv_bfloat162 value;
        memcpy(&value, &bits, sizeof value); /* one word: halves would be packed again */
        return value;
    }
};

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
    const uint64_t *loaded = (const uint64_t *)(arguments.starts + arguments.n_starts);
    return chain_register<T>::of_bits(HOME == UNIFORM ? arguments.bits[k] : loaded[k]);
}

/* Register i of a thread holds chains LANES*i and on; all threads' share the starts out. */
template <class T, int C>
static __device__ __forceinline__ T first_values(const struct ert_cuda_arguments &arguments,
                                                 unsigned int thread, int i)
{
    const int lanes = chain_register<T>::LANES;
    unsigned int first = (thread * C + i) * lanes & (arguments.n_starts - 1);
    return chain_register<T>::of_values(arguments.starts[first],
                                        arguments.starts[first + lanes - 1]);
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
        x[i] = first_values<T, C>(arguments, thread, i);
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
 * Rows of chains. CHAINS: the instance of a shape: blocks per SM x threads, registers of
 * chains per thread, operations of the loop's body.
 */
#define CHAINS_ROW(kernel, name, blocks, threads, n_chains, n_steps, ...)                  \
    {                                                                                      \
        ERT_KERNEL_##kernel, ERT_PATH_NONE, 0, name, ERT_CUDA_REGISTERS, threads, blocks,  \
            0, n_chains, n_steps, (const void *)__VA_ARGS__                                \
    }
#define CHAINS_NAME(blocks, threads, registers, ops)                                       \
#blocks "x" #threads ", " #registers " chains, " #ops " ops"
#define CHAINS(kernel, Even, Odd, T, HOME, suffix, blocks, threads, registers, ops)        \
    CHAINS_ROW(kernel, CHAINS_NAME(blocks, threads, registers, ops) suffix, blocks,        \
               threads, registers *chain_register<T>::LANES, (ops) / (registers),          \
               chains<Even, Odd, T, HOME, registers, (ops) / (registers)>)

#endif
