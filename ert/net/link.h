/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * link: what two ranks measure of what is between them. One leads: it times, and says by a step what comes
 * next; the other follows until it is told that there is no more. So a slow link ends in time with a low
 * rate, and a dead one at the deadline, on both sides.
 */
#ifndef ERT_NET_LINK_H
#define ERT_NET_LINK_H

#include "ert/fleet/net_record.h"
#include "ert/net/memory.h"

#include <mpi.h>

enum {
    ERT_NET_WINDOW = 64, /* messages under way, as the OSU benchmarks have it */
    ERT_NET_SMALL = 8,   /* bytes of a message whose latency and rate count */
    ERT_NET_BUFFER =
        1 << 20, /* bytes that messages go round in: data of a window differ up to here */
    ERT_NET_MAX_SIZE = 4 << 20, /* of a message */
    ERT_NET_MAX_RESULTS = 48    /* of one leader in one round */
};

/* A measured value, as a rank sends it. */
struct ert_net_result {
    uint32_t test, messages, n, state;
    double size_bytes, value, low, high;
};

struct ert_net_report {
    uint32_t number, n;          /* the order's; results */
    char reason[ERT_NET_REASON]; /* of those that are not ok */
    struct ert_net_result results[ERT_NET_MAX_RESULTS];
};

struct ert_net_link {
    MPI_Comm comm;
    int peer, tag;     /* tag and tag + 1 are this round's alone */
    double deadline_s; /* by ert_clock_now_s() */
    double time_s;     /* for each result */
    uint64_t seed;     /* of the data; the same on both sides */
    struct ert_net_buffer *out, *in;
    uint32_t n_steps;
    bool is_dead; /* nothing more can be measured: a timeout, or MPI failed */
    struct ert_net_report *report; /* what is measured is added here */
};

/* The leader measures and adds results, or one that says why not; nothing where the link is dead. */
void ert_net_lead_latency(struct ert_net_link *link);
/* messages 0: as many as ERT_NET_WINDOW, and fewer where they take longer than time_s. */
void ert_net_lead_rate(struct ert_net_link *link, enum ert_net_test test, double size_bytes,
                       uint32_t messages);
/* Windows of many sizes and numbers of messages: the message roofline, and LogGP of it. */
void ert_net_lead_sweep(struct ert_net_link *link);
/* Ends the follower's part. */
void ert_net_lead_end(struct ert_net_link *link);

/* The follower's part of all of these; adds no result. */
void ert_net_follow(struct ert_net_link *link);

/* Adds a result made of n samples, each in the unit of the test. */
void ert_net_add_samples(struct ert_net_report *report, enum ert_net_test test,
                         double size_bytes, const double *samples, size_t n);

#endif
