/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * table: prints ceilings next to their theoretical peaks as a text table, for `ert run`, `ert show`
 * and `roofline import`. It judges nothing.
 */
#ifndef ERT_CEILINGS_TABLE_H
#define ERT_CEILINGS_TABLE_H

#include "ert/core/ceilings/ceilings.h"

#include <stdio.h>

/*
 * Writes one table per device: ceiling, value, interval, share of theory, clock, kernel and configuration,
 * notes; then the full warnings, the unattributed plateaus, and what is not measured, with its reason.
 * ASCII. The caller checks ferror(out).
 */
void ert_ceilings_table(FILE *out, const struct ert_ceilings *ceilings);

/* Writes the theoretical peaks, each with clock, formula and source, or why it is unknown. */
void ert_peaks_table(FILE *out, const struct ert_peak *peaks, size_t n_peaks);

enum {
    ERT_N_COLUMNS = 8,
    ERT_COLUMN_TEXT = 168 /* the longest text of struct ert_peak fits */
};

/* A growing table of texts; all zero is empty. "" is an empty cell. */
struct ert_columns {
    size_t n, capacity;
    struct ert_columns_row {
        char cells[ERT_N_COLUMNS][ERT_COLUMN_TEXT];
    } * rows; /* malloc */
};

/* Adds a row: of empty cells; of texts[], NULL-terminated. */
void ert_columns_row(struct ert_columns *table);
void ert_columns_texts(struct ert_columns *table, const char *const *texts);

/* Appends text to a cell of the last row, after ", " if the cell is not empty. */
void ert_columns_add(struct ert_columns *table, size_t column, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Writes the rows and frees them: each column as wide as its widest cell, indented by two blanks and
 * separated by two, without trailing blanks.
 */
void ert_columns_write(FILE *out, struct ert_columns *table);

#endif
