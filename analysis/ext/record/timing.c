/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * timing: the times of several runs of a program, and who else used the CPUs meanwhile. Other work makes a
 * run longer, never shorter: runs in which others had more than a tenth of the CPUs' time, or all CPUs were
 * busy, not only with the program, do not count if more were undisturbed; else the shortest of all counts,
 * and says so.
 */
#include "analysis/ext/record/record.h"

#include "ert/core/base/units.h"
#include "ert/core/stats/stats.h"

#include <math.h>
#include <sys/resource.h>

/* Less of others' time than this changes no time that can be told apart from the spread of runs. */
static const double noted = 0.02;

/* CPUs that are busy for more than this share have none left for a thread that wakes up. */
static const double busy = 0.95;

/*
 * Others with more than this share slow it down on CPUs of its own, too: by clock, caches and memory. A
 * choice: of 31 programs of mostly one thread, 6 recorded beside builds on two CPUs seemed changed
 * (results/record).
 */
static const double many = 0.1;

/* What another hardware thread of its core leaves to it, if its CPUs are such (ert/core/fit/evidence.c). */
static const double left_by_sibling = 0.5;

/* What others leave to threads that wait for each other. A choice: two took 5.1 times as long. */
static const double left_to_threads = 0.1;

/* Adds what all ended children have used, times `sign`. */
static void add_children(struct rfl_timed *timed, int sign)
{
    struct rusage of;
    if (getrusage(RUSAGE_CHILDREN, &of) != 0)
        return;
    const double system_s = (double)of.ru_stime.tv_sec + 1e-6 * (double)of.ru_stime.tv_usec;
    timed->system_s += sign * system_s;
    timed->cpu_s +=
        sign * (system_s + (double)of.ru_utime.tv_sec + 1e-6 * (double)of.ru_utime.tv_usec);
}

void rfl_timing_begin(struct rfl_timing *timing, struct rfl_timed *timed)
{
    ert_activity_usable(&timing->cpus);
    *timed = (struct rfl_timed){.cpu_s = 0};
    add_children(timed, -1);
    ert_activity_look("", &timing->cpus, &timed->before);
}

/* Adds what the counters have gone on by in a run. */
static void timing_watch(struct ert_activity_snapshot *watched,
                         const struct ert_activity_snapshot *before,
                         const struct ert_activity_snapshot *after)
{
    watched->clock_s += after->clock_s - before->clock_s;
    watched->own_s += after->own_s - before->own_s;
    watched->busy_s += after->busy_s - before->busy_s;
    watched->steal_s += after->steal_s - before->steal_s;
    watched->n_cpus = after->n_cpus;
}

void rfl_timing_end(struct rfl_timing *timing, struct rfl_timed *timed,
                    const struct ert_tool_end *end)
{
    struct ert_activity_snapshot after;
    ert_activity_look("", &timing->cpus, &after);
    timed->elapsed_s = end->elapsed_s;
    add_children(timed, 1);
    if (end->interrupt || !(end->elapsed_s > 0) || timing->n == RFL_MOST_TIMED)
        return;
    /* The program is our child: to ert_activity_between it is one of the others. */
    timed->before.own_s -= timed->cpu_s;
    timing_watch(&timing->watched, &timed->before, &after);
    struct ert_activity activity = ert_activity_between(&timed->before, &after);
    if (activity.n_cpus ==
        0) { /* too short: with the runs before, not with what was between them */
        const struct ert_activity_snapshot start = {.n_cpus = timing->watched.n_cpus};
        activity = ert_activity_between(&start, &timing->watched);
    }
    timed->is_known = activity.n_cpus > 0;
    timed->others = fmin(1, activity.foreign + activity.steal);
    timed->is_disturbed = timed->others > many ||
                          (timed->others > noted && timed->others + activity.own > busy);
    timing->runs[timing->n++] = *timed;
}

static size_t timing_count_disturbed(const struct rfl_timing *timing)
{
    size_t n = 0;
    for (size_t i = 0; i < timing->n; i++)
        n += timing->runs[i].is_disturbed;
    return n;
}

/* If half of the runs or more are: the others then seem quiet only because the system's ticks are coarse. */
static bool timing_is_disturbed(const struct rfl_timing *timing)
{
    return 2 * timing_count_disturbed(timing) >= timing->n;
}

