/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * sets: which working sets prove which level of a device, and how many threads, or warps per SM, a
 * ceiling is measured with: pure arithmetic on its levels.
 */
#ifndef ERT_SWEEP_SETS_H
#define ERT_SWEEP_SETS_H

#include "ert/machine/machine.h"
#include "ert/sweep/config.h"
#include "ert/sweep/samples.h"

#include <stddef.h>
#include <stdint.h>

/*
 * The range of working sets in which a level answers on its path, in bytes of the whole device:
 * above what the caches before it on that path hold, up to its own total. For a memory level
 * *high_bytes is infinite and *low_bytes is the largest cache's total; sets of at least 4 times
 * that are needed to prove it.
 */
void ert_sets_level_range(const struct ert_device *device, const struct ert_level *level,
                          double *low_bytes, double *high_bytes);

/* The least working set that proves a level alone: twice the caches before it, for a memory 4 times. */
double ert_sets_least_bytes(const struct ert_device *device, const struct ert_level *level);

/*
 * The largest working set that a level surely answers alone, before anything was measured: 0.4 of a cache
 * that is reached past the one before it (a GPU's L2), since it may hold a line more than once; infinite for
 * others, whose plateau ends where it ends.
 */
double ert_sets_most_bytes(const struct ert_level *level);

/*
 * The first and the last level on a path, or NULL when the device has none there. Of several
 * memories the last is the one that first touch takes: DRAM where there is one.
 */
const struct ert_level *ert_sets_first_level(const struct ert_device *device,
                                             enum ert_path path);
const struct ert_level *ert_sets_last_level(const struct ert_device *device,
                                            enum ert_path path);

/*
 * For ert_spec.to: 1 + the OS index of the first NUMA node of a memory that first touch does not
 * take (MCDRAM or HBM beside DRAM), 0 for every other level.
 */
uint32_t ert_sets_far_node(const struct ert_device *device, const struct ert_level *level);

/*
 * The caches between one package and the memory of a NUMA node, in bytes: the package's own, and for
 * DRAM its part of memory-side caches, which stand in front of no other memory.
 */
uint64_t ert_sets_caches_of_place(const struct ert_device *device,
                                  const struct ert_numa_node *node);

/* The largest set that fits next to its twin region in the memory that we may take. */
uint64_t ert_sets_memory_limit(const struct ert_config *config,
                               const struct ert_device *device);

/*
 * The largest set of a path that has levels: what proves its last one, within the memory of the
 * device and the config, and less what sets in other memories need beside it.
 */
uint64_t ert_sets_largest(const struct ert_config *config, const struct ert_device *device,
                          enum ert_path path);

/*
 * A rate in byte/s that large sets reach on nearly every device of the kind: for estimates of time
 * before anything is measured, never for results.
 */
double ert_sets_guessed_rate(const struct ert_device *device);

/*
 * What all regions of one sample of a point should take, in s: config.region_s, but for a mode of its own.
 * An estimate.
 */
double ert_sets_regions_s(const struct ert_config *config, const struct ert_device *device,
                          const struct ert_point *point);

/*
 * The working sets of a path in ascending order; returns how many there are, of which it wrote the first
 * ERT_MAX_SETS.
 */
size_t ert_sets_of_path(const struct ert_config *config, const struct ert_context *context,
                        enum ert_path path, uint64_t sizes[ERT_MAX_SETS]);

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
 * cluster is full and another is half full, equal shares of a set are not equal shares of caches. GPUs: true.
 */
bool ert_counts_even(const struct ert_device *device, const struct ert_level *level,
                     uint32_t threads);

#endif
