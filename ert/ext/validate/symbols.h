/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * symbols: maps a function's address in this process to its address in its file, the program's or a module's,
 * since a stripped file has no names; and reads names of kernels.
 */
#ifndef ERT_VALIDATE_SYMBOLS_H
#define ERT_VALIDATE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Writes to path[size] a path by which other processes can read the running program, even when the file it
 * was started from has been replaced.
 */
void ert_symbols_program(char *path, size_t size);

/* The same for the file, program or module, that contains a function or a table of functions. */
void ert_symbols_file(const void *of, char *path, size_t size);

/* The address of a function in its file. */
uint64_t ert_symbols_address(const void *function);

/* Joins names[n] without repetition, skipping NULL. malloc; the caller frees it. */
char *ert_symbols_join(const char *const *names, size_t n, char separator);

/*
 * Writes the name by which profilers know a kernel: "load_flat" for
 * "_Z9load_flatILi256ELi4EEv18ert_cuda_arguments". False for a text that is not mangled like this.
 */
bool ert_symbols_base_name(const char *mangled, char *name, size_t size);

#endif
