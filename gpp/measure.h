/* SPDX-License-Identifier: BSD-3-Clause */
/* measure: the reference of a problem, the timed runs of one version, and the point of its results. */
#ifndef GPP_MEASURE_H
#define GPP_MEASURE_H

#include "gpp/reference.h"
#include "gpp/versions.h"

#include "analysis/core/points/points.h"

/* Rows of a sampled reference, evenly spaced from the first on, with all bands and columns. */
enum { GPP_SAMPLED_ROWS = 3 };

/* A problem, and the reference for its results. */
struct gpp_subject {
    struct gpp_problem problem, part;  /* part: the sampled rows */
    const struct gpp_problem *checked; /* problem or part; NULL: nothing is compared */
    struct gpp_result reference;       /* of *checked */
    struct gpp_shares shares;
};

/* "auto", "full", "sample", "none", NULL-terminated. */
extern const char *const gpp_reference_words[];

/*
 * Counts the shares of the filled subject->problem and computes its reference: of all rows (full), of sampled
 * rows, on which each version then runs once more (sample), of none, or (auto) of all up to 3e8 iterations,
 * else of sampled rows. ERT_FAILED without memory.
 */
enum ert_status gpp_subject_prepare(struct gpp_subject *subject, const char *reference,
                                    struct ert_error *error);

/* Frees both problems; accepts a zeroed subject. */
void gpp_subject_free(struct gpp_subject *subject);

struct gpp_measurement {
    const struct gpp_version *version;
    struct gpp_options options;
    struct gpp_facts facts;
    struct gpp_result result; /* of the first run */
    size_t repeat;
    double time_s, low_s, high_s; /* median, interval (stats.h) of runs after a warm-up */
    double best_s;
    bool is_repeatable; /* all runs gave the same bits */
    char others[256];   /* other runs on the device at the same time (presence.h), or "" */
};

/*
 * Opens a session, runs once to warm up and then `repeat` times. repeat 0: one run without warm-up, so that a
 * profiler sees one run. Errors as the engine's.
 */
enum ert_status gpp_measure(const struct gpp_version *version,
                            const struct gpp_problem *problem,
                            const struct gpp_options *options, size_t repeat,
                            struct gpp_measurement *measurement, struct ert_error *error);

/*
 * Writes the error of a measured version (reference.h) to *worst: of its timed run, or of a run on the
 * sampled rows; -1 without a reference. Errors as the engine's.
 */
enum ert_status gpp_subject_compare(const struct gpp_subject *subject,
                                    const struct gpp_measurement *measurement,
                                    double *worst, struct ert_error *error);

/*
 * Appends the measurement as a point, with its counts from the formulas, for a problem of these sizes with
 * the name `system`: "si214". The point's name is the version's, its run the problem's: "si214 nw=2 no-fma".
 * worst: as above.
 */
void gpp_measure_point(const struct gpp_measurement *measurement,
                       const struct gpp_sizes *sizes, const struct gpp_counts *counts,
                       const char *system, double worst, struct rfl_points *points);

#endif
