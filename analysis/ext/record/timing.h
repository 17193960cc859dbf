/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * timing: the times of several runs of a program, and who else used the CPUs meanwhile. Other work makes a
 * run longer, never shorter: runs in which others had more than a tenth of the CPUs' time, or all CPUs were
 * busy, not only with the program, do not count if more were undisturbed; else the shortest of all counts,
 * and says so.
 */
#ifndef RFL_RECORD_TIMING_H
#define RFL_RECORD_TIMING_H

#include "analysis/core/points/points.h"
#include "ert/core/machine/activity.h"
#include "ert/ext/base/tool.h"

enum { RFL_MOST_TIMED = 16 };

struct rfl_timed {
    double elapsed_s, cpu_s; /* cpu_s: of the program and its children, also the system's */
    double system_s;         /* of these */
    double others;           /* share of the CPUs' time that others had, 0 to 1 */
    bool is_disturbed, is_known; /* is_known: it was long enough to see others */
    struct ert_activity_snapshot before;
};

struct rfl_timing {
    struct ert_activity_cpus cpus;
    size_t n;
    struct rfl_timed runs[RFL_MOST_TIMED];
};

/* Around a run. The second adds it, unless it was interrupted or there are too many. */
void rfl_timing_begin(struct rfl_timing *timing, struct rfl_timed *timed);
void rfl_timing_end(struct rfl_timing *timing, struct rfl_timed *timed,
                    const struct ert_tool_end *end);

/* The run whose time counts; NULL: there is none. */
const struct rfl_timed *rfl_timing_chosen(const struct rfl_timing *timing);

/*
 * Sets a point's time and interval from its seconds in each run: the median of the undisturbed runs, their
 * least and greatest, of six or more without one at each end (which holds the median of all in 75 % or more).
 * If half or more were disturbed the shortest, which without others may have been as short as its CPU time on
 * its threads, half as long if its CPUs are threads of shared cores, a tenth if threads wait for each other;
 * a warning says so.
 */
void rfl_timing_set(const struct rfl_timing *timing, const double *seconds,
                    struct rfl_point *point);

/* Tells the user how the runs differ, and whether they were disturbed. */
void rfl_timing_say(const struct rfl_timing *timing,
                    void (*say)(const char *format, ...)
                        __attribute__((format(printf, 1, 2))));

#endif
