/* SPDX-License-Identifier: BSD-3-Clause */
/* into: stores results between hosts as ceilings in a node's file, list "network". */
#ifndef ERT_NET_INTO_H
#define ERT_NET_INTO_H

#include "ert/core/ceilings/ceilings.h"
#include "ert/ext/fleet/net_record.h"

/* A good result, one of the values of a ceiling. */
struct ert_net_value {
    enum ert_net_test test;
    double size_bytes, value;
    bool is_own; /* of a pair that this host led; others are not about it */
};

/*
 * Stores the values as ceilings of the CPU, from whose memory was sent, replacing earlier ones:
 * "net-latency", "net-one-way" ... A ceiling's rounds are an even selection of its values; its value is their
 * estimate (stats.h). ERT_USAGE: the file has no CPU.
 */
enum ert_status ert_net_into(struct ert_ceilings *ceilings,
                             const struct ert_net_value *values, size_t n,
                             struct ert_error *error);

#endif
