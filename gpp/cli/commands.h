/* SPDX-License-Identifier: BSD-3-Clause */
/* commands: the subcommands of the program ert-gpp. Only this module prints. */
#ifndef GPP_CLI_COMMANDS_H
#define GPP_CLI_COMMANDS_H

#include "ert/core/base/program.h"

extern const struct ert_command gpp_command_run;

#endif
