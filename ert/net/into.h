/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * into: what was measured between hosts as ceilings of a node's file, list "network", and by NCCL between its
 * GPUs, list "collectives".
 */
#ifndef ERT_NET_INTO_H
#define ERT_NET_INTO_H

#include "ert/ceilings/ceilings.h"
#include "ert/fleet/net_record.h"
#include "ert/net/nccl.h"

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

/*
 * Puts NCCL's results into the GPU that is the first of each, or that sends, in the place of those there:
 * "all-reduce-4gpus-1GiB", "send-recv-to-gpu1-1GiB"; a ceiling's rounds are the samples. What was not
 * measured gets a row with its reason. ERT_USAGE: one of the host's n_gpus, which took part, is not in the
 * file, by its PCI address; `ceilings` is as before then.
 */
enum ert_status ert_nccl_into(struct ert_ceilings *ceilings,
                              const struct ert_nccl_host *host,
                              const struct ert_nccl_result *results, size_t n,
                              struct ert_error *error);

#endif
