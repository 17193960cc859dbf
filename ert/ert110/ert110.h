/*
 * ert110: the mode that measures as the Empirical Roofline Toolkit 1.1.0 does: its working sets, how
 * often it goes over each, its thread counts and launch shapes, and its way from samples to ceilings.
 * From ERT's own sources (https://bitbucket.org/berkeleylab/cs-roofline-toolkit: Drivers,
 * Python/ert_core.py); ert/ert-1.1.0.md says what it is. The core asks for all of it through hook.h.
 */
#ifndef ERT_ERT110_ERT110_H
#define ERT_ERT110_ERT110_H

#include "ert/ert110/hook.h"
#include "ert/kernels/kernel.h"
#include "ert/machine/machine.h"

#include <stddef.h>
#include <stdint.h>

/* One working set: elements per thread, and the passes of the region that ERT reports. */
struct ert110_set {
    uint64_t elements, trials;
};

/*
 * The sets of a kernel with so many threads (GPU: 1), ascending, at most `max`; returns how many.
 * ERT goes over each 1, 2, 4 ... times and keeps the last. Of its C sources (ert_c_fp64) the first is
 * trials_min times, and a set for which that is too often is left out; of those in C++ the last is
 * at least trials_min times.
 */
size_t ert110_sets(const struct ert110_options *options, enum ert_kernel_id kernel,
                   uint32_t n_threads, struct ert110_set *sets, size_t max);

/* The blocks of so many threads that a GPU holds at once. */
uint32_t ert110_blocks(const struct ert_gpu *gpu, uint32_t threads);

#endif
