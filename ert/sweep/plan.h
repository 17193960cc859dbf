/*
 * plan: config + machine + kernel rows -> the points to measure. Pure: the same input gives the
 * same plan, and `ert run --dry-run` shows it.
 */
#ifndef ERT_SWEEP_PLAN_H
#define ERT_SWEEP_PLAN_H

#include "ert/sweep/samples.h"

/*
 * Fills samples->devices from samples->config and samples->machine. ERT_UNAVAILABLE when the
 * config's device is not there (the text says what is), ERT_FAILED when memory runs out.
 */
enum ert_status ert_plan_make(struct ert_samples *samples, struct ert_error *error);

/* What a device's run uses under the config (context.h). ERT_USAGE for too many threads. */
enum ert_status ert_plan_context(const struct ert_config *config,
                                 const struct ert_device *device,
                                 struct ert_context *context, struct ert_error *error);

/* The session options of a device under the config. */
struct ert_session_options ert_plan_options(const struct ert_config *config,
                                            const struct ert_context *context);

/*
 * The time that the plan of a device should take, in seconds: regions, warm passes and
 * preparation, at rates guessed from the kind of device; at most the config's budget.
 */
double ert_plan_estimate_s(const struct ert_samples *samples, size_t device);

#endif
