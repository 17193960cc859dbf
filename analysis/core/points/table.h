/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * table: rows of cells under a header, written as aligned text, Markdown or CSV (RFC 4180). Numbers have
 * scaled units for readers, and plain SI units in CSV. It knows no rooflines.
 */
#ifndef RFL_TABLE_H
#define RFL_TABLE_H

#include "ert/core/base/strings.h"
#include "ert/core/base/text.h"
#include "ert/core/base/units.h"

#include <stdio.h>

struct rfl_column {
    bool right;   /* aligned to the right, for numbers */
    size_t width; /* in characters, while text is written */
};

/* Start with all zero but the format. */
struct rfl_table {
    enum ert_format format; /* of a terminal, Markdown or CSV */
    size_t n_columns, column_capacity, n_cells, capacity;
    struct rfl_column *columns; /* malloc */
    const char **cells;         /* malloc; n_columns per row, the headers first */
    struct ert_strings strings; /* the cells' texts */
};

/* Adds a column, before the first row; `right` for numbers. */
void rfl_table_column(struct rfl_table *table, bool right, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a column for each header of "kernel|>time|>FMA %"; '>' marks numbers. */
void rfl_table_columns(struct rfl_table *table, const char *headers);

/* Appends a cell, copied; a row is complete when it has a cell per column. */
void rfl_table_cell(struct rfl_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Appends a cell for each text up to NULL. */
void rfl_table_texts(struct rfl_table *table, ...) __attribute__((sentinel));

/*
 * Appends a number by its unit ("s", "byte/s", "flop", "flop/J"; "" and "flop/byte": four digits) or a printf
 * format, with "%%" for a share in per cent; "-" if it is not finite. In CSV it has ten digits, or is "".
 * _positive: 0 counts as unknown, too.
 */
void rfl_table_number(struct rfl_table *table, const char *how, double value);
void rfl_table_positive(struct rfl_table *table, const char *how, double value);

/* The format that a name selects: "markdown", "csv", else text. */
enum ert_format rfl_table_format(const char *name);

/* Sets the columns' widths for text, and returns that of all. */
size_t rfl_table_width(struct rfl_table *table);

/* Writes and discards the rows so far: more rows of CSV may follow. */
void rfl_table_flush(struct rfl_table *table, FILE *out);

/* Writes the table and frees it. */
void rfl_table_write(struct rfl_table *table, FILE *out);

/* Frees a table that is not written; accepts an all-zero struct. */
void rfl_table_free(struct rfl_table *table);

#endif
