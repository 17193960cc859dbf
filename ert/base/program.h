/*
 * program: a program of subcommands: rows of commands give dispatch, help and errors, so that they
 * cannot drift apart. It writes to the streams it is given only.
 */
#ifndef ERT_BASE_PROGRAM_H
#define ERT_BASE_PROGRAM_H

#include "ert/base/error.h"
#include "ert/base/opt.h"

#include <stddef.h>
#include <stdio.h>

struct ert_command {
    const char *name;
    const char *words; /* behind the options in the usage line: "CEILINGS"; "" none */
    const char *summary;
    const struct ert_opt *options;
    size_t n_options;
    /* argv[0..argc) without program and subcommand; writes to stdout. */
    enum ert_status (*run)(int argc, char **argv, struct ert_error *error);
    void (*notes)(FILE *out); /* what the help says after the options; NULL: nothing */
};

struct ert_program {
    const char *name;    /* "roofline" */
    const char *words;   /* behind the options in its own usage line; "" none */
    const char *purpose; /* one or two lines */
    const char *exits;   /* "0 done, 1 failed ..." */
    const struct ert_command *const *commands;
    size_t n_commands;
};

/*
 * Runs the subcommand that argv[1] names, or prints help or version to `out`. What goes wrong is
 * written to `err` as "NAME: TEXT". `out` is flushed: a full disk is a failure. Returns the exit code.
 */
int ert_program_main(const struct ert_program *program, int argc, char **argv, FILE *out,
                     FILE *err);

#endif
