/*
 * fit_ert110: the samples of the section ert110 -> ceilings as LBNL's ERT 1.1.0 derives them: of
 * each series (one kernel, flop count and thread count or launch) a curve; the peak is the fastest
 * set of any; the levels are those of the one series with the largest weight (ert/stats/bands.h),
 * named as ERT does: L1, L2 ... from the fastest, the last DRAM. Pure.
 */
#ifndef ERT_ERT110_FIT_H
#define ERT_ERT110_FIT_H

#include "ert/ceilings/ceilings.h"
#include "ert/sweep/samples.h"

/* What ceilings.mode says of a file with such ceilings. */
#define ERT110_MODE "ert-1.1.0 compatible"

/*
 * Adds the ceilings of a device to *out: a peak of each kernel that was measured, the levels of the
 * first, and what is absent. False when memory runs out. Nothing is done without points of the section.
 */
bool ert110_fit(const struct ert_device_samples *samples, struct ert_device_ceilings *out);

/* Makes the levels of a device those that such ceilings name. */
void ert110_fit_levels(const struct ert_device_ceilings *ceilings,
                       struct ert_device *device);

/* Whether anything was planned for the section. */
bool ert110_is_planned(const struct ert_device_samples *samples);

#endif
