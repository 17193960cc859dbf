/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * run: the measuring loop. It drives the backends, keeps every sample and reports progress through a
 * callback; it prints nothing.
 */
#ifndef ERT_SWEEP_RUN_H
#define ERT_SWEEP_RUN_H

#include "ert/core/sweep/hooks.h"

/*
 * Measures the planned points of all devices, one device after the other. Faults of a point or a device
 * are kept in samples (status, reason) and do not stop the others. ERT_OK when every point was measured
 * or skipped for a stated reason; ERT_FAILED with the first fault, or "interrupted". samples is valid in
 * any case.
 */
enum ert_status ert_run(struct ert_samples *samples, const struct ert_run_hooks *hooks,
                        struct ert_error *error);

#endif
