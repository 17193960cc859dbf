/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * node: what was measured on a node as its record (record.h). Pure: from the machine's description and
 * from ceilings.
 */
#ifndef ERT_FLEET_NODE_H
#define ERT_FLEET_NODE_H

#include "ert/ceilings/ceilings.h"
#include "ert/ceilings/verify.h"
#include "ert/fleet/record.h"

/* The fingerprint, and the tool. Of a machine without CPU devices, as planted ones, that part is unknown. */
void ert_node_identify(struct ert_node_record *record, const struct ert_machine *machine);

/*
 * The ceilings that were measured: compute, memory, latencies and links, those that could not be with their
 * reason; a warning for each device whose numbers are not valid, and the status for that.
 */
void ert_node_measured(struct ert_node_record *record, const struct ert_ceilings *ceilings);

/*
 * The ceilings that were compared with recorded ones, and the clocks that they follow. A ceiling that is
 * missing now makes the node a failed one; slower ones do not: the verdicts say it.
 */
void ert_node_verified(struct ert_node_record *record, const struct ert_verify_row *rows,
                       size_t n, const struct ert_samples *samples);

/* Takes over what the devices say of their state (and the list itself), and the texts of the host's parts. */
void ert_node_take_health(struct ert_node_record *record, struct ert_health *health);
void ert_node_take_parts(struct ert_node_record *record,
                         const struct ert_health_parts *parts);

/* Whether anything of the record wants a look: its status, a slower ceiling, a bad fact. */
bool ert_node_is_off(const struct ert_node_record *record);

#endif
