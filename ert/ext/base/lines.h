/* SPDX-License-Identifier: BSD-3-Clause */
/* lines: a file line by line, cells of CSV, and numbers with their place in errors. It knows no format. */
#ifndef ERT_EXT_BASE_LINES_H
#define ERT_EXT_BASE_LINES_H

#include "ert/core/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct ert_lines {
    const char *file; /* for errors */
    FILE *stream;
    char *line;              /* malloc; the current line without its end (\n, \r\n) */
    size_t capacity, number; /* of the line, from 1 */
    bool is_cut;             /* the current line: by a byte of 0 within it */
    bool failed;             /* reading failed, or a line is longer than 16 MiB */
    int unpacker;            /* the process of gzip, whose output the stream is; 0: none */
    char **cells;            /* malloc; of the current line, after ert_lines_split */
    size_t n_cells, room_cells;
};

/* Opens a file, one of gzip's through gzip; ERT_USAGE with the system's reason, also for a folder. */
enum ert_status ert_lines_open(const char *file, struct ert_lines *lines,
                               struct ert_error *error);

/* The same over text in memory, for tests; the text must outlive it. */
enum ert_status ert_lines_open_text(const char *file, const char *text,
                                    struct ert_lines *lines, struct ert_error *error);

/* ERT_USAGE with a formatted text behind the file and the row of the current line. */
enum ert_status ert_lines_fail(const struct ert_lines *lines, struct ert_error *error,
                               const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * The next line, valid until the next call; NULL at the end. Bytes of 0 within end the line; of characters
 * that act where they are printed none is left (text.h): they stand there as "\x1b".
 */
char *ert_lines_next(struct ert_lines *lines);

/* Whether the end was reached without a fault, gzip's too; ERT_FAILED or ERT_USAGE says which and where. */
enum ert_status ert_lines_end(const struct ert_lines *lines, struct ert_error *error);

/*
 * All that is left of the file as one text, for formats that are no lines: *text (malloc, the
 * caller's, a NUL behind it) of *size bytes. ERT_USAGE when it is larger than limit_bytes or
 * cannot be read; *text is NULL then.
 */
enum ert_status ert_lines_rest(struct ert_lines *lines, size_t limit_bytes, char **text,
                               size_t *size, struct ert_error *error);

/*
 * Splits the current line in place into lines->cells at `separator`; quoted cells may hold it, ""
 * within quotes is one quote; blanks around unquoted cells go.
 */
void ert_lines_split(struct ert_lines *lines, char separator);

/* Cuts the first word, which blanks end, off *text in place; "" at the end. */
char *ert_lines_word(char **text);

/* The column of the current line's cell that equals `name`, or SIZE_MAX. */
size_t ert_lines_column(const struct ert_lines *lines, const char *name);

/* The i-th cell, "" beyond the last. */
const char *ert_lines_cell(const struct ert_lines *lines, size_t column);

void ert_lines_close(struct ert_lines *lines);

/* What a cell that should be a number is. */
enum ert_number { ERT_NUMBER, ERT_NUMBER_NONE, ERT_NUMBER_NAN };

/* Whether a text that is no number could be one of another locale: digits, points and commas alone. */
bool ert_lines_is_local(const char *text);

/*
 * A count that is 0 or more, digits in groups of thousands ("134,957,158,144") allowed. NONE: an
 * empty cell, "-", "n/a", "nil", "no data", "<not counted>" or "<not supported>"; NAN: "nan" in any spelling.
 * ERT_USAGE names file, row, `what` (the column or metric) and text for what is no number,
 * negative, infinite or overflows, and where a decimal comma cannot be told from thousands
 * ("27.595.520", "65,77"): those are of a locale, run the tool with LC_ALL=C.
 */
enum ert_status ert_lines_number(const struct ert_lines *lines, const char *what,
                                 const char *text, double *value, enum ert_number *kind,
                                 struct ert_error *error);

#endif
