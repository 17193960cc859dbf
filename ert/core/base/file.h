/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * file: whole files and folders. Writes are atomic (temporary file, fsync, rename), so that no
 * reader ever sees half a file. It knows no format.
 */
#ifndef ERT_BASE_FILE_H
#define ERT_BASE_FILE_H

#include "ert/core/base/error.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Reads a whole file into *text (malloc, NUL-terminated, the caller's) of *size bytes. ERT_USAGE
 * when it is missing, a folder, unreadable, or larger than limit_bytes.
 */
enum ert_status ert_file_read(const char *file, size_t limit_bytes, char **text,
                              size_t *size, struct ert_error *error);

/*
 * Writes `size` bytes to `file` atomically; a link stays one, to the new file; a pipe or device (/dev/stdout)
 * is written to directly. ERT_FAILED with the system's reason.
 */
enum ert_status ert_file_write(const char *file, const char *text, size_t size,
                               struct ert_error *error);

/* Writes something to a stream, whose faults stay in it. */
typedef enum ert_status ert_file_make(const void *about, FILE *out,
                                      struct ert_error *error);

/*
 * Collects what make(about, out) writes into *text (malloc, the caller's, also after a failure) of *size
 * bytes: an output is written whole or not at all. Errors are make's; ERT_FAILED without memory.
 */
enum ert_status ert_file_collect(ert_file_make *make, const void *about, char **text,
                                 size_t *size, struct ert_error *error);

/* The same to a file, atomically. */
enum ert_status ert_file_write_made(const char *file, ert_file_make *make,
                                    const void *about, struct ert_error *error);

/* Makes the folder and its parents; one that is there is fine. ERT_FAILED with the reason. */
enum ert_status ert_file_make_folder(const char *folder, struct ert_error *error);

/* The first line of a small file, whose name is formatted, without its newline; "" when unreadable. */
void ert_file_first_line(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * The value of a key of a text file into text[size]: what stands behind it in the first line that begins with
 * it, blanks, ':' and '=' between them left out. False, and "", where there is none.
 */
bool ert_file_value(const char *file, const char *key, char *text, size_t size);

#endif
