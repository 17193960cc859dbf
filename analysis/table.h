/*
 * table: rows of text cells under a header, written as aligned text, Markdown or CSV (RFC 4180). It
 * knows no rooflines. Numbers are the caller's texts; JSON is written by those who know the numbers.
 */
#ifndef RFL_TABLE_H
#define RFL_TABLE_H

#include "analysis/strings.h"

#include <stdbool.h>
#include <stdio.h>

enum { RFL_MAX_TABLE_COLUMNS = 32 };

struct rfl_table {
    size_t n_columns, n_cells, capacity;
    const char *headers[RFL_MAX_TABLE_COLUMNS];
    bool right[RFL_MAX_TABLE_COLUMNS];    /* of numbers: aligned to the right */
    size_t widths[RFL_MAX_TABLE_COLUMNS]; /* in characters, while text is written */
    const char **cells;                   /* malloc; n_columns a row */
    struct rfl_strings strings;
    bool is_continued; /* CSV: rows after those of another table, without a header */
};

/* Adds a column, before the first row; `right` for numbers. The header is copied. */
void rfl_table_column(struct rfl_table *table, const char *header, bool right);

/* Adds a column for each header of "kernel|>time|>FMA %"; '>' before those of numbers. */
void rfl_table_columns(struct rfl_table *table, const char *headers);

/* Appends a cell, copied; a row is full when it has as many as there are columns. */
void rfl_table_cell(struct rfl_table *table, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Appends a number as printf's format of it, "-" where it is not finite. */
void rfl_table_number(struct rfl_table *table, const char *format, double value);

/* Appends a row of texts, one for each column, copied. */
void rfl_table_row(struct rfl_table *table, const char *const *cells);

/* The last row's missing cells become "". */
void rfl_table_end_row(struct rfl_table *table);

enum rfl_table_format { RFL_TABLE_TEXT, RFL_TABLE_MARKDOWN, RFL_TABLE_CSV };

/* The format of a name: "markdown", "csv", else text. */
enum rfl_table_format rfl_table_format(const char *name);

/* Writes the table and frees it. */
void rfl_table_write(struct rfl_table *table, enum rfl_table_format format, FILE *out);

/* Frees one that is not written; all zero is fine. */
void rfl_table_free(struct rfl_table *table);

#endif
