/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * fit: samples -> ceilings. Pure: plateaus are found in the recorded curves and named by size and
 * topology; every ceiling gets its evidence, and what is missing gets its reason.
 */
#ifndef ERT_CEILINGS_FIT_H
#define ERT_CEILINGS_FIT_H

#include "ert/ceilings/ceilings.h"
#include "ert/sweep/samples.h"

/*
 * Fills *ceilings (the caller frees it). A device without samples has no ceilings and none of them measured.
 */
void ert_fit(const struct ert_samples *samples, struct ert_ceilings *ceilings);

/* The best pattern of each memory level becomes the level's roof. */
void ert_fit_mark_roofs(struct ert_device_ceilings *out);

/*
 * Marks in chosen[0..device->n_points) the points that decide a ceiling by the samples so far: the
 * `per_ceiling` fastest of each ceiling's candidates. They get more rounds. ERT_FAILED without memory.
 */
enum ert_status ert_fit_leaders(const struct ert_device *device,
                                const struct ert_device_samples *samples,
                                size_t per_ceiling, bool *chosen, struct ert_error *error);

#endif
