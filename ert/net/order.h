/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * order: what rank 0 has each rank do, one order after the other. A rank does it, reports, and waits for the
 * next; who does not report in time gets no more orders.
 */
#ifndef ERT_NET_ORDER_H
#define ERT_NET_ORDER_H

#include <stdint.h>

enum ert_net_order_kind {
    ERT_NET_ORDER_NONE,
    ERT_NET_ORDER_SWEEP, /* a pair: sizes x messages, one way */
    ERT_NET_ORDER_PAIR, /* a pair: latency, one way, both ways; then back with the roles changed */
    ERT_NET_ORDER_RATE,  /* a pair: message rate */
    ERT_NET_ORDER_GROUP, /* make the group of those with such an order */
    ERT_NET_ORDER_TEST,  /* the group: one test */
    ERT_NET_ORDER_END
};

struct ert_net_order {
    uint32_t number, kind, test;
    int32_t peer;                          /* of a pair: the other's rank */
    uint32_t leads;                        /* of a pair: 1 leads first */
    double size_bytes, time_s, deadline_s; /* the deadline from when it begins */
    uint64_t seed;
};

/* Tags of the control communicator. */
enum { ERT_NET_TAG_ORDER = 1, ERT_NET_TAG_MEMBERS, ERT_NET_TAG_REPORT };

/* Seconds that a rank may need beyond its deadline, to notice and to report. */
#define ERT_NET_GRACE 5.0

#endif
