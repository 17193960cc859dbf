/*
 * measure: one version on one problem: run often enough, timed, compared, and written as a point.
 */
#ifndef GPP_MEASURE_H
#define GPP_MEASURE_H

#include "gpp/counts.h"
#include "gpp/reference.h"
#include "gpp/versions.h"

#include "analysis/points.h"

struct gpp_measurement {
    const struct gpp_version *version;
    struct gpp_options options;
    struct gpp_facts facts;
    struct gpp_result result; /* of the first run */
    size_t repeat;
    double time_s, low_s,
        high_s; /* median and interval (stats.h) of the runs after a warm-up */
    double best_s;
    bool is_repeatable; /* all runs gave the same bits */
};

/*
 * Opens a session, runs once to warm up and `repeat` times. Errors as the engine's; also ERT_USAGE for
 * repeat 0.
 */
enum ert_status gpp_measure(const struct gpp_version *version,
                            const struct gpp_problem *problem,
                            const struct gpp_options *options, size_t repeat,
                            struct gpp_measurement *measurement, struct ert_error *error);

/* One run, without one to warm up: what a profiler sees once. Errors as the engine's. */
enum ert_status gpp_measure_once(const struct gpp_version *version,
                                 const struct gpp_problem *problem,
                                 const struct gpp_options *options,
                                 struct gpp_measurement *measurement,
                                 struct ert_error *error);

/*
 * Appends the measurement without counts, on a problem of these sizes that is called `system`:
 * "si214". *point is valid until the next one is added.
 */
enum ert_status gpp_measure_add(const struct gpp_measurement *measurement,
                                const struct gpp_sizes *sizes, const char *system,
                                struct rfl_points *points, struct rfl_point **point,
                                struct ert_error *error);

/* The same with its analytic counts. */
enum ert_status gpp_measure_point(const struct gpp_measurement *measurement,
                                  const struct gpp_sizes *sizes,
                                  const struct gpp_counts *counts, const char *system,
                                  struct rfl_points *points, struct ert_error *error);

#endif
