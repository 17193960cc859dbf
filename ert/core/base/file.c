/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Appends what the descriptor gives to *text until its end or until more than limit_bytes came. */
static int file_read_all(int descriptor, size_t limit_bytes, char **text, size_t *size)
{
    size_t capacity = 0;
    *size = 0;
    for (;;) {
        if (*size + 1 >= capacity) {
            capacity = capacity ? 2 * capacity : 65536;
            char *larger = realloc(*text, capacity);
            if (!larger)
                return ENOMEM;
            *text = larger;
        }
        ssize_t n = read(descriptor, *text + *size, capacity - *size - 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        *size += (size_t)n;
        if (n == 0 || *size > limit_bytes)
            break;
    }
    (*text)[*size] = '\0';
    return 0;
}

enum ert_status ert_file_read(const char *file, size_t limit_bytes, char **text,
                              size_t *size, struct ert_error *error)
{
    char *content = NULL;
    size_t length = 0;
    int descriptor = open(file, O_RDONLY | O_CLOEXEC), reason = errno;
    if (descriptor >= 0) {
        reason = file_read_all(descriptor, limit_bytes, &content,
                               &length); /* a folder: EISDIR */
        close(descriptor);
    }
    if (reason == 0 && length <= limit_bytes) {
        *text = content;
        *size = length;
        return ERT_OK;
    }
    free(content);
    return reason
               ? ert_fail(error, ERT_USAGE, "%s: cannot read: %s", file, strerror(reason))
               : ert_fail(error, ERT_USAGE, "%s: too large, must be at most %zu bytes",
                          file, limit_bytes);
}

/* 0 or the errno of the first call that failed. */
static int file_write_all(int descriptor, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t n = write(descriptor, text, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        text += n;
        size -= (size_t)n;
    }
    return 0;
}

/*
 * Opens a new file "BASE.tmp-PID-N"; -1 and errno when it cannot. Not mkstemp: its files are private to the
 * user, and results should have the rights that the umask grants.
 */
static int open_temporary(const char *base, char name[PATH_MAX])
{
    for (int i = 0; i < 1000; i++) {
        int length = snprintf(name, PATH_MAX, "%s.tmp-%ld-%d", base, (long)getpid(), i);
        if (length >= PATH_MAX) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST)
            return descriptor;
    }
    return -1;
}

/* Writes the text into a temporary file and renames it. */
static int write_temporary(const char *file, const char *text, size_t size)
{
    char name[PATH_MAX];
    int descriptor = open_temporary(file, name);
    if (descriptor < 0)
        return errno;
    int reason = file_write_all(descriptor, text, size);
    if (reason == 0 && fsync(descriptor) != 0 &&
        errno != EINVAL) /* EINVAL: cannot be synced */
        reason = errno;
    if (close(descriptor) != 0 && reason == 0)
        reason = errno;
    if (reason == 0 && rename(name, file) != 0)
        reason = errno;
    if (reason != 0)
        unlink(name);
    return reason;
}

/* A pipe or device has no old content to keep, and a rename would replace /dev/null by a file. */
static int write_special(const char *file, const char *text, size_t size)
{
    int descriptor = open(file, O_WRONLY | O_CLOEXEC);
    if (descriptor < 0)
        return errno;
    int reason = file_write_all(descriptor, text, size);
    if (close(descriptor) != 0 && reason == 0)
        reason = errno;
    return reason;
}

enum ert_status ert_file_write(const char *file, const char *text, size_t size,
                               struct ert_error *error)
{
    struct stat status;
    char real[PATH_MAX];
    int reason = 0;
    if (stat(file, &status) != 0 || S_ISREG(status.st_mode)) {
        const char *target = realpath(file, real); /* of a link, which stays one */
        reason = write_temporary(target ? target : file, text, size);
    } else if (S_ISDIR(status.st_mode)) {
        reason = EISDIR;
    } else {
        reason = write_special(file, text, size);
    }
    if (reason != 0)
        return ert_fail(error, ERT_FAILED, "%s: cannot write: %s", file, strerror(reason));
    return ERT_OK;
}

enum ert_status ert_file_make_folder(const char *folder, struct ert_error *error)
{
    char path[PATH_MAX];
    int length = snprintf(path, sizeof path, "%s", folder);
    int reason = length < PATH_MAX ? 0 : ENAMETOOLONG;
    for (char *p = path; reason == 0 && *p; p++) {
        while (*p == '/')
            p++;
        p += strcspn(p, "/");
        char kept = *p;
        *p = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            reason = errno;
        *p = kept;
        if (!kept)
            break;
    }
    struct stat status;
    if (reason == 0 && stat(folder, &status) != 0)
        reason = errno;
    else if (reason == 0 && !S_ISDIR(status.st_mode))
        reason = ENOTDIR;
    if (reason != 0)
        return ert_fail(error, ERT_FAILED, "%s: cannot make the folder: %s", folder,
                        strerror(reason));
    return ERT_OK;
}

void ert_file_first_line(char *text, size_t size, const char *format, ...)
{
    char file[2 * PATH_MAX];
    ERT_FORMAT(file, sizeof file, format);
    ert_file_value(file, "", text, size);
}

bool ert_file_value(const char *file, const char *key, char *text, size_t size)
{
    static const char between[] = " \t:=";
    FILE *stream = fopen(file, "re");
    size_t length = strlen(key), room = 0;
    char *line = NULL;
    bool is_found = false;
    snprintf(text, size, "%s", "");
    while (stream && !is_found && getline(&line, &room, stream) >= 0) {
        if (strncmp(line, key, length) != 0 || (length && !strchr(between, line[length])))
            continue;
        char *value = line + length + (length ? strspn(line + length, between) : 0);
        value[strcspn(value, "\n")] = '\0';
        snprintf(text, size, "%s", value);
        is_found = true;
    }
    free(line);
    if (stream)
        fclose(stream);
    return is_found;
}

/* What a stream has written so far. */
struct collected {
    char *text;
    size_t size, capacity;
};

/* 0 without memory: open_memstream(3) would lose bytes then and tell nobody. */
static ssize_t file_collect(void *cookie, const char *bytes, size_t n)
{
    struct collected *all = cookie;
    if (all->size + n >= all->capacity) {
        size_t capacity = 2 * (all->size + n) + 1;
        char *larger = realloc(all->text, capacity);
        if (!larger)
            return 0;
        all->text = larger;
        all->capacity = capacity;
    }
    memcpy(all->text + all->size, bytes, n);
    all->size += n;
    all->text[all->size] = '\0';
    return (ssize_t)n;
}

enum ert_status ert_file_collect(ert_file_make *make, const void *about, char **text,
                                 size_t *size, struct ert_error *error)
{
    struct collected all = {.text = calloc(1, 1), .capacity = 1};
    const cookie_io_functions_t to = {.write = file_collect};
    FILE *memory = all.text ? fopencookie(&all, "w", to) : NULL;
    enum ert_status status = memory ? make(about, memory, error) : ERT_OK;
    bool written = memory && !ferror(memory);
    if ((!memory || fclose(memory) != 0 || !written) && status == ERT_OK)
        status = ert_fail(error, ERT_FAILED, "no memory for an output");
    *text = all.text;
    *size = all.size;
    return status;
}

enum ert_status ert_file_write_made(const char *file, ert_file_make *make,
                                    const void *about, struct ert_error *error)
{
    char *text = NULL;
    size_t size = 0;
    enum ert_status status = ert_file_collect(make, about, &text, &size, error);
    if (status == ERT_OK)
        status = ert_file_write(file, text, size, error);
    free(text);
    return status;
}
