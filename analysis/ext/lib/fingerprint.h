/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fingerprint: whether two descriptions belong to the same machine. Pure.
 */
#ifndef RFL_FINGERPRINT_H
#define RFL_FINGERPRINT_H

#include "ert/core/machine/machine.h"

enum rfl_origin { RFL_OTHER_MACHINE, RFL_SAME_MACHINE, RFL_CANNOT_TELL };

/*
 * Compares the devices of `recorded` with those of `here`: CPUs by vendor, family, model, name, packages and
 * cores; GPUs by UUID, in whatever slot. why[size] gets the first difference, or what cannot be told and why:
 * no device of a kind is known here (gpus_known false: this machine's GPUs are not visible), or one has no
 * name or UUID.
 */
enum rfl_origin rfl_fingerprint_compare(const struct ert_machine *recorded,
                                        const struct ert_machine *here, bool gpus_known,
                                        char *why, size_t size);

#endif
