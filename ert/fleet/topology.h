/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * topology: which switch each host is at, from a text that Slurm prints or a site writes.
 *
 * A line of words KEY=VALUE as `scontrol show topology` and topology.conf have them: SwitchName= or
 * BlockName= names a group, Nodes= its hosts as a host list (hosts.h). Lines with Switches= or Blocks= are
 * above the leaves and left out. Or a line "GROUP HOSTLIST". '#' begins a comment.
 */
#ifndef ERT_FLEET_TOPOLOGY_H
#define ERT_FLEET_TOPOLOGY_H

#include "ert/base/lines.h"
#include "ert/fleet/hosts.h"

#include <stdint.h>

struct ert_topology {
    uint32_t *groups; /* malloc, [n_hosts]: UINT32_MAX where no line has the host */
    char **names;     /* malloc, [n_groups], each too */
    uint32_t n_groups;
};

/*
 * Groups of n hosts by their names; hosts of the file that are none of these are passed over.
 * *topology is the caller's (ert_topology_free), empty after a failure. ERT_USAGE with file and line for one
 * without a name or hosts, a bad host list, and a host that stands in two groups.
 */
enum ert_status ert_topology_read(struct ert_lines *lines, const char *const *hosts,
                                  uint32_t n_hosts, struct ert_topology *topology,
                                  struct ert_error *error);

/* Accepts {0}. */
void ert_topology_free(struct ert_topology *topology);

#endif
