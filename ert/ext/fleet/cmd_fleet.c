/* SPDX-License-Identifier: BSD-3-Clause */
/* ert fleet: has its own subcommands, for many nodes. */
#include "ert/core/base/program.h"

extern const struct ert_command ert_command_fleet, ert_command_fleet_node,
    ert_command_fleet_merge;

static const struct ert_command *const commands[] = {
    &ert_command_fleet_node,
    &ert_command_fleet_merge,
    NULL,
};

static const struct ert_program program = {
    .name = "ert fleet",
    .words = "",
    .purpose = "Characterize many nodes, and find those that differ.",
    .exits =
        "0 success, 1 failure, 2 bad arguments, options or input files, 3 not available "
        "here,\n4 measured, but not valid",
    .commands = commands,
};

const struct ert_command ert_command_fleet = {.name = "fleet",
                                              .summary =
                                                  "find the nodes of a cluster that differ",
                                              .program = &program};
