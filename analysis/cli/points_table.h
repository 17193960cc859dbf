/* points_table: points as a table, with what is missing under it. */
#ifndef RFL_CLI_POINTS_TABLE_H
#define RFL_CLI_POINTS_TABLE_H

#include "analysis/points.h"
#include "analysis/table.h"

/*
 * Writes a row per point: name, launches, time, operations per type, bytes per level, what is missing.
 * Text and Markdown have units and, below, the notes: recipes, reasons, warnings. CSV has SI numbers
 * and the notes as columns.
 */
enum ert_status rfl_points_table(FILE *out, const struct rfl_points *points,
                                 enum rfl_table_format format, struct ert_error *error);

#endif
