/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * results: the elements that memory kernels leave in w, by the results that kernels.def names. Every backend
 * runs and checks its kernels by this rule and by those of kernel.h (ERT_READS_TARGET and below). So a new
 * result is a rule here, its name and rules in kernel.h, and its name in result_names.inc.
 *
 * Passes run by the million and elements are compared bit for bit, so that w must stay exact. The sources,
 * and the start of a w that is read, are multiples of 2^-48 in [0, 1): sums below 32 are exact, fused or not.
 * What depends on the sources alone is the same after each pass. A w that is read would grow until it rounds,
 * unless each pass adds next to nothing or undoes the one before:
 *   w = b - a*w          a = -1, b = 2^-48: each pass adds 2^-48
 *   w = w + (r1 + a*r2)  a = -1, r1 and r2 change roles with each pass: adds r1 - r2, then r2 - r1
 */
#ifndef ERT_KERNELS_RESULTS_H
#define ERT_KERNELS_RESULTS_H

#include "ert/core/base/random.h"
#include "ert/core/kernels/kernel.h"

#include <stdbool.h>

/* GPUs' elements of the sources, and of the start of w; CPUs' have the same unit (memory.h). */
#define ERT_ELEMENT_UNIT 0x1p-48
ERT_INLINE double ert_element_start(uint64_t seed, uint64_t index)
{
    return (double)(ert_random_u64(seed, index) >> 16) * ERT_ELEMENT_UNIT;
}

/* The scalars a and b of kernels that read w; for others each backend has its own a. */
#define ERT_TARGET_A (-1.0)
#define ERT_TARGET_B ERT_ELEMENT_UNIT

/* What an element depends on besides the arrays. */
struct ert_passes {
    uint64_t n;        /* since the start, at least 1 */
    double a;          /* of the last one */
    bool is_exchanged; /* r1 and r2 in the last one */
};

ERT_INLINE struct ert_passes ert_passes_of(enum ert_result result, uint64_t n, double a)
{
    struct ert_passes passes = {n, a, ERT_EXCHANGES(result) && n % 2 == 0};
    return passes;
}

/* The element by result: host and device compute the same bits. */
#define SUM               return 0; /* no w */
#define ELEMENTS(element) return element;
#define IN_TURN(element)  return element;
#define IN_PLACE          return w + (double)passes->n * ERT_TARGET_B;
#ifdef __CUDACC__
#define FMA(x, y, z) fma(x, y, z)
#else
#define FMA(x, y, z) (x) * (y) + (z) /* exact: CPUs' a is a small integer */
#endif

/* The element of w after the passes; r1, r2: as in the last one; w: before the first. */
ERT_INLINE double ert_element(enum ert_kernel_id kernel, const struct ert_passes *passes,
                              double r1, double r2, double w)
{
    const double a = passes->a;
    switch (kernel) {
#define ERT_OF_MEMORY(id, loads, stores, ...)                                              \
    case ERT_KERNEL_##id:                                                                  \
        __VA_ARGS__
#include "ert/core/kernels/kernels.def"
    default:
        return 0;
    }
}
#undef SUM
#undef ELEMENTS
#undef IN_TURN
#undef IN_PLACE
#undef FMA

#endif
