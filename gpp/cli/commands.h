/*
 * commands: the subcommands of the program ert-gpp, one file each. Only this room prints.
 */
#ifndef GPP_CLI_COMMANDS_H
#define GPP_CLI_COMMANDS_H

#include "ert/base/error.h"
#include "ert/base/opt.h"

#include <stddef.h>

struct gpp_command {
    const char *name, *summary;
    const struct ert_opt *options;
    size_t n_options;
    /* argv[0..argc) without program and subcommand; writes to stdout. */
    enum ert_status (*run)(int argc, char **argv, struct ert_error *error);
};

extern const struct gpp_command gpp_command_list, gpp_command_run, gpp_command_check;

#endif
