/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * activity: who had the time of our CPUs between two moments: this process, other work, or other
 * guests of the host (steal). By differences of /proc/stat and getrusage(2); it judges nothing.
 */
#ifndef ERT_MACHINE_ACTIVITY_H
#define ERT_MACHINE_ACTIVITY_H

#include <stdint.h>

enum { ERT_ACTIVITY_MAX_CPUS = 8192 };

/* CPUs by the numbers of the operating system, as bits. */
struct ert_activity_cpus {
    uint64_t bits[ERT_ACTIVITY_MAX_CPUS / 64];
};

/* Times of those CPUs at one moment, in s since a fixed point in the past. */
struct ert_activity_snapshot {
    double clock_s, own_s;  /* own_s: CPU time of this process, all its threads */
    double busy_s, steal_s; /* of all processes; taken by other guests of the host */
    uint32_t n_cpus;        /* 0: the kernel does not say */
};

/* Shares of the CPUs' time between two moments, 0 to 1. All 0 where the kernel does not say. */
struct ert_activity {
    double elapsed_s;
    uint32_t n_cpus; /* that the process may use; 0: unknown, and so are the shares */
    double own, foreign, steal;
    char other_runs
        [96]; /* of this program, on the same device (presence.h); "": none was seen */
};

/*
 * The CPUs that the calling thread may use. To be called before threads are pinned: a pinned thread
 * may use one.
 */
void ert_activity_usable(struct ert_activity_cpus *cpus);

/* root: "", or a folder that holds a copy of /proc/stat (for tests). */
void ert_activity_look(const char *root, const struct ert_activity_cpus *cpus,
                       struct ert_activity_snapshot *snapshot);

/*
 * What happened from one snapshot to a later one of the same CPUs. Unknown where the two differ in
 * their CPUs, or where less than a hundred ticks of the kernel's clock lie between them: shares of
 * fewer would be luck.
 */
struct ert_activity ert_activity_between(const struct ert_activity_snapshot *before,
                                         const struct ert_activity_snapshot *after);

#endif
