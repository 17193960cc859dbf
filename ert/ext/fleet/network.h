/* SPDX-License-Identifier: BSD-3-Clause */
/* network: adds findings from the pairs of hosts in a fleet's files. */
#ifndef ERT_FLEET_NETWORK_H
#define ERT_FLEET_NETWORK_H

#include "ert/ext/fleet/fleet.h"

/*
 * Judges fleet->pairs, adds the findings and sorts them. Switches are a SWITCH; hosts and pairs are a LINK,
 * for which no node is drained: one node wrote what is said of all. Pairs that were slow once are open; many
 * of them are one finding. topology may be NULL. ERT_USAGE as topology.h.
 */
enum ert_status ert_fleet_judge_network(struct ert_fleet *fleet, struct ert_lines *topology,
                                        struct ert_error *error);

#endif
