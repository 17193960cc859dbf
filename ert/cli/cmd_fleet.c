/* SPDX-License-Identifier: BSD-3-Clause */
/* ert fleet: many nodes: a program of subcommands of its own. */
#include "ert/cli/commands.h"

static const struct ert_command *const commands[] = {
    &ert_command_fleet_node,
    &ert_command_fleet_run,
    &ert_command_fleet_merge,
    &ert_command_fleet_simulate,
};

static const struct ert_program program = {
    .name = "ert fleet",
    .words = "",
    .purpose = "Characterizes many nodes, and finds those that differ.",
    .exits =
        "0 done, 1 failed, 2 usage: bad words, options or input files, 3 not available "
        "here,\n4 measured, but not valid",
    .commands = commands,
    .n_commands = ERT_LENGTH(commands),
};

const struct ert_command ert_command_fleet = {
    .name = "fleet", .summary = "many nodes: which of them differ", .program = &program};
