/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fake: the tests' machine. Two devices, "fake0" like CPUs and "fake1" like a GPU, with planted ceilings,
 * seeded noise and faults, in virtual time: the whole pipeline must recover the planted numbers, and report a
 * planted fault as a clear error. Run it with `ert run --device fake`. fake0 has two packages with a NUMA
 * node each, and two hardware threads per core.
 *
 * The environment variable ERT_FAKE plants noise and a fault, as words separated by commas:
 *   noise=0.01      relative width of each sample's noise (default 0.005)
 *   outliers=0.1    share of samples that are 40 % too slow (default 0)
 *   sustained=0.9   factor of each rate after an eighth of a sustained run (default 1)
 *   clock=0.95      factor of the planted clock, which compute and the cores' own caches follow (default 1)
 *   clock-wander=0.01  the clock varies by up to this share, half of it per run and half from region to
 *                   region (default 0)
 *   slower=0.05     all rates fall by this share; slower=load:0.05: only those of one kernel
 *   seed=7          changes the noise (default 0: by the run's seed alone)
 *   fault=WORD      hang, nan, clock, alloc or gone
 *   kernel=triad    which kernel the fault hits (default: any)
 *   after=100       samples of the device before it does (default 0)
 *   steal=0.1       share of each thread's time that gaps of 4 ms take (default 0)
 *   cpus=64         cores of fake0, a multiple of 4 (default 4); four share an L3
 *   gpus=4          planted GPUs, 0 to 8 (default 1)
 *   mcdram=1        two more NUMA nodes of fake0, of MCDRAM (default 0: none)
 */
#ifndef ERT_FAKE_H
#define ERT_FAKE_H

#include "ert/core/backend/backend.h"

/* The planted rate of a compute kernel, flop/s, with the better of its two variants. */
double ert_fake_performance(const struct ert_device *device, enum ert_kernel_id kernel);

/* The planted seconds per dependent load of a level. */
double ert_fake_latency(const struct ert_device *device, const struct ert_level *level);

/*
 * The factor of a rate at low concurrency: it grows with count (threads, warps per SM) times ilp up to a
 * planted number, from where on it is 1. level: NULL for a compute kernel.
 */
double ert_fake_concurrency(const struct ert_device *device, const struct ert_level *level,
                            uint32_t count, uint32_t ilp);

/* The share of a NUMA node's rate that a package gets, each as 1 + its number; 0, 0: all of it. */
double ert_fake_place(uint32_t from, uint32_t to);

/* The planted rate of a pattern at a level, byte/s, which the fit must find as "LEVEL-op". */
double ert_fake_level_bandwidth(const struct ert_device *device,
                                const struct ert_level *level, enum ert_kernel_id kernel);

#endif
