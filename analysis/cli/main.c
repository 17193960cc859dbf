/* SPDX-License-Identifier: BSD-3-Clause */
/* roofline: what measured ceilings mean. Exit codes: enum ert_status. */
#include "analysis/cli/commands.h"

#include "ert/core/base/alloc.h"

#include <cjson/cJSON.h>
#include <locale.h>
#include <stdlib.h>

static const struct ert_command *const commands[] = {
    &rfl_command_plot,
    &rfl_command_place,
    NULL,
};

static const struct ert_program program = {
    .name = "roofline",
    .words = "FILE...",
    .purpose = "Draw the ceilings of `ert run`, and place profiled code under them.",
    .exits = "0 success, 1 failure, 2 usage or bad input, 3 nothing to draw",
    .commands = commands,
    .extensions = rfl_extension_commands,
};

static void *cli_main_json_memory(size_t size)
{
    return ert_xcalloc(size, 1);
}

int main(int argc, char **argv)
{
    cJSON_InitHooks(&(cJSON_Hooks){cli_main_json_memory, free});
    /* Only LC_CTYPE, to know whether the terminal uses UTF-8: numbers keep their decimal points. */
    setlocale(LC_CTYPE, "");
    return ert_program_main(&program, argc, argv, stdout, stderr);
}
