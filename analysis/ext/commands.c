/* SPDX-License-Identifier: BSD-3-Clause */
/* commands: the subcommands of roofline that the extensions bring, in the order of its help. */
#include "analysis/cli/commands.h"

extern const struct ert_command rfl_command_record, rfl_command_import, rfl_command_compare;

const struct ert_command *const rfl_extension_commands[] = {
    &rfl_command_record,
    &rfl_command_import,
    &rfl_command_compare,
    NULL,
};
