/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/ext/validate/symbols.h"

#include "ert/core/base/alloc.h"

#include <ctype.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
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

/* A file that the loader has mapped. */
struct object {
    uint64_t address; /* something in it */
    uint64_t base;
    char name[4096]; /* "" for the program */
};

static int find_object(struct dl_phdr_info *info, size_t size, void *context)
{
    struct object *object = context;
    (void)size;
    for (size_t i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD ||
            object->address - info->dlpi_addr - part->p_vaddr >= part->p_memsz)
            continue;
        object->base = info->dlpi_addr;
        snprintf(object->name, sizeof object->name, "%s", info->dlpi_name);
        return 1;
    }
    return 0;
}

static struct object object_of(const void *of)
{
    struct object object = {.address = (uint64_t)(uintptr_t)of};
    dl_iterate_phdr(find_object, &object);
    return object;
}

void ert_symbols_file(const void *of, char *path, size_t size)
{
    const struct object object = object_of(of);
    if (*object.name)
        snprintf(path, size, "%s", object.name);
    else
        ert_symbols_program(path, size);
}

uint64_t ert_symbols_address(const void *function)
{
    const struct object object = object_of(function);
    return object.address - object.base;
}

static bool is_among(const char *const *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (names[i] && strcmp(names[i], name) == 0)
            return true;
    return false;
}

char *ert_symbols_join(const char *const *names, size_t n, char separator)
{
    size_t size = 1;
    for (size_t i = 0; i < n; i++)
        size += names[i] ? strlen(names[i]) + 1 : 0;
    char *list = ert_xcalloc(size, 1), *end = list;
    for (size_t i = 0; i < n; i++) {
        if (!names[i] || is_among(names, i, names[i]))
            continue;
        if (end > list)
            *end++ = separator;
        end = stpcpy(end, names[i]);
    }
    return list;
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
