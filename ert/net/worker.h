/* SPDX-License-Identifier: BSD-3-Clause */
/* worker: what a rank does with its orders. */
#ifndef ERT_NET_WORKER_H
#define ERT_NET_WORKER_H

#include "ert/net/link.h"
#include "ert/net/order.h"
#include "ert/net/world.h"

/*
 * Does it and fills the report. members[n_members]: the ranks of the group, for ERT_NET_ORDER_GROUP. The
 * guard must be set: some calls of MPI cannot be given up.
 */
void ert_net_obey(struct ert_net_world *world, const struct ert_net_order *order,
                  const int *members, int n_members, struct ert_net_report *report);

/* What ranks other than 0 do: obeys until the last order. */
void ert_net_serve(struct ert_net_world *world);

/* The bytes of a report that hold something. */
size_t ert_net_report_bytes(const struct ert_net_report *report);

#endif
