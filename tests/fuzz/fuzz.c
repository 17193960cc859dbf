/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fuzz: libFuzzer over one reader, named by the environment variable READER (without it: lists them).
 * `make fuzz` builds and runs it (run.sh).
 */
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/readers.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t chosen;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    const char *name = getenv("READER");
    while (readers_name(chosen) && (!name || strcmp(readers_name(chosen), name) != 0))
        chosen++;
    if (!readers_name(chosen)) {
        for (size_t i = 0; readers_name(i); i++)
            printf("%s\n", readers_name(i));
        exit(name ? 2 : 0);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    readers_read_bytes(chosen, data, size);
    return 0;
}

/* One mutation in four is libFuzzer's own, of bytes. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    size_t made = seed % 4 ? mutate(data, size, max_size, seed) : 0;
    return made ? made : LLVMFuzzerMutate(data, size, max_size);
}
