/* SPDX-License-Identifier: BSD-3-Clause */
#include "ert/core/fit/evidence.h"

#include "ert/core/base/alloc.h"
#include "ert/core/fit/conditions.h"
#include "ert/core/stats/differ.h"
#include "ert/core/stats/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The clock was throttled if its slowest tenth is below this share of the base clock; turbo may vary. */
static const double clock_fell = 0.93;

/* Relative widths of the interval above which a ceiling gets a warning. */
static const double wide_interval = 0.10, very_wide_interval = 0.30;

/*
 * An interval above this multiple of the theoretical peak is marked for checking. The clock that the peak is
 * for is that of most samples; the fastest can have run up to 1 % faster (H100: results/h100).
 */
static const double above_theory = 1.01;

enum { FEW_SAMPLES = 4 };

/* A quantile of the known clocks of a point's samples; 0: none is known. */
static double clock_quantile(const struct ert_point *point, double q)
{
    double *clocks = ert_xcalloc(point->n_samples, sizeof *clocks);
    size_t n = 0;
    for (size_t i = 0; i < point->n_samples; i++)
        if (point->samples[i].clock_hz > 0)
            clocks[n++] = point->samples[i].clock_hz;
    double result = n ? ert_stats_quantile(clocks, n, q) : 0;
    free(clocks);
    return result;
}

void ert_evidence_warn(struct ert_ceiling *ceiling, enum ert_confidence confidence,
                       const char *format, ...)
{
    if (confidence <= ceiling->confidence)
        return;
    ERT_FORMAT(ceiling->evidence->warning, sizeof ceiling->evidence->warning, format);
    ceiling->confidence = confidence;
}

/* For latencies shorter is better. */
static enum ert_better evidence_better_of(ert_rate rate)
{
    return rate == ert_point_latency ? ERT_BETTER_LOW : ERT_BETTER_HIGH;
}

static size_t evidence_rates_of(const struct ert_point *point, ert_rate rate, double *rates)
{
    for (size_t i = 0; i < point->n_samples; i++)
        rates[i] = rate(point, &point->samples[i]);
    return point->n_samples;
}

/*
 * Pools the rates of the winner and of those tied with it, round by round, so that they are in the
 * order of measurement; returns how many. Tied points are as fast within the error, and have at least half as
 * many samples.
 */
static size_t pool(const struct ert_point *const *points, size_t n, size_t winner,
                   ert_rate rate, double *rates, double *scratch)
{
    size_t n_rates = evidence_rates_of(points[winner], rate, rates), longest = 0;
    struct ert_estimate own = ert_estimate_make(rates, n_rates, evidence_better_of(rate));
    double least = own.value * (1 - 2 * fmax(own.error, ERT_DIFFER_LEAST_BETWEEN));
    bool is_tied[ERT_MAX_SWEEP];
    for (size_t i = 0; i < n; i++) {
        size_t n_own = evidence_rates_of(points[i], rate, scratch);
        longest = n_own > longest ? n_own : longest;
        is_tied[i] = i == winner ||
                     (2 * n_own >= n_rates &&
                      ert_estimate_of(scratch, n_own, evidence_better_of(rate)) > least);
    }
    n_rates = 0;
    for (size_t round = 0; round < longest; round++)
        for (size_t i = 0; i < n; i++)
            if (is_tied[i] && round < points[i]->n_samples)
                rates[n_rates++] = rate(points[i], &points[i]->samples[round]);
    return n_rates;
}

static void keep_rounds(struct ert_ceiling *ceiling, const double *rates, size_t n)
{
    struct ert_evidence *evidence = ceiling->evidence;
    size_t kept = n < ERT_MAX_ROUNDS ? n : ERT_MAX_ROUNDS;
    for (size_t i = 0; i < kept; i++)
        evidence->rounds[i] = rates[i * n / kept];
    evidence->n_rounds = (uint32_t)kept;
}

