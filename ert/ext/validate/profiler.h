/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * profiler: checks whether a profiler counts correctly, by running kernels of known work under it.
 */
#ifndef ERT_VALIDATE_PROFILER_H
#define ERT_VALIDATE_PROFILER_H

#include "ert/core/machine/machine.h"
#include "ert/ext/validate/counters.h"

enum { ERT_MAX_PROFILED = 4 };

/* One quantity of one kernel. */
struct ert_profiled {
    char kernel[24];
    char what[16]; /* "operations", "bytes" */
    double counted, ours;
};

/* "ncu", "likwid", "perf", NULL. */
extern const char *const ert_profiler_names[];

/*
 * Runs fma_fp64 and a sweep through memory under the profiler, on a device of the kind that it measures, and
 * fills results[0..*n). ERT_UNAVAILABLE, with the reason, when the profiler is missing, may not read its
 * counters, or counted nothing.
 */
enum ert_status ert_profiler_check(const char *name, const struct ert_machine *machine,
                                   struct ert_profiled results[ERT_MAX_PROFILED], size_t *n,
                                   struct ert_error *error);

/*
 * Pure: the count of an event in the output of `perf stat -x,`; ERT_UNAVAILABLE when it was not counted.
 */
enum ert_status ert_profiler_perf(const char *text, const char *event, double *count,
                                  struct ert_error *error);

/*
 * Pure: operations and bytes in the output of `likwid-perfctr -g MEM_DP -O`; NaN for one that is missing,
 * ERT_UNAVAILABLE with likwid's message when both are.
 */
enum ert_status ert_profiler_likwid(const char *text, double *flops, double *bytes,
                                    struct ert_error *error);

#endif
