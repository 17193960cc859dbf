/* SPDX-License-Identifier: BSD-3-Clause */
/* folder: that of a recording: which process writes it now, and what was there before. */
#ifndef RFL_RECORD_FOLDER_H
#define RFL_RECORD_FOLDER_H

#include "ert/core/base/error.h"

#include <limits.h>
#include <stddef.h>

enum { RFL_FOLDER_STAMP = 40 };

/*
 * Moves those of n files that exist aside, the last one first, each to NAME.STAMP.EXT with one stamp for all:
 * the newest modification time of them, YYYYMMDDTHHMMSSZ, and a counter where any of these names is taken.
 * stamp: "" when no file existed.
 */
enum ert_status rfl_folder_put_aside(const char *const *files, size_t n,
                                     char stamp[RFL_FOLDER_STAMP], struct ert_error *error);

/*
 * A lock that this process holds: a file that says who (pid, host, since when), locked by flock(2). The
 * kernel lets go of it when the process ends, however that is, so that what a dead one left is no lock.
 * Closing another descriptor of the file does not end it, as it would end a lock of fcntl(2).
 * On NFS, Linux's clients ask the server (flock(2), "NFS details"), which makes it good between nodes: of
 * version 4 always, of 2 and 3 where lockd runs on both sides; where it does not, flock() fails (ENOLCK).
 * Under the mount options nolock and local_lock (nfs(5)) it succeeds, but other nodes do not see it.
 */
struct rfl_folder_lock {
    char file[PATH_MAX]; /* "": not held; {0} at first */
    int descriptor;
};

/*
 * Takes the lock, or keeps it: where its file is gone meanwhile, with its folder, it is taken anew.
 * ERT_FAILED: another process has it, with what it says of itself, or a file of a few KiB cannot be written
 * there. ERT_UNAVAILABLE: the file system has no locks.
 */
enum ert_status rfl_folder_lock(const char *file, struct rfl_folder_lock *lock,
                                struct ert_error *error);

/* Removes the file and lets go; a lock that is not held is fine. */
void rfl_folder_unlock(struct rfl_folder_lock *lock);

#endif
