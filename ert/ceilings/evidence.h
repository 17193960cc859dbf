/*
 * evidence: what stands beside a ceiling's value: interval, clock, power, the theory it is judged
 * by, and how far it can be believed. It chooses nothing: the fit does.
 */
#ifndef ERT_CEILINGS_EVIDENCE_H
#define ERT_CEILINGS_EVIDENCE_H

#include "ert/ceilings/ceilings.h"
#include "ert/sweep/samples.h"

/* Byte/s or flop/s of one sample. */
typedef double (*ert_rate)(const struct ert_point *point, const struct ert_sample *sample);

/*
 * Fills value, interval (of the estimate alone: ert_evidence_interval), best, rounds, launch, clock and
 * power of a ceiling from the samples of the point that won, points[winner], and of those among
 * points[n], at most ERT_MAX_SWEEP, that are tied with it: whose estimates differ by less than twice
 * the standard error of the winner's, or than runs do. Pooling the tied ones takes away
 * most of the luck in being the fastest of several. False when memory runs out.
 */
bool ert_evidence_fill(struct ert_ceiling *ceiling, const struct ert_point *const *points,
                       size_t n, size_t winner, ert_rate rate);

/*
 * Puts the sustained rate of the point, where it was measured, in the place of what its short regions
 * showed, which becomes the burst; clock, throttle reasons and power follow. On CPUs only where the
 * clock fell: at the same clock what differs is disturbance, and short regions show less of it.
 */
void ert_evidence_sustain(struct ert_ceiling *ceiling, const struct ert_point *point,
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
 * Doubts a ceiling for a clock below the device's base clock, a value above theory, a wide
 * interval, or few samples.
 */
void ert_evidence_judge(struct ert_ceiling *ceiling, const struct ert_device *device);

/* Lowers the confidence to at most `confidence` and keeps the text of the gravest doubt. */
void ert_evidence_doubt(struct ert_ceiling *ceiling, enum ert_confidence confidence,
                        const char *format, ...) __attribute__((format(printf, 3, 4)));

/*
 * Sets trusted and distrust of a device: a clock below its base clock in a quarter of the ceilings
 * (not those that the power limit holds), or a bad condition (conditions.h).
 */
void ert_evidence_trust(const struct ert_provenance *provenance,
                        const struct ert_device *device,
                        const struct ert_device_samples *samples,
                        struct ert_device_ceilings *out);

#endif