/* Rates that differ by less count as equal: the roof is the same for short and long kernels. */
static const double same_rate = 0.01;

static double evidence_rate_at(const struct ert_point *point, ert_rate rate,
                               double passes_per_s)
{
    const struct ert_sample sample = {.rate_per_s = passes_per_s};
    return rate(point, &sample);
}

/* When the first part begins whose rate is nearer to the sustained one; for the first part its middle. */
static double falls_after(const struct ert_point *point, ert_rate rate, double burst,
                          double sustained)
{
    const struct ert_sustained *run = &point->sustained;
    if (!(sustained < (1 - same_rate) * burst))
        return 0;
    for (uint32_t i = 0; i < run->n_parts; i++)
        if (evidence_rate_at(point, rate, run->parts[i].rate_per_s) <
            (burst + sustained) / 2)
            return i > 0 ? run->parts[i - 1].end_s : run->parts[0].end_s / 2;
    return run->parts[run->n_parts - 1].end_s;
}

static void replace_rate(struct ert_ceiling *ceiling, const struct ert_device *device,
                         const struct ert_point *point, ert_rate rate)
{
    struct ert_evidence *evidence = ceiling->evidence;
    const struct ert_sustained *run = &point->sustained;
    double rates[ERT_MAX_PARTS];
    size_t n = 0;
    evidence->burst = ceiling->value;
    evidence->burst_low = ceiling->low;
    evidence->burst_high = ceiling->high;
    evidence->burst_clock_hz = evidence->clock_hz;
    evidence->best = 0;
    for (uint32_t i = run->n_settling; i < run->n_parts; i++) {
        rates[n] = evidence_rate_at(point, rate, run->parts[i].rate_per_s);
        evidence->best = fmax(evidence->best, rates[n++]);
    }
    if (point->work.blocks > 0) {
        ceiling->value = evidence_rate_at(point, rate, run->rate_per_s);
        ert_stats_interval(rates, n, &ceiling->low, &ceiling->high);
    } else { /* disturbances affect single parts on a CPU, like short regions */
        struct ert_estimate estimate = ert_estimate_make(rates, n, ERT_BETTER_HIGH);
        ceiling->value = estimate.value;
        ceiling->low = estimate.low;
        ceiling->high = estimate.high;
    }
    evidence->n_samples = (uint32_t)n;
    evidence->sustained_s = run->time_s;
    evidence->falls_after_s = falls_after(point, rate, evidence->burst, ceiling->value);
    if (run->clock_hz > 0) {
        evidence->clock_hz = run->clock_hz;
        evidence->clock_low_hz = run->clock_low_hz;
    }
    ert_throttle_names(device, run->throttle, evidence->throttle_reasons,
                       sizeof evidence->throttle_reasons);
}

/* On a CPU it replaces the rate of short regions only if the clock fell: else disturbance is the cause. */
static void evidence_sustain(struct ert_ceiling *ceiling, const struct ert_device *device,
                             const struct ert_point *point, ert_rate rate)
{
    struct ert_evidence *evidence = ceiling->evidence;
    const struct ert_sustained *run = &point->sustained;
    if (run->n_parts <= run->n_settling)
        return;
    const bool is_rate =
        evidence_better_of(rate) == ERT_BETTER_HIGH; /* else only the power */
    if (is_rate &&
        (point->work.blocks > 0 ||
         (run->clock_hz > 0 && run->clock_hz < (1 - same_rate) * evidence->clock_hz)))
        replace_rate(ceiling, device, point, rate);
    evidence->power_w = run->power_w;
    if (is_rate && run->power_w > 0)
        evidence->per_joule = evidence_rate_at(point, rate, run->rate_per_s) / run->power_w;
    snprintf(evidence->power_source, sizeof evidence->power_source, "%s", run->source);
}

