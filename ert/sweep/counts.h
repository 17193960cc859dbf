/*
 * counts: how many threads, or warps per SM, a ceiling is measured with, and how much of a device
 * so many threads reach. Pure arithmetic on the topology.
 */
#ifndef ERT_SWEEP_COUNTS_H
#define ERT_SWEEP_COUNTS_H

#include "ert/machine/context.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ERT_MAX_COUNTS = 64 };

/*
 * The counts of the concurrency section, ascending, into counts[]; returns how many. CPUs, threads:
 * 1 to 8, then steps of 1.5 and 1.33 in turn (12, 16, 24 ...), the cores of one package, all cores
 * once, twice ... (SMT) and the most. GPUs, warps per SM: 1, 2, 4, 8, 12, 16, 24, 32, 48, 64 up to
 * what an SM holds.
 */
size_t ert_counts_list(const struct ert_context *context, uint32_t counts[ERT_MAX_COUNTS]);

/*
 * The device as `threads` threads see it, which stand on the first cores in the order of the
 * topology (and on second hardware threads beyond): with as many caches of each level as these
 * cores have. Its levels' totals and ranges (sets.h) are those of the threads together. 0 threads,
 * and GPUs: the device as it is. Cores are taken to be spread evenly over caches and packages.
 */
struct ert_device ert_counts_reach(const struct ert_device *device, uint32_t threads);

/*
 * Whether so many threads share a level and all caches before it evenly: where a package or a
 * cluster is full and another is half full, equal shares of a set are not equal shares of caches.
 */
bool ert_counts_even(const struct ert_device *device, const struct ert_level *level,
                     uint32_t threads);

#endif
