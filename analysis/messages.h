/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * messages: what the ranks of an MPI program sent, as counted by libroofline-messages
 * (analysis/mpi/README.md), one row per rank, call and message size; or as reported by mpiP
 * (https://github.com/LLNL/mpiP, 3.5), one row per call site, for all ranks.
 */
#ifndef RFL_MESSAGES_H
#define RFL_MESSAGES_H

#include "analysis/points.h"
#include "ert/base/lines.h"

struct rfl_message_row {
    const char
        *call;   /* "MPI_Send"; "received": what others sent this rank point to point */
    size_t host; /* index in hosts */
    double rank, ranks; /* mpiP: the number of the call site, and 0 */
    double
        size_bytes; /* messages of this size up to less than twice it; mpiP: their mean */
    double calls, messages;
    double bytes, net_bytes; /* sent; part of them to other hosts */
    double time_s;           /* within the calls */
};

/* What mpiP alone says, of the last of its reports that was read. */
struct rfl_mpip {
    size_t n_ranks;
    const char *command; /* NULL: unknown; owned by rfl_messages.calls */
    double time_s;       /* of the slowest rank */
    bool has_sent;       /* has statistics of what was sent */
    double
        *sent_bytes; /* per host: by its ranks, a collective's buffer once each; malloc */
};

struct rfl_messages {
    size_t n, capacity;
    struct rfl_message_row *rows; /* malloc */
    struct ert_strings calls, hosts;
    bool is_mpip; /* then a collective's bytes are its buffer, once for each rank */
    struct rfl_mpip mpip;
};

/* Whether a text begins like such a file. */
bool rfl_messages_recognizes(const char *head);

/*
 * Appends the rows of a file. ERT_USAGE for other columns, cells that are not numbers, and mpiP reports
 * without call-site statistics.
 */
enum ert_status rfl_messages_read(const char *file, struct rfl_messages *messages,
                                  struct ert_error *error);

/* Reads the rest of an mpiP report; adds no rows if it has no call-site statistics. */
enum ert_status rfl_messages_read_mpip(struct ert_lines *lines,
                                       struct rfl_messages *messages,
                                       struct ert_error *error);

/* Writes the rows to one such file. Not for mpiP's rows, which name no hosts. */
enum ert_status rfl_messages_write(const char *file, const struct rfl_messages *messages,
                                   struct ert_error *error);

/*
 * Sums all rows (not mpiP's) into a point. The bytes of level NET are those that the ranks of the host that
 * sent most sent to other hosts; *host names it; they are missing if all ranks were on one host. Values:
 * "mpi_ranks", "mpi_messages", "mpi_sent_bytes", "mpi_received_bytes" (of all ranks) and "mpi_time_s" (mean
 * over the ranks).
 */
void rfl_messages_sum(const struct rfl_messages *messages, struct rfl_point *point,
                      const char **host);

/* Frees all; accepts an all-zero struct. */
void rfl_messages_free(struct rfl_messages *messages);

#endif
