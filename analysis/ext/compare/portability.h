/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * portability: the performance portability of one code over several platforms as one number. Pure; place.h
 * defines architectural efficiency.
 *
 * Pennycook, Sewall and Lee, "Implications of a metric for performance portability", Future
 * Generation Computer Systems 92 (2019), doi:10.1016/j.future.2017.08.007 (before it, "A metric for
 * performance portability", arXiv:1611.07409, equation 1): the harmonic mean of the efficiencies over
 * a set H of platforms, and 0 when the code does not run on one of them.
 */
#ifndef RFL_PORTABILITY_H
#define RFL_PORTABILITY_H

#include "analysis/core/points/points.h"
#include "analysis/core/points/strings.h"
#include "ert/core/base/error.h"

enum { RFL_MAX_PLATFORMS = 14 };

struct rfl_portability {
    double metric; /* 0: unsupported somewhere; NaN: undefined; above 1 is kept */
    /* Over the platforms that have an efficiency; NaN if none has. */
    double min, max, mean, deviation; /* population standard deviation: divided by n */
    char reason[192];                 /* why 0 or undefined, or a warning; "" none */
};

/*
 * efficiencies[n]: fractions; 0 or NaN: the code does not run on the platform, or there is no number for it.
 * names[n]: for the reason. The metric is undefined for fewer than two platforms.
 */
void rfl_portability(const double *efficiencies, const char *const *names, size_t n,
                     struct rfl_portability *result);

/* One row of efficiencies: a code, a version, a problem. */
struct rfl_portable_case {
    const char *name;
    double efficiencies[RFL_MAX_PLATFORMS]; /* fractions; NaN none */
    double published;                       /* the metric as published; NaN none */
};

struct rfl_efficiencies {
    size_t n_platforms, n_cases, capacity;
    const char *platforms[RFL_MAX_PLATFORMS];
    struct rfl_portable_case *cases; /* malloc, owned */
    struct ert_strings strings;
};

/*
 * Reads a CSV: the first column names the case, each other one is a platform, except "published", a metric
 * to compare with. Each header gives the unit: "V100 (percent)", "V100 %", "V100 (fraction)", or the first
 * column's gives it for all. Platforms and cases are appended: a second
 * file's platforms join the cases of the same name. An empty cell or "-" is a platform without a number.
 * Lines that begin with # are skipped. ERT_USAGE names file, row and column, also if a unit is in doubt.
 */
enum ert_status rfl_efficiencies_read(const char *file, struct rfl_efficiencies *result,
                                      struct ert_error *error);

/* The efficiencies of a platform's points, before the platforms are joined. */
struct rfl_platform {
    const char *name;          /* the caller's */
    struct rfl_points *points; /* the caller's */
    double *efficiencies;      /* the caller's, one fraction per point; NaN none */
};

/*
 * Joins platforms into an empty *result. Cases are the points' names, or "NAME [RUN]" if a profile has a name
 * twice; a case that a platform lacks has no number there. ERT_USAGE when a case still appears twice, or
 * there are too many platforms.
 */
enum ert_status rfl_efficiencies_join(const struct rfl_platform *platforms, size_t n,
                                      struct rfl_efficiencies *result,
                                      struct ert_error *error);

/* Frees all; accepts an all-zero struct. */
void rfl_efficiencies_free(struct rfl_efficiencies *efficiencies);

#endif
