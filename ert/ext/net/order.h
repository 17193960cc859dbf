/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * order: tells a rank what to do. Each rank obeys an order from rank 0, reports, and waits for the next; a
 * rank that does not report in time gets no more orders.
 */
#ifndef ERT_NET_ORDER_H
#define ERT_NET_ORDER_H

#include <stdint.h>

enum ert_net_order_kind {
    ERT_NET_ORDER_NONE,
    ERT_NET_ORDER_PAIR,  /* a pair: latency, one way, both ways; then one way back */
    ERT_NET_ORDER_GROUP, /* makes the group of all ranks with this order */
    ERT_NET_ORDER_TEST,  /* the group: one test */
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

#endif
