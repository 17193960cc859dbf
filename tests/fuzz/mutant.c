/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mutant SEED FILE: prints the file as mutate() leaves it, for the campaign through the programs
 * (campaign.py).
 */
#include "tests/fuzz/mutate.h"

#include "ert/core/base/file.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    enum { LIMIT = 64 << 20 };
    struct ert_error error;
    char *text;
    size_t size;
    if (argc != 3 || ert_file_read(argv[2], LIMIT / 2, &text, &size, &error) != ERT_OK) {
        fprintf(stderr, "%s\n", argc == 3 ? error.text : "usage: mutant SEED FILE");
        return 2;
    }
    text = realloc(text, LIMIT);
    if (!text)
        return 1;
    size_t made = mutate((uint8_t *)text, size, LIMIT, strtoull(argv[1], NULL, 10));
    fwrite(text, 1, made, stdout);
    free(text);
    return fflush(stdout) == 0 ? 0 : 1;
}
