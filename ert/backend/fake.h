/*
 * fake: the tests' machine. Two devices, "fake0" like CPUs and "fake1" like a GPU, with planted
 * ceilings, seeded noise and faults, in virtual time: the whole pipeline must give the planted
 * numbers back, and a planted fault as a clear error. Run it with `ert run --device fake`.
 *
 * The environment variable ERT_FAKE plants noise and a fault, as words separated by commas:
 *   noise=0.01      relative width of each sample's noise (default 0.005)
 *   outliers=0.1    share of samples that are 40 % too slow (default 0)
 *   fault=WORD      hang, nan, clock, alloc or gone (see fake.c's table)
 *   kernel=triad    which kernel the fault hits (default: any)
 *   after=100       samples of the device before it does (default 0)
 *   gpus=4          planted GPUs, 0 to 8 (default 1)
 */
#ifndef ERT_BACKEND_FAKE_H
#define ERT_BACKEND_FAKE_H

#include "ert/backend/backend.h"

/* The planted rate of a memory or mixed kernel, byte/s, at a working set on a path. */
double ert_fake_bandwidth(const struct ert_device *device, enum ert_kernel_id kernel,
                          enum ert_path path, double working_set_bytes);

/* The planted rate of a compute kernel, flop/s, with the better of its two variants. */
double ert_fake_performance(const struct ert_device *device, enum ert_kernel_id kernel);

/* The planted level rate of a pattern, byte/s: what the fit must name "LEVEL-op". */
double ert_fake_level_bandwidth(const struct ert_device *device,
                                const struct ert_level *level, enum ert_kernel_id kernel);

#endif
