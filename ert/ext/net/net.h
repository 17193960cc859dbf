/* SPDX-License-Identifier: BSD-3-Clause */
/* net: the parts of ert-net, from waiting for MPI to rank 0's rounds. */
#ifndef ERT_NET_NET_H
#define ERT_NET_NET_H

#include "ert/core/base/error.h"
#include "ert/ext/fleet/net_record.h"

#include <mpi.h>
#include <stdbool.h>

/*
 * wait.c: waits for MPI, but not longer than a deadline. Requests not done by then are abandoned with their
 * buffers: MPI cannot reliably cancel a message.
 */

/*
 * Polls until all n requests are done, and yields the core during long waits. ERT_NET_TIMEOUT at deadline_s
 * of ert_clock_now_s(); ERT_NET_FAILED with MPI's text in reason.
 */
enum ert_net_state ert_net_wait(int n, MPI_Request *requests, double deadline_s,
                                char reason[ERT_NET_REASON]);

/* The same without a deadline, for the next order: sleeps between polls after a millisecond. */
enum ert_net_state ert_net_wait_idle(MPI_Request *request, char reason[ERT_NET_REASON]);

/*
 * For ranks that share cores: all later waits sleep between polls, so that the awaited rank can run. This
 * lengthens times, which are no measure of a network then anyway.
 */
void ert_net_wait_shared(void);

/* ERT_NET_OK, or ERT_NET_FAILED with MPI's text in reason. */
enum ert_net_state ert_net_check(int code, char reason[ERT_NET_REASON]);

/*
 * Sets a guard: after time_s seconds the process writes `last` (whole lines, kept by the caller) to the
 * descriptor, prints to stderr that MPI did not return, and ends with exit code 1, even inside an MPI call. 0
 * removes the guard.
 */
void ert_net_guard(double time_s, int descriptor, const char *last);

/* world.c: the ranks of the job and their hosts. */

enum { ERT_NET_MAX_SIZE = 4 << 20 }; /* bytes of a message, and of a buffer */

struct ert_net_world {
    MPI_Comm control, data;
    int rank, n_ranks;
    uint32_t n_hosts;
    char (*hosts)[ERT_NET_HOST]; /* in the order of their first ranks */
    int *ranks;                  /* of each host the first; other ranks measure nothing */
    bool is_shared;              /* a machine has more ranks than CPUs */
    uint64_t *out, *in;          /* ERT_NET_MAX_SIZE bytes each, until the process ends */
};

/*
 * Gathers the hosts, named by SLURMD_NODENAME, else by gethostname() up to its first dot, and makes the
 * buffers. by_rank: each rank represents a host, "n1", "n2" ..., for tests on one machine. If ranks share
 * CPUs, waits yield them. All ranks call it. ERT_USAGE, on all: fewer than two hosts.
 */
enum ert_status ert_net_world_make(bool by_rank, struct ert_net_world *world,
                                   struct ert_error *error);

/*
 * link.c: what a rank does: it obeys an order from rank 0 to measure its link to another rank, reports, and
 * waits for the next; a rank that does not report in time gets no more orders. Of the two one leads: it
 * times, and announces each step; the other follows until it is told to end. So a slow link ends in time with
 * a low rate, and a dead one at the deadline, on both sides.
 */

enum { ERT_NET_MAX_RESULTS = 4 }; /* of one leader in one round */

/* A measured value, as sent by a rank. */
struct ert_net_result {
    uint32_t test, n, state;
    double size_bytes, value, low, high;
};

struct ert_net_report {
    uint32_t n;                  /* of results */
    char reason[ERT_NET_REASON]; /* for results that are not ok */
    struct ert_net_result results[ERT_NET_MAX_RESULTS];
};

enum ert_net_order_kind {
    ERT_NET_ORDER_NONE,
    ERT_NET_ORDER_PAIR, /* a pair: latency, one way, both ways; then one way back */
    ERT_NET_ORDER_END
};

struct ert_net_order {
    uint32_t number, kind;
    int32_t peer;                          /* the other rank */
    uint32_t leads;                        /* 1 leads first */
    double size_bytes, time_s, deadline_s; /* the deadline counts from the begin */
    uint64_t seed;
};

/* Tags of the control communicator. */
enum { ERT_NET_TAG_ORDER = 1, ERT_NET_TAG_REPORT };

/* Seconds that a rank may need after its deadline to notice it and to report. */
#define ERT_NET_GRACE 5.0

/* Measures a pair and fills the report. The guard must be set, for an MPI whose calls do not return. */
void ert_net_obey(struct ert_net_world *world, const struct ert_net_order *order,
                  struct ert_net_report *report);

/* Obeys until the last order, on ranks other than 0. */
void ert_net_serve(struct ert_net_world *world);

/*
 * master.c: rank 0's part besides measuring: it gives orders in rounds, writes and flushes the reports of
 * each round before the next begins, and leaves out ranks that did not report.
 */

/* A good result, one of the values of a ceiling. */
struct ert_net_value {
    enum ert_net_test test;
    double size_bytes, value;
    bool is_own; /* of a pair that this host led; others are not about it */
};

struct ert_net_plan {
    uint64_t size_bytes; /* of large messages */
    double time_s;       /* for each result */
    double deadline_s;   /* for each round */
    uint64_t seed;
};

struct ert_net_outcome {
    struct ert_net_value *values; /* malloc, owned by the caller; what was not wrong */
    size_t n, capacity;
    size_t n_bad;        /* results that are not ok */
    size_t n_undone;     /* of these, with unfinished calls: MPI_Finalize() would hang */
    char first_bad[384]; /* description of the first bad one */
};

/*
 * Measures and writes "ert-net/1" lines. ERT_FAILED: `out` cannot be written. On return the other ranks
 * have their last order, unless n_undone is above 0.
 */
enum ert_status ert_net_measure(struct ert_net_world *world,
                                const struct ert_net_plan *plan, FILE *out,
                                struct ert_net_outcome *outcome, struct ert_error *error);

#endif
