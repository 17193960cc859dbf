/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/validate/symbols.h"

#include "ert/base/alloc.h"
#include "ert/base/file.h"

#include <ctype.h>
#include <elf.h>
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
    /* Opened, not stat(), which says of a program that qemu-user runs that it is qemu. */
    int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    bool is_there = length > 0 && self >= 0 && fstat(self, &running) == 0 &&
                    stat(path, &named) == 0 && running.st_dev == named.st_dev &&
                    running.st_ino == named.st_ino;
    if (self >= 0)
        close(self);
    if (is_there)
        return;
    /* Replaced since it was started. Not "self": it is another program that opens it. */
    snprintf(path, size, "/proc/%ld/exe", (long)getpid());
}

/* A file that the loader has mapped. */
struct object {
    uint64_t address; /* something in it */
    uint64_t base;
    char name[4096]; /* "" of the program */
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

/* Whether `n` things of `size` bytes from `offset` on lie in the file. */
static bool is_inside(const struct ert_symbols *symbols, uint64_t offset, uint64_t n,
                      uint64_t size)
{
    return offset <= symbols->size && n <= (symbols->size - offset) / size;
}

/* Finds the table of all symbols, which static functions stand in; false without one. */
static bool find_table(struct ert_symbols *symbols)
{
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)symbols->file;
    if (symbols->size < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != ELFCLASS64 ||
        !is_inside(symbols, head->e_shoff, head->e_shnum, sizeof(Elf64_Shdr)))
        return false;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(symbols->file + head->e_shoff);
    for (size_t i = 0; i < head->e_shnum; i++) {
        const Elf64_Shdr *table = &sections[i];
        if (table->sh_type != SHT_SYMTAB || table->sh_link >= head->e_shnum)
            continue;
        const Elf64_Shdr *names = &sections[table->sh_link];
        if (!is_inside(symbols, table->sh_offset, table->sh_size, 1) ||
            !is_inside(symbols, names->sh_offset, names->sh_size, 1) ||
            names->sh_size == 0 ||
            symbols->file[names->sh_offset + names->sh_size - 1] != '\0')
            return false;
        symbols->table = symbols->file + table->sh_offset;
        symbols->n = table->sh_size / sizeof(Elf64_Sym);
        symbols->names = symbols->file + names->sh_offset;
        symbols->n_names = names->sh_size;
        return true;
    }
    return false;
}

enum ert_status ert_symbols_read(const void *of, struct ert_symbols *symbols,
                                 struct ert_error *error)
{
    static const size_t limit_bytes = (size_t)1 << 30;
    char path[4096];
    *symbols = (struct ert_symbols){0};
    ert_symbols_file(of, path, sizeof path);
    ERT_TRY(ert_file_read(path, limit_bytes, &symbols->file, &symbols->size, error));
    if (find_table(symbols))
        return ERT_OK;
    ert_symbols_free(symbols);
    return ert_fail(error, ERT_UNAVAILABLE, "%s has no symbols: stripped", path);
}

bool ert_symbols_name(const struct ert_symbols *symbols, uint64_t address, char *name,
                      size_t size)
{
    const Elf64_Sym *table = symbols->table;
    for (size_t i = 0; i < symbols->n; i++) {
        if (table[i].st_value != address || ELF64_ST_TYPE(table[i].st_info) != STT_FUNC ||
            table[i].st_name >= symbols->n_names)
            continue;
        snprintf(name, size, "%s", symbols->names + table[i].st_name);
        return true;
    }
    return false;
}

void ert_symbols_free(struct ert_symbols *symbols)
{
    if (!symbols)
        return;
    free(symbols->file);
    *symbols = (struct ert_symbols){0};
}

/* "_ZL21__device_stub__chainsIdE" to "_ZL6chainsIdE"; false for a name that is none of clang's stubs. */
static bool strip_stub(char *mangled)
{
    static const char stub[] = "__device_stub__";
    char *number = mangled + 2 + (mangled[2] == 'L'), *name;
    unsigned long length = strtoul(number, &name, 10);
    size_t rest = strlen(name);
    if (length < sizeof stub || length > rest || strncmp(name, stub, sizeof stub - 1) != 0)
        return false;
    name += sizeof stub - 1;
    int digits = sprintf(number, "%lu", length - (sizeof stub - 1)); /* fewer or as many */
    memmove(number + digits, name, strlen(name) + 1);
    return true;
}

void ert_symbols_as_kernel(char *mangled)
{
    if (strncmp(mangled, "_Z", 2) == 0 && strip_stub(mangled))
        return;
    if (strncmp(mangled, "_ZL", 3) == 0)
        memmove(mangled + 2, mangled + 3, strlen(mangled + 3) + 1);
}

bool ert_symbols_kernel(const struct ert_symbols *symbols, const void *stub, char *name,
                        size_t size)
{
    *name = '\0';
    if (!ert_symbols_name(symbols, ert_symbols_address(stub), name, size))
        return false;
    ert_symbols_as_kernel(name);
    return true;
}

char *ert_symbols_join(const char *names, size_t size, size_t n, char separator)
{
    char *list = ert_xcalloc(n + 1, size + 1), *end = list;
    for (size_t i = 0; i < n; i++, names += size)
        if (*names && !strstr(list, names)) {
            if (end > list)
                *end++ = separator;
            end = stpcpy(end, names);
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
