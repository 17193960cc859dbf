/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * features: what the kernel says of the processor (/proc/cpuinfo): the instruction sets that programs may
 * use, whose registers it saves, and the hypervisor. gpp selects its kernels by it.
 */
#ifndef ERT_MACHINE_FEATURES_H
#define ERT_MACHINE_FEATURES_H

#include "ert/core/machine/machine.h"

struct ert_features {
    struct ert_isa isa;
    char hypervisor[32]; /* "" on bare metal or where unknown */
};

/* root: "", or (for tests) a folder that holds a copy of /proc/cpuinfo. */
void ert_features_read(const char *root, struct ert_features *features);

#endif
