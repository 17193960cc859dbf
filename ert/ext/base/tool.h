/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tool: other people's programs (disassemblers, profilers, what a user wants profiled): finding and running
 * them, without a shell. It understands nothing of what they print. SIGCHLD must not be ignored (program.c
 * sees to it): the ends of children would not be told.
 */
#ifndef ERT_EXT_BASE_TOOL_H
#define ERT_EXT_BASE_TOOL_H

#include "ert/core/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * The program `name` on the PATH, else in the first folder of the NULL-terminated list of globs
 * ("/opt/nvidia/nsight-compute/" "*"; the last match, which is the newest version) into path[size].
 * ERT_UNAVAILABLE when it is nowhere.
 */
enum ert_status ert_tool_find(const char *name, const char *const *folders, char *path,
                              size_t size, struct ert_error *error);

/* What a program printed and how it ended. */
struct ert_tool_output {
    char *out, *err; /* malloc, NUL-terminated, owned */
    int exit_code;   /* 128 + N when a signal N ended it */
};

/*
 * Runs argv (NULL-terminated; argv[0] is the path) without a shell and keeps what it prints.
 * ERT_FAILED when it cannot be started, prints more than 256 MiB, or runs longer than timeout_s (it
 * and its children are then ended). Any exit code is ERT_OK.
 */
enum ert_status ert_tool_run(const char *const *argv, double timeout_s,
                             struct ert_tool_output *output, struct ert_error *error);

/* A program in our place before the user: it has our terminal, our signals and, where NULL, our streams. */
struct ert_tool_job {
    const char *const *argv; /* NULL-terminated; argv[0] is looked for on the PATH */
    const char *const
        *environment; /* "NAME=VALUE" besides ours, NULL-terminated; NULL: none */
    FILE *streams[3]; /* standard input, output and error; NULL: ours */
    /* Called every_s while it runs, with the seconds since its start; NULL: nothing is. */
    void (*still)(const void *data, double elapsed_s);
    double every_s;
    const void *data;
};

struct ert_tool_end {
    int exit_code; /* 128 + N when a signal N ended it */
    int signal;    /* that ended it, 0 none */
    /* The last of SIGINT, SIGTERM, SIGHUP and SIGQUIT that came meanwhile, for it or for us; 0 none. */
    int interrupt;
    double elapsed_s;
    double cpu_s; /* user time of it and of all its children that were waited for */
};

/*
 * Runs it to its end. Signals that a process sends to us go on to it; those of the terminal's keys it has got
 * already. ERT_USAGE when it cannot be started, with the system's reason. Any end is ERT_OK.
 */
enum ert_status ert_tool_pass(const struct ert_tool_job *job, struct ert_tool_end *end,
                              struct ert_error *error);

/*
 * Holds back the signals that interrupt this process: outside of ert_tool_pass() they wait, and its next
 * program gets them. Returns whether one waits already.
 */
bool ert_tool_hold(void);

/* Appends words, NULL-terminated, to an argv; those that are too many for it are left out. */
enum { ERT_TOOL_WORDS = 64 };
void ert_tool_append(const char *argv[ERT_TOOL_WORDS], const char *const *words);

/* NULL and all zero are fine. */
void ert_tool_free(struct ert_tool_output *output);

/* The first line of a text that holds one of the words, else the first that is not empty. */
void ert_tool_line(const char *text, const char *const *words, char *line, size_t size);

#endif
