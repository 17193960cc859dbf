/* ert-gpp: the GPP mini-app in all its versions. Exit codes: enum ert_status. */
#include "gpp/cli/commands.h"

#include "ert/base/config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct gpp_command *const commands[] = {&gpp_command_list, &gpp_command_run,
                                                     &gpp_command_check};
enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

static void help(FILE *out)
{
    fprintf(out,
            "usage: ert-gpp COMMAND [OPTIONS]\n"
            "The General Plasmon Pole kernel of BerkeleyGW, one optimization at a time, on "
            "CPUs and GPUs.\n\n");
    for (size_t i = 0; i < N_COMMANDS; i++)
        fprintf(out, "  %-8s%s\n", commands[i]->name, commands[i]->summary);
    fprintf(out,
            "\n`ert-gpp COMMAND --help` lists a command's options; also: --help, "
            "--version.\nExit codes: 0 done, 1 failed or results differ, 2 usage or bad "
            "input, 3 not available here.\n");
}

static void command_help(FILE *out, const struct gpp_command *command)
{
    fprintf(out, "usage: ert-gpp %s [OPTIONS]\n%s\n\n", command->name, command->summary);
    ert_opt_help(out, command->options, command->n_options);
}

static const struct gpp_command *find(const char *name)
{
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static int fail(const struct ert_error *error)
{
    fprintf(stderr, "ert-gpp: %s\n", error->text);
    return error->status;
}

static int run(int argc, char **argv, struct ert_error *error)
{
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        help(argc < 2 ? stderr : stdout);
        return argc < 2 ? ERT_USAGE : ERT_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("ert-gpp %s\n", PACKAGE_VERSION);
        return ERT_OK;
    }
    const struct gpp_command *command = find(argv[1]);
    if (!command) {
        ert_fail(error, ERT_USAGE, "no command '%.64s'; there are: list, run, check",
                 argv[1]);
        return fail(error);
    }
    if (argc > 2 && (strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-h") == 0)) {
        command_help(stdout, command);
        return ERT_OK;
    }
    enum ert_status status = command->run(argc - 2, argv + 2, error);
    return status == ERT_OK ? ERT_OK : fail(error);
}

int main(int argc, char **argv)
{
    struct ert_error error = {ERT_OK, ""};
    int status = run(argc, argv, &error);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        ert_fail(&error, ERT_FAILED, "standard output: %s", strerror(errno));
        return fail(&error);
    }
    return status;
}
