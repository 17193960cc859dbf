/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * curve: a level's roof over the share of reads. A level moves loads, stores and mixes of them at
 * different rates; each measured pattern is a point of a curve read share -> rate.
 *
 * Between two neighbouring points the time per byte is linear: with w of the bytes moved as in one
 * and 1 - w as in the other, 1/rate = w/rate_1 + (1-w)/rate_2. That is what a code attains that does
 * one after the other, and what the ECM model adds up (Stengel, Treibig, Hager, Wellein, ICS 2015,
 * doi:10.1145/2751205.2751240). Only neighbours are joined: what memory loses by turning between
 * reads and writes stays. Beyond the measured shares the nearest point stands, and that is said.
 *
 * Two measures of bytes: the useful ones, that the code asks for, and those that move, write-allocates
 * included, which counters of memory see (ert/ceilings/traffic.h). In useful bytes a share does not
 * tell a copy from an update in place: their roof is a band. Streaming stores are compared only with
 * code that streams: where the user says so loads and streaming stores alone make the curve, where fewer
 * reads than write-allocates make show it they are one point more.
 */
#ifndef RFL_CURVE_H
#define RFL_CURVE_H

#include "analysis/roofs.h"

/* What is known of the accesses to a level. */
struct rfl_accesses {
    double read_share; /* 0 to 1; NaN unknown */
    bool is_actual;    /* of the bytes that move; else of the useful ones */
    bool is_streaming; /* the code's stores are non-temporal */
};

enum rfl_reach_kind {
    RFL_REACH_NONE, /* the level has no ceiling */
    RFL_REACH_MEASURED, /* a pattern of this share, or the level's only one where nothing is known */
    RFL_REACH_BETWEEN, /* interpolated between two */
    RFL_REACH_BEYOND,  /* outside of what was measured: the nearest point */
    RFL_REACH_BAND     /* the share is unknown: anything from low to bytes_per_s */
};

/* The roof of a level for such accesses. */
struct rfl_reach {
    enum rfl_reach_kind kind;
    double bytes_per_s; /* the most that is attainable; 0 none */
    double low;         /* the least that it can be; the same where one number is known */
    double measured;    /* bytes_per_s before clock and concurrency were taken in */
    /* A pattern that it comes from, the nearest: for clock, warning and joules; NULL none. */
    const struct rfl_bandwidth *roof;
    char name[48]; /* "load", "58 % reads", "store .. triad" */
    char note
        [200]; /* how it was made, one sentence without a full stop; "" nothing to say */
};

struct rfl_reach rfl_curve_reach(const struct rfl_roofs *roofs, const char *level,
                                 const struct rfl_accesses *accesses);

#endif
