/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * common: what several importers need: the floating-point events of Intel cores, which kernel of a profile a
 * row belongs to, and plain names of GPU kernels. Private to import.
 */
#ifndef RFL_IMPORT_COMMON_H
#define RFL_IMPORT_COMMON_H

#include "analysis/import/import.h"

/*
 * The counters of floating-point instructions of Intel cores, which likwid, perf, PAPI and VTune write under
 * slightly different names.
 *
 * FP_ARITH_INST_RETIRED.256B_PACKED_DOUBLE counts instructions; each does as many operations as a register
 * has elements, and an FMA counts twice (Intel 64 and IA-32 Software Developer's Manual, volume 3, events of
 * Broadwell and later; the same text is in `perf list`). So counter x width is the number of operations; how
 * many of them are FMA is unknown. FP16: FP_ARITH_INST_RETIRED2 (Sapphire Rapids).
 */
enum { RFL_FP_TYPES = 3 }; /* fp64, fp32, fp16 */

struct rfl_fp_arith {
    double flops[RFL_FP_TYPES];
    bool seen[RFL_FP_TYPES];       /* some counter of this type had a number */
    bool scalar[RFL_FP_TYPES];     /* the scalar counter had one, too */
    char terms[RFL_FP_TYPES][160]; /* "scalar_double + 4 x 256b_packed_double" */
};

extern const char *const rfl_fp_types[RFL_FP_TYPES];

/*
 * The type (index in rfl_fp_types) that an event counts, in any tool's spelling ("FP_ARITH:SCALAR_DOUBLE",
 * "fp_arith_inst_retired.scalar_double"); -1 for other events.
 */
int rfl_fp_arith_type(const char *event);

/* Adds a count of such an event; false for other events. */
bool rfl_fp_arith_add(struct rfl_fp_arith *sums, const char *event, double count);

/*
 * Adds the operations of each type to a point, with a recipe that names the events and the tool; warns if the
 * scalar event was not counted.
 */
void rfl_fp_arith_put(const struct rfl_fp_arith *sums, const char *tool,
                      struct rfl_point *point);

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