/* The seconds of the runs that count; returns how many. */
static size_t timing_select(const struct rfl_timing *timing, const double *seconds,
                            double selected[RFL_MOST_TIMED])
{
    const bool takes_all = timing_is_disturbed(timing);
    size_t n = 0;
    for (size_t i = 0; i < timing->n; i++)
        if (takes_all || !timing->runs[i].is_disturbed)
            selected[n++] = seconds[i];
    return n;
}

/* The median of seconds that count; of disturbed ones the least. */
static double timing_value(const struct rfl_timing *timing, const double *seconds, size_t n)
{
    return ert_stats_quantile(seconds, n, timing_is_disturbed(timing) ? 0 : 0.5);
}

/* An end of the interval of n > 0 runs. */
static double timing_end(const struct rfl_timing *timing, const double *seconds, size_t n,
                         bool is_last)
{
    const size_t left_out = n >= 6 && !timing_is_disturbed(timing);
    return ert_stats_order(seconds, n, 1, NAN, is_last ? n - 1 - left_out : left_out);
}

const struct rfl_timed *rfl_timing_chosen(const struct rfl_timing *timing)
{
    const struct rfl_timed *chosen = NULL;
    for (size_t i = 0; i < timing->n; i++) {
        const struct rfl_timed *run = &timing->runs[i];
        const int better = !chosen ? 1
                           : run->is_disturbed != chosen->is_disturbed
                               ? chosen->is_disturbed - run->is_disturbed
                               : run->is_known - chosen->is_known;
        if (better > 0 || (better == 0 && run->elapsed_s < chosen->elapsed_s))
            chosen = run;
    }
    return chosen;
}

void rfl_timing_set(const struct rfl_timing *timing, const double *seconds,
                    struct rfl_point *point)
{
    double selected[RFL_MOST_TIMED];
    const struct rfl_timed *chosen = rfl_timing_chosen(timing);
    const size_t n = timing_select(timing, seconds, selected);
    if (!n)
        return;
    point->time_s = timing_value(timing, selected, n);
    if (n > 1) {
        point->time_low_s = timing_end(timing, selected, n, false);
        point->time_high_s = timing_end(timing, selected, n, true);
    }
    if (!timing_is_disturbed(timing))
        return;
    double others = 0;
    for (size_t i = 0; i < timing->n; i++)
        others = fmax(others, timing->runs[i].others);
    const double used = chosen->cpu_s / chosen->elapsed_s / fmax(1, point->threads);
    const double left = point->threads > 1 ? left_to_threads : left_by_sibling;
    point->time_high_s = point->time_s;
    point->time_low_s = point->time_s * fmin(used, 1) * (others > many ? left : 1);
    rfl_points_warn(point,
                    "others had %.0f %% of the CPUs' time while it was timed: alone it may "
                    "be faster",
                    100 * others);
}

/* The times of the whole runs that count; returns how many. */
static size_t timing_whole(const struct rfl_timing *timing, double selected[RFL_MOST_TIMED])
{
    double seconds[RFL_MOST_TIMED] = {0};
    for (size_t i = 0; i < timing->n; i++)
        seconds[i] = timing->runs[i].elapsed_s;
    return timing_select(timing, seconds, selected);
}

double rfl_timing_elapsed(const struct rfl_timing *timing)
{
    double selected[RFL_MOST_TIMED];
    const size_t n = timing_whole(timing, selected);
    return n ? timing_value(timing, selected, n) : 0;
}

void rfl_timing_say(const struct rfl_timing *timing, void (*say)(const char *format, ...))
{
    double selected[RFL_MOST_TIMED];
    const size_t n_disturbed = timing_count_disturbed(timing),
                 n = timing_whole(timing, selected);
    if (n > 1 || n_disturbed > 0)
        say("timed %zu times: %s (%s)%s", timing->n,
            ert_units_time(timing_value(timing, selected, n)).text,
            ert_units_pair(timing_end(timing, selected, n, false), " .. ",
                           timing_end(timing, selected, n, true), "s")
                .text,
            !n_disturbed ? ""
            : !timing_is_disturbed(timing)
                ? "; runs that others disturbed do not count"
                : "; others disturbed half of them or more, so the shortest counts");
}
