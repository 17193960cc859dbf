/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * topology: which switch each host is at, from a text that Slurm prints or a site writes.
 *
 * A line of words KEY=VALUE as `scontrol show topology` and topology.conf have them: SwitchName= or
 * BlockName= names a group, Nodes= its hosts as a host list (hosts.h). Lines with Switches=, Blocks= or
 * AggregatedBlock= are above the leaves and left out. Or a line "GROUP HOSTLIST". '#' begins a comment. Hosts
 * of several lines of one group are all its own.
 */
#ifndef ERT_FLEET_TOPOLOGY_H
#define ERT_FLEET_TOPOLOGY_H

#include "ert/base/lines.h"
#include "ert/base/strings.h"
#include "ert/fleet/hosts.h"

#include <stdint.h>

struct ert_topology {
    uint32_t *
        groups; /* malloc, of each host: UINT32_MAX where no line has it; NULL: none read */
    struct ert_strings names; /* of the groups */
};

/*
 * Groups of these hosts; hosts of the file that are none of them are passed over.
 * *topology is the caller's (ert_topology_free), empty after a failure. ERT_USAGE with file and line for one
 * without a name or hosts, or with more, a bad host list, and a host that is in two groups.
 */
enum ert_status ert_topology_read(struct ert_lines *lines, const struct ert_strings *hosts,
                                  struct ert_topology *topology, struct ert_error *error);

/* Accepts {0}. */
void ert_topology_free(struct ert_topology *topology);

#endif
