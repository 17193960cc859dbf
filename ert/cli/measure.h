/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * measure: finds the devices of this machine, and runs the measuring loop for the subcommands, with a
 * progress line on stderr; Ctrl-C ends the measurement and keeps its samples.
 */
#ifndef ERT_CLI_MEASURE_H
#define ERT_CLI_MEASURE_H

#include "ert/cli/results.h"
#include "ert/core/sweep/samples.h"

/*
 * From now on signals end the measurement, not the program: INT, TERM, and HUP unless nohup has set it to be
 * ignored. A second INT ends the program.
 */
void ert_cli_catch_signals(void);

/* Whether one has come. */
const volatile bool *ert_cli_stop(void);

/*
 * Fills machine with the devices of a word ("all", "cpu", "gpu", "gpu0", "fake"): from all real backends, or
 * from the fake one if the word starts with "fake". ERT_UNAVAILABLE with the backend's reason for "gpu" and
 * "gpuN" without a GPU. argc, argv: arguments of `ert run`, for the provenance.
 */
enum ert_status ert_cli_devices(const char *word, int argc, char *const *argv,
                                struct ert_machine *machine, struct ert_error *error);

/*
 * Runs the planned points. results: written after every round, so that nothing measured is lost; or NULL.
 * progress: a stream for it, or NULL. Returns the status of ert_run(); samples is valid in any case.
 */
enum ert_status ert_cli_measure(struct ert_samples *samples,
                                struct ert_cli_results *results, FILE *progress,
                                struct ert_error *error);

/* Whether anything was measured. */
bool ert_cli_has_samples(const struct ert_samples *samples);

/*
 * presets.c: reads what a word of --config names: a file, else NAME.json in the first folder that has it:
 * beside an installed program (../share/ert/configs), beside one that was just built (../configs), or where
 * configure installs presets. Else ERT_USAGE with the names of the presets; other errors as
 * ert_config_read().
 */
enum ert_status ert_cli_preset(const char *word, struct ert_config *config,
                               struct ert_error *error);

#endif