void ert_evidence_fill(struct ert_ceiling *ceiling, const struct ert_device *device,
                       const struct ert_point *const *points, size_t n, size_t winner,
                       ert_rate rate)
{
    struct ert_evidence *evidence = ceiling->evidence;
    const struct ert_point *point = points[winner];
    enum ert_better better = evidence_better_of(rate);
    size_t most = 0;
    for (size_t i = 0; i < n; i++)
        most += points[i]->n_samples;
    double *rates = ert_xcalloc(2 * most + 1, sizeof *rates);
    size_t n_rates = pool(points, n, winner, rate, rates, rates + most);
    struct ert_estimate estimate = ert_estimate_make(rates, n_rates, better);
    evidence->best = rates[0];
    for (size_t i = 1; i < n_rates; i++)
        evidence->best = better == ERT_BETTER_HIGH ? fmax(evidence->best, rates[i])
                                                   : fmin(evidence->best, rates[i]);
    ceiling->value = estimate.value;
    ceiling->low = estimate.low;
    ceiling->high = estimate.high;
    evidence->n_samples = (uint32_t)n_rates;
    keep_rounds(ceiling, rates, n_rates);
    free(rates);
    snprintf(ceiling->kernel, sizeof ceiling->kernel, "%s",
             ert_kernel_row(point->spec.kernel)->name);
    evidence->launch = point->variant;
    evidence->blocks = point->work.blocks;
    evidence->requested_bytes = (double)point->spec.requested_bytes;
    evidence->clock_hz = clock_quantile(point, 0.5);
    evidence->clock_low_hz = clock_quantile(point, 0.1);
    ert_throttle_names(device, ert_throttle_usual(point), evidence->throttle_reasons,
                       sizeof evidence->throttle_reasons);
    evidence_sustain(ceiling, device, point, rate);
}

/* The drift of a level's ceilings ("": compute, NULL: all); *n: how many have one. */
static double drift_of_level(const struct ert_device_ceilings *out, const char *level,
                             size_t *n)
{
    const struct ert_ceiling_span of = ert_ceilings_main(out);
    struct ert_drift *drifts = ert_xcalloc(of.n, sizeof *drifts);
    *n = 0;
    for (size_t i = 0; i < of.n; i++)
        if (!level || strcmp(level, of.at[i].key.level) == 0)
            *n += ert_drift_of(of.at[i].evidence->rounds, of.at[i].evidence->n_rounds,
                               ERT_BETTER_HIGH, &drifts[*n]);
    double between = *n ? ert_differ_between(drifts, *n) : 0;
    free(drifts);
    return between;
}

double ert_evidence_drift(const struct ert_device_ceilings *out, const char *level)
{
    size_t n;
    double all = drift_of_level(out, NULL, &n);
    double own = level ? drift_of_level(out, level, &n) : all;
    return level && n > 0 ? ert_differ_between_group(own, n, all) : all;
}

/*
 * Standard deviations between runs on virtual machines of a shared host, of rates of the cores and of the
 * last cache and memory: two CPUs of an EPYC (10 runs of 7 s, 4 of 27 s) 1.7 to 2.6 and 4.7 to 7.3 %, two
 * of a Xeon (10 runs) 3.2 and 5.9 %, sixteen of a Xeon 3.0 to 6.1 and 3.8 to 5.7 %, from the
 * medians of the differences (results/error-rates).
 */
static const double guests_of_cores = 0.03, guests_of_memory = 0.055;

double ert_evidence_between(const struct ert_device_ceilings *out,
                            const struct ert_device *device, const char *level)
{
    double drift = ert_evidence_drift(out, level);
    if (device->kind != ERT_DEVICE_CPU || !*device->cpu.hypervisor)
        return drift;
    bool is_shared = level && ert_reach_has(ERT_REACH_SHARED, device, level);
    return fmax(drift, is_shared ? guests_of_memory : guests_of_cores);
}

