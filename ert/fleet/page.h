/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * page: a fleet as one HTML file that fetches nothing: what was found first, then nodes and ceilings as a
 * map, pairs of hosts, histograms, differences of configuration, and all nodes to search in.
 *
 * Values are changes of the speed relative to the median of a node's group, as 16-bit numbers of 0.01 % in
 * base64: 10,000 nodes of 60 ceilings are 1.6 MB, and a browser opens them within a second or two. The script
 * is in ert/fleet/page/; it makes no markup from texts, and texts cannot end the script they are in.
 */
#ifndef ERT_FLEET_PAGE_H
#define ERT_FLEET_PAGE_H

#include "ert/fleet/fleet.h"

/* So many findings have their sentence in the page, the worst; the page says how many it leaves out. */
enum { ERT_FLEET_PAGE_FINDINGS = 2000 };

/* Writes the page of a judged fleet (struct ert_fleet): an ert_file_make of file.h. ERT_FAILED: no memory. */
enum ert_status ert_fleet_page_make(const void *fleet, FILE *out, struct ert_error *error);

#endif
