/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * context: the part of a device that a run uses: threads, cores, and the caches that these reach. Decided
 * once, before planning; plan, backend, fit, theory and verify read it.
 */
#ifndef ERT_MACHINE_CONTEXT_H
#define ERT_MACHINE_CONTEXT_H

#include "ert/core/machine/machine.h"

struct ert_context {
    /*
     * The device as the run sees it: with fewer threads than cores, its levels count only the caches of
     * the cores in use. struct ert_machine keeps the whole device.
     */
    struct ert_device device;
    uint32_t n_threads;   /* CPU: threads of a spec that does not set a number; GPU: 0 */
    uint32_t max_threads; /* CPU: the most threads of any spec; GPU: 0 */
    uint32_t n_cores;     /* CPU: cores that n_threads run on; GPU: 0 */
};

/*
 * The number of threads on a CPU: `wish`; for 0 one per usable core, but no more than the cgroup's CPU
 * quota allows to run at once, and at least 1.
 */
uint32_t ert_context_threads(const struct ert_device *device, uint64_t wish);

/*
 * Fills *context. wish: threads that the user asks for, 0 for the default; is_swept: whether other thread
 * counts will be measured too, up to the wish, or without one up to all usable PUs within the quota.
 * ERT_USAGE for more threads than usable PUs.
 */
enum ert_status ert_context_make(const struct ert_device *device, uint64_t wish,
                                 bool is_swept, struct ert_context *context,
                                 struct ert_error *error);

#endif
