/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/fleet/fleet.h"

#include "ert/core/base/alloc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char of_nodes[] = ".ndjson", of_links[] = ".net";

/*
 * Opens a regular file of at most `most` bytes. A node may have put anything there: a link, a device, or a
 * pipe that nobody writes. ERT_UNAVAILABLE: it does not exist.
 */
static enum ert_status folder_open(const char *file, size_t most, struct ert_lines *lines,
                                   struct ert_error *error)
{
    struct stat about;
    *lines = (struct ert_lines){.file = file};
    const int descriptor = open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor >= 0)
        lines->stream = fdopen(descriptor, "r");
    if (!lines->stream || fstat(descriptor, &about) != 0) {
        const int reason = errno;
        if (descriptor >= 0 && !lines->stream)
            close(descriptor);
        ert_lines_close(lines);
        /* A node can make its file unreadable, but not a disk fail. */
        const bool is_own = reason == EACCES || reason == ELOOP || reason == ENXIO;
        return ert_fail(error,
                        reason == ENOENT ? ERT_UNAVAILABLE
                        : is_own         ? ERT_USAGE
                                         : ERT_FAILED,
                        "%s: cannot read: %s", file, strerror(reason));
    }
    enum ert_status status = ERT_OK;
    if (!S_ISREG(about.st_mode))
        status = ert_fail(error, ERT_USAGE, "%s: must be a regular file", file);
    else if ((uintmax_t)about.st_size > most)
        status = ert_fail(error, ERT_USAGE, "%s: %jd bytes, at most %zu", file,
                          (intmax_t)about.st_size, most);
    if (status != ERT_OK)
        ert_lines_close(lines);
    return status;
}

/* ---- a node's own file ---- */

enum ert_status ert_folder_open(const char *folder, const char *host,
                                struct ert_folder_file *file, struct ert_error *error)
{
    ERT_TRY(ert_file_make_folder(folder, error));
    file->file = ert_xprintf("%s/%s%s", folder, host, of_nodes);
    struct ert_lines lines;
    enum ert_status status = folder_open(file->file, ERT_NODE_FILE_BYTES, &lines, error);
    if (status != ERT_OK) {
        file->before = ert_xstrdup("");
        return status == ERT_UNAVAILABLE ? ERT_OK : status;
    }
    status = ert_lines_rest(&lines, ERT_NODE_FILE_BYTES, &file->before, &file->size, error);
    ert_lines_close(&lines);
    if (status == ERT_OK && file->size > 0 && file->before[file->size - 1] != '\n')
        file->before[file->size++] = '\n'; /* in place of the NUL: a line that was cut */
    return status;
}

/* What one call writes. */
struct write {
    const struct ert_folder_file *file;
    const struct ert_node_record *record;
};

static enum ert_status folder_make(const void *about, FILE *out, struct ert_error *error)
{
    const struct write *write = about;
    fwrite(write->file->before, 1, write->file->size, out);
    return ert_node_write(out, write->record, error);
}

enum ert_status ert_folder_write(const struct ert_folder_file *file,
                                 const struct ert_node_record *record,
                                 struct ert_error *error)
{
    return ert_file_write_made(file->file, folder_make, &(struct write){file, record},
                               error);
}

void ert_folder_close(struct ert_folder_file *file)
{
    free(file->file);
    free(file->before);
    *file = (struct ert_folder_file){0};
}

/* ---- the folder ---- */

/* Whether the name is of the kind "HOST.ndjson.tmp-PID-N" (file.h). */
static bool folder_is_left(const char *name)
{
    static const char mark[] = ".ndjson.tmp-";
    const char *at = strstr(name, mark);
    return at && !at[sizeof mark - 1 + strspn(at + sizeof mark - 1, "0123456789-")];
}

static void folder_remove_left(const char *file)
{
    enum { OLD_S = 3600 };
    struct stat about;
    if (lstat(file, &about) == 0 && S_ISREG(about.st_mode) &&
        about.st_mtime < time(NULL) - OLD_S)
        unlink(file);
}

static enum ert_status folder_read_one(struct ert_fleet *fleet, const char *file,
                                       const char *host, struct ert_error *error)
{
    struct ert_lines lines;
    enum ert_status status =
        folder_open(file, *host ? ERT_NODE_FILE_BYTES : SIZE_MAX, &lines, error);
    if (status == ERT_OK)
        return ert_fleet_read_lines(fleet, &lines, host, error);
    if (status == ERT_FAILED)
        return status;
    ert_fleet_find(fleet, ERT_FLEET_BAD_LINE, host, "%s", error->text);
    return ERT_OK;
}

/* The length of a name without the extension; 0: it has another one. */
static size_t folder_stem(const char *name, const char *extension)
{
    const size_t n = strlen(name), length = strlen(extension);
    return n > length && strcmp(name + n - length, extension) == 0 ? n - length : 0;
}

static enum ert_status folder_take(struct ert_fleet *fleet, const char *folder,
                                   const char *name, struct ert_error *error)
{
    enum ert_status status = ERT_OK;
    char *file = ert_xprintf("%s/%s", folder, name);
    char *host = ert_xprintf("%.*s", (int)folder_stem(name, of_nodes), name);
    if (folder_is_left(name))
        folder_remove_left(file);
    else if (folder_stem(name, of_links) > 0)
        status = folder_read_one(fleet, file, "", error);
    else if (folder_stem(name, of_nodes) > 0 && !ert_host_is_name(host))
        ert_fleet_find(fleet, ERT_FLEET_BAD_LINE, "",
                       "%s: not read: '%s' is not a host's name", file, host);
    else if (*host && ert_fleet_expects(fleet, host))
        status = folder_read_one(fleet, file, host, error);
    free(file);
    free(host);
    return status;
}

enum ert_status ert_folder_read(struct ert_fleet *fleet, const char *folder,
                                struct ert_error *error)
{
    struct dirent **entries;
    const int n = scandir(folder, &entries, NULL, alphasort);
    if (n < 0)
        return ert_fail(error, errno == ENOMEM ? ERT_FAILED : ERT_USAGE,
                        "%s: cannot read: %s", folder, strerror(errno));
    enum ert_status status = ERT_OK;
    for (int i = 0; i < n; i++) {
        if (status == ERT_OK)
            status = folder_take(fleet, folder, entries[i]->d_name, error);
        free(entries[i]);
    }
    free(entries);
    return status;
}
