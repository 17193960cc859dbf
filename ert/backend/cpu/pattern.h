/*
 * pattern: what the source arrays hold, by index, so that a check can compute any element
 * without looking at memory. Elements are seeded random multiples of 2^-48 in [0, 1): the
 * kernels' sums and products of a few of them are exact in FP64, fused or not.
 */
#ifndef ERT_BACKEND_CPU_PATTERN_H
#define ERT_BACKEND_CPU_PATTERN_H

#include <stddef.h>
#include <stdint.h>

/* The unit in the last place of every element. */
#define ERT_CPU_PATTERN_UNIT 0x1p-48

enum { ERT_CPU_PATTERN_ROW = 512 };

/* 512 random numbers, to which a random number per row of 512 elements is added. */
struct ert_cpu_pattern {
    uint64_t seed;
    uint64_t base[ERT_CPU_PATTERN_ROW];
};

void ert_cpu_pattern_make(struct ert_cpu_pattern *pattern, uint64_t seed);

/* Writes elements first ... first + count - 1 to values[]. */
void ert_cpu_pattern_get(const struct ert_cpu_pattern *pattern, uint64_t first,
                         size_t count, double *values);

#endif
