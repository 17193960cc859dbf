/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * answer: prints the end of a run: for each device its peaks, bandwidths, ridge points and shares of theory,
 * whether they are valid, and what to do if not; then the files and the next command.
 */
#ifndef ERT_CLI_ANSWER_H
#define ERT_CLI_ANSWER_H

#include "ert/cli/results.h"

#include <stdio.h>

/* samples: of the run; NULL for ceilings of several runs. Wraps at the terminal's width. */
void ert_cli_answer(FILE *out, const struct ert_ceilings *ceilings,
                    const struct ert_samples *samples,
                    const struct ert_cli_results *results);

#endif
