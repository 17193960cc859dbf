/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * plant_ceilings NAME FILE: writes the ceilings of a synthetic machine (planted.h) to a file, for
 * the tests that start programs. Exit code as the programs'.
 */
#include "tests/unit/planted.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    struct ert_error error = {ERT_USAGE, "usage: plant_ceilings NAME FILE"};
    enum ert_status status = ERT_USAGE;
    for (int i = 0; argc == 3 && i < PLANTED_COUNT; i++) {
        if (strcmp(argv[1], planted_names[i]) != 0)
            continue;
        struct ert_ceilings ceilings = planted_make((enum planted)i);
        status = ert_ceilings_write(argv[2], &ceilings, &error);
        ert_ceilings_free(&ceilings);
    }
    if (status != ERT_OK)
        fprintf(stderr, "plant_ceilings: %s\n", error.text);
    return status;
}
