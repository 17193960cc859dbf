/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * links: which host, link or switch is slow or silent, from what pairs of hosts reached. Pure arithmetic.
 *
 * In logarithms of the speed a pair is what its place makes it (both hosts in one group, or not) and, at
 * most once, what the slowest of its parts takes away: a switch, the path between two, one of the hosts.
 * What is left is the link's own. Parts are found from the top down, each by medians that a minority of
 * bad pairs does not move: groups by a median polish of the table of groups (Tukey, "Exploratory Data
 * Analysis", 1977, chapter 11), hosts by the median over their peers, links by themselves. A pair that
 * timed out, failed or brought wrong data is as slow as can be: a host that answers nobody is found as a
 * slow one is.
 *
 * A limit is the slowdown that a sound part exceeds with the accepted chance, a quarter for each kind of
 * part, divided by how many are tested (Bonferroni), if what is measured scatters normally about it:
 * 1.4826 times the median absolute deviation, times Student's quantile for so few (outliers.h). Tails
 * heavier than that make suspects, not verdicts: these come again when they are measured again alone
 * (rounds.h), the others do not. results/fleet/links.md has simulated rates.
 *
 * What it cannot tell: of two hosts, which is slow; of faults in half of the hosts or more, which half is
 * sound.
 */
#ifndef ERT_FLEET_LINKS_H
#define ERT_FLEET_LINKS_H

#include "ert/base/error.h"
#include "ert/fleet/net_record.h"
#include "ert/fleet/rounds.h"
#include "ert/stats/stats.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Smaller slowdowns are not worth an administrator's time, however certain. */
#define ERT_LINK_FLOOR 0.02
/*
 * The same where ranks share CPUs, as in a trial on one machine: what else runs there takes more than half
 * from sound pairs, for seconds, so that measuring again does not clear them (results/fleet/cluster.md).
 */
#define ERT_LINK_FLOOR_SHARED 0.75

/* False: where ranks share CPUs, one latency in a hundred is how long a rank waits for its CPU. */
bool ert_links_judges(enum ert_net_test test, bool shares_cpus);
/*
 * What sound parts of one kind differ by at most. Where few hosts give only a rough scatter, the limit
 * is at most this, unless the pairs scatter as much.
 */
#define ERT_LINK_SOUND 0.25
/* False findings accepted in one test of a fleet, expected, before anything is measured again. */
#define ERT_LINK_FALSE_ALARMS 0.01

struct ert_link_sample {
    uint32_t a, b; /* hosts, a != b; of bytes one way a sent */
    double value;  /* above 0 where state is OK */
    enum ert_net_state state;
    bool repeat; /* measured again, alone */
};

/* One test of one message size. */
struct ert_link_input {
    const struct ert_link_sample *samples;
    size_t n_samples;
    uint32_t n_hosts;
    const uint32_t
        *groups; /* [n_hosts]: each host's switch, ERT_PAIR_NONE unknown; NULL: no groups */
    uint32_t n_groups;
    enum ert_better better;
    double false_alarms; /* above 0: ERT_LINK_FALSE_ALARMS */
    bool shares_cpus;    /* ERT_LINK_FLOOR_SHARED */
};

enum ert_link_kind {
    ERT_LINK_GROUP,  /* a: all that leaves or crosses a switch */
    ERT_LINK_GROUPS, /* a, b: what runs between two switches */
    ERT_LINK_HOST,   /* a: with its peers; its fastest tenth is low, too */
    ERT_LINK_PATHS,  /* a: with more of its peers than chance gives it, not with all */
    ERT_LINK_PAIR, /* a, b: these two alone; both are good with others, where they have any */
    ERT_LINK_N_KINDS
};

/* What measuring again said. */
enum ert_link_again { ERT_LINK_ONCE, ERT_LINK_CONFIRMED, ERT_LINK_REFUTED };

struct ert_link_finding {
    enum ert_link_kind kind;
    enum ert_net_state state; /* OK: slow; else what a pair of it ended with */
    uint32_t a, b;            /* hosts or groups; b ERT_PAIR_NONE where there is one */
    double value, expected;   /* typical of its pairs, and of others; 0: no value */
    double change, limit;     /* of the speed: -0.48 is 48 % slower, -1 silent */
    uint32_t n_pairs, n_low;  /* measured in rounds; beyond the limit of a pair */
    uint32_t n_again; /* pairs of it that were measured again, their median change */
    double change_again;
    enum ert_link_again again;
};

struct ert_links {
    struct ert_link_finding
        *findings; /* malloc; silent ones, then by kind, then worst first */
    size_t n_findings;
    double
        typical[2]; /* of pairs between groups (all, without groups) and within; 0 none */
    double pair_limit; /* change; a pair below it is a finding */
};

/* Judges; *links is the caller's (ert_links_free). */
void ert_links_judge(const struct ert_link_input *input, struct ert_links *links);

/*
 * What should be measured again: the hosts and pairs found, worst first, at most `most` of them, into
 * suspects[most]; good[n_hosts]: whether a host is not itself found. Returns how many; *left_out: how
 * many more there are. ert_pair_repeats() makes the pairs.
 */
size_t ert_links_suspects(const struct ert_links *links, uint32_t n_hosts, size_t most,
                          struct ert_pair *suspects, bool *good, size_t *left_out);

/* What a sentence calls things by. */
struct ert_link_names {
    const char *const *hosts;
    const char *const *groups; /* NULL without groups */
    const char *what;          /* "one-way, 1 MiB" */
    const char *unit;          /* of the values, as ert_units_rate() takes it */
};

/* Why a finding is one, in one sentence for an administrator; malloc, the caller's. */
char *ert_link_sentence(const struct ert_link_finding *finding,
                        const struct ert_link_names *names);

/* Accepts {0}. */
void ert_links_free(struct ert_links *links);

#endif
