/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/ext/record/folder.h"

#include "ert/core/base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Where a file name's extension starts; its end when it has none. ".profile" has none. */
static size_t folder_stem_length(const char *file)
{
    const char *slash = strrchr(file, '/');
    const char *name = slash ? slash + 1 : file;
    const char *dot = strrchr(name, '.');
    return dot && dot != name ? (size_t)(dot - file) : strlen(file);
}

/* NAME.STAMP.EXT in name[PATH_MAX]; false when it does not fit. */
static bool folder_aside_name(const char *file, const char *stamp, char name[PATH_MAX])
{
    size_t stem = folder_stem_length(file);
    int length = snprintf(name, PATH_MAX, "%.*s.%s%s", (int)stem, file, stamp, file + stem);
    return length > 0 && length < PATH_MAX;
}

/* The newest modification time of those of the files that are there as a stamp, "" when none is. */
static enum ert_status folder_stamp_of(const char *const *files, size_t n, char *stamp,
                                       size_t size, struct ert_error *error)
{
    struct stat status;
    struct tm utc;
    time_t newest = 0;
    const char *dated = NULL;
    stamp[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        if (lstat(files[i], &status) != 0)
            continue;
        newest = !dated || status.st_mtime > newest ? status.st_mtime : newest;
        dated = files[i];
    }
    if (dated &&
        (!gmtime_r(&newest, &utc) || strftime(stamp, size, "%Y%m%dT%H%M%SZ", &utc) == 0))
        return ert_fail(error, ERT_FAILED,
                        "%s: cannot move aside: its time is out of range", dated);
    return ERT_OK;
}

/* Whether none of the files' new names is taken, or too long, which renaming tells. */
static bool folder_is_free(const char *const *files, size_t n, const char *stamp)
{
    char name[PATH_MAX];
    struct stat other;
    for (size_t i = 0; i < n; i++)
        if (folder_aside_name(files[i], stamp, name) && lstat(name, &other) == 0)
            return false;
    return true;
}

enum ert_status rfl_folder_put_aside(const char *const *files, size_t n,
                                     char stamp[RFL_FOLDER_STAMP], struct ert_error *error)
{
    char date[24], name[PATH_MAX];
    ERT_TRY(folder_stamp_of(files, n, date, sizeof date, error));
    snprintf(stamp, RFL_FOLDER_STAMP, "%s", date);
    for (unsigned i = 2; *date && !folder_is_free(files, n, stamp); i++)
        snprintf(stamp, RFL_FOLDER_STAMP, "%s-%u", date, i);
    for (size_t i = n; *date && i-- > 0;) {
        if (!folder_aside_name(files[i], stamp, name))
            return ert_fail(error, ERT_FAILED,
                            "%.200s: cannot move aside: the name is too long", files[i]);
        if (rename(files[i], name) != 0 && errno != ENOENT)
            return ert_fail(error, ERT_FAILED, "%s: cannot be renamed to %s: %s", files[i],
                            name, strerror(errno));
    }
    return ERT_OK;
}

/* Whether an open file is still the one of this name. */
static bool folder_is_there(const char *file, int descriptor)
{
    struct stat named, opened;
    return lstat(file, &named) == 0 && fstat(descriptor, &opened) == 0 &&
           named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

/* Who has the lock, by what the file says, which its holder writes right after taking it. */
static enum ert_status folder_say_holder(const char *file, int descriptor,
                                         struct ert_error *error)
{
    char holder[256];
    ssize_t n = pread(descriptor, holder, sizeof holder - 1, 0);
    holder[n > 0 ? n : 0] = '\0';
    return ert_fail(error, ERT_FAILED, "%s: another run is using this folder: %s", file,
                    *holder ? holder : "its process is unknown");
}

/* 0 or the errno. */
static int folder_write_holder(int descriptor)
{
    char holder[256], host[128] = "", date[32];
    gethostname(host, sizeof host - 1);
    ert_clock_date(date, sizeof date);
    int length = snprintf(holder, sizeof holder, "pid %ld on %s since %s", (long)getpid(),
                          *host ? host : "this machine", date);
    return ftruncate(descriptor, 0) == 0 &&
                   write(descriptor, holder, (size_t)length) == length
               ? 0
               : errno;
}

enum ert_status rfl_folder_lock(const char *file, struct rfl_folder_lock *lock,
                                struct ert_error *error)
{
    /* Whoever had it removes it: a lock on a file that has lost its name is none. */
    while (!*lock->file || !folder_is_there(lock->file, lock->descriptor)) {
        if (*lock->file)
            close(lock->descriptor);
        *lock->file = '\0';
        int descriptor = open(file, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (descriptor < 0)
            return ert_fail(error, ERT_FAILED, "%s: cannot write: %s", file,
                            strerror(errno));
        if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
            enum ert_status status = errno == EWOULDBLOCK
                                         ? folder_say_holder(file, descriptor, error)
                                         : ert_fail(error, ERT_UNAVAILABLE,
                                                    "%s: no locks on this file system: %s",
                                                    file, strerror(errno));
            if (status == ERT_UNAVAILABLE)
                unlink(file);
            close(descriptor);
            return status;
        }
        lock->descriptor = descriptor;
        snprintf(lock->file, sizeof lock->file, "%s", file);
        int reason = folder_write_holder(descriptor);
        if (reason != 0) {
            rfl_folder_unlock(lock);
            return ert_fail(error, ERT_FAILED, "%s: cannot write: %s", file,
                            strerror(reason));
        }
    }
    return ERT_OK;
}

void rfl_folder_unlock(struct rfl_folder_lock *lock)
{
    if (!*lock->file)
        return;
    if (folder_is_there(lock->file, lock->descriptor))
        unlink(lock->file);
    close(lock->descriptor);
    *lock->file = '\0';
}
