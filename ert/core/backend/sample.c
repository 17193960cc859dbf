/* SPDX-License-Identifier: BSD-3-Clause */
/* sample: computes results of regions; for backends inside and outside the program. */
#include "ert/core/backend/backend.h"

#include <math.h>
#include <string.h>

enum ert_status ert_sample_check(const struct ert_sample *sample, struct ert_error *error)
{
    if (!(isfinite(sample->time_s) && sample->time_s > 0))
        return ert_fail(error, ERT_FAILED, "the region took %g s, must be above 0",
                        sample->time_s);
    if (sample->passes == 0)
        return ert_fail(error, ERT_FAILED, "no pass was run");
    return ERT_OK;
}

void ert_sample_of_threads(struct ert_sample *sample, double *passes, uint32_t n)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < n; i++) {
        least = fmin(least, passes[i]);
        sample->rate_per_s += passes[i] / sample->time_s / n;
    }
    sample->n_threads = n > 1 ? n : 0;
    sample->thread_passes = n > 1 ? passes : NULL;
    sample->passes = (uint64_t)least;
    sample->lockstep_per_s = least / sample->time_s;
}

/* Inserts a value into values[n], which are in ascending order. */
static void sample_insert(double *values, uint32_t n, double value)
{
    for (; n > 0 && values[n - 1] > value; n--)
        values[n] = values[n - 1];
    values[n] = value;
}

static uint64_t usual_throttle(const struct ert_part *parts, uint32_t n)
{
    uint64_t usual = 0;
    for (int bit = 0; bit < 64; bit++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < n; i++)
            count += parts[i].throttle >> bit & 1;
        if (2 * count > n)
            usual |= UINT64_C(1) << bit;
    }
    return usual;
}

void ert_sustained_conclude(struct ert_sustained *sustained)
{
    const struct ert_part *parts = sustained->parts + sustained->n_settling;
    const uint32_t n = sustained->n_parts - sustained->n_settling;
    double clocks_hz[ERT_MAX_PARTS];
    const double begin_s = sustained->n_settling ? parts[-1].end_s : 0;
    double end_s = begin_s, passes = 0;
    uint32_t n_clocks = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (parts[i].clock_hz > 0)
            sample_insert(clocks_hz, n_clocks++, parts[i].clock_hz);
        passes += parts[i].rate_per_s * (parts[i].end_s - end_s);
        end_s = parts[i].end_s;
    }
    sustained->time_s = end_s - begin_s;
    sustained->rate_per_s = passes / sustained->time_s;
    sustained->clock_hz = n_clocks ? clocks_hz[n_clocks / 2] : 0;
    sustained->clock_low_hz = n_clocks ? clocks_hz[0] : 0;
    sustained->throttle = usual_throttle(parts, n);
}

void ert_sustained_extend(struct ert_sustained *sustained,
                          const struct ert_sustained *longer)
{
    const struct ert_sustained first = *sustained;
    const double end_s = first.parts[first.n_parts - 1].end_s;
    *sustained = *longer;
    memcpy(sustained->parts, first.parts, first.n_parts * sizeof *first.parts);
    for (uint32_t i = 0; i < longer->n_parts; i++) {
        sustained->parts[first.n_parts + i] = longer->parts[i];
        sustained->parts[first.n_parts + i].end_s += end_s;
    }
    sustained->n_parts = first.n_parts + longer->n_parts;
    sustained->n_settling = first.n_parts + longer->n_settling;
    ert_sustained_conclude(sustained);
}
