#include "ert/ceilings/runs.h"

#include "ert/base/alloc.h"
#include "ert/ceilings/fit.h"
#include "ert/stats/differ.h"
#include "ert/stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static size_t count(const struct ert_device_ceilings *device)
{
    size_t n = device->n_compute + device->n_memory;
    for (int kind = 0; kind < ERT_N_EXTRA_KINDS; kind++)
        n += device->n_extra[kind];
    return n;
}

/* The lists that at() tells apart beside those of extras; all elements begin with the ceiling. */
enum { COMPUTE = -2, MEMORY = -1 };

/* The i-th ceiling of a device, over all its lists, and which list it is of. */
static struct ert_ceiling *at(struct ert_device_ceilings *device, size_t i, int *list)
{
    *list = COMPUTE;
    if (i < device->n_compute)
        return &device->compute[i].common;
    i -= device->n_compute;
    *list = MEMORY;
    if (i < device->n_memory)
        return &device->memory[i].common;
    i -= device->n_memory;
    for (*list = 0; i >= device->n_extra[*list]; (*list)++)
        i -= device->n_extra[*list];
    return &device->extra[*list][i].common;
}

static const struct ert_ceiling *find(struct ert_device_ceilings *device, int list,
                                      const char *name)
{
    for (size_t i = 0, n = count(device); i < n; i++) {
        int other;
        const struct ert_ceiling *ceiling = at(device, i, &other);
        if (other == list && strcmp(ceiling->name, name) == 0)
            return ceiling;
    }
    return NULL;
}

static struct ert_device_ceilings *find_device(struct ert_ceilings *run, const char *id)
{
    for (size_t i = 0; i < run->n_devices; i++)
        if (strcmp(run->devices[i].device, id) == 0)
            return &run->devices[i];
    return NULL;
}

static size_t element_bytes(int list)
{
    return list == COMPUTE  ? sizeof(struct ert_compute_ceiling)
           : list == MEMORY ? sizeof(struct ert_memory_ceiling)
                            : sizeof(struct ert_extra);
}

/* The ceilings of one name in the runs that have it; the first run's is the one that is merged into. */
struct merging {
    size_t n;
    const struct ert_ceiling **runs;
    double *values;
};

static void gather(struct ert_ceilings *runs, size_t n_runs, const char *device,
                   struct ert_ceiling *into, int list, struct merging *merging)
{
    merging->n = 0;
    for (size_t r = 0; r < n_runs; r++) {
        struct ert_device_ceilings *other = find_device(&runs[r], device);
        const struct ert_ceiling *ceiling =
            r == 0 ? into : (other ? find(other, list, into->name) : NULL);
        if (ceiling)
            merging->runs[merging->n++] = ceiling;
    }
}

static double median_of(const struct merging *merging, size_t offset)
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

static double spread_of(const struct merging *merging)
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
    for (size_t i = 0; i < device->n_compute + device->n_memory; i++) {
        int list;
        struct ert_ceiling *ceiling = at(device, i, &list);
        gather(runs, n_runs, device->device, ceiling, list, merging);
        if (merging->n > 1) {
            sum += pow(spread_of(merging), 2);
            n++;
        }
    }
    return n ? sqrt(sum / (double)n) : 0;
}

/* The run whose value is nearest to the median's. */
static const struct ert_ceiling *middle_run(const struct merging *merging, double value)
{
    const struct ert_ceiling *nearest = merging->runs[0];
    for (size_t i = 1; i < merging->n; i++)
        if (fabs(merging->runs[i]->value - value) < fabs(nearest->value - value))
            nearest = merging->runs[i];
    return nearest;
}

/*
 * All that belongs to one measurement (configuration, clock, confidence, rounds) becomes that of the
 * run in the middle; only the value, its interval, and the theory are of all.
 */
static void merge_ceiling(const struct merging *merging, struct ert_ceiling *into, int list,
                          double shared)
{
    double value = median_of(merging, offsetof(struct ert_ceiling, value));
    double fraction = median_of(merging, offsetof(struct ert_ceiling, fraction_of_theory));
    double low = value, high = value, best = into->best;
    double between = ert_differ_between_runs(spread_of(merging), merging->n, shared);
    struct ert_burst burst = {
        .value = median_of(merging, offsetof(struct ert_ceiling, burst)), .low = INFINITY};
    uint32_t n_samples = 0;
    /* Of times the best is the least. */
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
    memmove(into, middle_run(merging, value), element_bytes(list));
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
    /* The next run's value against the median of n: its variance is pi / 2n of one's. */
    double reach = ert_differ_student(0.05, (double)merging->n - 1 + ERT_DIFFER_SHARED) *
                   between * sqrt(1 + 1.5708 / (double)merging->n);
    into->low = fmin(low, value * exp(-reach));
    into->high = fmax(high, value * exp(reach));
    /* Each fraction is at the clock that its run held; the peak follows. */
    into->fraction_of_theory = fraction;
    into->theory = fraction > 0 ? value / fraction : 0;
}

static void merge_validity(struct ert_ceilings *runs, size_t n,
                           struct ert_device_ceilings *device)
{
    for (size_t r = 1; r < n && device->valid; r++) {
        const struct ert_device_ceilings *other = find_device(&runs[r], device->device);
        if (!other || other->valid)
            continue;
        device->valid = false;
        memcpy(device->warnings, other->warnings, sizeof device->warnings);
    }
}

static void merge_clock(struct ert_ceilings *runs, size_t n,
                        struct ert_device_ceilings *device, double *values)
{
    size_t n_clocks = 0;
    for (size_t r = 0; r < n; r++) {
        const struct ert_device_ceilings *other = find_device(&runs[r], device->device);
        if (other && other->held_hz > 0)
            values[n_clocks++] = other->held_hz;
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
        for (size_t i = 0, n_all = count(device); i < n_all; i++) {
            int list;
            struct ert_ceiling *into = at(device, i, &list);
            gather(runs, n, device->device, into, list, &merging);
            merge_ceiling(&merging, into, list, device->between);
        }
        ert_fit_mark_roofs(device);
        merge_clock(runs, n, device, merging.values);
        merge_validity(runs, n, device);
    }
    free(merging.values);
    free(merging.runs);
}

double ert_runs_spread(const struct ert_device_ceilings *device, const char **name)
{
    double most = 0;
    *name = NULL;
    for (size_t i = 0; i < device->n_compute + device->n_memory; i++) {
        const struct ert_ceiling *ceiling =
            i < device->n_compute ? &device->compute[i].common
                                  : &device->memory[i - device->n_compute].common;
        double spread = (ceiling->runs_high - ceiling->runs_low) / ceiling->value;
        if (ceiling->n_runs > 1 && spread >= most) {
            most = spread;
            *name = ceiling->name;
        }
    }
    return most;
}
