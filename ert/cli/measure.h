/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * measure: the devices of this machine, and the measuring loop as the subcommands run it: a progress
 * line on stderr, Ctrl-C stops it and keeps what was measured.
 */
#ifndef ERT_CLI_MEASURE_H
#define ERT_CLI_MEASURE_H

#include "ert/cli/results.h"
#include "ert/sweep/samples.h"

/*
 * What would end the program ends the measuring instead, from here on: INT, TERM, and HUP unless nohup said
 * to go on. A second INT ends the program.
 */
void ert_cli_catch_signals(void);

/* Whether such a signal came. */
const volatile bool *ert_cli_stop(void);

/*
 * limit_s from now on the measuring ends as by a signal. What has not ended 10 s after that hangs: words[0],
 * what it was at (ert_cli_doing) and words[1] are written to stdout then, and the program ends with
 * ERT_FAILED. limit_s 0: no limit any more. words: the caller's.
 */
void ert_cli_limit(double limit_s, const char *const words[2]);

/* Whether the measuring was ended so. */
bool ert_cli_limit_passed(void);

/* "gpu0: load, cached, 4 KiB": what is, or was last, measured; ASCII without quotes and backslashes. */
const char *ert_cli_doing(void);

/*
 * Fills machine with the devices that the word asks for ("all", "cpu", "gpu", "gpu0", "fake"): of
 * all real backends, and of the fake one only when the word starts with "fake". For "gpu" and
 * "gpuN" without any GPU: ERT_UNAVAILABLE with the backend's reason. argc, argv: the words behind
 * `ert run`, for the provenance.
 */
enum ert_status ert_cli_devices(const char *word, int argc, char *const *argv,
                                struct ert_machine *machine, struct ert_error *error);

/*
 * Runs the planned points. results: written after every round, so that nothing measured is lost, or
 * NULL. progress: where it is shown, NULL: nowhere. The status is ert_run()'s; samples is valid in any case.
 */
enum ert_status ert_cli_measure(struct ert_samples *samples,
                                struct ert_cli_results *results, FILE *progress,
                                struct ert_error *error);

/* Whether anything was measured. */
bool ert_cli_has_samples(const struct ert_samples *samples);

#endif
