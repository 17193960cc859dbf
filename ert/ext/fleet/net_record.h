/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * net_record: measurements between hosts, one JSON object per line, "ert-net/1" (net_record.schema.json): a
 * run, its results in the order of measurement, and its end. A file without an end was cut off, but the lines
 * it has are good. It knows no MPI.
 */
#ifndef ERT_FLEET_NET_RECORD_H
#define ERT_FLEET_NET_RECORD_H

#include "ert/core/base/error.h"
#include "ert/core/base/json.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* The value of "schema" in such a line. */
extern const char ert_net_schema[];

enum { ERT_NET_HOST = 64, ERT_NET_REASON = 160 };

/* COLLECTIVE: of earlier files; nothing of it is read. */
enum ert_net_line { ERT_NET_RUN, ERT_NET_PAIR, ERT_NET_END, ERT_NET_COLLECTIVE };

/* Half a round trip, bytes one way and the sum of both ways. */
enum ert_net_test { ERT_NET_LATENCY, ERT_NET_ONE_WAY, ERT_NET_BOTH_WAYS, ERT_NET_N_TESTS };

/* "latency", "one-way", "both-ways", as in files, then NULL. */
extern const char *const ert_net_test_words[ERT_NET_N_TESTS + 1];

/* "s" or "byte/s"; for "s" lower is better. */
const char *ert_net_test_unit(enum ert_net_test test);

/* TIMEOUT: not done by the deadline. WRONG: other data arrived than were sent. FAILED: an error of MPI. */
enum ert_net_state { ERT_NET_OK, ERT_NET_TIMEOUT, ERT_NET_WRONG, ERT_NET_FAILED };

enum ert_net_status { ERT_NET_COMPLETE, ERT_NET_INTERRUPTED };

/* A line: the members of its kind are set, the others 0. */
struct ert_net_record {
    enum ert_net_line line;
    /* run */
    char created[32], job[64], tool[48], mpi[128];
    char (*hosts)[ERT_NET_HOST]; /* not owned; written, not read */
    uint32_t n_hosts;            /* that took part */
    bool shares_cpus; /* a machine has more ranks than CPUs: rates are not the network's */
    uint64_t seed;
    /* pair */
    char a[ERT_NET_HOST], b[ERT_NET_HOST]; /* one way: a sent to b */
    uint32_t round;                        /* pairs of one round were measured at once */
    enum ert_net_test test;
    double size_bytes;       /* of a message */
    double value, low, high; /* estimate and its 90 % interval; all 0 unless state is OK */
    uint32_t n;              /* number of samples */
    enum ert_net_state state;
    char reason[ERT_NET_REASON]; /* "" if state is OK */
    /* end */
    enum ert_net_status status;
    double elapsed_s;
};

/*
 * Reads a parsed line (ert_json_parse) of this schema. ERT_USAGE for unknown words, a pair of one host with
 * itself, and values of a wrong type or out of range.
 */
enum ert_status ert_net_record_read(struct ert_json at, struct ert_net_record *record,
                                    struct ert_error *error);

/* Writes it as one line; stream errors remain in the stream (ferror). ERT_FAILED without memory. */
enum ert_status ert_net_record_write(FILE *out, const struct ert_net_record *record,
                                     struct ert_error *error);

#endif
