/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * rounds: who measures with whom, and when. In a round each host is in one pair at most, so that no pair of
 * a round disturbs another at its ends: a ring or a shift makes a slow host smear over its neighbours, pairs
 * do not. Pure arithmetic; every process that has the same numbers computes the same rounds.
 *
 * The circle method (Kirkman 1847; LinkTest of FZ Juelich walks through pairs so) over shuffled hosts: with n
 * hosts, n even, n - 1 rounds hold each pair once; with n odd, n rounds, and one host has a bye in each. Any
 * of these rounds is a matching of random hosts, and no two share a pair, so that a part of them in shuffled
 * order is what a fleet of many hosts measures in place of all pairs.
 */
#ifndef ERT_FLEET_ROUNDS_H
#define ERT_FLEET_ROUNDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No host, no partner. */
#define ERT_PAIR_NONE UINT32_MAX

/*
 * All pairs of up to so many hosts: 2000 rounds of some milliseconds are seconds. Above, so many matchings:
 * the median of 32 peers has 1.25 / sqrt(32) = 0.22 of their scatter as its error.
 */
enum { ERT_PAIR_ALL = 2000, ERT_PAIR_MATCHINGS = 32 };

struct ert_pair_rounds {
    uint32_t n_hosts;
    uint32_t n_rounds;
    uint32_t *hosts;    /* [n_hosts and the bye]: in shuffled order */
    uint32_t *sequence; /* [n_rounds]: the circle's round that each one is */
};

/* How many rounds hold all pairs of n hosts; 0 for fewer than 2. */
uint32_t ert_pair_rounds_all(uint32_t n_hosts);

/* How many rounds n hosts measure unless told otherwise: all pairs, or ERT_PAIR_MATCHINGS. */
uint32_t ert_pair_rounds_default(uint32_t n_hosts);

/* Makes n_rounds rounds, or all there are where these are fewer. The caller's (ert_pair_rounds_free). */
void ert_pair_rounds_make(uint32_t n_hosts, uint32_t n_rounds, uint64_t seed,
                          struct ert_pair_rounds *rounds);

/* partner[n_hosts]: each host's in the round, ERT_PAIR_NONE for a bye. round < n_rounds. */
void ert_pair_rounds_partners(const struct ert_pair_rounds *rounds, uint32_t round,
                              uint32_t *partner);

/* Accepts {0}. */
void ert_pair_rounds_free(struct ert_pair_rounds *rounds);

/* Two hosts; b ERT_PAIR_NONE: one host, suspected itself. */
struct ert_pair {
    uint32_t a, b;
};

enum { ERT_PAIR_REPEATS = 3, ERT_PAIR_CONTROLS = 7 };

/*
 * What is measured again with nothing else under way, one pair after the other: a suspected host with three
 * good peers, a suspected link itself three times, and at most seven pairs of good hosts, since a pair alone
 * can be faster than in its round and has to be compared with what others are alone. All come once before
 * any comes again, so that what disturbs a host for a while does not meet all three. Hosts are drawn by the
 * seed; a suspected host has no peer twice, and fewer where there are not so many. good[n_hosts]: whether a
 * host may be a peer; the suspects themselves should not be. pairs[3 * n_suspects + 7]; returns how many.
 */
size_t ert_pair_repeats(const struct ert_pair *suspects, size_t n_suspects,
                        const bool *good, uint32_t n_hosts, uint64_t seed,
                        struct ert_pair *pairs);

#endif
