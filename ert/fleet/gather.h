/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * gather: appends the records of the nodes to a file as they arrive, so that none is lost however the run
 * ends, and knows which nodes are still waited for, and how long. It starts nothing (launch.h) and compares
 * nothing (fleet.h).
 *
 * A node prints "ert-begin HOST SECONDS", its estimate of the time (0: it has none), and then its record in
 * parts (parts.h).
 */
#ifndef ERT_FLEET_GATHER_H
#define ERT_FLEET_GATHER_H

#include "ert/fleet/hosts.h"
#include "ert/fleet/parts.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The limit of a node that has no limit itself, as with a budget of 0, where the caller sets none. */
enum { ERT_GATHER_UNKNOWN_S = 3600 };

enum ert_gather_state {
    ERT_GATHER_WAITING, /* no answer yet */
    ERT_GATHER_BEGUN,
    ERT_GATHER_DONE,   /* its record came */
    ERT_GATHER_FAILED, /* its record came, and says that it failed or was interrupted */
    ERT_GATHER_GIVEN_UP,
    ERT_GATHER_N_STATES
};

struct ert_gather_host {
    enum ert_gather_state state;
    double begun_s, means_s; /* on ert_clock_now_s(), and its estimate */
    double limit_s;          /* it is given up then; 0: not started yet */
    char *reason; /* malloc; of one given up, or why it was not reached; else NULL */
};

struct ert_gather {
    struct ert_hosts hosts;       /* sorted by ert_hosts_compare(); owned */
    struct ert_gather_host *list; /* malloc, of hosts.n */
    double answer_s;              /* limits: until "ert-begin", */
    double deadline_s; /* and from there to the record; 0: twice the estimate and 30 s */
    char file[PATH_MAX];
    int records; /* a descriptor, where is_open */
    bool is_open;
    FILE *spare; /* the caller's: takes records that no file takes */
    struct ert_parts parts;
    struct ert_error not_written; /* ERT_OK: all records could be written */
    char elsewhere[PATH_MAX];     /* where the others are, "" if they could */
    size_t n_foreign;             /* lines of outputs that are no node's */
    char foreign[160];            /* the first of them */
};

/*
 * Takes over the hosts, and opens the file for appending, after it has read what it holds: hosts with a
 * record of "ok" or "not valid" are DONE. All zero before. ERT_FAILED, ERT_USAGE: it cannot be read or
 * written.
 */
enum ert_status ert_gather_open(struct ert_gather *gather, struct ert_hosts *hosts,
                                const char *file, struct ert_error *error);

/* The host of this name among those that are gathered, or NULL. */
struct ert_gather_host *ert_gather_find(struct ert_gather *gather, const char *name);

/* The host is started, or started again: it has answer_s from now on. */
void ert_gather_start(struct ert_gather *gather, const char *name);

/*
 * Takes a line of a node's output; false where it is no line of ours. A record that cannot be appended, as on
 * a full file system, goes with all that follow to a new file in $TMPDIR, else to `spare`; not_written says
 * so.
 */
bool ert_gather_line(struct ert_gather *gather, const char *line);

/* Gives up a host that has not answered in time, or not ended. Whether it is still waited for. */
bool ert_gather_waits(struct ert_gather *gather, const char *name);

/* Gives it up, for a reason, a format. */
void ert_gather_give_up(struct ert_gather_host *host, const char *reason, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * How many hosts are in each state, and how many of those that have begun are past their estimate.
 */
struct ert_gather_counts {
    size_t states[ERT_GATHER_N_STATES], n_late;
    double left_s; /* until the last that has begun should end; 0 unknown */
};
struct ert_gather_counts ert_gather_count(const struct ert_gather *gather);

/*
 * Names of the hosts in one of some states, 1 << ERT_GATHER_DONE | ..., the gather's; the array is malloc,
 * the caller's.
 */
const char **ert_gather_names(const struct ert_gather *gather, unsigned states, size_t *n);

/* Closes the file; all zero is fine. */
void ert_gather_close(struct ert_gather *gather);

#endif
