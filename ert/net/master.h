/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * master: what rank 0 does beyond its own part: rounds of orders, the reports of each round written and
 * flushed before the next begins, and who did not report left out of what follows.
 */
#ifndef ERT_NET_MASTER_H
#define ERT_NET_MASTER_H

#include "ert/net/nccl.h"
#include "ert/net/worker.h"

struct ert_net_plan {
    bool sweep, pairs, group;  /* what is measured */
    struct ert_nccl_plan nccl; /* max_bytes above 0: NCCL, and nothing else */
    uint32_t
        rounds; /* of pairs; 0: all pairs, of many hosts as many rounds as rounds.h says */
    const char *
        again; /* a list of hosts to measure with three good peers each, in place of rounds; NULL */
    double size_bytes; /* of large messages; 0: as the sweep finds */
    double time_s;     /* for each result */
    double deadline_s; /* for each round */
    enum ert_net_memory memory;
    uint64_t seed;
};

/* A result as it is kept for the summary and for ceilings. */
struct ert_net_kept {
    uint32_t a, b; /* hosts; of a group a = b = how many they are */
    uint16_t test;
    uint8_t state;
    bool is_pair, is_repeat, is_sweep;
    uint32_t ranks;
    double size_bytes, value;
};

struct ert_net_outcome {
    struct ert_net_kept *kept; /* malloc, the caller's */
    size_t n, capacity;
    size_t n_bad;      /* results that are not ok */
    size_t n_left_out; /* suspects beyond those that are measured again */
    size_t
        n_undone; /* of those, where calls of MPI are left that will not end: it cannot be finalized */
    char first_bad[384]; /* the first of those, in words */
};

/*
 * Measures and writes "ert-net/1" lines. ERT_USAGE: a host of plan->again is none; ERT_FAILED: `out` cannot
 * be written. The other ranks have had their last order then, unless there are undone ones. With NCCL
 * they call ert_nccl_world_measure() with the same plan in place of ert_net_serve().
 */
enum ert_status ert_net_measure(struct ert_net_world *world,
                                const struct ert_net_plan *plan, FILE *out,
                                struct ert_net_outcome *outcome, struct ert_error *error);

#endif
