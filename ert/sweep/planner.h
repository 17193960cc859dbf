/*
 * planner: what the sections of a plan share: the plan of one device while it is made. Internal to
 * sweep: plan.c owns it, planner.c has what plan_*.c share, each of which adds one section's points.
 */
#ifndef ERT_SWEEP_PLANNER_H
#define ERT_SWEEP_PLANNER_H

#include "ert/sweep/samples.h"

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

/* Appends a point. ERT_FAILED when memory runs out. */
enum ert_status ert_planner_add(struct ert_planner *planner, enum ert_section section,
                                const struct ert_case *case_,
                                const struct ert_variant *variant);

/* Notes that "NAME" cannot be measured here, and why; the 257th and later are dropped. */
void ert_planner_absent(struct ert_planner *planner, const char *name, const char *reason);

/*
 * The variants of a kernel on a path that the config lets run, into variants[] and their indices
 * for ert_case.variant; returns how many, 0 with the reason. all_isas: of every instruction set,
 * unless the config names one; else those of the best one.
 */
size_t ert_planner_variants(struct ert_planner *planner, enum ert_kernel_id kernel,
                            enum ert_path path, bool all_isas,
                            struct ert_variant variants[ERT_MAX_VARIANTS],
                            uint32_t indices[ERT_MAX_VARIANTS], char *reason, size_t size);

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

/*
 * The sets of a kernel on a memory that first touch does not take (ert_sets_far_node()): all threads,
 * buffers bound to its nodes. Or says why it is absent.
 */
enum ert_status ert_plan_far_memory(struct ert_planner *planner, enum ert_kernel_id kernel,
                                    const struct ert_level *level);

/* The sections in files of their own. Each adds its points, or says what is absent. */
enum ert_status ert_plan_latency(struct ert_planner *planner);
enum ert_status ert_plan_access(struct ert_planner *planner);
enum ert_status ert_plan_concurrency(struct ert_planner *planner);
enum ert_status ert_plan_links(struct ert_planner *planner);
enum ert_status ert110_plan(struct ert_planner *planner);
enum ert_status ert_plan_places(struct ert_planner *planner);

#endif
