#include "ert/base/program.h"

#include "ert/base/config.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

static void help(const struct ert_program *program, FILE *out)
{
    fprintf(out, "usage: %s COMMAND [OPTIONS]%s%s\n%s\n\n", program->name,
            *program->words ? " " : "", program->words, program->purpose);
    for (size_t i = 0; i < program->n_commands; i++)
        fprintf(out, "  %-13s%s\n", program->commands[i]->name,
                program->commands[i]->summary);
    fprintf(out,
            "\n`%s COMMAND --help` lists a command's options; also: --help, --version.\n"
            "Exit codes: %s.\n",
            program->name, program->exits);
}

static void command_help(const struct ert_program *program,
                         const struct ert_command *command, FILE *out)
{
    fprintf(out, "usage: %s %s [OPTIONS]%s%s\n%s\n\n", program->name, command->name,
            *command->words ? " " : "", command->words, command->summary);
    ert_opt_help(out, command->options, command->n_options);
    if (command->notes)
        command->notes(out);
}

static const struct ert_command *find(const struct ert_program *program, const char *name,
                                      struct ert_error *error)
{
    char list[256] = "";
    for (size_t i = 0, used = 0; i < program->n_commands; i++) {
        if (strcmp(program->commands[i]->name, name) == 0)
            return program->commands[i];
        if (used < sizeof list)
            used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "",
                                     program->commands[i]->name);
    }
    ert_fail(error, ERT_USAGE, "no command '%.64s'; there are: %s", name, list);
    return NULL;
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* Whether --help or -h stands among the words, up to "--". */
static bool wants_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (is_help(argv[i]))
            return true;
    return false;
}

/* `PROGRAM help [COMMAND]` */
static enum ert_status run_help(const struct ert_program *program, int argc, char **argv,
                                FILE *out, struct ert_error *error)
{
    const struct ert_command *command = argc ? find(program, argv[0], error) : NULL;
    if (argc > 1)
        return ert_fail(error, ERT_USAGE, "unexpected word '%.64s'; help takes one command",
                        argv[1]);
    if (argc == 1 && !command)
        return ERT_USAGE;
    if (command)
        command_help(program, command, out);
    else
        help(program, out);
    return ERT_OK;
}

static enum ert_status run(const struct ert_program *program, int argc, char **argv,
                           FILE *out, struct ert_error *error)
{
    if (is_help(argv[1]) || strcmp(argv[1], "help") == 0)
        return run_help(program, argc - 2, argv + 2, out, error);
    if (strcmp(argv[1], "--version") == 0) {
        fprintf(out, "%s %s\n", program->name, PACKAGE_VERSION);
        return ERT_OK;
    }
    const struct ert_command *command = find(program, argv[1], error);
    if (!command)
        return ERT_USAGE;
    if (wants_help(argc - 2, argv + 2)) {
        command_help(program, command, out);
        return ERT_OK;
    }
    return command->run(argc - 2, argv + 2, error);
}

int ert_program_main(const struct ert_program *program, int argc, char **argv, FILE *out,
                     FILE *err)
{
    struct ert_error error = {ERT_OK, ""};
    if (argc < 2) {
        help(program, err);
        return ERT_USAGE;
    }
    enum ert_status status = run(program, argc, argv, out, &error);
    /* Before the error, so that it is the last line where both streams end in one file. */
    errno = 0;
    bool is_written = fflush(out) == 0 && !ferror(out);
    int why = errno ? errno : EIO;
    if (status != ERT_OK && error.text[0])
        fprintf(err, "%s: %s\n", program->name, error.text);
    if (is_written)
        return status;
    fprintf(err, "%s: standard output: %s\n", program->name, strerror(why));
    return status == ERT_OK ? ERT_FAILED : status;
}
