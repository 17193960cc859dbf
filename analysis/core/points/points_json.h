/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * points_json: reads points.json, schema "ert-points/1" (analysis/core/points/points.schema.json), which
 * ert-gpp and `roofline import` write (analysis/ext/json/json.h).
 *
 *   { "schema": "ert-points/1", "origin": ..., "elapsed_s": ..., "busy_s": ...,
 *     "points": [ { "name": ..., "run": ..., "time_s": ..., "interval_s": [low, high], "launches": ...,
 *     "flops": [ {"type", "unit", "count", "fma_share", "recipe"} ], "bytes": [ {"level", "count",
 *     "recipe"} ], "missing": [ {"what", "reason"} ], "warnings": [...], "clock_hz": ..., ... } ] }
 *
 * Unknown values are left out. Unknown keys are accepted, a newer major version is not.
 */
#ifndef RFL_POINTS_JSON_H
#define RFL_POINTS_JSON_H

#include "analysis/core/points/points.h"

#define RFL_POINTS_SCHEMA "ert-points/1"

/* Whether a text begins like such a file, or like one of `roofline place`, which has the same keys. */
bool rfl_points_recognizes(const char *head);

/* Appends the points of a file. ERT_USAGE names file, path, value and limit. */
enum ert_status rfl_points_read(const char *file, struct rfl_points *points,
                                struct ert_error *error);

#endif
