#include "ert/ceilings/evidence.h"

#include "ert/ceilings/conditions.h"
#include "ert/stats/stats.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A clock whose slow tenth is this much below the base clock was throttled. Turbo may come and go. */
static const double clock_fell = 0.93;

/* Relative widths of the interval from which a ceiling is doubted. */
static const double wide_interval = 0.10, very_wide_interval = 0.30;

/* More than this above the theoretical peak is not noise. Never clipped: marked for checking. */
static const double above_theory = 1.01;

enum { FEW_SAMPLES = 4 };

/* The q-quantile of one quantity over a point's samples; 0 when no sample knows it. */
static double sample_quantile(const struct ert_point *point, size_t offset, double q)
{
    double *values = malloc((point->n_samples + 1) * sizeof *values);
    size_t n = 0;
    for (size_t i = 0; values && i < point->n_samples; i++) {
        double value = *(const double *)((const char *)&point->samples[i] + offset);
        if (value > 0)
            values[n++] = value;
    }
    double result = n ? ert_stats_quantile(values, n, q) : 0;
    free(values);
    return result;
}

void ert_evidence_doubt(struct ert_ceiling *ceiling, enum ert_confidence confidence,
                        const char *format, ...)
{
    if (confidence <= ceiling->confidence)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(ceiling->doubt, sizeof ceiling->doubt, format, arguments);
    va_end(arguments);
    ceiling->confidence = confidence;
}

/* Appends the rates of a point's samples to values[*n]. */
static void append_rates(const struct ert_point *point, ert_rate rate, double *values,
                         size_t *n)
{
    for (size_t i = 0; i < point->n_samples; i++)
        values[(*n)++] = rate(point, &point->samples[i]);
}

/* Standard error of a median of n normal samples: 1.2533 sigma / sqrt(n). */
static double median_error(const double *values, size_t n)
{
    return 1.2533 * ert_stats_mad(values, n) / sqrt((double)n);
}

bool ert_evidence_fill(struct ert_ceiling *ceiling, const struct ert_point *const *points,
                       size_t n, size_t winner, ert_rate rate)
{
    const struct ert_point *point = points[winner];
    size_t most = 0, n_rates = 0;
    for (size_t i = 0; i < n; i++)
        most += points[i]->n_samples;
    double *rates = calloc(most + 1, sizeof *rates);
    if (!rates)
        return false;
    append_rates(point, rate, rates, &n_rates);
    double least = ert_stats_median(rates, n_rates) - 2 * median_error(rates, n_rates);
    for (size_t i = 0; i < n; i++) {
        size_t before = n_rates;
        if (i == winner || 2 * points[i]->n_samples < point->n_samples)
            continue;
        append_rates(points[i], rate, rates, &n_rates);
        if (!(ert_stats_median(rates + before, n_rates - before) > least))
            n_rates = before;
    }
    for (size_t i = 0; i < n_rates; i++)
        ceiling->best = fmax(ceiling->best, rates[i]);
    ceiling->value = ert_stats_median(rates, n_rates);
    ert_stats_interval(rates, n_rates, &ceiling->low, &ceiling->high);
    ceiling->n_samples = (uint32_t)n_rates;
    free(rates);
    snprintf(ceiling->kernel, sizeof ceiling->kernel, "%s",
             ert_kernel_row(point->case_.kernel)->name);
    ceiling->launch = point->variant;
    ceiling->blocks = point->work.blocks;
    ceiling->asked_bytes = (double)point->case_.working_set_bytes;
    ceiling->clock_hz = sample_quantile(point, offsetof(struct ert_sample, clock_hz), 0.5);
    ceiling->clock_low_hz =
        sample_quantile(point, offsetof(struct ert_sample, clock_hz), 0.1);
    ert_throttle_names(ert_throttle_usual(point), ceiling->held_by,
                       sizeof ceiling->held_by);
    if (point->power.power_w > 0) {
        const struct ert_sample steady = {.time_s = 1 / point->power.rate_per_s,
                                          .passes = 1};
        ceiling->power_w = point->power.power_w;
        ceiling->sustained = rate(point, &steady);
        ceiling->per_joule = ceiling->sustained / ceiling->power_w;
        snprintf(ceiling->power_source, sizeof ceiling->power_source, "%s",
                 point->power.source);
    }
    return true;
}

