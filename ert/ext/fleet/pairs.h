/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pairs: collects the samples of pairs of hosts from "ert-net/1" lines (net_record.h), by test and message
 * size; and reads the switch of each host. It judges nothing (network.c).
 */
#ifndef ERT_FLEET_PAIRS_H
#define ERT_FLEET_PAIRS_H

#include "ert/core/base/strings.h"
#include "ert/ext/base/lines.h"
#include "ert/ext/fleet/links.h"
#include "ert/ext/fleet/net_record.h"

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
    bool shares_cpus; /* in any run: only large slowdowns are findings (links.h) */
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
