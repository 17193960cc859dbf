/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counters: operations and bytes of the versions as Nsight Compute counts them: this program run under it,
 * and its table read by the importer (analysis/import). It times nothing: a profiler's times are not used.
 */
#ifndef GPP_COUNTERS_H
#define GPP_COUNTERS_H

#include "gpp/versions.h"

#include "analysis/points.h"

/* Who counts what. */
struct gpp_counting {
    char ncu[256];          /* the program; "": the table is given */
    char metrics[4096];     /* those that it knows here, joined by commas */
    char table[1040];       /* the file that ncu's table is in, or goes to */
    struct gpp_sizes sizes; /* that ncu sees */
    bool is_smaller;        /* than the timed problem: counts are scaled by iterations */
    const char *words[24];  /* the problem, as `ert-gpp run` is told it; NULL-terminated */
};

/* Finds ncu and asks which metrics it knows. ERT_UNAVAILABLE when it is not installed. */
enum ert_status gpp_counters_open(struct gpp_counting *counting, struct ert_error *error);

/*
 * Puts what the table has of a version in place of the point's counts from formulas, which become its
 * values formula_flops and formula_bytes; the time stays. sizes: of the point. launches: of one run; the
 * table may hold several runs, and a part of one is a warning of the point. The first table gives the points
 * their origin. ERT_UNAVAILABLE when no launch of the version is there, ERT_USAGE for a damaged file; the
 * point is then as before.
 */
enum ert_status gpp_counters_read(const struct gpp_counting *counting,
                                  const struct gpp_version *version,
                                  const struct gpp_sizes *sizes, double launches,
                                  struct rfl_points *points, struct rfl_point *point,
                                  struct ert_error *error);

/*
 * Both for n versions, of which the points are in the same order. ncu sees all in one process, whose inputs
 * take longer to make than most versions take to run; what that process did not reach, because a version
 * before it failed, is run alone. A point that could not be counted keeps its formulas, and has the reason
 * as a warning: "not counted: ...".
 */
void gpp_counters_take(const struct gpp_counting *counting,
                       const struct gpp_version *const *versions,
                       const struct gpp_counts *counts, size_t n,
                       const struct gpp_sizes *sizes, struct rfl_points *points);

#endif
