/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * presets: the files that --config names.
 */
#ifndef ERT_CLI_PRESETS_H
#define ERT_CLI_PRESETS_H

#include "ert/base/error.h"

/*
 * Writes the file of a word to path[size]: the word itself where it names a file, or else NAME.json in
 * the first folder of presets: beside an installed program (../share/ert/configs), beside one that
 * was just built (../configs), where configure was told to install them. ERT_USAGE, with the names of the
 * presets, when there is neither.
 */
enum ert_status ert_cli_preset(const char *word, char *path, size_t size,
                               struct ert_error *error);

#endif
