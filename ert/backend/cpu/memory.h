/*
 * memory: the arrays of the CPU kernels: a source region R that is written once, and a
 * target region W. Each thread owns a slice of both, touched first by itself, so that its
 * pages lie in its own NUMA node. It knows no kernels.
 */
#ifndef ERT_BACKEND_CPU_MEMORY_H
#define ERT_BACKEND_CPU_MEMORY_H

#include "ert/base/error.h"

#include <stddef.h>
#include <stdint.h>

struct ert_cpu_memory {
    char *map[2];       /* what was mapped, for unmapping */
    size_t map_bytes;   /* of each */
    char *region[2];    /* R and W, aligned to 2 MiB */
    size_t slice_bytes; /* of one thread in each region, a multiple of 2 MiB */
    uint32_t n_slices;
};

/* Where a chunk of one thread lies. */
struct ert_cpu_arrays {
    double *w;
    const double *r1, *r2;
    size_t r2_first; /* r2 - r1, in elements */
};

/*
 * Maps both regions, untouched, for sets of up to set_max_bytes over all threads, and asks
 * for large pages. ERT_FAILED with the size and the system's reason.
 */
enum ert_status ert_cpu_memory_open(uint64_t set_max_bytes, uint32_t n_threads,
                                    struct ert_cpu_memory *memory, struct ert_error *error);

void ert_cpu_memory_close(struct ert_cpu_memory *memory);

/* The beginning of a thread's slice of R, and how many elements it has. */
double *ert_cpu_memory_source(const struct ert_cpu_memory *memory, uint32_t thread);
size_t ert_cpu_memory_slice_elements(const struct ert_cpu_memory *memory);

/* The arrays of a thread for chunks of `elements`; the set must be within set_max_bytes. */
struct ert_cpu_arrays ert_cpu_memory_arrays(const struct ert_cpu_memory *memory,
                                            uint32_t thread, size_t elements);

/*
 * Bytes of region R that lie in large pages by now; SIZE_MAX where the system does not say.
 */
size_t ert_cpu_memory_huge_bytes(const struct ert_cpu_memory *memory);

#endif
