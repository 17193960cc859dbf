/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * counters: operations and bytes of the versions, counted by Nsight Compute: runs this program under ncu, and
 * reads its table with the importer (analysis/ext/import). It times nothing: a profiler's times are not used.
 */
#ifndef GPP_COUNTERS_H
#define GPP_COUNTERS_H

#include "gpp/versions.h"

#include "analysis/core/points/points.h"

/* How to count, and what. */
struct gpp_counting {
    char ncu[256];         /* the program */
    char metrics[4096];    /* that it knows here, joined by commas */
    char table[1040];      /* the file for ncu's table */
    const char *words[24]; /* options of `ert-gpp run` for the problem; NULL-terminated */
};

/* Finds ncu and asks which metrics it knows. ERT_UNAVAILABLE when it is not installed. */
enum ert_status gpp_counters_open(struct gpp_counting *counting, struct ert_error *error);

/*
 * Replaces the point's counts from formulas by the table's counts of a version. The former become its values
 * formula_flops and formula_bytes; the time stays. sizes: of the point. launches: of one run; the table may
 * contain several runs, and an incomplete one is a warning of the point. The first table gives the points
 * their origin. ERT_UNAVAILABLE if it has no launch of the version, ERT_USAGE for a damaged file; the point
 * is then unchanged.
 */
enum ert_status gpp_counters_read(const struct gpp_counting *counting,
                                  const struct gpp_version *version,
                                  const struct gpp_sizes *sizes, double launches,
                                  struct rfl_points *points, struct rfl_point *point,
                                  struct ert_error *error);

/*
 * Runs ncu and reads its table for n versions, with their points in the same order. ncu profiles all in one
 * process, whose inputs take longer to generate than most versions take to run. Versions that this process
 * did not reach, because an earlier one failed, are then run alone. A point that could not be counted keeps
 * its formulas and gets the reason as a warning: "not counted: ...".
 */
void gpp_counters_take(const struct gpp_counting *counting,
                       const struct gpp_version *const *versions,
                       const struct gpp_counts *counts, size_t n,
                       const struct gpp_sizes *sizes, struct rfl_points *points);

#endif
