/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host: what /proc and /sys of the running machine say: what the cgroups of this process (v1, v2,
 * nested) and the kernel leave of CPU time and memory, and the nominal clocks of the cores with what
 * governs them. CPU sets and affinity are the topology's; the clock under load is the backend's.
 * root, everywhere: "", or a folder that holds copies of /proc and /sys (for tests).
 */
#ifndef ERT_MACHINE_HOST_H
#define ERT_MACHINE_HOST_H

#include "ert/machine/features.h"
#include "ert/machine/machine.h"

struct ert_limits {
    double cpus_quota;           /* CPU time per time: the tightest quota; 0 without one */
    uint64_t memory_limit_bytes; /* the tightest memory limit; 0 without one */
    uint64_t memory_available_bytes; /* what may still be allocated; 0 unknown */
};

/*
 * What is not there is 0. installed_bytes: the memory of all NUMA nodes, 0 unknown: some virtual
 * machines add memory to MemTotal only as it is touched, and what is not added yet counts as available.
 */
void ert_limits_read(const char *root, uint64_t installed_bytes, struct ert_limits *limits);

/*
 * Bytes of the memory blocks of a NUMA node that are online (ROOT/sys/devices/system/node); 0 where
 * the kernel has no such blocks.
 */
uint64_t ert_limits_node_blocks(const char *root, uint32_t node);

/*
 * Fills base_hz, boost_hz, their sources, governor and turbo of the running machine. cpu: a PU's
 * number to ask. A clock that nothing names stays as it is.
 */
void ert_clocks_read(const char *root, uint32_t cpu, const struct ert_features *features,
                     struct ert_device *device);

/* The base clock in a model name ("... @ 2.60GHz"), Hz; 0 when it names none. */
double ert_clocks_of_name(const char *name);

#endif