/*
 * The next run's value differs by the error of this one and by the differences between runs. `between` is
 * from the drift of halves, and at least this run's error, so it holds the next run's error, too. Counted
 * once more (times the root of 2), intervals held 96 % of the next runs' values on a VM with 16 CPUs; so,
 * 90 % (results/error-rates).
 */
static void widen(double value, double *low, double *high, double between)
{
    double runs = 1.645 * between;
    *low = value * exp(-hypot(log(value / *low), runs));
    *high = value * exp(hypot(log(*high / value), runs));
}

void ert_evidence_interval(struct ert_ceiling *ceiling, double between)
{
    struct ert_evidence *evidence = ceiling->evidence;
    if (evidence->n_rounds == 0 || !(ceiling->value > 0))
        return;
    evidence->between = between;
    widen(ceiling->value, &ceiling->low, &ceiling->high, between);
    if (evidence->burst > 0)
        widen(evidence->burst, &evidence->burst_low, &evidence->burst_high, between);
}

void ert_evidence_compare(struct ert_ceiling *ceiling, const struct ert_peak *peaks,
                          size_t n_peaks)
{
    const struct ert_peak *peak = ert_theory_find(peaks, n_peaks, ceiling->name);
    if (!peak)
        return;
    /* The device's held clock is a median; this ceiling may have held another one. */
    const double clock_hz = ceiling->evidence->clock_hz;
    bool held = strcmp(peak->clock, "held") == 0 && clock_hz > 0;
    ceiling->theory = held ? peak->per_clock * clock_hz : peak->value;
    ceiling->fraction_of_theory = ceiling->value / ceiling->theory;
    /* No run exceeds the peak; one that seems to keeps its interval, so that both are checked. */
    if (ceiling->value <= ceiling->theory && ceiling->unit != ERT_UNIT_S)
        ceiling->high = fmin(ceiling->high, ceiling->theory);
}

/*
 * Tensor cores lower a GPU's clock by design, even far below the power limit and without a reason from the
 * driver: an H200 runs mma.sync and wgmma at 1.80 of its 1.98 GHz, at both 450 and 690 W. So their clock
 * causes a warning only below this share.
 */
static const double tensor_clock_fell = 0.75;

/* Whether the clock fell for a reason other than the kernel itself or the power limit. */
static bool has_fallen(const struct ert_ceiling *ceiling, const struct ert_device *device)
{
    const struct ert_evidence *evidence = ceiling->evidence;
    enum ert_kernel_id id;
    struct ert_error error;
    bool is_tensor = ert_kernel_find(ceiling->kernel, &id, &error) == ERT_OK &&
                     strcmp(ert_kernel_row(id)->unit, "tensor") == 0;
    double least = is_tensor ? tensor_clock_fell : clock_fell;
    return evidence->clock_low_hz > 0 && evidence->clock_low_hz < least * device->base_hz &&
           strcmp(evidence->throttle_reasons, "SW power cap") != 0;
}

/*
 * Multiply-adds attain at least this share of their theoretical peak at the held clock where cores are whole
 * (results: 0.97 to 0.99 on VMs of 2 CPUs of Zen 4, Zen 5 and Sapphire Rapids; 0.83 and 0.60 on busy hosts
 * of 32 and 64 CPUs). One whose core has another hardware thread at work attains half, at the same clock,
 * and steadily, so that no interval shows it.
 */
static const double whole_core = 0.96;

/* Whether someone else may use the units of this device's cores. */
static bool may_share_cores(const struct ert_device *device)
{
    return device->kind == ERT_DEVICE_CPU &&
           (*device->cpu.hypervisor || device->cpu.n_pus > device->cpu.n_cores);
}

