/* SPDX-License-Identifier: BSD-3-Clause */
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

/* The session options of a device under the config. */
struct ert_session_options ert_plan_options(const struct ert_config *config,
                                            const struct ert_context *context);

/*
 * The time that the plan of a device should take, in seconds: regions, warm passes and
 * preparation, at rates guessed from the kind of device; at most the config's budget.
 */
double ert_plan_estimate_s(const struct ert_samples *samples, size_t device);

/*
 * What the sections of a plan share, for a mode that plans its own (ert110/hook.h): the plan of one
 * device while it is made.
 */
struct ert_planner {
    const struct ert_config *config;
    const struct ert_machine *machine;
    const struct ert_context *context;
    const struct ert_device *device; /* the context's */
    struct ert_session_options options;
    struct ert_device_samples *out;
    size_t capacity;
    struct ert_error *error;
};

/* Adds the points of one section, or says what is not measured; ert110's are the hook's. */
void ert_plan_section(struct ert_planner *planner, enum ert_section section);

/* Appends a point, which stays there until the next one. */
struct ert_point *ert_planner_add(struct ert_planner *planner, enum ert_section section,
                                  const struct ert_spec *spec,
                                  const struct ert_variant *variant);

/* Notes that what the format names cannot be measured here, and why; the 257th and later are dropped. */
void ert_planner_not_measured(struct ert_planner *planner, const char *reason,
                              const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * A set that a level answers alone, well inside its range: half of a first level, near the small
 * end of a shared one. 0 when no set of this level is allowed.
 */
uint64_t ert_planner_set(const struct ert_planner *planner, const struct ert_level *level);

/*
 * The same of the part of a device that `threads` threads reach (counts.h); a memory's set proves
 * it if the config's memory allows. 0 threads, and GPUs: ert_planner_set().
 */
uint64_t ert_planner_share(const struct ert_planner *planner, const struct ert_level *level,
                           uint32_t threads);

#endif
