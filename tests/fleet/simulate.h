/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * simulate: makes records of a fleet with known faults: for planning, for choosing thresholds, and for tests
 * of the merge. Each number depends only on seed, node, ceiling and sample (random.h), so that a node can be
 * measured again. It judges nothing.
 *
 * A node's ceiling is a constant of the ceiling times 1 + the node's own deviation, which is constant, with
 * standard deviation `spread`; times 1 + noise, new each time; a share of the measurements is 3 to 10 %
 * slower that one time (a dip); and a bad node is slower by `bad_by` in some ceilings.
 */
#ifndef ERT_TESTS_FLEET_SIMULATE_H
#define ERT_TESTS_FLEET_SIMULATE_H

#include "ert/ext/fleet/record.h"

#include <stdint.h>

enum ert_simulate_shape {
    ERT_SIMULATE_NORMAL,
    ERT_SIMULATE_T5, /* Student's with 5 degrees of freedom: heavy on both sides */
    ERT_SIMULATE_SKEWED /* a gamma distribution of shape 2, with its long tail on the slow side */
};

extern const char *const ert_simulate_shapes[]; /* "normal", "t5", "skewed", NULL */

/* Shares are fractions of 1, deviations relative. */
struct ert_simulate {
    uint64_t nodes, ceilings, seed;
    enum ert_simulate_shape shape;
    double spread, noise, dips;
    double bad_share, bad_by;
    uint64_t bad_ceilings; /* slow ceilings of a bad node */
    double drift;          /* additional slowdown of a bad node per day */
    uint64_t day, sample;  /* days since the first, and measurement of that day */
};

/* The values of the design: spread 0.005, noise 0.002, dips 0.002, 1 % bad by 5 % in one ceiling of 20. */
extern const struct ert_simulate ert_simulate_defaults;

/* Whether a node is bad; bad nodes are evenly distributed, bad_share of all. */
bool ert_simulate_is_bad(const struct ert_simulate *simulate, uint64_t node);

/* Whether this ceiling of a bad node is slow. */
bool ert_simulate_is_slow(const struct ert_simulate *simulate, uint64_t node,
                          uint64_t ceiling);

/* "n0042", with as many digits as the last node needs. */
void ert_simulate_host(const struct ert_simulate *simulate, uint64_t node,
                       char text[ERT_HOST_TEXT]);

/* Fills *record, which may contain an earlier one; the caller frees it (ert_node_free). */
void ert_simulate_node(const struct ert_simulate *simulate, uint64_t node,
                       struct ert_node_record *record);

/* Results of a fleet whose suspects are measured `repeats` times more, compared with the truth. */
struct ert_simulate_rates {
    size_t n_bad;                    /* bad nodes */
    size_t n_first;                  /* suspects after the first measurement */
    size_t n_found, n_found_as_tail; /* bad nodes called slow, or the end of a tail */
    size_t n_wrong, n_wrong_as_tail; /* the same for sound nodes */
    size_t n_heavy;                  /* columns whose slow tail is called not normal */
    double limit;                    /* the median limit of the columns */
};

/* Simulates a fleet and adds to the rates. */
void ert_simulate_run(const struct ert_simulate *simulate, uint64_t repeats,
                      double false_alarms, struct ert_simulate_rates *rates);

#endif
