/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * measure: versions tried on a problem: what their results are compared with, one version run often enough
 * and timed, and the point that it makes.
 */
#ifndef GPP_MEASURE_H
#define GPP_MEASURE_H

#include "gpp/reference.h"
#include "gpp/versions.h"

#include "analysis/points.h"

/* First, middle and last row of a sampled reference, with all bands and columns. */
enum { GPP_SAMPLED_ROWS = 3 };

/* A problem, and the reference that results on it are compared with. */
struct gpp_subject {
    struct gpp_problem problem, part;  /* part: the sampled rows */
    const struct gpp_problem *checked; /* problem, part or NULL: nothing is compared */
    struct gpp_reference reference;    /* of *checked */
    struct gpp_shares shares;
};

/* "auto", "full", "sample", "none", NULL-terminated. */
extern const char *const gpp_reference_words[];

/*
 * Counts the shares and computes the reference of subject->problem, which is filled: of all (full), of
 * sampled rows that a version then runs once more (sample), of none, or (auto) of all up to 3e8
 * iterations and else sampled. ERT_FAILED without memory.
 */
enum ert_status gpp_subject_prepare(struct gpp_subject *subject, const char *reference,
                                    struct ert_error *error);

/* Frees all; all zero is fine. */
void gpp_subject_free(struct gpp_subject *subject);

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
    char others[256];   /* runs that measured the device meanwhile (presence.h), or "" */
};

/*
 * Opens a session, runs once to warm up and `repeat` times; repeat 0: once, without one to warm up, which
 * is what a profiler sees once. Errors as the engine's.
 */
enum ert_status gpp_measure(const struct gpp_version *version,
                            const struct gpp_problem *problem,
                            const struct gpp_options *options, size_t repeat,
                            struct gpp_measurement *measurement, struct ert_error *error);

/*
 * The error of a measured version (reference.h) in *worst: of its timed run, or of one on the sampled
 * rows; -1 without a reference. Errors as the engine's.
 */
enum ert_status gpp_subject_compare(const struct gpp_subject *subject,
                                    const struct gpp_measurement *measurement,
                                    double *worst, struct ert_error *error);

/*
 * Appends the measurement with its counts from the formulas, on a problem of these sizes that is called
 * `system`: "si214". Its name is the version's, its run the problem's: "si214 nw=2 no-fma". worst: as
 * above.
 */
void gpp_measure_point(const struct gpp_measurement *measurement,
                       const struct gpp_sizes *sizes, const struct gpp_counts *counts,
                       const char *system, double worst, struct rfl_points *points);

#endif
