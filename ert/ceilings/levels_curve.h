/*
 * levels_curve: one kernel's sweep on one path as a curve of estimates, for levels.c, which finds the
 * levels in it.
 */
#ifndef ERT_CEILINGS_LEVELS_CURVE_H
#define ERT_CEILINGS_LEVELS_CURVE_H

#include "ert/ceilings/levels.h"

/* The fastest variant's rate at each working set, ascending. */
struct ert_curve {
    size_t n;
    uint64_t
        wanted[ERT_MAX_SETS]; /* the plan's sizes, which variants round each in its way */
    double sizes[ERT_MAX_SETS],
        rates[ERT_MAX_SETS]; /* the fastest variant's; byte, byte/s */
    double noise; /* median over the points of their samples' relative deviation */
};

/*
 * Whether a point of the sweeps was measured, by this kernel on this path; those with bound buffers
 * are no part of a sweep.
 */
bool ert_levels_is_of(const struct ert_point *point, enum ert_kernel_id kernel,
                      enum ert_path path);

/* The curve of a kernel on a path; n = 0 when nothing was measured. */
void ert_levels_curve(const struct ert_device_samples *samples, enum ert_kernel_id kernel,
                      enum ert_path path, struct ert_curve *curve);

#endif
