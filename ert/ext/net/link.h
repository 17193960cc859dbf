/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * link: what a rank does: it obeys an order from rank 0 to measure its link to another rank, reports, and
 * waits for the next; a rank that does not report in time gets no more orders. Of the two one leads: it
 * times, and announces each step; the other follows until it is told to end. So a slow link ends in time with
 * a low rate, and a dead one at the deadline, on both sides.
 */
#ifndef ERT_NET_LINK_H
#define ERT_NET_LINK_H

#include "ert/ext/net/world.h"

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

#endif
