/*
 * threads: what the threads of a ceiling's windows did one by one: the rate that the slowest allows,
 * and who that was. Pure.
 */
#ifndef ERT_CEILINGS_THREADS_H
#define ERT_CEILINGS_THREADS_H

#include "ert/ceilings/ceilings.h"
#include "ert/sweep/samples.h"

/*
 * Fills lockstep, imbalance, slowest_cpu and slowest_share of a ceiling from the windows of the point
 * that won; leaves them alone where it has none of several threads. rate: of the ceiling's value.
 */
void ert_threads_fill(struct ert_ceiling *ceiling, const struct ert_device_samples *samples,
                      const struct ert_point *point, double work_per_pass);

/*
 * A CPU that did less than 0.9 of the median CPU over all windows of a device's compute kernels, while
 * it was the slowest in half of them: a finding. Writes it to text[size], or "" where there is none.
 * Such a CPU shares a core, is throttled, or serves interrupts.
 */
void ert_threads_slow_cpu(const struct ert_device_samples *samples, char *text,
                          size_t size);

#endif
