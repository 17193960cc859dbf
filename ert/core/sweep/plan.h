/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * plan: derives the points to measure from the config, the machine and the kernel rows. The same input
 * gives the same plan; `ert run --dry-run` shows it.
 */
#ifndef ERT_SWEEP_PLAN_H
#define ERT_SWEEP_PLAN_H

#include "ert/core/sweep/samples.h"

/*
 * Fills samples->devices from samples->config and samples->machine. ERT_UNAVAILABLE when the machine
 * lacks the config's device (the text lists those it has), ERT_FAILED when memory runs out.
 */
enum ert_status ert_plan_make(struct ert_samples *samples, struct ert_error *error);

/* The options for opening a session on the context's device under the config. */
struct ert_session_options ert_plan_options(const struct ert_config *config,
                                            const struct ert_context *context);

/*
 * Estimated time of a device's plan in s: regions, warm passes and preparation, at rates guessed from
 * the kind of device; at most the config's budget.
 */
double ert_plan_estimate_s(const struct ert_samples *samples, size_t device);

/*
 * The plan of one device while it is made: what its sections share, also with a mode, which plans its own
 * points (mode.h).
 */
struct ert_planner {
    const struct ert_config *config;
    const struct ert_machine *machine;
    const struct ert_context *context;
    const struct ert_device *device; /* &context->device */
    struct ert_session_options options;
    struct ert_device_samples *out;
    size_t capacity;
    struct ert_error *error;
};

/* Adds the points of one of the core's sections, and what is not measured in it. */
void ert_plan_section(struct ert_planner *planner, enum ert_section section);

/* Appends a point; the pointer is valid until the next call. */
struct ert_point *ert_planner_add(struct ert_planner *planner, enum ert_section section,
                                  const struct ert_spec *spec,
                                  const struct ert_variant *variant);

/* Records that what the format names cannot be measured, and why; the 257th and later are dropped. */
void ert_planner_not_measured(struct ert_planner *planner, const char *reason,
                              const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * A working set in bytes of the whole device, well inside a level's range: half of a first level, near
 * the lower end of a shared one. 0 when no set of this level is allowed.
 */
uint64_t ert_planner_set(const struct ert_planner *planner, const struct ert_level *level);

/*
 * The same for the part of a device that `threads` threads reach (ert_counts_reach); for a memory, a set
 * well above the caches if the config's memory allows. 0 threads, and GPUs: ert_planner_set().
 */
uint64_t ert_planner_share(const struct ert_planner *planner, const struct ert_level *level,
                           uint32_t threads);

#endif
