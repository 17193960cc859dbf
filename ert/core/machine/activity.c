/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/machine/activity.h"

#include "ert/core/base/clock.h"

#include <limits.h>
#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { LEAST_TICKS = 100 };

static bool activity_has_cpu(const struct ert_activity_cpus *cpus, unsigned long cpu)
{
    return cpu < ERT_ACTIVITY_MAX_CPUS && (cpus->bits[cpu / 64] >> cpu % 64 & 1);
}

void ert_activity_usable(struct ert_activity_cpus *cpus)
{
    const size_t size = CPU_ALLOC_SIZE(ERT_ACTIVITY_MAX_CPUS);
    cpu_set_t *set = CPU_ALLOC(ERT_ACTIVITY_MAX_CPUS);
    memset(cpus, 0, sizeof *cpus);
    if (set && sched_getaffinity(0, size, set) == 0)
        for (int cpu = 0; cpu < ERT_ACTIVITY_MAX_CPUS; cpu++)
            if (CPU_ISSET_S(cpu, size, set))
                cpus->bits[cpu / 64] |= UINT64_C(1) << cpu % 64;
    CPU_FREE(set);
}

/* The clock in which the kernel counts the times of /proc/stat: 100 Hz nearly everywhere. */
static double ticks_per_s(void)
{
    long ticks = sysconf(_SC_CLK_TCK);
    return ticks > 0 ? (double)ticks : 100;
}

/*
 * One line "cpuN user nice system idle iowait irq softirq steal ..." (proc(5)). On a host, `user` includes
 * its guests' time. False for other lines, such as "cpu", the sum of all.
 */
static bool parse_cpu(const char *line, unsigned long *cpu, double *busy, double *steal)
{
    double user, nice, system, irq, softirq;
    char *end;
    if (strncmp(line, "cpu", 3) != 0 || line[3] < '0' || line[3] > '9')
        return false;
    *cpu = strtoul(line + 3, &end, 10);
    if (sscanf(end, "%lf %lf %lf %*f %*f %lf %lf %lf", &user, &nice, &system, &irq,
               &softirq, steal) != 6)
        return false;
    *busy = user + nice + system + irq + softirq;
    return true;
}

static double seconds_of(struct timeval time)
{
    return (double)time.tv_sec + 1e-6 * (double)time.tv_usec;
}

void ert_activity_look(const char *root, const struct ert_activity_cpus *cpus,
                       struct ert_activity_snapshot *snapshot)
{
    char file[PATH_MAX], line[512];
    const double tick_s = 1 / ticks_per_s();
    struct rusage own;
    *snapshot = (struct ert_activity_snapshot){0};
    snprintf(file, sizeof file, "%s/proc/stat", root);
    FILE *stream = fopen(file, "r");
    if (!stream)
        return;
    while (fgets(line, sizeof line, stream)) {
        unsigned long cpu;
        double busy, steal;
        /* The line "intr" is longer than the buffer: its rest begins with a number and is skipped. */
        if (!parse_cpu(line, &cpu, &busy, &steal) || !activity_has_cpu(cpus, cpu))
            continue;
        snapshot->busy_s += busy * tick_s;
        snapshot->steal_s += steal * tick_s;
        snapshot->n_cpus++;
    }
    fclose(stream);
    snapshot->clock_s = ert_clock_now_s();
    if (getrusage(RUSAGE_SELF, &own) == 0)
        snapshot->own_s = seconds_of(own.ru_utime) + seconds_of(own.ru_stime);
}

static double share(double part_s, double all_s)
{
    return fmin(fmax(part_s / all_s, 0), 1);
}

struct ert_activity ert_activity_between(const struct ert_activity_snapshot *before,
                                         const struct ert_activity_snapshot *after)
{
    double elapsed_s = after->clock_s - before->clock_s;
    double all_s = elapsed_s * after->n_cpus;
    struct ert_activity activity = {.elapsed_s = fmax(elapsed_s, 0)};
    if (before->n_cpus != after->n_cpus || all_s * ticks_per_s() < LEAST_TICKS)
        return activity;
    double own_s = after->own_s - before->own_s;
    activity.n_cpus = after->n_cpus;
    activity.own = share(own_s, all_s);
    /* own_s may include time on other CPUs, from before this process was bound to these. */
    activity.foreign = share(after->busy_s - before->busy_s - own_s, all_s);
    activity.steal = share(after->steal_s - before->steal_s, all_s);
    return activity;
}
