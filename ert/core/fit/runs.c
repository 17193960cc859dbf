/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/fit/runs.h"

#include "ert/core/base/alloc.h"
#include "ert/core/fit/fit.h"
#include "ert/core/stats/differ.h"
#include "ert/core/stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A list of a device's ceilings, whose elements begin with a struct ert_ceiling. */
struct list {
    char *elements;
    size_t n, size_bytes;
};

enum { COMPUTE, MEMORY, EXTRAS, N_LISTS = EXTRAS + ERT_N_EXTRA_KINDS };

static struct list list_of(struct ert_device_ceilings *device, int list)
{
    if (list == COMPUTE)
        return (struct list){(char *)device->compute, device->n_compute,
                             sizeof device->compute[0]};
    if (list == MEMORY)
        return (struct list){(char *)device->memory, device->n_memory,
                             sizeof device->memory[0]};
    return (struct list){(char *)device->extra[list - EXTRAS],
                         device->n_extra[list - EXTRAS], sizeof device->extra[0][0]};
}

static struct ert_ceiling *runs_at(const struct list *list, size_t i)
{
    return (struct ert_ceiling *)(void *)(list->elements + i * list->size_bytes);
}

static struct ert_device_ceilings *runs_find_device(struct ert_ceilings *run,
                                                    const char *id)
{
    for (size_t i = 0; i < run->n_devices; i++)
        if (strcmp(run->devices[i].device, id) == 0)
            return &run->devices[i];
    return NULL;
}

/* The ceilings of one name in the runs that have it; they are merged into the first one. */
struct merging {
    size_t n;
    const struct ert_ceiling **runs;
    double *values;
};

static void gather(struct ert_ceilings *runs, size_t n_runs, const char *device,
                   struct ert_ceiling *into, int which, struct merging *merging)
{
    merging->n = 0;
    merging->runs[merging->n++] = into;
    for (size_t r = 1; r < n_runs; r++) {
        struct ert_device_ceilings *other = runs_find_device(&runs[r], device);
        struct list list = other ? list_of(other, which) : (struct list){0};
        size_t i = 0;
        while (i < list.n && strcmp(runs_at(&list, i)->name, into->name) != 0)
            i++;
        if (i < list.n)
            merging->runs[merging->n++] = runs_at(&list, i);
    }
}

static double runs_median_of(const struct merging *merging, size_t offset)
{
    size_t n = 0;
    for (size_t i = 0; i < merging->n; i++) {
        double value =
            *(const double *)(const void *)((const char *)merging->runs[i] + offset);
        if (value > 0)
            merging->values[n++] = value;
    }
    return n ? ert_stats_median(merging->values, n) : 0;
}

static double runs_spread_of(const struct merging *merging)
{
    double mean = 0, square = 0;
    if (merging->n < 2)
        return 0;
    for (size_t i = 0; i < merging->n; i++)
        mean += log(merging->runs[i]->value) / (double)merging->n;
    for (size_t i = 0; i < merging->n; i++)
        square += pow(log(merging->runs[i]->value) - mean, 2);
    return sqrt(square / (double)(merging->n - 1));
}

/* The root mean square of the spreads of the device's compute and memory ceilings. */
static double shared_spread(struct ert_ceilings *runs, size_t n_runs,
                            struct ert_device_ceilings *device, struct merging *merging)
{
    double sum = 0;
    size_t n = 0;
    for (int l = COMPUTE; l <= MEMORY; l++) {
        const struct list list = list_of(device, l);
        for (size_t i = 0; i < list.n; i++) {
            gather(runs, n_runs, device->device, runs_at(&list, i), l, merging);
            sum += pow(runs_spread_of(merging), 2);
            n += merging->n > 1;
        }
    }
    return n ? sqrt(sum / (double)n) : 0;
}

/* The run whose value is nearest to `value`, the median. */
static const struct ert_ceiling *middle_run(const struct merging *merging, double value)
{
    const struct ert_ceiling *nearest = merging->runs[0];
    for (size_t i = 1; i < merging->n; i++)
        if (fabs(merging->runs[i]->value - value) < fabs(nearest->value - value))
            nearest = merging->runs[i];
    return nearest;
}

/*
 * What belongs to a single measurement (configuration, clock, confidence, rounds) is taken from the middle
 * run; the value, its interval, and the theory come from all runs.
 */
