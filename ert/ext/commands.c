/* SPDX-License-Identifier: BSD-3-Clause */
/* commands: the subcommands of ert that the extensions bring, in the order of its help. */
#include "ert/cli/commands.h"

extern const struct ert_command ert_command_verify, ert_command_validate, ert_command_bench,
    ert_command_soak, ert_command_fleet;

const struct ert_command *const ert_extension_commands[] = {
    &ert_command_verify, &ert_command_validate, &ert_command_bench,
    &ert_command_soak,   &ert_command_fleet,    NULL,
};
