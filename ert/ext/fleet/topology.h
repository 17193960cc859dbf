/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * topology: reads the switch of each host from a text that Slurm prints or a site writes.
 *
 * A line has words KEY=VALUE, as in `scontrol show topology` and topology.conf: SwitchName= or BlockName=
 * names a group, Nodes= lists its hosts (hosts.h). Lines with Switches=, Blocks= or AggregatedBlock= are
 * above the leaves and ignored. Or a line is "GROUP HOSTLIST". '#' begins a comment. Several lines of one
 * group add up.
 */
#ifndef ERT_FLEET_TOPOLOGY_H
#define ERT_FLEET_TOPOLOGY_H

#include "ert/core/base/lines.h"
#include "ert/core/base/strings.h"
#include "ert/ext/fleet/hosts.h"

#include <stdint.h>

struct ert_topology {
    uint32_t *groups; /* malloc, per host: UINT32_MAX if no line has it; NULL: none read */
    struct ert_strings names; /* of the groups */
};

/*
 * Reads the groups of these hosts; ignores other hosts in the file. The caller frees *topology
 * (ert_topology_free), which is empty after an error. ERT_USAGE with file and line for a line without a name
 * or hosts, or with more words, a bad host list, a host in two groups, and more
 * than ERT_HOSTS_MOST names.
 */
enum ert_status ert_topology_read(struct ert_lines *lines, const struct ert_strings *hosts,
                                  struct ert_topology *topology, struct ert_error *error);

/* Accepts {0}. */
void ert_topology_free(struct ert_topology *topology);

#endif
