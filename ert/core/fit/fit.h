/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fit: derives ceilings from samples. It finds plateaus in the recorded curves and names them by size and
 * topology; every ceiling gets its evidence, and every missing one a reason. Pure.
 */
#ifndef ERT_CEILINGS_FIT_H
#define ERT_CEILINGS_FIT_H

#include "ert/core/ceilings/ceilings.h"
#include "ert/core/sweep/samples.h"

/* Fills *ceilings (the caller frees it). A device without samples gets no ceilings, all "not measured". */
void ert_fit(const struct ert_samples *samples, struct ert_ceilings *ceilings);

/*
 * Marks in chosen[samples->n_points] the points that decide a ceiling by the samples so far, so that they get
 * more rounds: the `per_ceiling` fastest of each ceiling's candidates, and all latencies and links.
 * ERT_FAILED when memory runs out.
 */
enum ert_status ert_fit_candidates(const struct ert_device *device,
                                   const struct ert_device_samples *samples,
                                   size_t per_ceiling, bool *chosen,
                                   struct ert_error *error);

#endif
