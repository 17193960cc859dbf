/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * code: disassembles the kernels of the running program and holds them against their claims. Needs
 * objdump for CPUs, cuobjdump for GPUs; no GPU.
 */
#ifndef ERT_VALIDATE_CODE_H
#define ERT_VALIDATE_CODE_H

#include "ert/validate/claims.h"
#include "ert/validate/replay.h"

/*
 * Fills proof.code of the replays' ceilings, all of one device. What cannot be
 * looked at is "unavailable" with the reason, for instance that a tool is missing.
 */
void ert_code_prove(const struct ert_device *device, struct ert_replay *replays, size_t n);

#endif
