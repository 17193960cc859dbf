/*
 * device: what the kernels share: clock marks and sums of loaded bits. Device code only.
 */
#ifndef ERT_BACKEND_CUDA_DEVICE_CUH
#define ERT_BACKEND_CUDA_DEVICE_CUH

#include "ert/backend/cuda/rows.h"

#include <cuda_runtime.h>

/*
 * Records SM 0's cycle counter and the GPU's nanosecond timer: earliest and latest of the
 * launch, so that their differences give the clock that was held. One SM, because counters
 * of different SMs have different origins; thread 0 of its blocks only, so that the cost
 * vanishes.
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

/* The four words of a vector, added: every bit loaded lands in the result. */
static __device__ __forceinline__ unsigned int add_words(uint4 vector)
{
    return vector.x + vector.y + vector.z + vector.w;
}

#endif
