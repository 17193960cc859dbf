/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * code: rows of functions and loops. Our Valgrind tool counts them (valgrind/code.h); their times are shares
 * of samples that a preloaded library takes in runs of their own (valgrind/sampler.c).
 */
#ifndef RFL_RECORD_CODE_H
#define RFL_RECORD_CODE_H

#include "analysis/ext/record/record.h"

/* The variable that preloads the sampler, which also passes Python's regions on; NULL: it is not there. */
const char *rfl_code_preload(const struct rfl_record *record);

/* Runs the program with the sampler, often enough for a thousand samples of long programs. */
enum ert_status rfl_code_sample(struct rfl_record *record, struct ert_error *error);

/*
 * Gives the points of code their times, puts them behind that of the whole run, longest first, and removes
 * those of little time, and all if a region is there or nothing was sampled.
 */
void rfl_code_time(struct rfl_record *record);

#endif
