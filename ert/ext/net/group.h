/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * group: measures many hosts at once, with one rank of each. All ranks do the same between barriers, and the
 * time of the slowest is everyone's. MPI's collectives cannot be given up at a deadline: then the guard ends
 * the program (wait.h).
 */
#ifndef ERT_NET_GROUP_H
#define ERT_NET_GROUP_H

#include "ert/ext/net/link.h"
#include "ert/ext/net/order.h"
#include "ert/ext/net/world.h"

/* Makes world->group from these ranks; all of them call it. A failure becomes a result of the report. */
void ert_net_group_make(struct ert_net_world *world, const int *members, int n_members,
                        int tag, struct ert_net_report *report);

/* Measures order->test; the group's first rank reports the result, others only failures. */
void ert_net_group_test(struct ert_net_world *world, const struct ert_net_order *order,
                        struct ert_net_report *report);

/*
 * Bytes of a message of a test among n hosts if rates use messages of size_bytes: in all-to-all what a host
 * sends to each other host, in all-reduce what a host contributes.
 */
double ert_net_group_size(enum ert_net_test test, uint32_t n, double size_bytes);

#endif
