/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * simulate: records of a fleet whose faults are known: for planning, for choosing thresholds, and for tests
 * of the merge. Each number follows from seed, node, ceiling and sample alone (random.h): a
 * node can be measured again. It judges nothing.
 *
 * A node's ceiling is a constant of the ceiling times 1 + its own deviation, which stays, of standard
 * deviation `spread`; times 1 + noise, another one each time; in a share of the measurements slower by 3 to
 * 10 % for that once (a dip); and of a bad node slower by `bad_by` in some ceilings.
 */
#ifndef ERT_FLEET_SIMULATE_H
#define ERT_FLEET_SIMULATE_H

#include "ert/fleet/record.h"

#include <stdint.h>

enum ert_simulate_shape {
    ERT_SIMULATE_NORMAL,
    ERT_SIMULATE_T5,    /* Student's with 5 degrees of freedom: heavy on both sides */
    ERT_SIMULATE_SKEWED /* a gamma distribution of shape 2, its long side the slow one */
};

extern const char *const ert_simulate_shapes[]; /* "normal", "t5", "skewed", NULL */

/* Shares of 1, relative deviations. */
struct ert_simulate {
    uint64_t nodes, ceilings, seed;
    enum ert_simulate_shape shape;
    double spread, noise, dips;
    double bad_share, bad_by;
    uint64_t bad_ceilings; /* of a bad node */
    double drift;          /* a bad node loses so much more each day */
    uint64_t day,
        sample; /* when: days behind the first, and which measurement of that day */
};

/* Those of the design: spread 0.005, noise 0.002, dips 0.002, 1 % bad by 5 % in one ceiling of 20. */
extern const struct ert_simulate ert_simulate_defaults;

/* Whether a node is bad: evenly spread ones, bad_share of all. */
bool ert_simulate_is_bad(const struct ert_simulate *simulate, uint64_t node);

/* Whether this ceiling of a bad node is slow. */
bool ert_simulate_is_slow(const struct ert_simulate *simulate, uint64_t node,
                          uint64_t ceiling);

/* "n0042", of as many digits as the fleet's last node needs. */
void ert_simulate_host(const struct ert_simulate *simulate, uint64_t node,
                       char text[ERT_HOST_TEXT]);

/* Fills *record, the caller's (ert_node_free), which may hold an earlier one. */
void ert_simulate_node(const struct ert_simulate *simulate, uint64_t node,
                       struct ert_node_record *record);

/* What a fleet whose suspects are measured `repeats` times more gives, against the truth. */
struct ert_simulate_rates {
    size_t n_bad;                    /* bad nodes that there are */
    size_t n_first;                  /* nodes that were suspects at first sight */
    size_t n_found, n_found_as_tail; /* bad nodes called slow; or at the end of a tail */
    size_t n_wrong, n_wrong_as_tail; /* sound nodes called so */
    size_t n_heavy;                  /* columns whose slow side is called no normal one */
    double limit;                    /* the median limit of the columns */
};

/* Adds to the rates. */
void ert_simulate_run(const struct ert_simulate *simulate, uint64_t repeats,
                      double false_alarms, struct ert_simulate_rates *rates);

#endif
