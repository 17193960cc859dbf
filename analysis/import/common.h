/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * common: what several importers know: the floating-point events of Intel cores, which kernel of a profile a
 * row is of, and names of GPU kernels as people say them. Private to import.
 */
#ifndef RFL_IMPORT_COMMON_H
#define RFL_IMPORT_COMMON_H

#include "analysis/import/import.h"

/*
 * The counters of floating-point instructions of Intel cores, which likwid, perf, PAPI and VTune write under
 * slightly different names.
 *
 * FP_ARITH_INST_RETIRED.256B_PACKED_DOUBLE counts instructions; each stands for as many operations
 * as there are elements in a register, and an FMA counts twice (Intel 64 and IA-32 Software
 * Developer's Manual, volume 3, events of Broadwell and later; the same text is in `perf list`). So
 * counter x width is the number of operations, and how many of them are FMA cannot be told. FP16:
 * FP_ARITH_INST_RETIRED2 (Sapphire Rapids).
 */
enum { RFL_FP_TYPES = 3 }; /* fp64, fp32, fp16 */

struct rfl_fp_arith {
    double flops[RFL_FP_TYPES];
    bool seen[RFL_FP_TYPES];       /* a counter of this type had a number */
    bool scalar[RFL_FP_TYPES];     /* and the scalar one was among them */
    char terms[RFL_FP_TYPES][160]; /* "scalar_double + 4 x 256b_packed_double" */
};

extern const char *const rfl_fp_types[RFL_FP_TYPES];

/*
 * Which type an event counts, in any tool's spelling ("FP_ARITH:SCALAR_DOUBLE",
 * "fp_arith_inst_retired.scalar_double"); -1 when it is none of these.
 */
int rfl_fp_arith_type(const char *event);

/* Adds a count of such an event; false when it is none. */
bool rfl_fp_arith_add(struct rfl_fp_arith *sums, const char *event, double count);

/*
 * Adds the operations of each type to a point, the recipe naming the events and the tool; a warning
 * where the scalar event was not among them.
 */
void rfl_fp_arith_put(const struct rfl_fp_arith *sums, const char *tool,
                      struct rfl_point *point);

/* The number of a kernel of a profile, from 0, by what tells kernels apart; a new one gets the next. */
size_t rfl_kernel_number(struct ert_strings *kernels, const char *name, const char *process,
                         const char *device);

/* ERT_USAGE: the driver kept the GPU's counters from the user (ERR_NVGPUCTRPERM), and what helps. */
enum ert_status rfl_kernels_forbidden(const char *file, struct ert_error *error);

/*
 * When all kernels of a profile are read: those of one run need not name it; and names become plain
 * (strings.h), except where two different ones would become the same. " #12" at the end of a name stays.
 */
void rfl_kernels_end(const struct rfl_import *in);

/*
 * Whether what was counted of a region (`counts`) and a row of rfl_region.h's timer (`times`) are of one
 * name; then the counts get the timer's seconds, which no profiler lengthened, and the author's own work: in
 * place of what was not counted, else as values ("author_flops", "author_bytes").
 */
bool rfl_region_join(struct rfl_point *counts, const struct rfl_point *times);

#endif
