/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * symbols: from a function's address in this process to its place in its file, the program's or a module's:
 * a file that is stripped has no names. And names of kernels.
 */
#ifndef ERT_VALIDATE_SYMBOLS_H
#define ERT_VALIDATE_SYMBOLS_H

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

/* names[n] joined without repetition; NULL is none. malloc, the caller's. */
char *ert_symbols_join(const char *const *names, size_t n, char separator);

/*
 * What profilers call a kernel: "load_flat" of "_Z9load_flatILi256ELi4EEv18ert_cuda_arguments".
 * False for a text that is not mangled like this.
 */
bool ert_symbols_base_name(const char *mangled, char *name, size_t size);

#endif
