#include "ert/ceilings/runs.h"

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

/* The i-th ceiling of a device, over all its lists, and which list it is of. */
static struct ert_ceiling *at(struct ert_device_ceilings *device, size_t i, int *list)
{
    *list = -2;
    if (i < device->n_compute)
        return &device->compute[i].common;
    i -= device->n_compute;
    *list = -1;
    if (i < device->n_memory)
        return &device->memory[i].common;
    i -= device->n_memory;
    for (*list = 0; i >= device->n_extra[*list]; (*list)++)
        i -= device->n_extra[*list];
    return &device->extra[*list][i].common;
}

/* The ceiling of a name in the same list of another run's device, or NULL. */
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

/* values: scratch of n_runs. */
static void merge_ceiling(struct ert_ceilings *runs, size_t n_runs, const char *device,
                          struct ert_ceiling *into, int list, double *values)
{
    size_t n = 0;
    for (size_t r = 0; r < n_runs; r++) {
        struct ert_device_ceilings *other = find_device(&runs[r], device);
        const struct ert_ceiling *ceiling =
            r == 0 ? into : (other ? find(other, list, into->name) : NULL);
        if (!ceiling)
            continue;
        values[n++] = ceiling->value;
        into->low = fmin(into->low, ceiling->low);
        into->high = fmax(into->high, ceiling->high);
        into->best = fmax(into->best, ceiling->best);
        into->n_samples += r == 0 ? 0 : ceiling->n_samples;
    }
    into->n_runs = (uint32_t)n;
    into->runs_low = into->runs_high = values[0];
    for (size_t i = 1; i < n; i++) {
        into->runs_low = fmin(into->runs_low, values[i]);
        into->runs_high = fmax(into->runs_high, values[i]);
    }
    into->value = ert_stats_median(values, n);
}

/*
 * The median of the runs' fractions of theory, each at the clock that its run held: one run's peak
 * beside another's value would show 107 % where only the clock was higher. The peak follows.
 */
static void merge_theory(struct ert_ceilings *runs, size_t n_runs, const char *device,
                         struct ert_ceiling *into, int list, double *values)
{
    size_t n = 0;
    for (size_t r = 0; r < n_runs; r++) {
        struct ert_device_ceilings *other = find_device(&runs[r], device);
        const struct ert_ceiling *ceiling =
            r == 0 ? into : (other ? find(other, list, into->name) : NULL);
        if (ceiling && ceiling->fraction_of_theory > 0)
            values[n++] = ceiling->fraction_of_theory;
    }
    if (n == 0)
        return;
    into->fraction_of_theory = ert_stats_median(values, n);
    into->theory = into->value / into->fraction_of_theory;
}

enum ert_status ert_runs_merge(struct ert_ceilings *runs, size_t n, struct ert_error *error)
{
    double *values = malloc((n + 1) * sizeof *values);
    if (!values)
        return ert_fail(error, ERT_FAILED, "no memory to merge %zu runs", n);
    for (size_t d = 0; d < runs[0].n_devices; d++) {
        struct ert_device_ceilings *device = &runs[0].devices[d];
        for (size_t i = 0, n_all = count(device); i < n_all; i++) {
            int list;
            struct ert_ceiling *into = at(device, i, &list);
            merge_ceiling(runs, n, device->device, into, list, values);
            merge_theory(runs, n, device->device, into, list, values);
        }
        for (size_t r = 1; r < n && device->trusted; r++) {
            const struct ert_device_ceilings *other = find_device(&runs[r], device->device);
            if (!other || other->trusted)
                continue;
            device->trusted = false;
            memcpy(device->distrust, other->distrust, sizeof device->distrust);
        }
    }
    free(values);
    return ERT_OK;
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
