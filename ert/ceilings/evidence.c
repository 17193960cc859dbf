#include "ert/ceilings/evidence.h"

#include "ert/ceilings/conditions.h"
#include "ert/ceilings/levels.h"
#include "ert/stats/differ.h"
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

/* Of a latency the long times are the disturbed ones. */
static enum ert_better better_of(ert_rate rate)
{
    return rate == ert_point_latency ? ERT_BETTER_LOW : ERT_BETTER_HIGH;
}

/* Writes the rates of a point's samples; returns how many. */
static size_t rates_of(const struct ert_point *point, ert_rate rate, double *rates)
{
    for (size_t i = 0; i < point->n_samples; i++)
        rates[i] = rate(point, &point->samples[i]);
    return point->n_samples;
}

/* Whether a point is as fast as one that is at least `least`, and sampled as well as the winner. */
static bool is_tied(const struct ert_point *point, const struct ert_point *winner,
                    ert_rate rate, double least, double *scratch)
{
    size_t n = rates_of(point, rate, scratch);
    return point == winner || (2 * n >= winner->n_samples &&
                               ert_estimate_of(scratch, n, better_of(rate)) > least);
}

/*
 * The rates of the winner and of those tied with it, round by round, so that they are in the order of
 * time; returns how many.
 */
static size_t pool(const struct ert_point *const *points, size_t n, size_t winner,
                   ert_rate rate, double *rates, double *scratch)
{
    size_t n_rates = rates_of(points[winner], rate, rates), longest = 0;
    struct ert_estimate own = ert_estimate_make(rates, n_rates, better_of(rate));
    double least = own.value * (1 - 2 * fmax(own.error, ERT_DIFFER_LEAST_BETWEEN));
    for (size_t i = 0; i < n; i++)
        longest = points[i]->n_samples > longest ? points[i]->n_samples : longest;
    n_rates = 0;
    bool tied[ERT_MAX_SWEEP];
    for (size_t i = 0; i < n; i++)
        tied[i] = is_tied(points[i], points[winner], rate, least, scratch);
    for (size_t round = 0; round < longest; round++)
        for (size_t i = 0; i < n; i++)
            if (tied[i] && round < points[i]->n_samples)
                rates[n_rates++] = rate(points[i], &points[i]->samples[round]);
    return n_rates;
}

/* Seven digits are more than any clock has, and keep the file short. */
static double rounded(double rate)
{
    char text[32];
    snprintf(text, sizeof text, "%.7g", rate);
    return strtod(text, NULL);
}

static void keep_rounds(struct ert_ceiling *ceiling, const double *rates, size_t n)
{
    size_t kept = n < ERT_MAX_ROUNDS ? n : ERT_MAX_ROUNDS;
    for (size_t i = 0; i < kept; i++)
        ceiling->rounds[i] = rounded(rates[i * n / kept]);
    ceiling->n_rounds = (uint32_t)kept;
}

bool ert_evidence_fill(struct ert_ceiling *ceiling, const struct ert_point *const *points,
                       size_t n, size_t winner, ert_rate rate)
{
    const struct ert_point *point = points[winner];
    enum ert_better better = better_of(rate);
    size_t most = 0;
    for (size_t i = 0; i < n; i++)
        most += points[i]->n_samples;
    double *rates = calloc(2 * most + 1, sizeof *rates);
    if (!rates)
        return false;
    size_t n_rates = pool(points, n, winner, rate, rates, rates + most);
    struct ert_estimate estimate = ert_estimate_make(rates, n_rates, better);
    ceiling->best = rates[0];
    for (size_t i = 1; i < n_rates; i++)
        ceiling->best = better == ERT_BETTER_HIGH ? fmax(ceiling->best, rates[i])
                                                  : fmin(ceiling->best, rates[i]);
    ceiling->value = estimate.value;
    ceiling->low = estimate.low;
    ceiling->high = estimate.high;
    ceiling->n_samples = (uint32_t)n_rates;
    keep_rounds(ceiling, rates, n_rates);
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
    ert_evidence_sustain(ceiling, point, rate);
    return true;
}

/* The drift of the ceilings of a level, "" for compute, NULL for all; *n: how many there are. */
static double drift_of_level(const struct ert_device_ceilings *out, const char *level,
                             size_t *n)
{
    struct ert_drift drifts[ERT_MAX_COMPUTE + ERT_MAX_MEMORY];
    *n = 0;
    for (size_t i = 0; i < out->n_compute + out->n_memory; i++) {
        bool is_compute = i < out->n_compute;
        const struct ert_memory_ceiling *memory =
            is_compute ? NULL : &out->memory[i - out->n_compute];
        const struct ert_ceiling *ceiling =
            is_compute ? &out->compute[i].common : &memory->common;
        if (!level || strcmp(level, is_compute ? "" : memory->level) == 0)
            *n += ert_drift_of(ceiling->rounds, ceiling->n_rounds, ERT_BETTER_HIGH,
                               &drifts[*n]);
    }
    return *n ? ert_differ_between(drifts, *n) : 0;
}

double ert_evidence_drift(const struct ert_device_ceilings *out, const char *level)
{
    size_t n;
    double all = drift_of_level(out, NULL, &n);
    double own = level ? drift_of_level(out, level, &n) : all;
    return level && n > 0 ? ert_differ_between_group(own, n, all) : all;
}

/* The next run's value differs by the error of both, and by what runs differ. */
static void widen(double value, double *low, double *high, double between)
{
    double runs = 1.645 * between;
    *low = value * exp(-M_SQRT2 * hypot(log(value / *low), runs));
    *high = value * exp(M_SQRT2 * hypot(log(*high / value), runs));
}

void ert_evidence_interval(struct ert_ceiling *ceiling, double between)
{
    if (ceiling->n_rounds == 0 || !(ceiling->value > 0))
        return;
    ceiling->between = between;
    widen(ceiling->value, &ceiling->low, &ceiling->high, between);
    if (ceiling->burst > 0)
        widen(ceiling->burst, &ceiling->burst_low, &ceiling->burst_high, between);
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

/*
 * Tensor cores lower a GPU's clock by design, also far below the power limit and with no reason that
 * the driver would name: an H200 runs mma.sync and wgmma at 1.80 of its 1.98 GHz, at 450 and at
 * 690 W alike. So their clock is doubted only from here on.
 */
static const double tensor_clock_fell = 0.75;

static bool is_tensor(const struct ert_ceiling *ceiling)
{
    enum ert_kernel_id id;
    struct ert_error error;
    return ert_kernel_find(ceiling->kernel, &id, &error) == ERT_OK &&
           strcmp(ert_kernel_row(id)->unit, "tensor") == 0;
}

/* Whether the clock fell for no reason of the kernel's own, such as the power limit. */
static bool has_fallen(const struct ert_ceiling *ceiling, const struct ert_device *device)
{
    double least = is_tensor(ceiling) ? tensor_clock_fell : clock_fell;
    return ceiling->clock_low_hz > 0 && ceiling->clock_low_hz < least * device->base_hz &&
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
    char why[256];
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
    if (ert_conditions_disturbed(provenance, device, samples, why, sizeof why))
        distrust(out, why);
}
