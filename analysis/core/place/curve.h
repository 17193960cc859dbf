/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * curve: a level's roof as a function of the share of reads. A level moves loads, stores and mixes of them
 * at different rates; each measured pattern is a point of a curve read share -> rate.
 *
 * Between two neighbouring points the time per byte is linear: if a share w of the bytes moves as in one and
 * 1 - w as in the other, 1/rate = w/rate_1 + (1-w)/rate_2. A code attains this by doing one after the other,
 * and the ECM model adds up times in the same way (Stengel, Treibig, Hager, Wellein, ICS 2015,
 * doi:10.1145/2751205.2751240). Only neighbours are joined, so that the loss of memory in turning between
 * reads and writes remains. Outside the measured shares the nearest point is used, with a note.
 *
 * Bytes have two measures: useful ones, which the code requests, and those that move, including
 * write-allocates, which memory counters see (ert/core/ceilings/traffic.h). In useful bytes a share does not
 * distinguish a copy from an update in place: their roof is a band. Streaming stores are compared only with
 * code that streams: if the user says so, loads and streaming stores alone make the curve; if there are fewer
 * reads than write-allocates would cause, they are an additional point.
 */
#ifndef RFL_CURVE_H
#define RFL_CURVE_H

#include "analysis/core/place/roofs.h"

/* What is known about the accesses to a level. */
struct rfl_accesses {
    double read_share; /* 0 to 1; NaN unknown */
    bool is_actual;    /* share of the bytes that move; else of the useful ones */
    bool is_streaming; /* the code's stores are non-temporal */
};

/* The roof of a level for such accesses. */
struct rfl_reach {
    double bytes_per_s; /* the most that is attainable; 0: the level has no ceiling */
    double low; /* the least that the roof can be; the same where the share decides it */
    double measured; /* bytes_per_s before adjustment for clock and concurrency */
    /* The nearest pattern that it is derived from: for clock, warning and joules; NULL none. */
    const struct rfl_bandwidth *roof;
    char name[48];  /* "load", "58 % reads", "store .. triad" */
    char note[200]; /* how it was derived, without full stop; "" nothing to say */
};

struct rfl_reach rfl_curve_reach(const struct rfl_roofs *roofs, const char *level,
                                 const struct rfl_accesses *accesses);

#endif
