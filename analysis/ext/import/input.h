/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * input: what programs on the way put around a profile: UTF-16 (a redirection in PowerShell), the tags of
 * `mpirun --tag-output`, `mpiexec -l` and `srun -l` before each line, and the separators, missing quotes and
 * decimal commas of a spreadsheet. Importers see none of it. Private to import.
 */
#ifndef RFL_IMPORT_INPUT_H
#define RFL_IMPORT_INPUT_H

#include "ert/core/base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* The text of one task. */
struct rfl_part {
    char *tag; /* "0": the task; NULL: the file has no tags */
    char *text;
    size_t size, room;
};

struct rfl_parts {
    size_t n, capacity; /* 0 parts: the file can be read as it is */
    struct rfl_part *parts;
};

/*
 * Reads the first bytes of a file to head[size], with a NUL. If they have tags or are UTF-16, or the file is
 * a pipe, also the whole file, in UTF-8, a part per task. ERT_USAGE if it cannot be read.
 */
enum ert_status rfl_parts_read(const char *file, char *head, size_t size,
                               struct rfl_parts *parts, struct ert_error *error);

/*
 * Puts the schema of one of our JSON files at the end of its head[size], if it stands farther behind in the
 * text, as where keys were sorted by name.
 */
void rfl_head_complete(char *head, size_t size, const char *text);

/* Enough of a file to tell its format. */
enum { RFL_HEAD_BYTES = 1 << 16 };

/* The same first bytes, without the rest; of a pipe, which can be read only once, none. */
enum ert_status rfl_head_read(const char *file, char *head, size_t size,
                              struct ert_error *error);

void rfl_parts_free(struct rfl_parts *parts);

/* The separator of a table in a text, ',' ';' or a tab, outside of quotes; '\0': there is no table. */
char rfl_table_separator(const char *text);

/*
 * The text (malloc; the caller's) with all cells of its table quoted, separated by commas, and numbers with a
 * decimal point. In a table with semicolons or tabs "1.234,5" and "0,5" show that the comma is the decimal
 * sign, "1,234,567" and "1,234.5" that it is not; if no number shows it, it is with semicolons.
 */
char *rfl_table_plain(const char *text, char separator);

#endif
