/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/validate/code.h"

#include "ert/core/base/alloc.h"
#include "ert/core/base/strings.h"

#include <ctype.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void ert_symbols_program(char *path, size_t size)
{
    struct stat running, named;
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    if (length > 0)
        path[length] = '\0';
    /* Opened, not stat(), which under qemu-user would report qemu itself. */
    int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    bool is_there = length > 0 && self >= 0 && fstat(self, &running) == 0 &&
                    stat(path, &named) == 0 && running.st_dev == named.st_dev &&
                    running.st_ino == named.st_ino;
    if (self >= 0)
        close(self);
    if (is_there)
        return;
    /* Replaced since it was started. Not "self", since another program will open it. */
    snprintf(path, size, "/proc/%ld/exe", (long)getpid());
}

/* The file that the loader has mapped there, whose name is "" for the program; NULL: none. */
static const struct link_map *object_of(const void *of)
{
    Dl_info info;
    struct link_map *map = NULL;
    return dladdr1(of, &info, (void **)&map, RTLD_DL_LINKMAP) ? map : NULL;
}

void ert_symbols_file(const void *of, char *path, size_t size)
{
    const struct link_map *object = object_of(of);
    if (object && *object->l_name)
        snprintf(path, size, "%s", object->l_name);
    else
        ert_symbols_program(path, size);
}

uint64_t ert_symbols_address(const void *function)
{
    const struct link_map *object = object_of(function);
    return (uint64_t)(uintptr_t)function - (object ? object->l_addr : 0);
}

char *ert_symbols_join(const char *const *names, size_t n, char separator)
{
    struct ert_strings kept = {0};
    char *list = NULL;
    size_t size = 0;
    FILE *out = ert_xcheck(open_memstream(&list, &size), 1);
    for (size_t i = 0; i < n; i++) {
        const size_t before = kept.n_texts;
        if (!names[i] || ert_strings_index(&kept, names[i]) < before)
            continue;
        if (before > 0)
            fputc(separator, out);
        fputs(names[i], out);
    }
    ert_strings_free(&kept);
    return ert_xcheck(fclose(out) == 0 ? list : NULL, n);
}

bool ert_symbols_base_name(const char *mangled, char *name, size_t size)
{
    if (strncmp(mangled, "_Z", 2) != 0)
        return false;
    mangled += 2 + (mangled[2] == 'L'); /* L: of internal linkage */
    size_t digits = 0, length = 0;
    while (isdigit((unsigned char)mangled[digits]) && digits < 4)
        length = 10 * length + (size_t)(mangled[digits++] - '0');
    if (length == 0 || length >= size || strlen(mangled + digits) < length)
        return false;
    snprintf(name, size, "%.*s", (int)length, mangled + digits);
    return true;
}
