/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * runs: merges several runs of the same machine into one record of what is normal. Pure.
 */
#ifndef ERT_CLI_RUNS_H
#define ERT_CLI_RUNS_H

#include "ert/core/ceilings/ceilings.h"

/*
 * Merges runs[1..n) into runs[0]. Each ceiling of runs[0] gets the median of its values over the runs that
 * have it, the median of their fractions of theory, the spread between runs (between, n_runs, runs_low,
 * runs_high) and the interval of a further run; the rest (configuration, clock, confidence, rounds) comes
 * from the run whose value is nearest to the median. Roofs are marked anew; a device that any run found not
 * valid is not valid. Ceilings that only later runs have are dropped.
 */
void ert_runs_merge(struct ert_ceilings *runs, size_t n);

/*
 * The greatest relative spread, (runs_high - runs_low) / value, over a device's compute and memory ceilings,
 * and that ceiling's name; 0 and NULL if none was run more than once.
 */
double ert_runs_spread(const struct ert_device_ceilings *device, const char **name);

#endif
