/*
 * build: every kernel that this build has for a device, whether it is here or not, as replays whose
 * machine code can be looked at.
 */
#ifndef ERT_VALIDATE_BUILD_H
#define ERT_VALIDATE_BUILD_H

#include "ert/validate/replay.h"

/* A GPU of a compute capability, for looking at code: no more of it is known. */
struct ert_device ert_build_gpu(uint32_t cc_major, uint32_t cc_minor);

/*
 * Fills replays[0..max) with every variant of every kernel on every path of the device, each with
 * the ceiling of the same index of ceilings[0..max), which the caller owns and which gets the
 * kernel's name and the variant's. Returns how many.
 */
size_t ert_build_list(const struct ert_backend *backend, const struct ert_device *device,
                      struct ert_replay *replays, struct ert_ceiling *ceilings, size_t max);

#endif
