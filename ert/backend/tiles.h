/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tiles: the operands of the tensor kernels, seeded, and what their accumulators must hold, bit for
 * bit. It runs no kernel.
 *
 * A kernel adds A*B to its accumulators in odd sweeps and (-A)*B in even ones, so they return to
 * their start with period two and never grow, and any number of sweeps is predicted by one product
 * in plain loops. All values are integers, stored exactly in the operands' type, and so small that
 * every product and every sum, in any order, is an integer that the accumulators hold exactly:
 * whatever order and rounding a tensor core uses, the result is the same bits.
 *
 * Data decide the power that multipliers draw, and so the clock: zeros and powers of two would show
 * a rate that no program gets. So signs are random, and mantissas fill as many bits as exactness
 * leaves: the highest of them is set in every operand, as in every normalised random number, and the
 * others are random (tiles.c has the bounds).
 */
#ifndef ERT_BACKEND_TILES_H
#define ERT_BACKEND_TILES_H

#include "ert/base/random.h"
#include "ert/kernels/kernel.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the operands are made of. ZERO draws the least power: for comparison, by name only. */
enum ert_tiles_kind { ERT_TILES_RANDOM, ERT_TILES_ZERO };

/* Magnitudes least ... most, times 1, 2 ... 2^shifts; the sign is random. */
struct ert_tiles_range {
    int32_t least, most;
    uint32_t shifts;
};

/* The numbers of one tensor kernel. */
struct ert_tiles_numbers {
    struct ert_tiles_range a, b; /* b of odd k, when paired: up to one beyond */
    int64_t exact_max;           /* accumulators hold every integer up to this exactly */
    uint32_t n_starts; /* start values are in [-n_starts/2, n_starts/2): a power of two */
    uint32_t k_max;    /* products in a sweep's sum, at most: the bounds hold up to here */
    /*
     * Products 2i and 2i+1 cancel but for one pair in sixteen products: for accumulators of few
     * bits, which would else leave the operands next to none.
     */
    bool is_paired;
};

/* The numbers of a kernel of unit "tensor", NULL of any other. */
const struct ert_tiles_numbers *ert_tiles_numbers(enum ert_kernel_id kernel);

/*
 * Fills A (m rows of k) and B (n columns of k, each along k) of a tensor kernel, and products (m
 * rows of n) with A*B, in plain loops. k at most k_max; m, n, k below 65536.
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
 * Writes an integer as one element of the type, ert_type_bytes(type) long, to `to`. The type holds
 * it exactly: FP64, TF32 (as FP32), FP16, BF16, FP8 (E4M3) or INT8.
 */
void ert_tiles_encode(enum ert_type type, int32_t value, void *to);

#ifdef __cplusplus
}
#endif
#endif
