/* SPDX-License-Identifier: BSD-3-Clause */
/* node: makes a node's record (record.h) from the machine's description and from ceilings. Pure. */
#ifndef ERT_FLEET_NODE_H
#define ERT_FLEET_NODE_H

#include "ert/core/ceilings/ceilings.h"
#include "ert/ext/fleet/record.h"
#include "ert/ext/verify/verify.h"

/* Sets fingerprint and tool. Without CPU devices, as in planted machines, the former's part is unknown. */
void ert_node_identify(struct ert_node_record *record, const struct ert_machine *machine);

/*
 * Adds measured ceilings: compute, memory, latencies and links; those that could not be measured, with the
 * reason; and for each device whose numbers are not valid a warning and the status.
 */
void ert_node_measured(struct ert_node_record *record, const struct ert_ceilings *ceilings);

/*
 * Adds ceilings that were compared with recorded ones, and the clocks that they follow. A missing ceiling
 * makes the record a failed one; a slower one does not: its verdict shows it.
 */
void ert_node_verified(struct ert_node_record *record, const struct ert_verify_row *rows,
                       size_t n, const struct ert_samples *samples);

#endif
