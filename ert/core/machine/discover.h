/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * discover: fills in the host part of struct ert_machine: topology through hwloc, CPU identity and
 * features, clocks, memory limits, provenance. GPUs are added by their backend, which knows CUDA.
 */
#ifndef ERT_MACHINE_DISCOVER_H
#define ERT_MACHINE_DISCOVER_H

#include "ert/core/machine/machine.h"

/*
 * Appends the device "cpu". topology_file: an hwloc XML file to read instead of the running machine, or
 * NULL for live discovery (which honours HWLOC_XMLFILE). For a file of another machine, what only the
 * running machine can tell (features, clocks, limits) stays unknown.
 * ERT_USAGE when the file cannot be read as a topology.
 */
enum ert_status ert_discover_host(const char *topology_file, struct ert_machine *machine,
                                  struct ert_error *error);

/* Fills machine->provenance: host, kernel, compiler, git; argc, argv: the command line. */
void ert_discover_provenance(struct ert_machine *machine, int argc, char *const *argv);

#endif
