/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * profiler: whether a profiler counts right: kernels of known work run under it.
 */
#ifndef ERT_VALIDATE_PROFILER_H
#define ERT_VALIDATE_PROFILER_H

#include "ert/machine/machine.h"
#include "ert/validate/counters.h"

enum { ERT_MAX_PROFILED = 4 };

/* One quantity of one kernel. */
struct ert_profiled {
    char kernel[24];
    char what[16]; /* "operations", "bytes" */
    double counted, ours;
};

/* "ncu", "likwid", "perf", NULL-terminated. */
extern const char *const ert_profiler_names[];

/*
 * Runs fma_fp64 and a sweep through memory on a device of the machine that the profiler is for, and
 * fills results[0..*n). ERT_UNAVAILABLE when the profiler is missing, refused its counters, or
 * counted nothing, with the reason.
 */
enum ert_status ert_profiler_check(const char *name, const struct ert_machine *machine,
                                   struct ert_profiled results[ERT_MAX_PROFILED], size_t *n,
                                   struct ert_error *error);

/*
 * Pure: the count of an event in `perf stat -x,`'s text; ERT_UNAVAILABLE when it was not counted.
 */
enum ert_status ert_profiler_perf(const char *text, const char *event, double *count,
                                  struct ert_error *error);

/*
 * Pure: operations and bytes of `likwid-perfctr -g MEM_DP -O`'s text; NaN for one that is not there,
 * ERT_UNAVAILABLE with likwid's words when neither is.
 */
enum ert_status ert_profiler_likwid(const char *text, double *flops, double *bytes,
                                    struct ert_error *error);

#endif
