/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/module/module.h"

#include "ert/core/base/config.h"
#include "ert/ext/module/door_tables.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A module's name, and the module or the reason why there is none; ended by one without a name. */
static struct slot {
    const char *name;
    const struct ert_module *module;
    char reason[2048]; /* "" if there is one */
} slots[] = {
#define ERT_BACKEND(name)
#define ERT_MODULE(name) {#name, NULL, ""},
#include "ert/ext/backends.def"
    {.name = NULL}};

/* The folder of the running program, and who owns the program. */
struct program {
    char folder[PATH_MAX];
    uid_t owner;
};

static struct program this_program(void)
{
    struct program program = {.folder = ""};
    struct stat status;
    ssize_t length = readlink("/proc/self/exe", program.folder, sizeof program.folder - 1);
    program.owner = stat("/proc/self/exe", &status) == 0 ? status.st_uid : geteuid();
    char *end = length > 0 ? strrchr(program.folder, '/') : NULL;
    *(end ? end : program.folder) = '\0';
    return program;
}

/* Refuses a file or folder that another user could have written. */
static enum ert_status check_owner(const char *path, const struct stat *status,
                                   const struct program *program, struct ert_error *error)
{
    if (status->st_uid != 0 && status->st_uid != geteuid() &&
        status->st_uid != program->owner)
        return ert_fail(error, ERT_UNAVAILABLE,
                        "%s belongs to user %u, neither root, you nor the owner of this "
                        "program",
                        path, (unsigned)status->st_uid);
    if (status->st_mode & S_IWOTH)
        return ert_fail(error, ERT_UNAVAILABLE, "%s: is writable by everybody", path);
    /* Where each user has a group of their own, of the same number, the umask leaves that. */
    if ((status->st_mode & S_IWGRP) && status->st_gid != 0 &&
        status->st_gid != (gid_t)status->st_uid)
        return ert_fail(error, ERT_UNAVAILABLE, "%s: is writable by all of group %u", path,
                        (unsigned)status->st_gid);
    return ERT_OK;
}

/* Of the file behind all links, and of its folder: whoever may write there can put another in its place. */
static enum ert_status module_check_target(const char *file, const struct program *program,
                                           struct ert_error *error)
{
    struct stat status;
    char target[PATH_MAX];
    if (!realpath(file, target) || stat(target, &status) != 0 || access(target, R_OK) != 0)
        return ert_fail(error, ERT_UNAVAILABLE, "%s: %s", file, strerror(errno));
    if (!S_ISREG(status.st_mode))
        return ert_fail(error, ERT_UNAVAILABLE, "%s: is no regular file", file);
    ERT_TRY(check_owner(target, &status, program, error));
    *strrchr(target, '/') = '\0';
    if (stat(*target ? target : "/", &status) != 0)
        return ert_fail(error, ERT_UNAVAILABLE, "%s: %s", target, strerror(errno));
    return check_owner(target, &status, program, error);
}

static enum ert_status check_path(const char *folder, const char *file,
                                  const struct program *program, struct ert_error *error)
{
    struct stat status;
    if (stat(folder, &status) != 0)
        return ert_fail(error, ERT_UNAVAILABLE, "%s: %s", folder, strerror(errno));
    ERT_TRY(check_owner(folder, &status, program, error));
    return module_check_target(file, program, error);
}

/* Whether program and module were built with the same definitions of the tables. */
static enum ert_status check_door(const char *file, const char *name,
                                  const struct ert_module *module, struct ert_error *error)
{
    if (module->door != ERT_DOOR)
        return ert_fail(
            error, ERT_UNAVAILABLE,
            "%s is too %s for this program: from ert %s with interface %u; this is "
            "ert " PACKAGE_VERSION " with interface %d",
            file, module->door < ERT_DOOR ? "old" : "new", module->version, module->door,
            ERT_DOOR);
    if (strcmp(module->tables, ERT_DOOR_TABLES) != 0)
        return ert_fail(
            error, ERT_UNAVAILABLE,
            "%s does not belong to this program: from ert %s with tables %s; this "
            "is ert " PACKAGE_VERSION " with tables " ERT_DOOR_TABLES,
            file, module->version, module->tables);
    if (strcmp(module->backend->name, name) != 0)
        return ert_fail(error, ERT_UNAVAILABLE, "%s is the module of '%s'", file,
                        module->backend->name);
    return ERT_OK;
}

static enum ert_status open_file(const char *file, const char *name,
                                 const struct ert_module **module, struct ert_error *error)
{
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return ert_fail(error, ERT_UNAVAILABLE, "%s", dlerror());
    ert_module_entry *entry;
    *(void **)&entry = dlsym(library, ERT_MODULE_ENTRY);
    const struct ert_module *found = entry ? entry() : NULL;
    enum ert_status status =
        found ? check_door(file, name, found, error)
              : ert_fail(error, ERT_UNAVAILABLE, "%s is not a module of ert", file);
    if (status == ERT_OK)
        *module = found;
    else
        dlclose(library);
    return status;
}

/* Opens the module from folder[length]; *module stays NULL if the folder has no such file. */
static enum ert_status search(const char *folder, size_t length, const char *name,
                              const struct program *program,
                              const struct ert_module **module, struct ert_error *error)
{
    char path[PATH_MAX], file[PATH_MAX + 32];
    struct stat status;
    if (folder[0] != '/' || length >= sizeof path)
        return ert_fail(error, ERT_UNAVAILABLE,
                        "ERT_MODULE_PATH: '%.*s', must be absolute folders", (int)length,
                        folder);
    snprintf(path, sizeof path, "%.*s", (int)length, folder);
    snprintf(file, sizeof file, "%s/ert-%.16s.so", path, name);
    if (lstat(file, &status) != 0 && (errno == ENOENT || errno == ENOTDIR))
        return ERT_OK;
    ERT_TRY(check_path(path, file, program, error));
    return open_file(file, name, module, error);
}

/* The first file with the name decides: if it is refused, the search ends. */
static enum ert_status module_load(const char *name, const struct ert_module **module,
                                   struct ert_error *error)
{
    const struct program program = this_program();
    const char *path = secure_getenv("ERT_MODULE_PATH");
    char own[PATH_MAX + sizeof "/../lib/ert:" ERT_MODULES];
    if (!path || !*path) {
        snprintf(own, sizeof own, "%s/../lib/ert:" ERT_MODULES, program.folder);
        path = *program.folder ? own : ERT_MODULES;
    }
    for (const char *at = path; *at && !*module; at += *at == ':') {
        size_t length = strcspn(at, ":");
        ERT_TRY(search(at, length, name, &program, module, error));
        at += length;
    }
    if (*module)
        return ERT_OK;
    return ert_fail(error, ERT_UNAVAILABLE, "no file ert-%s.so in %s", name, path);
}

static void load_all(void)
{
    for (struct slot *slot = slots; slot->name; slot++) {
        struct ert_error error = {0};
        if (module_load(slot->name, &slot->module, &error) != ERT_OK)
            snprintf(slot->reason, sizeof slot->reason, "%s", error.text);
    }
}

const struct ert_module *ert_module_find(const char *name, const char **reason)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    for (const struct slot *slot = slots; slot->name; slot++)
        if (strcmp(slot->name, name) == 0) {
            pthread_once(&once, load_all);
            *reason = slot->reason;
            return slot->module;
        }
    *reason = "no module of this name is known";
    return NULL;
}
