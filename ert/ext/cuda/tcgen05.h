/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tcgen05: the descriptors of tcgen05.mma (PTX ISA, "Tensorcore 5th Generation Instructions"). The same
 * numbers on the host, for tests.
 */
#ifndef ERT_BACKEND_CUDA_TCGEN05_H
#define ERT_BACKEND_CUDA_TCGEN05_H

#include "ert/core/base/random.h"

/*
 * "Instruction descriptor": dense, no saturation or negation, A and B with k along their rows and of one
 * format: of kind::f16 FP16 0, BF16 1; tf32 2; f8f6f4 and mxf8f6f4 E4M3 0, E5M2 1, E3M2 4, E2M1 5; mxf4 and
 * mxf4nvf4 E2M1 1; i8 signed 1. sum: of accumulators FP32 1, INT32 2; block-scaled 0, the scale's place in
 * its word. scale: UE8M0 1, UE4M3 or none 0. Of k only 96 (FP4 of cc 10.3) is in it.
 */
ERT_INLINE uint32_t ert_tcgen05_instruction(uint32_t format, uint32_t sum, uint32_t scale,
                                            uint32_t k, uint32_t m, uint32_t n)
{
    return sum << 4 | format << 7 | format << 10 | n / 8 << 17 | scale << 23 |
           m / 16 << 24 | (uint32_t)(k == 96) << 31;
}

/*
 * "Shared memory descriptor" of a tile with k along its rows of 128 bytes, swizzled: address / 16 in bits
 * 0-13, 1024 bytes / 16 from one group of 8 rows to the next in bits 32-45, the constant 1 in bits 46-48, 2
 * (128-byte swizzle) in bits 61-63. The leading offset is unused here: 1.
 */
ERT_INLINE uint64_t ert_tcgen05_matrix(uint32_t address)
{
    return (uint64_t)2 << 61 | (uint64_t)1 << 46 | (uint64_t)(1024 / 16) << 32 |
           (uint64_t)1 << 16 | (address & 0x3ffff) / 16;
}

#endif
