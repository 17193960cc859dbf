/*
 * measure: the measuring loop as the subcommands run it: a progress line on stderr, Ctrl-C stops it
 * and keeps what was measured.
 */
#ifndef ERT_CLI_MEASURE_H
#define ERT_CLI_MEASURE_H

#include "ert/cli/results.h"
#include "ert/sweep/samples.h"

/*
 * Runs the planned points. results: written after every round, so that nothing measured is lost, or
 * NULL. The status is ert_run()'s; samples is valid in any case.
 */
enum ert_status ert_cli_measure(struct ert_samples *samples,
                                struct ert_cli_results *results, struct ert_error *error);

/* Whether anything was measured. */
bool ert_cli_has_samples(const struct ert_samples *samples);

#endif
