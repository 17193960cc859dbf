/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * merge: joins points of several processes of one program. Points with the same name and run become one:
 * counts are added, the time is that of the longest process, for launches on GPUs the sum; clocks and warps
 * are means. Other values are kept only if a single process has the point, since their meaning is unknown;
 * where its code is stays.
 */
#ifndef RFL_RECORD_MERGE_H
#define RFL_RECORD_MERGE_H

#include "analysis/core/points/points.h"

/* Adds points to a set, except for elapsed_s and busy_s. ERT_USAGE as rfl_points_work. */
enum ert_status rfl_merge(struct rfl_points *points, const struct rfl_points *from,
                          struct ert_error *error);

/* Adds operations, bytes and instructions of a point, multiplied by `times`, and its notes. */
void rfl_merge_counts(struct rfl_point *point, const struct rfl_point *of, double times);

#endif
