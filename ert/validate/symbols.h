/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * symbols: from a function's address in this process to its place in its file, the program's or a module's,
 * and to its name. Static functions of one name, one per instruction set, differ by address only.
 */
#ifndef ERT_VALIDATE_SYMBOLS_H
#define ERT_VALIDATE_SYMBOLS_H

#include "ert/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The running program as a file for other processes to read, into path[size]: the one that runs,
 * even when the file it came from has been replaced.
 */
void ert_symbols_program(char *path, size_t size);

/* The same for the file that holds a function or a table of functions: the program's, or a module's. */
void ert_symbols_file(const void *of, char *path, size_t size);

/* The address of a function in its file. */
uint64_t ert_symbols_address(const void *function);

/* The symbol table of a file. */
struct ert_symbols {
    char *file; /* all of it; malloc, owned */
    size_t size, n, n_names;
    const void *table; /* in the file */
    const char *names;
};

/* Of the file that holds `of`; ERT_UNAVAILABLE when it is no 64-bit ELF file, or is stripped. */
enum ert_status ert_symbols_read(const void *of, struct ert_symbols *symbols,
                                 struct ert_error *error);

/* The function at an address of the file into name[size]; false when there is none. */
bool ert_symbols_name(const struct ert_symbols *symbols, uint64_t address, char *name,
                      size_t size);

/* NULL and all zero are fine. */
void ert_symbols_free(struct ert_symbols *symbols);

/*
 * From the mangled name of a kernel's stub on the host to that of its GPU code. nvcc: without the mark
 * of internal linkage, "_ZL5chasev" to "_Z5chasev"; clang: "_ZL20__device_stub__chasev" to
 * "_ZL5chasev".
 */
void ert_symbols_as_kernel(char *mangled);

/*
 * The mangled name of the GPU code behind a stub on the host into name[size]; false, and "", without one. And
 * names[n], the first at `names`, each `size` bytes behind the last, joined without repetition; "" is none.
 * malloc, the caller's.
 */
bool ert_symbols_kernel(const struct ert_symbols *symbols, const void *stub, char *name,
                        size_t size);
char *ert_symbols_join(const char *names, size_t size, size_t n, char separator);

/*
 * What profilers call a kernel: "load_flat" of "_Z9load_flatILi256ELi4EEv18ert_cuda_arguments".
 * False for a text that is not mangled like this.
 */
bool ert_symbols_base_name(const char *mangled, char *name, size_t size);

#endif