static void merge_ceiling(const struct merging *merging, struct ert_ceiling *into,
                          size_t size_bytes, double shared)
{
    double value = runs_median_of(merging, offsetof(struct ert_ceiling, value));
    double fraction =
        runs_median_of(merging, offsetof(struct ert_ceiling, fraction_of_theory));
    double low = value, high = value, best = into->best;
    double between = ert_differ_between_runs(runs_spread_of(merging), merging->n, shared);
    struct ert_burst burst = {
        .value = runs_median_of(merging, offsetof(struct ert_ceiling, burst)),
        .low = INFINITY};
    uint32_t n_samples = 0;
    /* The best time is the least. */
    bool is_time = into->best < into->value;
    for (size_t i = 0; i < merging->n; i++) {
        const struct ert_ceiling *run = merging->runs[i];
        low = fmin(low, run->value);
        high = fmax(high, run->value);
        best = is_time ? fmin(best, run->best) : fmax(best, run->best);
        n_samples += run->n_samples;
        if (run->burst > 0) {
            burst.low = fmin(burst.low, run->burst_low);
            burst.high = fmax(burst.high, run->burst_high);
        }
    }
    memmove(into, middle_run(merging, value), size_bytes);
    into->value = value;
    into->best = best;
    into->n_samples = n_samples;
    into->n_runs = (uint32_t)merging->n;
    into->runs_low = low;
    into->runs_high = high;
    into->between = between;
    if (into->burst > 0) {
        into->burst = burst.value;
        into->burst_low = burst.low;
        into->burst_high = burst.high;
    }
    /* The next run's value minus the median of n runs: the median has pi / 2n of a single run's variance. */
    double reach = ert_differ_student(0.05, (double)merging->n - 1 + ERT_DIFFER_SHARED) *
                   between * sqrt(1 + 1.5708 / (double)merging->n);
    into->low = fmin(low, value * exp(-reach));
    into->high = fmax(high, value * exp(reach));
    /* Each fraction is relative to the peak at its run's clock; the merged peak follows from it. */
    into->fraction_of_theory = fraction;
    into->theory = fraction > 0 ? value / fraction : 0;
}

/* Takes the median of the runs' clocks; makes the device not valid, with the reason, if any run's is not. */
static void merge_device(struct ert_ceilings *runs, size_t n,
                         struct ert_device_ceilings *device, double *values)
{
    size_t n_clocks = 0;
    for (size_t r = 0; r < n; r++) {
        const struct ert_device_ceilings *other =
            runs_find_device(&runs[r], device->device);
        if (other && other->held_hz > 0)
            values[n_clocks++] = other->held_hz;
        if (!device->valid || !other || other->valid)
            continue;
        device->valid = false;
        memcpy(device->warnings, other->warnings, sizeof device->warnings);
    }
    if (n_clocks > 0)
        device->held_hz = ert_stats_median(values, n_clocks);
}

void ert_runs_merge(struct ert_ceilings *runs, size_t n)
{
    struct merging merging = {.values = ert_xcalloc(n, sizeof *merging.values),
                              .runs = ert_xcalloc(n, sizeof *merging.runs)};
    for (size_t d = 0; d < runs[0].n_devices; d++) {
        struct ert_device_ceilings *device = &runs[0].devices[d];
        device->between = shared_spread(runs, n, device, &merging);
        for (int l = 0; l < N_LISTS; l++) {
            const struct list list = list_of(device, l);
            for (size_t i = 0; i < list.n; i++) {
                gather(runs, n, device->device, runs_at(&list, i), l, &merging);
                merge_ceiling(&merging, runs_at(&list, i), list.size_bytes,
                              device->between);
            }
        }
        ert_ceilings_mark_roofs(device);
        merge_device(runs, n, device, merging.values);
    }
    free(merging.values);
    free(merging.runs);
}

double ert_runs_spread(const struct ert_device_ceilings *device, const char **name)
{
    double most = 0;
    *name = NULL;
    for (size_t i = 0; i < device->n_compute + device->n_memory; i++) {
        const struct ert_ceiling *ceiling = ert_ceiling_at(device, i);
        double spread = (ceiling->runs_high - ceiling->runs_low) / ceiling->value;
        if (ceiling->n_runs > 1 && spread >= most) {
            most = spread;
            *name = ceiling->name;
        }
    }
    return most;
}
