/*
 * plan_text: `ert run --dry-run`: a plan as text, for this machine or one that HWLOC_XMLFILE
 * describes.
 */
#ifndef ERT_CLI_PLAN_TEXT_H
#define ERT_CLI_PLAN_TEXT_H

#include "ert/sweep/samples.h"

#include <stdio.h>

/*
 * Gives CPUs of unknown instruction sets, which a topology file leaves them, those of their model:
 * enough to plan with. Nothing may be run by it.
 */
void ert_cli_assume_isa(struct ert_machine *machine);

/*
 * Per device: points and time, threads, the memories with their NUMA nodes and how buffers get
 * there, then a line per kernel and path, and what cannot be measured.
 */
void ert_cli_print_plan(FILE *out, const struct ert_samples *samples);

#endif
