/* SPDX-License-Identifier: BSD-3-Clause */
/* hooks: callbacks of a run: what it tells its caller, and asks it, while it measures. */
#ifndef ERT_SWEEP_HOOKS_H
#define ERT_SWEEP_HOOKS_H

#include "ert/core/sweep/samples.h"

struct ert_progress {
    const char *device;
    const char *what;    /* the point being measured */
    double fraction;     /* of the device's work, 0 to 1 */
    double left_s;       /* estimated remaining time; below 0 while unknown */
    const char *message; /* something the user should see, or NULL */
};

struct ert_run_hooks {
    void (*progress)(const struct ert_progress *progress, void *context);
    /* Called after points and rounds, at most every 5 s. */
    enum ert_status (*checkpoint)(const struct ert_samples *samples, void *context,
                                  struct ert_error *error);
    /*
     * Marks in chosen[n_points] the points that decide a ceiling so far (ert_fit_candidates); they get
     * up to config.candidate_rounds more rounds. Its failure is the device's fault. NULL: no more rounds.
     */
    enum ert_status (*candidates)(const struct ert_device *device,
                                  const struct ert_device_samples *samples,
                                  size_t per_ceiling, bool *chosen,
                                  struct ert_error *error);
    void *context;
    const volatile bool *stop; /* set by a signal handler to end the run; or NULL */
};

#endif
