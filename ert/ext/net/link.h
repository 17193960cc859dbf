/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * link: measures the link between two ranks. One leads: it times, and announces each step; the other follows
 * until it is told to end. So a slow link ends in time with a low rate, and a dead one at the deadline, on
 * both sides.
 */
#ifndef ERT_NET_LINK_H
#define ERT_NET_LINK_H

#include "ert/ext/fleet/net_record.h"

#include <mpi.h>

enum {
    ERT_NET_WINDOW = 64, /* messages in flight, as in the OSU benchmarks */
    ERT_NET_SMALL = 8,   /* bytes of messages for latency */
    ERT_NET_BUFFER =
        1 << 20, /* bytes, used in turn: data of a window are distinct up to this size */
    ERT_NET_MAX_SIZE = 4 << 20, /* of a message, and of a buffer */
    ERT_NET_MAX_RESULTS = 4     /* of one leader in one round */
};

/* A measured value, as sent by a rank. */
struct ert_net_result {
    uint32_t test, n, state;
    double size_bytes, value, low, high;
};

struct ert_net_report {
    uint32_t number, n;          /* of the order; of results */
    char reason[ERT_NET_REASON]; /* for results that are not ok */
    struct ert_net_result results[ERT_NET_MAX_RESULTS];
};

struct ert_net_link {
    MPI_Comm comm;
    int peer, tag;      /* tag and tag + 1 are used only in this round */
    double deadline_s;  /* in terms of ert_clock_now_s() */
    double time_s;      /* for each result */
    uint64_t seed;      /* of the data; equal on both sides */
    uint64_t *out, *in; /* ERT_NET_MAX_SIZE bytes each */
    uint32_t n_steps;
    bool is_dead; /* after a timeout or an MPI error nothing more can be measured */
    struct ert_net_report *report; /* results are added here */
};

/* The leader measures and adds results, or one with the reason for a failure; nothing if the link is dead. */
void ert_net_lead_latency(struct ert_net_link *link);
/* Windows of ERT_NET_WINDOW messages one way or both ways, or of fewer if these take longer than time_s. */
void ert_net_lead_rate(struct ert_net_link *link, enum ert_net_test test,
                       double size_bytes);
/* Ends the follower's part. */
void ert_net_lead_end(struct ert_net_link *link);

/* The follower's part of all these; adds no result. */
void ert_net_follow(struct ert_net_link *link);

#endif
