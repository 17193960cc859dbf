#include "ert/backend/cpu/memory.h"

#include "ert/base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE = 2 << 20, PAGE = 4096 };

/*
 * Offsets within a page, tried on a Sapphire-Rapids-class core with the 2:1 mix in L1: best are
 * sources on nearly the same offset, and the target anywhere but right behind a source, where
 * each load meets the low 12 address bits of a store in flight (4K aliasing). Bad ones cost up to
 * a quarter.
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
        char size[ERT_UNITS_TEXT];
        return ert_fail(error, ERT_FAILED, "cpu: cannot allocate %s for the %s arrays: %s",
                        ert_units_capacity(memory->map_bytes, size),
                        i ? "target" : "source", strerror(errno));
    }
    memory->map[i] = map;
    memory->region[i] = (char *)round_up((uintptr_t)map, HUGE);
    /* Advice: where it is not taken, ert_cpu_memory_huge_bytes() tells. */
    (void)madvise(map, memory->map_bytes, MADV_HUGEPAGE);
    return ERT_OK;
}

enum ert_status ert_cpu_memory_open(uint64_t set_max_bytes, uint32_t n_threads,
                                    struct ert_cpu_memory *memory, struct ert_error *error)
{
    *memory = (struct ert_cpu_memory){.n_slices = n_threads};
    uint64_t slice_bytes = set_max_bytes / n_threads + SLACK;
    if (slice_bytes > (SIZE_MAX / 2 - HUGE) / n_threads - HUGE)
        return ert_fail(error, ERT_USAGE,
                        "cpu: working set of %" PRIu64
                        " bytes: more than addresses can reach",
                        set_max_bytes);
    memory->slice_bytes = round_up((size_t)slice_bytes, HUGE);
    memory->map_bytes = memory->slice_bytes * n_threads + HUGE;
    enum ert_status status = ERT_OK;
    for (int i = 0; i < 2 && status == ERT_OK; i++)
        status = map_region(memory, i, error);
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
}

double *ert_cpu_memory_source(const struct ert_cpu_memory *memory, uint32_t thread)
{
    return (double *)(memory->region[0] + thread * memory->slice_bytes);
}

size_t ert_cpu_memory_slice_elements(const struct ert_cpu_memory *memory)
{
    return memory->slice_bytes / sizeof(double);
}

struct ert_cpu_arrays ert_cpu_memory_arrays(const struct ert_cpu_memory *memory,
                                            uint32_t thread, size_t elements)
{
    char *w = memory->region[1] + thread * memory->slice_bytes + W_OFFSET;
    size_t r2_first =
        (round_up(elements * sizeof(double), PAGE) + R2_OFFSET) / sizeof(double);
    const double *r1 = ert_cpu_memory_source(memory, thread);
    return (struct ert_cpu_arrays){(double *)w, r1, r1 + r2_first, r2_first};
}

/* Adds up the AnonHugePages lines of the mappings that lie within R. */
size_t ert_cpu_memory_huge_bytes(const struct ert_cpu_memory *memory)
{
    FILE *file = fopen("/proc/self/smaps", "r");
    if (!file)
        return SIZE_MAX;
    uintptr_t first = (uintptr_t)memory->region[0];
    uintptr_t last = first + memory->slice_bytes * memory->n_slices;
    size_t kib, huge_bytes = 0;
    uintptr_t from, to;
    int inside = 0;
    char line[256];
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) == 2)
            inside = from < last && to > first;
        else if (inside && sscanf(line, "AnonHugePages: %zu kB", &kib) == 1)
            huge_bytes += kib << 10;
    }
    fclose(file);
    return huge_bytes;
}
