/*
 * node: what was measured on a node as its record (record.h). Pure: from the machine's description and
 * from ceilings.
 */
#ifndef ERT_FLEET_NODE_H
#define ERT_FLEET_NODE_H

#include "ert/ceilings/ceilings.h"
#include "ert/fleet/record.h"

/* The fingerprint, and the tool. Of a machine without CPU devices, as planted ones, that part is unknown. */
void ert_node_identify(struct ert_node_record *record, const struct ert_machine *machine);

/*
 * The ceilings that were measured: compute, memory, latencies and links, those that could not be with their
 * reason; a warning for each device whose numbers are not valid, and the status for that.
 */
void ert_node_measured(struct ert_node_record *record, const struct ert_ceilings *ceilings);

#endif
