/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * launch: runs a command on many nodes with the site's launcher, and passes on what they print, line by line.
 * It knows nothing of records; the caller decides how long to wait, and for whom.
 */
#ifndef ERT_FLEET_LAUNCH_H
#define ERT_FLEET_LAUNCH_H

#include "ert/fleet/hosts.h"

#include <stdbool.h>
#include <stddef.h>

struct ert_launcher {
    const char *name;
    const char *program; /* on the PATH; NULL: the command itself, here */
    const char *other;   /* its name where the first is not there, or NULL */
    const char
        *job; /* the environment variable of a job in which this is the launcher, or NULL */
    const char
        *hosts; /* the variable with the job's hosts: a list, or a file of names; or NULL */
    const char *words;     /* its words: "%h" is a list of hosts, "%n" their number */
    const char *net_words; /* the same for a program of MPI; NULL: it starts none */
    const char *
        names_dead; /* what it writes before the name of a node that it could not reach, or NULL */
    bool
        takes_many; /* one of it starts a command on many nodes, and survives that one of them is dead */
    bool has_shell; /* the command's words go to a shell there */
};

/* The rows: "srun", "mpirun" (Open MPI), "mpiexec" (MPICH), "ssh", "local". */
extern const struct ert_launcher ert_launchers[];
extern const size_t ert_n_launchers;

/*
 * The launcher of this name, or for NULL the one of the job that this process is in. ERT_USAGE for a name
 * that is none, or outside any job; ERT_UNAVAILABLE where its program is not installed.
 */
enum ert_status ert_launcher_find(const char *name, const struct ert_launcher **launcher,
                                  struct ert_error *error);

/* The hosts of the job. ERT_USAGE where the launcher has none, or the list is empty or not one. */
enum ert_status ert_launcher_hosts(const struct ert_launcher *launcher,
                                   struct ert_hosts *hosts, struct ert_error *error);

/* The hosts on which one process of the launcher has started the command. */
struct ert_launched {
    const char *const *hosts;
    size_t n;
};

struct ert_launch {
    const struct ert_launcher *launcher;
    /* The command, NULL-terminated. Where a process starts it on one host, "%h" in a word is that. */
    const char *const *command;
    bool is_net;   /* by net_words */
    bool is_each;  /* one process a host, whatever the launcher can */
    size_t fanout; /* so many processes at once, above 0; fewer if open files are limited */
    const volatile bool *stop; /* becomes true: end all of them */
    void *about;               /* for the functions */
    /* A line of its output, without its end; is_error: of its standard error. */
    void (*line)(void *about, const struct ert_launched *of, bool is_error,
                 const char *line);
    /* Whether to wait on for this process, asked some times a second. */
    bool (*waits)(void *about, const struct ert_launched *of);
    /* Its end; 128 + N by a signal N, also ours. */
    void (*ended)(void *about, const struct ert_launched *of, int exit_code);
};

/*
 * Runs all, and returns when all have ended. ERT_USAGE: a process could not be started; those that were are
 * ended before. A process that is not waited for has 2 s to end by itself, and 3 s more after SIGTERM.
 */
enum ert_status ert_launch(const struct ert_launch *launch, const char *const *hosts,
                           size_t n, struct ert_error *error);

#endif
