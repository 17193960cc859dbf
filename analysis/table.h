/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * table: rows of cells under a header, written as aligned text, Markdown or CSV (RFC 4180). Numbers
 * stand with their units for readers, in CSV in SI units. It knows no rooflines.
 */
#ifndef RFL_TABLE_H
#define RFL_TABLE_H

#include "analysis/strings.h"
#include "ert/base/text.h"
#include "ert/base/units.h"

#include <stdio.h>

struct rfl_column {
    bool right;   /* of numbers: aligned to the right */
    size_t width; /* in characters, while text is written */
};

/* All zero but the format at first. */
struct rfl_table {
    enum ert_format format; /* of a terminal, Markdown or CSV */
    size_t n_columns, column_capacity, n_cells, capacity;
    struct rfl_column *columns; /* malloc */
    const char **cells;         /* malloc; n_columns a row, the headers first */
    struct ert_strings strings; /* what the cells say */
};

/* Adds a column, before the first row; `right` for numbers. */
void rfl_table_column(struct rfl_table *table, bool right, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a column for each header of "kernel|>time|>FMA %"; '>' before those of numbers. */
void rfl_table_columns(struct rfl_table *table, const char *headers);

/* Appends a cell, copied; a row is full when it has as many as there are columns. */
void rfl_table_cell(struct rfl_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Appends a cell for each text up to NULL. */
void rfl_table_texts(struct rfl_table *table, ...) __attribute__((sentinel));

/*
 * A number for readers: by its unit ("s", "byte/s", "flop", "flop/J"; "" and "flop/byte": four digits) or
 * printf's format of it, of a share in per cent where that has a "%%". "-" for one that is not finite.
 */
struct ert_text rfl_number_text(const char *how, double value);

/* Appends a number, as above; in CSV with ten digits, or "". _positive: also 0 is not known. */
void rfl_table_number(struct rfl_table *table, const char *how, double value);
void rfl_table_positive(struct rfl_table *table, const char *how, double value);

/* The last row's missing cells become "". */
void rfl_table_end_row(struct rfl_table *table);

/* The format of a name: "markdown", "csv", else text. */
enum ert_format rfl_table_format(const char *name);

/* Writes the rows so far and forgets them: more rows of CSV may follow. */
void rfl_table_flush(struct rfl_table *table, FILE *out);

/* Writes the table and frees it. */
void rfl_table_write(struct rfl_table *table, FILE *out);

/* Frees one that is not written; all zero is fine. */
void rfl_table_free(struct rfl_table *table);

#endif
