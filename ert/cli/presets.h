/* SPDX-License-Identifier: BSD-3-Clause */
/* presets: finds the files that --config names. */
#ifndef ERT_CLI_PRESETS_H
#define ERT_CLI_PRESETS_H

#include "ert/core/sweep/config.h"

/*
 * Reads what a word names: a file, else NAME.json in the first folder that has it: beside an installed
 * program (../share/ert/configs), beside one that was just built (../configs), or where configure installs
 * presets. Else ERT_USAGE with the names of the presets; other errors as ert_config_read().
 */
enum ert_status ert_cli_preset(const char *word, struct ert_config *config,
                               struct ert_error *error);

#endif
