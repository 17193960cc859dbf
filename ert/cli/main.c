#include "ert/base/config.h"
#include "ert/cli/cmd.h"

#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

static const struct ert_cmd commands[] = {
    {"info",     "[OPTION]...",          "this machine and its theoretical peaks",       ert_cmd_info},
    {"list",     "[OPTION]...",          "kernels, backends, and what is missing",       ert_cmd_list},
    {"run",      "[OPTION]...",          "measures this machine: the main job",          ert_cmd_run },
    {"fit",      "[OPTION]... SAMPLES",  "ceilings from recorded samples",               ert_cmd_fit },
    {"show",     "[OPTION]... CEILINGS", "ceilings as a table and a chart",              ert_cmd_show},
    {"verify",   "[OPTION]... CEILINGS", "are the recorded ceilings still attained?",
     ert_cmd_verify                                                                                  },
    {"validate", "[OPTION]... CEILINGS", "proves ceilings by machine code and counters",
     ert_cmd_validate                                                                                },
    {"bench",    "[OPTION]... KERNEL",   "one kernel, one timed region: for profilers",
     ert_cmd_bench                                                                                   },
};
enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

static const char *const exit_codes[] = {
    "done", "failed", "usage: bad words, options or input files", "not available here",
    "measured, but not trustworthy"};

static const struct ert_cmd *find_command(const char *name)
{
    for (size_t i = 0; i < N_COMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static void print_help(FILE *out)
{
    fputs(
        "usage: ert COMMAND [OPTION]...\n"
        "Measures the bandwidths and FLOP rates that this machine attains.\n\ncommands:\n",
        out);
    for (size_t i = 0; i < N_COMMANDS; i++)
        fprintf(out, "  %-9s %s\n", commands[i].name, commands[i].summary);
    fputs("  help      this text; `ert help COMMAND` or `ert COMMAND --help` for one "
          "command\n"
          "  --version\n\nexit codes:\n",
          out);
    for (size_t i = 0; i < sizeof exit_codes / sizeof exit_codes[0]; i++)
        fprintf(out, "  %zu         %s\n", i, exit_codes[i]);
}

bool ert_cmd_help(const char *name, const struct ert_opt *rows, size_t n_rows, int argc,
                  char **argv)
{
    bool wanted = false;
    for (int i = 0; i < argc && !wanted && strcmp(argv[i], "--") != 0; i++)
        wanted = strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0;
    const struct ert_cmd *command = find_command(name);
    if (!wanted || !command)
        return false;
    printf("usage: ert %s %s\n%s\n\noptions:\n", name, command->words, command->summary);
    ert_opt_help(stdout, rows, n_rows);
    return true;
}

static enum ert_status run_command(const char *name, int argc, char **argv,
                                   struct ert_error *error)
{
    const struct ert_cmd *command = find_command(name);
    if (command)
        return command->run(argc, argv, error);
    char list[128] = "";
    for (size_t i = 0; i < N_COMMANDS; i++) {
        strncat(list, commands[i].name, sizeof list - strlen(list) - 1);
        strncat(list, ", ", sizeof list - strlen(list) - 1);
    }
    return ert_fail(error, ERT_USAGE, "unknown command '%.64s'; known are %shelp", name,
                    list);
}

static enum ert_status help(int argc, char **argv, struct ert_error *error)
{
    if (argc > 1)
        return ert_fail(error, ERT_USAGE, "unexpected word '%.64s'; help takes one command",
                        argv[1]);
    if (argc == 1) {
        char option[] = "--help", *words[] = {option};
        return run_command(argv[0], 1, words, error);
    }
    print_help(stdout);
    return ERT_OK;
}

static enum ert_status dispatch(int argc, char **argv, struct ert_error *error)
{
    if (argc < 2)
        return ert_fail(error, ERT_USAGE, "a command is missing; see `ert help`");
    if (strcmp(argv[1], "--version") == 0) {
        puts("ert " PACKAGE_VERSION);
        return ERT_OK;
    }
    if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 ||
        strcmp(argv[1], "-h") == 0)
        return help(argc - 2, argv + 2, error);
    return run_command(argv[1], argc - 2, argv + 2, error);
}

int main(int argc, char **argv)
{
    struct ert_error error = {0};
    setlocale(LC_CTYPE, ""); /* whether the terminal takes UTF-8 line drawing */
    enum ert_status status = dispatch(argc, argv, &error);

    /* A table that did not reach its file (a full disk) is a failure, not a success. */
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == ERT_OK)
        status = ert_fail(&error, ERT_FAILED, "standard output: %s",
                          strerror(errno ? errno : EIO));
    if (status != ERT_OK && error.text[0])
        fprintf(stderr, "ert: %s\n", error.text);
    return (int)status;
}
