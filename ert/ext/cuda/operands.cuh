/* SPDX-License-Identifier: BSD-3-Clause */
/* operands: of the instructions of one compute capability alone, wgmma and tcgen05. Device code only. */
#ifndef ERT_BACKEND_CUDA_OPERANDS_CUH
#define ERT_BACKEND_CUDA_OPERANDS_CUH

#include <cuda_runtime.h>
#include <stdint.h>

/* The capability if this is code for one alone (sm_90a ...), 10 * major + minor; else 0. */
#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
static constexpr uint32_t own_cc = 90;
#elif defined(__CUDA_ARCH_FEAT_SM100_ALL)
static constexpr uint32_t own_cc = 100;
#elif defined(__CUDA_ARCH_FEAT_SM103_ALL)
static constexpr uint32_t own_cc = 103;
#else
static constexpr uint32_t own_cc = 0;
#endif

/* Of a function that other code does not use: its kernels are empty, and tensor.cu does not offer them. */
#define OWN_CODE [[maybe_unused]] static __device__ __forceinline__

/*
 * Copies n_rows rows of 128 bytes into shared memory, swizzled: the 16-byte piece p of row r is stored as
 * piece p ^ (r % 8), so that eight rows of one column are in different banks.
 */
OWN_CODE void load_swizzled(void *to, const void *from, int n_rows)
{
    for (int i = threadIdx.x; i < n_rows * 8; i += blockDim.x)
        ((uint4 *)to)[i / 8 * 8 + (i % 8 ^ (i / 8 % 8))] = ((const uint4 *)from)[i];
}

/* The block's shared memory from the first multiple of 1024 bytes on, where the swizzle pattern begins. */
OWN_CODE uint8_t *shared_room(void)
{
    extern __shared__ uint8_t room[];
    return room + (1024 - (uint32_t)__cvta_generic_to_shared(room) % 1024) % 1024;
}

/* Makes the threads' writes to shared memory visible to the asynchronous reads of the tensor cores. */
OWN_CODE void publish_shared(void)
{
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
}

#endif
