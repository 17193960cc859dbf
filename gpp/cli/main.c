/* ert-gpp: the GPP mini-app in all its versions. Exit codes: enum ert_status. */
#include "gpp/cli/commands.h"

static const struct ert_command *const commands[] = {&gpp_command_list, &gpp_command_run,
                                                     &gpp_command_check};

static const struct ert_program program = {
    .name = "ert-gpp",
    .words = "",
    .purpose =
        "The General Plasmon Pole kernel of BerkeleyGW, one optimization at a time, on "
        "CPUs and GPUs.",
    .exits =
        "0 done, 1 failed or results differ, 2 usage or bad input, 3 not available here",
    .commands = commands,
    .n_commands = sizeof commands / sizeof commands[0],
};

int main(int argc, char **argv)
{
    return ert_program_main(&program, argc, argv, stdout, stderr);
}
