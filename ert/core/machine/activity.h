/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * activity: who used our CPUs' time between two moments: this process, other work, or other guests of the
 * host (steal). From differences of /proc/stat and getrusage(2); it judges nothing.
 */
#ifndef ERT_MACHINE_ACTIVITY_H
#define ERT_MACHINE_ACTIVITY_H

#include <stdint.h>

enum { ERT_ACTIVITY_MAX_CPUS = 8192 };

/* A bit mask of CPUs, by the operating system's numbers. */
struct ert_activity_cpus {
    uint64_t bits[ERT_ACTIVITY_MAX_CPUS / 64];
};

/* Counters of those CPUs at one moment, in s since a fixed point in the past. */
struct ert_activity_snapshot {
    double clock_s, own_s;  /* own_s: CPU time of this process, all its threads */
    double busy_s, steal_s; /* used by all processes; taken by other guests of the host */
    uint32_t n_cpus;        /* 0: the kernel does not say */
};

/* Shares of the CPUs' time between two moments, 0 to 1; 0 where unknown. */
struct ert_activity {
    double elapsed_s;
    uint32_t n_cpus; /* CPUs that the process may use; 0: unknown, as are the shares */
    double own, foreign, steal;
    char other_runs[96]; /* of ert on the same device (presence.h); "": none seen */
};

/* The CPUs that the calling thread may use. Before threads are pinned: a pinned one may use only one. */
void ert_activity_usable(struct ert_activity_cpus *cpus);

/* Takes a snapshot. root: "", or (for tests) a folder that holds a copy of /proc/stat. */
void ert_activity_look(const char *root, const struct ert_activity_cpus *cpus,
                       struct ert_activity_snapshot *snapshot);

/*
 * The activity between two snapshots of the same CPUs. Unknown where their numbers of CPUs differ, or
 * where the CPUs had fewer than 100 kernel clock ticks between them: too few for meaningful shares.
 */
struct ert_activity ert_activity_between(const struct ert_activity_snapshot *before,
                                         const struct ert_activity_snapshot *after);

#endif