void ert_evidence_compare(struct ert_ceiling *ceiling, const struct ert_peak *peaks,
                          size_t n_peaks)
{
    const struct ert_peak *peak = ert_theory_find(peaks, n_peaks, ceiling->name);
    if (!peak)
        return;
    /* The device's held clock is one number; this ceiling may have been held at another. */
    bool held = strcmp(peak->clock, "held") == 0 && ceiling->clock_hz > 0;
    ceiling->theory = held ? peak->per_clock * ceiling->clock_hz : peak->value;
    snprintf(ceiling->theory_name, sizeof ceiling->theory_name, "%s", peak->name);
    snprintf(ceiling->theory_clock, sizeof ceiling->theory_clock, "%s", peak->clock);
    ceiling->fraction_of_theory = ceiling->value / ceiling->theory;
}

/* Whether the clock fell for no reason of the kernel's own: tensor cores reach the power limit. */
static bool has_fallen(const struct ert_ceiling *ceiling, const struct ert_device *device)
{
    return ceiling->clock_low_hz > 0 &&
           ceiling->clock_low_hz < clock_fell * device->base_hz &&
           strcmp(ceiling->held_by, "SW power cap") != 0;
}

void ert_evidence_judge(struct ert_ceiling *ceiling, const struct ert_device *device)
{
    double width = (ceiling->high - ceiling->low) / ceiling->value;
    if (has_fallen(ceiling, device))
        ert_evidence_doubt(ceiling, ERT_CONFIDENCE_LOW,
                           "the clock fell to %.3f GHz, the base clock is %.3f",
                           ceiling->clock_low_hz * 1e-9, device->base_hz * 1e-9);
    if (ceiling->fraction_of_theory > above_theory)
        ert_evidence_doubt(ceiling, ERT_CONFIDENCE_LOW,
                           "above its theoretical peak: check it");
    if (width > wide_interval)
        ert_evidence_doubt(ceiling,
                           width > very_wide_interval ? ERT_CONFIDENCE_LOW
                                                      : ERT_CONFIDENCE_MEDIUM,
                           "wide interval: %.0f %% of the value", 100 * width);
    if (ceiling->n_samples == 1)
        ert_evidence_doubt(ceiling, ERT_CONFIDENCE_LOW, "only 1 sample: no interval");
    if (ceiling->n_samples < FEW_SAMPLES)
        ert_evidence_doubt(ceiling, ERT_CONFIDENCE_MEDIUM, "only %u samples",
                           ceiling->n_samples);
}

/* How many ceilings' clocks fell, and the lowest of those clocks. */
static size_t count_fallen(const struct ert_device *device,
                           const struct ert_device_ceilings *out, double *slowest_hz)
{
    size_t n_fallen = 0;
    *slowest_hz = INFINITY;
    for (size_t i = 0; i < out->n_compute + out->n_memory; i++) {
        const struct ert_ceiling *ceiling = i < out->n_compute
                                                ? &out->compute[i].common
                                                : &out->memory[i - out->n_compute].common;
        if (!has_fallen(ceiling, device))
            continue;
        n_fallen++;
        *slowest_hz = fmin(*slowest_hz, ceiling->clock_low_hz);
    }
    return n_fallen;
}

/* Adds a reason to the device's distrust; what does not fit is cut. */
static void distrust(struct ert_device_ceilings *out, const char *reason)
{
    size_t used = strlen(out->distrust);
    out->trusted = false;
    snprintf(out->distrust + used, sizeof out->distrust - used, "%s%s", used ? "; " : "",
             reason);
}

void ert_evidence_trust(const struct ert_provenance *provenance,
                        const struct ert_device *device,
                        const struct ert_device_samples *samples,
                        struct ert_device_ceilings *out)
{
    double slowest_hz;
    size_t n_fallen = count_fallen(device, out, &slowest_hz);
    size_t n = out->n_compute + out->n_memory;
    struct ert_condition conditions[ERT_MAX_CONDITIONS];
    size_t n_conditions = ert_conditions_list(provenance, device, samples, conditions);
    out->trusted = true;
    out->distrust[0] = '\0';
    if (n_fallen > 0 && 4 * n_fallen >= n) {
        char reason[160];
        snprintf(
            reason, sizeof reason,
            "the clock fell below the base clock during %zu of %zu ceilings (%.3f GHz, "
            "base %.3f GHz)",
            n_fallen, n, slowest_hz * 1e-9, device->base_hz * 1e-9);
        distrust(out, reason);
    }
    /* What the host does is nothing to a planted machine. */
    for (size_t i = 0; i < n_conditions && strcmp(device->backend, "fake") != 0; i++)
        if (conditions[i].verdict == ERT_CONDITION_BAD)
            distrust(out, conditions[i].text);
}
