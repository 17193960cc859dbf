/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * random: the seeded generator of the project (SplitMix64: Steele, Lea and Flood, "Fast splittable
 * pseudorandom number generators", OOPSLA 2014, doi:10.1145/2660193.2660195). The same numbers on
 * every platform, and by index, so that any thread can compute any element.
 */
#ifndef ERT_BASE_RANDOM_H
#define ERT_BASE_RANDOM_H

#include <stdint.h>

#if defined(__CUDACC__)
#define ERT_INLINE __host__ __device__ inline /* kernels compute the same numbers */
#elif defined(__cplusplus)
#define ERT_INLINE inline
#else
#define ERT_INLINE static inline
#endif

/* The index-th 64-bit number of the stream `seed`. */
ERT_INLINE uint64_t ert_random_u64(uint64_t seed, uint64_t index)
{
    uint64_t z = seed + (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* The index-th number of the stream in [0, 1): a multiple of 2^-53. */
ERT_INLINE double ert_random_unit(uint64_t seed, uint64_t index)
{
    return (double)(ert_random_u64(seed, index) >> 11) * 0x1p-53;
}

#endif
