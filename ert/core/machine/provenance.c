/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/base/config.h"
#include "ert/core/base/file.h"
#include "ert/core/machine/build_info.h"
#include "ert/core/machine/discover.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

/* PRETTY_NAME of os-release(5), without its quotes. */
static void read_os(char *text, size_t size)
{
    char value[256];
    if (!ert_file_value("/etc/os-release", "PRETTY_NAME", value, sizeof value))
        ert_file_value("/usr/lib/os-release", "PRETTY_NAME", value, sizeof value);
    const char *name = value + (*value == '"' || *value == '\'');
    snprintf(text, size, "%.*s", (int)strcspn(name, "\"'"), name);
}

/* Quotes words with blanks or special characters; a command that does not fit ends in "...". */
static void join_command(int argc, char *const *argv, char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < argc && argv[i]; i++) {
        const char *quote =
            strpbrk(argv[i], " \t\n'\"\\$`;&|<>()*?") || !argv[i][0] ? "'" : "";
        ert_append(text, size, "%s%s%s%s", i ? " " : "", quote, argv[i], quote);
    }
    if (strlen(text) + 1 == size)
        memcpy(text + size - 4, "...", 4);
}

void ert_discover_provenance(struct ert_machine *machine, int argc, char *const *argv)
{
    struct ert_provenance *provenance = &machine->provenance;
    struct utsname name;
    if (uname(&name) == 0) {
        snprintf(provenance->host, sizeof provenance->host, "%s", name.nodename);
        snprintf(provenance->kernel, sizeof provenance->kernel, "%.60s %.40s %.20s",
                 name.sysname, name.release, name.machine);
    }
    read_os(provenance->os, sizeof provenance->os);
    snprintf(provenance->tool_version, sizeof provenance->tool_version, "%s",
             PACKAGE_VERSION);
    snprintf(provenance->git, sizeof provenance->git, "%s", ERT_BUILD_GIT);
    snprintf(provenance->compiler, sizeof provenance->compiler, "%s", ERT_BUILD_COMPILER);
    snprintf(provenance->flags, sizeof provenance->flags, "%s", ERT_BUILD_FLAGS);
    join_command(argc, argv, provenance->command, sizeof provenance->command);
}
