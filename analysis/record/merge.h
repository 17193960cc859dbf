/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * merge: points of several processes of one program as one set: those of a name and run are one point, with
 * all their counts and the time of the longest; of launches on GPUs the sum of their times. Clocks and warps
 * are means. Other values are kept where one process alone has the point: what they mean is not known.
 */
#ifndef RFL_RECORD_MERGE_H
#define RFL_RECORD_MERGE_H

#include "analysis/points.h"

/* Adds points to a set; its elapsed_s and busy_s stay. ERT_USAGE as rfl_points_work. */
enum ert_status rfl_merge(struct rfl_points *points, const struct rfl_points *from,
                          struct ert_error *error);

/* Adds a point's operations, bytes and instructions, each so many times, and its notes. */
void rfl_merge_counts(struct rfl_point *point, const struct rfl_point *of, double times);

#endif
