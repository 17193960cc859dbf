/*
 * settled: whether the ceilings that a roofline is made of are known well enough to be used: FP64 FMA
 * and each level's best bandwidth. It reads ceilings and samples nothing.
 */
#ifndef ERT_CEILINGS_SETTLED_H
#define ERT_CEILINGS_SETTLED_H

#include "ert/ceilings/ceilings.h"

enum {
    ERT_SETTLED_SAMPLES = 3,  /* fewer say nothing about an interval */
    ERT_SETTLED_PERCENT = 10, /* the widest interval, high - low, of the value */
    ERT_MAX_MAIN = 1 + ERT_MAX_LEVELS
};

/* The main ceilings of a device, fastest level first; those that were not planned are left out. */
size_t ert_settled_main(const struct ert_device_ceilings *device,
                        const struct ert_ceiling *list[ERT_MAX_MAIN]);

/* (high - low) / value. */
double ert_settled_width(const struct ert_ceiling *ceiling);

bool ert_settled_is(const struct ert_ceiling *ceiling);

/* How many ceilings, of compute and of memory, are not settled. */
size_t ert_settled_count_open(const struct ert_device_ceilings *device);

/*
 * Takes the trust from a device whose main ceilings are not all settled, and adds to its distrust
 * which: "not settled: fp64-fma (35 % wide), L2-load (2 samples)".
 */
void ert_settled_judge(struct ert_device_ceilings *device);

#endif
