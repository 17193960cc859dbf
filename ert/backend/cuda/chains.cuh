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
