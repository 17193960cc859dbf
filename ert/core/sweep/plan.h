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

/* The plan of a device while it is made: what sections share, and modes, which plan their points (mode.h). */
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

/* Appends a point; the pointer is valid until the next call. */
struct ert_point *ert_planner_add(struct ert_planner *planner, enum ert_section section,
                                  const struct ert_spec *spec,
                                  const struct ert_variant *variant);

/*
 * Which ways to run a kernel are planned: all of the best instruction set, only the first of these, or those
 * of every instruction set. If the config names an instruction set, it is the only one.
 */
enum ert_which { ERT_BEST_ISA, ERT_FIRST_WAY, ERT_ALL_ISAS };

/* Ways to run a kernel: variants and their indices, or the reason why there is none. */
struct ert_ways {
    size_t n;
    struct ert_variant variants[ERT_MAX_VARIANTS];
    uint32_t indices[ERT_MAX_VARIANTS]; /* for ert_spec.variant */
    char reason[192];
};

/*
 * Sets spec->variant and *found to the variant called `name` of the spec's kernel and path. "": the first; an
 * instruction set: its first; of a mode's kernels with the launch behind it. ERT_UNAVAILABLE, with the names
 * that there are, when this build has none.
 */
enum ert_status ert_plan_variant(const struct ert_device *device,
                                 const struct ert_session_options *options,
                                 const char *name, struct ert_spec *spec,
                                 struct ert_variant *found, struct ert_error *error);

/* Finds the ways to run a spec; appends a point for each of some ways. */
void ert_planner_find_ways(const struct ert_planner *planner, const struct ert_spec *spec,
                           enum ert_which which, struct ert_ways *ways);
void ert_planner_add_ways(struct ert_planner *planner, enum ert_section section,
                          struct ert_spec spec, const struct ert_ways *ways);

/*
 * Adds a point for each way to run a spec. If there is none, or no working set (no_set is the reason, else
 * ""), records the formatted name as not measured.
 */
void ert_planner_add_case(struct ert_planner *planner, enum ert_section section,
                          const struct ert_spec *spec, enum ert_which which,
                          const char *no_set, const char *format, ...)
    __attribute__((format(printf, 6, 7)));

/* The spec of a kernel at a level; NULL: on no path. */
struct ert_spec ert_planner_spec(enum ert_kernel_id kernel, const struct ert_level *level);

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

/*
 * A set that measures a memory of memory_bytes (0: unknown) behind caches of `caches` bytes: 4 times these,
 * or at least half of that if memory is short. 0 when less is allowed: the reason names the memory.
 */
uint64_t ert_planner_bound_set(const struct ert_planner *planner, uint64_t caches,
                               uint64_t memory_bytes, const char *name, char reason[192]);

#endif
