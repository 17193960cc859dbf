/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * commands: the subcommands of the program ert, one file each. Only this module prints; errors are returned.
 */
#ifndef ERT_CLI_COMMANDS_H
#define ERT_CLI_COMMANDS_H

#include "ert/core/base/program.h"

extern const struct ert_command ert_command_info, ert_command_list, ert_command_run,
    ert_command_fit, ert_command_show;

/* Those of the extensions that this build has, then NULL. */
extern const struct ert_command *const ert_extension_commands[];

#endif
