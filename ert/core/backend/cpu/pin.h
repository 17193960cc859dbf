/* SPDX-License-Identifier: BSD-3-Clause */
/* pin: selects CPUs for threads from the topology and pins threads to them. It starts no threads. */
#ifndef ERT_BACKEND_CPU_PIN_H
#define ERT_BACKEND_CPU_PIN_H

#include "ert/core/base/error.h"

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

/* A CPU mask; all zero: none. As large as any Linux uses, which refuses masks smaller than its own. */
struct ert_pin_mask {
    cpu_set_t sets[(1 << 18) / CPU_SETSIZE];
};

/* The CPU that a thread is to run on. */
struct ert_pin_place {
    uint32_t cpu;     /* the operating system's number */
    uint32_t package; /* 0, 1 ... in the order of the topology */
};

/*
 * Reads the calling thread's affinity mask into *before and writes n CPUs of it to places[]: the first
 * hardware thread of each core in topology order, then the second ones. *by_topology is false if the topology
 * could not be read or is not this machine's (HWLOC_XMLFILE): then in the order of their numbers, all in
 * package 0. ERT_USAGE when the mask has fewer than n CPUs, ERT_FAILED with the system's reason.
 */
enum ert_status ert_pin_plan(uint32_t n, struct ert_pin_mask *before,
                             struct ert_pin_place *places, bool *by_topology,
                             struct ert_error *error);

/* Sets the calling thread's mask; returns 0 or errno, EINVAL for an empty mask. */
int ert_pin_set_mask(const struct ert_pin_mask *mask);

/*
 * Writes to nodes[n], which may be the same array as cpus, the nearest candidate for each CPU; candidates are
 * OS numbers of NUMA nodes. It is the one that is local to the CPU by the topology; if none is, or without
 * topology, the candidates are distributed in blocks.
 */
void ert_pin_near_nodes(const uint32_t *cpus, uint32_t n, const uint32_t *candidates,
                        uint32_t n_candidates, uint32_t *nodes);

/*
 * Before the first thread of OpenMP: only we pin them. clang's runtime would end a process that may not pin.
 */
void ert_pin_alone(void);

/* Pins the calling thread to one CPU; returns 0 or errno. */
int ert_pin_to(uint32_t cpu);

#endif
