/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * past: a fleet against itself earlier: an earlier fleet.json, node by node, and a history, a file of
 * NDJSON to which each merge appends a line per node. What a node loses against its own past needs no spread
 * between nodes, only the errors of the measurements.
 */
#ifndef ERT_FLEET_PAST_H
#define ERT_FLEET_PAST_H

#include "ert/fleet/fleet.h"

/*
 * Compares each ceiling of each node with what FILE, a fleet.json, has of it: findings CHANGED, or SUSPECT
 * where it was measured once, and one DRIFT for a column in which all became slower. After
 * ert_fleet_judge(). ERT_USAGE: not readable, no "ert-fleet/1".
 */
enum ert_status ert_fleet_compare_baseline(struct ert_fleet *fleet, const char *file,
                                           struct ert_error *error);

/*
 * Looks for ceilings that became slower over the lines of a history and this fleet: CHANGED, where a straight
 * line through three dates or more falls by more than the floor and its own uncertainty. A file that is not
 * there is an empty history; a line that is none is a finding.
 */
enum ert_status ert_fleet_compare_history(struct ert_fleet *fleet, const char *file,
                                          struct ert_error *error);

/* Appends a line per node: {"schema":"ert-fleet-history/1","host":..,"values":{..}}, ... ERT_FAILED. */
enum ert_status ert_fleet_append_history(const struct ert_fleet *fleet, const char *file,
                                         struct ert_error *error);

#endif
