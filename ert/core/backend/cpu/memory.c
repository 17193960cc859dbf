/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/backend/cpu/memory.h"

#include "ert/core/base/random.h"
#include "ert/core/base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE = 2 << 20, PAGE = 4096 };

/*
 * Offsets within a page, tried on a Sapphire-Rapids-class core with load2_store1 in L1: best are sources at
 * nearly the same offset, and the target anywhere but directly after a source, where each load has the same
 * low 12 address bits as a store in flight (4K aliasing). Bad offsets cost up to a quarter.
 */
enum { R2_OFFSET = 64, W_OFFSET = PAGE - 512, SLACK = 3 * PAGE };

static size_t round_up(size_t value, size_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static enum ert_status map_region(struct ert_cpu_memory *memory, int i,
                                  struct ert_error *error)
{
    void *map = mmap(NULL, memory->map_bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (map == MAP_FAILED) {
        return ert_fail(error, ERT_FAILED, "cpu: cannot allocate %s for the %s arrays: %s",
                        ert_units_capacity(memory->map_bytes).text, i ? "target" : "source",
                        strerror(errno));
    }
    memory->map[i] = map;
    memory->region[i] = (char *)round_up((uintptr_t)map, HUGE);
    (void)madvise(map, memory->map_bytes, MADV_HUGEPAGE);
    return ERT_OK;
}

/* The most threads whose chunks may share a slice. */
static uint32_t sharers(uint32_t n_slices, uint32_t n_threads)
{
    return n_threads > n_slices ? (n_threads + n_slices - 1) / n_slices : 1;
}

enum ert_status ert_cpu_memory_open(uint64_t set_max_bytes, uint32_t n_slices,
                                    uint32_t max_threads, struct ert_cpu_memory *memory,
                                    struct ert_error *error)
{
    *memory = (struct ert_cpu_memory){.n_slices = n_slices};
    uint64_t slack_bytes = (uint64_t)sharers(n_slices, max_threads) * (SLACK + PAGE);
    if (set_max_bytes / n_slices > (SIZE_MAX / 2 - HUGE) / n_slices - HUGE - slack_bytes)
        return ert_fail(error, ERT_USAGE,
                        "cpu: working set of %" PRIu64
                        " bytes: more than addresses can reach",
                        set_max_bytes);
    memory->slice_bytes = round_up((size_t)(set_max_bytes / n_slices + slack_bytes), HUGE);
    memory->map_bytes = memory->slice_bytes * n_slices + HUGE;
    enum ert_status status = ERT_OK;
    for (int i = 0; i < 2 && status == ERT_OK; i++)
        status = map_region(memory, i, error);
    size_t elements = ert_cpu_memory_slice_elements(memory) * n_slices;
    if (status == ERT_OK)
        memory->prefix = calloc(elements / ERT_CPU_PREFIX + 1, sizeof *memory->prefix);
    if (status == ERT_OK && !memory->prefix)
        status = ert_fail(error, ERT_FAILED, "cpu: no memory for %zu prefixes",
                          elements / ERT_CPU_PREFIX);
    if (status != ERT_OK)
        ert_cpu_memory_close(memory);
    return status;
}

void ert_cpu_memory_close(struct ert_cpu_memory *memory)
{
    for (int i = 0; i < 2; i++) {
        if (memory->map[i])
            munmap(memory->map[i], memory->map_bytes);
        memory->map[i] = NULL;
    }
    free(memory->prefix);
    memory->prefix = NULL;
}

void ert_cpu_memory_touch(const struct ert_cpu_memory *memory, uint32_t slice)
{
    volatile char *w = memory->region[1] + slice * memory->slice_bytes;
    for (size_t i = 0; i < memory->slice_bytes; i += PAGE)
        w[i] = 0;
}

double *ert_cpu_memory_source(const struct ert_cpu_memory *memory, uint32_t slice)
{
    return (double *)(memory->region[0] + slice * memory->slice_bytes);
}

void ert_cpu_memory_join_prefixes(const struct ert_cpu_memory *memory)
{
    size_t elements = ert_cpu_memory_slice_elements(memory) * memory->n_slices;
    for (size_t i = 0; i < elements / ERT_CPU_PREFIX; i++)
        memory->prefix[i + 1] ^= memory->prefix[i];
}

size_t ert_cpu_memory_slice_elements(const struct ert_cpu_memory *memory)
{
    return memory->slice_bytes / sizeof(double);
}

/* Bytes from the chunk of one thread to that of the next in the same slice. */
static size_t part_bytes(const struct ert_cpu_memory *memory, uint32_t n_threads)
{
    return memory->slice_bytes / sharers(memory->n_slices, n_threads) / PAGE * PAGE;
}

size_t ert_cpu_memory_share_max(const struct ert_cpu_memory *memory, uint32_t n_threads)
{
    if (n_threads >= memory->n_slices)
        return part_bytes(memory, n_threads) - SLACK;
    return memory->slice_bytes * memory->n_slices / n_threads / PAGE * PAGE - SLACK;
}

/* The offset of a thread's chunk in both regions, in bytes. */
static size_t chunk_first(const struct ert_cpu_memory *memory, uint32_t thread,
                          uint32_t n_threads, size_t chunk_bytes)
{
    uint32_t slice = thread % memory->n_slices, part = thread / memory->n_slices;
    if (n_threads < memory->n_slices && chunk_bytes > memory->slice_bytes)
        return thread * round_up(chunk_bytes, PAGE);
    return slice * memory->slice_bytes + part * part_bytes(memory, n_threads);
}

struct ert_cpu_arrays ert_cpu_memory_arrays(const struct ert_cpu_memory *memory,
                                            uint32_t thread, uint32_t n_threads,
                                            size_t elements, uint32_t arrays)
{
    size_t array_bytes = elements * sizeof(double);
    size_t first = chunk_first(memory, thread, n_threads, arrays * array_bytes + SLACK);
    char *r1 = memory->region[0] + first, *w = memory->region[1] + first + W_OFFSET;
    char *r2 = r1 + round_up(array_bytes, PAGE) + R2_OFFSET;
    return (struct ert_cpu_arrays){(double *)w, (const double *)r1, (const double *)r2};
}

void ert_cpu_pattern_make(struct ert_cpu_pattern *pattern, uint64_t seed)
{
    pattern->seed = seed;
    for (uint64_t i = 0; i < ERT_CPU_PATTERN_ROW; i++)
        pattern->base[i] = ert_random_u64(seed, i);
}

enum { STEP = 8 };

/* A multiple of 2^-48 by the bits of a double in [1, 2): SSE2 and AVX2 cannot convert 64-bit integers. */
static double memory_value_of(uint64_t random)
{
    uint64_t bits = UINT64_C(0x3ff0000000000000) | (random & UINT64_C(0xffffffffffff)) << 4;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value - 1;
}

/* Fills and checks gigabytes: the inner loop has constant length, so that it is vectorized at -O2. */
static void get_row(const uint64_t *base, uint64_t row_random, size_t count, double *values)
{
    size_t i = 0;
    for (; i + STEP <= count; i += STEP)
        for (size_t j = 0; j < STEP; j++)
            values[i + j] = memory_value_of(base[i + j] + row_random);
    for (; i < count; i++)
        values[i] = memory_value_of(base[i] + row_random);
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