void ert_evidence_judge(struct ert_ceiling *ceiling, const struct ert_device *device)
{
    struct ert_evidence *evidence = ceiling->evidence;
    enum ert_kernel_id id;
    struct ert_error error;
    double width = (ceiling->high - ceiling->low) / ceiling->value;
    if (strcmp(ceiling->key.op, "fma") == 0 && ceiling->fraction_of_theory > 0 &&
        ceiling->fraction_of_theory < whole_core && may_share_cores(device))
        ert_evidence_warn(ceiling, ERT_CONFIDENCE_LOW,
                          "%.0f %% of its peak: cores were shared",
                          100 * ceiling->fraction_of_theory);
    if (has_fallen(ceiling, device))
        ert_evidence_warn(ceiling, ERT_CONFIDENCE_LOW,
                          "the clock fell to %.3f GHz, the base clock is %.3f",
                          evidence->clock_low_hz * 1e-9, device->base_hz * 1e-9);
    if (ceiling->theory > 0 && ceiling->low > above_theory * ceiling->theory)
        ert_evidence_warn(ceiling, ERT_CONFIDENCE_LOW,
                          "above its theoretical peak, check both");
    if (width > wide_interval)
        ert_evidence_warn(ceiling,
                          width > very_wide_interval ? ERT_CONFIDENCE_LOW
                                                     : ERT_CONFIDENCE_MEDIUM,
                          "wide interval: %.0f %% of the value", 100 * width);
    if (evidence->n_samples == 1)
        ert_evidence_warn(ceiling, ERT_CONFIDENCE_LOW, "only 1 sample: no interval");
    if (evidence->n_samples < FEW_SAMPLES)
        ert_evidence_warn(ceiling, ERT_CONFIDENCE_MEDIUM, "only %u samples",
                          evidence->n_samples);
    if (ert_kernel_find(ceiling->kernel, &id, &error) == ERT_OK &&
        (ert_kernel_row(id)->limits & ERT_UNTRIED)) {
        ert_append(evidence->warning, sizeof evidence->warning, "%skernel %s",
                   *evidence->warning ? "; " : "", ERT_UNTRIED_TEXT);
        if (ceiling->confidence < ERT_CONFIDENCE_MEDIUM)
            ceiling->confidence = ERT_CONFIDENCE_MEDIUM;
    }
}

void ert_evidence_disturbed(const struct ert_device *device,
                            const struct ert_device_samples *samples,
                            struct ert_device_ceilings *out)
{
    const struct ert_ceiling_span of = ert_ceilings_main(out);
    double slowest_hz = INFINITY;
    size_t n_fallen = 0;
    char why[ERT_WARNINGS_TEXT];
    for (size_t i = 0; i < of.n; i++)
        if (has_fallen(&of.at[i], device)) {
            n_fallen++;
            slowest_hz = fmin(slowest_hz, of.at[i].evidence->clock_low_hz);
        }
    out->warnings[0] = '\0';
    if (n_fallen > 0 && 4 * n_fallen >= of.n)
        snprintf(
            out->warnings, sizeof out->warnings,
            "the clock fell below the base clock during %zu of %zu ceilings (%.3f GHz, "
            "base %.3f GHz)",
            n_fallen, of.n, slowest_hz * 1e-9, device->base_hz * 1e-9);
    const enum ert_reach reach = ert_conditions_reach(device, samples, why, sizeof why);
    ert_append(out->warnings, sizeof out->warnings, "%s%s",
               *out->warnings && *why ? "; " : "", why);
    for (size_t i = 0; i < out->n; i++)
        if (ert_reach_has(reach, device, out->ceilings[i].key.level))
            ert_evidence_warn(&out->ceilings[i], ERT_CONFIDENCE_LOW, "%s", why);
}

/* A CPU is a finding if it is this much slower than the median, and the slowest this often. */
static const double slow_ratio = 0.9, slow_share = 0.5;

