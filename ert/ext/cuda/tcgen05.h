/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tcgen05: the descriptors of tcgen05.mma (PTX ISA, "Tensorcore 5th Generation Instructions"). The same
 * numbers on the host, for tests.
 */
#ifndef ERT_BACKEND_CUDA_TCGEN05_H
#define ERT_BACKEND_CUDA_TCGEN05_H

#include "ert/core/base/random.h"

#include <stdint.h>

/* "Instruction descriptor": codes of the formats of A and B, which depend on the kind, and of D. */
enum {
    ERT_TCGEN05_FP16 = 0, /* kind::f16 */
    ERT_TCGEN05_BF16 = 1,
    ERT_TCGEN05_TF32 = 2, /* kind::tf32 */
    ERT_TCGEN05_E4M3 = 0, /* kind::f8f6f4, kind::mxf8f6f4 */
    ERT_TCGEN05_E5M2 = 1,
    ERT_TCGEN05_E3M2 = 4,
    ERT_TCGEN05_E2M1 = 5,
    ERT_TCGEN05_MXF4 = 1, /* E2M1 of kind::mxf4, kind::mxf4nvf4 */
    ERT_TCGEN05_INT8 = 1, /* signed, kind::i8 */

    ERT_TCGEN05_IN_FP32 = 1,
    ERT_TCGEN05_IN_INT32 = 2
};

/* Dense, no saturation or negation, A and B with k along their rows and of one format. */
ERT_INLINE uint32_t ert_tcgen05_instruction(uint32_t format, uint32_t in, uint32_t m,
                                            uint32_t n)
{
    return in << 4 | format << 7 | format << 10 | n / 8 << 17 | m / 16 << 24;
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
