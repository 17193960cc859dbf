/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * code: disassembles the kernels of the running program and compares them with their claims. Needs objdump
 * for CPUs and cuobjdump for GPUs, but no GPU.
 */
#ifndef ERT_VALIDATE_CODE_H
#define ERT_VALIDATE_CODE_H

#include "ert/ext/validate/claims.h"
#include "ert/ext/validate/replay.h"

/*
 * Fills proof.code of the replays' ceilings, all of one device: "unavailable" with the reason, such as a
 * missing tool, for code that cannot be examined.
 */
void ert_code_prove(const struct ert_device *device, struct ert_replay *replays, size_t n);

/*
 * symbols.c: maps a function's address in this process to its address in its file, the program's or a
 * module's, since a stripped file has no names; and reads names of kernels.
 */

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
