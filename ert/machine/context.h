/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * context: what of a device a run uses: threads, cores, and the caches that these reach. Decided
 * once, before planning, and const from then on: plan, backend, fit, theory and verify read it. Pure.
 */
#ifndef ERT_MACHINE_CONTEXT_H
#define ERT_MACHINE_CONTEXT_H

#include "ert/machine/machine.h"

struct ert_context {
    /*
     * The device as the run sees it: with fewer threads than cores, its levels count only the
     * caches of the cores in use. What the machine has stays in struct ert_machine.
     */
    struct ert_device device;
    uint32_t n_threads;   /* CPU: of a case that does not say how many; GPU: 0 */
    uint32_t max_threads; /* CPU: the most of any case; GPU: 0 */
    uint32_t n_cores;     /* CPU: cores that n_threads stand on; GPU: 0 */
};

/*
 * The threads of a CPU for a wish: what is wished, or (0) one per usable core, but no more than the
 * cgroup's quota of CPU time keeps running; at least 1.
 */
uint32_t ert_context_threads(const struct ert_device *device, uint64_t wish);

/*
 * Decides. wish: threads that the user wants, 0 for the default; is_swept: whether cases of other
 * thread counts will be measured, up to the wish, or to all PUs within the quota. ERT_USAGE for
 * more threads than usable PUs.
 */
enum ert_status ert_context_make(const struct ert_device *device, uint64_t wish,
                                 bool is_swept, struct ert_context *context,
                                 struct ert_error *error);

#endif