void ert_evidence_threads(struct ert_ceiling *ceiling, const struct ert_point *point,
                          double work_per_pass)
{
    if (point->n_samples == 0 || point->samples[0].n_threads == 0)
        return;
    double *rates = ert_xcalloc(point->n_samples, sizeof *rates);
    for (size_t i = 0; i < point->n_samples; i++)
        rates[i] = point->samples[i].lockstep_per_s * work_per_pass;
    ceiling->evidence->lockstep = ert_estimate_of(rates, point->n_samples, ERT_BETTER_HIGH);
    free(rates);
}

void ert_evidence_slow_cpu(const struct ert_device_samples *samples, char *text,
                           size_t size)
{
    uint32_t n = samples->observation.n_cpus;
    text[0] = '\0';
    if (n < 2)
        return;
    double *sums = ert_xcalloc(n, sizeof *sums);
    size_t *counts = ert_xcalloc(n, sizeof *counts), windows = 0;
    for (size_t p = 0; p < samples->n_points; p++) {
        const struct ert_point *point = &samples->points[p];
        for (size_t i = 0; i < point->n_samples && point->section == ERT_SECTION_COMPUTE;
             i++) {
            const struct ert_sample *sample = &point->samples[i];
            uint32_t least = 0;
            if (sample->n_threads != n)
                continue;
            for (uint32_t t = 0; t < n; t++) {
                sums[t] += sample->thread_passes[t] / (sample->rate_per_s * sample->time_s);
                if (sample->thread_passes[t] < sample->thread_passes[least])
                    least = t;
            }
            counts[least]++;
            windows++;
        }
    }
    uint32_t slowest = 0;
    for (uint32_t t = 1; t < n; t++)
        if (counts[t] > counts[slowest])
            slowest = t;
    double median = ert_stats_median(sums, n);
    if (windows > 0 && sums[slowest] < slow_ratio * median &&
        (double)counts[slowest] >= slow_share * (double)windows)
        snprintf(text, size,
                 "CPU %u is slow: %.0f %% of the median CPU's rate, the slowest in %zu of "
                 "%zu windows",
                 samples->observation.cpus[slowest], 100 * sums[slowest] / median,
                 counts[slowest], windows);
    free(counts);
    free(sums);
}

size_t ert_settled_main(const struct ert_device_ceilings *device,
                        const struct ert_ceiling *list[ERT_MAX_MAIN])
{
    const struct ert_ceiling_span of = ert_ceilings_main(device);
    size_t n = 0;
    for (size_t i = 0; i < of.n && n < ERT_MAX_MAIN; i++)
        if (strcmp(of.at[i].name, "fp64-fma") == 0 ||
            (of.at[i].kind == ERT_CEILING_MEMORY && of.at[i].is_roof))
            list[n++] = &of.at[i];
    return n;
}

size_t ert_settled_count_open(const struct ert_device_ceilings *device)
{
    const struct ert_ceiling_span of = ert_ceilings_main(device);
    size_t n = 0;
    for (size_t i = 0; i < of.n; i++)
        n += !ert_settled_is(&of.at[i], NULL, 0);
    return n;
}

size_t ert_settled_open(const struct ert_device_ceilings *device, char *text, size_t size,
                        size_t *n_main)
{
    const struct ert_ceiling *list[ERT_MAX_MAIN];
    size_t n_open = 0;
    *text = '\0';
    *n_main = ert_settled_main(device, list);
    for (size_t i = 0; i < *n_main; i++) {
        char why[ERT_WARNINGS_TEXT];
        if (!ert_settled_is(list[i], why, sizeof why))
            ert_append(text, size, "%s%s (%s)", n_open++ ? ", " : "", list[i]->name, why);
    }
    return n_open;
}

void ert_settled_judge(struct ert_device_ceilings *device)
{
    char open[ERT_WARNINGS_TEXT];
    size_t n_main, n_open = ert_settled_open(device, open, sizeof open, &n_main);
    device->valid = n_open == 0 || n_open < n_main;
    if (device->valid)
        return;
    ert_append(device->warnings, sizeof device->warnings, "%snot settled: %s",
               *device->warnings ? "; " : "", open);
}
