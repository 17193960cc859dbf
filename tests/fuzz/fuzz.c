/*
 * fuzz: libFuzzer over one reader, named by the environment variable READER:
 *
 *   READER=ncu tests/fuzz/fuzz -max_total_time=600 FOLDER-OF-FINDINGS tests/data/corpus/ncu
 *
 * Built with clang only; tests/README.md has the commands.
 */
#include "tests/fuzz/readers.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t chosen;
static int descriptor;
static char file[64];

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    const char *name = getenv("READER");
    while (readers_name(chosen) && (!name || strcmp(readers_name(chosen), name) != 0))
        chosen++;
    if (!readers_name(chosen)) {
        fprintf(stderr, "READER must be one of:");
        for (size_t i = 0; readers_name(i); i++)
            fprintf(stderr, " %s", readers_name(i));
        fprintf(stderr, "\n");
        exit(2);
    }
    /* Readers take names of files: one in memory. */
    descriptor = memfd_create("fuzz", 0);
    snprintf(file, sizeof file, "/proc/self/fd/%d", descriptor);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (ftruncate(descriptor, 0) != 0 || pwrite(descriptor, data, size, 0) != (ssize_t)size)
        abort();
    readers_read(chosen, file);
    return 0;
}
