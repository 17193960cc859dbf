/*
 * columns: text in aligned columns, on a stream of the caller. It knows no ceilings.
 */
#ifndef ERT_CEILINGS_COLUMNS_H
#define ERT_CEILINGS_COLUMNS_H

#include <stddef.h>
#include <stdio.h>

enum {
    ERT_N_COLUMNS = 8,
    ERT_COLUMN_TEXT = 168 /* the longest text of struct ert_peak fits */
};

/* One line; "" is an empty cell. Cells behind the last text are not padded. */
struct ert_columns_row {
    char cells[ERT_N_COLUMNS][ERT_COLUMN_TEXT];
};

/* Writes the rows, each column as wide as its widest cell, indented by two, two blanks between. */
void ert_columns_write(FILE *out, const struct ert_columns_row *rows, size_t n_rows);

#endif
