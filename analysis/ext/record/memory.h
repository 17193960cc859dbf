/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * memory: the rate of the memory beside a recorded run. On shared machines it changes by up to a factor of
 * two from hour to hour, and a roof that was measured at another time says little about a run.
 */
#ifndef RFL_RECORD_MEMORY_H
#define RFL_RECORD_MEMORY_H

#include "analysis/ext/record/record.h"

/* Measures a second with `ert verify`, which must be beside this program; may be called more than once. */
void rfl_memory_measure(struct rfl_record *record);

/*
 * Sets record->memory_now to the median of present rates by recorded ones, over all patterns; 0 if they were
 * not measured, or changed. Tells the user.
 */
void rfl_memory_judge(struct rfl_record *record);

/* Gives the points with bytes of the memory this ratio, as "memory_now". */
void rfl_memory_note(const struct rfl_record *record);

#endif
