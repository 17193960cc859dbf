/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pairs: collects the samples of pairs of hosts from "ert-net/1" lines (net_record.h), by test and message
 * size, and judges them with links.h.
 */
#ifndef ERT_FLEET_PAIRS_H
#define ERT_FLEET_PAIRS_H

#include "ert/core/base/strings.h"
#include "ert/core/base/units.h"
#include "ert/ext/fleet/links.h"
#include "ert/ext/fleet/net_record.h"
#include "ert/ext/fleet/topology.h"

/* Comparable lines: equal in test and size. */
struct ert_pairs_test {
    enum ert_net_test test;
    double size_bytes;
    struct ert_link_sample *samples; /* malloc; in the order of the lines */
    size_t n_samples, room_samples;
    struct ert_links links; /* after ert_pairs_judge() */
};

/* Start with all zero. */
struct ert_pairs {
    struct ert_strings hosts; /* indexed by the hosts' numbers in samples */
    struct ert_pairs_test *tests;
    size_t n_tests, room_tests;
    struct ert_topology topology;
    bool shares_cpus; /* in any run: only large slowdowns are findings (links.h) */
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
 * Judges each test; false_alarms are divided among all tests. topology: read by topology.h, with its errors;
 * NULL: none.
 */
enum ert_status ert_pairs_judge(struct ert_pairs *pairs, struct ert_lines *topology,
                                double false_alarms, struct ert_error *error);

/* "one-way, 1 MiB". */
struct ert_pair_text ert_pairs_name(const struct ert_pairs_test *test);

void ert_pairs_free(struct ert_pairs *pairs);

#endif
