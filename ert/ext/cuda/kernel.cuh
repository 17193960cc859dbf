/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel: code that the kernels share: clock marks and sums of loaded bits. Device code only. */
#ifndef ERT_BACKEND_CUDA_KERNEL_CUH
#define ERT_BACKEND_CUDA_KERNEL_CUH

#include "ert/ext/cuda/rows.cuh"

#include <cuda_runtime.h>

/*
 * Records the earliest and latest readings of SM 0's cycle counter and the GPU's nanosecond timer in a
 * launch; their differences give the clock. One SM, because counters of different SMs have different
 * origins; only thread 0 of its blocks, so that the cost is negligible.
 */
static __device__ __forceinline__ void
mark_clock(const struct ert_cuda_arguments &arguments)
{
    unsigned int sm;
    unsigned long long time_ns;
    if (threadIdx.x != 0)
        return;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (sm != 0)
        return;
    unsigned long long cycles = (unsigned long long)clock64();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time_ns));
    atomicMin(&arguments.marks[0], cycles);
    atomicMin(&arguments.marks[1], time_ns);
    atomicMax(&arguments.marks[2], cycles);
    atomicMax(&arguments.marks[3], time_ns);
}

/* Adds the warp's sums modulo 2^32 into one of the session's partial sums. */
static __device__ __forceinline__ void add_sum(const struct ert_cuda_arguments &arguments,
                                               unsigned int sum)
{
#if __CUDA_ARCH__ >= 800
    sum = __reduce_add_sync(0xffffffffu, sum);
#else
    for (int distance = 16; distance > 0; distance /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, distance);
#endif
    unsigned int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (threadIdx.x % 32 == 0)
        atomicAdd(&arguments.sums[warp % ERT_CUDA_SUMS], sum);
}

/* Loads that bypass L1 (PTX ISA, "Cache operators": .cg). In PTX, because clang lacks __ldcg(). */
#define LOAD_L2(T, Register, text, to, ...)                                                \
    static __device__ __forceinline__ T load_l2(const T *from)                             \
    {                                                                                      \
        Register value;                                                                    \
        asm volatile("ld.global.cg." text ", [%" to "];" : __VA_ARGS__ : "l"(from));       \
        return (T)value;                                                                   \
    }
// clang-format off
LOAD_L2(unsigned char,  unsigned int,   "u8 %0",  "1", "=r"(value))
LOAD_L2(unsigned short, unsigned short, "u16 %0", "1", "=h"(value))
LOAD_L2(unsigned int,   unsigned int,   "u32 %0", "1", "=r"(value))
LOAD_L2(uint64_t,       uint64_t,       "u64 %0", "1", "=l"(value))
LOAD_L2(uint2,          uint2,          "v2.u32 {%0,%1}", "2", "=r"(value.x), "=r"(value.y))
LOAD_L2(uint4,          uint4,          "v4.u32 {%0,%1,%2,%3}", "4", "=r"(value.x),
        "=r"(value.y), "=r"(value.z), "=r"(value.w))
LOAD_L2(double2,        double2,        "v2.f64 {%0,%1}", "2", "=d"(value.x), "=d"(value.y))
// clang-format on

/* A store that L2 evicts first (.cs). In PTX, because clang lacks __stcs(). */
static __device__ __forceinline__ void store_evict_first(double2 *to, double2 value)
{
    asm volatile("st.global.cs.v2.f64 [%0], {%1,%2};"
                 :
                 : "l"(to), "d"(value.x), "d"(value.y)
                 : "memory");
}

/* The sum of a vector's four words: every bit loaded affects the result. */
static __device__ __forceinline__ unsigned int add_words(uint4 vector)
{
    return vector.x + vector.y + vector.z + vector.w;
}

#endif
