/*
 * fp_arith: the counters of floating-point instructions of Intel cores, which likwid, perf, PAPI and
 * VTune write under slightly different names. It reads no file.
 *
 * FP_ARITH_INST_RETIRED.256B_PACKED_DOUBLE counts instructions; each stands for as many operations
 * as there are elements in a register, and an FMA counts twice (Intel 64 and IA-32 Software
 * Developer's Manual, volume 3, events of Broadwell and later; the same text is in `perf list`). So
 * counter x width is the number of operations, and how many of them are FMA cannot be told. FP16:
 * FP_ARITH_INST_RETIRED2 (Sapphire Rapids).
 */
#ifndef RFL_IMPORT_FP_ARITH_H
#define RFL_IMPORT_FP_ARITH_H

#include "analysis/points.h"

#include <stdbool.h>

enum { RFL_FP_TYPES = 3 }; /* fp64, fp32, fp16 */

struct rfl_fp_arith {
    double flops[RFL_FP_TYPES];
    bool seen[RFL_FP_TYPES];       /* a counter of this type had a number */
    bool scalar[RFL_FP_TYPES];     /* and the scalar one was among them */
    char terms[RFL_FP_TYPES][160]; /* "scalar_double + 4 x 256b_packed_double" */
};

/*
 * The type and width of an event in any tool's spelling ("FP_ARITH:SCALAR_DOUBLE",
 * "fp_arith_inst_retired.scalar_double"); false when it is none of these.
 */
bool rfl_fp_arith_event(const char *event, const char **type, double *width);

/* Adds a count of such an event; false when it is none. */
bool rfl_fp_arith_add(struct rfl_fp_arith *sums, const char *event, double count);

/*
 * Adds the operations of each type to a point, the recipe naming the events and the tool; a warning
 * where the scalar event was not among them. Errors as rfl_points_work.
 */
enum ert_status rfl_fp_arith_put(const struct rfl_fp_arith *sums, const char *tool,
                                 struct rfl_points *points, struct rfl_point *point,
                                 struct ert_error *error);

#endif
