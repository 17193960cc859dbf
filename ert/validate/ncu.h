/*
 * ncu: NVIDIA's Nsight Compute around `ert bench`: counters of every ceiling of a GPU from one run.
 */
#ifndef ERT_VALIDATE_NCU_H
#define ERT_VALIDATE_NCU_H

#include "ert/validate/counters.h"

/*
 * Runs all replays of a device (of the ceilings file `file`) once under ncu and fills the counters'
 * part of their proofs; what cannot be counted is "unavailable" with the reason.
 */
void ert_ncu_prove(const struct ert_device *device, const char *file,
                   struct ert_replay *replays, size_t n);

/*
 * Runs one kernel under ncu: `words`, NULL-terminated, stand behind `ert bench`. Fills the counters
 * of its region, on the path, and what the tool counted. ERT_UNAVAILABLE with the reason.
 */
enum ert_status ert_ncu_count(const struct ert_device *device, enum ert_kernel_id kernel,
                              const struct ert_level *level, const char *const *words,
                              struct ert_counters *counters,
                              struct ert_region_totals *totals, struct ert_error *error);

#endif
