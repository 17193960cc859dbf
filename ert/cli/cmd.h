/*
 * cmd: the subcommands of `ert`. One file per command, one row each in main.c. Only this room
 * prints; what goes wrong is returned as an error, which main prints as "ert: TEXT".
 */
#ifndef ERT_CLI_CMD_H
#define ERT_CLI_CMD_H

#include "ert/base/error.h"
#include "ert/base/opt.h"

#include <stdbool.h>
#include <stddef.h>

struct ert_cmd {
    const char *name;
    const char
        *words; /* what stands behind the name in the usage line, e.g. "[OPTION]... FILE" */
    const char *summary; /* one line for `ert help` */

    /* argv[0..argc) begins behind the subcommand's name. The status is the exit code. */
    enum ert_status (*run)(int argc, char **argv, struct ert_error *error);
};

enum ert_status ert_cmd_info(int argc, char **argv, struct ert_error *error);
enum ert_status ert_cmd_list(int argc, char **argv, struct ert_error *error);
enum ert_status ert_cmd_run(int argc, char **argv, struct ert_error *error);
enum ert_status ert_cmd_fit(int argc, char **argv, struct ert_error *error);
enum ert_status ert_cmd_show(int argc, char **argv, struct ert_error *error);
enum ert_status ert_cmd_verify(int argc, char **argv, struct ert_error *error);
enum ert_status ert_cmd_validate(int argc, char **argv, struct ert_error *error);
enum ert_status ert_cmd_bench(int argc, char **argv, struct ert_error *error);

/*
 * When --help or -h stands among the words (before "--"): prints the usage line of the command
 * `name`, its summary and its options to stdout, and returns true; a command then returns ERT_OK.
 */
bool ert_cmd_help(const char *name, const struct ert_opt *rows, size_t n_rows, int argc,
                  char **argv);

#endif
