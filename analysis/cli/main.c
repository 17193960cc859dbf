/* roofline: what measured ceilings mean. Exit codes: enum ert_status. */
#include "analysis/cli/commands.h"
#include "ert/base/config.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

static const struct rfl_command *const commands[] = {
    &rfl_command_show,
    &rfl_command_plot,
    &rfl_command_place,
    &rfl_command_import,
};
enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

static void help(FILE *out)
{
    fprintf(out,
            "usage: roofline COMMAND [OPTIONS] FILE...\n"
            "What the ceilings.json that `ert run` writes means: tables, charts, and where "
            "profiled\ncode stands on it.\n\n");
    for (size_t i = 0; i < N_COMMANDS; i++)
        fprintf(out, "  %-13s%s\n", commands[i]->name, commands[i]->summary);
    fprintf(
        out,
        "\n`roofline COMMAND --help` lists a command's options; also: --help, --version.\n"
        "Exit codes: 0 done, 1 failed, 2 usage or bad input, 3 nothing to draw.\n");
}

static void command_help(FILE *out, const struct rfl_command *command)
{
    fprintf(out, "usage: roofline %s [OPTIONS] %s\n%s\n\n", command->name, command->words,
            command->summary);
    ert_opt_help(out, command->options, command->n_options);
    if (command->notes)
        command->notes(out);
}

static const struct rfl_command *find(const char *name)
{
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static int fail(const struct ert_error *error)
{
    fprintf(stderr, "roofline: %s\n", error->text);
    return error->status;
}

static void fail_unknown(const char *name, struct ert_error *error)
{
    char list[256] = "";
    for (size_t i = 0, used = 0; i < N_COMMANDS && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                                 commands[i]->name);
    ert_fail(error, ERT_USAGE, "no command '%.64s'; there are: %s", name, list);
}

static int run(int argc, char **argv, struct ert_error *error)
{
    if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        help(argc < 2 ? stderr : stdout);
        return argc < 2 ? ERT_USAGE : ERT_OK;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("roofline %s\n", PACKAGE_VERSION);
        return ERT_OK;
    }
    const struct rfl_command *command = find(argv[1]);
    if (!command) {
        fail_unknown(argv[1], error);
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
    /* Only to know whether the terminal speaks UTF-8: numbers keep their decimal points. */
    setlocale(LC_CTYPE, "");
    int status = run(argc, argv, &error);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        ert_fail(&error, ERT_FAILED, "standard output: %s", strerror(errno));
        return fail(&error);
    }
    return status;
}
