#include "ert/backend/cpu/pattern.h"

#include "ert/base/random.h"

#include <string.h>

void ert_cpu_pattern_make(struct ert_cpu_pattern *pattern, uint64_t seed)
{
    pattern->seed = seed;
    for (uint64_t i = 0; i < ERT_CPU_PATTERN_ROW; i++)
        pattern->base[i] = ert_random_u64(seed, i);
}

enum { STEP = 8 };

/* Random bits become a multiple of 2^-48 through the bits of a double in [1, 2), not by a
 * conversion from integer, which SSE2 and AVX2 lack. */
static double value_of(uint64_t random)
{
    uint64_t bits = UINT64_C(0x3ff0000000000000) | (random & UINT64_C(0xffffffffffff)) << 4;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value - 1;
}

/*
 * The inner loop of constant length is vectorized at -O2; gigabytes are filled and checked
 * here.
 */
static void get_row(const uint64_t *base, uint64_t row_random, size_t count, double *values)
{
    size_t i = 0;
    for (; i + STEP <= count; i += STEP)
        for (size_t j = 0; j < STEP; j++)
            values[i + j] = value_of(base[i + j] + row_random);
    for (; i < count; i++)
        values[i] = value_of(base[i] + row_random);
}

void ert_cpu_pattern_get(const struct ert_cpu_pattern *pattern, uint64_t first,
                         size_t count, double *values)
{
    while (count > 0) {
        uint64_t row = first / ERT_CPU_PATTERN_ROW, column = first % ERT_CPU_PATTERN_ROW;
        uint64_t row_random = ert_random_u64(~pattern->seed, row);
        size_t n = ERT_CPU_PATTERN_ROW - column;
        n = n < count ? n : count;
        get_row(pattern->base + column, row_random, n, values);
        first += n;
        values += n;
        count -= n;
    }
}
