/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * messages: what the ranks of an MPI program sent, as libroofline-messages counts it
 * (analysis/mpi/README.md): rows of a rank, a call and a size of messages. Or as mpiP reports it
 * (https://github.com/LLNL/mpiP, 3.5): rows of a call site, of all ranks.
 */
#ifndef RFL_MESSAGES_H
#define RFL_MESSAGES_H

#include "analysis/points.h"
#include "ert/base/lines.h"

struct rfl_message_row {
    const char
        *call;   /* "MPI_Send"; "received": what others sent this rank point to point */
    size_t host; /* index in hosts */
    double rank, ranks; /* of mpiP: the number of the call site, and 0 */
    double
        size_bytes; /* messages of this size up to less than twice that; of mpiP their mean */
    double calls, messages;
    double bytes, net_bytes; /* sent; of them to other hosts */
    double time_s;           /* within the calls */
};

/* What mpiP alone says. */
struct rfl_mpip {
    size_t n_ranks;
    const char *command; /* NULL: unknown; a text of calls */
    double time_s;       /* of the slowest rank */
    bool has_sent;       /* whether there are statistics of what was sent */
    double
        *sent_bytes; /* of each host's ranks, a collective's buffer once for each; malloc */
};

struct rfl_messages {
    size_t n, capacity;
    struct rfl_message_row *rows; /* malloc */
    struct ert_strings calls, hosts;
    bool is_mpip; /* a collective's bytes are its buffer, once for each rank */
    struct rfl_mpip mpip;
};

/* Whether a file begins as one of these does. */
bool rfl_messages_recognizes(const char *head);

/*
 * Appends the rows of a file. ERT_USAGE for other columns, cells that are no number, and a report of mpiP
 * without the statistics of its call sites.
 */
enum ert_status rfl_messages_read(const char *file, struct rfl_messages *messages,
                                  struct ert_error *error);

/* What is left of a report of mpiP; no rows where it has no statistics of its call sites. */
enum ert_status rfl_messages_read_mpip(struct ert_lines *lines,
                                       struct rfl_messages *messages,
                                       struct ert_error *error);

/* Writes them as one such file. Not mpiP's, which name no hosts. */
enum ert_status rfl_messages_write(const char *file, const struct rfl_messages *messages,
                                   struct ert_error *error);

/*
 * Sums over all rows, not mpiP's, into a point: bytes of the level NET are those that the ranks of a host
 * sent to other hosts, of the host that sent most, which *host names; missing where all ranks were on one
 * host. Values "mpi_ranks", "mpi_messages", "mpi_sent_bytes", "mpi_received_bytes" (of all ranks) and
 * "mpi_time_s" (the mean of the ranks).
 */
void rfl_messages_sum(const struct rfl_messages *messages, struct rfl_point *point,
                      const char **host);

/* Frees all; all zero is fine. */
void rfl_messages_free(struct rfl_messages *messages);

#endif
