/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * json: writes points.json (points_json.c), and placements, which the report calls (rfl_report_json); helpers
 * for writers of JSON. Unknown values are left out.
 */
#ifndef RFL_JSON_H
#define RFL_JSON_H

#include "analysis/core/place/views.h"
#include "ert/core/base/json.h"

/* Writes points (struct rfl_points) as such a file to a stream, whose errors the caller checks (ferror). */
enum ert_status rfl_points_print(const void *points, FILE *out, struct ert_error *error);

/*
 * Writes all members of such a file but the schema, each after a comma, into the caller's JSON object.
 * in_lines: a line for each point, for programs; else for people, too.
 */
void rfl_points_print_members(FILE *out, const struct rfl_points *points, bool in_lines);

/* Writes a file atomically. */
enum ert_status rfl_points_write(const char *file, const struct rfl_points *points,
                                 struct ert_error *error);

/*
 * A placement as JSON, with the rows of a view: an element of "kernels" of placement.schema.json.
 * whole_s: the time that its share is of. The caller frees it.
 */
cJSON *rfl_placement_json(const struct rfl_placer *placer,
                          const struct rfl_placement *placement,
                          const struct rfl_view *view, double whole_s);

/* Adds a value to an object; leaves out "" or NULL, NaN or infinity, and for _positive also 0 and below. */
void rfl_json_text(cJSON *object, const char *key, const char *text);
void rfl_json_number(cJSON *object, const char *key, double value);
void rfl_json_positive(cJSON *object, const char *key, double value);

/* Appends a text to an array. */
void rfl_json_append(cJSON *array, const char *text);

/* Prints a tree and frees it. */
void rfl_json_print(FILE *out, cJSON *root);

#endif
