/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * presence: detects other runs, of any user, that measure the same device at the same time. Each run listens
 * on a socket in Linux's abstract namespace (unix(7)) while it measures, and connects to those of the others;
 * so both know, whichever started first. Unlike a lock file, a socket has no owner and no links, and ends
 * with its process. No data is exchanged: the kernel identifies the peer. Containers with their own network
 * namespaces do not see each other.
 */
#ifndef ERT_MACHINE_PRESENCE_H
#define ERT_MACHINE_PRESENCE_H

#include <stddef.h>

/* Most runs of one device that can listen, and most others that a run remembers; later runs see these. */
enum { ERT_PRESENCE_MOST = 16 };

struct ert_presence {
    int listener; /* -1: no such sockets */
    /* Of the other runs; a pid of 0 is a process in another container. */
    int pids[ERT_PRESENCE_MOST], users[ERT_PRESENCE_MOST];
    size_t n;
};

/* Makes this run visible. device: unique on this machine, such as a GPU's UUID. */
void ert_presence_begin(const char *device, struct ert_presence *presence);

/* Ends that. Writes who was seen meanwhile to others[size]: "pid 12 (user 1000), pid 34 (user 0)", or "". */
void ert_presence_end(struct ert_presence *presence, char *others, size_t size);

#endif
