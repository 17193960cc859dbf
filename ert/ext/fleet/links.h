/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * links: finds slow or silent hosts, links and switches from measured pairs of hosts. Pure arithmetic.
 *
 * The logarithm of a pair's speed is the typical value of its place (both hosts in one group, or not) plus at
 * most one effect, that of the slowest of its parts: a switch, or one of the hosts. The rest is the link's
 * own. Parts are judged from the largest down, by medians, which a minority of bad pairs does not move:
 * groups by a median polish of the table of groups (Tukey, "Exploratory Data Analysis", 1977, chapter 11),
 * hosts by the median over their peers, links by themselves. A pair that timed out, failed or delivered wrong
 * data counts as the slowest possible, so that a host that answers nobody is found as a slow one is.
 *
 * A limit is the slowdown that a sound part exceeds with the accepted chance, a third of it for each kind
 * of part, divided by the number of tests (Bonferroni), if the values scatter normally: 1.4826 times the
 * median absolute deviation, times Student's quantile for so few values (outliers.h). Heavier tails make
 * suspects, not verdicts: true ones repeat in further runs with other rounds, others do not.
 * results/fleet/links.md has simulated error rates.
 *
 * It cannot tell which of two hosts is slow, or, with faults in half of the hosts or more, which half is
 * sound.
 */
#ifndef ERT_FLEET_LINKS_H
#define ERT_FLEET_LINKS_H

#include "ert/core/base/strings.h"
#include "ert/core/stats/stats.h"
#include "ert/ext/base/lines.h"
#include "ert/ext/fleet/net_record.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * rounds.c: plans which hosts measure with each other, and in which round. In a round each host is in at most
 * one pair, so that pairs do not disturb each other at their ends; in a ring or a shift a slow host would
 * also slow its neighbours. Pure arithmetic; every process with the same numbers computes the same rounds.
 *
 * The circle method (Kirkman 1847; used by LinkTest of FZ Juelich) over shuffled hosts: for even n, n - 1
 * rounds have each pair once; for odd n, n rounds do, in each of which one host has a bye. Each round is a
 * matching of random hosts, and no two rounds share a pair, so that a fleet of many hosts can measure some of
 * them, in shuffled order, instead of all pairs.
 */

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

/* Smaller slowdowns are not worth an administrator's time, even if they are certain. */
#define ERT_LINK_FLOOR 0.02
/*
 * The same if ranks share CPUs, as in a trial on one machine: other programs slow sound pairs to less than
 * half for seconds, so that further runs do not clear them (results/fleet/cluster.md).
 */
#define ERT_LINK_FLOOR_SHARED 0.75

/*
 * The largest difference between sound parts of one kind. If few hosts only give a rough scatter, the limit
 * is at most this, unless the pairs scatter as much.
 */
#define ERT_LINK_SOUND 0.25
/* The expected number of accepted false findings in a fleet's test. */
#define ERT_LINK_FALSE_ALARMS 0.01

/* So many runs must find a host or pair slow, before it is more than a suspect. */
enum { ERT_LINK_RUNS = 3 };

struct ert_link_sample {
    uint32_t a, b; /* hosts, a != b; one way: a sent */
    double value;  /* above 0 if state is OK */
    enum ert_net_state state;
    uint32_t run; /* of the file's runs */
};

/* One test of one message size; a pair has a sample of each run. */
struct ert_link_input {
    const struct ert_link_sample *samples;
    size_t n_samples;
    uint32_t n_hosts;
    const uint32_t *groups; /* [n_hosts]: switches, ERT_PAIR_NONE unknown; NULL: none */
    uint32_t n_groups;
    enum ert_better better;
    double false_alarms; /* above 0: ERT_LINK_FALSE_ALARMS */
    bool shares_cpus;    /* ERT_LINK_FLOOR_SHARED */
};

enum ert_link_kind {
    ERT_LINK_GROUP, /* a: all that crosses a switch or leaves it */
    ERT_LINK_HOST,  /* a: with its peers, even its fastest tenth */
    ERT_LINK_PAIR,  /* a, b: only with each other */
};

struct ert_link_finding {
    enum ert_link_kind kind;
    enum ert_net_state state; /* OK: slow; else how one of its pairs ended */
    uint32_t a, b;            /* hosts or groups; b ERT_PAIR_NONE if there is only one */
    double value, expected;   /* typical of its pairs, and of others; 0: no value */
    double change, limit;     /* of the speed: -0.48 is 48 % slower, -1 silent */
    uint32_t n_pairs, n_low;  /* measured; slower than the limit of a pair */
    uint32_t n_runs;          /* that measured it: a suspect below ERT_LINK_RUNS */
};

struct ert_links {
    struct ert_link_finding *findings; /* malloc; silent, then by kind, the worst first */
    size_t n_findings;
};

/* Judges the samples; the caller frees *links (ert_links_free). */
void ert_links_judge(const struct ert_link_input *input, struct ert_links *links);

/* Names for sentences. */
struct ert_link_names {
    const char *const *hosts;
    const char *const *groups; /* NULL without groups */
    const char *what;          /* "one-way, 1 MiB" */
    const char *unit;          /* of the values, for ert_units_rate() */
};

/* Explains a finding to an administrator in one sentence (malloc, owned by the caller). */
char *ert_link_sentence(const struct ert_link_finding *finding,
                        const struct ert_link_names *names);

/* Accepts {0}. */
void ert_links_free(struct ert_links *links);

/*
 * pairs.c: collects the samples of pairs of hosts from "ert-net/1" lines (net_record.h), by test and message
 * size; and reads the switch of each host. It judges nothing (network.c).
 */

/* Comparable lines: equal in test and size. */
struct ert_pairs_test {
    enum ert_net_test test;
    double size_bytes;
    struct ert_link_sample *samples; /* malloc; in the order of the lines */
    size_t n_samples, room_samples;
};

/* Start with all zero. */
struct ert_pairs {
    struct ert_strings hosts; /* indexed by the hosts' numbers in samples */
    struct ert_pairs_test *tests;
    size_t n_tests, room_tests;
    uint32_t n_runs;
    bool shares_cpus; /* in any run: findings above ERT_LINK_FLOOR_SHARED only */
};

/* The switch of each host. Start with all zero. */
struct ert_switches {
    struct ert_strings names, hosts;
    uint32_t *of; /* malloc; of each host, the index of its switch */
    size_t room_of;
};

/* Runs of several sizes in one file. */
enum { ERT_PAIRS_TESTS = 256 };

/*
 * Adds a line of a pair, and whether a run shares CPUs; ignores other lines. ERT_USAGE, with the line's
 * place: more than ERT_PAIRS_TESTS different tests.
 */
enum ert_status ert_pairs_add(struct ert_pairs *pairs, const struct ert_net_record *record,
                              const char *place, struct ert_error *error);

/*
 * Reads lines SWITCH HOST HOST ...; '#' begins a comment, and several lines of one switch add up. The caller
 * frees *switches (ert_switches_free), also after an error. ERT_USAGE with file and line: a switch without
 * hosts, what is no host's name, a host at two switches, too many.
 */
enum ert_status ert_switches_read(struct ert_lines *lines, struct ert_switches *switches,
                                  struct ert_error *error);

/* The name of a host's switch; NULL: unknown. */
const char *ert_switches_of(const struct ert_switches *switches, const char *host);

void ert_pairs_free(struct ert_pairs *pairs);
void ert_switches_free(struct ert_switches *switches);

#endif
