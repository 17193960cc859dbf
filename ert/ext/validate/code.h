/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * code: disassembles the kernels of the running program and compares them with their claims. Needs objdump
 * for CPUs and cuobjdump for GPUs, but no GPU.
 */
#ifndef ERT_VALIDATE_CODE_H
#define ERT_VALIDATE_CODE_H

#include "ert/ext/validate/claims.h"
#include "ert/ext/validate/replay.h"

/*
 * Fills proof.code of the replays' ceilings, all of one device: "unavailable" with the reason, such as a
 * missing tool, for code that cannot be examined.
 */
void ert_code_prove(const struct ert_device *device, struct ert_replay *replays, size_t n);

#endif
