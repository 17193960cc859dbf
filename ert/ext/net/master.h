/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * master: rank 0's part besides measuring: it gives orders in rounds, writes and flushes the reports of each
 * round before the next begins, and leaves out ranks that did not report.
 */
#ifndef ERT_NET_MASTER_H
#define ERT_NET_MASTER_H

#include "ert/ext/net/link.h"

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
    size_t n_bad; /* results that are not ok */
    size_t
        n_undone; /* bad results that leave unfinished MPI calls: MPI_Finalize() would hang */
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
