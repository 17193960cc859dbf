/* SPDX-License-Identifier: BSD-3-Clause */
/* into: what was measured between hosts as ceilings of a node's file, list "network". */
#ifndef ERT_NET_INTO_H
#define ERT_NET_INTO_H

#include "ert/ceilings/ceilings.h"
#include "ert/fleet/net_record.h"

/* A good result that becomes a part of a ceiling. */
struct ert_net_value {
    enum ert_net_test test;
    uint32_t hosts; /* that were measured at once; 2: a pair */
    double size_bytes, value;
};

/*
 * Puts the ceilings that the values make into the device whose memory sent ("cpu", or the first GPU), in the
 * place of those there: "net-latency", "net-one-way" ... "loggp-G". A ceiling's rounds are its values, evenly
 * thinned; its value is their estimate (stats.h). ERT_USAGE: the file has no such device.
 */
enum ert_status ert_net_into(struct ert_ceilings *ceilings, enum ert_net_memory memory,
                             const struct ert_net_value *values, size_t n,
                             struct ert_error *error);

#endif
