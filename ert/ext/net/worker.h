/* SPDX-License-Identifier: BSD-3-Clause */
/* worker: obeys a rank's orders. */
#ifndef ERT_NET_WORKER_H
#define ERT_NET_WORKER_H

#include "ert/ext/net/link.h"
#include "ert/ext/net/order.h"
#include "ert/ext/net/world.h"

/*
 * Obeys an order and fills the report. members[n_members]: the ranks of the group, for ERT_NET_ORDER_GROUP.
 * The guard must be set, since some MPI calls cannot be given up.
 */
void ert_net_obey(struct ert_net_world *world, const struct ert_net_order *order,
                  const int *members, int n_members, struct ert_net_report *report);

/* Obeys until the last order, on ranks other than 0. */
void ert_net_serve(struct ert_net_world *world);

#endif
