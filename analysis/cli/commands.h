/*
 * commands: the subcommands of the program roofline, one file each. Only this room prints.
 */
#ifndef RFL_CLI_COMMANDS_H
#define RFL_CLI_COMMANDS_H

#include "ert/base/program.h"

extern const struct ert_command rfl_command_show, rfl_command_plot, rfl_command_place,
    rfl_command_import, rfl_command_compare, rfl_command_portability, rfl_command_scaling,
    rfl_command_export;

#endif
