/* SPDX-License-Identifier: BSD-3-Clause */
/* ert: measures what this machine attains. Exit codes: enum ert_status. */
#include "ert/cli/commands.h"

#include "ert/core/base/alloc.h"

#include <cjson/cJSON.h>
#include <locale.h>

static const struct ert_command *const commands[] = {
    &ert_command_info, &ert_command_list, &ert_command_run,
    &ert_command_fit,  &ert_command_show, NULL,
};

static const struct ert_program program = {
    .name = "ert",
    .words = "",
    .purpose = "Measure the bandwidths and FLOP rates that this machine attains.",
    .exits =
        "0 success, 1 failure, 2 bad arguments, options or input files, 3 not available "
        "here,\n4 measured, but not valid",
    .commands = commands,
    .extensions = ert_extension_commands,
};

static void *cli_main_json_memory(size_t size)
{
    return ert_calloc(size, 1);
}

int main(int argc, char **argv)
{
    cJSON_InitHooks(&(cJSON_Hooks){cli_main_json_memory, free});
    setlocale(LC_CTYPE, ""); /* to know if the terminal shows UTF-8 lines */
    return ert_program_main(&program, argc, argv, stdout, stderr);
}
