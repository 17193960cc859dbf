/*
 * compare_text: comparisons (analysis/compare.h) as text, Markdown, CSV and JSON for roofline compare.
 */
#ifndef RFL_CLI_COMPARE_TEXT_H
#define RFL_CLI_COMPARE_TEXT_H

#include "analysis/compare.h"
#include "analysis/table.h"

#include <stdio.h>

/* A file, and what came of comparing it with the first. */
struct rfl_compared {
    const char *file;
    char origin[256]; /* host and date, or a profile's origin */
    struct rfl_comparison comparison;
};

struct rfl_compare_view {
    const char *first_file, *first_origin;
    bool is_theory, is_points, is_steps;
    bool all;          /* also access sizes and concurrency that did not change */
    double fail_below; /* 0: no gate */
};

/* One file compared: what differs between the machines, the rows, and a line that counts. */
enum ert_status rfl_compare_write(FILE *out, const struct rfl_compare_view *view,
                                  const struct rfl_compared *compared, size_t n,
                                  enum rfl_table_format format, struct ert_error *error);

/* Parts of it: all rows with raw numbers in SI units; a line per file: which is unlike the others. */
enum ert_status rfl_compare_write_csv(FILE *out, const struct rfl_compare_view *view,
                                      const struct rfl_compared *compared, size_t n,
                                      struct ert_error *error);
enum ert_status rfl_compare_write_fleet(FILE *out, const struct rfl_compare_view *view,
                                        const struct rfl_compared *compared, size_t n,
                                        enum rfl_table_format format,
                                        struct ert_error *error);

/* Whether the gate fails on a change. */
bool rfl_compare_fails(const struct rfl_compare_view *view,
                       const struct rfl_change *change);

/* Columns by their names; right[i] 'r' aligns one to the right. Then: writes and frees a table. */
void rfl_compare_columns(struct rfl_table *table, const char *const *names, size_t n,
                         const char *right);
enum ert_status rfl_compare_finish(struct rfl_table *table, enum rfl_table_format format,
                                   FILE *out, struct ert_error *error);

/*
 * Everything as one JSON object, "ert-compare/1": of, a, a_from, and for each other file differences,
 * counts, median_speed, rows (device or point, kind, name, unit, a, b, ratio, speed, verdict), notes.
 */
enum ert_status rfl_compare_write_json(FILE *out, const struct rfl_compare_view *view,
                                       const struct rfl_compared *compared, size_t n,
                                       struct ert_error *error);

#endif
