/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * group: what many hosts do at once, one rank of each. Between barriers all do the same, and what counts is
 * the slowest: its time is everybody's. What MPI's collectives do cannot be given up at a deadline: the guard
 * ends the program (wait.h).
 */
#ifndef ERT_NET_GROUP_H
#define ERT_NET_GROUP_H

#include "ert/net/link.h"
#include "ert/net/order.h"
#include "ert/net/world.h"

/* Makes world->group of these ranks, all of which call it. A failure is a result of the report. */
void ert_net_group_make(struct ert_net_world *world, const int *members, int n_members,
                        int tag, struct ert_net_report *report);

/* Measures order->test; the group's first rank reports the result, others what failed. */
void ert_net_group_test(struct ert_net_world *world, const struct ert_net_order *order,
                        struct ert_net_report *report);

/*
 * Bytes of a message of a test among n hosts, where rates want messages of size_bytes: of all-to-all what a
 * host sends to each other one, of all-reduce and all-gather what a host puts in.
 */
double ert_net_group_size(enum ert_net_test test, uint32_t n, double size_bytes);

#endif
