/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rounds: plans which hosts measure with each other, and in which round. In a round each host is in at most
 * one pair, so that pairs do not disturb each other at their ends; in a ring or a shift a slow host would
 * also slow its neighbours. Pure arithmetic; every process with the same numbers computes the same rounds.
 *
 * The circle method (Kirkman 1847; used by LinkTest of FZ Juelich) over shuffled hosts: for even n, n - 1
 * rounds have each pair once; for odd n, n rounds do, in each of which one host has a bye. Each round is a
 * matching of random hosts, and no two rounds share a pair, so that a fleet of many hosts can measure some of
 * them, in shuffled order, instead of all pairs.
 */
#ifndef ERT_FLEET_ROUNDS_H
#define ERT_FLEET_ROUNDS_H

#include <stdint.h>

/* No host or no partner. */
#define ERT_PAIR_NONE UINT32_MAX

/*
 * Up to ERT_PAIR_ALL hosts measure all pairs: 2000 rounds of milliseconds take seconds. More hosts measure
 * ERT_PAIR_MATCHINGS rounds: the median of 32 peers has an error of 1.25 / sqrt(32) = 0.22 of their scatter.
 */
enum { ERT_PAIR_ALL = 2000, ERT_PAIR_MATCHINGS = 32 };

struct ert_pair_rounds {
    uint32_t n_hosts;
    uint32_t n_rounds;
    uint32_t *hosts;    /* [n_hosts and the bye], shuffled */
    uint32_t *sequence; /* [n_rounds]: the round of the circle for each one */
};

/* The number of rounds with all pairs of n hosts; 0 for fewer than 2. */
uint32_t ert_pair_rounds_all(uint32_t n_hosts);

/* The default number of rounds for n hosts: all pairs, or ERT_PAIR_MATCHINGS. */
uint32_t ert_pair_rounds_default(uint32_t n_hosts);

/* Makes n_rounds rounds, or all if there are fewer. The caller frees them (ert_pair_rounds_free). */
void ert_pair_rounds_make(uint32_t n_hosts, uint32_t n_rounds, uint64_t seed,
                          struct ert_pair_rounds *rounds);

/* partner[n_hosts]: that of each host in the round, ERT_PAIR_NONE for a bye. round < n_rounds. */
void ert_pair_rounds_partners(const struct ert_pair_rounds *rounds, uint32_t round,
                              uint32_t *partner);

/* Accepts {0}. */
void ert_pair_rounds_free(struct ert_pair_rounds *rounds);

/* Two hosts. */
struct ert_pair {
    uint32_t a, b;
};

#endif
