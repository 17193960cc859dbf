/* SPDX-License-Identifier: BSD-3-Clause */
/* host_health: the facts (machine/health.h) of a node besides those of its GPUs, from /sys and /proc. */
#ifndef ERT_EXT_FLEET_HOST_HEALTH_H
#define ERT_EXT_FLEET_HOST_HEALTH_H

#include "ert/core/machine/health.h"

/*
 * Appends what Linux reports about the host: CPUs that are offline or capped, governors, throttling,
 * machine checks, memory errors and the balance of memory channels (EDAC), links and errors of PCI devices.
 * root: "", or (for tests) a folder that holds copies of /sys and /proc.
 */
void ert_health_host(const char *root, struct ert_health *health);

/*
 * Texts that tell hosts apart, "" where they cannot be read: microcode, BIOS, and memory modules as EDAC
 * lists them ("16 x 32 GiB DDR5").
 */
struct ert_health_parts {
    char microcode[32], bios[128], memory[128];
};
void ert_health_parts(const char *root, struct ert_health_parts *parts);

#endif
