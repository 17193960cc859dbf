/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tiles: seeded operands of the tensor kernels, and the exact values, bit for bit, of their accumulators. It
 * runs no kernel.
 *
 * A kernel adds A*B to its accumulators in odd sweeps and (-A)*B in even ones, so that they return to their
 * start with period two and never grow, and one product in plain loops predicts any number of sweeps. All
 * values are integers that the operands' type represents exactly, and so small that every product and every
 * sum, in any order, is an integer that the accumulators represent exactly: the result is the same bits
 * whatever order and rounding a tensor core uses.
 *
 * The data determine the power that multipliers draw, and so the clock: zeros and powers of two would show a
 * rate that no program gets. So signs are random, and mantissas use as many bits as exactness allows: the
 * highest of them is set in every operand, as in every normalised random number, and the others are random
 * (tiles.c derives the bounds).
 */
#ifndef ERT_BACKEND_CUDA_TILES_H
#define ERT_BACKEND_CUDA_TILES_H

#include "ert/core/base/random.h"
#include "ert/core/kernels/kernel.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The kind of operands. ZERO draws the least power: for comparison, on request only. */
enum ert_tiles_kind { ERT_TILES_RANDOM, ERT_TILES_ZERO };

/* Magnitudes least ... most, times 1, 2 ... 2^shifts; the sign is random. */
struct ert_tiles_range {
    int32_t least, most;
    uint32_t shifts;
};

/* The numbers of one tensor kernel. */
struct ert_tiles_numbers {
    struct ert_tiles_range a, b; /* if paired, b of odd k may exceed it by one */
    int64_t exact_max; /* accumulators represent every integer up to this exactly */
    uint32_t n_starts; /* start values are in [-n_starts/2, n_starts/2): a power of two */
    uint32_t k_max;    /* most products in a sweep's sum for which the bounds hold */
    /*
     * Products 2i and 2i+1 cancel except for one pair in sixteen products: for narrow accumulators, which
     * would otherwise leave the operands hardly any bits.
     */
    bool is_paired;
    uint32_t exponent_bits, fraction_bits; /* of an operand; of integers 0 and 7 */
    bool
        is_packed; /* operands of less than a byte: else 16 of them in 16 bytes, from the first bit on */
};

/* The numbers of a kernel of unit "tensor"; NULL for any other. */
const struct ert_tiles_numbers *ert_tiles_numbers(enum ert_kernel_id kernel);

/*
 * Fills a[m][k] and b[n][k] (B transposed) of a tensor kernel, and products[m][n] with A*B, in plain loops.
 * k at most k_max; m, n, k below 65536.
 */
void ert_tiles_fill(enum ert_kernel_id kernel, enum ert_tiles_kind kind, uint64_t seed,
                    uint32_t m, uint32_t n, uint32_t k, int32_t *a, int32_t *b,
                    int64_t *products);

/* The start value of accumulator `index` of the whole device. */
ERT_INLINE int32_t ert_tiles_start(uint32_t index, uint32_t n_starts)
{
    /* Fibonacci hashing: Knuth, The Art of Computer Programming 3, section 6.4. */
    return (int32_t)((index * 2654435769u >> 10) & (n_starts - 1)) -
           (int32_t)(n_starts / 2);
}

/*
 * Writes an integer as element k of a row of operands of a tensor kernel, TF32 as FP32. Their format must
 * represent it exactly. Bits of elements of less than a byte must be 0 before.
 */
void ert_tiles_encode(enum ert_kernel_id kernel, int32_t value, void *row, uint32_t k);

#ifdef __cplusplus
}
#endif
#endif
