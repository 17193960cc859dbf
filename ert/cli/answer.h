/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * answer: what a run ends with: for each device its peaks, bandwidths, ridge points and shares of
 * theory, whether that can be relied on and what to do if not; then the files and the next command.
 */
#ifndef ERT_CLI_ANSWER_H
#define ERT_CLI_ANSWER_H

#include "ert/cli/results.h"

#include <stdio.h>

/* samples: of the run, NULL where the ceilings are of several. Wraps at the terminal's width. */
void ert_cli_answer(FILE *out, const struct ert_ceilings *ceilings,
                    const struct ert_samples *samples,
                    const struct ert_cli_results *results);

/* The text chart of each device; is_all: false leaves out those of more than two. */
void ert_cli_answer_charts(FILE *out, const struct ert_ceilings *ceilings, bool is_all);

#endif
