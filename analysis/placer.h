/*
 * placer: places many points on one device: chooses the device, and for each point the roofs for the
 * clock and the concurrency that it had. Points in a row with the same conditions share their roofs.
 */
#ifndef RFL_PLACER_H
#define RFL_PLACER_H

#include "analysis/place.h"

struct rfl_placer_options {
    const char *device; /* "gpu0"; NULL: the only one, or the first of the profile's kind */
    bool theory;        /* theoretical peaks where there are such */
    bool force;         /* also a profile of another kind of device than the ceilings' */
    /* The clock of the roofs: RFL_OF_CODE where the point knows it, RFL_OF_SWEEP, or a number. */
    double clock_hz;
    /* Warps per SM or threads of the roofs: RFL_OF_CODE, RFL_OF_SWEEP (all), or a number. */
    double concurrency;
};

#define RFL_OF_CODE  0.
#define RFL_OF_SWEEP (-1.)

struct rfl_placer {
    const struct ert_ceilings *ceilings; /* the caller's, outlive the placer */
    size_t device;
    struct rfl_placer_options options;
    struct rfl_roofs_options conditions; /* that *roofs is for */
    struct rfl_roofs *roofs;             /* malloc */
    char mismatch[160]; /* the points were counted on another kind of device, or "" */
};

/*
 * Chooses the device: of the name, the only one, or, for points of a profiler of GPUs or CPUs, the
 * first of that kind. points may be NULL. ERT_USAGE lists the devices when it is not to be told,
 * and names a point that was counted on another kind of device (unless options->force);
 * ERT_UNAVAILABLE when the device has no ceiling.
 */
enum ert_status rfl_placer_open(const struct ert_ceilings *ceilings,
                                const struct rfl_points *points,
                                const struct rfl_placer_options *options,
                                struct rfl_placer *placer, struct ert_error *error);

/*
 * Whether a point can be of the placer's device: false for a format of a profiler that sees the other
 * kind only (an Nsight Compute profile and a CPU).
 */
bool rfl_placer_suits(const struct rfl_placer *placer, const struct rfl_point *point);

/* Places a point; placer->roofs, until the next call, are those it was placed under. */
enum ert_status rfl_placer_place(struct rfl_placer *placer, const struct rfl_point *point,
                                 struct rfl_placement *placement, struct ert_error *error);

/* Frees all; all zero or NULL is fine. */
void rfl_placer_close(struct rfl_placer *placer);

#endif
