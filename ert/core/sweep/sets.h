/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sets: which working sets measure which level of a device, and with how many threads, or warps per SM,
 * a ceiling is measured: pure arithmetic on the device's levels.
 */
#ifndef ERT_SWEEP_SETS_H
#define ERT_SWEEP_SETS_H

#include "ert/core/machine/machine.h"
#include "ert/core/sweep/config.h"
#include "ert/core/sweep/samples.h"

#include <stddef.h>
#include <stdint.h>

/*
 * The range of working sets that a level serves on its path, in bytes of the whole device: above the capacity
 * of the caches before it on that path, up to its own total. For a memory level *high_bytes is infinite and
 * *low_bytes is the largest cache's total; only sets of at least 4 times that measure memory alone.
 */
void ert_sets_level_range(const struct ert_device *device, const struct ert_level *level,
                          double *low_bytes, double *high_bytes);

/* The least working set that measures a level alone: 2 times the caches before it; a memory: 3.9 times. */
double ert_sets_least_bytes(const struct ert_device *device, const struct ert_level *level);

/*
 * The largest working set that a level surely holds, before anything is measured: 0.4 of the total of a
 * cache that is reached bypassing L1 (a GPU's L2), which may hold a line twice; infinite for all others,
 * whose measured plateau shows where they end.
 */
double ert_sets_most_bytes(const struct ert_level *level);

/*
 * The first and the last level on a path, or NULL when it has none. Of several memories the last level is
 * the one that first touch allocates from: DRAM where there is one.
 */
const struct ert_level *ert_sets_first_level(const struct ert_device *device,
                                             enum ert_path path);
const struct ert_level *ert_sets_last_level(const struct ert_device *device,
                                            enum ert_path path);

/*
 * For ert_spec.to: 1 + the OS index of the first NUMA node of a memory that first touch does not allocate
 * from (MCDRAM, HBM or CXL beside DRAM, to which buffers must be bound), 0 for every other level.
 */
uint32_t ert_sets_far_node(const struct ert_device *device, const struct ert_level *level);

/* The largest set, in bytes, of which two regions fit in the memory that the process may use. */
uint64_t ert_sets_memory_limit(const struct ert_config *config,
                               const struct ert_device *device);

/*
 * The largest set of a path that has levels, in bytes: large enough to measure its last level, within
 * the limits of the device and the config less what sets in other memories need.
 */
uint64_t ert_sets_largest(const struct ert_config *config, const struct ert_device *device,
                          enum ert_path path);

/* A rate in byte/s that large sets reach on nearly all devices of a kind: to estimate times, not results. */
double ert_sets_guessed_rate(const struct ert_device *device);

/* Writes a path's working sets in bytes, ascending, at most ERT_MAX_SETS; returns how many there are. */
size_t ert_sets_of_path(const struct ert_config *config, const struct ert_context *context,
                        enum ert_path path, uint64_t sizes[ERT_MAX_SETS]);

/*
 * The part of a device that `threads` threads reach from the first cores in topology order (more threads
 * than cores: from their second hardware threads too): with as many caches of each level as these cores
 * have. Level totals and ranges are those of the threads together. 0 threads, and GPUs: the whole device.
 * Assumes that cores are spread evenly over caches and packages.
 */
struct ert_device ert_counts_reach(const struct ert_device *device, uint32_t threads);

/* The cores in use that share an instance of a level; NULL: all that are in use. */
uint32_t ert_counts_cores(const struct ert_device *device, const struct ert_level *level);

#endif
