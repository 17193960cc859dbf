/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * evidence: what is kept beside a ceiling's value: interval, clock, power, the theory it is judged by, what
 * its threads did one by one, and how far it can be believed. It chooses nothing: the fit does.
 */
#ifndef ERT_CEILINGS_EVIDENCE_H
#define ERT_CEILINGS_EVIDENCE_H

#include "ert/ceilings/levels.h"
#include "ert/sweep/samples.h"

/*
 * Fills value, interval (of the estimate alone: ert_evidence_interval), best, rounds, launch, clock and
 * power of a ceiling from the samples of the point that won, points[winner], and of those among
 * points[n], at most ERT_MAX_SWEEP, that are tied with it: whose estimates differ by less than twice
 * the standard error of the winner's, or than runs do. Pooling the tied ones takes away
 * most of the luck in being the fastest of several.
 *
 * The point's sustained rate, where it was measured, takes the place of what its short regions showed, which
 * becomes the burst; clock, throttle reasons and power follow. On CPUs only where the clock fell: at the same
 * clock what differs is disturbance, and short regions show less of it.
 */
void ert_evidence_fill(struct ert_ceiling *ceiling, const struct ert_device *device,
                       const struct ert_point *const *points, size_t n, size_t winner,
                       ert_rate rate);

/*
 * What runs of the device differ by, as a relative standard deviation, from how its compute and memory
 * ceilings drifted within this one (ert_differ_between); 0 where none has rounds enough. level: only
 * of its ceilings, and of all with the weight that ert_differ_between_group() gives them: a cache that
 * is shared with strangers drifts where a core does not. "": of compute ceilings; NULL: of all.
 */
double ert_evidence_drift(const struct ert_device_ceilings *out, const char *level);

/* Widens the intervals to where the next run's value, and burst, fall with 90 %. */
void ert_evidence_interval(struct ert_ceiling *ceiling, double between);

/* Sets the theory of a ceiling from the device's peaks, at the clock that the ceiling was held at. */
void ert_evidence_compare(struct ert_ceiling *ceiling, const struct ert_peak *peaks,
                          size_t n_peaks);

/*
 * Warns of a ceiling for a clock below the device's base clock, a value above theory, a wide
 * interval, or few samples.
 */
void ert_evidence_judge(struct ert_ceiling *ceiling, const struct ert_device *device);

/* Lowers the confidence to at most `confidence` and keeps the text of the gravest warning. */
void ert_evidence_warn(struct ert_ceiling *ceiling, enum ert_confidence confidence,
                       const char *format, ...) __attribute__((format(printf, 3, 4)));

/*
 * Sets valid and warnings of a device: a clock below its base clock in a quarter of the ceilings
 * (not those that the power limit holds), or a bad condition (conditions.h).
 */
void ert_evidence_validity(const struct ert_provenance *provenance,
                           const struct ert_device *device,
                           const struct ert_device_samples *samples,
                           struct ert_device_ceilings *out);

/*
 * Fills lockstep, imbalance, slowest_cpu and slowest_share of a ceiling from the windows of the point
 * that won; leaves them alone where it has none of several threads. rate: of the ceiling's value.
 */
void ert_evidence_threads(struct ert_ceiling *ceiling,
                          const struct ert_device_samples *samples,
                          const struct ert_point *point, double work_per_pass);

/*
 * A CPU that did less than 0.9 of the median CPU over all windows of a device's compute kernels, while
 * it was the slowest in half of them: a finding. Writes it to text[size], or "" where there is none.
 * Such a CPU shares a core, is throttled, or serves interrupts.
 */
void ert_evidence_slow_cpu(const struct ert_device_samples *samples, char *text,
                           size_t size);

enum {
    ERT_SETTLED_SAMPLES = 3,  /* fewer say nothing about an interval */
    ERT_SETTLED_PERCENT = 10, /* the widest interval, high - low, of the value */
    ERT_MAX_MAIN = 1 + ERT_MAX_LEVELS
};

/* The main ceilings of a device, fastest level first; those that were not planned are left out. */
size_t ert_settled_main(const struct ert_device_ceilings *device,
                        const struct ert_ceiling *list[ERT_MAX_MAIN]);

/* (high - low) / value. */
double ert_settled_width(const struct ert_ceiling *ceiling);

/* How many ceilings, of compute and of memory, are not settled. */
size_t ert_settled_count_open(const struct ert_device_ceilings *device);

/*
 * A device whose main ceilings are not all settled is not valid; its warnings say
 * which: "not settled: fp64-fma (35 % wide), L2-load (2 samples)".
 */
void ert_settled_judge(struct ert_device_ceilings *device);

#endif
