/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/cli/results.h"

#include "ert/core/base/alloc.h"
#include "ert/core/fit/fit.h"
#include "ert/core/stats/differ.h"
#include "ert/core/stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The ceilings of one name in the runs that have it; they are merged into the first one. */
struct merging {
    size_t n;
    const struct ert_ceiling **runs;
    double *values;
};

static void gather(struct ert_ceilings *runs, size_t n_runs, const char *device,
                   struct ert_ceiling *into, struct merging *merging)
{
    merging->n = 0;
    merging->runs[merging->n++] = into;
    for (size_t r = 1; r < n_runs; r++) {
        const struct ert_device_ceilings *other = ert_ceilings_device(&runs[r], device);
        size_t i = 0;
        while (other && i < other->n &&
               (other->ceilings[i].kind != into->kind ||
                strcmp(other->ceilings[i].name, into->name) != 0))
            i++;
        if (other && i < other->n)
            merging->runs[merging->n++] = &other->ceilings[i];
    }
}

enum number { VALUE, FRACTION, BURST };

/* The median of a number of those runs that know it; 0 if none does. */
static double runs_median_of(const struct merging *merging, enum number which)
{
    size_t n = 0;
    for (size_t i = 0; i < merging->n; i++) {
        const struct ert_ceiling *run = merging->runs[i];
        const double numbers[] = {[VALUE] = run->value,
                                  [FRACTION] = run->fraction_of_theory,
                                  [BURST] = run->evidence->burst};
        if (numbers[which] > 0)
            merging->values[n++] = numbers[which];
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
    const struct ert_ceiling_span of = ert_ceilings_main(device);
    for (size_t i = 0; i < of.n; i++) {
        gather(runs, n_runs, device->device, &of.at[i], merging);
        sum += pow(runs_spread_of(merging), 2);
        n += merging->n > 1;
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
                          double shared)
{
    double value = runs_median_of(merging, VALUE);
    double fraction = runs_median_of(merging, FRACTION);
    double low = value, high = value, best = into->evidence->best;
    double between = ert_differ_between_runs(runs_spread_of(merging), merging->n, shared);
    struct ert_burst burst = {.value = runs_median_of(merging, BURST), .low = INFINITY};
    uint32_t n_samples = 0;
    /* The best time is the least. */
    bool is_time = into->evidence->best < into->value;
    for (size_t i = 0; i < merging->n; i++) {
        const struct ert_ceiling *run = merging->runs[i];
        low = fmin(low, run->value);
        high = fmax(high, run->value);
        best = is_time ? fmin(best, run->evidence->best) : fmax(best, run->evidence->best);
        n_samples += run->evidence->n_samples;
        if (run->evidence->burst > 0) {
            burst.low = fmin(burst.low, run->evidence->burst_low);
            burst.high = fmax(burst.high, run->evidence->burst_high);
        }
    }
    const struct ert_ceiling middle = *middle_run(merging, value);
    struct ert_evidence *const evidence = into->evidence;
    memmove(evidence, middle.evidence, sizeof *evidence);
    *into = middle;
    into->evidence = evidence;
    into->value = value;
    into->evidence->best = best;
    into->evidence->n_samples = n_samples;
    into->evidence->n_runs = (uint32_t)merging->n;
    into->evidence->runs_low = low;
    into->evidence->runs_high = high;
    into->evidence->between = between;
    if (into->evidence->burst > 0) {
        into->evidence->burst = burst.value;
        into->evidence->burst_low = burst.low;
        into->evidence->burst_high = burst.high;
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
            ert_ceilings_device(&runs[r], device->device);
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
        for (size_t i = 0; i < device->n; i++) {
            gather(runs, n, device->device, &device->ceilings[i], &merging);
            merge_ceiling(&merging, &device->ceilings[i], device->between);
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
    const struct ert_ceiling_span of = ert_ceilings_main(device);
    for (size_t i = 0; i < of.n; i++) {
        const struct ert_ceiling *ceiling = &of.at[i];
        double spread =
            (ceiling->evidence->runs_high - ceiling->evidence->runs_low) / ceiling->value;
        if (ceiling->evidence->n_runs > 1 && spread >= most) {
            most = spread;
            *name = ceiling->name;
        }
    }
    return most;
}
