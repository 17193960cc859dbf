/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gather: appends nodes' records to a file as they arrive, so that none is lost however the run ends, and
 * tracks which nodes have not finished, with their time limits. It starts nothing (launch.h) and compares
 * nothing (fleet.h).
 *
 * A node prints "ert-begin HOST SECONDS", its estimated time (0: none), and then its record in parts
 * (parts.h).
 */
#ifndef ERT_FLEET_GATHER_H
#define ERT_FLEET_GATHER_H

#include "ert/fleet/hosts.h"
#include "ert/fleet/parts.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The time limit of a node without an estimate, as with a budget of 0, if the caller sets no deadline. */
enum { ERT_GATHER_UNKNOWN_S = 3600 };

/* The most launches of a node: three tries of the measurement, and of each of ten repetitions. */
enum { ERT_GATHER_LAUNCHES = 3 * 11 };

enum ert_gather_state {
    ERT_GATHER_WAITING, /* no answer yet */
    ERT_GATHER_BEGUN,
    ERT_GATHER_DONE,   /* its record arrived */
    ERT_GATHER_FAILED, /* its record arrived, with the status failed or interrupted */
    ERT_GATHER_GIVEN_UP,
    ERT_GATHER_N_STATES
};

struct ert_gather_host {
    enum ert_gather_state state;
    double begun_s, means_s; /* in terms of ert_clock_now_s(); its estimate */
    double limit_s;          /* time when it is given up; 0: not started */
    char *reason;            /* malloc; why it was given up or not reached; else NULL */
};

struct ert_gather {
    struct ert_hosts hosts;       /* sorted by ert_hosts_compare(); owned */
    struct ert_gather_host *list; /* malloc; of length hosts.n */
    double answer_s;              /* time limit until "ert-begin" */
    double deadline_s; /* from there to the record; 0: twice the estimate + 30 s */
    char file[PATH_MAX];
    int records; /* a file descriptor, if is_open */
    bool is_open;
    FILE *spare; /* gets records that no file takes; owned by the caller */
    struct ert_parts parts;
    struct ert_error not_written; /* ERT_OK: all records were written to `file` */
    char elsewhere[PATH_MAX];     /* the file with the others, "" if none */
    size_t n_foreign;             /* output lines that are not from a node */
    char foreign[160];            /* the first of them */
};

/*
 * Takes ownership of the hosts, reads the file, and opens it for appending: hosts with a record of status
 * "ok" or "not valid" are DONE. *gather must be all zero. ERT_FAILED, ERT_USAGE: the file cannot be read or
 * written.
 */
enum ert_status ert_gather_open(struct ert_gather *gather, struct ert_hosts *hosts,
                                const char *file, struct ert_error *error);

/* Finds a host by name; NULL if it is not in the list. */
struct ert_gather_host *ert_gather_find(struct ert_gather *gather, const char *name);

/* Call when a host is started, also again: its time limit is answer_s from now. */
void ert_gather_start(struct ert_gather *gather, const char *name);

/*
 * Takes a line of a node's output; false if the line is not of our format. If a record cannot be appended, as
 * on a full file system, this and all later ones are written to a new file in $TMPDIR, else to `spare`;
 * not_written has the reason.
 */
bool ert_gather_line(struct ert_gather *gather, const char *line);

/* Gives up a host that has exceeded its time limit. Returns whether it is still waited for. */
bool ert_gather_waits(struct ert_gather *gather, const char *name);

/* Gives up a host; reason is a format. */
void ert_gather_give_up(struct ert_gather_host *host, const char *reason, ...)
    __attribute__((format(printf, 2, 3)));

/* The number of hosts in each state, and of those that have exceeded their estimate. */
struct ert_gather_counts {
    size_t states[ERT_GATHER_N_STATES], n_late;
    double left_s; /* until the last started host should end; 0 unknown */
};
struct ert_gather_counts ert_gather_count(const struct ert_gather *gather);

/*
 * Names of the hosts in some states, 1 << ERT_GATHER_DONE | ...; the gather owns the names, the caller the
 * array (malloc).
 */
const char **ert_gather_names(const struct ert_gather *gather, unsigned states, size_t *n);

/* Closes the file; accepts an all-zero struct. */
void ert_gather_close(struct ert_gather *gather);

#endif
