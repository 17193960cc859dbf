/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fingerprint: whether two descriptions are of the same machine. Pure.
 */
#ifndef RFL_FINGERPRINT_H
#define RFL_FINGERPRINT_H

#include "ert/machine/machine.h"

enum rfl_origin { RFL_OTHER_MACHINE, RFL_SAME_MACHINE, RFL_CANNOT_TELL };

/*
 * Compares the devices of `recorded` with those that are `here`: CPUs by vendor, family, model,
 * name, packages and cores; GPUs by UUID, wherever they are plugged in. why[size] gets the first
 * difference, or what cannot be told and why: no device of a kind is known here (gpus_known false:
 * the GPUs of this machine cannot be seen), or one without a name or UUID.
 */
enum rfl_origin rfl_fingerprint_compare(const struct ert_machine *recorded,
                                        const struct ert_machine *here, bool gpus_known,
                                        char *why, size_t size);

#endif
