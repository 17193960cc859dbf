/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * program: a program of subcommands, and their options: rows of both give dispatch, parsing, ranges, help and
 * errors, so that they cannot drift apart. It writes to the streams it is given only.
 */
#ifndef ERT_BASE_PROGRAM_H
#define ERT_BASE_PROGRAM_H

#include "ert/core/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum ert_opt_kind {
    ERT_OPT_FLAG,   /* bool */
    ERT_OPT_TEXT,   /* const char * */
    ERT_OPT_COUNT,  /* uint64_t, within [min, max] */
    ERT_OPT_SIZE,   /* uint64_t bytes, as ert_units_parse_size, within [min, max] */
    ERT_OPT_TIME,   /* double seconds, as ert_units_parse_time, within [min, max] */
    ERT_OPT_NUMBER, /* double, within [min, max] */
    ERT_OPT_CHOICE  /* const char *, one of the NULL-terminated choices */
};

struct ert_opt {
    const char *name; /* without the dashes: "out" */
    enum ert_opt_kind kind;
    size_t offset;        /* offsetof() of the value in the caller's struct of options */
    const char *argument; /* its name in the help, e.g. "DIR"; NULL for a flag */
    const char *help;
    double min, max;
    const char *const *choices;
};

/* Rows whose values are members of the caller's struct options: WITHIN a range, one OF some words, true. */
#define ERT_OPT_ROW(name, kind, field, argument, help, min, max, choices)                  \
    {                                                                                      \
        name, kind, offsetof(struct options, field), argument, help, min, max, choices     \
    }
#define ERT_OPT(name, kind, field, argument, help)                                         \
    ERT_OPT_ROW(name, ERT_OPT_##kind, field, argument, help, 0, 0, NULL)
#define ERT_OPT_WITHIN(name, kind, field, argument, help, min, max)                        \
    ERT_OPT_ROW(name, ERT_OPT_##kind, field, argument, help, min, max, NULL)
#define ERT_OPT_OF(name, field, argument, help, choices)                                   \
    ERT_OPT_ROW(name, ERT_OPT_CHOICE, field, argument, help, 0, 0, choices)
#define ERT_OPT_SWITCH(name, field, help) ERT_OPT(name, FLAG, field, NULL, help)

/*
 * Reads argv[0..argc) (without the program's and the subcommand's name) into `options`, the
 * caller's struct, already filled with defaults. `--name value`, `--name=value` and `--` work;
 * words that are not options are kept in order in words[0..*n_words) (at most max_words; n_words may be NULL,
 * for 0). Where an option appears twice the last one counts, so that a script can put its own first.
 * ERT_USAGE for an unknown option (the text lists all), a missing or unwanted value,
 * a value out of range (value and limit named), or one word too many.
 */
enum ert_status ert_opt_parse(const struct ert_opt *rows, size_t n_rows, int argc,
                              char **argv, void *options, const char **words,
                              size_t max_words, size_t *n_words, struct ert_error *error);

/*
 * Writes one aligned line per row: "  --out DIR    help", then the choices or the range of the row.
 * The help text names the default.
 */
void ert_opt_help(FILE *out, const struct ert_opt *rows, size_t n_rows);

struct ert_program;

struct ert_command {
    const char *name;
    const char *summary;
    /* NULL, or what it is: a program of subcommands of its own; all below is not used then. */
    const struct ert_program *program;
    const char *words; /* behind the options in the usage line: "CEILINGS"; "" none */
    const struct ert_opt *options;
    size_t n_options;
    bool passes_words; /* what follows "--" is another program's, any bytes */
    /* argv[0..argc) without program and subcommand; writes to stdout. */
    enum ert_status (*run)(int argc, char **argv, struct ert_error *error);
    void (*notes)(FILE *out); /* what the help says after the options; NULL: nothing */
};

struct ert_program {
    const char *name;    /* "roofline", "ert fleet" */
    const char *words;   /* behind the options in its own usage line; "" none */
    const char *purpose; /* one or two lines */
    const char *exits;   /* "0 done, 1 failed ..." */
    const struct ert_command *const *commands;   /* ends with NULL */
    const struct ert_command *const *extensions; /* more of them, as that; NULL: none */
};

/*
 * Runs the subcommand that argv[1] names, or prints help or version to `out`. What goes wrong is
 * written to `err` as "NAME: TEXT". `out` is flushed: a full disk is a failure. Returns the exit code.
 */
int ert_program_main(const struct ert_program *program, int argc, char **argv, FILE *out,
                     FILE *err);

#endif
