#include "ert/ceilings/threads.h"

#include "ert/stats/estimate.h"
#include "ert/stats/stats.h"

#include <stdio.h>
#include <stdlib.h>

/* A finding: so much slower than the median CPU, and the slowest so often. */
static const double slow_ratio = 0.9, slow_share = 0.5;

static uint32_t slowest_of(const struct ert_sample *sample)
{
    uint32_t slowest = 0;
    for (uint32_t t = 1; t < sample->n_threads; t++)
        if (sample->thread_passes[t] < sample->thread_passes[slowest])
            slowest = t;
    return slowest;
}

/* In how many windows of a point each thread was the slowest; returns the number of windows. */
static size_t count_slowest(const struct ert_point *point, size_t *counts, uint32_t n)
{
    size_t windows = 0;
    for (size_t i = 0; i < point->n_samples; i++) {
        if (point->samples[i].n_threads != n)
            continue;
        counts[slowest_of(&point->samples[i])]++;
        windows++;
    }
    return windows;
}

static uint32_t most_often(const size_t *counts, uint32_t n)
{
    uint32_t most = 0;
    for (uint32_t t = 1; t < n; t++)
        if (counts[t] > counts[most])
            most = t;
    return most;
}

void ert_threads_fill(struct ert_ceiling *ceiling, const struct ert_device_samples *samples,
                      const struct ert_point *point, double work_per_pass)
{
    uint32_t n = point->n_samples > 0 ? point->samples[0].n_threads : 0;
    double *numbers = n ? malloc(2 * point->n_samples * sizeof *numbers) : NULL;
    size_t *counts = n ? calloc(n, sizeof *counts) : NULL;
    if (numbers && counts) {
        double *rates = numbers, *ratios = numbers + point->n_samples;
        for (size_t i = 0; i < point->n_samples; i++) {
            const struct ert_sample *sample = &point->samples[i];
            rates[i] = sample->lockstep_per_s * work_per_pass;
            ratios[i] = sample->lockstep_per_s / sample->rate_per_s;
        }
        size_t windows = count_slowest(point, counts, n);
        uint32_t slowest = most_often(counts, n);
        ceiling->lockstep = ert_estimate_of(rates, point->n_samples, ERT_BETTER_HIGH);
        ceiling->imbalance = ert_stats_median(ratios, point->n_samples);
        ceiling->slowest_share = (double)counts[slowest] / (double)windows;
        ceiling->slowest_cpu = slowest < samples->observation.n_cpus
                                   ? samples->observation.cpus[slowest]
                                   : slowest;
    }
    free(counts);
    free(numbers);
}

/* Adds what each thread did of the mean, and how often it was the slowest; returns the windows. */
static size_t add_windows(const struct ert_device_samples *samples, uint32_t n,
                          double *sums, size_t *counts)
{
    size_t windows = 0;
    for (size_t p = 0; p < samples->n_points; p++) {
        const struct ert_point *point = &samples->points[p];
        if (point->section != ERT_SECTION_COMPUTE)
            continue;
        for (size_t i = 0; i < point->n_samples; i++)
            for (uint32_t t = 0; t < n && point->samples[i].n_threads == n; t++)
                sums[t] += point->samples[i].thread_passes[t] /
                           (point->samples[i].rate_per_s * point->samples[i].time_s);
        windows += count_slowest(point, counts, n);
    }
    return windows;
}

void ert_threads_slow_cpu(const struct ert_device_samples *samples, char *text, size_t size)
{
    uint32_t n = samples->observation.n_cpus;
    double *sums = n > 1 ? calloc(n, sizeof *sums) : NULL;
    size_t *counts = n > 1 ? calloc(n, sizeof *counts) : NULL;
    text[0] = '\0';
    if (sums && counts) {
        size_t windows = add_windows(samples, n, sums, counts);
        uint32_t slowest = most_often(counts, n);
        double median = ert_stats_median(sums, n);
        if (windows > 0 && sums[slowest] < slow_ratio * median &&
            (double)counts[slowest] >= slow_share * (double)windows)
            snprintf(text, size,
                     "CPU %u is slow: %.0f %% of what the median CPU does, the slowest in "
                     "%zu of %zu windows",
                     samples->observation.cpus[slowest], 100 * sums[slowest] / median,
                     counts[slowest], windows);
    }
    free(counts);
    free(sums);
}
