/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * runs: several runs of the same machine into one record of what is normal. Pure.
 */
#ifndef ERT_CEILINGS_RUNS_H
#define ERT_CEILINGS_RUNS_H

#include "ert/ceilings/ceilings.h"

/*
 * Merges runs[1..n) into runs[0]: each of its ceilings gets the median of its values over the runs
 * that have it, the median of their fractions of theory, how far runs differ (between, n_runs, runs_low,
 * runs_high) and the interval of a further run; the rest is that of the run whose value is nearest to
 * the median: configuration, clock, confidence, rounds. Roofs are marked anew; a device that any run
 * finds invalid is not valid. Ceilings that only later runs have are not taken over.
 */
void ert_runs_merge(struct ert_ceilings *runs, size_t n);

/*
 * The greatest relative spread, (runs_high - runs_low) / value, over the compute and memory ceilings
 * of a device, and the name of that ceiling; 0 and NULL where nothing was run more than once.
 */
double ert_runs_spread(const struct ert_device_ceilings *device, const char **name);

#endif
