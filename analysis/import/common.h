/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * common: what several importers need: which kernel of a profile a row belongs to, plain names of GPU
 * kernels, and regions timed by another tool. Private to import.
 */
#ifndef RFL_IMPORT_COMMON_H
#define RFL_IMPORT_COMMON_H

#include "analysis/import/import.h"

/* The number, from 0, of a profile's kernel with this name, process and device; a new one gets the next. */
size_t rfl_kernel_number(struct ert_strings *kernels, const char *name, const char *process,
                         const char *device);

/* Returns ERT_USAGE: the driver denied access to the GPU's counters (ERR_NVGPUCTRPERM), and what helps. */
enum ert_status rfl_kernels_forbidden(const char *file, struct ert_error *error);

/*
 * Call it when all kernels of a profile are read: removes the run if all have the same one, and makes names
 * plain (strings.h), unless two different ones would become equal. " #12" at the end of a name stays.
 */
void rfl_kernels_end(const struct rfl_import *in);

/*
 * Whether a region's counts and a row of rfl_region.h's timer (`times`) have the same name. Then `counts`
 * gets the timer's seconds, which no profiler lengthened, and the work that the author stated: in place of
 * what was not counted, else as values ("author_flops", "author_bytes").
 */
bool rfl_region_join(struct rfl_point *counts, const struct rfl_point *times);

#endif
