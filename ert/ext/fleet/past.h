/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * past: compares a fleet with its own past: with an earlier fleet.json, node by node, and with a history, an
 * NDJSON file to which each merge appends a line per node. The comparison of a node with its own past needs
 * only the errors of its measurements, not the spread between nodes.
 */
#ifndef ERT_FLEET_PAST_H
#define ERT_FLEET_PAST_H

#include "ert/ext/fleet/fleet.h"

/*
 * Compares each ceiling of each node with its value in FILE, a fleet.json: findings CHANGED, or SUSPECT if it
 * was measured once, and one DRIFT for a column in which all became slower. Call it after ert_fleet_judge().
 * ERT_USAGE: not readable, or not "ert-fleet/1".
 */
enum ert_status ert_fleet_compare_baseline(struct ert_fleet *fleet, const char *file,
                                           struct ert_error *error);

/*
 * Finds ceilings that became slower over the lines of a history and this fleet: CHANGED, if a straight line
 * through three or more dates falls by more than the floor and its own uncertainty. A missing file is an
 * empty history; a bad line is a finding.
 */
enum ert_status ert_fleet_compare_history(struct ert_fleet *fleet, const char *file,
                                          struct ert_error *error);

/* Appends a line per node: {"schema":"ert-fleet-history/1", ..,"values":{"cpu fp64-fma flop/s":..}}. */
enum ert_status ert_fleet_append_history(const struct ert_fleet *fleet, const char *file,
                                         struct ert_error *error);

#endif
