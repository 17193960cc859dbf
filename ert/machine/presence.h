/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * presence: runs, of any user, that measure the same device at the same time. Each listens on a socket of
 * Linux's abstract namespace (unix(7)) while it measures, and calls at those of the others; so both know,
 * whoever came first. Not a file: there is nothing to leave behind, to own or to link elsewhere, and what is
 * there ends with its process. Nothing is sent or read: the kernel says who is at the other end. Containers
 * with networks of their own do not see each other.
 */
#ifndef ERT_MACHINE_PRESENCE_H
#define ERT_MACHINE_PRESENCE_H

#include <stddef.h>

/* So many runs of one device are told apart; more are told of these. */
enum { ERT_PRESENCE_MOST = 16 };

struct ert_presence {
    int listener; /* -1: the system has no such sockets, or there are too many runs */
    /* Of the other runs; a pid of 0 is a process of another container. */
    int pids[ERT_PRESENCE_MOST], users[ERT_PRESENCE_MOST];
    size_t n;
};

/* Begins to be seen. device: what distinguishes it on this machine, such as a GPU's UUID. */
void ert_presence_begin(const char *device, struct ert_presence *presence);

/* Ends it. others[size]: "pid 12 (user 1000), pid 34 (user 0)", who was there meanwhile; "": nobody. */
void ert_presence_end(struct ert_presence *presence, char *others, size_t size);

#endif
