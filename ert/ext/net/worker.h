/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * worker: what a rank does: it obeys an order from rank 0, reports, and waits for the next; a rank that does
 * not report in time gets no more orders. A pair measures its link (link.h). Of a group all ranks do the same
 * between barriers, and the time of the slowest is everyone's; MPI's collectives cannot be given up at a
 * deadline: then the guard ends the program (wait.h).
 */
#ifndef ERT_NET_WORKER_H
#define ERT_NET_WORKER_H

#include "ert/ext/net/link.h"
#include "ert/ext/net/world.h"

enum ert_net_order_kind {
    ERT_NET_ORDER_NONE,
    ERT_NET_ORDER_PAIR, /* a pair: latency, one way, both ways; then one way back */
    ERT_NET_ORDER_TEST, /* one test among all ranks with this order */
    ERT_NET_ORDER_END
};

struct ert_net_order {
    uint32_t number, kind, test;
    int32_t peer;                          /* for a pair: the other rank */
    uint32_t leads;                        /* for a pair: 1 leads first */
    double size_bytes, time_s, deadline_s; /* the deadline counts from the begin */
    uint64_t seed;
};

/* Tags of the control communicator. */
enum { ERT_NET_TAG_ORDER = 1, ERT_NET_TAG_MEMBERS, ERT_NET_TAG_REPORT };

/* Seconds that a rank may need after its deadline to notice it and to report. */
#define ERT_NET_GRACE 5.0

/*
 * Obeys an order and fills the report. members[n_members]: the ranks of the group, for ERT_NET_ORDER_TEST.
 * The guard must be set, since some MPI calls cannot be given up.
 */
void ert_net_obey(struct ert_net_world *world, const struct ert_net_order *order,
                  const int *members, int n_members, struct ert_net_report *report);

/* Obeys until the last order, on ranks other than 0. */
void ert_net_serve(struct ert_net_world *world);

/*
 * Bytes of a message of a test among n hosts if rates use messages of size_bytes: in all-to-all what a host
 * sends to each other host, in all-reduce what a host contributes.
 */
double ert_net_group_size(enum ert_net_test test, uint32_t n, double size_bytes);

#endif
