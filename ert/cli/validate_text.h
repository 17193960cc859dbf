/*
 * validate_text: what `ert validate` found, as a table on a stream of the caller.
 */
#ifndef ERT_CLI_VALIDATE_TEXT_H
#define ERT_CLI_VALIDATE_TEXT_H

#include "ert/validate/replay.h"

#include <stdio.h>

/* How many ceilings agree in all that could be looked at, or differ in something. */
struct ert_validate_counts {
    size_t n, n_agree, n_differ;
};

/*
 * Writes the table of one device: ceiling, code, what the counters say, verdict; below it what was
 * found where something differs or could not be looked at. Adds to the counts.
 */
void ert_validate_print(FILE *out, const struct ert_device *device,
                        const struct ert_replay *replays, size_t n,
                        struct ert_validate_counts *counts);

#endif
