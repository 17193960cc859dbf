/*
 * choose: which of the points of a ceiling wins, and why one has none. Shared by the parts of the fit.
 */
#ifndef ERT_CEILINGS_CHOOSE_H
#define ERT_CEILINGS_CHOOSE_H

#include "ert/sweep/samples.h"

#include <stdbool.h>
#include <stddef.h>

/* What a point's samples say: byte/s or flop/s (levels.h). */
typedef double (*ert_point_estimate)(const struct ert_point *point);

/*
 * Whether a point has samples enough to win where the best sampled one has `most`. With few it may look fast
 * by luck. Half as many are enough, and ERT_ENOUGH_SAMPLES always are: what settles early, as wide vectors
 * do beside noisy scalar code, gets no more.
 */
bool ert_choose_is_sampled(const struct ert_point *point, size_t most);

/* The index of the highest estimate among the points[n] that are sampled enough; n when there is none. */
size_t ert_choose_winner(const struct ert_point *const *points, size_t n,
                         ert_point_estimate estimate);

/* Marks the `most` fastest of some points of the device (the order of points[] is lost). */
void ert_choose_fastest(const struct ert_device_samples *samples,
                        const struct ert_point **points, size_t n_points, size_t most,
                        ert_point_estimate estimate, bool *chosen);

/* The first planned point of a kernel on a path, of the sections levels, compute and mixed; or NULL. */
const struct ert_point *ert_choose_planned(const struct ert_device_samples *samples,
                                           enum ert_kernel_id kernel, enum ert_path path);

/* Why nothing was measured of a kernel on a path: the first point's own reason, or the device's. */
const char *ert_choose_reason(const struct ert_device_samples *samples,
                              enum ert_kernel_id kernel, enum ert_path path);

/* Whether a point is of the sections that fit.c fits; extras.h has the others. */
bool ert_choose_is_main(const struct ert_point *point);

#endif
