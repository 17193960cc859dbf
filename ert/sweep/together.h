/*
 * together: do devices slow each other? The decisive ceilings of some open devices, each alone, then
 * all at once. Internal to sweep.
 */
#ifndef ERT_SWEEP_TOGETHER_H
#define ERT_SWEEP_TOGETHER_H

#include "ert/sweep/bench.h"

/*
 * Appends to each device points of the section "together": copies of the points that won FP64 FMA,
 * the fastest tensor kernel, the largest sets' load, and the links, once with at_once = 1 (alone)
 * and once with at_once = n; links between GPUs in n - 1 shifts, where device i works with device
 * i + shift, so that every pair is busy in one of them. All start together and work until a common
 * window ends, each at its own rate. Faults are kept with their points; the benches' sessions are open.
 */
void ert_together(struct ert_bench *const *benches, size_t n);

#endif
