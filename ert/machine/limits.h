/*
 * limits: what the cgroups of this process (v1, v2, nested) and the kernel leave of CPU time and
 * memory. CPU sets and affinity are the topology's. Private to the machine room.
 */
#ifndef ERT_MACHINE_LIMITS_H
#define ERT_MACHINE_LIMITS_H

#include <stdint.h>

struct ert_limits {
    double cpus_quota;           /* CPU time per time: the tightest quota; 0 without one */
    uint64_t memory_limit_bytes; /* the tightest memory limit; 0 without one */
    uint64_t memory_available_bytes; /* what may still be allocated; 0 unknown */
};

/*
 * root: "", or a folder that holds copies of /proc and /sys (for tests). What is not there is 0.
 * installed_bytes: the memory of all NUMA nodes, 0 unknown: some virtual machines add memory to
 * MemTotal only as it is touched, and what is not added yet counts as available.
 */
void ert_limits_read(const char *root, uint64_t installed_bytes, struct ert_limits *limits);

/*
 * Bytes of the memory blocks of a NUMA node that are online (ROOT/sys/devices/system/node); 0 where
 * the kernel has no such blocks.
 */
uint64_t ert_limits_node_blocks(const char *root, uint32_t node);

#endif
