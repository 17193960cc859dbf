/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/cli/measure.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Relative to the program's folder; the last one is absolute, from configure. */
static const char *const folders[] = {"../share/ert/configs", "../configs",
                                      ERT_CONFIGS_FOLDER};

/* The file NAME.json in a folder of presets. The program's folder is "." if the system does not tell it. */
static void presets_name_file(size_t folder, const char *name, char *path, size_t size)
{
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (slash)
        *slash = '\0';
    else
        snprintf(program, sizeof program, ".");
    if (folders[folder][0] == '/')
        snprintf(path, size, "%s/%s.json", folders[folder], name);
    else
        snprintf(path, size, "%s/%s/%s.json", program, folders[folder], name);
}

/* "a100, auto, ..." of the first folder that has any; "none" if there are none. */
static void list_presets(char *list, size_t size)
{
    char pattern[2 * PATH_MAX];
    snprintf(list, size, "none");
    for (size_t i = 0; i < ERT_LENGTH(folders); i++) {
        glob_t found;
        presets_name_file(i, "*", pattern, sizeof pattern);
        if (glob(pattern, 0, NULL, &found) != 0)
            continue;
        list[0] = '\0';
        for (size_t k = 0; k < found.gl_pathc; k++) {
            const char *name = strrchr(found.gl_pathv[k], '/') + 1;
            ert_append(list, size, "%s%.*s", k ? ", " : "",
                       (int)(strlen(name) - strlen(".json")), name);
        }
        globfree(&found);
        return;
    }
}

static int is_file(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISDIR(info.st_mode);
}

enum ert_status ert_cli_preset(const char *word, struct ert_config *config,
                               struct ert_error *error)
{
    char list[400], path[4096];
    if (strchr(word, '/') || is_file(word))
        return ert_config_read(word, config, error);
    for (size_t i = 0; i < ERT_LENGTH(folders); i++) {
        presets_name_file(i, word, path, sizeof path);
        if (is_file(path))
            return ert_config_read(path, config, error);
    }
    list_presets(list, sizeof list);
    return ert_fail(error, ERT_USAGE,
                    "--config: '%.200s' is neither a file nor a preset; presets: %s", word,
                    list);
}
