/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * evidence: fills a ceiling's value and what is kept with it: interval, clock, power, theoretical peak,
 * rates of single threads, confidence. The fit selects the points.
 */
#ifndef ERT_CEILINGS_EVIDENCE_H
#define ERT_CEILINGS_EVIDENCE_H

#include "ert/core/fit/levels.h"
#include "ert/core/sweep/samples.h"

/*
 * Fills value, interval (of the estimate alone; ert_evidence_interval widens it), best, rounds, launch, clock
 * and power of a ceiling from the samples of the point that won, points[winner], and of those in points[n],
 * n at most ERT_MAX_SWEEP, that are tied with it: less than two standard errors of the winner's estimate
 * slower. Pooling the tied points removes most of the luck in being the fastest of several.
 *
 * If the point's sustained rate was measured, it replaces the rate of the short regions, which becomes the
 * burst; so do its clock, throttle reasons and power. On CPUs only if the clock fell: at the same clock the
 * difference is disturbance, of which short regions show less.
 */
void ert_evidence_fill(struct ert_ceiling *ceiling, const struct ert_device *device,
                       const struct ert_point *const *points, size_t n, size_t winner,
                       ert_rate rate);

/*
 * The relative standard deviation between runs of the device, estimated from the drift of its compute and
 * memory ceilings within this run (ert_differ_between); 0 if none has enough rounds. level: for ceilings of
 * that level, with all others weighted in by ert_differ_between_group(): a cache that is shared with other
 * guests drifts while a core does not. "": for compute ceilings; NULL: for all.
 */
double ert_evidence_drift(const struct ert_device_ceilings *out, const char *level);

/*
 * The same, and on a virtual machine's CPU at least what other guests cause, who come and go between runs, so
 * that the drift within one does not show it.
 */
double ert_evidence_between(const struct ert_device_ceilings *out,
                            const struct ert_device *device, const char *level);

/* Widens the intervals of value and burst so that the next run's fall into them with 90 % probability. */
void ert_evidence_interval(struct ert_ceiling *ceiling, double between);

/* Sets a ceiling's theoretical peak from the device's peaks, at the clock that the ceiling held. */
void ert_evidence_compare(struct ert_ceiling *ceiling, const struct ert_peak *peaks,
                          size_t n_peaks);

/* Adds a warning of a clock below the base clock, a value above theory, a wide interval, or few samples. */
void ert_evidence_judge(struct ert_ceiling *ceiling, const struct ert_device *device);

/* Lowers the confidence to at most `confidence` and keeps the text of the gravest warning. */
void ert_evidence_warn(struct ert_ceiling *ceiling, enum ert_confidence confidence,
                       const char *format, ...) __attribute__((format(printf, 3, 4)));

/*
 * Keeps in the device's warnings the conditions that were bad (conditions.h), and whether the clock fell
 * below the base clock in a quarter of the ceilings (not counting falls by the power limit). A ceiling that a
 * bad condition reaches gets it as a warning, and is not settled.
 */
void ert_evidence_disturbed(const struct ert_device *device,
                            const struct ert_device_samples *samples,
                            struct ert_device_ceilings *out);

/* Fills a ceiling's lockstep from windows of several threads of its point. work_per_pass: flop or byte. */
void ert_evidence_threads(struct ert_ceiling *ceiling, const struct ert_point *point,
                          double work_per_pass);

/*
 * Reports a CPU that did less than 0.9 of the median CPU's work over all windows of a device's compute
 * kernels and was the slowest in at least half of them: it shares a core, is throttled, or serves interrupts.
 * Writes the finding to text[size], or "" if there is none.
 */
void ert_evidence_slow_cpu(const struct ert_device_samples *samples, char *text,
                           size_t size);

enum { ERT_MAX_MAIN = 1 + ERT_MAX_LEVELS };

/* Lists the main ceilings that a device has: FP64 FMA, then each level's roof, fastest first. */
size_t ert_settled_main(const struct ert_device_ceilings *device,
                        const struct ert_ceiling *list[ERT_MAX_MAIN]);

/* How many compute and memory ceilings are not settled. */
size_t ert_settled_count_open(const struct ert_device_ceilings *device);

/*
 * Writes the main ceilings that are not settled to text[size], "fp64-fma (35 % wide), L2-load (2 samples)",
 * or "". Returns how many; *n_main: of how many.
 */
size_t ert_settled_open(const struct ert_device_ceilings *device, char *text, size_t size,
                        size_t *n_main);

/*
 * Each ceiling is settled or not by itself: one of the memory, which other guests use, says nothing about the
 * cores. A device is valid unless it has main ceilings and none is settled; then its warnings list them.
 */
void ert_settled_judge(struct ert_device_ceilings *device);

#endif
