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
 * is written to directly.
 * ERT_FAILED with the system's reason.
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

enum { ERT_FILE_STAMP = 40 };

/*
 * Moves those of n files that exist aside, the last one first, each to NAME.STAMP.EXT with one stamp for all:
 * the newest modification time of them, YYYYMMDDTHHMMSSZ, and a counter where any of these names is taken.
 * stamp: "" when no file existed.
 */
enum ert_status ert_file_move_aside(const char *const *files, size_t n,
                                    char stamp[ERT_FILE_STAMP], struct ert_error *error);

/*
 * A lock that this process holds: a file that says who (pid, host, since when), locked by flock(2). The
 * kernel lets go of it when the process ends, however that is, so that what a dead one left is no lock.
 * Closing another descriptor of the file does not end it, as it would end a lock of fcntl(2).
 * On NFS, Linux's clients ask the server (flock(2), "NFS details"), which makes it good between nodes: of
 * version 4 always, of 2 and 3 where lockd runs on both sides; where it does not, flock() fails (ENOLCK).
 * Under the mount options nolock and local_lock (nfs(5)) it succeeds, but other nodes do not see it.
 */
struct ert_file_lock {
    char file[PATH_MAX]; /* "": not held; {0} at first */
    int descriptor;
};

/*
 * Takes the lock, or keeps it: where its file is gone meanwhile, with its folder, it is taken anew.
 * ERT_FAILED: another process has it, with what it says of itself, or a file of a few KiB cannot be written
 * there. ERT_UNAVAILABLE: the file system has no locks.
 */
enum ert_status ert_file_lock(const char *file, struct ert_file_lock *lock,
                              struct ert_error *error);

/* Removes the file and lets go; a lock that is not held is fine. */
void ert_file_unlock(struct ert_file_lock *lock);

/*
 * The first line of a small text file, whose name is formatted, without its newline into text[size]; "" when
 * unreadable.
 */
void ert_file_first_line(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * The value of a key of a text file into text[size]: what stands behind it in the first line that begins with
 * it, blanks, ':' and '=' between them left out. False, and "", where there is none.
 */
bool ert_file_value(const char *file, const char *key, char *text, size_t size);

#endif
