/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * network: what the pairs of hosts in a fleet's files say, as findings of the fleet.
 */
#ifndef ERT_FLEET_NETWORK_H
#define ERT_FLEET_NETWORK_H

#include "ert/fleet/fleet.h"

/*
 * Judges fleet->pairs and adds what is found, in order. A host that is slow when measured again alone is
 * SLOW; a pair, a part of a host's pairs, and a host that answers nobody are a LINK, which drains nobody;
 * switches a SWITCH. What was slow once is open: many such pairs are one finding. topology may be NULL.
 * ERT_USAGE as topology.h says.
 */
enum ert_status ert_fleet_judge_network(struct ert_fleet *fleet, struct ert_lines *topology,
                                        struct ert_error *error);

#endif
