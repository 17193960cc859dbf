/*
 * commands: the subcommands of the program roofline, one file each. Only this room prints.
 */
#ifndef RFL_CLI_COMMANDS_H
#define RFL_CLI_COMMANDS_H

#include "ert/base/error.h"
#include "ert/base/opt.h"

#include <stddef.h>
#include <stdio.h>

struct rfl_command {
    const char *name;
    const char *words; /* of the usage line: "CEILINGS" */
    const char *summary;
    const struct ert_opt *options;
    size_t n_options;
    /* argv[0..argc) without program and subcommand; writes to stdout. */
    enum ert_status (*run)(int argc, char **argv, struct ert_error *error);
    void (*notes)(FILE *out); /* what the help says after the options; NULL: nothing */
};

extern const struct rfl_command rfl_command_show, rfl_command_plot, rfl_command_place,
    rfl_command_import, rfl_command_compare, rfl_command_portability, rfl_command_scaling,
    rfl_command_export;

#endif
