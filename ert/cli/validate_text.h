/*
 * validate_text: what `ert validate` found, as a table on a stream of the caller.
 */
#ifndef ERT_CLI_VALIDATE_TEXT_H
#define ERT_CLI_VALIDATE_TEXT_H

#include "ert/ceilings/conditions.h"
#include "ert/validate/replay.h"

#include <stdio.h>

/* Writes the conditions under which a device was measured, and whether the fit trusts the run. */
void ert_validate_print_conditions(FILE *out, const struct ert_device_ceilings *ceilings,
                                   const struct ert_condition *conditions, size_t n);

/* How many ceilings agree in all that could be looked at, or differ in something. */
struct ert_validate_counts {
    size_t n, n_agree, n_differ;
};

/*
 * Writes the table of a device's ceilings: ceiling, code, what the counters say, verdict; below it what
 * was found where something differs or could not be looked at. Adds to the counts. only: the one part
 * that this run looked at, "code" or "counters", or NULL for both.
 */
void ert_validate_print(FILE *out, const struct ert_replay *replays, size_t n,
                        const char *only, struct ert_validate_counts *counts);

#endif
