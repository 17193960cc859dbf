/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory: the arrays of the CPU kernels: a source region R that is written once, and a target region W. Each
 * thread owns a slice of both and touches it first, so that its pages lie in its own NUMA node; a spec
 * divides the regions into chunks for as many threads as it runs. Also the source's contents by index, so
 * that a check can compute any element without reading memory: seeded random multiples of 2^-48 in [0, 1), so
 * that the kernels' sums and products of a few of them are exact in FP64, fused or not. It knows no kernels.
 */
#ifndef ERT_BACKEND_CPU_MEMORY_H
#define ERT_BACKEND_CPU_MEMORY_H

#include "ert/core/base/error.h"

#include <stddef.h>
#include <stdint.h>

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

enum { ERT_CPU_PREFIX = 4096 }; /* elements between two stored prefixes */

struct ert_cpu_memory {
    char *map[2];       /* the mappings, for munmap */
    size_t map_bytes;   /* of each */
    char *region[2];    /* R and W, aligned to 2 MiB */
    size_t slice_bytes; /* of one thread in each region, a multiple of 2 MiB */
    uint32_t n_slices;
    uint64_t *prefix; /* [i]: XOR of the bits of R's elements before i * ERT_CPU_PREFIX */
};

/* The arrays of one thread's chunk. */
struct ert_cpu_arrays {
    double *w;
    const double *r1, *r2;
};

/*
 * Maps both regions, untouched, for sets of up to set_max_bytes over n_slices threads, and asks for large
 * pages. max_threads: the most threads that will share the regions; n_slices of them own a slice. ERT_FAILED
 * with the size and the system's reason.
 */
enum ert_status ert_cpu_memory_open(uint64_t set_max_bytes, uint32_t n_slices,
                                    uint32_t max_threads, struct ert_cpu_memory *memory,
                                    struct ert_error *error);

/* Touches the pages of W in a slice, so that they are placed near the calling thread. */
void ert_cpu_memory_touch(const struct ert_cpu_memory *memory, uint32_t slice);

void ert_cpu_memory_close(struct ert_cpu_memory *memory);

/* The first element of a slice of R, and how many elements a slice has. */
double *ert_cpu_memory_source(const struct ert_cpu_memory *memory, uint32_t slice);
size_t ert_cpu_memory_slice_elements(const struct ert_cpu_memory *memory);

/* Makes prefixes of the XORs of blocks of ERT_CPU_PREFIX elements, in prefix[1] ... by those that fill R. */
void ert_cpu_memory_join_prefixes(const struct ert_cpu_memory *memory);

/*
 * The most bytes of one thread's share of a set when n_threads share the regions. With as many threads as
 * slices, each uses its own. With fewer they use larger chunks from the beginning on, some of which other
 * threads touched first. With more, thread n_slices + i shares the slice of thread i, whose core it shares.
 */
size_t ert_cpu_memory_share_max(const struct ert_cpu_memory *memory, uint32_t n_threads);

/*
 * The arrays of one of n_threads threads, `arrays` of `elements` doubles each; their bytes must be within
 * ert_cpu_memory_share_max().
 */
struct ert_cpu_arrays ert_cpu_memory_arrays(const struct ert_cpu_memory *memory,
                                            uint32_t thread, uint32_t n_threads,
                                            size_t elements, uint32_t arrays);

#endif
