/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * input: the text of a profile, of a file or a pipe; and what shells, launchers and spreadsheets did to a
 * text that no importer can read. Private to import.
 */
#ifndef RFL_IMPORT_INPUT_H
#define RFL_IMPORT_INPUT_H

#include "ert/core/base/error.h"

#include <stddef.h>

/* The key of the events of a trace (kineto.c), which can be too large to be searched for a schema. */
#define RFL_TRACE_KEY "\"traceEvents\""

/* Enough of a file to tell its format. */
enum { RFL_HEAD_BYTES = 1 << 16 };

/*
 * Reads the first bytes of a file to head[size], with a NUL and, of one of our JSON files, its schema,
 * wherever it is. *text (malloc; the caller's): all of it, if it is a pipe; NULL: the file can be read as it
 * is. ERT_USAGE if it cannot be read, or is UTF-16.
 */
enum ert_status rfl_input_read(const char *file, char *head, size_t size, char **text,
                               struct ert_error *error);

/* The same first bytes, without the rest; of a pipe, which can be read only once, none. */
enum ert_status rfl_head_read(const char *file, char *head, size_t size,
                              struct ert_error *error);

/* Why importers cannot read a text: tags of a launcher, another separator; NULL: not known. */
const char *rfl_input_cause(const char *head);

#endif
