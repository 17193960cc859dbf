/*
 * sets: which working sets prove which level of a device: pure arithmetic on its levels.
 */
#ifndef ERT_SWEEP_SETS_H
#define ERT_SWEEP_SETS_H

#include "ert/machine/machine.h"
#include "ert/sweep/config.h"
#include "ert/sweep/samples.h"

#include <stddef.h>
#include <stdint.h>

/* Of a kernel on a path; each with all of the kernel's variants. The fit holds as many. */
enum { ERT_MAX_SETS = 256, ERT_MAX_SWEEP = ERT_MAX_SETS * ERT_MAX_VARIANTS };

/*
 * The range of working sets in which a level answers on its path, in bytes of the whole device:
 * above what the caches before it on that path hold, up to its own total. For a memory level
 * *high_bytes is infinite and *low_bytes is the largest cache's total; sets of at least 4 times
 * that are needed to prove it.
 */
void ert_sets_level_range(const struct ert_device *device, const struct ert_level *level,
                          double *low_bytes, double *high_bytes);

/*
 * The least working set that proves a level alone: twice the caches before it on its path; 4 times
 * for a memory; for a cache that is reached past the one before it (a GPU's L2) 0.3 of its total.
 */
double ert_sets_least_bytes(const struct ert_device *device, const struct ert_level *level);

/*
 * The largest working set that a level surely answers alone: 0.4 of a cache that is reached past
 * the one before it (a GPU's L2); infinite for others, whose plateau ends where it ends.
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
 * For ert_case.to: 1 + the OS index of the first NUMA node of a memory that first touch does not
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
 * What all regions of one sample of a point should take, in s: config.region_s, but for ERT's kernels,
 * which go over a set up to twice `trials` times; with copies over PCIe before each region. An estimate.
 */
double ert_sets_regions_s(const struct ert_config *config, const struct ert_device *device,
                          const struct ert_point *point);

/*
 * The working sets of a path in ascending order; returns how many there are, of which it wrote the first
 * ERT_MAX_SETS.
 */
size_t ert_sets_of_path(const struct ert_config *config, const struct ert_context *context,
                        enum ert_path path, uint64_t sizes[ERT_MAX_SETS]);

#endif
