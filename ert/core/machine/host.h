/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host: what /proc and /sys of the running machine tell: how much CPU time and memory the process's
 * cgroups (v1, v2, nested) and the kernel allow, and the cores' nominal clocks, governor and turbo state.
 * discover reads CPU sets and affinity, the backend the clock under load.
 * root, everywhere: "", or (for tests) a folder that holds copies of /proc and /sys.
 */
#ifndef ERT_MACHINE_HOST_H
#define ERT_MACHINE_HOST_H

#include "ert/core/machine/machine.h"

struct ert_limits {
    double cpus_quota;               /* tightest quota, in CPUs; 0 without one */
    uint64_t memory_limit_bytes;     /* tightest memory limit; 0 without one */
    uint64_t memory_available_bytes; /* can still be allocated; 0 unknown */
};

/*
 * Fills *limits. installed_bytes: the memory of all NUMA nodes, 0 unknown. Some virtual machines add memory
 * to MemTotal only as it is touched; memory that is not added yet counts as available.
 */
void ert_limits_read(const char *root, uint64_t installed_bytes, struct ert_limits *limits);

/* Bytes of a NUMA node's online memory blocks (ROOT/sys/devices/system/node); 0: the kernel lists none. */
uint64_t ert_limits_node_blocks(const char *root, uint32_t node);

/*
 * Fills base_hz, boost_hz, their sources, governor and turbo of the running machine. cpu: the OS index of
 * the PU to read. A clock that no source gives stays as it is.
 */
void ert_clocks_read(const char *root, uint32_t cpu, struct ert_device *device);

/* The base clock in Hz in a model name ("... @ 2.60GHz"); 0 when it has none. */
double ert_clocks_of_name(const char *name);

/* Whether a list, of words between commas or blanks, has the word. */
bool ert_host_has_word(const char *list, const char *word);

#endif
