/* SPDX-License-Identifier: BSD-3-Clause */
/* points_write: writes points.json (points_json.h). Unknown values are left out. */
#ifndef RFL_POINTS_WRITE_H
#define RFL_POINTS_WRITE_H

#include "analysis/core/points/points.h"

#include <stdio.h>

/* Writes points (struct rfl_points) as such a file to a stream, whose errors the caller checks (ferror). */
enum ert_status rfl_points_print(const void *points, FILE *out, struct ert_error *error);

/* Writes all members of such a file but the schema, each after a comma, into the caller's JSON object. */
void rfl_points_print_members(FILE *out, const struct rfl_points *points);

/* Writes a file atomically. */
enum ert_status rfl_points_write(const char *file, const struct rfl_points *points,
                                 struct ert_error *error);

#endif
