/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * page: writes a fleet as one HTML file that fetches nothing: the findings, then a map of nodes and ceilings,
 * pairs of hosts, histograms, configuration differences, and a searchable list of all nodes.
 *
 * Values are changes of the speed relative to the median of a node's group, as 16-bit numbers of 0.01 % in
 * base64: 10,000 nodes with 60 ceilings take 1.6 MB, and a browser opens them within a second or two. The
 * script is in ert/ext/fleet/page/; it makes no markup from texts, and texts cannot end their script element.
 */
#ifndef ERT_FLEET_PAGE_H
#define ERT_FLEET_PAGE_H

#include "ert/ext/fleet/fleet.h"

/* The page has the sentences of this many of the worst findings, and the number of those left out. */
enum { ERT_FLEET_PAGE_FINDINGS = 2000 };

/* Writes the page of a judged fleet (struct ert_fleet); an ert_file_make of file.h. ERT_FAILED: no memory. */
enum ert_status ert_fleet_page_make(const void *fleet, FILE *out, struct ert_error *error);

#endif
