/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch: runs a command on many nodes with the site's launcher, and passes on their output line by line. It
 * knows no records; the caller decides how long to wait, and for which nodes.
 */
#ifndef ERT_FLEET_LAUNCH_H
#define ERT_FLEET_LAUNCH_H

#include "ert/fleet/hosts.h"

#include <stdbool.h>
#include <stddef.h>

struct ert_launcher {
    const char *name;
    const char *program; /* on the PATH; NULL: runs the command itself, here */
    const char *other;   /* alternative name of the program, or NULL */
    const char *job; /* the environment variable of jobs that use this launcher, or NULL */
    const char
        *hosts; /* variable with the job's hosts, a list or a file of names; or NULL */
    const char *words;     /* arguments: "%h" is a list of hosts, "%n" their number */
    const char *net_words; /* the same for an MPI program; NULL: cannot start one */
    const char
        *names_dead; /* text before the name of a node that it could not reach, or NULL */
    bool
        takes_many; /* one process starts a command on many nodes, even if one of them is dead */
    bool has_shell; /* the command's words are interpreted by a remote shell */
};

/* The rows: "srun", "mpirun" (Open MPI), "mpiexec" (MPICH), "ssh", "local". */
extern const struct ert_launcher ert_launchers[];
extern const size_t ert_n_launchers;

/*
 * Finds the launcher of this name, or for NULL that of the job of this process. ERT_USAGE for an unknown
 * name, or outside of a job; ERT_UNAVAILABLE if its program is not installed.
 */
enum ert_status ert_launcher_find(const char *name, const struct ert_launcher **launcher,
                                  struct ert_error *error);

/* The hosts of the job. ERT_USAGE if the launcher does not know them, or the list is empty or bad. */
enum ert_status ert_launcher_hosts(const struct ert_launcher *launcher,
                                   struct ert_hosts *hosts, struct ert_error *error);

/* The hosts on which one launcher process has started the command. */
struct ert_launched {
    const char *const *hosts;
    size_t n;
};

struct ert_launch {
    const struct ert_launcher *launcher;
    /* The command, NULL-terminated. If each host has a process of its own, "%h" in a word is its name. */
    const char *const *command;
    bool is_net;   /* uses net_words */
    bool is_each;  /* one process per host, for any launcher */
    size_t fanout; /* most processes at once, above 0; fewer if open files are limited */
    const volatile bool *stop; /* set to true to end all processes */
    void *about;               /* for the functions */
    /* Gets a line of output, without newline; is_error: of the standard error. */
    void (*line)(void *about, const struct ert_launched *of, bool is_error,
                 const char *line);
    /* Whether to continue waiting for this process; called some times a second. */
    bool (*waits)(void *about, const struct ert_launched *of);
    /* Called at its end; exit code 128 + N for signal N, also if we sent it. */
    void (*ended)(void *about, const struct ert_launched *of, int exit_code);
};

/*
 * Runs all, and returns when all have ended. ERT_USAGE: a process could not be started; the others were
 * ended. A process that is no longer waited for has 2 s to end by itself, and 3 s more after SIGTERM.
 */
enum ert_status ert_launch(const struct ert_launch *launch, const char *const *hosts,
                           size_t n, struct ert_error *error);

#endif
