/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * commands: the subcommands of the program ert, one file each. Only this module prints; errors are returned.
 */
#ifndef ERT_CLI_COMMANDS_H
#define ERT_CLI_COMMANDS_H

#include "ert/core/base/program.h"

extern const struct ert_command ert_command_info, ert_command_list, ert_command_run,
    ert_command_fit, ert_command_show, ert_command_schema, ert_command_bench;

/* Those of the extensions that this build has, then NULL. */
extern const struct ert_command *const ert_extension_commands[];

/* The subcommands of `ert fleet`. */
extern const struct ert_command ert_command_fleet_node, ert_command_fleet_merge;

/* An option of all commands that judge a fleet; default: ERT_FLEET_FALSE_ALARMS of fleet.h. */
#define ERT_CLI_FALSE_ALARMS                                                               \
    ERT_OPT_WITHIN(                                                                        \
        "false-alarms", NUMBER, false_alarms, "N",                                         \
        "accepted false alarms: sound nodes called slow, expected in the whole fleet "     \
        "(default " ERT_CLI_TEXT(ERT_FLEET_FALSE_ALARMS) ")",                              \
        1e-6, 1e4)
#define ERT_CLI_TEXT(number)  ERT_CLI_TEXT_(number)
#define ERT_CLI_TEXT_(number) #number

#endif
