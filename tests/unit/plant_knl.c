/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * plant_knl FOLDER: writes the topology of every Knights Landing machine of knl.h to FOLDER/NAME.xml,
 * for the tests that start programs. Exit code 0, or 1 when a file cannot be written.
 */
#include "tests/unit/knl.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    for (const struct knl *machine = knls; argc == 2 && machine->name; machine++) {
        char file[1024];
        snprintf(file, sizeof file, "%s/%s.xml", argv[1], machine->name);
        if (knl_write(machine, file) != 0) {
            perror(file);
            return 1;
        }
    }
    return argc == 2 ? 0 : 2;
}
