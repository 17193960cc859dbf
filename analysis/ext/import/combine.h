/* SPDX-License-Identifier: BSD-3-Clause */
/* combine: the points of several files as those of one program. */
#ifndef RFL_IMPORT_COMBINE_H
#define RFL_IMPORT_COMBINE_H

#include "analysis/core/points/reader.h"

/*
 * RFL_RANKS: files of processes that ran at the same time. Of points with one name the work is summed, and
 * the time is the longest; the value rank_imbalance is its excess over the mean. What any of them lacks, the
 * sum lacks. RFL_JOIN: files of tools that each ran the same program. A point has what the first file with
 * it says; points of one name are one, and so are all where each file has one. ERT_USAGE where nothing has
 * a counterpart in another file.
 */
enum ert_status rfl_points_combine(struct rfl_points *points, enum rfl_combining how,
                                   struct ert_error *error);

/*
 * Makes DRAM's bytes of those of its channels 0 to 3 and 4 to 7, which likwid counts in runs of their own on
 * AMD's Zen 3 (values "dram_bytes_channels_0_3" and "dram_bytes_channels_4_7"), if the point has both.
 */
void rfl_halves_join(struct rfl_point *point);

#endif
